"""The links of random traces against a search through all candidates, one by one."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from tests.support.randomtrace import RandomTrace, Runs, Slice, import_jobs, make

Pair = tuple[int, int]


@pytest.fixture(scope="module")
def found(random_runs: Runs) -> dict[tuple[str, int, str], dict[Pair, tuple[str, float]]]:
    """(run, rank, kind) -> {(mark of the cause, mark of the effect): (rule, confidence)}."""
    links: dict[Any, dict[Pair, tuple[str, float]]] = defaultdict(dict)
    rows = random_runs.rows(
        "SELECT run_id, kind, from_id, to_id, rule, confidence FROM link WHERE trace_id IS NOT NULL"
    )
    for row in (row for mine in rows.values() for row in mine):
        run, rank, cause = random_runs.marks[row["from_id"]]
        pair = (cause, random_runs.marks[row["to_id"]][2])
        assert pair not in links[run, rank, row["kind"]]
        links[run, rank, row["kind"]][pair] = (row["rule"], row["confidence"])
    return links


@pytest.fixture(scope="module")
def traces(random_runs: Runs) -> list[tuple[str, RandomTrace]]:
    return [(name, trace) for name, ranks in random_runs.jobs.items() for trace in ranks]


def pairs(links: dict[Pair, tuple[str, float]], *rules: str) -> set[Pair]:
    return {pair for pair, (rule, _) in links.items() if not rules or rule in rules}


Found = dict[tuple[str, int, str], dict[Pair, tuple[str, float]]]
Traces = list[tuple[str, RandomTrace]]


@pytest.mark.integration
def test_there_are_links_of_every_kind(found: Found) -> None:
    assert {kind for _, _, kind in found} >= {
        "launch", "sync_call", "op_launch", "step", "annotation", "python", "module",
        "forward_backward", "wait",
    }  # fmt: skip


def test_work_is_launched_by_the_call_with_its_correlation_id(found: Found, traces: Traces) -> None:
    for run, trace in traces:
        for kind, effects in (("launch", trace.device_work), ("sync_call", trace.waits)):
            caused = {(call.mark, e.mark) for e in effects if (call := trace.cause(e))}
            assert pairs(found[run, trace.rank, kind]) == caused


def test_a_call_belongs_to_the_operator_around_it(found: Found, traces: Traces) -> None:
    for run, trace in traces:
        expected = {(op.mark, c.mark) for c in trace.calls if (op := trace.operator_of(c))}
        assert pairs(found[run, trace.rank, "op_launch"], "containment") == expected


def test_a_call_outside_of_operators_belongs_to_the_one_it_names(
    found: Found, traces: Traces
) -> None:
    n_named = 0
    for run, trace in traces:
        expected = {}
        for call in trace.calls:
            number = call.args["External id"]
            named = [o for o in trace.operators if o.args["External id"] == number]
            if trace.operator_of(call) or number == call.correlation:
                continue
            for op in (o for o in named if o.ts <= call.ts):  # ids of random traces are unique
                is_around = op.ts + op.dur > call.ts
                expected[op.mark, call.mark] = ("external_id", 0.8 if is_around else 0.5)
        links = found[run, trace.rank, "op_launch"]
        assert {p: how for p, how in links.items() if how[0] == "external_id"} == expected
        n_named += len(expected)
    assert n_named


def test_work_belongs_to_the_step_it_was_launched_in(found: Found, traces: Traces) -> None:
    for run, trace in traces:
        launched, by_time = set(), set()
        for work in trace.device_work:
            if trace.cause(work):
                if step := trace.step_of(work):
                    launched.add((step.mark, work.mark))
            elif step := trace.step_of_work(work):
                by_time.add((step.mark, work.mark))
        links = found[run, trace.rank, "step"]
        assert pairs(links, "launch") == launched
        assert pairs(links, "time") == by_time


def test_work_belongs_to_the_annotation_around_its_call(found: Found, traces: Traces) -> None:
    for run, trace in traces:
        expected = {(a.mark, w.mark) for w in trace.device_work if (a := trace.annotation_of(w))}
        assert pairs(found[run, trace.rank, "annotation"]) == expected


@pytest.mark.parametrize(("kind", "is_module"), [("python", False), ("module", True)])
def test_an_operator_belongs_to_the_frame_around_it(
    found: Found, traces: Traces, kind: str, is_module: bool
) -> None:
    for run, trace in traces:
        expected = {
            (frame.mark, op.mark)
            for op in trace.operators
            if (frame := trace.frame_of(op, is_module=is_module))
        }
        assert pairs(found[run, trace.rank, kind]) == expected


def test_a_backward_operator_has_its_forward_operator(found: Found, traces: Traces) -> None:
    for run, trace in traces:
        arrows = [e for e in trace.events if e.get("cat") == "fwdbwd" and e["ph"] == "f"]
        pointed = {(e["tid"], e["ts"] - trace.base_ns) for e in arrows}
        recorded, numbered = set(), set()
        for op in trace.operators:
            forward = trace.forward_of(op)
            above = trace.parent(op)
            if forward is None:
                continue
            if is_evaluation(op):
                if (op.tid, op.ts) in pointed:
                    recorded.add((forward.mark, op.mark))
            elif above is None or (above.tid, above.ts) not in pointed:
                numbered.add((forward.mark, op.mark))
        links = found[run, trace.rank, "forward_backward"]
        assert pairs(links, "recorded:fwdbwd") == recorded
        assert pairs(links, "sequence_number") == numbered


def is_evaluation(op: Slice) -> bool:
    return op.name.startswith("autograd::engine")


def test_a_wait_is_for_the_last_work_to_end_of_what_was_launched(
    found: Found, traces: Traces
) -> None:
    n_waits = 0
    for run, trace in traces:
        expected = {}
        for record in trace.waits:
            call = trace.cause(record)
            if call is None:
                continue
            waited = last_to_end(trace, record, call)
            if waited is not None and waited.end > call.ts:
                is_stream = record.name == "Stream Wait Event"
                confidence = 0.8 if not is_stream and waited.end > call.end else 1.0
                waiting = record if is_stream else call
                expected[waited.mark, waiting.mark] = ("sync_record", confidence)
        links = found[run, trace.rank, "wait"]
        assert {p: how for p, how in links.items() if how[0] != "copy"} == expected
        n_waits += len(expected)
    assert n_waits


def last_to_end(trace: RandomTrace, record: Slice, call: Slice) -> Slice | None:
    upto, stream = call.ts, record.args.get("wait_on_stream", record.stream)
    if "wait_on_cuda_event_record_corr_id" in record.args:
        number = record.args["wait_on_cuda_event_record_corr_id"]
        (upto,) = (each.ts for each in trace.calls if each.correlation == number)
    launched = [
        work for work in trace.device_work
        if work.device == record.device
        and (record.name == "Context Sync" or work.stream == stream)
        and (trace.cause(work) or work).ts <= upto
    ]  # fmt: skip
    return max(launched, key=lambda work: work.end, default=None)


def launched_on(trace: RandomTrace) -> list[tuple[int, Slice]]:
    """Device work that takes time, with when it was launched."""
    work = [each for each in trace.device_work if each.dur > 0]
    return [(call.ts, each) for each in work if (call := trace.cause(each))]


def event_wait(
    trace: RandomTrace, ts: int, recorded: int, device: int | None, streams: tuple[Any, Any]
) -> Pair | None:
    """The work waited for, and the first that waited, of a wait called at a time."""
    launched = [(at, each) for at, each in launched_on(trace) if each.device == device]
    before = [(at, e.end, e) for at, e in launched if e.stream == streams[0] and at <= recorded]
    after = [(at, e.ts, e) for at, e in launched if e.stream == streams[1] and at >= ts]
    if not before or not after:
        return None
    last, first = max(before)[2], min(after)[2]
    return (last.mark, first.mark) if last.end <= first.ts else None


def test_a_stream_goes_on_after_the_work_before_the_event(found: Found, traces: Traces) -> None:
    n_waits = 0
    for run, trace in traces:
        expected = set()
        for record in trace.waits:
            call = trace.cause(record)
            if record.name != "Stream Wait Event" or call is None:
                continue
            number = record.args["wait_on_cuda_event_record_corr_id"]
            (recorded,) = (each.ts for each in trace.calls if each.correlation == number)
            streams = record.args["wait_on_stream"], record.stream
            expected.add(event_wait(trace, call.ts, recorded, record.device, streams))
        expected.discard(None)
        assert pairs(found[run, trace.rank, "event_wait"], "cuda_sync") == expected
        n_waits += len(expected)
    assert n_waits


@pytest.mark.slow
def test_without_records_the_order_of_calls_says_what_a_stream_waited_for(tmp_path: Path) -> None:
    """The work last launched before the last record on another stream, of all streams."""
    whole = [make(seed) for seed in range(6)]
    traces = [t.changed([e for e in t.events if e.get("cat") != "cuda_sync"]) for t in whole]
    runs = import_jobs(tmp_path / "w.duckdb", {f"{t.seed}": [t] for t in traces})
    links = runs.links("event_wait")
    n_waits = 0
    for trace in traces:
        expected = set()
        for wait in (each for each in trace.calls if "StreamWaitEvent" in each.name):
            mine = [(at, e.ts, e) for at, e in launched_on(trace)
                    if at >= wait.ts and thread(trace.cause(e)) == thread(wait)]  # fmt: skip
            if not mine:
                continue
            first = min(mine)[2]
            marks = [each.ts for each in trace.calls if "EventRecord" in each.name
                     and thread(each) == thread(wait) and each.ts <= wait.ts]  # fmt: skip
            recorded = max(marks, default=wait.ts)
            others = [(at, e.end, e) for at, e in launched_on(trace)
                      if e.device == first.device and e.stream != first.stream
                      and at <= recorded]  # fmt: skip
            if others and max(others)[2].end <= first.ts:
                expected.add((max(others)[2].mark, first.mark))
        assert set(links[f"{trace.seed}"][0]) == expected
        n_waits += len(expected)
    assert n_waits


def thread(call: Slice | None) -> tuple[Any, Any]:
    assert call
    return call.pid, call.tid


def test_a_blocking_copy_is_waited_for_by_its_call(found: Found, traces: Traces) -> None:
    for run, trace in traces:
        expected = set()
        for copy in trace.of("gpu_memcpy"):
            call = trace.cause(copy)
            is_blocking = call is not None and (
                call.name == "cudaMemcpy" or copy.name == "Memcpy DtoH (Device -> Pageable)"
            )
            if call is not None and is_blocking and copy.end <= call.end:
                expected.add((copy.mark, call.mark))
        assert pairs(found[run, trace.rank, "wait"], "copy") == expected
