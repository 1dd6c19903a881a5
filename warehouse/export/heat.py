"""Heat maps of rows by two columns: a row for each rank, a column for each step."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from warehouse import arrow
from warehouse.export.sections import Chart, label

if TYPE_CHECKING:
    from warehouse.query.result import QueryResult

_MOST_TIMES = 100_000
Matrix = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class HeatMap:
    """The values of one column; NaN where no row has the label and x."""

    name: str
    unit: str
    labels: list[str]  # of the rows of `values`
    x: list[Any]  # first x of each column of `values`
    n_merged: int  # adjacent x in one column, of which the greatest value is shown
    values: Matrix


def maps(result: QueryResult, chart: Chart, max_columns: int) -> Iterator[HeatMap]:
    """Yields a map for each value of the chart; none for a single row or column, or no values.

    Rows without label or x are left out. More than `max_columns` different x are merged. Times that
    no row has between two others, at their distance, have a column, too.
    """
    units = {column.name: column.unit or "" for column in result.columns}
    names = [*(["run_id"] if _has_runs(result) else []), *chart.label]
    assert chart.x is not None
    table = result.arrow()
    given = zip(*(table.column(name).to_pylist() for name in (*names, chart.x)), strict=True)
    known = [(place, row) for place, row in enumerate(given) if None not in row]
    kept = [place for place, _ in known]
    rows, row_of = _index([row[:-1] for _, row in known])
    x = [row[-1] for _, row in known]
    columns, column_of = _index(x, _between(x) if chart.x.endswith("_ns") else ())
    if min(len(rows), len(columns)) < 2:
        return
    n_merged = -(-len(columns) // max_columns)
    labels = [label(Chart("heat", tuple(names), ()), row) for row in rows]
    for name in chart.values:
        values = np.full((len(rows), -(-len(columns) // n_merged)), np.nan)
        drawn = arrow.numbers(table.column(name))[kept]
        np.fmax.at(values, (row_of, column_of // n_merged), drawn)
        if not np.isnan(values).all():
            yield HeatMap(name, units[name], labels, columns[::n_merged], n_merged, values)


def _has_runs(result: QueryResult) -> bool:
    names = result.schema.names
    return "run_id" in names and len(set(result.arrow().column("run_id").to_pylist())) > 1


def _between(times: Sequence[int]) -> Sequence[int]:
    """The times from first to last at the least distance; none if the others are not among them."""
    different = sorted(set(times))
    distances = {after - before for before, after in itertools.pairwise(different)}
    step = min(distances, default=0)
    if not step or any(distance % step for distance in distances):
        return ()
    filled = range(different[0], different[-1] + 1, step)
    return filled if len(filled) <= _MOST_TIMES else ()


def _index(
    keys: Sequence[Any], others: Sequence[Any] = ()
) -> tuple[list[Any], np.ndarray[Any, np.dtype[np.int64]]]:
    """Returns the different keys and others in order, and the place of each key among them."""
    different = sorted({*keys, *others})
    places = {key: place for place, key in enumerate(different)}
    return different, np.array([places[key] for key in keys], np.int64)
