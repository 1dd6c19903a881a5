"""Random programs of many ranks: collectives, clocks and recordings, with the truth known.

A program is steps of layers; in each layer groups of ranks run collectives. Times are true
nanoseconds; the clock of a rank shows `offset + true * (1 + drift)`. What a rank recorded is one or
more windows of its operations. `store` writes the recordings into the tables, `false_links` and
`broken_bounds` judge what the linkers made of them, in plain Python.
"""

from __future__ import annotations

import random
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    import duckdb

US, MS, S = 1_000, 1_000_000, 1_000_000_000
EPOCH = 1_790_857_026 * S
PPM = Fraction(1, 1_000_000)
ONE_WAY = ("broadcast", "reduce", "gather", "scatter")
TWO_WAY = ("allreduce", "allgather", "reducescatter", "alltoall", "barrier")
#: How much of a program each rank recorded.
WINDOWS = ("whole", "trimmed", "far", "all_twice", "one_twice", "missing", "lost")
NUMBERS = ("numbered", "plain", "bare")
Group = tuple[int, ...]


@dataclass(frozen=True)
class Op:
    """One rank's part of one collective, in true time."""

    instance: int
    step: int
    rank: int
    start: int
    end: int


@dataclass(frozen=True)
class Call:
    """A collective of the program's layer: who takes part, what kind, how large."""

    group: Group
    kind: str
    n_elements: int


@dataclass
class Recording:
    """One trace: a rank, and the operations in its window."""

    trace_id: int
    rank: int
    ops: list[Op]
    base: int = 0  # of the rank's clock


@dataclass
class Program:
    """A run and its truth."""

    run_id: int
    windows: str
    numbers: str
    n_ranks: int
    calls: dict[int, Call] = field(default_factory=dict)  # by instance
    number_of: dict[int, int] = field(default_factory=dict)  # by instance, in its group
    name_of: dict[tuple[int, Sequence[int]], str] = field(default_factory=dict)  # by rank and group
    ops: list[Op] = field(default_factory=list)
    steps: dict[int, list[tuple[int, int]]] = field(default_factory=dict)  # by rank: start, end
    offsets: dict[int, int] = field(default_factory=dict)
    drifts: dict[int, Fraction] = field(default_factory=dict)
    hosts: dict[int, str | None] = field(default_factory=dict)
    has_steps: bool = False
    #: The run it is stored in, and what is added to its ranks there: programs whose groups are
    #: recorded can share a run, which is linked at once.
    stored_run: int = 0
    first_rank: int = 0
    recordings: list[Recording] = field(default_factory=list)

    def clock(self, rank: int, true_ns: int | Fraction) -> Fraction:
        """What the rank's clock shows, exactly."""
        return self.offsets[rank] + true_ns * (1 + self.drifts[rank])

    def slice_id(self, recording: Recording, op: Op) -> int:
        return (recording.trace_id << 32) + op.instance


def program(
    seed: int, *, windows: str | None = None, numbers: str | None = None, most_ranks: int = 16
) -> Program:
    """A random program; the windows of its recordings and its metadata can be given."""
    rng = random.Random(seed)
    n_ranks = rng.choice([n for n in (2, 2, 2, 3, 4, 4, 6, 8, 16, 32, 64) if n <= most_ranks])
    made = Program(
        seed,
        windows or rng.choice(WINDOWS),
        numbers or rng.choice((*NUMBERS, "plain", "plain")),
        n_ranks,
        has_steps=rng.random() < 0.5,
        stored_run=seed,
    )
    _choose_clocks(made, rng)
    _run(made, rng)
    _record(made, rng)
    return made


# --- clocks


def _choose_clocks(made: Program, rng: random.Random) -> None:
    """Ranks on one host share a clock; hosts are milliseconds or seconds apart, or equal."""
    farthest = rng.choice((0, 0, 3 * MS, 10 * S, 10 * S))
    per_host = rng.choice((1, 2, 8)) if farthest else made.n_ranks
    is_named = rng.random() < 0.4
    is_drifting = rng.random() < 0.5
    epoch = EPOCH if rng.random() < 0.7 else 0
    for rank in range(made.n_ranks):
        host = rank // per_host
        if rank % per_host == 0:
            offset = epoch + rng.randint(0, farthest)
            drift = rng.randint(-50, 50) * PPM if is_drifting and farthest else Fraction(0)
        made.offsets[rank], made.drifts[rank] = offset, drift
        made.hosts[rank] = f"host{host}" if is_named else None


# --- what happened


