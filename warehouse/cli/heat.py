"""Draws heat maps as text: a row for each rank or group of ranks, a column for each step."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from warehouse.errors import UsageError
from warehouse.export import heat, report
from warehouse.query.encoding import printable
from warehouse.query.terminal import units

if TYPE_CHECKING:
    from warehouse.export.heat import HeatMap, Matrix
    from warehouse.export.sections import Chart
    from warehouse.query.result import QueryResult

ROWS = 32  # of one map; more ranks are merged
_WIDEST, _NARROWEST = 160, 20  # columns of a map
_CELL = 4  # characters for a step
_LABELS = 20  # characters for the labels of a map, as a rule
_SHADES = ".:-=+*#%@"  # without colours
#: From white through yellow to dark red, of the 256 colours of terminals.
_COLOURS = (231, 230, 229, 228, 227, 221, 215, 209, 203, 197, 160, 124)

Paint = Callable[[int], str]  # of a level


def chart_of(query: str, query_path: Sequence[Path] = ()) -> Chart:
    """Returns the heat map that reports have of a query; raises UsageError if there is none."""
    charts = {
        section.query: section.chart
        for name in report.names(query_path)
        for section in report.load(name, query_path).sections
        if section.chart is not None and section.chart.kind == "heat"
    }
    if query in charts:
        return charts[query]
    known = ", ".join(charts)
    raise UsageError(f"query {query!r} has no heat map", hint=f"Queries that have one: {known}.")


def lines(rows: QueryResult, chart: Chart) -> Iterator[str]:
    """Yields the lines of all maps of a chart, as wide as the terminal."""
    width = shutil.get_terminal_size((100, 24)).columns - _LABELS
    width = min(_WIDEST, max(_NARROWEST, width))
    is_coloured = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    missing = list(chart.values)
    for each in heat.maps(rows, chart, width):
        missing.remove(each.name)
        yield from drawn(each, chart.x or "", width, _coloured if is_coloured else _shaded)
    if missing:
        yield f"{', '.join(missing)}: no values of several ranks in several steps."


def drawn(given: HeatMap, x: str, width: int, paint: Paint) -> Iterator[str]:
    """Yields title, rows and axis of a map, and an empty line.

    Steps are as wide as fits, up to `_CELL` characters.
    """
    cell = max(1, min(_CELL, width // len(given.x)))
    labels, values = _merged(given.labels, given.values)
    n = len(_COLOURS) if paint is _coloured else len(_SHADES)
    low, high = (float(each) for each in np.nanquantile(values, (0.01, 0.99)))
    scale = "".join(paint(level) for level in range(n))
    unit = f" [{given.unit}]" if given.unit else ""
    yield f"{given.name}{unit}: {_number(low)} {scale} {_number(high)}"
    margin = max(map(len, labels))
    for label, row in zip(labels, _levels(values, low, high, n).tolist(), strict=True):
        cells = "".join(cell * (" " if level < 0 else paint(level)) for level in row)
        yield f"{label:>{margin}} {cells}"
    merged = f", the greatest of {given.n_merged} in each column" if given.n_merged > 1 else ""
    unit_of_x = "ns" if x.endswith("_ns") else None
    first, last = (units.shown(each, unit_of_x, x) for each in (given.x[0], given.x[-1]))
    yield f"{'':{margin}} {x} {first} to {last}{merged}"
    yield ""


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) or abs(value) >= 1_000 else f"{value:.4g}"


def _merged(labels: Sequence[str], values: Matrix) -> tuple[list[str], Matrix]:
    """Merges adjacent ranks into at most `ROWS` rows, which hold their greatest values."""
    n_merged = -(-len(labels) // ROWS)
    starts = range(0, len(labels), n_merged)
    shown = [printable(labels[start]) for start in starts]
    if n_merged > 1:
        ends = (printable(labels[min(start + n_merged, len(labels)) - 1]) for start in starts)
        shown = [
            f"{first} to {end.rpartition(' ')[2]}" for first, end in zip(shown, ends, strict=True)
        ]
    return shown, np.fmax.reduceat(values, list(starts))


def _levels(values: Matrix, low: float, high: float, n: int) -> np.ndarray:
    """Returns levels from 0 to n - 1; -1: no value."""
    scale = (n - 1) / (high - low) if high > low else 0.0
    levels = np.clip(np.rint((values - low) * scale), 0, n - 1)
    return np.where(np.isnan(levels), -1, levels).astype(int)


def _coloured(level: int) -> str:
    return f"\x1b[48;5;{_COLOURS[level]}m \x1b[0m"


def _shaded(level: int) -> str:
    return _SHADES[level]
