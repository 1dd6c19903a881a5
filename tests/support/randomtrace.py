"""Random, well-formed Kineto traces whose truth is known; imported through the real importer.

In five minutes:

    def test_busy_time(random_runs):                 # a fixture of tests/conftest.py
        found = random_runs.rows("utilization")      # over all runs, {run name: rows}
        for name, (trace,) in random_runs.jobs.items():   # a job is a list of traces, by rank
            busy = covered(work.interval for work in trace.device_work if work.device == 0)
            ...

- `make(seed)` is one trace, `make_job(seed, ranks=2)` one for each rank of a job, whose clocks are
  `trace.clock_offset_ns` apart. Any field of `Knobs` can be given, to switch off a part or change
  the size: `make(3, python=False, steps=1)`, `make(3, device_work=False)`, `make(3, odd=False)`.
- `trace.events` are the file's events, dicts in file order, as Kineto writes them except that ts
  and dur are whole nanoseconds. `trace.changed(events)` is the trace with other events.
- `trace.slices` are its "X" events as `Slice` with ts since the trace's first event, as in the
  warehouse; `device_work`, `waits`, `calls`, `operators`, `annotations`, `steps`, `frames`,
  `collectives` are those of one kind, each in the order of the file.
- The truth is found by looking at every candidate, one by one: `parent`, `around` (innermost slice
  of some kind), `cause` (the call of device work), `operator_of`, `step_of`, `annotation_of`,
  `forward_of`, `waited_for`, `same_on`. Lists of half-open intervals: `union`, `covered`, `common`.
- Every slice has a mark, `Slice.mark`, that the file holds as args."Ev Idx". `Runs.marks` maps ids
  of the warehouse to (run name, rank, mark), and `trace[mark]` is the slice.
- `random_runs` is made once for all tests and workers. For a special trace:
  `import_jobs(tmp_path / "w.duckdb", {"name": [make(3, graphs=False)]})` gives `Runs` too, for
  about half a second a trace.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.random_odd import add_odd
from tests.support.random_program import BACKWARD, LOADER, MAIN, ODD, PID, Event, Knobs, Program
from tests.support.sharing import BuildCache, build_once
from warehouse.ingest import pipeline
from warehouse.library import library
from warehouse.query import execute, scope
from warehouse.query.selection import Selection
from warehouse.store import database

Row = dict[str, Any]
Interval = tuple[int, int]
BASE_NS = 1_790_857_026_000_000_000
WORK = ("kernel", "gpu_memcpy", "gpu_memset")
CALLS = ("cuda_runtime", "cuda_driver")
FARTHEST_CLOCK_NS = 2_000_000


class Slice(NamedTuple):
    """An "X" event; ts counts from the trace's first event. Device and stream of work only."""

    mark: int
    category: str
    name: str
    pid: int | str
    tid: int | str
    ts: int
    dur: int
    args: Event

    @property
    def end(self) -> int:
        """Unfinished and negative slices end where they start."""
        return self.ts + max(self.dur, 0)

    @property
    def interval(self) -> Interval:
        return self.ts, self.end

    @property
    def device(self) -> int | None:
        value = self.args.get("device")
        return None if value is None else int(value)

    @property
    def stream(self) -> int | None:
        value = self.args.get("stream")
        return None if value is None else int(value)

    @property
    def correlation(self) -> int | None:
        value = self.args.get("correlation")
        return None if value is None else int(value)

    @property
    def klass(self) -> str:
        """Of device work: compute, communication or memory."""
        if self.category != "kernel":
            return "memory"
        return "communication" if "nccl" in self.name.lower() else "compute"


