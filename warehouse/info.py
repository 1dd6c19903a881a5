"""What a warehouse file is and how large: for `tw info` and Python."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from warehouse import __version__, migrate, store

if TYPE_CHECKING:
    from warehouse.session import Session


@dataclass(frozen=True)
class TableSize:
    """Rows of a table, and the bytes of the blocks it has parts in; small tables share blocks."""

    name: str
    n_rows: int
    n_bytes: int


@dataclass(frozen=True)
class Info:
    """Facts of one warehouse file; sizes in bytes, times in UTC."""

    path: str
    n_bytes: int
    n_free_bytes: int  # inside the file, for the next import
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


def read(session: Session) -> Info:
    """The facts of an open warehouse, whatever the session's scope."""
    import duckdb

    connection, path = session.connection, session.place.path
    free, block_size = store.one(
        connection, "SELECT free_blocks, block_size FROM pragma_database_size() "
        "WHERE database_name = current_database()"
    )  # fmt: skip
    tables = _tables(session, int(block_size))
    rows = {each.name: each.n_rows for each in tables}
    first, last = store.one(
        connection, "SELECT min(imported_at)::VARCHAR, max(imported_at)::VARCHAR FROM main.trace"
    )
    return Info(
        path=str(path), n_bytes=path.stat().st_size, n_free_bytes=int(free) * int(block_size),
        schema_version=migrate.version(connection),
        latest_schema_version=migrate.latest_version(),
        tw_version=__version__, duckdb_version=duckdb.__version__,
        n_runs=rows["run"], n_traces=rows["trace"], n_slices=rows["slice"],
        n_links=rows["link"], first_import=first, last_import=last, tables=tables,
    )  # fmt: skip


def _tables(session: Session, block_size: int) -> list[TableSize]:
    """Every table, largest first."""
    connection = session.connection
    names = [
        str(name)
        for (name,) in connection.execute(
            "SELECT table_name FROM duckdb_tables() WHERE database_name = current_database()"
        ).fetchall()
    ]
    found = []
    for name in names:
        (n_rows,) = store.one(connection, f'SELECT count(*) FROM main."{name}"')
        (n_blocks,) = store.one(
            connection,
            "SELECT count(DISTINCT block) FROM (SELECT unnest(list_prepend(block_id, "
            "additional_block_ids)) AS block FROM pragma_storage_info(?)) WHERE block >= 0",
            [name],
        )
        found.append(TableSize(name, int(n_rows), int(n_blocks) * block_size))
    return sorted(found, key=lambda each: (-each.n_bytes, -each.n_rows, each.name))
