"""Charts of regions: the largest rectangles of many rows, and what a page shows of them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.conftest import CHROMIUM
from tests.support.browser import Browser, Page, program
from tests.support.sharing import WarehouseCache
from warehouse.export import report
from warehouse.export.page import page as html
from warehouse.export.page import regions
from warehouse.export.sections import Chart, Report
from warehouse.library.header import Column
from warehouse.query import session
from warehouse.query.result import QueryResult
from warehouse.query.selection import Selection

DRAWN = Chart(
    "region", ("core",), ("low", "high"), x="start", x_end="end", series="access", text=("name",),
    most="size", rows=3,
)  # fmt: skip
UNITS = {"start": "ns", "end": "ns", "low": "byte", "high": "byte", "size": "byte"}


def result(rows: list[dict[str, Any]]) -> QueryResult:
    table = pa.Table.from_pylist(rows)
    columns = tuple(Column(n, "", UNITS.get(n), "") for n in table.column_names)
    return QueryResult(table, columns, {})


def random_rows(rng: random.Random, n: int) -> list[dict[str, Any]]:
    rows = []
    for _ in range(n):
        start, low = rng.randrange(1_000), rng.randrange(200)
        high = None if rng.random() < 0.1 else low + rng.randrange(1, 60)
        rows.append(
            {"core": rng.randrange(3), "access": rng.choice(("read", "write")), "low": low,
             "high": high, "start": start, "end": start + rng.randrange(50), "size": 256,
             "name": rng.choice(("add", "load", None))}
        )  # fmt: skip
    return rows


def shown(chart: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [
        (chart["labels"][core], chart["series"][access]["name"], chart["texts"][name], *places)
        for core, access, name, *places in chart["regions"]
    ]


def expected(row: dict[str, Any]) -> tuple[Any, ...]:
    places = (row[name] for name in ("start", "end", "low", "high"))
    return f"core {row['core']}", row["access"], row["name"] or "", *places


def test_few_rows_are_all_drawn_in_order() -> None:
    rows = random_rows(random.Random(1), 300)

    chart = regions.chart(result(rows), DRAWN)

    assert shown(chart) == [expected(row) for row in rows]
    assert (chart["height"], chart["unit"], chart["x_unit"]) == (256, "byte", "ns")
    assert chart["n_left_out"] == 0


def test_of_many_rows_the_largest_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regions, "MOST", 40)
    rows = random_rows(random.Random(2), 300)

    chart = regions.chart(result(rows), DRAWN)

    def area(row: dict[str, Any]) -> int:
        high = row["low"] if row["high"] is None else row["high"]
        size: int = (row["end"] - row["start"]) * (high - row["low"])
        return size

    largest = sorted(rows, key=area, reverse=True)[:40]
    assert shown(chart) == [expected(row) for row in rows if row in largest]
    assert chart["n_left_out"] == 260


def test_rows_of_labels_without_a_map_are_left_out() -> None:
    rows = [row | {"core": n} for n, row in enumerate(random_rows(random.Random(3), 5))]

    chart = regions.chart(result(rows), DRAWN)

    assert chart["labels"] == ["core 0", "core 1", "core 2"]
    assert shown(chart) == [expected(row) for row in rows[:3]]
    assert chart["n_left_out"] == 2


@pytest.fixture(scope="module")
def page(
    data_dir: Path, imported_files: WarehouseCache, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Page]:
    command = program()
    if command is None:
        pytest.skip(f"no Chromium: none is on the path and {CHROMIUM} is not set")
    case = data_dir / "bigtpu/v030_aks_m2_8core"
    db = imported_files((case.name, [case / "input"]))
    path = tmp_path_factory.mktemp("regions") / "page.html"
    with session.opened(session.Place(db), Selection(runs=(case.name,))) as opened:
        chosen = report.load("tpu")
        of_memory = tuple(e for e in chosen.sections if e.query == "tpu_local_memory")
        small = Report("s", "s", of_memory)
        html.write(html.of_session(opened, small, 10), path)
    with Browser(command) as browser:
        opened_page = browser.page(path)
        opened_page.value("dispatchEvent(new Event('beforeprint'))")
        opened_page.settle()
        yield opened_page
        assert opened_page.complaints == []


VIEW = "(({start, end, low, high}) => [start, end, low, high])(tw.regions.charts[0].view)"
PLACE = """(() => {
  const box = document.querySelector("canvas.regions").getBoundingClientRect();
  scrollBy(0, box.top - 100);
  const { x, y, width, height } = document.querySelector("canvas.regions").getBoundingClientRect();
  return [x, y, width, height];
})()"""


@pytest.mark.integration
def test_a_page_has_a_map_of_each_core_and_says_what_is_pointed_at(page: Page) -> None:
    """The first command of core 0 is a load of 2 KiB to 8 KiB of each lane, from 0 to 1,630 ns."""
    assert page.value("document.querySelectorAll('canvas.regions').length") == 8
    x, y, width, height = page.value(PLACE)
    _, end, low, high = page.value(VIEW)
    assert (low, high) == (0, 256 * 1024)
    left, top, bottom = 74, 6, 20  # of the map in its canvas

    across = x + left + (width - left) * 800 / end
    page.mouse("mouseMoved", across, y + height - bottom - (height - top - bottom) * 9 / 256)

    text = page.text(".chart p.quiet")
    assert "core 0: write by GDMA · tensorLd DDR->LMEM · destination, 2 KiB at 8 KiB" in text
    assert "from 0 ns, for 1.63 µs" in text


@pytest.mark.integration
def test_a_drag_zooms_and_a_double_click_shows_all(page: Page) -> None:
    x, y, width, height = page.value(PLACE)
    whole = page.value(VIEW)
    left, top, bottom = 74, 6, 20
    center = (x + left + (width - left) / 2, y + top + (height - top - bottom) / 2)

    page.mouse("mousePressed", *center, button="left", clickCount=1)
    page.mouse("mouseMoved", x + width, y + height - bottom, button="left", buttons=1)
    page.mouse("mouseReleased", x + width, y + height - bottom, button="left", clickCount=1)

    start, end, low, high = page.value(VIEW)
    assert start == pytest.approx((whole[0] + whole[1]) / 2, rel=0.01)
    assert high == pytest.approx(whole[3] / 2, rel=0.02)
    assert (end, low) == (pytest.approx(whole[1], rel=0.01), pytest.approx(0, abs=2_000))
    for count in (1, 2):
        page.mouse("mousePressed", *center, button="left", clickCount=count)
        page.mouse("mouseReleased", *center, button="left", clickCount=count)
    assert page.value(VIEW) == whole
