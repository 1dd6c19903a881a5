"""Findings of programs with one fault, whose cost is known as they ran without it, too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.random_faults import KINDS, LOADER, clean, faulty, makespan_ns
from tests.support.randomtrace import RandomTrace, import_jobs
from tests.support.sharing import slow
from warehouse.diagnose import diagnosis, findings
from warehouse.diagnose.findings import Finding, change
from warehouse.ingest import pipeline
from warehouse.ingest.pipeline import Options
from warehouse.query import session
from warehouse.query.selection import Selection

Row = dict[str, Any]
RECORDED = Path(__file__).parents[1] / "data" / "kineto" / "faults"


def found(job: list[RandomTrace], folder: Path) -> list[Row]:
    runs = import_jobs(folder / "w.duckdb", {"run": job})
    with session.opened(session.Place.of(runs.path)) as opened:
        return [row for row in diagnosis.diagnose(opened).rows if row["severity"] != "not judged"]


@pytest.mark.parametrize(
    ("kind", "seed"),
    [
        ("loader", 0),
        *(slow(kind, 0) for kind in KINDS if kind != "loader"),
        *(slow(kind, seed) for kind in KINDS for seed in range(1, 10)),
    ],
)
def test_a_fault_is_found_and_its_price_is_what_the_program_saves_without_it(
    kind: str, seed: int, tmp_path: Path
) -> None:
    without, with_fault = faulty(seed, kind)
    cost = makespan_ns(with_fault) - makespan_ns(without)

    rows = found(with_fault, tmp_path)

    (mine,) = [row for row in rows[:2] if row["finding"] == KINDS[kind].finding][:1]
    assert mine["is_replayed"]
    assert mine["cost_ns"] == pytest.approx(cost, rel=0.1)
    assert mine["cost_share"] == pytest.approx(mine["cost_ns"] / makespan_ns(with_fault))
    assert all(row["cost_ns"] <= row["most_ns"] + 2 for row in rows)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_a_program_without_faults_has_no_finding_of_two_percent(seed: int, tmp_path: Path) -> None:
    rows = found(clean(seed, ranks=1 + seed % 2), tmp_path)

    assert [row for row in rows if row["cost_share"] >= 0.02] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "finding"),
    [
        pytest.param("loader_{}.json.gz", "data_loading", id="loader"),
        pytest.param("ranks_{}", "straggler", id="rank"),
        pytest.param("compile_{}.json.gz", "recompilation", id="compile"),
    ],
)
def test_a_repair_of_a_recorded_program_saves_what_was_predicted(
    name: str, finding: str, tmp_path: Path
) -> None:
    """Pauses of 20 ms in a loader or on one of two ranks, or a new shape; and without them."""
    db = tmp_path / "w.duckdb"
    measured = {}
    for run in ("with", "without"):
        pipeline.import_paths([RECORDED / name.format(run)], db=db, options=Options(run=run))
        with session.opened(session.Place.of(db), Selection(runs=(run,))) as opened:
            found = diagnosis.diagnose(opened)
        assert found.measured_ns is not None
        measured[run] = found.measured_ns
        if run == "with":
            first = found.rows[0]

    assert (first["finding"], first["is_replayed"]) == (finding, True)
    assert first["cost_ns"] == pytest.approx(measured["with"] - measured["without"], rel=0.15)
    assert first["cost_ns"] <= first["most_ns"]


def test_what_no_replay_prices_is_an_estimate_but_no_cost_of_a_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One finding is about an annotation that no replay has, one has no change."""

    def finding(subject: str, template: str | None) -> Finding:
        what_if = template and change(template, subject, None)
        return Finding("mine", subject, None, None, 1, 1_000_000, None, what_if, "q@1", "s", "r")

    skip = "skip(within = $subject)"
    mine = [finding("absent", skip), finding(LOADER, skip), finding("unchanged", None)]
    monkeypatch.setattr(findings, "collect", lambda *_, **__: (mine, []))
    runs = import_jobs(tmp_path / "w.duckdb", {"run": faulty(0, "loader")[1]})
    with session.opened(session.Place.of(runs.path)) as opened:
        whole, step = (
            {row["subject"]: row for row in diagnosis.diagnose(opened, number).rows}
            for number in (None, 8)
        )

    for subject in ("absent", "unchanged"):
        assert not whole[subject]["is_replayed"] and whole[subject]["what_if"] is None
        assert whole[subject]["cost_ns"] == 1_000_000
        assert (step[subject]["cost_ns"], step[subject]["cost_share"]) == (None, None)
        assert step[subject]["severity"] == whole[subject]["severity"] == "medium"
    assert whole[LOADER]["is_replayed"] and step[LOADER]["is_replayed"]
    assert 0 < step[LOADER]["cost_ns"] < whole[LOADER]["cost_ns"]


