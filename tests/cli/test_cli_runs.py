"""`tw runs`, `tw drop`, `tw formats` and `tw schema`: what they show and what they change."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.sharing import DDP, GPU, WarehouseCache, integration, slow
from warehouse.ingest import formats, importer
from warehouse.query import scope
from warehouse.query.selection import Selection
from warehouse.store import catalog, database, migrate

if TYPE_CHECKING:
    import duckdb

    from tests.conftest import Tw

KINETO = Path(__file__).parents[1] / "data" / "kineto"


@pytest.fixture(scope="module")
def imported(imported_files: WarehouseCache) -> Path:
    """The run `ddp` of two ranks, and the run `gpu` of one trace."""
    return imported_files.file(DDP, GPU)


@pytest.fixture
def warehouse(imported: Path, tmp_path: Path) -> Path:
    path = tmp_path / "traces.duckdb"
    path.write_bytes(imported.read_bytes())
    return path


def counts(path: Path, tables: Iterable[str], condition: str = "true") -> dict[str, int]:
    with database.Reader(path) as reader:
        return {
            table: int(
                database.one(reader.connection, f"SELECT count(*) FROM {table} WHERE {condition}")[
                    0
                ]
            )
            for table in tables
        }


def count(path: Path, table: str) -> int:
    return counts(path, [table])[table]


def test_runs_lists_every_run(tw: Tw, warehouse: Path) -> None:
    rows = json.loads(tw("runs", "--format", "json").out)

    assert [(r["run"], r["n_traces"], r["n_ranks"], r["formats"]) for r in rows] == [
        ("ddp", 2, 2, "kineto"),
        ("gpu", 1, 1, "kineto"),
    ]
    assert sum(r["n_slices"] for r in rows) == count(warehouse, "slice")
    assert all(r["span_ns"] > 0 and r["content_bytes"] > 0 for r in rows)


def test_runs_lists_every_trace(tw: Tw, warehouse: Path) -> None:
    rows = json.loads(tw("runs", "--traces", "--format", "json").out)

    assert [(r["run"], r["name"], r["rank"]) for r in rows] == [
        ("ddp", "rank0", 0),
        ("ddp", "rank1", 1),
        ("gpu", "trace", 0),
    ]
    assert rows[2]["path"].endswith("gpu_handwritten/trace.json")
    assert rows[2]["n_problems"] == 2  # two slices of negative length


def test_an_empty_warehouse_has_no_runs(tw: Tw, tmp_path: Path) -> None:
    database.create_empty(tmp_path / "traces.duckdb")

    ran = tw("runs")

    assert ran.code == 0
    assert "The warehouse is empty" in ran.err


def test_drop_removes_a_run_and_nothing_else(tw: Tw, warehouse: Path) -> None:
    with database.Reader(warehouse) as reader:
        tables = catalog.trace_tables(reader.connection)
    before = counts(warehouse, tables, "trace_id = 3")

    ran = tw("drop", "--run", "ddp", "--yes")

    assert (ran.code, ran.out) == (0, "")
    assert ran.err == "Removed 2 traces: ddp/rank0, ddp/rank1.\n"
    assert len(tables) > 30
    assert counts(warehouse, tables) == before
    assert [count(warehouse, table) for table in ("run", "trace")] == [1, 1]


def test_no_table_keeps_rows_of_a_dropped_trace(tw: Tw, warehouse: Path) -> None:
    tw("drop", "--run", "all", "--yes")

    with database.Reader(warehouse) as reader:
        owned = reader.connection.execute(
            "SELECT DISTINCT table_name FROM duckdb_columns() JOIN duckdb_tables() "
            "USING (table_name) WHERE column_name IN ('trace_id', 'run_id')"
        ).fetchall()
    assert set(counts(warehouse, [table for (table,) in owned]).values()) == {0}


@pytest.mark.slow
def test_drop_removes_one_trace_of_a_run(tw: Tw, warehouse: Path) -> None:
    assert tw("drop", "--run", "ddp", "--trace", "rank1", "-y").code == 0

    with database.Reader(warehouse) as reader:
        left = scope.resolve(reader.connection, Selection(runs=("all",)))
    assert (left.trace_ids, left.run_names) == ((1, 3), ("ddp", "gpu"))


@pytest.mark.slow
def test_what_was_dropped_can_be_imported_again(tw: Tw, warehouse: Path) -> None:
    tw("drop", "--run", "gpu", "--yes")

    ran = tw("import", KINETO / "gpu_handwritten" / "trace.json", "--run", "again")

    assert ran.code == 0
    assert "run again" in ran.err


def test_drop_asks_and_does_nothing_unasked(tw: Tw, warehouse: Path) -> None:
    ran = tw("drop", "--trace", "rank0")

    assert ran.code == 2
    assert ran.errors == ["Error: this would remove 1 trace: ddp/rank0"]
    assert "Hint: Add --yes" in ran.err
    assert count(warehouse, "trace") == 3


def test_drop_is_all_or_nothing(tw: Tw, warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from warehouse.store import deletion

    honest = deletion.delete_traces

    def is_interrupted(connection: duckdb.DuckDBPyConnection, trace_ids: Sequence[int]) -> None:
        honest(connection, trace_ids)
        raise KeyboardInterrupt

    monkeypatch.setattr(deletion, "delete_traces", is_interrupted)
    slices = count(warehouse, "slice")

    assert tw("drop", "--run", "ddp", "--yes").code == 130
    assert (count(warehouse, "trace"), count(warehouse, "slice")) == (3, slices)


def test_formats_lists_name_package_and_title(tw: Tw) -> None:
    """Titles are read from the source, which must be found for each importer."""
    lines = [line.split(maxsplit=2) for line in tw("formats").out.splitlines()]

    titles = {each.name: each.load().title for each in formats.formats()}
    assert lines == [[name, "trace-warehouse", title] for name, title in titles.items()]


def test_formats_describes_one(tw: Tw) -> None:
    out = tw("formats", "disc").out

    assert out.startswith("disc: BladeDISC debug logs with dumped clusters")
    assert "Version: " in out and "tw_importers.disc:DISC" in out
    assert "dump_dir: folder with dumps" in out


@pytest.mark.parametrize(
    "place", ["tw_no_such_module:X", integration("json:loads"), slow("json:no_such_name")]
)
def test_a_broken_plug_in_is_reported_and_breaks_nothing(
    tw: Tw, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    broken = EntryPoint("broken", place, importer.ENTRY_POINT_GROUP)
    known = formats.formats()
    found = [*known, formats.Format("broken", place, "some-package", broken)]
    monkeypatch.setattr(formats, "formats", lambda: found)

    assert tw("formats").code == 0
    checked, loaded = tw("formats", "--check"), tw("formats", "broken")
    assert checked.code == 1
    assert "broken: " in checked.out
    assert "kineto" in checked.out
    assert loaded.code == 1
    assert "some-package" in loaded.errors[0]
    assert tw("import", KINETO / "gpu_handwritten" / "trace.json").code == 0


def test_schema_shows_tables_without_a_warehouse(tw: Tw, tmp_path: Path) -> None:
    ran = tw("schema", "show")

    assert ran.code == 0
    assert "Named time ranges on tracks" in ran.out
    assert [path for path in tmp_path.iterdir() if path.suffix == ".duckdb"] == []


def test_schema_shows_columns_with_type_unit_and_meaning(tw: Tw) -> None:
    lines = [line.split(maxsplit=3) for line in tw("schema", "show", "step").out.splitlines()]

    assert lines[0][0:2] == ["step", "(table):"]
    assert ["dur", "BIGINT", "ns", "duration of the slice"] in lines


def test_every_table_and_column_says_what_it_is() -> None:
    with catalog.empty() as connection:
        for table in catalog.tables(connection):
            assert table.comment, table.name
            for column in catalog.columns(connection, table.name):
                assert column.unit and column.meaning, f"{table.name}.{column.name}"
                assert not column.name.startswith("p_")


def test_schema_version_and_upgrade(tw: Tw, warehouse: Path) -> None:
    latest = migrate.latest_version()

    ran = tw("schema", "version")

    assert ran.out == f"traces.duckdb: {latest}\nthis tw: {latest}\n"
    assert tw("schema", "upgrade").err == "Nothing to do.\n"