def _run(made: Program, rng: random.Random) -> None:
    layer = _layer(made, rng)
    spacing = int(20 * US * 2500 ** rng.random())
    jitter = rng.choice((0, 0, 0.01, 0.1, 0.5))
    n_layers, n_steps = rng.choice((1, 3, 4, 8)), rng.choice((2, 3, 4, 6))
    layers = [_scaled(layer, rng) for _ in range(n_layers)] if rng.random() < 0.4 else [layer]
    layers = [layers[n % len(layers)] for n in range(n_layers)]
    step_gap = int(spacing * rng.choice((0, 0.3, 2, 10)))
    now = dict.fromkeys(range(made.n_ranks), 0)
    for step in range(n_steps):
        began = dict(now)
        for call in (call for each in layers for call in each):
            _meet(made, rng, call, step, now, spacing, jitter)
        for rank in now:
            made.steps.setdefault(rank, []).append((began[rank], now[rank] + 1))
            now[rank] += int(step_gap * rng.uniform(1, 1 + jitter)) + 2


def _layer(made: Program, rng: random.Random) -> list[Call]:
    """Calls of every group of the layout: all ranks, or a grid of tensor and data parallelism."""
    everyone: Group = tuple(range(made.n_ranks))
    groups: list[list[Group]] = [[everyone]]
    if made.n_ranks >= 4 and made.n_ranks % 2 == 0 and rng.random() < 0.5:
        width = rng.choice([w for w in (2, 4) if made.n_ranks % w == 0 and w < made.n_ranks])
        rows = [everyone[n : n + width] for n in range(0, made.n_ranks, width)]
        groups = [rows, [everyone[n::width] for n in range(width)]]
    found = []
    for parallel in groups:
        for _ in range(rng.choice((1, 1, 2))):
            kind = rng.choice((*TWO_WAY, "allreduce", "allreduce", *ONE_WAY, "pair"))
            elements = rng.choice((1024, 4096))
            found += [Call(group, kind, elements) for group in parallel]
    return found


def _scaled(layer: Sequence[Call], rng: random.Random) -> list[Call]:
    factor = rng.choice((1, 2, 3, 5, 8))
    return [Call(call.group, call.kind, call.n_elements * factor) for call in layer]


