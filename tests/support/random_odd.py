"""Adds what real traces also hold to a random trace: slices and work that break the rules."""

from __future__ import annotations

import random

from tests.support.random_program import COMPUTE, COPY, ODD, Event, Program


def add_odd(program: Program, seed: int) -> None:
    """Adds odd host slices on a thread of their own, and odd work on the streams there are."""
    source = random.Random(f"odd {seed} {program.rank}")
    times = [e["ts"] for e in program.events]
    first, last = min(times), max(times)
    _odd_host(program, source, first, last)
    if program.knobs.device_work:
        _odd_work(program, source, first, last)


def _odd_host(program: Program, source: random.Random, first: int, last: int) -> None:
    at = source.randint(first, last)

    def op(name: str, offset: int, dur: int) -> None:
        args = {"External id": program.next_external()}
        program.events.append(program.event("cpu_op", name, ODD, at + offset, dur, args))

    op("outer", 0, 4000)
    op("the same interval", 0, 4000)  # its parent is the one before it in the file
    op("of no length, at the start", 0, 0)
    op("ends with its parent", 2500, 1500)
    op("of negative length", 3000, -700)
    op("of no length", 3500, 0)
    op("at the end", 4000, 0)  # outside
    op("crossing, first", 6000, 1000)
    op("crossing, second", 6500, 1000)
    op("in both", 6600, 300)


def _odd_work(program: Program, source: random.Random, first: int, last: int) -> None:
    def work(cat: str, name: str, stream: int, dur: int, **args: object) -> Event:
        device = source.randrange(program.knobs.devices)
        own = {"device": device, "context": 1, "stream": stream, **args}
        ts = source.randint(first, last)
        made = program.event(cat, name, stream, ts, dur, own) | {"pid": device}
        program.device_events.append(made)
        return made

    def orphan() -> int:
        return 1_000_000 + source.randrange(1000)  # no call has this correlation id

    # Overlaps others of its stream, as with programmatic launches; it has no call.
    work("kernel", "without a launch", COMPUTE, 9000, correlation=orphan())
    work("kernel", "without a correlation id", COMPUTE, 800)
    work("kernel", "of no length", COMPUTE, 0, correlation=orphan())
    work("kernel", "of negative length", COMPUTE, -2500, correlation=orphan())
    work("gpu_memcpy", "Memcpy DtoH (Device -> Pinned)", COPY, 0, correlation=orphan(), bytes=64)
    work("gpu_memset", "Memset (Device)", COPY, 700, correlation=orphan(), bytes=0)
