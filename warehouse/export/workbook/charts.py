"""Charts of a workbook: bars and lines that refer to the cells of its sheets."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from warehouse.export.sections import (
    MAPS,
    OVER_X,
    Chart,
    FilledSection,
    label,
    label_rows,
    series_name,
    stretches,
)
from warehouse.export.workbook import units

if TYPE_CHECKING:
    from xlsxwriter import Workbook

_NAMED = 12  # maximum series of a chart with a legend
_SERIES = 50  # of one chart
_RUN_COLORS = ("#5B9BD5", "#ED7D31", "#C00000")  # of values, levels and marks
_LABEL = 48  # maximum characters of a bar's label


@dataclass
class Sheet:
    """A sheet of rows, for reference by charts; without a name, a section without rows."""

    name: str | None
    filled: FilledSection
    n_rows: int
    labels: tuple[str, int] | None = None  # sheet and column of the labels of its bars

    @property
    def chart(self) -> Chart | None:
        """The chart of its rows; None if there is none, or nothing to draw."""
        chart = self.filled.chart
        if chart is None or chart.kind in MAPS:
            return None
        return chart if self.n_rows else None


def bar_labels(sheet: Sheet) -> list[str]:
    """Returns the labels of the bars of a sheet's chart."""
    chart = sheet.chart
    assert chart is not None
    table = sheet.filled.rows.arrow().slice(chart.start, chart.rows)
    return [_shorten(label(chart, row)) for row in label_rows(table, chart)]


def _shorten(label: str) -> str:
    """Shortens the label of a bar in the middle: kernel names differ at both ends."""
    if len(label) <= _LABEL:
        return label
    return f"{label[: _LABEL // 2]}…{label[-(_LABEL // 2 - 1) :]}"


def chart(book: Workbook, sheet: Sheet) -> Any:
    """Returns a chart of the rows of a sheet, to be inserted into one."""
    shape = sheet.chart
    assert shape is not None
    if shape.kind in OVER_X:
        drawn = book.add_chart({"type": "scatter", "subtype": "straight"})
        series = list(_runs(sheet, shape) if shape.of_runs else _lines(sheet, shape))
    else:
        kind = {"type": "bar"} | ({"subtype": "stacked"} if shape.kind == "stack" else {})
        drawn = book.add_chart(kind)
        series = list(_bar_series(sheet, shape))
    for each in series[:_SERIES]:
        drawn.add_series(each)
    drawn.set_title({"name": sheet.filled.section.title, "name_font": {"size": 11}})
    drawn.set_size({"width": 620, "height": 380})
    drawn.set_legend(_legend(series))
    axis = _axis(sheet, shape.values)
    if shape.kind in OVER_X:
        drawn.set_y_axis(axis | (_least(sheet, shape.values) if shape.of_runs else {}))
        drawn.set_x_axis(_named(_axis(sheet, (shape.x or "",)), shape.x or ""))
    else:
        drawn.set_x_axis(axis)
        drawn.set_y_axis({"reverse": True, "num_font": {"size": 8}})
    return drawn


def _legend(series: Sequence[dict[str, Any]]) -> dict[str, Any]:
    unnamed = [place for place, each in enumerate(series[:_SERIES]) if "name" not in each]
    # A long legend would leave no room for the chart; the sheet has the names.
    if 1 < len(series) - len(unnamed) <= _NAMED:
        return {"position": "bottom", "delete_series": unnamed}
    return {"none": True}


def _axis(sheet: Sheet, names: Sequence[str]) -> dict[str, Any]:
    """The axis of some columns of one unit, whose numbers are shown in a larger one."""
    table, font = sheet.filled.rows.arrow(), {"size": 8}
    unit_of = {column.name: column.unit or "" for column in sheet.filled.rows.columns}
    unit = unit_of.get(names[0], "")
    values = [value for name in names for value in table.column(name).to_pylist()]
    largest = max((abs(value) for value in values if value is not None), default=0)
    if unit == "ratio":
        whole = {"min": 0, "max": 1} if 0 <= largest <= 1 else {}
        return {"num_format": "0%", "num_font": font, **whole}
    scale = units.scale(unit, largest)
    return {
        "num_format": units.number_format(scale, n_digits=2), "num_font": font,
        "name": scale.unit, "name_font": {"size": 9, "bold": False},
    }  # fmt: skip


