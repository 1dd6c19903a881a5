"""Transactions that are committed by a checkpoint, without writing rows to the log first."""

from __future__ import annotations

import hashlib
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from tests.support.disks import small_disk
from tests.support.sharing import integration
from warehouse.errors import UnwritableDatabase
from warehouse.ingest.decode import Settings, scratch_connection
from warehouse.store import database, integrity
from warehouse.store.block_copies import BlockCopies

DISK_BYTES = 4 << 20
#: Commits rows to two tables again and again, and prints how many each then has.
WRITER = """
import sys
from pathlib import Path
import duckdb
from warehouse.store import database
print(0, flush=True)
while True:
    connection = duckdb.connect()
    with database.attach_for_writing(connection, Path(sys.argv[1])) as attached:
        for _ in range(2):
            connection.execute("BEGIN")
            for table in ("one", "two"):
                connection.execute(f"INSERT INTO {table} SELECT range, random() FROM range(1000)")
            attached.commit()
            print(database.one(connection, "SELECT count(*) FROM two")[0], flush=True)
"""


def new(path: Path) -> Path:
    database.create_empty(path)
    with database.writer(path) as connection:
        for table in ("one", "two"):
            connection.execute(f"CREATE TABLE {table} (n BIGINT, value DOUBLE)")
    return path


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return new(tmp_path / "w.duckdb")


def counts(db: Path) -> tuple[int, int]:
    with database.Reader(db) as reader:
        return database.one(
            reader.connection, "SELECT (SELECT count(*) FROM one), (SELECT count(*) FROM two)"
        )


def log_of(db: Path) -> Path:
    return db.with_name(f"{db.name}.wal")


def test_the_file_alone_has_the_rows(db: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.duckdb"
    db.chmod(0o600)
    with duckdb.connect() as connection, database.attach_for_writing(connection, db) as attached:
        connection.execute("BEGIN")
        connection.execute("INSERT INTO one SELECT range, 0.5 FROM range(3)")
        attached.commit()
        shutil.copyfile(db, copy)
        # What follows is written to the log, which nobody else may read.
        connection.execute("INSERT INTO two SELECT range, 0.5 FROM range(5)")
        assert log_of(db).stat().st_size > 0
        assert log_of(db).stat().st_mode & 0o777 == 0o600
    assert counts(copy) == (3, 0)
    assert counts(db) == (3, 5)
    assert not log_of(db).exists()


def test_copies_of_blocks_follow_each_commit(db: Path) -> None:
    copies = db.with_name(f"{db.name}.blocks")
    with duckdb.connect() as connection, database.attach_for_writing(connection, db) as attached:
        for n in range(3):
            connection.execute("BEGIN")
            connection.execute(f"INSERT INTO one SELECT {n}, 0.5")
            headers = db.read_bytes()[: 3 * 4096]
            attached.commit()
            assert copies.read_bytes()[8:40] == hashlib.sha256(headers).digest()
    assert counts(db) == (3, 0)
    assert sorted(path.name for path in db.parent.iterdir()) == ["w.duckdb"]


def test_detaching_after_a_commit_writes_nothing(db: Path) -> None:
    with duckdb.connect() as connection:
        with database.attach_for_writing(connection, db) as attached:
            connection.execute("BEGIN")
            connection.execute("INSERT INTO one SELECT range, random() FROM range(300_000)")
            attached.commit()
            committed = db.read_bytes()
        assert db.read_bytes() == committed


def test_many_rows_are_written_to_the_disk_before_the_commit(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_it = (sys.executable, "-c", f"import duckdb; duckdb.connect({str(db)!r})")
    synced: list[int] = []
    sync = BlockCopies.sync

    def noted_sync(self: BlockCopies) -> None:
        synced.append(self.n_bytes())
        sync(self)

    monkeypatch.setattr(BlockCopies, "sync", noted_sync)
    with duckdb.connect() as connection, database.attach_for_writing(connection, db) as attached:
        connection.execute("BEGIN")
        connection.execute("INSERT INTO one SELECT range, random() FROM range(300_000)")
        attached.start_sync()
        assert synced == []  # few
        connection.execute("INSERT INTO two SELECT range, random() FROM range(3_000_000)")
        for _ in range(2):
            attached.start_sync()
        attached.commit()
        other = subprocess.run(open_it, capture_output=True, text=True, check=False)

    assert len(synced) == 1
    assert synced[0] > 16 << 20
    assert "Could not set lock on file" in other.stderr  # it was kept
    assert counts(db) == (300_000, 3_000_000)


def test_a_warehouse_is_synchronized_a_scratch_database_is_not(db: Path, tmp_path: Path) -> None:
    mode = "SELECT current_setting('fsync_mode')"
    with closing(scratch_connection(tmp_path, Settings())) as connection:
        assert database.one(connection, mode) == ("NONE",)
        with database.attach_for_writing(connection, db):
            assert database.one(connection, mode) == ("STANDARD",)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small file system of its own."""
    with small_disk(tmp_path, DISK_BYTES) as folder:
        yield folder


@pytest.mark.parametrize(
    ("n_rows", "n_free"),
    [
        (20_000, 700_000),
        integration(200_000, 1_500_000),
        integration(1_000_000, 1_500_000),
    ],
)
def test_a_full_disk_undoes_the_transaction(disk: Path, n_rows: int, n_free: int) -> None:
    db = new(disk / "w.duckdb")
    filler = disk / "filler"
    filler.write_bytes(bytes(shutil.disk_usage(disk).free - n_free))
    raising = pytest.raises(UnwritableDatabase, match="cannot be written: No space left on device")
    with (
        duckdb.connect() as connection,
        raising,
        database.attach_for_writing(connection, db) as attached,
    ):
        connection.execute("BEGIN")
        for table in ("one", "two"):
            connection.execute(f"INSERT INTO {table} SELECT range, random() FROM range({n_rows})")
        attached.commit()
    filler.unlink()
    assert counts(db) == (0, 0)
    assert integrity.check(db).broken == ()
    with duckdb.connect() as connection, database.attach_for_writing(connection, db) as attached:
        connection.execute("BEGIN")
        connection.execute("INSERT INTO one SELECT range, random() FROM range(1000)")
        attached.commit()
    assert counts(db) == (1000, 0)
    assert integrity.check(db).broken == ()


@pytest.mark.slow
def test_a_killed_writer_has_committed_all_of_a_transaction_or_nothing() -> None:
    memory = Path("/dev/shm")  # where a kill ends a write in its middle most often
    moments = random.Random(2)
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        db = new(Path(folder) / "w.duckdb")
        for _ in range(200):
            writer = subprocess.Popen(
                [sys.executable, "-c", WRITER, db], stdout=subprocess.PIPE, text=True
            )
            assert writer.stdout is not None
            writer.stdout.readline()
            time.sleep(moments.uniform(0, 0.3))
            assert writer.poll() is None
            writer.kill()
            printed, _ = writer.communicate()
            assert integrity.check(db).broken == ()
            one, two = counts(db)
            assert one == two
            assert two >= max(map(int, printed.split()), default=0)
