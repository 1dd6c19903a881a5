"""Pairs of recordings of one simulated program with one known change, and the true differences.

A program is a list of operators, each with the kernels it launches in a step and their lengths. Its
recording is a Kineto document: the host runs ahead of the device, which works in order. A `Change`
alters the program of side B, a `Recorder` only what the profiler wrote of it. The true figures of a
step follow from the program, not from the recording; `imported` imports many pairs at once.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from warehouse.ingest import pipeline
from warehouse.ingest.pipeline import Options

Event = dict[str, Any]
EPOCH_US = 1_790_857_026_000_000
PID, THREAD, STREAM = 4242, 4242, 7
COPY = "Memcpy HtoD (Pinned -> Device)"
ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
_LAUNCH_NS, _CALL_NS, _GAP_NS, _TRANSFER_NS = 1_500, 4_000, 3_000, 20_000


@dataclass(frozen=True)
class Kernel:
    """Work of an operator in one step; `ns` is its length without noise."""

    name: str
    ns: int
    kind: str = "kernel"


@dataclass(frozen=True)
class Operator:
    """A call of the host with the work it launches."""

    name: str
    kernels: tuple[Kernel, ...]
    inner: tuple[Operator, ...] = ()


@dataclass(frozen=True)
class Program:
    """Operators of every step, and how many steps and ranks run."""

    operators: tuple[Operator, ...]
    n_steps: int = 8
    n_ranks: int = 1
    noise: float = 0.0  # standard deviation of a kernel's length, relative
    seed: int = 0
    slow_ranks: Mapping[int, float] = field(default_factory=dict)  # factor of the work of a rank
    first_step: int = 3


@dataclass(frozen=True)
class Recorder:
    """Settings of the profiler, and what it lost."""

    has_frames: bool = False
    has_runtime: bool = True
    has_device: bool = True
    has_operators: bool = True
    has_steps: bool = True
    unannotated: frozenset[int] = frozenset()  # steps whose annotation is missing, from 0
    begins_in_step: float = 0.0  # part of the first step before the recording, which has no record
    ends_in_step: float = 1.0  # part of the last step whose device work is recorded
    n_warm_up: int = 0  # steps before those of the program, without annotation
    is_shuffled: bool = False
    has_base: bool = False  # whether times count from a base in nanoseconds in the header
    negative: int = 0  # kernels written with a negative duration


@dataclass(frozen=True)
class Change:
    """What side B does otherwise, and the true difference of a step by name of the work."""

    program: Program
    first: str  # part of the name that the first row must have, on either side
    difference_ns: float  # of that row, a step and rank, without noise
    also: tuple[str, ...] = ()  # names whose difference is as large, but for noise

    def may_be_first(self, row: Mapping[str, Any]) -> bool:
        return any(each in f"{row['name_a']} {row['name_b']}" for each in (self.first, *self.also))


def work(program: Program) -> Iterable[tuple[Operator, Kernel]]:
    """All work of a step, with its innermost operator."""
    stack = list(program.operators)
    while stack:
        each = stack.pop(0)
        stack = [*each.inner, *stack]
        yield from ((each, kernel) for kernel in each.kernels)


def random_program(seed: int, **fields: Any) -> Program:
    """A program of 4 to 8 operators with 1 to 3 kernels each, of which one is nested."""
    rng = random.Random(seed)
    operators = []
    for n in range(rng.randint(4, 8)):
        kernels = tuple(
            Kernel(f"void kernel_{n}_{k}<float>(float*, int)", rng.randint(20, 200) * 1_000)
            for k in range(rng.randint(1, 3))
        )
        inner = (Operator(f"aten::inner_{n}", kernels[1:]),) if len(kernels) > 1 else ()
        operators.append(Operator(f"aten::op_{n}", kernels[:1], inner))
    copy = Operator("aten::copy_", (Kernel(COPY, rng.randint(20, 60) * 1_000, "gpu_memcpy"),))
    gemms = Operator(
        "aten::mm",
        (Kernel("ampere_sgemm_128x64_tn", 90_000), Kernel("ampere_sgemm_64x64_tn", 70_000)),
    )
    everything = (*operators, gemms, copy)
    return Program(everything, seed=seed, **{"n_steps": rng.randint(5, 10), **fields})


# --- changes


def _mapped(program: Program, alter: Callable[[Operator], Operator]) -> Program:
    def each(operator: Operator) -> Operator:
        return replace(alter(operator), inner=tuple(map(each, operator.inner)))

    return replace(program, operators=tuple(map(each, program.operators)))


def _with_kernels(
    program: Program, alter: Callable[[Operator, Kernel], Sequence[Kernel]]
) -> Program:
    return _mapped(
        program,
        lambda operator: replace(
            operator, kernels=tuple(k for each in operator.kernels for k in alter(operator, each))
        ),
    )


def _chosen(program: Program, seed: int) -> Kernel:
    kernels = [kernel for _, kernel in work(program) if kernel.name.startswith("void kernel")]
    return random.Random(f"chosen {seed}").choice(kernels)


def longer(program: Program, ratio: float) -> Change:
    """One kernel takes that much longer."""
    chosen = _chosen(program, program.seed)
    grown = replace(chosen, ns=round(chosen.ns * (1 + ratio)))
    changed = _with_kernels(program, lambda _, k: [grown if k == chosen else k])
    return Change(changed, chosen.name, grown.ns - chosen.ns)


def called_twice(program: Program) -> Change:
    chosen = _chosen(program, program.seed)
    changed = _with_kernels(program, lambda _, k: [k, k] if k == chosen else [k])
    return Change(changed, chosen.name, chosen.ns)


def replaced(program: Program) -> Change:
    """Another kernel takes half as long again, of the same operator."""
    chosen = _chosen(program, program.seed)
    other = Kernel("triton_poi_fused_0", chosen.ns + chosen.ns // 2)
    changed = _with_kernels(program, lambda _, k: [other if k == chosen else k])
    return Change(changed, "triton_poi_fused_0", other.ns - chosen.ns)


def other_type(program: Program) -> Change:
    """The parameters of a kernel are of another type, its template's are not."""
    chosen = _chosen(program, program.seed)
    name = chosen.name.replace("(float*", "(__nv_bfloat16*")
    other = Kernel(name, chosen.ns * 2)
    changed = _with_kernels(program, lambda _, k: [other if k == chosen else k])
    return Change(changed, name, chosen.ns)


