"""Size and contents of a warehouse file, for `tw info` and Python."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from warehouse import __version__
from warehouse.store import database, migrate, statements

if TYPE_CHECKING:
    from warehouse.query.session import Session


@dataclass(frozen=True)
class TableSize:
    """Rows of a table, and bytes of the blocks that hold it; small tables share blocks."""

    name: str
    n_rows: int
    n_bytes: int


@dataclass(frozen=True)
class TraceSize:
    """Rows of a trace in all tables, and its share of their bytes, proportional to rows."""

    name: str  # RUN/TRACE
    imported_at: str  # UTC
    n_rows: int
    n_bytes: int


@dataclass(frozen=True)
class Info:
    """Facts of one warehouse file; sizes in bytes, times in UTC."""

    path: str
    n_bytes: int
    n_free_bytes: int  # inside the file, reused by imports
    schema_version: int
    latest_schema_version: int
    tw_version: str
    duckdb_version: str
    n_runs: int
    n_traces: int
    n_slices: int
    n_links: int
    first_import: str | None
    last_import: str | None
    tables: list[TableSize] = field(default_factory=list)
    traces: list[TraceSize] = field(default_factory=list)


def read(session: Session, *, with_tables: bool = True, with_traces: bool = True) -> Info:
    """Returns the facts of an open warehouse, ignoring the scope of the session.

    Tables and traces, which take time that grows with the warehouse, are left out on request.
    """
    import duckdb

    connection, path = session.connection, session.place.path
    free, block_size = database.one(
        connection, "SELECT free_blocks, block_size FROM pragma_database_size() "
        "WHERE database_name = current_database()"
    )  # fmt: skip
    tables = _tables(session, int(block_size)) if with_tables or with_traces else []
    rows = _counts(session, ["run", "trace", "slice", "link"])
    first, last = database.one(
        connection, "SELECT min(imported_at)::VARCHAR, max(imported_at)::VARCHAR FROM main.trace"
    )
    return Info(
        path=str(path), n_bytes=path.stat().st_size, n_free_bytes=int(free) * int(block_size),
        schema_version=migrate.version(connection),
        latest_schema_version=migrate.latest_version(),
        tw_version=__version__, duckdb_version=duckdb.__version__,
        n_runs=rows["run"], n_traces=rows["trace"], n_slices=rows["slice"],
        n_links=rows["link"], first_import=first, last_import=last, tables=tables,
        traces=_traces(session, tables) if with_traces else [],
    )  # fmt: skip


def _tables(session: Session, block_size: int) -> list[TableSize]:
    """Returns all tables, largest first."""
    connection = session.connection
    names = [
        str(name)
        for (name,) in connection.execute(
            "SELECT table_name FROM duckdb_tables() WHERE database_name = current_database()"
        ).fetchall()
    ]
    parts = "SELECT {text} AS name, block_id, additional_block_ids FROM pragma_storage_info({text})"
    n_blocks = dict(
        connection.execute(
            "SELECT name, count(DISTINCT block) FROM (SELECT name, unnest(list_prepend(block_id, "
            f"additional_block_ids)) AS block FROM ({_of_each(names, parts)})) "
            "WHERE block >= 0 GROUP BY name"
        ).fetchall()
    )
    n_rows = _counts(session, names)
    found = [TableSize(name, n_rows[name], n_blocks.get(name, 0) * block_size) for name in names]
    return sorted(found, key=lambda each: (-each.n_bytes, -each.n_rows, each.name))


def _counts(session: Session, tables: Sequence[str]) -> dict[str, int]:
    """Returns the number of rows of each table."""
    counts = _of_each(tables, "SELECT {text}, count(*) FROM main.{name}")
    return dict(session.connection.execute(counts).fetchall())


def _of_each(tables: Sequence[str], select: str) -> str:
    """Returns one query with the rows of `select` for each table, as planning many takes longer."""
    return " UNION ALL ".join(
        select.format(name=statements.quoted(table), text="'" + table.replace("'", "''") + "'")
        for table in tables
    )


def _traces(session: Session, tables: list[TableSize]) -> list[TraceSize]:
    """Returns all traces, largest first. DuckDB stores by table, so bytes are estimated shares."""
    connection = session.connection
    n_rows: Counter[int] = Counter()
    n_bytes: dict[int, float] = defaultdict(float)
    owned = {
        str(table)
        for (table,) in connection.execute(
            "SELECT table_name FROM duckdb_columns() WHERE column_name = 'trace_id' "
            "AND database_name = current_database() AND schema_name = 'main'"
        ).fetchall()
    }
    sizes = {each.name: each for each in tables if each.name in owned and each.n_rows}
    counts = (
        "SELECT {text}, trace_id, count(*) FROM main.{name} WHERE trace_id IS NOT NULL GROUP BY ALL"
    )
    rows = connection.execute(_of_each(list(sizes), counts)).fetchall() if sizes else []
    for table, trace_id, n in rows:
        n_rows[trace_id] += n
        n_bytes[trace_id] += sizes[table].n_bytes * n / sizes[table].n_rows
    traces = connection.execute(
        "SELECT t.id, r.name || '/' || t.name, t.imported_at::VARCHAR "
        "FROM main.trace AS t JOIN main.run AS r ON r.id = t.run_id"
    ).fetchall()
    found = [TraceSize(name, at, n_rows[id], round(n_bytes[id])) for id, name, at in traces]
    return sorted(found, key=lambda each: (-each.n_bytes, -each.n_rows, each.name))
