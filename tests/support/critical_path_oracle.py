"""The critical path of a step, walked backwards moment by moment through every candidate.

Slow and plain on purpose: it shares nothing with queries/lib/critical_path_segment.sql but the
definition in its help. Links of kind wait and forward_backward are given, as pairs of marks.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from tests.support.randomtrace import CALLS, RandomTrace, Slice

Place = tuple[int | str, int | str]


class Part(NamedTuple):
    """A part of the path; `mark` is the slice whose time it is."""

    start: int
    end: int
    kind: str
    mark: int | None
    place: Place


@dataclass
class Walk:
    trace: RandomTrace
    step: Slice
    waits: Iterable[tuple[int, int]]  # (device work, call)
    hand_overs: Iterable[tuple[int, int]]  # (forward operator, backward operator)

    def __post_init__(self) -> None:
        trace, step = self.trace, self.step
        work = [each for each in trace.device_work if each.dur > 0]
        own = [
            each for each in work
            if (call := trace.cause(each)) and step.ts <= call.ts < step.end
        ]  # fmt: skip
        self.end = max([step.end, *(each.end for each in own)])
        self.work = [each for each in work if each.ts < self.end and each.end > step.ts]
        self.host = [
            each for each in trace.slices
            if each.category not in ("kernel", "gpu_memcpy", "gpu_memset", "cuda_sync",
                                     "gpu_user_annotation")
            and each.ts <= self.end and each.end >= step.ts
        ]  # fmt: skip
        self.active = [
            each for each in self.host if each.dur > 0 and each.category in ("cpu_op", *CALLS)
        ]

    def is_lone_annotation(self, each: Slice) -> bool:
        """Whether neither its thread nor a partner runs operators or calls during it."""
        place = (each.pid, each.tid)
        threads = {place, *self.partners(place)}
        return (
            each.category == "user_annotation"
            and each.dur > 0
            and not any(
                (other.pid, other.tid) in threads and other.ts < each.end and other.end > each.ts
                for other in self.trace.slices
                if other.dur > 0 and other.category in ("cpu_op", *CALLS)
            )
        )

    def parts(self) -> list[Part]:
        """From the first to the last."""
        last = [each for each in self.work if each.end == self.end]
        here: Slice | Place = (
            max(last) if self.end > self.step.end else (self.step.pid, self.step.tid)
        )
        found: list[Part] = []
        now = self.end
        while now > self.step.ts:
            if isinstance(here, Slice):
                more, here, now = self.before_work(here, now)
            else:
                more, here, now = self.before_host(here, now)
            found += more
        return [
            part._replace(start=max(part.start, self.step.ts))
            for part in reversed(found)
            if part.end > max(part.start, self.step.ts)
        ]

    def before_work(self, work: Slice, now: int) -> tuple[list[Part], Slice | Place, int]:
        place = (work.pid, work.tid)
        done = Part(work.ts, now, "device", work.mark, place)
        candidates: list[tuple[int, int, str, Slice | Place]] = [
            (each.end, 3, "device_gap", each)
            for each in self.work
            if (each.pid, each.tid) == place and each.end <= work.ts
        ]
        candidates += [
            (each.end, 2, "stream_wait", each)
            for each, waiting in self.event_waits()
            if waiting == work and each.end <= work.ts
        ]
        call = self.trace.cause(work)
        if call and call.ts <= work.ts:
            candidates.append((call.ts, 1, "launch_delay", (call.pid, call.tid)))
        if not candidates:
            return [done, Part(self.step.ts, work.ts, "device_gap", work.mark, place)], place, -1
        at, _, kind, before = max(candidates, key=lambda each: each[:2])
        return [done, Part(at, work.ts, kind, work.mark, place)], before, at

    def event_waits(self) -> Iterable[tuple[Slice, Slice]]:
        """(work waited for, first work that waited)"""
        for wait in self.trace.waits:
            call = self.trace.cause(wait)
            if wait.name != "Stream Wait Event" or call is None:
                continue
            number = wait.args["wait_on_cuda_event_record_corr_id"]
            (recorded,) = [each for each in self.trace.calls if each.correlation == number]
            launched = [
                (cause.ts, each) for each in self.work
                if each.device == wait.device and (cause := self.trace.cause(each))
            ]  # fmt: skip
            before = [
                (at, each.end, each) for at, each in launched
                if each.stream == wait.args["wait_on_stream"] and at <= recorded.ts
            ]  # fmt: skip
            after = [
                (at, each.ts, each) for at, each in launched
                if each.stream == wait.stream and at >= call.ts
            ]  # fmt: skip
            if before and after:
                yield max(before)[2], min(after)[2]

    def before_host(self, place: Place, now: int) -> tuple[list[Part], Slice | Place, int]:
        """Back to the last moment the thread could not go on by itself."""
        stops: list[tuple[int, int, list[Part], Slice | Place, int]] = []
        mine = [each for each in self.host if (each.pid, each.tid) == place]
        for call in (each for each in mine if each.end <= now):
            ended = [
                (each.end, each) for each in self.work
                if (each.mark, call.mark) in self.waits and call.ts < each.end
                # what was launched later, or began later, it cannot have waited for
                and each.ts < call.end
                and ((cause := self.trace.cause(each)) is None or cause.ts <= call.ts)
            ]  # fmt: skip
            if ended:
                at = min(max(ended)[0], call.end)
                part = Part(at, call.end, "sync", call.mark, place)
                stops.append((call.end, 1, [part], max(ended)[1], at))
        for first in (each for each in self.active if (each.pid, each.tid) == place):
            if first.ts <= now and (handed := self.handed_over(first)):
                other, at = handed
                part = Part(at, first.ts, "hand_over", first.mark, place)
                stops.append((first.ts, 0, [part], other, at))
        stops.sort(key=lambda each: each[:2])
        start = max(stops[-1][0], self.step.ts) if stops else self.step.ts
        parts = self.pieces(mine, place, start, now)
        if not stops or stops[-1][0] <= self.step.ts:
            return parts, place, self.step.ts
        _, _, stop, here, at = stops[-1]
        return [*parts, *stop], here, at

    def handed_over(self, first: Slice) -> tuple[Place, int] | None:
        """The thread that let this one go on with its slice, and when, after a pause."""
        place = (first.pid, first.tid)
        mine = [each for each in self.active if (each.pid, each.tid) == place]
        # Of slices that begin together, the first of the file is the outermost.
        before = [
            each for each in mine
            if each.ts < first.ts or (each.ts == first.ts and each.mark < first.mark)
        ]  # fmt: skip
        paused = max((each.end for each in before), default=None)
        if paused is not None and paused >= first.ts:
            return None
        found = []
        for other in self.partners(place):
            theirs = [each for each in self.active if (each.pid, each.tid) == other]
            ends = [
                each.end for each in theirs
                if each.end <= first.ts
                and not any(o.ts <= each.end < o.end for o in theirs)
            ]  # fmt: skip
            if ends and (paused is None or max(ends) > paused):
                found.append((max(ends), other))
        if not found:
            return None
        at, other = max(found)
        return other, at

    def partners(self, place: Place) -> set[Place]:
        found = set()
        for forward, backward in self.hand_overs:
            one, other = self.trace[forward], self.trace[backward]
            if not self.step.ts <= other.ts < self.end:
                continue
            pair = [(one.pid, one.tid), (other.pid, other.tid)]
            if place in pair and pair[0] != pair[1]:
                found |= set(pair) - {place}
        return found

    def pieces(self, mine: list[Slice], place: Place, start: int, end: int) -> list[Part]:
        """Cut wherever a slice of the thread begins or ends; the last first."""
        cuts = {start, end}
        cuts |= {at for each in mine for at in each.interval if start < at < end}
        found = []
        ordered = sorted(cuts)
        for a, b in itertools.pairwise(ordered):
            around = [each for each in mine if each.dur > 0 and each.ts <= a and each.end >= b]
            around.sort(key=lambda each: (each.ts, -each.dur, each.mark))
            found.append(Part(a, b, "host", around[-1].mark if around else None, place))
        return found[::-1]
