"""Writes a report as an xlsx workbook: overview with charts, a sheet per query with rows, column
descriptions and the manifest.

Spreadsheets are limited to 1,048,576 rows per sheet, 32,767 characters per cell and integers to
2^53. Further rows go to additional sheets; longer texts are truncated and greater integers written
as text, both counted in `WorkbookSummary`. Text is never a formula or a link.
"""

from __future__ import annotations

import io
import itertools
import math
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from warehouse import files
from warehouse.errors import ExportError
from warehouse.export import manifest
from warehouse.export.sections import OVER_X, FilledSection
from warehouse.export.workbook import charts, heat, overview
from warehouse.export.workbook.charts import Sheet
from warehouse.library.header import Column
from warehouse.query import plain
from warehouse.query.result import QueryResult

if TYPE_CHECKING:
    from xlsxwriter import Workbook
    from xlsxwriter.format import Format
    from xlsxwriter.worksheet import Worksheet

    from warehouse.export.key_figures import KeyFigures

ROWS_A_SHEET = 1_000_000
TEXT_LENGTH = 32_767
EXACT_INTEGER = 1 << 53
_WIDEST = 60
_PRINTED_ROWS = 50  # of each sheet
_PRINTED_SHEETS = 20  # a page each; the overview has at most five
_KEYS = ("run_id", "trace_id", "rank", "slice_id")  # hidden where a section has its own headings
_FORBIDDEN = re.compile(r"[\[\]:*?/\\\x00-\x1f]")
_NUMBER_FORMATS = {
    "ns": "#,##0", "byte": "#,##0", "count": "#,##0", "ratio": "0.0%", "percent": "0.0",
}  # fmt: skip


@dataclass
class WorkbookSummary:
    """Sizes of a workbook, and numbers of truncated or converted values."""

    path: Path
    n_rows: int = 0
    sheets: list[str] = field(default_factory=list)
    n_cut_texts: int = 0
    n_integers_as_text: int = 0
    n_split: int = 0  # queries that needed more than one sheet
    n_without_rows: int = 0  # sections that are a line of the overview


class Book:
    """An open workbook with its cell formats and used names."""

    def __init__(self, book: Workbook, written: WorkbookSummary) -> None:
        self.book = book
        self.written = written
        self.n_maps = 0  # sheets of heat maps
        self.abouts: list[Mapping[str, str]] = []
        self.parts: list[manifest.Part] = []
        self._formats: dict[tuple[tuple[str, Any], ...], Format] = {}

    def style(self, **properties: Any) -> Format:
        key = tuple(sorted(properties.items()))
        if key not in self._formats:
            self._formats[key] = self.book.add_format(properties)
        return self._formats[key]

    def text(self, text: str) -> str:
        """The text as a cell holds it; a truncated one is counted."""
        return _text(self.written, text)

    def sheet(self, title: str) -> Worksheet:
        name = _sheet_name(title, self.written.sheets)
        self.written.sheets.append(name)
        return self.book.add_worksheet(name)


def export_xlsx(
    title: str, parts: Iterable[FilledSection], path: Path, figures: KeyFigures | None = None
) -> WorkbookSummary:
    """Writes the parts of a report atomically, key figures first; raises ExportError."""
    written = WorkbookSummary(path)
    with files.whole_file(path, is_seeking=True) as file, _opened(file) as workbook:
        book = Book(workbook, written)
        # Rows of a sheet are streamed to disk; sheets may be filled in any order.
        first = book.sheet("Overview")
        meanings = book.sheet("Columns")
        collected = figures.collected(parts) if figures else parts
        parts_of = [sheet for filled in collected for sheet in _data(book, filled)]
        sheets = [each for each in parts_of if each.name is not None]
        _columns(book, meanings, sheets)
        if parts_of:
            overview.write_manifest(book, book.sheet("Export manifest"), parts_of)
        _labels(book, sheets)
        _set_up_printing(book, sheets)
        overview.write(book, first, title, parts_of, figures)
        _made_from(book)
    return written


@contextmanager
def _opened(file: BinaryIO) -> Iterator[Workbook]:
    """Opens a workbook, which is assembled only if the block succeeds; raises OSError."""
    import xlsxwriter
    from xlsxwriter.exceptions import FileCreateError

    output = _Output(file)
    with tempfile.TemporaryDirectory(prefix="tw-xlsx-") as folder:
        options = {
            "constant_memory": True, "tmpdir": folder, "strings_to_formulas": False,
            "strings_to_urls": False, "strings_to_numbers": False, "nan_inf_to_errors": False,
        }  # fmt: skip
        workbook = xlsxwriter.Workbook(output, options)
        yield workbook
        try:
            workbook.close()
        except FileCreateError as error:
            raise next(each for each in error.args if isinstance(each, OSError)) from None
    output.raise_failure()


