"""Workbooks: read back as a spreadsheet program would, from the XML itself."""

from __future__ import annotations

import re
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pyarrow as pa
import pytest

from tests.support.sharing import GPU, WarehouseCache
from warehouse.export import report, sections
from warehouse.export.workbook import units, workbook
from warehouse.library import library
from warehouse.library.header import Column
from warehouse.query.result import QueryResult

if TYPE_CHECKING:
    from tests.conftest import Tw

DATA = Path(__file__).parent.parent / "data/kineto"
MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


class Book:
    """The cells of a workbook: by sheet, rows of (type, text)."""

    def __init__(self, path: Path) -> None:
        with zipfile.ZipFile(path) as archive:
            self.parts = {name: archive.read(name).decode() for name in archive.namelist()}
        names = ElementTree.fromstring(self.parts["xl/workbook.xml"]).iter(f"{MAIN}sheet")
        # What only a program can see comes last and is none of a reader's sheets.
        self.sheets = [each.attrib["name"] for each in names if each.get("state") != "veryHidden"]

    def cells(self, sheet: str) -> Iterator[list[tuple[str, str]]]:
        number = self.sheets.index(sheet) + 1
        root = ElementTree.fromstring(self.parts[f"xl/worksheets/sheet{number}.xml"])
        for row in root.iter(f"{MAIN}row"):
            yield [(cell.get("t", "n"), "".join(cell.itertext())) for cell in row]

    def texts(self, sheet: str) -> list[list[str]]:
        return [[text for _, text in row] for row in self.cells(sheet)]


def answer(**columns: list[Any]) -> QueryResult:
    table = pa.table(columns)
    units = {"share": "ratio", "busy_ns": "ns"}
    described = tuple(
        Column(name, "VARCHAR", units.get(name), f"what {name} is") for name in columns
    )
    return QueryResult(
        table, described, {"query": "made_up@3", "query_hash": "abc", "runs": '["a"]'}
    )


def write(
    path: Path, *parts: tuple[str, QueryResult], **chart: Any
) -> tuple[workbook.WorkbookSummary, Book]:
    drawn = sections.Chart(**chart) if chart else None
    filled = [
        sections.FilledSection(sections.Section("made_up", title, chart=drawn), each)
        for title, each in parts
    ]
    return workbook.export_xlsx("A report", filled, path), Book(path)


def test_a_sheet_holds_the_rows_under_names_and_units(tmp_path: Path) -> None:
    rows = answer(name=["a", "b"], busy_ns=[1234567, None], share=[0.25, 1.0], ok=[True, False])
    written, book = write(tmp_path / "b.xlsx", ("Busy", rows))

    assert book.sheets == ["Overview", "Columns", "Busy", "Export manifest"]
    assert (written.n_rows, written.sheets) == (2, book.sheets)
    head, first, second = book.cells("Busy")
    assert [text for _, text in head][:3] == ["name\n[varchar]", "busy_ns\n[ns]", "share\n[ratio]"]
    assert first == [("inlineStr", "a"), ("n", "1234567"), ("n", "0.25"), ("b", "1")]
    assert second == [("inlineStr", "b"), ("n", "1"), ("b", "0")]


def test_booleans_have_no_format_of_numbers(tmp_path: Path) -> None:
    columns = (Column("is_total", "BOOLEAN", "count"), Column("n", "BIGINT", "count"))
    rows = QueryResult(pa.table({"is_total": [True, False], "n": [1, 2]}), columns, {})
    _, book = write(tmp_path / "b.xlsx", ("Functions", rows))

    sheet = book.parts[f"xl/worksheets/sheet{book.sheets.index('Functions') + 1}.xml"]
    styles = [each.get("style") for each in ElementTree.fromstring(sheet).iter(f"{MAIN}col")]
    assert styles[0] is None
    assert styles[1] is not None


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+1",
        "-1",
        "@SUM(A1)",
        "\tx",
        "http://example.org",
        "{=A1}",
        "1e5",
        "_x0041_",
        "名前",
    ],
)
def test_text_is_never_a_formula_a_link_or_a_number(tmp_path: Path, text: str) -> None:
    _, book = write(tmp_path / "b.xlsx", (text, answer(name=[text])))

    (_, ((kind, _),)) = book.cells(book.sheets[2])
    assert kind == "inlineStr"
    assert "<f>" not in "".join(book.parts.values())
    assert not any('TargetMode="External"' in part for part in book.parts.values())


