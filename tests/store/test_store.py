"""A warehouse is opened only when it is one, is whole, and is not in use; new ones are whole."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

from warehouse.errors import (
    DatabaseError,
    InvalidDatabase,
    LockedDatabase,
    MissingDatabase,
    NewerDatabase,
)
from warehouse.store import copying, database, migrate, template, writer_lock

HOLD = """
import duckdb, sys
db = duckdb.connect(sys.argv[1])
print("held", flush=True)
sys.stdin.read()
"""
LEAVE_WAL = """
import duckdb, os, sys
db = duckdb.connect(sys.argv[1])
db.execute("PRAGMA disable_checkpoint_on_shutdown")
db.execute("INSERT INTO tag VALUES ('from the log', 1, now()::TIMESTAMP)")
os._exit(0)
"""


@pytest.fixture
def db(tmp_path: Path) -> Path:
    path = tmp_path / "w.duckdb"
    database.create_empty(path)
    return path


@contextmanager
def held_by_another_process(path: Path) -> Iterator[int]:
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield process.pid
        finally:
            process.communicate()


def change(path: Path, sql: str) -> None:
    connection = duckdb.connect(str(path))
    connection.execute(sql)
    connection.close()


def test_an_asof_join_never_compares_all_pairs(db: Path) -> None:
    few = "(SELECT range AS n FROM range(3))"

    with database.Reader(db) as reader:
        ((_, plan),) = reader.connection.execute(
            f"EXPLAIN SELECT a.n, b.n FROM {few} AS a ASOF JOIN {few} AS b ON a.n >= b.n"
        ).fetchall()

    assert "asof join" in plan.lower()
    assert "loop" not in plan.lower()


def test_a_new_warehouse_is_the_only_thing_that_appears(db: Path) -> None:
    assert [path.name for path in db.parent.iterdir()] == ["w.duckdb"]


def test_a_new_warehouse_has_the_storage_version_other_clients_read(db: Path) -> None:
    with database.Reader(db) as reader:
        (tags,) = database.one(
            reader.connection,
            "SELECT tags FROM duckdb_databases() WHERE database_name = current_database()",
        )

    assert tags["storage_version"].startswith(template.STORAGE_VERSION)


def test_every_table_view_and_column_says_what_it_is(db: Path) -> None:
    with database.Reader(db) as reader:
        silent = reader.connection.execute("""
            SELECT table_name, NULL FROM duckdb_tables() WHERE NOT internal AND comment IS NULL
            UNION ALL
            SELECT view_name, NULL FROM duckdb_views() WHERE NOT internal AND comment IS NULL
            UNION ALL
            SELECT table_name, column_name FROM duckdb_columns()
            WHERE NOT internal AND comment IS NULL
        """).fetchall()

    assert silent == []


def test_a_file_that_exists_is_never_made_again(db: Path) -> None:
    before = db.read_bytes()

    with pytest.raises(DatabaseError, match="already exists"):
        database.create_empty(db)

    assert db.read_bytes() == before


def test_a_warehouse_another_process_made_first_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "w.duckdb"
    database.create_empty(path)
    change(path, "INSERT INTO tag VALUES ('first', 1, now()::TIMESTAMP)")

    database._make(path)

    with database.Reader(path) as reader:
        assert database.one(reader.connection, "SELECT name FROM tag") == ("first",)


def test_a_missing_warehouse_is_no_traceback(tmp_path: Path) -> None:
    with pytest.raises(MissingDatabase, match=r"none\.duckdb not found"):
        database.Reader(tmp_path / "none.duckdb")


def test_a_newer_schema_is_refused(db: Path) -> None:
    change(db, "UPDATE schema_migration SET version = version + 100 WHERE version IS NOT NULL")

    with pytest.raises(NewerDatabase, match=f"supports versions up to {migrate.latest_version()}"):
        database.Reader(db)


def test_a_schema_that_was_changed_by_hand_is_refused(db: Path) -> None:
    change(db, "UPDATE schema_migration SET sha256 = 'else' WHERE version = 1")

    with pytest.raises(InvalidDatabase, match="differs from the one of this tw"):
        database.Reader(db)


def test_random_bytes_are_no_warehouse(tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    path.write_bytes(bytes(range(256)) * 64)

    with pytest.raises(InvalidDatabase, match="damaged or not a DuckDB file"):
        database.Reader(path)


def sqlite_file(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE run (id INTEGER)")


def json_file(path: Path) -> None:
    path.write_text('[{"ph": "X", "name": "a", "ts": 1, "dur": 1}]')


def parquet_file(path: Path) -> None:
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT 1 AS id) TO '{path}' (FORMAT parquet)")


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("x.duckdb", sqlite_file),
        ("x.sqlite", sqlite_file),
        ("x.json", json_file),
        ("x.parquet", parquet_file),
    ],
    ids=["sqlite named duckdb", "sqlite", "json", "parquet"],
)
def test_files_that_duckdb_opens_by_other_readers_are_no_warehouses(
    tmp_path: Path, name: str, write: Callable[[Path], None]
) -> None:
    path = tmp_path / name
    write(path)
    before = path.read_bytes()

    with pytest.raises(InvalidDatabase, match="damaged or not a DuckDB file"):
        database.Reader(path)
    with (
        pytest.raises(InvalidDatabase, match="damaged or not a DuckDB file"),
        database.writer(path),
    ):
        pass
    with pytest.raises(InvalidDatabase, match="damaged or not a DuckDB file"):
        database.upgrade_file(path)

    assert path.read_bytes() == before


def test_somebody_elses_duckdb_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "x.duckdb"
    change(path, "CREATE TABLE mine (id INTEGER)")
    before = path.read_bytes()

    with pytest.raises(InvalidDatabase, match=r"x\.duckdb is not a trace warehouse"):
        database.Reader(path)
    with pytest.raises(InvalidDatabase, match="not a trace warehouse"):
        database.upgrade_file(path)

    assert path.read_bytes() == before


def test_a_folder_is_no_warehouse(tmp_path: Path) -> None:
    with pytest.raises(InvalidDatabase, match="is a folder"):
        database.Reader(tmp_path)


def test_a_pipe_is_no_warehouse_and_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "w.duckdb"
    os.mkfifo(pipe)
    with pytest.raises(InvalidDatabase, match="is a pipe or device"):
        database.Reader(pipe)
    with pytest.raises(InvalidDatabase, match="is a pipe or device"), database.writer(pipe):
        pass


def test_a_pipe_is_no_log_of_a_warehouse(db: Path) -> None:
    os.mkfifo(db.with_name(f"{db.name}.wal"))

    with pytest.raises(InvalidDatabase, match=r"\.wal is not a regular file"):
        database.Reader(db)


@pytest.mark.parametrize("cut", [0, 100, 4096, 12_288, 60_000])
def test_a_cut_file_is_refused_or_whole(db: Path, cut: int) -> None:
    db.write_bytes(db.read_bytes()[:cut])

    with pytest.raises(DatabaseError):
        database.Reader(db)


def test_waiting_for_another_process_is_bounded_and_says_for_whom(db: Path) -> None:
    with (
        held_by_another_process(db) as pid,
        pytest.raises(LockedDatabase, match=f"in use by process {pid}"),
    ):
        database.Reader(db, wait_s=0.1)


def test_what_a_killed_writer_committed_is_read_from_its_log(db: Path) -> None:
    subprocess.run([sys.executable, "-c", LEAVE_WAL, str(db)], check=True)
    assert db.with_name("w.duckdb.wal").exists()

    with database.Reader(db) as reader:
        assert database.one(reader.connection, "SELECT name FROM tag") == ("from the log",)


def test_sums_over_a_join_that_finds_nothing_are_right(db: Path) -> None:
    """DuckDB 2.0.0, left to itself, cuts these numbers to a byte, and filters all of them out."""
    values = ", ".join(f"({n}, {n % 7}, {n * 37 % 5000})" for n in range(40))
    with duckdb.connect(str(db)) as connection:
        connection.execute(
            "INSERT INTO cpu_op (slice_id, trace_id, track_id, ts, dur) "
            f"SELECT id, 1, place, 0, dur FROM (VALUES {values}) AS v(id, place, dur)"
        )
        connection.execute(
            "INSERT INTO step (slice_id, trace_id, track_id, ts, dur) "
            "SELECT id + 1000, 1, 0, 0, 0 FROM range(10) AS r(id)"
        )
    sums = (
        "SELECT total_ns FROM (SELECT c.track_id, sum(greatest(c.dur, 0))::BIGINT AS total_ns "
        "FROM cpu_op AS c LEFT JOIN (FROM step WHERE slice_id < 5) AS s ON s.slice_id = c.slice_id "
        "GROUP BY c.track_id)"
    )
    expected = sorted(sum(n * 37 % 5000 for n in range(place, 40, 7)) for place in range(7))

    with database.Reader(db) as reader:
        ordered = reader.connection.execute(f"{sums} ORDER BY total_ns").fetchall()
        large = reader.connection.execute(f"{sums} WHERE total_ns > 4000").fetchall()

    assert [total for (total,) in ordered] == expected
    assert len(large) == sum(total > 4000 for total in expected)


READ_AGAIN = """
import sys
import time
from pathlib import Path
from warehouse.store import database
while True:
    with database.Reader(Path(sys.argv[1])) as reader:
        reader.connection.execute("SELECT count(*) FROM slice").fetchall()
    print("read", flush=True)
