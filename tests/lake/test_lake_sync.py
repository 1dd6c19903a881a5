"""What a sync writes, leaves and removes, and what of a lake is refused."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest

import warehouse
from tests.conftest import Tw
from tests.lake.test_lake_import import aged
from tests.support.sharing import DDP, GPU
from warehouse.errors import DatabaseError, InvalidDatabase
from warehouse.files import new_file
from warehouse.lake import claims, tables
from warehouse.lake.layout import Lake
from warehouse.lake.sync import sync
from warehouse.lake.upkeep import vacuum
from warehouse.store import catalog


def content(lake: Path) -> dict[str, tuple[str, int]]:
    """Each file of a lake with its sum and the time of its last change."""
    return {
        str(path.relative_to(lake)): (
            hashlib.sha256(path.read_bytes()).hexdigest(),
            path.stat().st_mtime_ns,
        )
        for path in lake.rglob("*")
        if path.is_file()
    }


def test_commits_name_every_file_with_its_bytes_sum_and_rows(synced: tuple[Path, Path]) -> None:
    _, lake = synced
    described = json.loads((lake / "lake.json").read_bytes())
    commits = [json.loads(path.read_bytes()) for path in (lake / "_commit").iterdir()]
    files = {file["path"]: file for commit in commits for file in commit["files"]}

    assert described["format"] == 1
    assert set(files) == {str(path.relative_to(lake)) for path in lake.rglob("*.parquet")}
    for path, file in files.items():
        written = (lake / path).read_bytes()
        assert file["bytes"] == len(written)
        assert file["sha256"] == hashlib.sha256(written).hexdigest()
        assert file["rows"] == pq.ParquetFile(lake / path).metadata.num_rows > 0
        assert path.startswith(f"{file['table']}/")


def test_rows_are_those_of_the_warehouse(synced: tuple[Path, Path]) -> None:
    """Of each table, read without `tw`, but those that the run's commit replaces."""
    db, lake = synced
    with duckdb.connect(str(db), read_only=True) as connection:
        for name, table in tables.tables().items():
            columns = ", ".join(f'"{column.name}"' for column in table.columns)
            kind = "run_id" if name in tables.REPLACED else "*"
            paths = list(lake.glob(f"{name}/{kind}*/*.parquet"))
            ((expected,),) = connection.execute(f'SELECT count(*) FROM "{name}"').fetchall()
            if not paths:
                assert expected == 0, name
                continue
            read = " UNION ALL ".join(
                f"SELECT {columns} FROM read_parquet('{path}', "
                f"hive_partitioning = {'trace_id=' in str(path)})"
                for path in paths
            )
            differ = connection.execute(
                f'SELECT count(*) FROM (({read}) EXCEPT ALL SELECT {columns} FROM "{name}")'
            ).fetchall()
            assert connection.execute(f"SELECT count(*) FROM ({read})").fetchall() == [(expected,)]
            assert differ == [(0,)], name


def test_a_second_sync_writes_no_byte(tw: Tw, synced: tuple[Path, Path]) -> None:
    db, lake = synced
    before = content(lake)

    done = tw("lake", "sync", "--as", "w", "--db", db, lake)

    assert (done.code, done.err) == (0, "0 traces written (0 B); 2 traces in the warehouse.\n")
    assert content(lake) == before


@pytest.mark.integration
def test_a_rank_that_is_added_rewrites_no_file_of_another(
    tw: Tw, synced: tuple[Path, Path]
) -> None:
    db, lake = synced
    before = content(lake)
    assert tw("import", "-q", "--db", db, "--run", "ddp", "--rank", "2", *GPU[1]).code == 0

    sync(db, lake, name="w")

    after = content(lake)
    commits = ("_commit/1.json", "_commit/2.json")
    of_traces = {name for name in before if "trace_id=" in name or name in commits}
    assert len(of_traces) > 20
    assert {name: after.get(name) for name in of_traces} == {
        name: before[name] for name in of_traces
    }
    assert Lake.open(lake).trace_commits()[3].run_id == 1


