"""The report of TPU captures: a workbook with the vendor's sheets, a page that leads there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import CHROMIUM
from tests.support.browser import Browser, program
from tests.support.sharing import WarehouseCache
from tests.support.tpu_cases import CASES, DEFECTS, MORE_CASES, Cases, Workbook
from warehouse.export import report, sections
from warehouse.export.page import page as html
from warehouse.export.workbook import workbook as xlsx

pytestmark = pytest.mark.integration  # all of it on recordings

#: What the vendor's workbook writes where nothing is known, or for commands that do not have it.
NOTHING = ("-", "None", "None -> None", "0x0", "0", "0.0", 0.0, None)


#: More captures whose statistics are compared; those that the vendor's tool gets wrong are omitted.
SLOW_STATISTICS = [
    pytest.param(case, marks=pytest.mark.slow)
    for case in (*CASES, *MORE_CASES)
    if case != "aks_m2_8core" and case not in DEFECTS
]


@pytest.fixture(scope="module")
def cases(data_dir: Path, imported_files: WarehouseCache) -> Cases:
    return Cases(imported_files, data_dir / "bigtpu")


def workbook(cases: Cases, case: str, folder: Path) -> Workbook:
    with cases.opened(case) as session:
        chosen = report.load("tpu")
        path = folder / "tpu.xlsx"
        xlsx.export_xlsx(chosen.title, report.fill(session, chosen, "workbook"), path)
    return Workbook(path)


@pytest.fixture(scope="module")
def ours(cases: Cases, tmp_path_factory: pytest.TempPathFactory) -> Workbook:
    return workbook(cases, "aks_m2_8core", tmp_path_factory.mktemp("book"))


@pytest.fixture(scope="module")
def theirs(cases: Cases) -> Workbook:
    return Workbook(cases.data / "aks_m2_8core/out37/PerfDoc/out37.xlsx")


@pytest.mark.slow
def test_engines_have_the_vendors_sheets_in_its_order(ours: Workbook, theirs: Workbook) -> None:
    lists = [name for name in theirs.sheets if name[-2:-1] == "_"]

    assert len(lists) == 24
    assert [name for name in ours.sheets if name[-2:-1] == "_"] == lists


@pytest.mark.parametrize("sheet", ["TIU_0", "GDMA_0", "SDMA_0", "TIU_7", "GDMA_7"])
def test_a_sheet_has_the_vendors_columns_and_values(
    ours: Workbook, theirs: Workbook, sheet: str
) -> None:
    found, expected = (book.table(sheet, "Engine Id") for book in (ours, theirs))

    names = [name for name in expected[0] if name in found[0]]
    assert names == list(expected[0])
    assert [name for name in found[0] if name in expected[0]] == names
    assert len(found) == len(expected)
    for row, other in zip(found, expected, strict=True):
        differing = {
            name: (row[name], other[name]) for name in names if not same(row[name], other[name])
        }
        assert not differing


def same(ours: Any, theirs: Any) -> bool:
    if ours is None:
        return theirs in NOTHING
    if isinstance(theirs, str) and theirs.endswith("%"):
        return f"{ours:.1%}" == theirs
    return bool(ours == theirs)


#: Columns of the vendor's chip specification and statistics, which ours has under the same names.
CHIP = (
    "Platform", "CHIP ARCH", "Core Num", "NPU Num", "Cube IC Align(8bits)", "Cube OHOW Align",
    "Vector OHOW Align(8bits)", "TIU Frequency(MHz)", "DMA Frequency(MHz)", "DDR Frequency(MHz)",
    "TPU Lmem Size(MiB)",
)  # fmt: skip
STATISTICS = (
    "Function Name", "Instr Num", "Alg Ops", "Alg Ops Ratio", "Alg Cycle", "Alg Cycle Ratio",
    "uArch Ops", "uArch URate", "uArch Ops Ratio", "Asic Cycle", "Asic Cycle Ratio",
)  # fmt: skip


@pytest.mark.parametrize("case", ["aks_m2_8core", *SLOW_STATISTICS])
def test_chip_and_statistics_of_functions_are_the_vendors(
    cases: Cases, case: str, tmp_path: Path
) -> None:
    (path,) = (cases.data / case).glob("out37/PerfDoc/*.xlsx")
    theirs = Workbook(path)
    ours = small_workbook(cases, case, ("Chip specification", "Functions"), tmp_path)
    (chip,) = ours.table("Chip specification", "CHIP ARCH")
    functions = ours.table("Functions", "Function Name")

    cores = [int(name[4:]) for name in theirs.sheets if name.startswith("TIU_")]
    assert cores and {row["Core Id"] for row in functions} == set(cores)
    for core in cores:
        rows = theirs.rows(f"TIU_{core}")
        names, values = rows[:2]
        for name in CHIP:
            assert differs(chip[name], values[names.index(name)]) is None
        found = [row for row in functions if row["Core Id"] == core]
        expected = statistics(rows)
        assert [row["Function Name"] or "Overall" for row in found] == list(expected)
        for row in found:
            other = expected[row["Function Name"] or "Overall"]
            wrong = {name: differs(row[name], other[name]) for name in STATISTICS[1:]}
            assert not any(wrong.values()), (core, row["Function Name"], wrong)


def statistics(rows: list[list[Any]]) -> dict[str, dict[str, Any]]:
    """The vendor's statistics of a core, by name, Overall last."""
    start = next(n for n, row in enumerate(rows) if row[:1] == ["Statistics"])
    found: dict[str, dict[str, Any]] = {}
    for row in rows[start + 1 :]:
        values = dict(zip(STATISTICS, row[1:], strict=False))
        found[values["Function Name"]] = values
        if values["Function Name"] == "Overall":
            break
    return found