def other_memory(program: Program) -> Change:
    """The copies are no longer from pinned memory and take three times as long."""
    name = COPY.replace("Pinned", "Pageable")
    (ns,) = [kernel.ns for _, kernel in work(program) if kernel.name == COPY]
    changed = _with_kernels(
        program, lambda _, k: [Kernel(name, 3 * ns, k.kind) if k.name == COPY else k]
    )
    return Change(changed, name, 2 * ns)


def other_tiles(program: Program) -> Change:
    """Both kernels of one operator are replaced, in one go."""
    names = {"ampere_sgemm_128x64_tn": "sm80_xmma_128x128_v1", "ampere_sgemm_64x64_tn":
             "sm80_xmma_64x32_v2"}  # fmt: skip
    changed = _with_kernels(
        program,
        lambda _, k: [Kernel(names[k.name], k.ns + 30_000) if k.name in names else k],
    )
    return Change(changed, "sm80_xmma_128x128_v1", 60_000)


def split(program: Program) -> Change:
    """One kernel is split in two, which take twice as long together."""
    chosen = _chosen(program, program.seed)
    parts = [Kernel("part_one", chosen.ns), Kernel("part_two", chosen.ns)]
    changed = _with_kernels(program, lambda _, k: parts if k == chosen else [k])
    return Change(changed, "part_one", chosen.ns)


def other_steps(program: Program) -> Change:
    """A kernel takes a fifth longer, and fewer steps are recorded."""
    made = longer(program, 0.2)
    n_steps = max(program.n_steps - 1 - program.seed % 4, 2)
    return replace(made, program=replace(made.program, n_steps=n_steps))


def other_ranks(program: Program) -> Change:
    """A kernel takes a fifth longer, and one rank more is recorded."""
    made = longer(program, 0.2)
    return replace(made, program=replace(made.program, n_ranks=program.n_ranks + 1))


def batch_twice(program: Program) -> Change:
    """All kernels take twice as long; the longest changes most."""
    longest = Counter[str]()
    for _, kernel in work(program):
        longest[kernel.name] += kernel.ns
    ((name, ns), *others) = longest.most_common()
    changed = _with_kernels(program, lambda _, k: [replace(k, ns=2 * k.ns)])
    ties = tuple(each for each, other_ns in others if other_ns >= ns * (1 - 4 * program.noise))
    return Change(changed, name, ns, ties)


