"""Heat maps of a page: values as 255 levels between the 1st and 99th percentile, in base64."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from warehouse.export.heat import HeatMap, maps
from warehouse.export.sections import Chart
from warehouse.query.result import QueryResult

COLUMNS = 400
_LEVELS = 254  # level 255: no value


def chart(result: QueryResult, drawn: Chart) -> dict[str, Any] | None:
    """Returns the maps of a chart; None if there is nothing to draw."""
    found = list(maps(result, drawn, COLUMNS))
    if not found:
        return None
    return {
        "kind": "heat",
        "x": drawn.x,
        "x_unit": next(each.unit for each in result.columns if each.name == drawn.x),
        "columns": found[0].x,
        "labels": found[0].labels,
        "n_merged": found[0].n_merged,
        "series": [_series(each) for each in found],
        "n_left_out": 0,
    }


def _series(given: HeatMap) -> dict[str, Any]:
    """Returns the levels of a map, row by row, and the values of the lowest and highest level."""
    low, high = (float(each) for each in np.nanquantile(given.values, (0.01, 0.99)))
    scale = _LEVELS / (high - low) if high > low else 0.0
    levels = np.clip(np.rint((given.values - low) * scale), 0, _LEVELS)
    coded = np.where(np.isnan(levels), _LEVELS + 1, levels).astype(np.uint8)
    return {
        "name": given.name,
        "unit": given.unit,
        "low": low,
        "high": high,
        "least": float(np.nanmin(given.values)),
        "greatest": float(np.nanmax(given.values)),
        "levels": base64.b64encode(coded.tobytes()).decode(),
    }