def _meet(
    made: Program, rng: random.Random, call: Call, step: int, now: dict[int, int],
    spacing: int, jitter: float,
) -> None:  # fmt: skip
    """Every member comes after its own work; who may leave when depends on the kind."""
    group = call.group[:2] if call.kind == "pair" else call.group
    instance = len(made.calls)
    made.calls[instance] = Call(call.group, call.kind, call.n_elements)
    made.number_of[instance] = sum(1 for c in made.calls.values() if c.group == call.group) - 1
    pause = int(spacing * 0.8 * (1 + jitter * rng.uniform(-1, 1)))
    spread = int(spacing * 0.1)
    starts = {r: now[r] + pause + rng.randint(0, spread) for r in group}
    transfer = int(spacing * 0.05) + rng.randint(0, spacing // 50)
    skew = min(15 * US, spacing // 20)
    for rank, start in starts.items():
        end = _awaited(call.kind, group, rank, starts) + transfer + rng.randint(0, skew)
        now[rank] = end
        made.ops.append(Op(instance, step, rank, start, end))


def _awaited(kind: str, group: Group, rank: int, starts: dict[int, int]) -> int:
    """The latest arrival that the rank waits for; the root of one-way kinds comes first."""
    root = group[0]
    if kind in ("broadcast", "scatter", "pair"):
        return max(starts[rank], starts[root])
    if kind in ("reduce", "gather"):
        return max(starts.values()) if rank == root else starts[rank]
    return max(starts.values())


# --- what was recorded


def _record(made: Program, rng: random.Random) -> None:
    of_rank: dict[int, list[Op]] = {rank: [] for rank in range(made.n_ranks)}
    for op in made.ops:
        of_rank[op.rank].append(op)
    lone = rng.randrange(made.n_ranks)
    for rank, ops in of_rank.items():
        if made.windows == "missing" and rank == lone and made.n_ranks > 2:
            continue
        for part in _parts(made.windows, ops, rank == lone, rng):
            if part:
                made.recordings.append(Recording(0, rank, part))
    if made.windows in ("all_twice", "one_twice") and rng.random() < 0.5:
        made.recordings.sort(key=lambda r: r.ops[0].start)  # else by rank
    for n, recording in enumerate(made.recordings):
        recording.trace_id = made.run_id * 200 + n
        recording.base = int(made.clock(recording.rank, recording.ops[0].start))


def _parts(windows: str, ops: list[Op], is_lone: bool, rng: random.Random) -> Iterator[list[Op]]:
    """The windows of one rank."""
    n = len(ops)
    if windows == "trimmed":
        yield ops[rng.randint(0, n // 4) : n - rng.randint(0, n // 4)]
    elif windows == "far":
        begin = rng.choice((0, n // 3, n // 2, 2 * n // 3))
        yield ops[begin : begin + max(n // 3, 2)]
    elif windows == "all_twice" or (windows == "one_twice" and is_lone):
        begin = n // 2 + rng.randint(-(n // 8), n // 8)
        yield ops[: max(begin - n // 5, 1)]
        yield ops[begin:]
    elif windows == "lost":
        lost = set(rng.sample(range(n), min(n // 4, rng.randint(1, 4))))
        yield [op for place, op in enumerate(ops) if place not in lost]
    else:
        yield ops


def regular(
    run_id: int,
    *,
    n_steps: int,
    n_layers: int,
    spacing: int,
    step_gap: int = 0,
    apart: int = 0,
    has_steps: bool = False,
    lost: Iterable[tuple[int, int]] = (),
) -> Program:
    """Two ranks that run an all_reduce at equal distances; `lost` are (rank, instance)."""
    made = Program(run_id, "regular", "plain", 2, has_steps=has_steps, stored_run=run_id)
    made.offsets, made.drifts = {0: EPOCH, 1: EPOCH + apart}, dict.fromkeys((0, 1), Fraction(0))
    made.hosts = {0: None, 1: None}
    step_ns = n_layers * spacing + step_gap
    for instance in range(n_steps * n_layers):
        step, layer = divmod(instance, n_layers)
        begin = step * step_ns + layer * spacing
        made.calls[instance] = Call((0, 1), "allreduce", 1024)
        for rank in (0, 1):
            end = begin + spacing // 3 + 2 * US * rank
            made.ops.append(Op(instance, step, rank, begin + 3 * US * rank, end))
    for rank in (0, 1):
        made.steps[rank] = [(n * step_ns, (n + 1) * step_ns) for n in range(n_steps)]
        ops = [op for op in made.ops if op.rank == rank and (rank, op.instance) not in set(lost)]
        base = int(made.clock(rank, ops[0].start))
        made.recordings.append(Recording(run_id * 200 + rank, rank, ops, base))
    return made


# --- in the tables


def store(
    connection: duckdb.DuckDBPyConnection,
    programs: Iterable[Program],
    trace_ids: Container[int] | None = None,
) -> None:
    """Writes runs, traces, clocks, steps and collectives of programs, of some traces or of all."""
    programs = list(programs)
    tables: dict[str, list[dict[str, Any]]] = {
        "run": [], "trace": [], "clock": [], "collective": [], "step": [], "link": [], "track": [],
    }  # fmt: skip
    there = {run_id for (run_id,) in connection.execute("SELECT id FROM run").fetchall()}
    for run_id in dict.fromkeys(made.stored_run for made in programs):
        if run_id in there:
            continue
        tables["run"].append(
            {"id": run_id, "name": f"run {run_id}", "kind": "measured", "created_at": "2024-01-01"}
        )
    for made in programs:
        for recording in made.recordings:
            if trace_ids is None or recording.trace_id in trace_ids:
                _add_recording(tables, made, recording)
    for name, rows in tables.items():
        if rows:
            stored = pa.Table.from_pylist(rows)  # noqa: F841
            columns = ", ".join(f'"{column}"' for column in rows[0])
            connection.execute(f"INSERT INTO {name} ({columns}) SELECT {columns} FROM stored")


def _add_recording(
    tables: dict[str, list[dict[str, Any]]], made: Program, recording: Recording
) -> None:
    trace_id, rank = recording.trace_id, recording.rank
    tables["trace"].append({
        "id": trace_id, "run_id": made.stored_run, "name": f"trace {trace_id}",
        "rank": made.first_rank + rank,
        "host_name": made.hosts[rank], "format": "kineto", "importer": "kineto",
        "importer_version": 1, "tw_version": "0", "imported_at": "2024-01-01",
        "base_ns": recording.base, "source_base_ns": 0, "clock_id": trace_id << 32,
        "kind": "timeline", "start_ts": 0,
        "end_ts": int(made.clock(rank, recording.ops[-1].end)) - recording.base,
    })  # fmt: skip
    tables["clock"].append({"id": trace_id << 32, "trace_id": trace_id, "name": "host"})
    tables["collective"] += [_collective(made, recording, op) for op in recording.ops]
    if made.has_steps:
        _add_steps(tables, made, recording)


def _collective(made: Program, recording: Recording, op: Op) -> dict[str, Any]:
    call = made.calls[op.instance]
    start = int(made.clock(op.rank, op.start)) - recording.base
    end = int(made.clock(op.rank, op.end)) - recording.base
    kind, peer = call.kind, None
    if kind == "pair":
        kind, peer = ("send", 1) if op.rank == call.group[0] else ("recv", 0)
    is_bare = made.numbers == "bare"
    return {
        "slice_id": made.slice_id(recording, op), "trace_id": recording.trace_id,
        "track_id": recording.trace_id << 32, "ts": start, "dur": end - start,
        "name": f"ncclDevKernel_{kind}", "side": "device", "kind": kind, "peer_rank": peer,
        "group_name": None if is_bare else made.name_of.get((op.rank, call.group), "1"),
        "data_type": None if is_bare else "Float",
        "group_ranks_json": None if is_bare else str([made.first_rank + r for r in call.group]),
        "sequence_number": made.number_of[op.instance] if made.numbers == "numbered" else None,
        "n_input_elements": None if is_bare else call.n_elements,
        "input_bytes": None if is_bare else 4 * call.n_elements,
    }  # fmt: skip


def _add_steps(
    tables: dict[str, list[dict[str, Any]]], made: Program, recording: Recording
) -> None:
    """Steps of which an operation was recorded, and links to these operations."""
    trace_id, rank = recording.trace_id, recording.rank
    ids = {}
    for number in sorted({op.step for op in recording.ops}):
        begin, end = (int(made.clock(rank, t)) - recording.base for t in made.steps[rank][number])
        ids[number] = (trace_id << 32) + 1_000_000 + number
        tables["step"].append({
            "slice_id": ids[number], "trace_id": trace_id, "track_id": trace_id << 32, "ts": begin,
            "dur": end - begin, "name": f"ProfilerStep#{number}", "number": number,
        })  # fmt: skip
    for n, op in enumerate(recording.ops):
        tables["link"].append({
            "id": (trace_id << 32) + n, "trace_id": trace_id, "run_id": made.stored_run,
            "from_id": ids[op.step], "to_id": made.slice_id(recording, op), "kind": "step",
            "rule": "launch", "confidence": 1.0, "link_set": "default", "query": "link_step",
            "query_version": 1,
        })  # fmt: skip


# --- judging


def false_links(made: Program, links: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Links whose ends are not the same collective on two ranks."""
    ranks = {recording.trace_id: recording.rank for recording in made.recordings}
    return [
        (a, b) for a, b in links
        if a & 0xFFFFFFFF != b & 0xFFFFFFFF or ranks[a >> 32] == ranks[b >> 32]
    ]  # fmt: skip


def true_links(made: Program) -> int:
    """Number of links that join every operation to that of the lowest rank."""
    n_ranks: dict[int, set[int]] = {}
    for recording in made.recordings:
        for op in recording.ops:
            n_ranks.setdefault(op.instance, set()).add(recording.rank)
    return sum(len(ranks) - 1 for ranks in n_ranks.values())


#: hub and other trace, begin and end since the base of the other, and the bounds at each.
Interval = tuple[int, int, int, int, int | None, int | None, int | None, int | None]


def broken_intervals(made: Program, intervals: Iterable[Interval]) -> list[Interval]:
    """Bounds of the difference of two clocks that the true difference is outside of."""
    of = {recording.trace_id: recording for recording in made.recordings}
    found = []
    for each in intervals:
        hub, other = of[each[0]].rank, of[each[1]]
        for at, lower, upper in ((each[2], each[4], each[5]), (each[3], each[6], each[7])):
            shown = other.base + at
            true_ns = (shown - made.offsets[other.rank]) / (1 + made.drifts[other.rank])
            apart = made.clock(hub, true_ns) - shown
            if (lower is not None and apart < lower - 2) or (
                upper is not None and apart > upper + 2
            ):
                found.append(each)
    return found


#: offset_ns, uncertainty_ns, method and drift of a clock.
Clock = tuple[int | None, int | None, str | None, float | None]


def broken_bounds(made: Program, clocks: dict[int, Clock]) -> list[tuple[int, float, int]]:
    """(trace, error, uncertainty) of clocks that are off by more than stated, at any operation."""
    reference = next((r for r in made.recordings if clocks[r.trace_id][2] == "reference"), None)
    found = []
    for recording in made.recordings:
        offset, uncertainty, _, drift = clocks[recording.trace_id]
        if offset is None or uncertainty is None or reference is None:
            continue
        off = 0.0
        for op in (recording.ops[0], recording.ops[-1]):
            for true_ns in (op.start, op.end):
                shown = made.clock(recording.rank, true_ns)
                aligned = shown + offset + Fraction(drift or 0) * (shown - recording.base)
                off = max(off, abs(float(aligned - made.clock(reference.rank, true_ns))))
        if off > uncertainty + 3:  # stored times are whole nanoseconds
            found.append((recording.trace_id, off, uncertainty))
    return found
