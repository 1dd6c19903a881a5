"""The first sheet of a workbook, with key figures, linked contents and charts, and the last, with
the export manifest."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from warehouse.export.workbook import charts, units
from warehouse.export.workbook.charts import Sheet

if TYPE_CHECKING:
    from xlsxwriter.worksheet import Worksheet

    from warehouse.export.key_figures import FigureValue, Findings, KeyFigures
    from warehouse.export.workbook.workbook import Book

_CHARACTERS = 70  # of text on a line of the widest column
_PAGES = 5  # printed, at most
_TRACES, _FILES = 8, 3  # named on the last sheet
_MANIFEST_KEYS = (
    "runs",
    "traces",
    "window_ns",
    "warehouse",
    "schema_version",
    "tw_version",
    "written_at",
)


def write(
    book: Book, sheet: Worksheet, title: str, sheets: Sequence[Sheet], figures: KeyFigures | None
) -> None:
    """Writes title, key figures, linked contents and charts."""
    sheet.hide_gridlines(2)
    sheet.set_landscape()
    sheet.fit_to_pages(1, _PAGES)
    sheet.set_column(0, 0, 26)
    sheet.set_column(1, 1, 12)
    sheet.set_column(2, 2, 70)
    sheet.write_string(0, 0, title, book.style(bold=True, font_size=16))
    row = _findings(book, sheet, 2, figures.findings) if figures and figures.findings else 2
    row = _figures(book, sheet, row, figures) if figures else row
    row = _contents(book, sheet, row, sheets)
    _without_rows(book, sheet, row, [each for each in sheets if each.name is None])
    place = 0
    for each in sheets:
        if each.chart:
            drawn = charts.chart(book.book, each)
            sheet.insert_chart(2 + 20 * (place // 2), 4 + 10 * (place % 2), drawn)
            place += 1


def _findings(book: Book, sheet: Worksheet, row: int, found: Findings) -> int:
    """Writes what makes the run slow from a row on; returns the row after it."""
    from warehouse.diagnose import text

    head, wrapped = book.style(bold=True, bottom=1), book.style(text_wrap=True, valign="top")
    for place, name in enumerate(("Finding", found.heading, "What it is, and what to try")):
        sheet.write_string(row, place, name, head)
    for each in map(dict, found.rows):
        row += 1
        evidence = f"See: tw query {found.evidence(each)}"
        about = f"{text.about(each)} Try: {each['remedy']}. {evidence}"
        sheet.write_string(row, 0, each["finding"].replace("_", " "), wrapped)
        is_marked = not each["is_replayed"] and found.heading != "Estimate"
        form = '"est. "0.0%' if is_marked else "0.0%"
        form = '"at most "0.0%' if text.is_most(each) else form
        share = book.style(num_format=form, bold=True, valign="top")
        if each["cost_share"] is None:
            sheet.write_string(row, 1, text.cost(each), wrapped)
        else:
            sheet.write_number(row, 1, each["cost_share"], share)
        sheet.write_string(row, 2, book.text(about), book.style(text_wrap=True, indent=1))
        sheet.set_row(row, 15 * math.ceil(len(about) / _CHARACTERS))
    row += 1
    sheet.write_string(row, 2, found.note, book.style(text_wrap=True, italic=True, indent=1))
    sheet.set_row(row, 15 * math.ceil(len(found.note) / _CHARACTERS))
    return row + 2


def _figures(book: Book, sheet: Worksheet, row: int, figures: KeyFigures) -> int:
    """Writes the key figures from a row on; returns the row after them."""
    values = figures.in_order()
    if not values:
        return row
    head = book.style(bold=True, bottom=1)
    for place, text in enumerate(("Key figure", "Value", "Of")):
        sheet.write_string(row, place, text, head)
    for each in values:
        row += 1
        sheet.write_string(row, 0, each.figure.title)
        style = book.style(num_format=_number_format(each), bold=True)
        sheet.write_number(row, 1, each.value, style)
        about = filter(None, (figures.run_name(each.run_id), each.note))
        sheet.write_string(row, 2, book.text(", ".join(about)), book.style(indent=1))
    return row + 2


def _number_format(value: FigureValue) -> str:
    """The number format of a key figure, with its unit."""
    if value.figure.unit == "ratio":
        return "0.0%"
    scale = units.scale(value.figure.unit, value.value)
    form = units.number_format(scale, n_digits=4)
    return f'{form} "{scale.unit}"' if scale.unit else form


def _contents(book: Book, sheet: Worksheet, row: int, sheets: Sequence[Sheet]) -> int:
    """Writes a link to each sheet from a row on; returns the row after them."""
    head, link = book.style(bold=True, bottom=1), book.style(font_color="#0563C1", underline=1)
    for place, text in enumerate(("Sheet", "Rows", "Description")):
        sheet.write_string(row, place, text, head)
    for each in sheets:
        if each.name is None:
            continue
        row += 1
        quoted = each.name.replace("'", "''")
        sheet.write_url(row, 0, f"internal:'{quoted}'!A1", link, each.name)
        sheet.write_number(row, 1, each.n_rows, book.style(num_format="#,##0"))
        about = [each.filled.result.meta.get("title", "")]
        about += [each.filled.distribution.title] if each.filled.distribution else []
        sheet.write_string(row, 2, ". ".join(about), book.style(indent=1))
    return row + 2


def _without_rows(book: Book, sheet: Worksheet, row: int, sections: Sequence[Sheet]) -> None:
    """Writes a line for each section without rows, with the reason."""
    if not sections:
        return
    head, wrapped = book.style(bold=True, bottom=1), book.style(text_wrap=True, indent=1)
    for place, text in enumerate(("Without rows", "", "Why")):
        sheet.write_string(row, place, text, head)
    for each in sections:
        row += 1
        sheet.write_string(row, 0, each.filled.section.title, book.style(valign="top"))
        sheet.write_string(row, 2, book.text(each.filled.reason), wrapped)
        sheet.set_row(row, 15 * math.ceil(len(each.filled.reason) / _CHARACTERS))


def print_nothing(sheet: Worksheet, n_rows: int) -> None:
    """Makes the area to print an empty cell below the rows of a sheet."""
    sheet.print_area(n_rows + 2, 0, n_rows + 2, 0)


def write_manifest(book: Book, sheet: Worksheet, sheets: Sequence[Sheet]) -> None:
    """Writes the manifest entries common to all sheets, then those of each."""
    meta = sheets[0].filled.result.meta
    sheet.set_column(0, 0, 26)
    sheet.set_column(1, 1, 110)
    sheet.write_string(0, 0, "Export manifest", book.style(bold=True, bottom=1))
    wrapped = book.style(text_wrap=True, valign="top")
    keys = (*_MANIFEST_KEYS, *(["damage"] if "damage" in meta else []))
    for number, key in enumerate(keys, 1):
        value = _traces(meta) if key == "traces" else meta.get(key, "")
        sheet.write_string(number, 0, key, wrapped)
        sheet.write_string(number, 1, book.text(value), wrapped)
    first = len(keys) + 2
    for place, text in enumerate(("Query", "Parameters and hash")):
        sheet.write_string(first, place, text, book.style(bold=True, bottom=1))
    for number, each in enumerate(sheets, first + 1):
        meta = each.filled.result.meta
        sheet.write_string(number, 0, meta.get("query", ""))
        about = f"{meta.get('parameters', '')} {meta.get('query_hash', '')}"
        sheet.write_string(number, 1, book.text(about))
    print_nothing(sheet, first + len(sheets))


def _traces(meta: Mapping[str, str]) -> str:
    """Names the first few traces with digests of their files; the hidden manifest has all."""
    traces = json.loads(meta.get("traces") or "[]")
    shown = [
        f"{each['name']} ({', '.join((sha or 'unknown')[:12] for sha in each['sha256'][:_FILES])}"
        f"{', ...' if len(each['sha256']) > _FILES else ''})"
        for each in traces[:_TRACES]
    ]
    more = len(traces) - len(shown)
    return "; ".join(shown) + (f"; and {more:,} more" if more else "")
