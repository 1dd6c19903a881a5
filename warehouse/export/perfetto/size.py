"""Estimates the size of a `.pftrace` before it is written.

Measured on recordings of five jobs: a slice takes 40 to 70 bytes, a flow 20, its arguments 0.3 to
0.5 of their length as JSON. The estimate is within a factor of two of the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb

_SLICE_BYTES = 55
_FLOW_BYTES = 20
_ARGUMENT_SHARE = 0.45


def expected_bytes(
    connection: duckdb.DuckDBPyConnection, *, with_args: bool, with_flows: bool
) -> int:
    """Returns the expected size in bytes of the scope as a Perfetto trace."""
    arguments = "coalesce(sum(strlen(args_json)), 0)" if with_args else "0"
    flows = "(SELECT count(*) FROM link WHERE link_set = 'default')" if with_flows else "0"
    row = connection.execute(
        f"SELECT count(*) * {_SLICE_BYTES} + {arguments} * {_ARGUMENT_SHARE} "
        f"+ {flows} * {_FLOW_BYTES} FROM slice"
    ).fetchone()
    assert row is not None
    return int(row[0])