@dataclass(frozen=True)
class RandomTrace:
    """A Kineto document as events in nanoseconds, and what is true of it."""

    seed: int
    rank: int
    knobs: Knobs
    events: list[Event] = field(repr=False)
    clock_offset_ns: int = 0  # added to every time of this rank; rank 0 has 0
    header_extra: Event = field(default_factory=dict)  # other keys of the document
    lengths: list[float] = field(default_factory=list, repr=False)  # all that were drawn

    @cached_property
    def base_ns(self) -> int:
        """The earliest time in the file, which becomes ts = 0."""
        return min((e["ts"] for e in self.events if e["ph"] != "M"), default=0)

    @cached_property
    def slices(self) -> list[Slice]:
        return [
            Slice(e["args"]["Ev Idx"], e["cat"], e["name"], e["pid"], e["tid"],
                  e["ts"] - self.base_ns, e["dur"], e["args"])
            for e in self.events if e["ph"] == "X"
        ]  # fmt: skip

    @cached_property
    def _by_mark(self) -> dict[int, Slice]:
        return {each.mark: each for each in self.slices}

    def __getitem__(self, mark: int) -> Slice:
        return self._by_mark[mark]

    def of(self, *categories: str) -> list[Slice]:
        return [each for each in self.slices if each.category in categories]

    @property
    def device_work(self) -> list[Slice]:
        """Kernels, copies and memsets, not waits."""
        return self.of(*WORK)

    @property
    def waits(self) -> list[Slice]:
        return self.of("cuda_sync")

    @property
    def calls(self) -> list[Slice]:
        return self.of(*CALLS)

    @property
    def operators(self) -> list[Slice]:
        return self.of("cpu_op")

    @property
    def annotations(self) -> list[Slice]:
        """Ranges on the host, steps among them."""
        return self.of("user_annotation")

    @property
    def steps(self) -> list[Slice]:
        return [each for each in self.annotations if each.name.startswith("ProfilerStep#")]

    @property
    def frames(self) -> list[Slice]:
        return self.of("python_function")

    @property
    def collectives(self) -> list[Slice]:
        """Their kernels; `args["Seq"]` numbers them, equally on all ranks."""
        return [each for each in self.device_work if each.klass == "communication"]

    @property
    def memory(self) -> list[Event]:
        return [each for each in self.events if each.get("name") == "[memory]"]

    # --- truth

    @cached_property
    def _above(self) -> dict[int, int | None]:
        """The parent of each slice, by the definition in warehouse/ingest/nesting.py."""
        found: dict[int, int | None] = {}
        tracks: dict[tuple[int | str, int | str], list[Slice]] = {}
        for each in self.slices:
            tracks.setdefault((each.pid, each.tid), []).append(each)
        for mine in tracks.values():
            mine.sort(key=lambda each: (each.ts, -_reach(each)))  # stable: then in file order
            for n, each in enumerate(mine):
                above = [
                    other.mark for other in mine[:n]
                    if other.ts + _reach(other) >= each.ts + _reach(each)
                ]  # fmt: skip
                found[each.mark] = above[-1] if above else None
        return found

    def parent(self, each: Slice) -> Slice | None:
        above = self._above[each.mark]
        return None if above is None else self[above]

    def ancestors(self, each: Slice) -> list[Slice]:
        """Innermost first."""
        found: list[Slice] = []
        above = self.parent(each)
        while above is not None:
            found.append(above)
            above = self.parent(above)
        return found

    def around(self, each: Slice, suits: Callable[[Slice], bool]) -> Slice | None:
        """The innermost slice around one, on its track, that suits."""
        return next(filter(suits, self.ancestors(each)), None)

    def cause(self, work: Slice) -> Slice | None:
        """The call of device work or of a wait, by its correlation id."""
        if work.correlation is None:
            return None
        calls = self._calls_by_correlation[work.correlation]
        return calls[0] if calls else None  # no id is used by two calls

    def work_of(self, call: Slice) -> list[Slice]:
        return list(self._work_by_correlation[call.correlation])

    @cached_property
    def _calls_by_correlation(self) -> Mapping[int | None, list[Slice]]:
        return _by_correlation(self.calls)

    @cached_property
    def _work_by_correlation(self) -> Mapping[int | None, list[Slice]]:
        return _by_correlation(self.device_work)

    def operator_of(self, each: Slice) -> Slice | None:
        """The innermost operator around a host slice."""
        return self.around(each, lambda other: other.category == "cpu_op")

    def step_of(self, each: Slice) -> Slice | None:
        """The step in whose time the slice, or the call that caused it, begins."""
        host = self.cause(each) if each.category in (*WORK, "cuda_sync") else each
        if host is None:
            return None
        return next((s for s in self.steps if s.ts <= host.ts < s.end), None)

    def called_by(self, work: Slice) -> int | None:
        """When work was called: if that is unknown, at the latest; None: before the recording.

        A stream runs work in the order of the calls, and calls during the recording are in it.
        """
        if call := self.cause(work):
            return call.ts
        stream = [w for w in self.device_work if (w.pid, w.tid) == (work.pid, work.tid)]
        calls = [(w.ts, call.ts) for w in stream if (call := self.cause(w))]
        later = [called for ts, called in calls if ts > work.ts]
        return None if later and len(later) == len(calls) else min([work.ts, *later])

    def step_of_work(self, work: Slice) -> Slice | None:
        """The step in whose time work was called."""
        called = self.called_by(work)
        return next((s for s in self.steps if called is not None and s.ts <= called < s.end), None)

    def annotation_of(self, work: Slice) -> Slice | None:
        """The innermost annotation, steps excluded, around the call that caused the work."""
        call = self.cause(work)
        steps = {each.mark for each in self.steps}
        return call and self.around(
            call, lambda other: other.category == "user_annotation" and other.mark not in steps
        )

    def frame_of(self, each: Slice, *, is_module: bool = False) -> Slice | None:
        """The innermost Python frame, or nn.Module, around a host slice."""
        return self.around(
            each,
            lambda other: (
                other.category == "python_function"
                and (not is_module or other.name.startswith("nn.Module"))
            ),
        )

    def forward_of(self, backward: Slice) -> Slice | None:
        """The operator of the forward pass whose sequence number a backward operator has."""
        if backward.args.get("Fwd thread id", 0) == 0:
            return None
        number = backward.args["Sequence number"]
        return next(
            each for each in self.operators
            if each.args.get("Sequence number") == number and each.args["Fwd thread id"] == 0
        )  # fmt: skip

    def same_on(self, other: RandomTrace, collective: Slice) -> Slice:
        """The same collective on another rank of the job."""
        number = collective.args["Seq"]
        return next(each for each in other.collectives if each.args["Seq"] == number)

    # --- the file

    def document(self) -> bytes:
        """The file, as Kineto writes it: one event a line, microseconds with three decimals."""
        header = json.dumps(self.header())[:-1]
        lines = ",\n".join(_line(event) for event in self.events)
        return f'{header}, "traceEvents": [\n{lines}\n]}}\n'.encode()

    def header(self) -> Event:
        ranks = list(range(self.knobs.ranks))
        return {
            "schemaVersion": 1,
            "deviceProperties": [
                {"id": n, "name": "NVIDIA Made-up", "totalGlobalMem": 85899345920, "numSms": 132}
                for n in range(self.knobs.devices)
            ],
            "group_trace_id": f"job-{self.seed}-{self.knobs.ranks}",
            "distributedInfo": {
                "backend": "nccl", "rank": self.rank, "world_size": len(ranks), "pg_count": 1,
                "pg_config": [{"pg_name": "0", "pg_desc": "default_pg", "pg_size": len(ranks),
                               "ranks": ranks, "backend_config": "cuda:nccl"}],
            },
            "displayTimeUnit": "ms",
            "baseTimeNanoseconds": BASE_NS,
            **self.header_extra,
        }  # fmt: skip

    def changed(self, events: list[Event], **header_extra: Any) -> RandomTrace:
        """A trace of other events; the same events need an extra key to be another file."""
        return replace(self, events=events, header_extra=self.header_extra | header_extra)


