"""Random programs on GPUs as profilers record them, with the truth about each operation known.

A program has several processes, each with threads, contexts and streams of its own. Their numbers
repeat: every process counts correlation ids from 1 and numbers contexts and streams alike. Streams
execute in order. Some processes were recorded without their calls, some without records of waits,
some use an id again. `simulate(seeds)` gives one recording of the programs of all seeds.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

START_NS = 1_000_000
STREAMS = (7, 13, 14)
KERNELS = ("gemm", "relu", "ncclDevKernel_AllReduce_Sum_f32_RING_LL")
ROCTX = 2  # the domain of all markers of ROCm
_N_WRAPPED = 12  # ids of a process that uses them again


@dataclass(frozen=True)
class Stream:
    pid: int
    device: int
    context: int
    number: int


@dataclass(eq=False)
class Call:
    """A call of the runtime; `waits_for`: the streams whose earlier work it waits for."""

    pid: int
    tid: int
    name: str
    start: int
    end: int
    correlation: int
    is_recorded: bool = True
    waits_for: tuple[Stream, ...] = ()
    wait_kind: str | None = None  # stream, device; None: it does not wait
    has_record: bool = False


@dataclass(eq=False)
class Work:
    stream: Stream
    kind: str  # kernel, memcpy, memset, graph
    name: str
    start: int
    end: int
    call: Call
    graph: int | None = None
    direction: int | None = None
    is_pageable: bool = False


@dataclass(eq=False)
class Range:
    """A range of NVTX; `end` is None if it never ended, `end_tid` the thread that ended it."""

    pid: int
    tid: int
    name: str
    domain: int
    style: str  # push_pop, start_end
    start: int
    end: int | None = None
    end_tid: int | None = None


@dataclass(eq=False)
class Overhead:
    pid: int
    tid: int
    name: str
    start: int
    end: int


@dataclass
class Profile:
    calls: list[Call] = field(default_factory=list)
    works: list[Work] = field(default_factory=list)
    ranges: list[Range] = field(default_factory=list)
    overheads: list[Overhead] = field(default_factory=list)

    @property
    def recorded_calls(self) -> list[Call]:
        return [call for call in self.calls if call.is_recorded]

    def first_ns(self, is_rocm: bool) -> int:
        """The first time that was recorded; ROCm records no overhead."""
        starts = [call.start for call in self.recorded_calls]
        starts += [work.start for work in self.works] + [each.start for each in self.ranges]
        return min(starts + ([] if is_rocm else [each.start for each in self.overheads]))


def simulate(seeds: Iterable[int], n_actions: int = 24, is_rocm: bool = False) -> Profile:
    """One recording of the programs of all seeds, whose processes run at the same time."""
    profile = Profile()
    for n, seed in enumerate(seeds):
        source = random.Random(seed)
        for process in range(source.randint(1, 3)):
            _Process(profile, source, 100 * (n + 1) + process, is_rocm).run(n_actions)
    return profile


class _Process:
    """Threads act in the order of their clocks, so that streams see launches in order."""

    def __init__(self, profile: Profile, source: random.Random, pid: int, is_rocm: bool) -> None:
        self.profile, self.source, self.pid, self.is_rocm = profile, source, pid, is_rocm
        self.has_calls = source.random() < 0.8
        self.has_records = source.random() < 0.6
        self.is_wrapped = source.random() < 0.2
        self.tids = [pid, pid + 50_000][: source.randint(1, 2)]
        self.clocks = {tid: START_NS + source.randrange(3_000) for tid in self.tids}
        contexts = [(1, 0), (2, source.randrange(2))][: 1 if is_rocm else source.randint(1, 2)]
        self.streams = [
            Stream(pid, device, context, number)
            for context, device in contexts
            for number in STREAMS[: source.randint(1, 3)]
        ]
        self.free: dict[Stream, int] = {}
        self.n_calls = 0
        self.open: dict[tuple[int, int], list[Range]] = {}

    def run(self, n_actions: int) -> None:
        for _ in range(n_actions):
            tid = min(self.tids, key=self.clocks.__getitem__)
            self.clocks[tid] += self.source.randint(1, 400)
            self.source.choice(
                (self.launch, self.launch, self.copy, self.graph, self.wait, self.push, self.pop,
                 self.start_end, self.around_a_call, self.overhead)
            )(tid)  # fmt: skip
        for (tid, _), stack in self.open.items():
            while stack:
                self._advance(tid)
                self._end(stack.pop(), tid)

    def _advance(self, tid: int) -> int:
        self.clocks[tid] += self.source.randint(1, 60)
        return self.clocks[tid]

    def _call(self, tid: int, name: str, dur: int = 0) -> Call:
        start = self._advance(tid)
        self.n_calls += 1
        n = (self.n_calls - 1) % _N_WRAPPED + 1 if self.is_wrapped else self.n_calls
        is_recorded = self.has_calls and self.source.random() > 0.05
        end = start + (dur or self.source.randint(2, 60))
        call = Call(self.pid, tid, name, start, end, n, is_recorded)
        self.clocks[tid] = end
        self.profile.calls.append(call)
        return call

    def _execute(self, call: Call, stream: Stream, kind: str, name: str) -> Work:
        begin = max(self.free.get(stream, 0), call.start + self.source.randint(1, 300))
        end = begin + self.source.randint(1, 500)
        self.free[stream] = end + self.source.choice((0, 0, 1, 700))
        work = Work(stream, kind, name, begin, end, call)
        self.profile.works.append(work)
        return work

    def launch(self, tid: int) -> None:
        name = "hipLaunchKernel" if self.is_rocm else "cudaLaunchKernel_v7000"
        stream = self.source.choice(self.streams)
        self._execute(self._call(tid, name), stream, "kernel", self.source.choice(KERNELS))

    def copy(self, tid: int) -> None:
        """Asynchronous copies, copies that the call waits for, and memsets."""
        stream = self.source.choice(self.streams)
        if self.is_rocm:  # copies have streams of their own
            stream = replace(stream, number=stream.number + 100)
        prefix = "hip" if self.is_rocm else "cuda"
        if not self.is_rocm and self.source.random() < 0.3:
            self._execute(self._call(tid, "cudaMemsetAsync_v3020"), stream, "memset", "Memset")
            return
        is_blocking = self.source.random() < 0.4
        suffix = "" if self.is_rocm else "_v3020"
        call = self._call(tid, prefix + "Memcpy" + ("" if is_blocking else "Async") + suffix)
        work = self._execute(call, stream, "memcpy", "Memcpy")
        work.direction = self.source.choice((1, 2, 8) if self.is_rocm else (0, 1, 2, 8))
        work.is_pageable = work.direction == 2 and not self.is_rocm and self.source.random() < 0.5
        if is_blocking:
            call.end = max(call.end, work.end + self.source.randint(0, 20))
            self.clocks[tid] = call.end

    def graph(self, tid: int) -> None:
        """Several kernels of one call, or a graph of which only the whole was recorded."""
        call = self._call(tid, "hipGraphLaunch" if self.is_rocm else "cudaGraphLaunch_v10000")
        stream = self.source.choice(self.streams)
        if not self.is_rocm and self.source.random() < 0.2:
            self._execute(call, stream, "graph", "CUDA graph 5").graph = 5
            return
        for _ in range(self.source.randint(2, 4)):
            self._execute(call, stream, "kernel", self.source.choice(KERNELS)).graph = 5

    def wait(self, tid: int) -> None:
        """A call that returns when a stream, or all streams of a context, are done."""
        target = self.source.choice(self.streams)
        is_stream = self.source.random() < 0.5
        prefix, suffix = ("hip", "") if self.is_rocm else ("cuda", "_v3020")
        kind = "Stream" if is_stream else "Device"
        call = self._call(tid, f"{prefix}{kind}Synchronize{suffix}")
        call.wait_kind = kind.lower()
        call.waits_for = tuple(
            each for each in self.streams
            if each == target or (not is_stream and each.context == target.context)
        )  # fmt: skip
        done = [self.free[each] for each in call.waits_for if each in self.free]
        call.end = max([call.end, *done]) + self.source.randint(0, 20)
        call.has_record = self.has_records and not self.is_rocm and call.is_recorded
        self.clocks[tid] = call.end

    def push(self, tid: int) -> None:
        """Each domain has a stack of its own, so ranges of two domains may cross."""
        domain = ROCTX if self.is_rocm else self.source.randrange(2)
        name = self.source.choice(("step", "layer", "op"))
        start = self._advance(tid)
        pushed = Range(self.pid, tid, name, domain, "push_pop", start)
        self.open.setdefault((tid, domain), []).append(pushed)

    def pop(self, tid: int) -> None:
        stacks = [stack for (thread, _), stack in self.open.items() if thread == tid and stack]
        if stacks:
            self._advance(tid)
            self._end(self.source.choice(stacks).pop(), tid)

    def _end(self, ended: Range, tid: int) -> None:
        ended.end = self.clocks[tid]
        if not self.is_rocm and self.source.random() < 0.05:
            ended.end = None
        self.profile.ranges.append(ended)

    def start_end(self, tid: int) -> None:
        """A range that may end on another thread, and with work of any thread meanwhile."""
        if self.is_rocm:
            return
        begun = Range(self.pid, tid, "async", 0, "start_end", self._advance(tid))
        self.source.choice((self.launch, self.copy))(tid)
        begun.end = self._advance(tid) + self.source.choice((0, 0, 500))
        if len(self.tids) > 1 and self.source.random() < 0.3:
            begun.end_tid = next(each for each in self.tids if each != tid)
        self.profile.ranges.append(begun)

    def around_a_call(self, tid: int) -> None:
        """A range that begins and ends with a call, as instrumented libraries write them."""
        n_before = len(self.profile.calls)
        self.launch(tid)
        call = self.profile.calls[n_before]
        domain = ROCTX if self.is_rocm else 0
        self.profile.ranges.append(
            Range(self.pid, tid, "call", domain, "push_pop", call.start, call.end)
        )

    def overhead(self, tid: int) -> None:
        name = self.source.choice(("CUDA profiling overhead", "Buffer flush"))
        start = self._advance(tid)
        end = start + self.source.randint(1, 300)
        self.profile.overheads.append(Overhead(self.pid, tid, name, start, end))
        self.clocks[tid] = end