def test_integers_beyond_doubles_keep_their_digits(tmp_path: Path) -> None:
    exact = answer(n=[2**53, 2**53 + 1, -(2**53) - 1])
    written, book = write(tmp_path / "b.xlsx", ("N", exact))
    assert written.n_integers_as_text == 2
    assert list(book.cells("N"))[1:] == [
        [("n", "9007199254740992")], [("inlineStr", "9007199254740993")],
        [("inlineStr", "-9007199254740993")],
    ]  # fmt: skip


def test_infinite_numbers_are_text(tmp_path: Path) -> None:
    _, book = write(tmp_path / "b.xlsx", ("N", answer(n=[float("inf"), float("nan"), 1e300])))
    assert [row[0][0] for row in book.cells("N")][1:] == ["inlineStr", "inlineStr", "n"]


def test_long_texts_are_cut_and_counted(tmp_path: Path) -> None:
    texts = ["x" * 32_767, "x" * 32_768, "\U0001f600" * 16_384]
    written, book = write(tmp_path / "b.xlsx", ("T", answer(name=texts)))

    assert written.n_cut_texts == 2
    _, whole, cut, emoji = book.texts("T")
    assert whole == ["x" * 32_767]
    assert cut[0].endswith("[32,768 characters]")
    assert len(emoji[0].encode("utf-16-le")) // 2 <= 32_767


def test_rows_beyond_a_sheet_go_to_more_sheets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workbook, "ROWS_A_SHEET", 3)
    written, book = write(tmp_path / "b.xlsx", ("Long", answer(n=list(range(7)))))

    names = ["Long (1 of 3)", "Long (2 of 3)", "Long (3 of 3)"]
    assert book.sheets[2:-1] == names
    assert written.n_split == 1
    rows = [row for name in names for row in book.texts(name)[1:]]
    assert rows == [[str(n)] for n in range(7)]


@pytest.mark.parametrize(
    ("titles", "names"),
    [
        (["a/b:c*d?[e]\\"], ["a b c d  e"]),
        (["Same", "same", "SAME"], ["Same", "same 2", "SAME 3"]),
        (["x" * 40, "x" * 40], ["x" * 31, "x" * 29 + " 2"]),
        (["'quoted'"], ["quoted"]),
        (["", "History"], ["Sheet", "History 2"]),
        (["Overview"], ["Overview 2"]),
    ],
)
def test_sheets_have_names_a_spreadsheet_accepts(
    tmp_path: Path, titles: list[str], names: list[str]
) -> None:
    _, book = write(tmp_path / "b.xlsx", *((title, answer(n=[1])) for title in titles))
    assert book.sheets[2:-1] == names


def test_every_column_and_the_origin_are_explained(tmp_path: Path) -> None:
    _, book = write(tmp_path / "b.xlsx", ("Busy", answer(name=["a"], busy_ns=[1])))

    assert book.texts("Columns")[1:] == [
        ["Busy", "name", "", "VARCHAR", "what name is", "made_up@3"],
        ["Busy", "busy_ns", "ns", "VARCHAR", "what busy_ns is", "made_up@3"],
    ]
    overview = [text for row in book.texts("Overview") for text in row]
    assert {"A report", "Busy"} <= set(overview)
    manifest = [text for row in book.texts("Export manifest") for text in row]
    assert {"runs", '["a"]', "made_up@3"} <= set(manifest)


def test_a_section_without_rows_is_a_line_with_the_reason(tmp_path: Path) -> None:
    parts = [
        sections.FilledSection(sections.Section("busy", "Busy"), answer(n=[1])),
        sections.FilledSection(
            sections.Section("memory", "=Memory"), answer(n=[]), reason="=No events (<b>)."
        ),
        sections.FilledSection(
            sections.Section("listed", "Listed", headings={"n": "N"}), answer(n=[]), reason="None."
        ),
    ]
    written = workbook.export_xlsx("A report", parts, tmp_path / "b.xlsx")

    book = Book(tmp_path / "b.xlsx")
    assert book.sheets == ["Overview", "Columns", "Busy", "Listed", "Export manifest"]
    rows = list(book.cells("Overview"))
    assert [rows[-2][0][1], rows[-2][-1][1]] == ["Without rows", "Why"]
    assert [(kind, text) for kind, text in rows[-1] if text] == [
        ("inlineStr", "=Memory"), ("inlineStr", "=No events (<b>)."),
    ]  # fmt: skip
    manifest = [row[0] for row in book.texts("Export manifest")]
    assert manifest.count("made_up@3") == len(parts)
    assert written.n_without_rows == 1


