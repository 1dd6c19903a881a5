"""Numbers the slices of each trace in the order they are stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warehouse.store import database

if TYPE_CHECKING:
    import duckdb

#: Of one trace: where a row is in `sorted_span` is its number.
_OF_ONE = """
CREATE VIEW slice_order AS
SELECT rowid AS slice_n, seq::BIGINT AS seq, track_key & 4294967295 AS track_n, ts, dur, track_key
FROM sorted_span
"""
_OF_SEVERAL = """
CREATE TABLE slice_order AS
SELECT
  (trace_n << 32) + row_number() OVER (PARTITION BY trace_n ORDER BY row_n) - 1 AS slice_n,
  (trace_n << 32) | seq AS seq,
  (trace_n << 32) | (track_key & 4294967295) AS track_n,
  ts,
  dur,
  track_key
FROM (SELECT *, rowid AS row_n, track_key >> 56 AS trace_n FROM sorted_span)
ORDER BY slice_n
"""


def number_slices(connection: duckdb.DuckDBPyConnection) -> None:
    """Creates `slice_order` from `sorted_span`."""
    (n_traces,) = database.one(connection, "SELECT count(*) FROM source_trace")
    connection.execute(_OF_ONE if n_traces == 1 else _OF_SEVERAL)
