"""Where device work of a random trace counts on the host, for tests of queries that add it up."""

from __future__ import annotations

from collections.abc import Iterator

from tests.support.randomtrace import RandomTrace, Slice


def launched(trace: RandomTrace) -> Iterator[tuple[Slice, Slice]]:
    """(call, kernel, copy or memset it caused)"""
    for work in trace.device_work:
        call = trace.cause(work)
        if call:
            yield call, work


def named_operator(trace: RandomTrace, call: Slice) -> Slice | None:
    """The operator of another thread a call was made for, where it lies in none of its own."""
    number = call.args["External id"]
    if trace.operator_of(call) or number == call.correlation:
        return None
    named = [o for o in trace.operators if o.args["External id"] == number and o.ts <= call.ts]
    return named[0] if named else None  # ids of random traces are unique


def places(trace: RandomTrace, call: Slice) -> list[Slice]:
    """The slices whose device work a call's is, innermost first."""
    first = named_operator(trace, call) or call
    return [first, *trace.ancestors(first)]


def operators(trace: RandomTrace, call: Slice) -> list[Slice]:
    """Those of `places` that are operators."""
    return [each for each in places(trace, call) if each.category == "cpu_op"]
