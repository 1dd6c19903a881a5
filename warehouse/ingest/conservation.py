"""Checks that an import loses nothing: every record is stored, merged or unused.

Records are counted in the scratch database, and stored ones as rows of core tables; no count comes
from the reader. See importer.py for the scratch tables. Only counts are taken, no rows are read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from warehouse.errors import CorruptTrace
from warehouse.ingest.importer import Importer, Problem
from warehouse.store import database

if TYPE_CHECKING:
    import duckdb

KIND = "unaccounted_records"  # of the problem
_Counts = Mapping[str, int]


@dataclass(frozen=True)
class Account:
    """The records of one source as its scratch database counts them, by source, reason or table."""

    n_events: int
    records: _Counts
    merged: _Counts
    unused: _Counts
    derived: _Counts  # rows of core tables that are not a record of their own

    @classmethod
    def none(cls) -> Account:
        """The account of a source that was not counted yet."""
        return cls(0, {}, {}, {}, {})

    @property
    def n_records(self) -> int:
        """Records read; each has one row in `event` unless `record_count` has the number."""
        return sum(self.records.values()) if self.records else self.n_events

    def n_lost(self, stored: _Counts) -> int:
        """Records without a disposition, for rows of core tables; negative for rows too many."""
        n_derived = sum(n for table, n in self.derived.items() if table in stored)
        n_stored = sum(stored.values()) - n_derived
        return self.n_records - n_stored - sum(self.merged.values()) - sum(self.unused.values())


def account(connection: duckdb.DuckDBPyConnection) -> Account:
    """Counts the records of a scratch database whose `prepare` scripts have run."""
    (n_events,) = database.one(connection, "SELECT count(*) FROM event")
    return Account(
        int(n_events),
        records=_sums(connection, "record_count", "source"),
        merged=_sums(connection, "merged", "reason"),
        unused=_sums(connection, "unused", "reason"),
        derived=_sums(connection, "derived", "table_name"),
    )


def accounts(connection: duckdb.DuckDBPyConnection, n_traces: int) -> list[Account]:
    """Counts the records of each trace in a scratch database with several (importer.Together)."""
    events = _by_trace(connection, "SELECT seq >> 32, '', count(*) FROM event GROUP BY seq >> 32")
    merged, unused, derived = (
        _by_trace(connection, f"SELECT trace_n, {key}, n FROM {table}")
        for table, key in (("merged", "reason"), ("unused", "reason"), ("derived", "table_name"))
    )
    return [Account(events[n][""], {}, merged[n], unused[n], derived[n]) for n in range(n_traces)]


def _by_trace(connection: duckdb.DuckDBPyConnection, sql: str) -> dict[int, dict[str, int]]:
    found: dict[int, dict[str, int]] = defaultdict(dict)
    for trace_n, name, n in connection.execute(sql).fetchall():
        found[trace_n][str(name)] = int(n)
    return found


def check(
    importer: Importer, account: Account, stored: _Counts, *, is_strict: bool
) -> list[Problem]:
    """A problem if records got lost; raises CorruptTrace instead if strict.

    `stored` has the number of rows of the trace in each of the importer's record tables.
    """
    n_lost = account.n_lost(stored)
    if not n_lost:
        return []
    meaning = _meaning(n_lost, account.n_records)
    if is_strict:
        raise CorruptTrace(
            f"{meaning} (importer {importer.name})",
            hint="Report it to the author of the importer; without --strict it is imported.",
        )
    return [Problem(KIND, meaning, abs(n_lost), severity="error")]


def _meaning(n_lost: int, n_records: int) -> str:
    if n_lost < 0:
        rows = "row" if n_lost == -1 else "rows"
        return f"{-n_lost:,} {rows} more than the {n_records:,} records account for"
    return f"{n_lost:,} of {n_records:,} records {'has' if n_lost == 1 else 'have'} no disposition"


def _sums(connection: duckdb.DuckDBPyConnection, table: str, key: str) -> dict[str, int]:
    """The sums of n by key, in order of the rows; empty if there is no such table."""
    import duckdb

    try:
        rows = connection.execute(f"SELECT {key}, n FROM {table}").fetchall()
    except duckdb.CatalogException:
        if table == "unused":
            raise
        return {}
    sums: dict[str, int] = {}
    for name, n in rows:
        sums[str(name)] = sums.get(str(name), 0) + int(n or 0)
    return sums