CHANGES: Mapping[str, Callable[[Program], Change]] = {
    "2-percent": lambda p: longer(p, 0.02),
    "5-percent": lambda p: longer(p, 0.05),
    "20-percent": lambda p: longer(p, 0.2),
    "called-twice": called_twice,
    "replaced": replaced,
    "other-type": other_type,
    "other-memory": other_memory,
    "other-tiles": other_tiles,
    "split": split,
    "other-steps": other_steps,
    "batch-twice": batch_twice,
}
#: Changes of programs of several ranks.
RANK_CHANGES: Mapping[str, Callable[[Program], Change]] = {"other-ranks": other_ranks}
#: Settings of the profiler that change nothing of the program.
SETTINGS: Mapping[str, Recorder] = {
    "frames": Recorder(has_frames=True),
    "no-calls": Recorder(has_runtime=False),
    "no-work": Recorder(has_device=False),
    "no-operators": Recorder(has_operators=False),
    "no-steps": Recorder(has_steps=False),
    "unannotated": Recorder(unannotated=frozenset({1})),
    "cut": Recorder(begins_in_step=0.4),
    "ended": Recorder(ends_in_step=0.5),
    "warm-up": Recorder(n_warm_up=3),
    "shuffled": Recorder(is_shuffled=True),
    "base": Recorder(has_base=True),
}


# --- recordings


class _Recording:
    """One rank's document in the making; times are nanoseconds from the run's start."""

    def __init__(self, program: Program, rank: int, recorder: Recorder, noise: random.Random):
        self.program, self.rank, self.recorder, self.noise = program, rank, recorder, noise
        self.events: list[Event] = []
        self.now = self.free = 0  # of the host and of the device
        self.n_correlations = 0
        self.arrivals: list[int] = []  # at the all_reduce of each step
        self.waits: list[int] = []  # until the last rank is there

    def slice(self, cat: str, name: str, ts: int, dur: int, **args: Any) -> Event:
        made = {"ph": "X", "cat": cat, "name": name, "pid": PID, "tid": THREAD, "ts": ts,
                "dur": dur, "args": args}  # fmt: skip
        self.events.append(made)
        return made

    def step(self, number: int, is_annotated: bool, waits: Sequence[int]) -> None:
        begin = self.now
        for operator in self.program.operators:
            self.operator(operator)
        if self.program.n_ranks > 1:
            self.all_reduce(waits[len(self.arrivals)] if waits else 0)
        self.now += _CALL_NS
        if is_annotated:
            self.slice("user_annotation", f"ProfilerStep#{number}", begin, self.now - begin)
        self.now += _GAP_NS

    def operator(self, operator: Operator) -> None:
        begin = self.now
        self.now += _CALL_NS
        for kernel in operator.kernels:
            self.launch(self.length(kernel), kernel)
        for inner in operator.inner:
            self.within_frame(inner)
        self.now += _CALL_NS
        if self.recorder.has_operators:
            self.slice("cpu_op", operator.name, begin, self.now - begin)

    def within_frame(self, inner: Operator) -> None:
        begin, self.now = self.now, self.now + 300
        self.operator(inner)
        self.now += 300
        if self.recorder.has_frames:
            self.slice("python_function", "model.py(1): forward", begin, self.now - begin,
                       **{"Python id": len(self.events) + 1})  # fmt: skip

    def length(self, kernel: Kernel) -> int:
        slow = self.program.slow_ranks.get(self.rank, 1.0) if kernel.kind == "kernel" else 1.0
        noisy = 1 + self.program.noise * self.noise.gauss(0, 1)
        return round(kernel.ns * slow * max(noisy, 0.1))

    def launch(self, ns: int, kernel: Kernel, **others: Any) -> None:
        self.n_correlations += 1
        names = {"correlation": self.n_correlations}
        name = "cudaLaunchKernel" if kernel.kind == "kernel" else "cudaMemcpyAsync"
        if self.recorder.has_runtime:
            self.slice("cuda_runtime", name, self.now, _LAUNCH_NS, **names)
        self.now += _LAUNCH_NS
        self.device(kernel.kind, kernel.name, ns, {**names, **others})

    def device(self, kind: str, name: str, ns: int, args: Event) -> None:
        start = max(self.now + 2_000, self.free)
        self.free = start + ns
        if self.recorder.has_device:
            made = self.slice(kind, name, start, ns, device=0, context=1, stream=STREAM, **args)
            made |= {"pid": 0, "tid": STREAM}

    def all_reduce(self, wait: int) -> None:
        self.arrivals.append(max(self.now + _LAUNCH_NS + 2_000, self.free))
        n_ranks, number = self.program.n_ranks, len(self.arrivals)
        self.launch(wait + _TRANSFER_NS, Kernel(ALL_REDUCE, 0), **{
            "Collective name": "allreduce", "In msg nelems": 1024, "Out msg nelems": 1024,
            "Group size": n_ranks, "dtype": "Float", "Process Group Name": "0",
            "Process Group Ranks": str(list(range(n_ranks))), "Seq": number,
        })  # fmt: skip
        # The optimizer waits for the gradients, so ranks stay together.
        self.now = max(self.now, self.free)

    def record(self, waits: Sequence[int]) -> list[Event]:
        self.events, self.arrivals, self.now, self.free = [], [], 0, 0
        self.n_correlations = 0
        n_all = self.recorder.n_warm_up + self.program.n_steps
        for n in range(n_all):
            place = n - self.recorder.n_warm_up
            is_annotated = (
                self.recorder.has_steps and place >= 0 and place not in self.recorder.unannotated
            )
            self.step(self.program.first_step + place, is_annotated, waits)
        return self.events


