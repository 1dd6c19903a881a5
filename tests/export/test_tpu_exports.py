"""What the vendor's tool made of a capture, tw makes too; where it is wrong, a defect says why."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.support.sharing import GPU, WarehouseCache, slow
from tests.support.tpu_cases import CASES, DEFECTS, MORE_CASES, Cases, counted, slices_of
from tw_importers.sophgo.export import registers, summary
from warehouse.errors import ExportError
from warehouse.export.chrome.trace import export_chrome
from warehouse.export.perfetto.trace import export_perfetto
from warehouse.ingest import pipeline
from warehouse.query.selection import Selection
from warehouse.query.session import Place, opened

pytestmark = pytest.mark.integration  # all of it on recordings

MORE = [pytest.param(case, marks=pytest.mark.slow) for case in MORE_CASES]
SOUND = [
    "aks_m2_8core",
    *(slow(case) for case in CASES if case not in {*DEFECTS, "aks_m2_8core"}),
    *MORE,
]


@pytest.fixture(scope="module")
def cases(data_dir: Path, imported_files: WarehouseCache) -> Cases:
    return Cases(imported_files, data_dir / "bigtpu")


def exported(cases: Cases, case: str, folder: Path) -> list[dict[str, Any]]:
    path = folder / f"{case}.pftrace"
    with cases.opened(case) as session:
        export_perfetto(session.connection, path)
    return slices_of(path)


def vendors_rows(cases: Cases, case: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in cases.theirs(case, "slices.jsonl").splitlines()]


@pytest.mark.parametrize("case", SOUND)
def test_a_perfetto_file_says_what_the_vendors_says(
    cases: Cases, case: str, tmp_path: Path
) -> None:
    ours, theirs = exported(cases, case, tmp_path), vendors_rows(cases, case)

    assert counted(ours) == counted(theirs)
    assert [list(row.get("args", ())) for row in by_place(ours)] == [
        list(row.get("args", ())) for row in by_place(theirs)
    ]


def test_a_chrome_file_has_the_counters_of_the_vendors(cases: Cases, tmp_path: Path) -> None:
    case = "aks_m2_8core"
    with cases.opened(case) as session:
        export_chrome(session.connection, tmp_path / "t.json")
    document = json.loads((tmp_path / "t.json").read_text())
    events = document["traceEvents"] if isinstance(document, dict) else document
    cores = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
    begin = min(e["ts"] for e in events if e["ph"] == "X")
    ours = Counter(
        (f"{cores[e['pid']]}/{e['name']}", round((e["ts"] - begin) * 1000), value)
        for e in events if e["ph"] == "C" for value in e["args"].values()
    )  # fmt: skip
    theirs = Counter(
        (row["track"], row["ts"], row["value"])
        for row in vendors_rows(cases, case) if "value" in row
    )  # fmt: skip

    assert theirs and ours == theirs


def by_place(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: (row["track"], row["ts"], row.get("dur", 0)))


@pytest.mark.integration
def test_a_wrapped_counter_is_shown_as_one_that_never_wrapped(cases: Cases, tmp_path: Path) -> None:
    """Defect 1: the vendor's tool takes the wrap for a lapped buffer."""
    ours = exported(cases, "aks_m1_timewrap", tmp_path)

    assert counted(ours) == counted(vendors_rows(cases, "aks_m1_nowrap_ref"))


@pytest.mark.integration
def test_of_two_messages_of_one_length_the_first_is_sent(cases: Cases, tmp_path: Path) -> None:
    """Defect 3: without command words a port's messages are distinguished by their counters."""
    ours = counted(exported(cases, "aks_m0_8core_cdma", tmp_path))
    theirs = counted(vendors_rows(cases, "aks_m0_8core_cdma"))

    for differing, first in ((ours - theirs, "send"), (theirs - ours, "wait")):
        rows = by_place([json.loads(row) for row in differing.elements()])
        assert [row["track"] for row in rows] == ["CDMA/CDMA port0/CDMA port0 TX"] * 2
        assert rows[0]["name"] == f"sys_msg_tx_{first}"


@pytest.mark.integration
def test_a_transfer_of_bm1688_is_counted_once(cases: Cases, tmp_path: Path) -> None:
    """Defect 6: the vendor's tool adds up what every interface on the way counts."""
    ours = exported(cases, "bm1688_m1_2core", tmp_path)
    for row in ours:
        if "GDMA Bandwidth" in row["track"]:
            row["value"] = round(row["value"] * 3, 4)
        elif "DMA data size(B)" in row.get("args", ()):
            row["args"]["DMA data size(B)"] *= 3
            row["args"]["DDR Bandwidth(GB/s)"] = round(row["args"]["DDR Bandwidth(GB/s)"] * 3, 4)

    assert counted(ours) == counted(vendors_rows(cases, "bm1688_m1_2core"))


