"""Exports of predicted runs: measured above predicted, the critical path marked."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import CHROMIUM, Tw
from tests.support.browser import Browser, program
from tests.support.predicted_trial import predicted_trial
from tests.support.sharing import BuildCache, WarehouseCache, kept_open
from warehouse.export import report
from warehouse.export.page import page as html
from warehouse.query import session
from warehouse.query.selection import Selection

#: A step of the slowest rank, which begins at 0, in ns: tests/replay/test_stored.py.
MEASURED_NS, PREDICTED_NS = 3_060_224, 3_181_224
#: Two ranks pass the tensors round once each way; then they are copied back and applied in turn.
COMMUNICATION = [
    "host0.rank0->Comm.0+1+2+3+4+5.QUEUE",
    "host0.rank0->Comm.0+1+2+3+4+5.MEMCPY_IN_FUSION_BUFFER",
    "host0.rank0->Comm.0+1+2+3+4+5.SEND~>0_0_0_0",
    "host1.rank0->Comm.0+1+2+3+4+5.RECV~>0_0_0_0",
    "host1.rank0->Comm.0+1+2+3+4+5.SEND~>0_0_1_0",
    "host0.rank0->Comm.0+1+2+3+4+5.RECV~>0_0_1_0",
    "host0.rank0->Comm.0+1+2+3+4+5.MEMCPY_OUT_FUSION_BUFFER",
]


@pytest.fixture(scope="module")
def db(
    shared_place: Path, imported_files: WarehouseCache, kept_builds: BuildCache | None
) -> Iterator[Path]:
    with kept_open(predicted_trial(shared_place, imported_files, kept_builds)) as path:
        yield path


def paths(db: Path, *runs: str) -> list[dict[str, Any]]:
    with session.opened(session.Place(db), Selection(runs=runs)) as opened:
        rows: list[dict[str, Any]] = opened.run("predicted_path").table().to_pylist()
        return rows


@pytest.mark.slow
def test_the_critical_path_leads_from_the_first_operator_to_the_last(db: Path) -> None:
    rows = paths(db, "trial", "slower")

    for run_id, end_ns in ((1, MEASURED_NS), (2, PREDICTED_NS)):
        mine = [row for row in rows if row["run_id"] == run_id]
        first = mine[: len(mine) // 2]  # of two steps
        names = [name for name, _ in itertools.groupby(row["name"] for row in first)]
        assert names[0].endswith("->FW.IteratorGetNext")
        assert names[-7 - 6 : -6] == COMMUNICATION
        assert [name.split("/")[2] for name in names[-6:]] == [f"update_{n}" for n in range(6)]
        assert first[0]["start_ns"] == 0
        assert first[-1]["start_ns"] + first[-1]["dur_ns"] == end_ns
    assert not paths(db, "trial")
    assert {row["run_id"] for row in paths(db, "slower")} == {2}


def test_a_page_draws_each_rank_measured_above_predicted(db: Path) -> None:
    with session.opened(session.Place(db), Selection(runs=("slower",))) as opened:
        opened.choose_traces(opened.seen.trace_ids[:2], (None, None))
        values = html.of_session(opened, report.of_queries(["traces"], {}, opened.queries), 1000)
        assert opened.seen.run_names == ("slower",)  # as before

    tracks = values["timeline"]["tracks"]
    order = [key for key, _ in itertools.groupby((t["rank"], t["run"]) for t in tracks)]
    assert order == [(0, "trial"), (0, "slower"), (1, "trial"), (1, "slower")]
    drawn = {
        (track["track_id"], start, dur)
        for track in tracks
        if "path" in track
        for start, dur in zip(
            itertools.accumulate(track["path"]["start"]), track["path"]["dur"], strict=True
        )
    }
    rows = paths(db, "trial", "slower")
    assert drawn == {(row["track_id"], row["start_ns"], row["dur_ns"]) for row in rows}
    assert values["sections"][0]["sides"][0]["n_rows"] == 2  # tables are of the predicted run


def test_a_perfetto_trace_has_the_critical_path_with_flows(
    tw: Tw, db: Path, tmp_path: Path, read: Callable[[Path], Any]
) -> None:
    target = tmp_path / "both.pftrace"
    arguments = ("--db", db, "--run", "trial", "--run", "slower", "-o", target)
    assert tw("export", "perfetto", *arguments).code == 0

    timeline = read(target)

    names = [d.name for d in timeline.tracks.values()]
    assert names.count("critical path") == 4  # of two ranks, measured and predicted
    distinct = {
        (row["run_id"], row["trace_id"], row["name"], row["start_ns"], row["dur_ns"])
        for row in paths(db, "trial", "slower")
    }
    found = [each for each in timeline.slices if each.category == "critical_path"]
    assert len(found) == len(distinct)
    assert sorted((s.name, s.dur) for s in found) == sorted((n, d) for _, _, n, _, d in distinct)
    # Nothing relates the hosts' clocks: what is sent back arrives earlier.
    forward = set(itertools.pairwise(COMMUNICATION)) - {tuple(COMMUNICATION[4:6])}
    assert forward <= set(timeline.flows)
    assert tw("verify", "--db", db, target).code == 0


@pytest.mark.slow
def test_pages_show_the_path_and_the_chart_of_a_sweep(tw: Tw, db: Path, tmp_path: Path) -> None:
    command = program()
    if command is None:
        pytest.skip(f"no Chromium: none is on the path and {CHROMIUM} is not set")
    drawn, sweep = tmp_path / "drawn.html", tmp_path / "sweep.html"
    assert tw("export", "html", "traces", "--db", db, "--run", "slower", "-o", drawn).code == 0
    call = "link(bandwidth_ratio = 0.5,2)"
    assert tw("replay", "--db", db, "--run", "trial", "--sweep", call, "-o", sweep).code == 0

    with Browser(command) as browser:
        page = browser.page(drawn)
        assert page.text("#legend").startswith("critical path")
        assert page.complaints == []
        page = browser.page(sweep)
        assert page.value("document.getElementById('timeline-section')") is None
        bars = page.value("[...tw.charts.drawn.values()][0].given.series[0].values")
        assert bars[:2] == [3_057_224, PREDICTED_NS] and bars[2] < bars[0]
        assert page.complaints == []


@pytest.mark.slow
def test_a_sweep_is_written_as_a_page(tw: Tw, db: Path, tmp_path: Path) -> None:
    target = tmp_path / "sweep.html"
    call = "link(bandwidth_ratio = 0.5,1)"

    assert tw("replay", "--db", db, "--run", "trial", "--sweep", call, "-o", target).code == 0

    text = target.read_text()
    assert (
        '"labels":["unchanged","link(bandwidth_ratio = 0.5)","link(bandwidth_ratio = 1)"]' in text
    )
    assert f'"values":[3057224.0,{PREDICTED_NS}.0,3057224.0]' in text