def all_events(program: Program, recorder: Recorder, speeds: int) -> list[list[Event]]:
    """The events of all ranks; `speeds` draws the noise."""

    def parts() -> list[_Recording]:
        return [
            _Recording(program, rank, recorder, random.Random(f"{speeds} {program.seed} {rank}"))
            for rank in range(program.n_ranks)
        ]

    waits: list[list[int]] = [[] for _ in range(program.n_ranks)]
    n_steps = program.n_steps + recorder.n_warm_up
    if program.n_ranks > 1:  # each step's wait follows from the arrivals of all before it
        for step in range(n_steps):
            made = parts()
            for each, mine in zip(made, waits, strict=True):
                each.record([*mine, *[0] * (n_steps - len(mine))])
            last = max(each.arrivals[step] for each in made)
            for each, mine in zip(made, waits, strict=True):
                mine.append(last - each.arrivals[step])
    return [each.record(mine) for each, mine in zip(parts(), waits, strict=True)]


def document(program: Program, rank: int, recorder: Recorder, made: list[Event]) -> Event:
    """The Kineto document of the events of a rank."""
    rng = random.Random(f"order {program.seed} {rank}")
    if recorder.begins_in_step:
        made = _cut(made, recorder.begins_in_step)
    if recorder.ends_in_step < 1:
        made = _cut_work(made, recorder.ends_in_step)
    if recorder.is_shuffled:
        made = rng.sample(made, len(made))
    for each in [each for each in made if each["cat"] == "kernel"][: recorder.negative]:
        each["dur"] = -5_000
    base_us = 0 if recorder.has_base else EPOCH_US
    written = [
        {**each, "ts": base_us + each["ts"] / 1_000, "dur": each["dur"] / 1_000} for each in made
    ]
    group = {"pg_name": "0", "pg_desc": "default_pg", "backend_config": "cuda:nccl",
             "pg_size": program.n_ranks, "ranks": list(range(program.n_ranks))}  # fmt: skip
    info = {"distributedInfo": {"backend": "nccl", "rank": rank, "world_size": program.n_ranks,
                                "pg_config": [group]}}  # fmt: skip
    header: Event = info if program.n_ranks > 1 else {}
    if recorder.has_base:
        header = {**header, "baseTimeNanoseconds": EPOCH_US * 1_000}
    return {"schemaVersion": 1, "displayTimeUnit": "ms", **header, "traceEvents": written}


def _cut(made: list[Event], part: float) -> list[Event]:
    """Without what began before that part of the first step, nor its annotation."""
    steps = [each for each in made if each["name"].startswith("ProfilerStep")]
    first = min(steps, key=lambda each: each["ts"])
    begin = first["ts"] + part * first["dur"]
    return [each for each in made if each["ts"] >= begin]


def _cut_work(made: list[Event], part: float) -> list[Event]:
    """Without the device work after that part of the last step's, as if the device was ahead."""
    work = sorted((e for e in made if e["tid"] == STREAM), key=lambda each: each["ts"])
    n_steps = sum(each["name"].startswith("ProfilerStep") for each in made)
    lost = work[len(work) - round(len(work) / n_steps * (1 - part)) :]
    return [each for each in made if not any(each is other for other in lost)]


def write(
    folder: Path, program: Program, recorder: Recorder | None = None, speeds: int = 0
) -> list[Path]:
    """Writes a document for each rank and returns their paths."""
    folder.mkdir(parents=True)
    recorder = recorder or Recorder()
    paths = []
    for rank, made in enumerate(all_events(program, recorder, speeds)):
        path = folder / f"rank-{rank}.json"
        # Files of equal content are imported once, so each names its run.
        named = {**document(program, rank, recorder, made), "traceName": folder.name}
        path.write_text(json.dumps(named))
        paths.append(path)
    return paths


Side = tuple[Program, Recorder]


def imported(db: Path, runs: Mapping[str, Side]) -> Path:
    """Imports a run for each side; the name of the run also draws its noise."""
    for n, (name, (program, recorder)) in enumerate(runs.items()):
        paths = write(db.parent / f"{db.stem}-{name}", program, recorder, n)
        outcomes = pipeline.import_paths(paths, db=db, options=Options(run=name, jobs=1))
        assert {each.status for each in outcomes} == {"imported"}, outcomes
    return db
