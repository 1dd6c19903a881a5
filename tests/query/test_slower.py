"""`tw compare --fail-if-slower`: which figure is judged, and how often equal programs fail."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from random import Random
from statistics import fmean
from typing import TYPE_CHECKING, Any

import pytest

from tests.support import compare_noise as noise
from tests.support import compare_programs as programs
from tests.support.compare_rows import pairs
from tests.support.sharing import slow
from warehouse.ingest import pipeline
from warehouse.ingest.pipeline import Options
from warehouse.query import session, slower

if TYPE_CHECKING:
    from tests.conftest import Tw
    from tests.support.compare_programs import Operator, Program, Side

Row = dict[str, Any]


def rows_of(path: Path, query: str, a: str, b: str) -> list[Row]:
    with session.opened(session.Place(path)) as opened:
        return list(opened.run(query, {"a": a, "b": b}).table().to_pylist())


def program(**fields: Any) -> Program:
    """The host launches the work of a step in a tenth of the time that the device takes."""
    made = programs.random_program(3, n_steps=8, **fields)
    return scaled(made, 4)


def scaled(made: Program, factor: float) -> Program:
    def each(operator: Operator) -> Operator:
        kernels = tuple(replace(k, ns=round(k.ns * factor)) for k in operator.kernels)
        return replace(operator, kernels=kernels, inner=tuple(map(each, operator.inner)))

    return replace(made, operators=tuple(map(each, made.operators)))


def makespans(made: Program) -> list[int]:
    """Time that each step of the first rank adds until its work is done."""
    events = programs.all_events(made, programs.Recorder(), 0)[0]
    steps = sorted((e["ts"], e["ts"] + e["dur"]) for e in events if "ProfilerStep" in e["name"])
    calls = {e["args"]["correlation"]: e["ts"] for e in events if e["cat"] == "cuda_runtime"}
    ends = defaultdict[int, int](int)
    for each in events:
        if each["cat"] in ("kernel", "gpu_memcpy"):
            call = calls[each["args"]["correlation"]]
            place = next(n for n, (start, end) in enumerate(steps) if start <= call < end)
            ends[place] = max(ends[place], each["ts"] + each["dur"])
    found, reached = [], 0
    for place, (start, end) in enumerate(steps):
        done = max(end, ends[place])
        found.append(max(done - max(start, reached), 0))
        reached = max(reached, done)
    return found


def compared(tw: Tw, folder: Path, b: Program) -> Any:
    sides: dict[str, Side] = {
        "a": (program(), programs.Recorder()), "b": (b, programs.Recorder())
    }  # fmt: skip
    programs.imported(folder / "traces.duckdb", sides)
    return tw("compare", "a", "b", "--format", "csv", "--fail-if-slower", "5%")


@pytest.mark.slow
def test_longer_kernels_are_seen_where_the_host_runs_ahead(tw: Tw, tmp_path: Path) -> None:
    slow = scaled(program(), 1.3)

    ran = compared(tw, tmp_path, slow)

    rows = {
        r["measure"]: r for r in rows_of(tmp_path / "traces.duckdb", "compare_summary", "a", "b")
    }
    assert rows["step_time"]["change_ratio"] == 0
    assert rows["makespan"]["basis_a"] == pytest.approx(fmean(makespans(program())), rel=1e-5)
    assert rows["makespan"]["basis_b"] == pytest.approx(fmean(makespans(slow)), rel=1e-5)
    assert ran.code == 1
    assert ran.err.startswith("makespan (typical step): B is ")
    assert "WARNING: step_time changed by +0.00%, makespan by +" in ran.err


@pytest.mark.slow
def test_a_host_that_waits_for_copies_is_no_slowdown(tw: Tw, tmp_path: Path) -> None:
    """The work is the same and done as early; the steps on the host take far longer."""
    path = tmp_path / "traces.duckdb"
    for name, waits in (("a", False), ("b", True)):
        made = programs.all_events(program(), programs.Recorder(), 0)[0]
        written = wait_for_work(made) if waits else made
        file = tmp_path / f"{name}.json"
        file.write_text(json.dumps(programs.document(program(), 0, programs.Recorder(), written)))
        pipeline.import_paths([file], db=path, options=Options(run=name, jobs=1))

    default = tw("compare", "a", "b", "--format", "csv", "--fail-if-slower", "5%")
    by_host = tw(
        "compare", "a", "b", "--format", "csv", "--fail-if-slower", "5%", "--by", "step_time"
    )

    assert default.code == 0
    assert default.err.startswith("makespan (typical step): B is 0.")
    assert by_host.code == 1
    assert by_host.err.startswith("step_time (typical step): B is ")


def wait_for_work(events: list[Row]) -> list[Row]:
    """Steps that begin when the work of the step before is done; calls keep their places."""
    steps = sorted((e for e in events if "ProfilerStep" in e["name"]), key=lambda e: e["ts"])
    calls = {e["args"]["correlation"]: e for e in events if e["cat"] == "cuda_runtime"}
    work = sorted(
        (e for e in events if e["cat"] in ("kernel", "gpu_memcpy")), key=lambda e: e["ts"]
    )
    spans = [(step["ts"], step["ts"] + step["dur"]) for step in steps]
    moved, shift = {}, 0
    for start, end in spans:
        own = [e for e in work if start <= calls[e["args"]["correlation"]]["ts"] < end]
        done = max(e["ts"] + e["dur"] for e in own)
        moved[start] = (shift, done)
        shift = done + 3_000 - spans[min(spans.index((start, end)) + 1, len(spans) - 1)][0]
    for each in events:
        if each["cat"] in ("kernel", "gpu_memcpy"):
            continue
        start = max(s for s, _ in spans if s <= each["ts"])
        offset, done = moved[start]
        each["ts"] += offset
        if "ProfilerStep" in each["name"]:
            each["dur"] = done - each["ts"]
    return events


def test_one_step_a_side_is_judged_without_an_interval() -> None:
    row = {"measure": "makespan", "basis": "step", "not_compared": None, "total_a": 10,
           "total_b": 12, "change_ratio": 0.2, "typical_a": 10.0, "typical_change": 2.0,
           "change_low": None, "change_high": None, "spread": "steps", "no_p": "steps"}  # fmt: skip
    others = [{**row, "measure": name, "change_ratio": None} for name in slower.MEASURES[1:]]

    judgement = slower.judge([row, *others], 0.1)

    assert judgement.is_slower
    assert judgement.sentences()[1] == (
        "Judged without an interval: a side has fewer than two steps."
    )


def test_a_change_within_its_interval_passes() -> None:
    row = {"measure": "makespan", "basis": "step", "not_compared": None, "total_a": 10,
           "total_b": 12, "change_ratio": 0.2, "typical_a": 10.0, "typical_change": 2.0,
           "change_low": -1.0, "change_high": 5.0, "spread": "steps", "no_p": None}  # fmt: skip
    others = [{**row, "measure": name, "change_ratio": None} for name in slower.MEASURES[1:]]

    judgement = slower.judge([row, *others], 0.1)

    assert not judgement.is_slower
    assert judgement.sentences() == [
        "makespan (typical step): B is 20.00% slower, 95 % interval -10.00% to +50.00%; more than "
        "the limit of 10.00%, but the interval includes 0: not judged slower.",
        "Within these two recordings; the spread between runs is unknown.",
    ]


def test_equal_sides_are_neither_faster_nor_slower() -> None:
    row = {"measure": "makespan", "basis": "step", "not_compared": None, "total_a": 10,
           "total_b": 10, "change_ratio": 0.0, "typical_a": 10.0, "typical_change": 0.0,
           "change_low": None, "change_high": None, "spread": "steps", "no_p": "steps"}  # fmt: skip
    others = [{**row, "measure": name, "change_ratio": None} for name in slower.MEASURES[1:]]

    judgement = slower.judge([row, *others], 0.1)

    assert judgement.sentences()[0] == (
        "makespan (mean a step): B is as fast as A; within the limit of 10.00%."
    )


def test_a_figure_to_judge_requires_a_limit(tw: Tw, tmp_path: Path) -> None:
    ran = tw("compare", "a", "b", "--by", "makespan", "--db", tmp_path / "none.duckdb")

    assert ran.code == 2
    assert "--by makespan requires --fail-if-slower" in ran.err


# --- whole recordings of equal programs


def reports(kind: str, n_pairs: int, n_steps: int) -> list[list[Row]]:
    """Rows of all tables for pairs of recordings with that noise."""
    random, found = Random(f"{kind} {n_pairs}"), []
    with pairs() as opened:
        for _ in range(n_pairs):
            a, b = (events(noise.recording(random, kind, n_steps)) for _ in "ab")
            tables = opened.compared(a, b, "summary", "kernels", "ops")
            found.append([row for rows in tables.values() for row in rows])
    return found


def events(document: Row) -> list[Row]:
    """The events of a document, with times in nanoseconds."""
    return [
        {**each, "ts": round(each["ts"] * 1000), "dur": round(each["dur"] * 1000)}
        for each in document["traceEvents"]
    ]


def values(row: Row, suffix: str) -> list[float]:
    names = (suffix, f"self_{suffix}", f"device_{suffix}")
    return [row[name] for name in names if row.get(name) is not None]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "n_pairs"),
    [
        slow("autocorrelated", 3),
        ("independent", 1),
        *(slow(kind, 40) for kind in noise.STEPS),
    ],
)
def test_equal_recordings_rarely_differ(kind: str, n_pairs: int, record_property: Any) -> None:
    found = reports(kind, n_pairs, 8)

    p_values = [p for report in found for row in report for p in values(row, "p")]
    is_alarm = [any(q < 0.05 for row in report for q in values(row, "q")) for report in found]
    gates = {
        limit: fmean(
            slower.judge([row for row in report if "measure" in row], limit).is_slower
            for report in found
        )
        for limit in (0.01, 0.05)
    }
    figures = fmean(p < 0.05 for p in p_values), fmean(is_alarm), gates
    record_property("figures", figures)
    assert figures[0] <= 0.07, figures
    assert sum(is_alarm) <= 0.07 * n_pairs + 2, figures
    assert gates[0.01] * n_pairs <= 0.02 * n_pairs + 2, figures
