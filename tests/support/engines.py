"""Compares the rows of a query from two engines, in order."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

RELATIVE, ABSOLUTE = 1e-9, 1e-12
RESULTS = "TW_SPARK_RESULTS"  # the variable that names the file of results


def difference(expected: pa.Table, found: pa.Table) -> str | None:
    """Says how rows differ: floats by more than 1e-9, other values or the order at all."""
    if expected.column_names != found.column_names:
        return f"columns {found.column_names} in place of {expected.column_names}"
    if expected.num_rows != found.num_rows:
        return f"{found.num_rows} rows in place of {expected.num_rows}"
    if expected.equals(found):
        return None
    rows = zip(_rows(expected), _rows(found), strict=True)
    for number, (before, after) in enumerate(rows):
        if not are_equal(before, after):
            return f"row {number}: {after} in place of {before}"[:600]
    return None


def _rows(table: pa.Table) -> Sequence[tuple[Any, ...]]:
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


def are_equal(expected: Any, found: Any) -> bool:
    """Whether two values, or lists of them, are equal; numbers of different kinds are not."""
    if isinstance(expected, list | tuple) and isinstance(found, list | tuple):
        return len(expected) == len(found) and all(map(are_equal, expected, found))
    if isinstance(expected, dict) and isinstance(found, dict):
        return expected.keys() == found.keys() and all(
            are_equal(value, found[key]) for key, value in expected.items()
        )
    if isinstance(expected, float) and isinstance(found, float):
        if math.isnan(expected) or math.isnan(found):
            return math.isnan(expected) and math.isnan(found)
        return math.isclose(expected, found, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    return type(expected) is type(found) and bool(expected == found)


def record(query: str, n_rows: int, is_equal: bool, data: str) -> None:
    """Adds what was compared to the file of results, if there is one."""
    if RESULTS in os.environ:
        with Path(os.environ[RESULTS]).open("a", encoding="utf-8") as results:
            status = ("equal" if n_rows else "no rows") if is_equal else "differs"
            results.write(f"{query},{n_rows},{status},{data}\n")
