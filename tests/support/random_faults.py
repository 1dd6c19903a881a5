"""Random programs with one fault each: they run with and without it, so its cost is known."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.support.random_program import COMPUTE, COPY
from tests.support.randomtrace import RandomTrace, make_job

#: A machine whose latencies are constant, and a program without waits, loaders and copies.
CONSTANT = {"launch_ns": 9500, "gap_ns": 700, "tail_ns": 900}
CLEAN = {"odd": False, "loader": False, "memory": False, "python": False, "operators": 2,
         "syncs": False, "copies": False}  # fmt: skip
LOADER = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
Fault = Callable[[Any, Any, int, str], None]
Change = Callable[[str, str, float], float]


@dataclass(frozen=True)
class Kind:
    """A kind of fault: the finding that names it, and what it does to the program."""

    finding: str
    fault: Callable[[int], Fault] | None = None  # from a length in ns
    change: Callable[[int], Change] | None = None  # from a factor
    ranks: int = 1
    ratio: int = 60


def _at(place: str) -> Callable[[Callable[[Any, Any, int], None]], Fault]:
    def only(do: Callable[[Any, Any, int], None]) -> Fault:
        return lambda program, thread, n, where: do(program, thread, n) if where == place else None

    return only


def _loading(ns: int) -> Fault:
    @_at("begin")
    def load(program: Any, thread: Any, n: int) -> None:
        with program.annotation(thread, LOADER):
            thread.now += ns

    return load


def _host_code(ns: int) -> Fault:
    @_at("forward")
    def compute(program: Any, thread: Any, n: int) -> None:
        with program.operator(thread, "my::postprocess"):
            thread.now += ns

    return compute


def _annotated(ns: int) -> Fault:
    """Between the forward and the backward pass, which another thread runs."""

    @_at("forward")
    def compute(program: Any, thread: Any, n: int) -> None:
        with program.annotation(thread, "loss"):
            thread.now += ns

    return compute


def _allocation(ns: int) -> Fault:
    @_at("forward")
    def allocate(program: Any, thread: Any, n: int) -> None:
        with program.operator(thread, "aten::empty"):
            program.call(thread, "cudaMalloc", ns)

    return allocate


def _waits(ns: int) -> Fault:
    @_at("forward")
    def wait(program: Any, thread: Any, n: int) -> None:
        with program.operator(thread, "my::check"):
            call = program.call(thread, "cudaStreamSynchronize", 1000)
            program.wait_until(thread, call, program.free[0, COMPUTE])
            program.record("Stream Sync", call, 0, COMPUTE)

    return wait


def _copies(ns: int) -> Fault:
    @_at("begin")
    def copy(program: Any, thread: Any, n: int) -> None:
        for _ in range(4):
            call = program.call(thread, "cudaMemcpy", 2000, is_launch=True)
            made = program.work(call, "gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 0, COPY,
                                ns // 4, bytes=ns)  # fmt: skip
            program.wait_until(thread, call, made["ts"] + made["dur"])

    return copy


def _slow_rank(ns: int) -> Fault:
    @_at("begin")
    def compute(program: Any, thread: Any, n: int) -> None:
        if program.rank == 1:
            thread.now += ns

    return compute


def _outlier(ns: int) -> Fault:
    @_at("begin")
    def pause(program: Any, thread: Any, n: int) -> None:
        if n == 1:
            thread.now += 3 * ns

    return pause


def _recompilation(ns: int) -> Fault:
    """In one step, with the names that TorchDynamo records."""

    @_at("begin")
    def recompile(program: Any, thread: Any, n: int) -> None:
        if n == 1:
            with (
                program.operator(thread, "dynamo"),
                program.operator(thread, "_compile.compile_inner (dynamo_timed)"),
            ):
                thread.now += 3 * ns

    return recompile


def _slow_launches(ratio: int) -> Change:
    return lambda cat, name, dur: dur * ratio if cat == "launch" else dur


def _slow_network(ratio: int) -> Change:
    return lambda cat, name, dur: (
        dur * ratio if cat == "kernel" and name.startswith("nccl") else dur
    )


KINDS = {
    "loader": Kind("data_loading", _loading),
    "host code": Kind("host_code", _host_code),
    "annotated": Kind("host_code", _annotated),
    "allocation": Kind("allocation", _allocation),
    "waits": Kind("synchronization", _waits),
    "copies": Kind("copy", _copies),
    "slow rank": Kind("straggler", _slow_rank, ranks=2),
    "recompilation": Kind("recompilation", _recompilation),
    "outlier": Kind("outlier_step", _outlier),
    "launches": Kind("launch_bound", change=_slow_launches),
    "network": Kind("exposed_communication", change=_slow_network, ratio=600),
}


def _kernels_of(seed: int) -> Change:
    """Kernels so long that the devices set the pace."""
    ratio = random.Random(f"kernels {seed}").randint(20, 40)
    return lambda cat, name, dur: (
        dur * ratio if cat == "kernel" and not name.startswith("nccl") else dur
    )


def clean(seed: int, ranks: int = 1, **knobs: Any) -> list[RandomTrace]:
    """A program that the devices pace, without faults; of several ranks, which are equally fast."""
    settings = CLEAN | CONSTANT | {"change": _kernels_of(seed), "devices": 1}
    (one,) = make_job(seed, ranks=1, **settings)
    return make_job(seed, ranks=ranks, lengths=[one.lengths] * ranks, **settings | knobs)


def faulty(seed: int, kind: str) -> tuple[list[RandomTrace], list[RandomTrace]]:
    """The program without the fault and with it."""
    chosen, whole = KINDS[kind], clean(seed, KINDS[kind].ranks)
    if chosen.fault is not None:
        return whole, clean(seed, chosen.ranks, fault=chosen.fault(makespan_ns(whole) // 2))
    assert chosen.change is not None
    base, more = _kernels_of(seed), chosen.change(chosen.ratio)
    return whole, clean(
        seed, chosen.ranks, change=lambda cat, name, dur: more(cat, name, base(cat, name, dur))
    )


def repairable(seed: int, kind: str) -> tuple[list[RandomTrace], list[RandomTrace]]:
    """A program of any sort with the fault, and the same of which its change is made.

    Other than `faulty`, it may wait, copy, use several devices and replay graphs, and whatever a
    change removes is gone: what slices of a fault last, copies with their calls, the cost of
    launches and of the network.
    """
    chosen, choice = KINDS[kind], random.Random(f"repairable {kind} {seed}")
    ratio, knobs = choice.choice([1, 1, 5, 30]), _any_knobs(kind, choice)

    def base(cat: str, name: str, dur: float) -> float:
        return dur * ratio if cat == "kernel" and not name.startswith("nccl") else dur

    if chosen.fault is None:
        assert chosen.change is not None
        more, gone = chosen.change(chosen.ratio // choice.randint(2, 20)), _GONE[kind]

        def longer(cat: str, name: str, dur: float) -> float:
            return more(cat, name, base(cat, name, dur))

        def none(cat: str, name: str, dur: float) -> float:
            return 0 if gone(cat, name) else base(cat, name, dur)

        return make_job(seed, **knobs, change=longer), make_job(seed, **knobs, change=none)
    length = choice.randint(1000, makespan_ns(make_job(seed, **knobs, change=base)))
    before = make_job(seed, **knobs, change=base, fault=chosen.fault(length))
    rest: dict[str, Any] = {}
    if kind in _SLICES:
        rest = {"fault": _instant(chosen.fault(length), _SLICES[kind])}
    elif kind == "outlier":  # no shorter than the others: three times the length is added
        rest = {"fault": chosen.fault(max(length - math.floor(_excess_ns(before[0]) / 3), 0))}
    return before, make_job(seed, **knobs, change=base, **rest)


def _any_knobs(kind: str, choice: random.Random) -> dict[str, Any]:
    knobs: dict[str, Any] = {
        "odd": False, "loader": False, "memory": False, "python": False, "ranks": KINDS[kind].ranks,
        "operators": choice.randint(1, 3), "devices": choice.randint(1, 2),
        "syncs": choice.random() < 0.6, "copies": choice.random() < 0.6,
        "backward": choice.random() < 0.8,
        "collectives": choice.random() < 0.8 or kind in ("network", "slow rank"),
    }  # fmt: skip
    return knobs | (CONSTANT if choice.random() < 0.5 else {})


def _excess_ns(trace: RandomTrace) -> float:
    """The time by which the second of three steps exceeds the median."""
    steps = [each.dur for each in trace.slices if each.name.startswith("ProfilerStep#")]
    host = steps[: trace.knobs.steps]
    return max(host[1] - statistics.median(host), 0)


#: What changes of a kind remove: slices of the host, or all of one category.
_SLICES = {
    "loader": LOADER,
    "host code": "my::postprocess",
    "annotated": "loss",
    "allocation": "cudaMalloc",
    "recompilation": "dynamo",
    "waits": "cudaStreamSynchronize",
    "copies": "cudaMemcpy",
}
_GONE: dict[str, Callable[[str, str], bool]] = {
    "launches": lambda cat, name: cat in ("launch", "latency"),
    "network": lambda cat, name: cat == "kernel" and name.startswith("nccl"),
}


def _instant(fault: Fault, name: str) -> Fault:
    """The same of which slices of that name take no time, without waiting and work of devices."""

    def do(program: Any, thread: Any, n: int, where: str) -> None:
        n_events, n_works, free = len(program.events), len(program.device_events), {**program.free}
        fault(program, thread, n, where)
        thread.now -= sum(each["dur"] for each in program.events[n_events:] if each["name"] == name)
        program.free.clear()
        program.free.update(free)
        del program.device_events[n_works:]

    return do


def makespan_ns(job: list[RandomTrace]) -> int:
    """From the first start to the last end of host and device, on the slowest rank."""
    return int(max(_extent(trace) for trace in job))


def _extent(trace: RandomTrace) -> float:
    calls = trace.of("cpu_op", "cuda_runtime", "cuda_driver")
    threads = {each.tid for each in calls}
    host = [each for each in trace.slices if each.pid == 4242 and each.tid in threads]
    taking = [*host, *trace.device_work]
    return max(e.end for e in taking) - min(e.ts for e in taking)
