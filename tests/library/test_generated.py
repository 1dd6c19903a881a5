"""A new table is one migration: checks, scopes, exports and removal follow from its comments."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import warehouse
from tests.support.sharing import DDP, GPU, WarehouseCache
from warehouse.library import generated, library
from warehouse.resources import sql_folder
from warehouse.store import catalog, database, migrate, template

if TYPE_CHECKING:
    from tests.conftest import Tw

TABLE = """-- Notes on slices
CREATE TABLE note (
  id BIGINT NOT NULL, -- [id] trace_id << 32 | n
  trace_id BIGINT NOT NULL, -- [ref trace.id] trace
  slice_id BIGINT NOT NULL, -- [ref slice.id] slice the note is about
  text VARCHAR -- [text] the note
);
"""


def clear() -> None:
    migrate.migrations.cache_clear()
    migrate._repeatable_comments.cache_clear()
    template.forget()


@pytest.fixture
def before(imported_files: WarehouseCache, tmp_path: Path) -> Path:
    """A warehouse of the program without the table."""
    return imported_files.copy(tmp_path / "traces.duckdb", GPU, DDP)


@pytest.fixture
def with_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The program with one migration more."""
    folder = tmp_path / "schema"
    shutil.copytree(sql_folder("schema"), folder)
    (folder / "V9999__note.sql").write_text(TABLE)
    monkeypatch.setattr(migrate, "sql_folder", lambda name: folder)
    clear()
    yield
    monkeypatch.undo()
    clear()


@pytest.mark.slow
def test_a_new_table_is_checked_scoped_exported_and_dropped(
    tw: Tw, tmp_path: Path, before: Path, with_note: None
) -> None:
    db = tmp_path / "traces.duckdb"
    assert tw("schema", "upgrade").code == 0
    with database.writer(db) as writing:
        writing.execute(
            "INSERT INTO note SELECT trace_id << 32, trace_id, min(id), 'first' FROM slice "
            "GROUP BY trace_id"
        )

    def findings() -> dict[str, str]:
        found = warehouse.open(db).scope(run="all").check("reference", "id_unique")
        return {row["check_name"]: row["examples"] for row in found}

    assert findings() == {}
    with database.writer(db) as writing:
        writing.execute(f"INSERT INTO note VALUES ({1 << 32}, 1, {(1 << 32) + 99999}, 'second')")
    assert findings() == {
        "id_unique": f"note.id {1 << 32}, 2 times",
        "reference": f"note.slice_id {(1 << 32) + 99999}",
    }

    count = "SELECT count(*) AS n FROM note"
    assert warehouse.open(db).scope(run="gpu").sql(count).one() == {"n": 2}
    assert tw("export", "parquet", "--run", "gpu", "-o", "lake").code == 0
    assert [path.name for path in (tmp_path / "lake" / "note").iterdir()] == ["trace_id=1"]
    assert tw("drop", "--run", "gpu", "--yes").code == 0
    assert warehouse.open(db).scope(run="all").sql(count).one() == {"n": 2}  # those of ddp


def test_parts_name_every_reference_of_the_schema() -> None:
    with catalog.empty() as connection:
        schema = generated.read_schema(connection)
        (sql,) = [
            query.on(connection).sql
            for query in (library.load().find("check_reference"),)
        ]  # fmt: skip

    names = {each.name for each in schema.references}
    assert {"slice.parent_id", "gpu_op.device_id", "trace.clock_id", "link.from_id"} <= names
    assert all(f"'{name}'" in sql for name in names)
    assert "--!" not in sql
    assert ("slice", "id") in schema.keys
    assert ("cpu_op", "slice_id") in schema.keys
    assert ("collective", "slice_id") not in schema.keys
