"""Computes waterfall charts: a total of two sides, and the largest changes that lead from one to
the other, with the rest in one bar, so that all bars add up."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from warehouse.export.sections import Chart
from warehouse.query.result import QueryResult


def chart(result: QueryResult, drawn: Chart) -> dict[str, Any] | None:
    """Returns the chart; None if nothing is compared.

    `drawn.values` are the columns of the change and of both sides, NULL in rows not compared.
    """
    table = result.arrow()
    change, side_a, side_b = (
        np.array([math.nan if v is None else v for v in table.column(name).to_pylist()], float)
        for name in drawn.values
    )
    compared = np.flatnonzero(~np.isnan(change))
    if not len(compared):
        return None
    order = compared[np.argsort(-np.abs(change[compared]), kind="stable")]
    shown = order[: drawn.rows][change[order[: drawn.rows]] != 0]
    names = table.column(drawn.label[0]).to_pylist()
    first, last = math.fsum(side_a[compared]), math.fsum(side_b[compared])
    changes = [float(change[row]) for row in shown]
    n_rest = len(compared) - len(shown)
    return {
        "kind": "waterfall",
        "total": drawn.total,
        "unit": next(each.unit for each in result.columns if each.name == drawn.values[0]),
        "labels": [names[row] or "(no name)" for row in shown],
        "changes": changes,
        "first": first,
        "last": last,
        "n_rest": n_rest,
        "rest": math.fsum([last, -first, *(-each for each in changes)]),
        "basis": next(filter(None, table.column("basis").to_pylist()), ""),
        "n_left_out": 0,
        "series": [],
    }