def _least(sheet: Sheet, names: Sequence[str]) -> dict[str, float]:
    """The start of the axis of figures that differ little: a round number below the lowest."""
    table = sheet.filled.rows.arrow()
    values = [value for name in names for value in table.column(name).to_pylist()]
    known = [value for value in values if value is not None]
    spread = max(known, default=0) - min(known, default=0)
    if not spread:
        return {}
    step = 10 ** math.floor(math.log10(spread))
    return {"min": (math.floor(min(known) / step) - 1) * step if min(known) > step else 0}


def _named(axis: dict[str, Any], column: str) -> dict[str, Any]:
    """The axis, which names its column too."""
    unit = axis.get("name")
    return {**axis, "name": f"{_words(column)} [{unit}]" if unit else _words(column)}


def _words(column: str) -> str:
    """The name of a column without its unit, which the axis names."""
    return re.sub(r"_(ns|bytes|bytes_per_s)$", "", column).replace("_", " ")


def _places(sheet: Sheet) -> dict[str, int]:
    return {column.name: place for place, column in enumerate(sheet.filled.rows.columns)}


def _bar_series(sheet: Sheet, chart: Chart) -> Iterator[dict[str, Any]]:
    places, n_bars = _places(sheet), min(sheet.n_rows - chart.start, chart.rows)
    assert sheet.labels is not None
    name, place = sheet.labels
    first = chart.start + 1
    for value in chart.values:
        yield {
            "name": _words(value),
            "gap": 40,
            "categories": [name, 1, place, n_bars, place],
            "values": [sheet.name, first, places[value], chart.start + n_bars, places[value]],
        }


def _lines(sheet: Sheet, chart: Chart) -> Iterator[dict[str, Any]]:
    """Adds a line per label; rows of a label are contiguous."""
    assert chart.x is not None
    keys = label_rows(sheet.filled.rows.arrow(), chart)[: sheet.n_rows]
    for start, end, row in stretches(keys):
        for value in chart.values:
            name = " ".join(
                f"{label} {key}"
                for label, key in zip(chart.label, row, strict=True)
                if key is not None
            )
            yield {
                "name": series_name(chart, name, _words(value)),
                **_cells(sheet, chart.x, value, start, end),
                "line": {"width": 1.25},
            }


def _cells(sheet: Sheet, x: str, value: str, start: int, end: int) -> dict[str, Any]:
    """The points of some rows, without the heading."""
    places = _places(sheet)
    return {
        "categories": [sheet.name, start + 1, places[x], end, places[x]],
        "values": [sheet.name, start + 1, places[value], end, places[value]],
    }


def _runs(sheet: Sheet, chart: Chart) -> Iterator[dict[str, Any]]:
    """Lines of runs, their level pieces, and the marks above; further pieces have no name."""
    assert chart.x is not None
    line, level, mark = _RUN_COLORS
    for value in chart.values:
        if value in chart.level:
            yield from _pieces(sheet, chart, value, level)
            continue
        yield {
            "name": _words(value),
            **_cells(sheet, chart.x, value, 0, sheet.n_rows),
            "line": {"width": 1.25, "color": line},
            "marker": {"type": "circle", "size": 5, "fill": {"color": line}},
        }
    for each in chart.marks:
        yield {
            **_cells(sheet, chart.x, chart.values[0], each.row, each.row + 1),
            "marker": {"type": "diamond", "size": 9, "fill": {"color": mark}},
            # Left of a change is mostly no line: it comes from another level.
            "data_labels": {
                "value": True,
                "position": "left",
                "custom": [{"value": _whole(each.text)}],
            },
        }


def _whole(text: str) -> str:
    """The text, which LibreOffice breaks only after commas: it does so in spaces and numbers."""
    parts = text.replace("-", "\N{NON-BREAKING HYPHEN}").split(", ")
    return ", ".join(part.replace(" ", "\N{NO-BREAK SPACE}") for part in parts)


def _pieces(sheet: Sheet, chart: Chart, value: str, color: str) -> Iterator[dict[str, Any]]:
    """A line for each stretch of equal values, of which the first has the name."""
    assert chart.x is not None
    heights = sheet.filled.rows.arrow().column(value).to_pylist()[: sheet.n_rows]
    name = {"name": _words(value)}
    for start, end, height in stretches(heights):
        if height is not None:
            yield {
                **name,
                **_cells(sheet, chart.x, value, start, end),
                "line": {"width": 2.25, "color": color},
            }
            name = {}