"""


@pytest.mark.integration
def test_a_writer_has_its_turn_though_others_never_stop_reading(db: Path) -> None:
    """Three readers leave hardly a moment without one; asking at the right one was luck."""
    command = [sys.executable, "-c", READ_AGAIN, str(db)]
    readers = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(3)]
    try:
        for reader in readers:
            assert reader.stdout is not None
            reader.stdout.readline()
        for _ in range(5):
            with database.writer(db, wait_s=30) as connection:
                connection.execute("INSERT INTO tag VALUES ('turn', 1, now()::TIMESTAMP)")
    finally:
        for reader in readers:
            reader.kill()
            reader.communicate()


def test_a_reader_waits_at_the_door_no_longer_than_it_may(db: Path) -> None:
    with writer_lock.hold(db, 1), database.Reader(db, wait_s=0.1) as reader:
        assert database.one(reader.connection, "SELECT count(*) FROM tag") == (0,)


def test_a_process_that_reads_does_not_wait_for_a_writer_that_waits_for_it(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wait(seconds: float) -> None:
        pytest.fail("waits for the writer")

    with writer_lock.hold(db, 1), database.Reader(db, wait_s=0):
        monkeypatch.setattr(time, "sleep", wait)
        with database.Reader(db, wait_s=30) as second:
            assert database.one(second.connection, "SELECT count(*) FROM tag") == (0,)


def test_a_backup_beside_its_warehouse_does_not_wait_for_a_writer_that_waits_for_it(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wait(seconds: float) -> None:
        pytest.fail("waits for the writer")

    target = db.with_name("backup.duckdb")
    with writer_lock.hold(db, 1):
        monkeypatch.setattr(time, "sleep", wait)
        assert copying.backup(db, target, wait_s=0) == target.stat().st_size


def test_a_process_that_has_read_waits_again(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    database.Reader(db).close()

    with writer_lock.hold(db, 1):
        monkeypatch.setattr(time, "sleep", pauses.append)
        database.Reader(db, wait_s=0.1).close()

    assert pauses
