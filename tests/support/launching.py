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
    """The slices whose device work a call's is, innermost first.

    An operator that ended before the call says nothing of where the call was made.
    """
    named = named_operator(trace, call)
    first = named if named and (named.dur == -1 or named.end > call.ts) else call
    return [first, *trace.ancestors(first)]


def operators(trace: RandomTrace, call: Slice) -> list[Slice]:
    """The operators that a call's device work counts for, innermost first, also if the innermost
    ended before the call."""
    first = named_operator(trace, call) or call
    return [each for each in (first, *trace.ancestors(first)) if each.category == "cpu_op"]
