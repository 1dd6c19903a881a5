"""Reference tables: small traces of each backend, stored as rows, on which queries are compared.

`queries/reference/<set>.zip` holds one Parquet file per table with rows. All sets form one
warehouse: ids are unique across them. They are never imported again, so that no importer and no
linker changes what queries read. `python -m tests.support.make_reference` records them.
"""

from __future__ import annotations

import io
import tempfile
import zipfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from warehouse.query import session
from warehouse.query.selection import Selection
from warehouse.resources import sql_folder
from warehouse.store import database

if TYPE_CHECKING:
    import duckdb

    from warehouse.library.library import Library

#: The runs of a set are named after it, or after it and a slash.
ALL = "all"


def folder() -> Path:
    """Where the reference tables of the program are."""
    return sql_folder("queries") / "reference"


def sets(place: Path | None = None) -> list[str]:
    """The names of all sets, sorted."""
    return sorted(path.stem for path in (place or folder()).glob("*.zip"))


@contextmanager
def opened(
    queries: Library, place: Path | None = None, only: Collection[str] | None = None
) -> Iterator[session.Session]:
    """A session on a temporary warehouse with the rows of all sets, or some, in one thread."""
    with tempfile.TemporaryDirectory(prefix="tw-reference-") as scratch:
        path = Path(scratch) / "reference.duckdb"
        build(path, place, only)
        with session.opened(
            session.Place(path, threads=1), Selection(runs=(ALL,)), queries
        ) as found:
            yield found


def build(path: Path, place: Path | None = None, only: Collection[str] | None = None) -> None:
    """Creates a warehouse with the rows of all sets, or some."""
    database.create_empty(path)
    with database.writer(path) as connection:
        connection.execute("BEGIN")
        for name in sets(place) if only is None else sorted(only):
            with zipfile.ZipFile((place or folder()) / f"{name}.zip") as file:
                for member in file.namelist():
                    _insert(connection, member.removesuffix(".parquet"), file.read(member))
        connection.execute("COMMIT")


def _insert(connection: duckdb.DuckDBPyConnection, table: str, content: bytes) -> None:
    """Adds rows; columns that the schema has added since are NULL."""
    from pyarrow import parquet

    connection.register("reference_rows", parquet.read_table(io.BytesIO(content)))
    connection.execute(f'INSERT INTO "{table}" BY NAME FROM reference_rows')
    connection.unregister("reference_rows")


def choose(opened: session.Session, name: str) -> None:
    """Sees the runs of one set from now on, or those of all sets (`all`)."""
    opened.choose(Selection(runs=(ALL,)))
    if name == ALL:
        return
    rows = opened.connection.execute("SELECT name FROM run ORDER BY id").fetchall()
    runs = [run for (run,) in rows if run == name or run.startswith(f"{name}/")]
    opened.choose(Selection(runs=tuple(runs)))
