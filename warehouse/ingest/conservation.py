"""Checks that an import loses nothing: every record is stored, merged or unused.

Records are counted in the scratch database, stored ones by the rows of core tables, both here and
not by the reader. See importer.py for the scratch tables. Only counts are taken, no rows read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from warehouse.errors import CorruptTrace
from warehouse.ingest.importer import Importer, Problem
from warehouse.store import database

if TYPE_CHECKING:
    import duckdb

KIND = "unaccounted_records"  # of the problem


@dataclass(frozen=True)
class Balance:
    """The records of one source by what became of them."""

    n_records: int
    n_stored: int
    n_merged: int
    n_unused: int

    @property
    def n_lost(self) -> int:
        """Records without a disposition; negative if there are more rows than records."""
        return self.n_records - self.n_stored - self.n_merged - self.n_unused


def check(
    connection: duckdb.DuckDBPyConnection, importer: Importer, trace_id: int, *, is_strict: bool
) -> list[Problem]:
    """A problem if the balance of a trace is not even; raises CorruptTrace if strict."""
    found = balance(connection, importer, trace_id)
    if not found.n_lost:
        return []
    meaning = _meaning(found)
    if is_strict:
        raise CorruptTrace(
            f"{meaning} (importer {importer.name})",
            hint="Report it to the author of the importer; without --strict it is imported.",
        )
    return [Problem(KIND, meaning, abs(found.n_lost), severity="error")]


def _meaning(found: Balance) -> str:
    if found.n_lost < 0:
        rows = "row" if found.n_lost == -1 else "rows"
        return f"{-found.n_lost:,} {rows} more than the {found.n_records:,} records account for"
    have = "has" if found.n_lost == 1 else "have"
    return f"{found.n_lost:,} of {found.n_records:,} records {have} no disposition"


def balance(connection: duckdb.DuckDBPyConnection, importer: Importer, trace_id: int) -> Balance:
    """Counts the records of a trace whose `normalize` scripts have run, within its transaction."""
    tables = _scratch_tables(connection)
    n_records = (
        _sum("record_count") if "record_count" in tables else "SELECT count(*) FROM scratch.event"
    )
    rows = [
        f"(SELECT count(*) FROM {table} WHERE trace_id = {trace_id})"
        for table in importer.record_tables
    ]
    listed = ", ".join(f"'{table}'" for table in importer.record_tables)
    derived = _sum("derived", f"table_name IN ({listed})") if "derived" in tables else "0"
    merged = _sum("merged") if "merged" in tables else "0"
    counts = database.one(
        connection,
        f"SELECT ({n_records}), {' + '.join(rows)} - ({derived}), ({merged}), ({_sum('unused')})",
    )
    return Balance(*map(int, counts))


def _sum(table: str, condition: str = "true") -> str:
    return f"SELECT coalesce(sum(n), 0) FROM scratch.{table} WHERE {condition}"


def _scratch_tables(connection: duckdb.DuckDBPyConnection) -> set[str]:
    rows = connection.execute(
        "SELECT table_name FROM duckdb_tables() WHERE database_name = 'scratch' "
        "UNION ALL SELECT view_name FROM duckdb_views() WHERE database_name = 'scratch'"
    ).fetchall()
    return {str(name) for (name,) in rows}
