"""Importers bring detail tables: created at their first import, and there for whoever has tw."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.plugin import installed
from warehouse.store import catalog, database

if TYPE_CHECKING:
    from tests.conftest import Tw

SPANS = "thread,name,start_ns,dur_ns\na,w,0,9\nb,y,3,4\n"
LINES = "SELECT s.name, l.line FROM span_line AS l JOIN slice AS s ON s.id = l.slice_id ORDER BY 2"


def test_the_first_import_creates_the_tables_and_a_later_one_uses_them(
    tw: Tw, tmp_path: Path
) -> None:
    (tmp_path / "1.csv").write_text(SPANS)
    (tmp_path / "2.csv").write_text(SPANS.replace("w", "v"))

    with installed(tmp_path):
        assert tw("import", "1.csv").code == 0
        assert tw("import", "2.csv").code == 0

    with database.Reader(tmp_path / "traces.duckdb") as reader:
        rows = reader.connection.execute(LINES).fetchall()
        applied = reader.connection.execute(
            "SELECT version, name FROM schema_migration WHERE name LIKE 'spans:%'"
        ).fetchall()
    assert sorted(rows) == [("v", 2), ("w", 2), ("y", 3), ("y", 3)]
    assert applied == [(None, "spans:tables.sql")]


def test_the_tables_are_described_and_queried_without_the_importer(tw: Tw, tmp_path: Path) -> None:
    (tmp_path / "my.csv").write_text(SPANS)
    with installed(tmp_path):
        assert tw("import", "my.csv").code == 0

    queried = tw("query", "-c", LINES, "--format", "csv")
    with database.Reader(tmp_path / "traces.duckdb") as reader:
        table = catalog.find(catalog.tables(reader.connection), "span_line")
        columns = catalog.columns(reader.connection, "span_line")

    assert table.comment == "Where the slices of a spans file come from"
    assert [(column.name, column.unit) for column in columns] == [
        ("slice_id", "ref slice.id"), ("trace_id", "ref trace.id"), ("line", "count")
    ]  # fmt: skip
    assert queried.out.splitlines()[1:] == ['"w",2', '"y",3']


def test_a_failed_import_leaves_no_table(tw: Tw, tmp_path: Path) -> None:
    (tmp_path / "my.csv").write_text(SPANS)

    with installed(tmp_path) as package:
        (package / "normalize.sql").write_text("SELECT error('broken');")
        assert tw("import", "my.csv").code == 1

    with database.Reader(tmp_path / "traces.duckdb") as reader:
        assert database.one(
            reader.connection,
            "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'span_line'",
        ) == (0,)


def test_a_changed_script_is_refused(tw: Tw, tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text(SPANS)
    (tmp_path / "2.csv").write_text(SPANS.replace("w", "v"))

    with installed(tmp_path) as package:
        assert tw("import", "1.csv").code == 0
        script = package / "tables.sql"
        script.write_text(script.read_text().replace("line BIGINT", "line INTEGER"))
        ran = tw("import", "2.csv")

    assert ran.code == 1
    assert "tables of importer spans in this warehouse differ from tables.sql" in ran.err


def test_a_table_without_its_trace_is_refused(tw: Tw, tmp_path: Path) -> None:
    (tmp_path / "my.csv").write_text(SPANS)

    with installed(tmp_path) as package:
        (package / "tables.sql").write_text("CREATE TABLE span_line (slice_id BIGINT);")
        ran = tw("import", "my.csv")

    assert ran.code == 1
    assert "table span_line of importer spans has no column trace_id" in ran.err


@pytest.mark.slow
def test_rows_are_scoped_exported_and_removed_like_all_others(tw: Tw, tmp_path: Path) -> None:
    for run in ("one", "two"):
        (tmp_path / f"{run}.csv").write_text(SPANS.replace("w", run))
        with installed(tmp_path / run):
            assert tw("import", f"{run}.csv", "--run", run).code == 0

    scoped = tw("query", "-c", LINES, "--run", "two", "--format", "csv")
    exported = tw("export", "parquet", "--run", "two", "-o", "lake")
    dropped = tw("drop", "--run", "one", "--yes")

    assert scoped.out.splitlines()[1:] == ['"two",2', '"y",3']
    assert exported.code == 0, exported.err
    assert [path.parent.name for path in (tmp_path / "lake" / "span_line").rglob("*.parquet")] == [
        "trace_id=2"
    ]
    assert dropped.code == 0, dropped.err
    with database.Reader(tmp_path / "traces.duckdb") as reader:
        rows = reader.connection.execute("SELECT DISTINCT trace_id FROM span_line").fetchall()
    assert rows == [(2,)]