def _by_correlation(slices: Iterable[Slice]) -> Mapping[int | None, list[Slice]]:
    """Slices by correlation id, in their order; none for other ids."""
    found: defaultdict[int | None, list[Slice]] = defaultdict(list)
    for each in slices:
        found[each.correlation].append(each)
    return found


def _reach(each: Slice) -> float:
    """Nesting takes a slice without length to end just after its instant."""
    return max(each.dur, 0.5)


def _line(event: Event) -> str:
    texts = {key: _microseconds(event[key]) for key in ("ts", "dur") if key in event}
    rest = json.dumps({key: value for key, value in event.items() if key not in texts})
    return rest[:-1] + "".join(f', "{key}": {text}' for key, text in texts.items()) + "}"


def _microseconds(ns: int) -> str:
    sign, size = "-" if ns < 0 else "", abs(ns)
    return f"{sign}{size // 1000}.{size % 1000:03d}"


# --- making them


def make(seed: int, **knobs: Any) -> RandomTrace:
    """One trace; `knobs` are fields of `Knobs`."""
    (trace,) = make_job(seed, ranks=1, **knobs)
    return trace


def make_job(seed: int, ranks: int = 2, **knobs: Any) -> list[RandomTrace]:
    """A trace for each rank of one job, by rank; their collectives end together."""
    chosen = Knobs(ranks=ranks, **knobs)
    ends: list[int] = []
    while True:
        played = [Program(seed, rank, chosen, ends).run() for rank in range(ranks)]
        starts = [program.collective_starts for program in played]
        if ranks == 1 or len(ends) == len(starts[0]):
            break
        # All ranks wait for the last to come, then for the transfer; then the next one is known.
        ends = [*ends, max(each[len(ends)] for each in starts) + 4321]
    return [_trace(program, seed, chosen) for program in played]


