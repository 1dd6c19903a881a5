"""Shows the peak rates of devices that the configuration declares to the queries of a session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from warehouse.config import DEVICE_RATES

if TYPE_CHECKING:
    import duckdb


def apply(
    connection: duckdb.DuckDBPyConnection, devices: Mapping[str, Mapping[str, float]]
) -> None:
    """Replaces the view `device_setting` on this connection, if any device is declared."""
    if not devices:
        return
    rows = ", ".join(
        f"({_text(name)}, {', '.join(_number(rates.get(key)) for key in DEVICE_RATES)})"
        for name, rates in devices.items()
    )
    columns = ", ".join(DEVICE_RATES)
    connection.execute(
        f"CREATE OR REPLACE TEMP VIEW device_setting AS SELECT * FROM (VALUES {rows}) "
        f"AS declared(name, {columns})"
    )


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _number(value: float | None) -> str:
    return f"{'NULL' if value is None else repr(float(value))}::DOUBLE"