@pytest.mark.integration
def test_what_was_dropped_leaves_the_lake(tw: Tw, synced: tuple[Path, Path]) -> None:
    db, lake = synced
    name = Lake.open(lake).trace_commits()[2].name
    assert tw("drop", "--yes", "--trace", name, "--db", db).code == 0

    assert sync(db, lake, name="w").n_removed == 1

    assert [path for path in lake.rglob("*.parquet") if "trace_id=2" in str(path)] == []
    with warehouse.open(lake=lake) as opened:
        assert opened.sql("SELECT rank FROM trace").rows() == [(0,)]
        assert opened.sql("SELECT count(*) FROM link WHERE trace_id IS NULL").rows() == [(0,)]


@pytest.mark.slow
def test_two_warehouses_may_sync_to_one_lake(
    tw: Tw, tmp_path: Path, synced: tuple[Path, Path]
) -> None:
    """The trace that both have is there once, and stays until both have dropped it."""
    db, lake = synced
    other = tmp_path / "other.duckdb"
    assert tw("import", "-q", "--run", "ddp", "--db", other, DDP[1][1]).code == 0
    assert tw("import", "-q", "--run", "mine", "--db", other, *GPU[1]).code == 0
    before = content(lake)

    sync(other, lake)

    of_traces = {name: sums for name, sums in before.items() if "trace_id=" in name}
    assert {name: content(lake)[name] for name in of_traces} == of_traces
    with warehouse.open(lake=lake) as opened:
        found = opened.scope(run="all").sql(
            "SELECT t.id, r.name FROM trace AS t JOIN run AS r ON r.id = t.run_id ORDER BY ALL"
        )
        assert found.rows() == [(1, "ddp"), (2, "ddp"), (3, "mine")]
    assert tw("drop", "--yes", "--run", "all", "--db", db).code == 0
    sync(db, lake, name="w")
    assert sorted(Lake.open(lake).trace_commits()) == [2, 3]
    assert tw("drop", "--yes", "--run", "all", "--db", other).code == 0
    sync(other, lake)
    assert sorted(Lake.open(lake).trace_commits()) == []
    assert list(lake.rglob("*.parquet")) == []


@pytest.mark.integration
def test_a_trace_that_is_imported_again_is_replaced(tw: Tw, synced: tuple[Path, Path]) -> None:
    db, lake = synced
    before = Lake.open(lake).trace_commits()[2]
    path = DDP[1][1]
    assert tw("import", "-q", "--db", db, "--on-duplicate", "replace", path).code == 0

    assert sync(db, lake, name="w").n_written == 1

    after = Lake.open(lake).trace_commits()[2]
    assert after.state != before.state
    assert all((lake / file.path).exists() for file in before.files)  # a query may read them
    aged(lake, 7200)
    vacuum(lake, 3600)
    assert not any((lake / file.path).exists() for file in before.files)
    assert sorted(Lake.open(lake).trace_commits()) == [1, 2]


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9])


def overwritten(path: Path) -> None:
    path.write_bytes(b"\0" * path.stat().st_size)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (Path.unlink, "is missing, though a commit names it"),
        (cut, "bytes, its commit says"),
        (overwritten, "is not a whole Parquet file"),
    ],
)
def test_a_damaged_file_is_named_with_a_remedy(
    tw: Tw, synced: tuple[Path, Path], damage: object, message: str
) -> None:
    _, lake = synced
    (path,) = lake.glob("slice/trace_id=2/*.parquet")
    assert callable(damage)
    damage(path)

    done = tw("query", "op_summary", "--lake", lake)

    assert (done.code, done.out) == (3, "")
    assert len(done.errors) == 1
    assert str(path) in done.err
    assert message in done.err
    assert "sync again" in done.err


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("lake.json", '{"format": 1, "schema_version": 999}', "has schema version 999"),
        ("lake.json", '{"format": 2, "schema_version": 1}', "has format 2"),
        ("lake.json", "{", "is not the description of a lake"),
        ("_commit/1.json", '{"files": 3}', "is not a commit of a lake"),
        ("lake.json", '{"format": 1, "schema_version": 3}', "has an older schema"),
    ],
)
def test_an_invalid_lake_is_one_sentence(
    tw: Tw, synced: tuple[Path, Path], name: str, text: str, message: str
) -> None:
    _, lake = synced
    (lake / name).write_text(text)

    done = tw("query", "op_summary", "--lake", lake)

    assert done.code == 3
    assert len(done.errors) == 1
    assert message in done.err
    assert str(lake) in done.err
    assert "Hint:" in done.err