def differs(ours: Any, theirs: Any) -> tuple[Any, Any] | None:
    """Both values, if they are not equal; a share of nothing is 0 % or, of the whole, 100 %."""
    if isinstance(theirs, str) and theirs.endswith("%"):
        same = theirs in ("0.00%", "100.00%") if ours is None else f"{ours:.2%}" == theirs
    elif isinstance(ours, str):
        same = ours == theirs
    else:
        same = float(ours) == float(theirs)
    return None if same else (ours, theirs)


def small_workbook(cases: Cases, case: str, titles: tuple[str, ...], folder: Path) -> Workbook:
    with cases.opened(case) as session:
        chosen = report.load("tpu")
        parts = tuple(each for each in chosen.sections if each.title in titles)
        small = sections.Report("s", "s", parts)
        xlsx.export_xlsx("s", report.fill(session, small, "workbook"), folder / "s.xlsx")
    return Workbook(folder / "s.xlsx")


@pytest.mark.slow
def test_a_workbook_answers_what_engines_layers_and_links_did(cases: Cases, tmp_path: Path) -> None:
    book = workbook(cases, "aks_m1_8core_cdma", tmp_path)

    assert {"Overview", "Summary", "Engines", "Links", "Bandwidth"} <= set(book.sheets)
    lines = [row[0] for row in book.rows("Overview") if row]
    assert "Layers" in lines[lines.index("Without rows") + 1 :]  # captured without a bmodel
    assert "Layers" in workbook(cases, "aks_bmodel_layers", tmp_path).sheets
    assert {"CDMA_0", "CDMA_3"} <= set(book.sheets)
    (heading, *_) = book.rows("Links")[0]
    assert heading.startswith("run_id")
    assert len(book.rows("Links")) == 1 + 4


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    command = program()
    if command is None:
        pytest.skip(f"no Chromium: none is on the path and {CHROMIUM} is not set")
    with Browser(command) as opened:
        yield opened


@pytest.mark.slow
def test_a_click_on_a_command_says_its_row_in_the_workbook(
    cases: Cases, ours: Workbook, browser: Browser, tmp_path: Path
) -> None:
    with cases.opened("aks_m2_8core") as session:
        html.write(html.of_session(session, report.load("tpu"), 1_000), tmp_path / "page.html")
    page = browser.page(tmp_path / "page.html")
    box = page.value(
        "(() => { const box = document.querySelector('canvas').getBoundingClientRect();"
        " return [box.x, box.y, box.width]; })()"
    )
    for x in range(240, 900, 6):  # along the second track, TIU of core 0
        page.click(box[0] + x, box[1] + 95)
        if "sheet TIU_0" in page.text("#kept"):
            break

    text = page.text("#kept")
    assert "sheet TIU_0, row 2" in text and "arith.add" in text
    assert ours.table("TIU_0", "Engine Id")[0]["Function Name"] == "arith.add"
    width = "tw.timeline.view().end - tw.timeline.view().start"
    before = page.value(width)
    page.mouse("mouseWheel", box[0] + 500, box[1] + 95, deltaX=0, deltaY=-400)
    assert page.value(width) < before
    assert page.complaints == []


@pytest.mark.slow
def test_what_is_only_for_a_workbook_is_not_on_a_page(cases: Cases) -> None:
    with cases.opened("aks_m2_8core") as session:
        chosen = report.load("tpu")
        small = sections.Report("s", "s", tuple(s for s in chosen.sections if s.each))
        on_page = list(report.fill(session, small, "page"))
        in_book = [filled.section.title for filled in report.fill(session, small, "workbook")]

    assert on_page == []
    assert in_book[:4] == ["TIU_0", "GDMA_0", "SDMA_0", "TIU_1"]


@pytest.mark.slow
def test_the_bar_of_all_cores_says_that_it_is_of_all(cases: Cases) -> None:
    with cases.opened("aks_m2_8core") as session:
        chosen = report.load("tpu")
        small = sections.Report("s", "s", tuple(s for s in chosen.sections if s.title == "Summary"))
        (filled,) = report.fill(session, small, "page")

    chart = filled.section.chart
    assert chart is not None
    cores = filled.result.arrow().column("core").to_pylist()
    names = [sections.label(chart, (core,)) for core in cores]
    assert names == [*(f"core {n}" for n in range(8)), "all cores"]
