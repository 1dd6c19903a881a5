"""Converts the sections of a report to the values of a page: columns, rows and charts.

A page holds the first `ROWS` rows of a table and the total number; charts use all rows, long lines
thinned to their extremes. Integers above 2^53 become text.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from warehouse import arrow
from warehouse.export.page import areas, heat, regions, waterfall
from warehouse.export.sections import (
    OVER_X,
    Chart,
    FilledSection,
    label,
    label_rows,
    series_name,
    stretches,
)
from warehouse.query import plain

if TYPE_CHECKING:
    import pyarrow as pa

ROWS = 2_000
TEXT_LENGTH = 1_000
EXACT_INTEGER = 1 << 53
LINES = 50  # of one chart
_PIECES = 500  # of a long line; each keeps its lowest and highest point


def section(filled: FilledSection) -> dict[str, Any]:
    """Returns a table with its chart, query, version and parameters."""
    result = filled.rows
    first = result.arrow().slice(0, ROWS)
    shown = plain.table(first.columns, first.column_names)
    return {
        "title": filled.section.title,
        "about": result.meta.get("title", ""),
        "query": result.meta.get("query", ""),
        "hash": result.meta.get("query_hash", ""),
        "parameters": result.meta.get("parameters", ""),
        "columns": [
            {"name": each.name, "unit": each.unit or "", "type": each.type, "help": each.help}
            for each in result.columns
        ],
        "n_rows": result.n_rows,
        "reason": filled.reason,
        "values": [values(column) for column in shown.columns],
        "note": filled.distribution.title if filled.distribution else "",
        "chart": chart(filled),
    }


def values(column: pa.ChunkedArray) -> list[Any]:
    """Returns the values of a column as JSON values."""
    return [_value(each) for each in column.to_pylist()]


def _value(value: Any) -> Any:
    if isinstance(value, str):
        return cut(value)
    if isinstance(value, int) and abs(value) > EXACT_INTEGER:
        return str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def cut(text: str, length: int = TEXT_LENGTH) -> str:
    """Shortens a text for the page: names of generated kernels can exceed a screen."""
    if len(text) <= length:
        return text
    return f"{text[:length]} … [{len(text):,} characters]"


def chart(filled: FilledSection) -> dict[str, Any] | None:
    """Returns the chart of a table; None if there is none, or nothing to draw."""
    drawn, result = filled.chart, filled.rows
    if drawn is None or not result.n_rows:
        return None
    if drawn.kind == "heat":
        return heat.chart(filled.result, drawn)
    if drawn.kind == "region":
        return regions.chart(filled.result, drawn)
    if drawn.kind == "waterfall":
        found = waterfall.chart(result, drawn)
        return found and found | {"labels": [cut(each) for each in found["labels"]]}
    units = {column.name: column.unit or "" for column in result.columns}
    common = {"kind": drawn.kind, "unit": units[drawn.values[0]]}
    if drawn.kind in OVER_X:
        of_kind = _lines if drawn.kind == "line" else _areas
        lines = list(of_kind(result.arrow(), drawn))
        return {
            **common,
            "x": drawn.x,
            "x_unit": units[drawn.x or ""],
            "series": lines[:LINES],
            "n_left_out": max(0, len(lines) - LINES),
            **(_of_runs(result.arrow(), drawn) if drawn.of_runs else {}),
        }
    table = result.arrow().slice(drawn.start, drawn.rows)
    return {
        **common,
        "labels": [cut(label(drawn, row)) for row in label_rows(table, drawn)],
        "series": [
            {"name": name, "unit": units[name], "values": values(table.column(name))}
            for name in drawn.values
        ],
        "n_left_out": max(0, result.n_rows - drawn.start - drawn.rows),
    }


def _of_runs(table: pa.Table, drawn: Chart) -> dict[str, Any]:
    """The names of runs by x, and the marks."""
    x, names = (table.column(name).to_pylist() for name in (drawn.x or "", "run"))
    return {
        "names": {str(place): cut(name) for place, name in zip(x, names, strict=True)},
        "marks": [{"x": x[mark.row], "text": mark.text} for mark in drawn.marks],
    }


def _lines(table: pa.Table, drawn: Chart) -> Iterator[dict[str, Any]]:
    """Returns a line per label and value column; rows of a label are contiguous."""
    assert drawn.x is not None
    x = arrow.numbers(table.column(drawn.x))
    columns = {name: arrow.numbers(table.column(name)) for name in drawn.values}
    for start, end, key in stretches(label_rows(table, drawn)):
        name_of_key = cut(label(drawn, key))
        for name, y in columns.items():
            kept = start + thinned(y[start:end])
            points = [
                [_value(float(a)), None if math.isnan(b) else _value(float(b))]
                for a, b in zip(x[kept], y[kept], strict=True)
            ]
            yield {
                "name": series_name(drawn, name_of_key, name),
                "points": list(_interrupted(points)) if name in drawn.level else points,
                "n_points": end - start,
            }


def _areas(table: pa.Table, drawn: Chart) -> Iterator[dict[str, Any]]:
    """Returns the areas of a stack, with the same x for all, those where the sum is lowest and
    highest of equal pieces; rows of a label are contiguous, in the order of x."""
    assert drawn.x is not None
    x, y = arrow.numbers(table.column(drawn.x)), arrow.numbers(table.column(drawn.values[0]))
    parts = list(stretches(label_rows(table, drawn)))
    lines = [(x[start:end], y[start:end]) for start, end, _ in parts]
    every = np.unique(x)
    heights = np.vstack(list(areas.at(every, lines)))
    kept = thinned(heights.sum(axis=0))
    for (start, end, key), height in zip(parts, heights, strict=True):
        yield {
            "name": cut(label(drawn, key)),
            "points": [
                [_value(float(a)), _value(float(b))]
                for a, b in zip(every[kept], height[kept], strict=True)
            ],
            "n_points": end - start,
        }


def _interrupted(points: Sequence[list[Any]]) -> Iterator[list[Any]]:
    """Yields the points, and one without a value where the value changes."""
    for before, point in zip([None, *points], points, strict=False):
        if before is not None and before[1] != point[1]:
            yield [point[0], None]
        yield point


def thinned(y: np.ndarray[Any, np.dtype[np.float64]]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Returns the points to draw: all, or the lowest, highest and ends of equal pieces."""
    if len(y) <= 4 * _PIECES:
        return np.arange(len(y))
    edges = np.linspace(0, len(y), _PIECES + 1).astype(np.int64)
    kept = {0, len(y) - 1}
    for start, end in itertools.pairwise(edges):  # a loop over pieces, not rows
        piece = y[start:end]
        if not np.isnan(piece).all():
            kept |= {int(start + np.nanargmin(piece)), int(start + np.nanargmax(piece))}
    return np.array(sorted(kept), dtype=np.int64)