def test_charts_are_drawn_over_the_rows(tmp_path: Path) -> None:
    rows = answer(name=["a", "b", "c"], busy_ns=[3, 2, 1])
    _, book = write(
        tmp_path / "b.xlsx",
        ("Busy", rows),
        kind="bar",
        label=("name",),
        values=("busy_ns",),
        rows=2,
    )
    chart = book.parts["xl/charts/chart1.xml"]
    assert re.findall(r"<c:f>(.*?)</c:f>", chart) == ["'Chart labels'!$A$2:$A$3", "Busy!$B$2:$B$3"]
    assert book.texts("Chart labels") == [["Busy"], ["a"], ["b"]]


@pytest.mark.parametrize(
    ("column", "values", "name", "form"),
    [
        ("busy_ns", [1234, 999_999], "µs", "#,##0,"),
        ("busy_ns", [-5_600_000, None], "ms", "#,##0.0,,"),
        ("busy_ns", [70, 8], "ns", "#,##0"),
        ("share", [0.25, 0.5], None, "0%"),
    ],
)
def test_axes_have_the_unit_of_the_largest_value(
    tmp_path: Path, column: str, values: list[float | None], name: str | None, form: str
) -> None:
    rows = answer(name=["a", "b"], **{column: values})
    _, book = write(
        tmp_path / "b.xlsx", ("Busy", rows), kind="bar", label=("name",), values=(column,)
    )
    axis = book.parts["xl/charts/chart1.xml"].split("<c:valAx>")[1]
    assert f'<c:numFmt formatCode="{form}"' in axis
    assert re.findall(r"<a:t>(.*?)</a:t>", axis) == ([name] if name else [])
    limits = ['<c:max val="1"/>', '<c:min val="0"/>']
    assert [each in axis for each in limits] == [column == "share"] * 2


@pytest.mark.parametrize(
    ("unit", "value", "form"),
    [
        ("ns", 47_151_395, "#,##0.00,,"),  # 47.15
        ("ns", 630_639_000, "#,##0.0,,"),  # 630.6
        ("byte", 2_088_508_416, "#,##0.000,,,"),  # 2.089
        ("count", 14_532, "#,##0"),
    ],
)
def test_key_figures_have_four_digits(unit: str, value: float, form: str) -> None:
    assert units.number_format(units.scale(unit, value), n_digits=4) == form


@pytest.mark.parametrize(("x", "name"), [("at_ns", "at [µs]"), ("step", "step")])
def test_the_axis_of_lines_names_its_column(tmp_path: Path, x: str, name: str) -> None:
    rows = answer(**{x: [1000, 2000]}, busy_ns=[5, 6])
    rows = QueryResult(
        rows.arrow(),
        tuple(Column(c, "BIGINT", "count" if c == "step" else "ns", "") for c in (x, "busy_ns")),
        rows.meta,
    )
    _, book = write(
        tmp_path / "b.xlsx", ("Busy", rows), kind="line", label=(), values=("busy_ns",), x=x
    )
    x_axis = book.parts["xl/charts/chart1.xml"].split("<c:valAx>")[1]
    assert re.findall(r"<a:t>(.*?)</a:t>", x_axis) == [name]


def test_labels_tell_runs_apart(tmp_path: Path) -> None:
    rows = answer(run_id=[1, 2], rank=[0, 0], busy_ns=[3, 2])
    _, book = write(
        tmp_path / "b.xlsx", ("Busy", rows), kind="bar", label=("rank",), values=("busy_ns",)
    )
    assert book.texts("Chart labels")[1:] == [["run 1 · rank 0"], ["run 2 · rank 0"]]


def test_a_line_is_drawn_for_each_label(tmp_path: Path) -> None:
    rows = answer(rank=[0, 0, 1], at_ns=[1, 2, 1], busy_ns=[5, 6, 7])
    _, book = write(
        tmp_path / "b.xlsx", ("Busy", rows),
        kind="line", label=("rank",), values=("busy_ns",), x="at_ns",
    )  # fmt: skip
    chart = book.parts["xl/charts/chart1.xml"]
    assert re.findall(r"<c:f>(.*?)</c:f>", chart) == [
        "Busy!$B$2:$B$3", "Busy!$C$2:$C$3", "Busy!$B$4", "Busy!$C$4",
    ]  # fmt: skip


