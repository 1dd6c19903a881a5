"""Trace Warehouse: one columnar store for training and inference traces.

From Python: `warehouse.open("traces.duckdb")`; see `warehouse.api`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from warehouse.api import Warehouse
    from warehouse.api import open_warehouse as open
    from warehouse.errors import TwError
    from warehouse.query.result import QueryResult

__all__ = ["QueryResult", "TwError", "Warehouse", "__version__", "open"]
__version__ = "0.1.0"
_PUBLIC = {
    "open": ("warehouse.api", "open_warehouse"),
    "Warehouse": ("warehouse.api", "Warehouse"),
    "QueryResult": ("warehouse.query.result", "QueryResult"),
    "TwError": ("warehouse.errors", "TwError"),
}


def __getattr__(name: str) -> Any:
    """Loads public names on first use, so that the command line starts without DuckDB."""
    if name in _PUBLIC:
        module, attribute = _PUBLIC[name]
        return getattr(importlib.import_module(module), attribute)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
