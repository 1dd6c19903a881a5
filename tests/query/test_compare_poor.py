"""Comparisons of recordings that lack something: a figure with its basis, or the reason."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.compare_programs import (
    RANK_CHANGES,
    Program,
    Recorder,
    all_events,
    document,
    imported,
    random_program,
)
from tests.support.compare_rows import Pairs, Recorded, pairs
from tests.support.sharing import integration, slow
from warehouse.errors import TwError
from warehouse.ingest import pipeline
from warehouse.query import session, slower

Row = dict[str, Any]
DEVICE = Recorder(has_steps=False, has_operators=False)
BASE = random_program(1, n_steps=4, noise=0.01)
NVIDIA = Recorded(format="nsys")
PREDICTED = Recorded(kind="predicted")


@pytest.fixture(scope="module")
def written() -> Iterator[Pairs]:
    with pairs() as opened:
        yield opened


def events(program: Program, recorder: Recorder, speeds: int = 0) -> list[Row]:
    return all_events(program, recorder, speeds)[0]


def check_basis(summary: list[Row]) -> None:
    """Every row has figures and a basis, or a reason; and no figure is NaN."""
    for row in summary:
        figures = [row[name] for name in ("basis_a", "basis_b", "change")]
        if row["not_compared"] is None:
            assert row["basis"] in ("step", "trace")
            assert all(math.isfinite(each) for each in figures), row
        else:
            assert (row["basis"], row["change_ratio"], row["p"]) == (None, None, None)
            assert figures == [None] * 3


def by_measure(summary: list[Row]) -> dict[str, Row]:
    check_basis(summary)
    return {row["measure"]: row for row in summary}


def compared(db: Path, *names: str) -> dict[str, list[Row]]:
    with session.opened(session.Place(db)) as opened:
        return {
            name: opened.run(f"compare_{name}", {"a": "a", "b": "b"}).table().to_pylist()
            for name in names
        }


def notes(found: dict[str, list[Row]]) -> set[str]:
    return {row["note"] for row in found["notes"]}


NO_STEPS = {"step_time": "B has no steps"}
NO_OPERATORS = {"operator_time": "B has no operators"}
NO_WORK = {"device_time": "B has no device work"}
NO_PLACES = {"makespan": "the steps of device work are not known"}
#: Recorders of side B, what the run is, the basis of device time, and reasons by measure.
LACKING = [
    (DEVICE, PREDICTED, "trace", NO_STEPS | NO_OPERATORS),
    integration(Recorder(), PREDICTED, "step", {}),
    slow(DEVICE, NVIDIA, "trace", NO_STEPS),
    slow(Recorder(has_device=False), NVIDIA, None, NO_WORK),
    integration(Recorder(has_steps=False), Recorded(), "trace", NO_STEPS | NO_PLACES),
]


@pytest.mark.parametrize(("recorder", "recorded", "basis", "reasons"), LACKING)
def test_a_figure_has_a_basis_or_a_reason(
    written: Pairs, recorder: Recorder, recorded: Recorded, basis: str | None, reasons: Row
) -> None:
    found = written.compared(
        events(BASE, Recorder()), events(BASE, recorder, 1), "summary", "notes", of_b=recorded
    )

    summary = by_measure(found["summary"])
    assert summary["device_time"]["basis"] == basis
    assert {name: summary[name]["not_compared"] for name in reasons} == reasons
    assert ("B is predicted" in notes(found)) == (recorded.kind == "predicted")
    assert ("A was recorded as kineto, B as nsys" in notes(found)) == (recorded.format == "nsys")
    check_gate(found["summary"], basis)


def check_gate(summary: list[Row], basis: str | None) -> None:
    """What is not compared is not judged; the figure judged by default has the basis."""
    if basis is None:
        with pytest.raises(TwError, match="device_time is not compared: B has no device work"):
            slower.judge(summary, 0.1, "device_time")
        return
    judgement = slower.judge(summary, 0.1)
    expected = "makespan" if basis == "step" else "device_time"
    assert (judgement.measure, judgement.basis) == (expected, basis)


@pytest.mark.parametrize("few", [1, integration(2)], ids=["one step", "two steps"])
def test_few_steps_on_a_side_have_figures(written: Pairs, few: int) -> None:
    found = written.compared(
        events(BASE, Recorder()), events(replace(BASE, n_steps=few), Recorder(), 1), "summary"
    )

    device = by_measure(found["summary"])["device_time"]
    assert device["basis"] == "step"
    assert device["no_p"] == ("steps" if few == 1 else None)
    assert (device["p"] is None) == (few == 1)


@pytest.mark.slow
def test_other_world_sizes_are_compared_a_rank(tmp_path: Path) -> None:
    two = replace(BASE, n_ranks=2, noise=0.0)
    three = RANK_CHANGES["other-ranks"](two).program
    db = imported(tmp_path / "w.duckdb", {"a": (two, Recorder()), "b": (three, Recorder())})

    found = compared(db, "summary", "notes")

    summary = by_measure(found["summary"])
    assert summary["device_time"]["basis"] == "step"
    assert (summary["device_time"]["n_traces_a"], summary["device_time"]["n_traces_b"]) == (2, 3)
    assert summary["n_device_ops"]["change"] == 0
    assert notes(found) == {"A has 2 ranks, B has 3"}


COUNTED = "B has 1 record of device work with a negative or missing duration, counted as 0"
NOT_NUMBERS = [
    ("dur", math.nan, COUNTED),
    slow("ts", math.inf, None),
]


@pytest.mark.slow
@pytest.mark.parametrize(("key", "value", "note"), NOT_NUMBERS)
def test_a_time_that_is_not_a_number_is_no_figure(
    tmp_path: Path, key: str, value: float, note: str | None
) -> None:
    made = document(BASE, 0, Recorder(), events(BASE, Recorder()))
    for run in ("a", "b"):
        if run == "b":
            next(each for each in made["traceEvents"] if each["cat"] == "kernel")[key] = value
        path = tmp_path / f"{run}.json"
        path.write_text(json.dumps(made))
        pipeline.import_paths(
            [path], db=tmp_path / "w.duckdb", options=pipeline.Options(run=run, jobs=1)
        )

    found = compared(tmp_path / "w.duckdb", "summary", "notes")

    by_measure(found["summary"])
    assert notes(found) == ({note} if note else set())
