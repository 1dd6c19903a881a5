"""Heat maps of a workbook: a sheet with a row for each rank, a column for each step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from warehouse.export import heat
from warehouse.export.heat import HeatMap

if TYPE_CHECKING:
    from xlsxwriter import Workbook
    from xlsxwriter.worksheet import Worksheet

    from warehouse.export.sections import Chart
    from warehouse.query.result import QueryResult

COLUMNS = 1_000


def maps(result: QueryResult, chart: Chart) -> Iterator[HeatMap]:
    """Yields the maps of a chart."""
    return heat.maps(result, chart, COLUMNS)


def write(book: Workbook, sheet: Worksheet, given: HeatMap) -> None:
    """Writes a map: the labels in column A, x in row 1, values coloured from white to red."""
    head = book.add_format({"bold": True, "bottom": 1, "bg_color": "#E8EDF3"})
    number = book.add_format({"num_format": "0.0%" if given.unit == "ratio" else "#,##0"})
    sheet.set_column(0, 0, max(len(each) for each in given.labels) + 2)
    sheet.set_column(1, len(given.x), 12, number)
    sheet.freeze_panes(1, 1)
    sheet.set_landscape()
    sheet.fit_to_pages(1, 1)
    sheet.write_string(0, 0, f"{given.name} [{given.unit}]", head)
    for place, x in enumerate(given.x, 1):
        sheet.write_number(0, place, x, head)
    for row, (label, values) in enumerate(zip(given.labels, given.values, strict=True), 1):
        sheet.write_string(row, 0, label)
        for column in np.flatnonzero(~np.isnan(values)).tolist():
            sheet.write_number(row, column + 1, float(values[column]))
    scale = {"type": "3_color_scale", "min_color": "#FFFFFF", "mid_color": "#FFE699",
             "max_color": "#E06666", "mid_type": "percentile", "mid_value": 90}  # fmt: skip
    sheet.conditional_format(1, 1, len(given.labels), len(given.x), scale)