def test_costs_in_a_time_window_are_of_it_and_add_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The host waits for each batch; the first wait delays all of the first step."""
    job = faulty(0, "loader")[1]
    what_if = change("skip(within = $subject)", LOADER, None)
    mine = Finding("mine", LOADER, None, None, 1, 1, None, what_if, "q@1", "s", "r")
    monkeypatch.setattr(findings, "collect", lambda *_, **__: ([mine], []))
    runs = import_jobs(tmp_path / "w.duckdb", {"run": job})
    _, second, *_ = (each.ts for each in job[0].slices if each.name.startswith("ProfilerStep#"))
    border = second - min(each.ts for each in job[0].slices)
    costs, measured = [], []
    for window in ((None, None), (None, border), (border, None)):
        chosen = Selection(from_ns=window[0], to_ns=window[1])
        with session.opened(session.Place.of(runs.path), chosen) as opened:
            found = diagnosis.diagnose(opened)
        costs.append(found.rows[0]["cost_ns"])
        measured.append(found.measured_ns or 0)

    waits = [each.dur for each in job[0].slices if each.name == LOADER]
    assert costs[1] == waits[0]
    assert costs[0] == pytest.approx(costs[1] + costs[2])
    assert 0 < measured[1] <= border
    assert measured[0] == pytest.approx(sum(measured[1:]))


def event(category: str, name: str, place: tuple[int, int], ts: int, dur: int, **args: int) -> Row:
    times = {"pid": place[0], "tid": place[1], "ts": ts, "dur": dur}
    return {"ph": "X", "cat": category, "name": name, **times, "args": args}


def test_communication_of_a_device_bound_step_costs_what_the_device_saves(tmp_path: Path) -> None:
    """Steps of 40 us on the host launch 100 us of compute and 50 us of communication behind it."""
    events = []
    for n in range(3):
        start, device = 40 * n, 10 + 150 * n
        events.append(event("user_annotation", f"ProfilerStep#{n}", (9, 9), start, 40))
        works = (("gemm", 2, 0, 100), ("ncclDevKernel_AllReduce", 8, 100, 50))
        for k, (name, call, lag, dur) in enumerate(works, 2 * n + 1):
            launch = (9, 9), start + call, 3
            events.append(event("cuda_runtime", "cudaLaunchKernel", *launch, correlation=k))
            place = {"device": 0, "stream": 7, "correlation": k}
            events.append(event("kernel", name, (0, 7), device + lag, dur, **place))
    (tmp_path / "t.json").write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    db = tmp_path / "w.duckdb"
    pipeline.import_paths([tmp_path / "t.json"], db=db)
    with session.opened(session.Place.of(db)) as opened:
        by_scope = {number: diagnosis.diagnose(opened, number) for number in (None, 0, 1, 2)}

    costs = {
        number: [row["cost_ns"] for row in each.rows if row["finding"] == "exposed_communication"]
        for number, each in by_scope.items()
    }
    assert costs == {None: [150_000], 0: [50_000], 1: [50_000], 2: [50_000]}
    # The first step begins with the host, 10 us before the device.
    measured = {number: each.measured_ns for number, each in by_scope.items()}
    assert measured == {None: 460_000, 0: 160_000, 1: 150_000, 2: 150_000}
