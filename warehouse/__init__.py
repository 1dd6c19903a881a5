"""Trace Warehouse: one columnar store for training and inference traces.

From Python: `warehouse.open("traces.duckdb")`; see `warehouse.api`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from warehouse.api import open_warehouse as open

__all__ = ["__version__", "open"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Loads public names on first use, so that the command line starts without DuckDB."""
    if name == "open":
        from warehouse.api import open_warehouse

        return open_warehouse
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
