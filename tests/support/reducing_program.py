"""Plays a program that reduces gradients on threads of gloo, and knows what it waited for.

The main thread computes without a pause, calls a reduction for each bucket, and then copies the
buckets back one after another, each after its reduction. The reductions take the first thread that
is free. Times of the main thread are even, ends of reductions odd: no two of them are equal.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

MAIN, WORKERS = 100, (201, 202)
PID = 100


class Part(NamedTuple):
    """A part of the critical path: what a thread does, or why something began late."""

    start: int
    end: int
    kind: str
    tid: int


@dataclass
class Reduction:
    call_ns: int
    worker: int
    start: int
    end: int  # as recorded
    free_ns: int  # when its thread ended what it did before
    elements: int


@dataclass
class Step:
    start: int
    end: int
    reductions: list[Reduction]
    #: When the main thread went on after each reduction that it waited for, and the slice then.
    waits: dict[int, int]
    #: Start of the first copy of each bucket.
    copies: list[int]

    def path(self) -> list[Part]:
        """Walked backwards from the end."""
        found: list[Part] = []
        tid, now = MAIN, self.end
        while True:
            stops = [(at, n) for n, at in self.waits.items() if at <= now]
            begin, n = max(stops, default=(self.start, -1))
            found.append(Part(begin, now, "host", tid))
            if n < 0:
                break
            now = min(self.reductions[n].end, begin)
            found.append(Part(now, begin, "sync", tid))
            while True:
                each = self.reductions[n]
                found.append(Part(each.start, now, "host", each.worker))
                if each.free_ns <= each.call_ns:
                    break
                before = next(
                    m for m, other in enumerate(self.reductions)
                    if other.worker == each.worker and other.end == each.free_ns
                )  # fmt: skip
                found.append(Part(each.free_ns, each.start, "host", each.worker))
                n, now = before, each.free_ns
            found.append(Part(each.call_ns, each.start, "launch_delay", each.worker))
            now = each.call_ns
        return joined([part for part in reversed(found) if part.end > part.start])


def joined(parts: list[Part]) -> list[Part]:
    """Without cuts within what one thread does."""
    found: list[Part] = []
    for part in parts:
        last = found[-1] if found else None
        if last and part.kind == last.kind == "host" and part.tid == last.tid:
            found[-1] = last._replace(end=part.end)
        else:
            found.append(part)
    return found


@dataclass
class Program:
    seed: int
    n_steps: int = 3
    steps: list[Step] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.random = random.Random(f"reductions {self.seed}")
        self.now = 1000
        self.free = dict.fromkeys(WORKERS, 0)
        for n in range(self.n_steps):
            self.step(n)

    def some(self, low: int, high: int) -> int:
        return 2 * self.random.randint(low // 2, high // 2)

    def event(self, name: str, tid: int, start: int, end: int, cat: str = "cpu_op",
              dims: Any = ()) -> None:  # fmt: skip
        args = {"Input Dims": list(dims)} if dims else {}
        made = {"ph": "X", "cat": cat, "name": name, "pid": PID, "tid": tid, "args": args}
        self.events.append(made | {"ts": start / 1000, "dur": (end - start) / 1000})

    def operator(self, name: str, dur: int, dims: Any = ()) -> int:
        start, self.now = self.now, self.now + dur
        self.event(name, MAIN, start, self.now, dims=dims)
        return start

    def step(self, number: int) -> None:
        start = self.now
        buckets = [
            [self.random.randint(1, 50) for _ in range(self.random.randint(1, 3))]
            for _ in range(self.random.randint(1, 5))
        ]
        reductions = []
        for bucket in buckets:
            for _ in range(self.random.randint(1, 3)):
                self.operator("aten::mm", self.some(20, 3000))
            reductions.append(self.reduce(sum(bucket)))
        waits: dict[int, int] = {}
        copies = []
        for n, (bucket, reduction) in enumerate(zip(buckets, reductions, strict=True)):
            copies.append(self.copy_back(n, bucket, reduction, waits))
        self.operator("aten::add_", self.some(20, 900))
        self.event(f"ProfilerStep#{number}", MAIN, start, self.now, "user_annotation")
        self.steps.append(Step(start, self.now, reductions, waits, copies))
        self.now += self.some(20, 400)
        self.free = dict.fromkeys(WORKERS, 0)

    def reduce(self, elements: int) -> Reduction:
        dims = [[[elements]], [], []]
        call = self.operator("c10d::allreduce_", self.some(20, 200), dims)
        worker = min(WORKERS, key=lambda tid: self.free[tid])
        free = self.free[worker]
        start = max(call, free) + self.some(20, 60) + 1
        end = start + self.some(100, 9000)
        self.free[worker] = end
        self.event("gloo:all_reduce", worker, start, end, "user_annotation", [[elements]])
        return Reduction(call, worker, start, end, free, elements)

    def copy_back(
        self, n: int, bucket: list[int], reduction: Reduction, waits: dict[int, int]
    ) -> int:
        waited = reduction.end > self.now
        is_late = waited and self.random.random() < 0.3  # the record ends after the copies begin
        if waited:
            self.now = max(reduction.end + self.some(20, 80) - 1, self.now)
            waits[n] = self.now
        if not is_late:
            for _ in bucket:
                self.operator("aten::as_strided", self.some(2, 20))
        first = self.now
        if is_late:
            self.prolong(reduction)
        for size in bucket:
            self.operator("torch.distributed.ddp.reducer::copy_bucket_to_grad",
                          self.some(20, 200), [[size], [size]])  # fmt: skip
        return first

    def prolong(self, reduction: Reduction) -> None:
        """Lets the record of a reduction end later than it did, if nothing follows there soon."""
        late = self.now + 1
        (event,) = [e for e in self.events if e["tid"] == reduction.worker
                    and e["ts"] == reduction.start / 1000]  # fmt: skip
        if self.free[reduction.worker] == reduction.end:
            self.free[reduction.worker] = reduction.end = late
            event["dur"] = (late - reduction.start) / 1000

    def write(self, path: Path) -> Path:
        document = {
            "schemaVersion": 1, "baseTimeNanoseconds": 0,
            "distributedInfo": {"backend": "gloo", "rank": self.seed, "world_size": 1000},
            "traceEvents": [*self.thread_names(), *self.events],
        }  # fmt: skip
        path.write_text(json.dumps(document))
        return path

    def thread_names(self) -> list[dict[str, Any]]:
        return [
            {"ph": "M", "name": "thread_name", "pid": PID, "tid": tid, "args": {"name": name}}
            for tid, name in [(MAIN, "python"), *((tid, "pt_gloo_runloop") for tid in WORKERS)]
        ]