def test_nothing_is_left_where_a_query_fails(tmp_path: Path) -> None:
    def fails() -> Iterator[sections.FilledSection]:
        yield sections.FilledSection(sections.Section("made_up", "Fine"), answer(n=[1]))
        raise RuntimeError("late")

    with pytest.raises(RuntimeError):
        workbook.export_xlsx("A report", fails(), tmp_path / "b.xlsx")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", report.names())
def test_a_shipped_report_names_what_the_library_has(name: str) -> None:
    assert report.missing(report.load(name), library.load()) == []


@pytest.fixture
def gpu(imported_files: WarehouseCache, tmp_path: Path) -> Path:
    """A warehouse with one run where `tw` looks for it."""
    return imported_files.copy(tmp_path / "traces.duckdb", GPU)


@pytest.mark.slow
def test_the_command_writes_the_report_or_the_queries_named(
    tw: Tw, tmp_path: Path, gpu: Path
) -> None:
    ran = tw("export", "xlsx")
    assert ran.code == 0, ran.err
    whole = Book(tmp_path / "gpu.xlsx")
    sections = report.load("pytorch").sections
    titles = [each.title for each in sections]
    lines = [row[0] for row in whole.texts("Overview")]
    folded = lines[lines.index("Without rows") + 1 :]
    heat_map = "Utilization by rank and time utilization"[:31]
    assert heat_map in whole.sheets
    assert [each for each in whole.sheets if each != heat_map] == [
        "Overview", "Columns", *(each for each in titles if each not in folded),
        "Export manifest", "Chart labels",
    ]  # fmt: skip
    assert folded and set(folded) < set(titles)
    busy = whole.texts("Utilization")
    assert len(busy) == 3

    ran = tw("export", "xlsx", "kernel_summary", "-p", "top=1", "-o", "k.xlsx")
    assert (ran.code, Book(tmp_path / "k.xlsx").sheets[2:-1]) == (0, ["kernel_summary"])
    assert "Wrote k.xlsx: 2 rows on 4 sheets." in ran.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--report", "pytorhc"), "report 'pytorhc' not found"),
        (("utilization", "--report", "pytorch"), "QUERIES and --report cannot be combined"),
        (("utilization", "-p", "top=1"), "no query has a parameter 'top'"),
        (("-p", "top=1"), "-p cannot be combined with a report"),
    ],
)
def test_wrong_requests_are_named(
    tw: Tw, gpu: Path, arguments: tuple[str, ...], message: str
) -> None:
    ran = tw("export", "xlsx", *arguments)
    assert ran.code == 2
    assert message in ran.err


def test_a_report_of_ones_own_is_found_in_the_query_path(tw: Tw, tmp_path: Path, gpu: Path) -> None:
    folder = tmp_path / "mine/reports"
    folder.mkdir(parents=True)
    (folder / "short.toml").write_text(
        'name = "short"\ntitle = "Short"\n[[section]]\nquery = "utilization"\ntitle = "U"\n'
    )
    (folder / "broken.toml").write_text('name = "broken"\ntitle = 3\n')

    assert (
        tw("export", "xlsx", "--report", "short", "--query-path", "mine", "-o", "s.xlsx").code == 0
    )
    assert Book(tmp_path / "s.xlsx").sheets[2:] == ["U", "Export manifest"]
    ran = tw("export", "xlsx", "--report", "broken", "--query-path", "mine")
    assert "broken.toml: invalid report" in ran.err


@pytest.mark.slow
@pytest.mark.parametrize("case", ["a100_nccl", "triton"])
def test_a_workbook_prints_at_most_25_pages(
    tw: Tw, data_dir: Path, tmp_path: Path, case: str
) -> None:
    office, info = shutil.which("soffice"), shutil.which("pdfinfo")
    if office is None or info is None:
        pytest.skip("no LibreOffice, or no pdfinfo of poppler")
    trace = data_dir / "kineto" / case / "trace.json.gz"
    assert tw("import", str(trace), "--run", "a").code == 0
    assert tw("export", "xlsx", "-o", "a.xlsx").code == 0

    profile = f"-env:UserInstallation={(tmp_path / 'office').as_uri()}"
    convert = [office, "--headless", profile, "--convert-to", "pdf", "--outdir", str(tmp_path)]
    subprocess.run([*convert, str(tmp_path / "a.xlsx")], check=True, capture_output=True)
    listed = subprocess.run([info, str(tmp_path / "a.pdf")], check=True, capture_output=True)
    pages = re.search(rb"^Pages: *(\d+)$", listed.stdout, re.MULTILINE)
    assert pages is not None and 1 <= int(pages[1]) <= 25