class _Output:
    """A file for xlsxwriter that reports its first failure when the workbook is complete.

    xlsxwriter leaves its archive open after an exception, which Python then complains about.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._failure: OSError | None = None

    def __getattr__(self, name: str) -> Any:
        def call(*arguments: Any) -> Any:
            try:
                return getattr(self._file, name)(*arguments)
            except OSError as error:
                self._failure, self._file = error, io.BytesIO()
                return getattr(self._file, name)(*arguments)

        return call

    def raise_failure(self) -> None:
        """Raises OSError if a write has failed."""
        if self._failure is not None:
            raise self._failure


def _made_from(book: Book) -> None:
    """Writes the manifest to a hidden sheet, split to fit into cells."""
    if not book.parts:
        return
    text = manifest.of(book.abouts, "xlsx", book.parts).to_json()
    sheet = book.book.add_worksheet(manifest.SHEET)
    sheet.very_hidden()
    for row, start in enumerate(range(0, len(text), TEXT_LENGTH - 1)):
        sheet.write_string(row, 0, text[start : start + TEXT_LENGTH - 1])


def _sheet_name(title: str, taken: Sequence[str]) -> str:
    """Returns a valid, unique sheet name: at most 31 characters, without forbidden ones."""
    base = _FORBIDDEN.sub(" ", title).strip("' ")[:31] or "Sheet"
    lower = {name.lower() for name in taken} | {"history", manifest.SHEET.lower()}
    name, number = base, 1
    while name.lower() in lower:
        number += 1
        tail = f" {number}"
        name = base[: 31 - len(tail)] + tail
    return name


def _data(book: Book, filled: FilledSection) -> Iterator[Sheet]:
    """Writes the sheets of a query: one, or several if its rows exceed a sheet.

    A section without rows has none, unless its layout is its own.
    """
    n_rows = filled.rows.n_rows
    if "query_hash" in filled.result.meta:  # else `tw verify` cannot make the rows again
        book.abouts.append(filled.result.meta)
        book.parts.append(manifest.of_result(filled.result))
    if not n_rows and filled.reason and not filled.section.headings:
        book.written.n_without_rows += 1
        yield Sheet(None, filled, 0)
        return
    n_sheets = max(1, math.ceil(n_rows / ROWS_A_SHEET))
    book.written.n_split += n_sheets > 1
    for number in range(n_sheets):
        part = f" ({number + 1} of {n_sheets})" if n_sheets > 1 else ""
        title = filled.section.title[: 31 - len(part)] + part
        sheet = book.sheet(title)
        first = number * ROWS_A_SHEET
        table = filled.rows.arrow().slice(first, ROWS_A_SHEET)
        if filled.section.tab:
            sheet.set_tab_color(filled.section.tab)
        part_of = QueryResult(table, filled.rows.columns, filled.result.meta)
        _rows(book, sheet, part_of, filled.section.headings)
        yield Sheet(sheet.get_name(), filled, table.num_rows)
    if filled.chart is not None and filled.chart.kind == "heat":
        for each in heat.maps(filled.result, filled.chart):
            heat.write(book.book, book.sheet(f"{filled.section.title} {each.name}"), each)
            book.n_maps += 1
    if filled.distribution is not None:
        # The section is referred to until all sheets are written; rows by rank of all sections
        # would take hundreds of megabytes.
        filled.result.release()


def _rows(book: Book, sheet: Worksheet, result: QueryResult, headings: Mapping[str, str]) -> None:
    """Hides columns without values if the section has its own headings."""

    columns = result.columns
    head = book.style(bold=True, text_wrap=True, valign="top", bottom=1, bg_color="#E8EDF3")
    for place, column in enumerate(columns):
        is_empty = bool(headings) and result.arrow().column(place).null_count == result.n_rows
        style, options = _cell_style(book, column), {"hidden": is_empty or column.name in _KEYS}
        sheet.set_column(place, place, _width(result, place), style, options if headings else {})
    # In constant-memory mode rows must be written in order.
    sheet.freeze_panes(1, _n_fixed(columns))
    sheet.set_row(0, 32)
    for place, column in enumerate(columns):
        heading = headings.get(column.name, column.name) if headings else _header(column)
        sheet.write_string(0, place, heading, head)
    number = 0
    for batch in result.batches():
        table = plain.table(batch.columns, batch.schema.names)
        for row in zip(*(column.to_pylist() for column in table.columns), strict=True):
            number += 1
            for place, value in enumerate(row):
                _write(book.written, sheet, number, place, value)
    book.written.n_rows += number
    if number:
        sheet.autofilter(0, 0, number, len(columns) - 1)
        _bars(sheet, columns, number)


def _set_up_printing(book: Book, sheets: Sequence[Sheet]) -> None:
    """Limits what is printed of a whole workbook: the first rows of the longest sheets.

    Others, and descriptions of columns, have an empty area to print.
    """
    longest = sorted(sheets, key=lambda each: -each.n_rows)
    printed = {each.name for each in longest[: max(0, _PRINTED_SHEETS - book.n_maps)]}
    for each in sheets:
        sheet = book.book.get_worksheet_by_name(each.name)
        sheet.set_landscape()
        sheet.fit_to_pages(1, 1)
        if each.name in printed:
            n_rows = min(each.n_rows, _PRINTED_ROWS)
            sheet.print_area(0, 0, n_rows, len(each.filled.rows.columns) - 1)
        else:
            overview.print_nothing(sheet, each.n_rows)


def _header(column: Column) -> str:
    unit = column.unit or column.type.lower()
    return f"{column.name}\n[{unit}]"


def _n_fixed(columns: Sequence[Column]) -> int:
    """Freezes the identifying columns, up to the name."""
    names = [column.name for column in columns]
    return names.index("name") + 1 if "name" in names[:8] else 0


def _cell_style(book: Book, column: Column) -> Format | None:
    if column.type == "BOOLEAN":
        return None  # LibreOffice shows TRUE and FALSE as 1 and 0 in cells with a format of numbers
    form = _NUMBER_FORMATS.get(column.unit or "")
    if form is None and column.type in ("DOUBLE", "FLOAT"):
        form = "#,##0.000"
    return book.style(num_format=form) if form else None


def _width(result: QueryResult, place: int) -> float:
    """Returns a column width from the first rows, within limits."""
    column = result.columns[place]
    shown = [len(column.name), len(column.unit or "") + 2]
    for value in result.arrow().column(place).slice(0, 200).to_pylist():
        number = f"{value:,}" if isinstance(value, int) else ""
        shown.append(len(number or ("0.000" if isinstance(value, float) else str(value))))
    return min(_WIDEST, max(shown) + 2)


def _write(written: WorkbookSummary, sheet: Worksheet, row: int, place: int, value: Any) -> None:
    """Writes a cell. xlsxwriter returns a negative number when it drops data."""
    if value is None:
        return
    if isinstance(value, bool):
        code = sheet.write_boolean(row, place, value)
    elif isinstance(value, int | float) and _is_exact(value):
        code = sheet.write_number(row, place, value)
    else:
        written.n_integers_as_text += isinstance(value, int)
        code = sheet.write_string(row, place, _text(written, str(value)))
    if code:
        raise ExportError(f"{written.path}: row {row} of {sheet.get_name()} does not fit")


def _is_exact(value: int | float) -> bool:
    """Whether an integer is exact as a double, the only number type of spreadsheets."""
    return math.isfinite(value) if isinstance(value, float) else abs(value) <= EXACT_INTEGER


def _text(written: WorkbookSummary, text: str) -> str:
    # Spreadsheets count UTF-16 units; half of the limit is always safe.
    if len(text) <= TEXT_LENGTH // 2 or len(text.encode("utf-16-le")) // 2 <= TEXT_LENGTH:
        return text
    written.n_cut_texts += 1
    tail = f" … [{len(text):,} characters]"
    return text[: TEXT_LENGTH // 2 - len(tail)] + tail


def _bars(sheet: Worksheet, columns: Sequence[Column], n_rows: int) -> None:
    """Adds data bars to shares and totals."""
    for place, column in enumerate(columns):
        bar: dict[str, Any] = {"type": "data_bar", "bar_solid": True, "bar_color": "#9DC3E6"}
        if column.unit == "ratio":
            bar |= {"min_type": "num", "min_value": 0, "max_type": "num", "max_value": 1}
        elif column.name not in ("total_ns", "self_ns", "idle_ns"):
            continue
        sheet.conditional_format(1, place, n_rows, place, bar)


def _columns(book: Book, sheet: Worksheet, sheets: Sequence[Sheet]) -> None:
    """Writes the sheet of column descriptions, with queries."""
    head = book.style(bold=True, bottom=1, bg_color="#E8EDF3")
    wrapped = book.style(text_wrap=True, valign="top")
    titles = ("sheet", "column", "unit", "type", "meaning", "query")
    for place, (title, width) in enumerate(zip(titles, (26, 30, 14, 12, 90, 28), strict=True)):
        sheet.set_column(place, place, width)
        sheet.write_string(0, place, title, head)
    sheet.freeze_panes(1, 0)
    row = 0
    for each in sheets:
        for column in each.filled.rows.columns:
            row += 1
            query = each.filled.result.meta.get("query", "")
            cells = (each.name, column.name, column.unit or "", column.type, column.help, query)
            for place, text in enumerate(cells):
                sheet.write_string(row, place, text, wrapped)
    if row:
        sheet.autofilter(0, 0, row, len(titles) - 1)
    sheet.set_landscape()
    sheet.fit_to_pages(1, 1)
    overview.print_nothing(sheet, row)


def _labels(book: Book, sheets: Sequence[Sheet]) -> None:
    """Writes the labels of chart bars to a hidden sheet, one column per chart."""
    barred = [each for each in sheets if each.chart and each.chart.kind not in OVER_X]
    if not barred:
        return
    hidden = book.sheet("Chart labels")
    hidden.hide()
    for place, each in enumerate(barred):
        each.labels = (hidden.get_name(), place)
    columns = [[each.name, *charts.bar_labels(each)] for each in barred]
    for number, row in enumerate(itertools.zip_longest(*columns)):
        for place, text in enumerate(row):
            if text is not None:
                hidden.write_string(number, place, text)
