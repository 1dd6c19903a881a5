"""Charts of regions of a page: rows as rectangles, the largest where there are many rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from warehouse.export.sections import Chart, by_run, label, label_rows
from warehouse.query.result import QueryResult

MOST = 6_000  # rectangles of a chart; the largest are drawn


def chart(result: QueryResult, drawn: Chart) -> dict[str, Any]:
    """Returns rectangles in the order of rows, each with the numbers of its label, series and name.

    An end without a value, or at its start, is drawn as a line.
    """
    drawn = by_run(result, drawn)
    assert drawn.x and drawn.x_end and drawn.series
    table = result.arrow()
    keys = label_rows(table, drawn)
    labels = {key: place for place, key in enumerate(dict.fromkeys(keys))}
    columns = {
        name: table.column(name).to_pylist() for name in (drawn.x, drawn.x_end, *drawn.values)
    }
    shown = _largest(*(np.array(each, dtype=np.float64) for each in columns.values()))
    shown = [row for row in shown if labels[keys[row]] < drawn.rows]
    series = table.column(drawn.series).to_pylist()
    texts = list(zip(*(table.column(name).to_pylist() for name in drawn.text), strict=True))
    names = {each: place for place, each in enumerate(dict.fromkeys(series))}
    names_of_regions = {
        each: place for place, each in enumerate(dict.fromkeys(texts[row] for row in shown))
    }
    units = {column.name: column.unit or "" for column in result.columns}
    ends = table.column(drawn.most).to_pylist() if drawn.most else []
    return {
        "kind": "region",
        "x_unit": units[drawn.x],
        "unit": units[drawn.values[0]],
        "height": max((each for each in ends if each), default=None),
        "labels": [label(drawn, key) for key in list(labels)[: drawn.rows]],
        "series": [{"name": name} for name in names],
        "texts": [" · ".join(str(part) for part in each if part) for each in names_of_regions],
        # A loop over rows, at most those drawn: a rectangle has values of several columns.
        "regions": [
            [
                labels[keys[row]], names[series[row]], names_of_regions[texts[row]],
                *(values[row] for values in columns.values()),
            ]
            for row in shown
        ],
        "n_left_out": table.num_rows - len(shown),
    }  # fmt: skip


def _largest(x: Any, x_end: Any, y: Any, y_end: Any) -> list[int]:
    """Returns the rows of the largest areas, in order; those without an end have none."""
    if len(x) <= MOST:
        return list(range(len(x)))
    areas = np.nan_to_num((x_end - x) * (y_end - y))
    rows: list[int] = np.sort(np.argsort(-areas, kind="stable")[:MOST]).tolist()
    return rows