@pytest.mark.parametrize(
    ("folder", "message"),
    [
        ("absent", "absent does not exist"),
        ("full", "is not a lake: it has no lake.json"),
        ("ftp://host/lake", "ftp:// is not known"),
        ("s3://bucket", "names no folder of a bucket"),
        ("a=b", "'='"),
    ],
)
def test_a_folder_that_is_no_lake_is_refused(
    tw: Tw, tmp_path: Path, folder: str, message: str
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full/file").touch()

    done = tw("query", "kernel_summary", "--lake", folder)

    assert done.code == 3
    assert message in done.err
    assert "Hint:" in done.err


def test_a_query_reads_the_files_of_the_lake_only(synced: tuple[Path, Path]) -> None:
    db, lake = synced
    (path,) = lake.glob("slice/trace_id=2/*.parquet")
    for statement in (
        f"FROM '{lake}/lake.json'",
        f"FROM read_text('{lake}/lake.json')",
        f"ATTACH '{db}' AS other",
        f"COPY (SELECT 1) TO '{path}'",
        "SET enable_external_access = true",
        "CREATE TABLE lake.kept AS SELECT 1 AS x",
    ):
        with warehouse.open(lake=lake) as opened, pytest.raises(warehouse.TwError):
            opened.sql(statement).rows()


def test_a_lake_and_a_warehouse_cannot_be_named_together(tw: Tw, tmp_path: Path) -> None:
    db, lake = tmp_path / "w.duckdb", tmp_path / "lake"
    assert tw("query", "runs", "--lake", lake, "--db", db).code == 2
    with pytest.raises(warehouse.TwError):
        warehouse.open(db, lake=lake)


def test_one_key_gets_one_id_and_ids_are_limited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = Lake.open_or_create(tmp_path / "lake")
    first = [claims.claim(lake, "trace", key).id for key in ("a", "b", "a")]
    assert first == [1, 2, 1]
    assert claims.numbers(lake, "trace") == [1, 2]
    monkeypatch.setattr(claims, "MAX_ID", 2)
    with pytest.raises(DatabaseError, match="all 2 ids"):
        claims.claim(lake, "trace", "c")
    assert claims.MAX_ID < 1 << 21


def test_a_commit_is_created_once(tmp_path: Path) -> None:
    assert new_file(tmp_path / "x/1.json", b"first")
    assert not new_file(tmp_path / "x/1.json", b"second")
    assert os.listdir(tmp_path / "x") == ["1.json"]
    assert (tmp_path / "x/1.json").read_bytes() == b"first"


def test_a_damaged_claim_is_refused(tmp_path: Path) -> None:
    lake = Lake.open_or_create(tmp_path / "lake")
    claims.claim(lake, "trace", "a")
    path = lake.folder / claims.path_of("trace", "a")
    path.write_text("{}")
    with pytest.raises(InvalidDatabase, match="is not a claim"):
        claims.claim(lake, "trace", "a")


def columns() -> Iterator[tuple[str, catalog.Column]]:
    with catalog.empty() as connection:
        for table in catalog.tables(connection):
            if table.kind == "table" and table.name not in tables.OF_WAREHOUSE:
                for column in catalog.columns(connection, table.name):
                    yield table.name, column


def test_every_column_named_as_an_id_is_known() -> None:
    found = {(table, column.name): tables.ids_of(column) for table, column in columns()}

    assert set(found.values()) == {None, "row", "trace", "run"}
    assert found["slice", "parent_id"] == found["link", "to_id"] == "row"
    assert found["graph", "device_trace_id"] == "trace"
    assert found["prediction", "parent_run_id"] == "run"
    assert found["launch", "correlation_id"] is None


@pytest.mark.parametrize("unit", ["count", "", "ns"])
@pytest.mark.parametrize("name", ["parent_id", "id", "first_copy_ids"])
def test_a_new_column_of_ids_without_a_meaning_fails(name: str, unit: str) -> None:
    _, known = next(columns())
    with pytest.raises(LookupError, match=name):
        tables.ids_of(replace(known, name=name, unit=unit))