@pytest.mark.parametrize("case", SOUND)
def test_register_files_are_the_vendors_to_the_byte(
    cases: Cases, case: str, tmp_path: Path
) -> None:
    with cases.opened(case) as session:
        registers.export_registers(session.connection, tmp_path / "out")
    theirs = {path.name for path in (cases.data / case / "out37").glob("*RegInfo_*.txt")}

    assert {path.name for path in (tmp_path / "out").iterdir()} == theirs
    for name in sorted(theirs):
        assert (tmp_path / "out" / name).read_text() == cases.theirs(case, name)


def summary_cells(text: str) -> list[list[str]]:
    """The rows of the first table."""
    table = text.split("\n\n")[0].splitlines()
    lines = [line for line in table if " | " in line]
    return [[cell.strip() for cell in line.split("|")] for line in lines]


@pytest.mark.parametrize("case", [*CASES[:2], *map(slow, CASES[2:]), *MORE])
def test_a_summary_is_the_vendors_but_for_its_defects(cases: Cases, case: str) -> None:
    with cases.opened(case) as session:
        ours = summary.text(session)
    theirs = cases.theirs(case, "summary.txt")
    if case == "aks_m1_timewrap":  # defect 1
        theirs = cases.theirs("aks_m1_nowrap_ref", "summary.txt")

    found, expected = summary_cells(ours), summary_cells(theirs)
    has_shapes = not case.startswith(("aks_m0", "aks_m1", "aksv_m1", "bm1688"))
    for row in expected[1:]:
        cells = dict(zip(expected[0], row, strict=True))
        if not has_shapes:
            cells["uArchURate"] = "-"  # defect 4
        if case == "bm1688_m1_2core":
            cells["GdmaDdrAvgBW(GB/s)"] = "163.30"  # defect 6: a third of theirs
        if len(expected) == 3:
            cells["Parallelism(%)"] = with_sdma(cells)  # defect 7
        row[:] = cells.values()
    assert found == expected


def with_sdma(cells: dict[str, str]) -> str:
    """All engines of one core, SDMA too, which the vendor's tool leaves out there; at 1 GHz."""
    names = ("totalTiuCycle", "totalGdmaCycle", "totalSdmaCycle")
    busy = [float(cells[name].removesuffix("(us)")) for name in names]
    ns = sum(busy) * (1000 if "(us)" in cells[names[0]] else 1)
    return f"{ns / float(cells['totalTime(us)']) / 10:.2f}%"


def test_a_summary_is_laid_out_like_the_vendors(cases: Cases) -> None:
    with cases.opened("aks_m2_8core") as session:
        ours = summary.text(session)
    theirs = cases.theirs("aks_m2_8core", "summary.txt")

    assert ours.startswith(theirs)


def test_a_summary_has_what_the_vendors_announces_and_lacks(cases: Cases) -> None:
    with cases.opened("aks_m1_8core_cdma") as session:
        text = summary.text(session)

    engines, links, shares = (table.splitlines() for table in text.strip().split("\n\n")[1:])
    assert engines[0] == "Engines" and "Idle(us)" in engines[2] and "DdrReadBW" in engines[2]
    assert re.search(r"^ +0 \| +GDMA \| +6 \| +9\.678 \| +0\.000 \| +41\.894 \|", engines[4])
    assert [line.split()[0] for line in links[4:-1]] == ["0", "0", "3", "3"]
    assert "3.000" not in links[4] and "1.500" in links[4]  # MiB sent by port 0
    assert [line.split()[0] for line in shares[4:-1]] == [*map(str, range(8)), "chip"]


def test_without_a_capture_there_is_no_summary(
    tmp_path: Path, imported_files: WarehouseCache
) -> None:
    with opened(Place(imported_files(GPU)), Selection()) as session:
        with pytest.raises(ExportError, match="no TPU capture"):
            summary.text(session)
        with pytest.raises(ExportError, match="no TPU capture"):
            registers.export_registers(session.connection, tmp_path / "r")
    assert not (tmp_path / "r").exists()


def test_beside_the_hosts_trace_a_capture_lies_where_the_vendors_tool_puts_it(
    data_dir: Path, tmp_path: Path
) -> None:
    """On the host's time: by the end of profiling and the time from there to the last record."""
    case = data_dir / "bigtpu/aks_m1_trace_tail"
    options = pipeline.Options(run="both", jobs=1, is_one_run=True)
    pipeline.import_paths(
        [case / "input", case / "trace.json"], db=tmp_path / "w.duckdb", options=options
    )
    with opened(Place(tmp_path / "w.duckdb"), Selection()) as session:
        export_perfetto(session.connection, tmp_path / "both.pftrace")

    lines = (case / "out37/slices.jsonl").read_text().splitlines()
    theirs = [row for row in map(json.loads, lines) if row["track"].startswith(("Core", "CDMA"))]
    ours = [row for row in slices_of(tmp_path / "both.pftrace") if row["track"]]
    assert counted(ours) == counted(theirs)