def _trace(program: Program, seed: int, knobs: Knobs) -> RandomTrace:
    if knobs.odd:
        add_odd(program, seed)
    host = [*program.events, *program.arrows] if knobs.host else []
    events = [*host, *program.device_events]
    offset = 0
    if program.rank:
        offset = program.length.randint(-FARTHEST_CLOCK_NS, FARTHEST_CLOCK_NS)
    timed = [*events, *_window(events)]
    for n, event in enumerate(timed):
        event["ts"] += offset + 10 * FARTHEST_CLOCK_NS  # no time is negative
        if event["ph"] in ("X", "i"):
            event["args"]["Ev Idx"] = n
    events = [*_metadata(knobs), *timed]
    return RandomTrace(seed, program.rank, knobs, events, offset, lengths=program.drawn)


def _window(events: Iterable[Event]) -> list[Event]:
    """What the profiler says of itself, on a process with a name for a number."""
    first = min(e["ts"] for e in events)
    last = max(e["ts"] + max(e.get("dur", 0), 0) for e in events)
    return [
        {"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "pid": "Spans",
         "tid": "PyTorch Profiler", "ts": first - 5000, "dur": last - first + 9000,
         "args": {"Op count": 0}},
    ]  # fmt: skip


def _metadata(knobs: Knobs) -> list[Event]:
    names = {MAIN: "python", BACKWARD: "pt_autograd_0", LOADER: "loader", ODD: "odd"}
    threads = [(PID, tid, "thread_name", {"name": f"thread {tid} ({name})"})
               for tid, name in names.items()]  # fmt: skip
    labels: list[tuple[int, str]] = [(PID, "CPU"), *((n, f"GPU {n}") for n in range(knobs.devices))]
    processes = [(pid, 0, "process_labels", {"labels": label}) for pid, label in labels]
    processes += [(pid, 0, "process_name", {"name": "python"}) for pid, _ in labels]
    return [
        {"ph": "M", "name": name, "pid": pid, "tid": tid, "ts": 0, "args": args}
        for pid, tid, name, args in [*processes, *threads]
    ]


# --- intervals


def union(intervals: Iterable[Interval]) -> list[Interval]:
    """The same instants as disjoint intervals, in order; empty ones are gone."""
    found: list[Interval] = []
    for start, end in sorted(each for each in intervals if each[1] > each[0]):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def covered(intervals: Iterable[Interval]) -> int:
    """Nanoseconds in which any of the intervals is."""
    return sum(end - start for start, end in union(intervals))


def common(some: Iterable[Interval], others: Iterable[Interval]) -> list[Interval]:
    """The instants that are in both."""
    rest = union(others)
    return union(
        (max(a, c), min(b, d)) for a, b in union(some) for c, d in rest if min(b, d) > max(a, c)
    )


# --- in a warehouse


