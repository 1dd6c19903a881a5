"""Names of a trace that are markup, formulas or terminal controls stay text in every output."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import CHROMIUM
from tests.support.browser import Browser, program
from tests.support.randomtrace import RandomTrace, import_jobs, make
from tests.support.sharing import integration
from tests.support.tpu_cases import Workbook

FORMULA = "=cmd|' /C calc'!A0"
MARKUP = "</script><img src=x onerror=\"document.title='owned'\"><svg onload=alert(1)>"
NAMES = (
    FORMULA, MARKUP, "a\0b", "\x1b]0;owned\x07\x1b[2J", "\u202egnp.exe", "🚀 \r\n | ` $(id)",
    "n" * 100_000,
)  # fmt: skip
#: What changes a terminal or the direction of a text.
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u202a-\u202e\u2066-\u2069]")


def hostile(trace: RandomTrace) -> RandomTrace:
    """The trace in which names of operators, annotations, modules, kernels and processes attack."""
    names = {name: number for number, name in enumerate(sorted({e.name for e in trace.slices}))}

    def renamed(event: dict[str, Any]) -> dict[str, Any]:
        if event.get("name") == "process_name":
            return {**event, "args": {"name": MARKUP + FORMULA}}
        number = names.get(event.get("name", ""))
        if number is None or event.get("cat") in ("cuda_runtime", "cuda_driver"):
            return event
        return {**event, "name": f"{NAMES[number % len(NAMES)]}{number}"}

    return trace.changed([renamed(event) for event in trace.events])


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hostile") / "w.duckdb"
    return import_jobs(path, {"a": [hostile(make(4, steps=1))]}).path


@pytest.fixture
def run(tw: Callable[..., Any], warehouse: Path) -> Callable[..., Any]:
    def command(*arguments: str) -> Any:
        found = tw(*arguments, "--db", warehouse)
        assert found.code == 0, found.err
        assert not CONTROLS.search(found.err), found.err
        return found

    return command


@pytest.fixture
def long_fields() -> Iterator[None]:
    """Python's reader of CSV refuses long fields by default."""
    limit = csv.field_size_limit(1_000_000)
    yield
    csv.field_size_limit(limit)


@pytest.mark.integration
def test_a_page_shows_them_and_runs_nothing(run: Callable[..., Any], tmp_path: Path) -> None:
    path = program()
    if path is None:
        pytest.skip(f"no Chromium: none is on the path and {CHROMIUM} is not set")
    run("export", "html", "-o", str(tmp_path / "page.html"))
    assert (tmp_path / "page.html").stat().st_size < 20_000_000  # long names are cut
    with Browser(path) as browser:
        page = browser.page(tmp_path / "page.html")
        page.value("dispatchEvent(new Event('beforeprint'))")
        page.settle()

        assert "<svg onload" in page.text("#sections")
        assert FORMULA in page.text("#sections")
        assert "owned" not in page.value("document.title")
        assert page.value("document.querySelectorAll('img, svg, [onerror], [onload]').length") == 0
        assert page.complaints == []


@pytest.mark.integration
def test_a_workbook_has_them_as_text(run: Callable[..., Any], tmp_path: Path) -> None:
    run("export", "xlsx", "-o", str(tmp_path / "book.xlsx"))

    book = Workbook(tmp_path / "book.xlsx")  # which parses each part as XML
    cells = [cell for sheet in book.sheets for row in book.rows(sheet) for cell in row]
    texts = [cell for cell in cells if isinstance(cell, str)]
    assert any(text.startswith(FORMULA) for text in texts)
    assert any(text.startswith(MARKUP) for text in texts)
    assert max(map(len, texts)) <= 32_767  # the most a cell can hold
    with zipfile.ZipFile(tmp_path / "book.xlsx") as archive:
        parts = [archive.read(name).decode() for name in archive.namelist() if "sheet" in name]
    formulas = [each for part in parts for each in re.findall(r"<f>(.*?)</f>", part, re.DOTALL)]
    assert not any("cmd" in each for each in formulas)


@pytest.mark.parametrize(
    "query",
    ["kernel_summary", *(integration(name) for name in ("op_summary", "annotation_summary"))],
)
def test_tables_of_a_terminal_have_no_control_characters(
    run: Callable[..., Any], query: str
) -> None:
    shown = run("query", query, "--format", "table").out

    assert len(shown.splitlines()) > 3
    assert not CONTROLS.search(shown)
    assert max(map(len, shown.splitlines())) < 1_000
    assert not CONTROLS.search(run("query", query, "--format", "markdown").out)


@pytest.mark.integration
def test_files_of_rows_have_the_exact_names(run: Callable[..., Any], long_fields: None) -> None:
    statement = "SELECT DISTINCT name FROM slice ORDER BY name"
    expected = [
        row["name"] for row in json.loads(run("query", "-c", statement, "--format", "json").out)
    ]

    for name in NAMES:
        assert any(each.startswith(name) for each in expected), name[:40]
    text = run("query", "-c", statement, "--format", "csv").out
    assert [row[0] for row in csv.reader(io.StringIO(text, newline=""))][1:] == expected
    safe = run("query", "-c", statement, "--format", "csv", "--csv-safe").out
    assert not any(row[0].startswith("=") for row in csv.reader(io.StringIO(safe, newline="")))


@pytest.mark.integration
def test_perfetto_and_chrome_files_hold_the_exact_names(
    run: Callable[..., Any], tmp_path: Path
) -> None:
    from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace

    run("export", "perfetto", "-o", str(tmp_path / "t.pftrace"))
    run("export", "chrome", "-o", str(tmp_path / "c.json"))
    trace = Trace()
    trace.ParseFromString((tmp_path / "t.pftrace").read_bytes())
    interned = [n.name for packet in trace.packet for n in packet.interned_data.event_names]
    named = [packet.track_event.name for packet in trace.packet if packet.HasField("track_event")]
    chrome = [
        event.get("name", "")
        for event in json.loads((tmp_path / "c.json").read_text())["traceEvents"]
    ]

    for name in NAMES:
        assert any(each.startswith(name) for each in (*interned, *named)), name[:40]
        assert any(each.startswith(name) for each in chrome), name[:40]
