"""A page or a workbook of a trend: a chart of the runs with their changes, and the rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from warehouse.export.sections import Chart, FilledSection, Mark, Section
from warehouse.query.result import QueryResult
from warehouse.query.terminal.units import percent

if TYPE_CHECKING:
    from warehouse.query.session import Session
    from warehouse.trend.trend import Trend


def write(session: Session, found: Trend, path: Path) -> None:
    """Writes a workbook if the path ends in .xlsx, else a page; raises ExportError."""
    filled = _filled(found)
    if path.suffix.lower() == ".xlsx":
        from warehouse.export.workbook.workbook import export_xlsx

        export_xlsx(filled.section.title, [filled], path)
    else:
        from warehouse.export.page import data, page

        sections = [page.joined([data.section(filled)])]
        page.write(page.about(session, filled.section.title, sections), path)


def _filled(found: Trend) -> FilledSection:
    chart = Chart(
        "line", (), ("value", "typical"), x="position", of_runs=True, level=("typical",),
        marks=tuple(_marks(found)),
    )  # fmt: skip
    title = f"Trend of {found.figure.column}"
    meta = {**found.rows.meta, "title": found.summary.removesuffix(".")}
    rows = QueryResult(found.rows.arrow(), found.rows.columns, meta)
    return FilledSection(Section(found.figure.query, title, chart=chart), rows)


def _marks(found: Trend) -> Iterator[Mark]:
    """The changes, with the chance of each in runs that differ by chance."""
    for place, row in enumerate(found.rows):
        if row["is_change"]:
            change = "change" if row["change_ratio"] is None else f"{row['change_ratio']:+.1%}"
            yield Mark(place, f"{change.replace('%', ' %')}, p = {percent(row['p'])}")