@dataclass(frozen=True)
class Runs:
    """Jobs in one warehouse, each a run of its name."""

    path: Path
    jobs: Mapping[str, Sequence[RandomTrace]]

    def rows(
        self, query: str, run: str | None = None, **parameters: object
    ) -> dict[str, list[Row]]:
        """The rows of a library query or a statement with a column run_id, by run name.

        Over all runs at once, or in the scope of one.
        """
        with database.Reader(self.path) as reader:
            connection = reader.connection
            if run is not None:
                scope.apply(connection, scope.resolve(connection, Selection(runs=(run,))))
            names = dict(connection.execute("SELECT id, name FROM run").fetchall())
            table = execute.run(connection, query, parameters, library=LIBRARY).table()
        found: dict[str, list[Row]] = {name: [] for name in ([run] if run else self.jobs)}
        for row in table.to_pylist():
            found[names[row["run_id"]]].append(row)
        return found

    @cached_property
    def marks(self) -> dict[int, tuple[str, int, int]]:
        """Of every slice id: (run name, rank, mark)."""
        with database.Reader(self.path) as reader:
            found = reader.connection.execute(
                "SELECT s.id, r.name, t.rank, (s.args_json ->> '$.\"Ev Idx\"')::BIGINT "
                "FROM slice AS s JOIN trace AS t ON t.id = s.trace_id "
                "JOIN run AS r ON r.id = t.run_id"
            ).fetchall()
        return {int(id): (str(name), int(rank), int(mark)) for id, name, rank, mark in found}

    def links(self, kind: str) -> dict[str, dict[int, set[tuple[int, int]]]]:
        """Links inside traces as (from mark, to mark), by run name and rank."""
        with database.Reader(self.path) as reader:
            pairs = reader.connection.execute(
                "SELECT from_id, to_id FROM link WHERE kind = ? AND trace_id IS NOT NULL "
                "AND link_set = 'default'", [kind]
            ).fetchall()  # fmt: skip
        found = {name: {t.rank: set[tuple[int, int]]() for t in job}
                 for name, job in self.jobs.items()}  # fmt: skip
        for start, end in pairs:
            name, rank, mark = self.marks[start]
            found[name][rank].add((mark, self.marks[end][2]))
        return found


LIBRARY = library.load()

#: Of `random_runs`: seeds of jobs of one rank, each switching something off, and of several ranks.
JOBS: Mapping[str, Mapping[str, Any]] = {
    **{f"seed-{seed}": {"seed": seed, "ranks": 1} for seed in range(4)},
    "two-ranks": {"seed": 20, "ranks": 2, "odd": False},
    "three-ranks": {"seed": 21, "ranks": 3, "steps": 2},
    "waits": {"seed": 56, "ranks": 1},  # a path that streams wait on
    "no-gpu": {"seed": 30, "ranks": 1, "device_work": False, "syncs": False, "devices": 0},
    "no-steps": {"seed": 31, "ranks": 1, "are_steps_marked": False},
    "no-host": {"seed": 32, "ranks": 1, "steps": 1, "host": False},
}


def import_jobs(path: Path, jobs: Mapping[str, Sequence[RandomTrace]]) -> Runs:
    """Imports each job as a run of its name: the first alone, the others in groups of traces."""
    folder = path.parent / f"{path.stem}-files"
    for name, job in jobs.items():
        (folder / name).mkdir(parents=True)
        for trace in job:
            (folder / name / f"rank{trace.rank}.json").write_bytes(trace.document())
    first, *others = (folder / name for name in jobs)
    for folders in filter(None, ([first], others)):
        outcomes = pipeline.import_paths(folders, db=path, options=pipeline.Options())
        assert not any(outcome.error for outcome in outcomes)
    return Runs(path, jobs)


def import_once(
    path: Path, jobs: Mapping[str, Sequence[RandomTrace]], kept: BuildCache | None = None
) -> Runs:
    """`import_jobs` by the first worker that asks for the path; the others wait for it."""
    return Runs(build_once(path, lambda part: import_jobs(part, jobs), kept), jobs)


def standard_jobs() -> dict[str, list[RandomTrace]]:
    return {name: make_job(**knobs) for name, knobs in JOBS.items()}
