"""Copies of the blocks that a checkpoint overwrites repair a warehouse whose writer was killed."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb
import pytest

from warehouse.errors import InvalidDatabase
from warehouse.store import block_copies, database, integrity

#: Headers, then blocks of 256 KiB; the third is one of metadata.
THIRD = 3 * 4096 + 2 * 262_144
#: Writes to the warehouse again and again, each time with a checkpoint.
WRITER = """
import sys
from pathlib import Path
from warehouse.store import database
print("ready", flush=True)
while True:
    with database.writer(Path(sys.argv[1])) as connection:
        connection.execute("INSERT INTO more SELECT count(*) FROM more")
"""


#: Keeps the warehouse open until a line comes.
HOLDER = """
import sys
from pathlib import Path
from warehouse.store import database
with database.writer(Path(sys.argv[1])):
    print("open", flush=True)
    input()
"""


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return new(tmp_path / "w.duckdb")


def new(path: Path) -> Path:
    database.create_empty(path)
    with database.writer(path) as connection:  # which has metadata in another block
        connection.execute("CREATE TABLE more AS SELECT range AS n FROM range(10)")
    return path


def copies_of(db: Path) -> Path:
    return db.with_name(f"{db.name}.blocks")


def tear(db: Path) -> bytes:
    """Ends a write of the third block in its middle; returns the bytes of the file before."""
    whole = db.read_bytes()
    half = random.Random(0).randbytes(100_000)
    db.write_bytes(whole[:THIRD] + half + whole[THIRD + len(half) :])
    return whole


def content(db: Path) -> list[tuple[object, ...]]:
    with database.Reader(db) as reader:
        return [database.one(reader.connection, "SELECT count(*) FROM more")]


def test_copies_lie_beside_a_warehouse_that_is_written_to(db: Path) -> None:
    db.chmod(0o600)
    with database.writer(db):
        assert copies_of(db).stat().st_mode & 0o777 == 0o600
        assert not block_copies.restore(db)  # this process has it open
        assert copies_of(db).exists()
    assert [path.name for path in db.parent.iterdir()] == ["w.duckdb"]


def test_a_block_that_was_written_in_part_is_restored(db: Path) -> None:
    with database.writer(db):
        copies = copies_of(db).read_bytes()
    whole = tear(db)
    with pytest.raises(InvalidDatabase, match="damaged"):
        content(db)
    # Those that were being written, or are from before the last checkpoint, are of no use.
    for useless in (b"", copies[:-1], copies[:20] + b"x" + copies[21:]):
        copies_of(db).write_bytes(useless)
        with pytest.raises(InvalidDatabase, match="damaged"):
            content(db)
        assert not copies_of(db).exists()
    copies_of(db).write_bytes(copies)
    assert content(db) == [(10,)]
    assert db.read_bytes() == whole
    assert not copies_of(db).exists()
    assert integrity.check(db).broken == ()


def test_what_is_no_copy_is_neither_waited_for_nor_read_into_memory(db: Path) -> None:
    os.mkfifo(copies_of(db))
    assert content(db) == [(10,)]
    assert copies_of(db).is_fifo()
    copies_of(db).unlink()
    with copies_of(db).open("wb") as file:
        file.truncate(1 << 40)
    assert content(db) == [(10,)]
    assert not copies_of(db).exists()


def test_copies_follow_a_checkpoint_of_a_statement(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(block_copies.BlockCopies, "remove", lambda _: None)
    with database.writer(db) as connection:
        connection.execute("INSERT INTO more SELECT 10")
        connection.execute("CHECKPOINT")
        headers = db.read_bytes()[: 3 * 4096]
        connection.execute("INSERT INTO more SELECT 11")
    assert copies_of(db).read_bytes()[8:40] == hashlib.sha256(headers).digest()
    assert content(db) == [(12,)]  # the copies are older than the file


def test_a_warehouse_that_another_process_writes_to_is_left_alone(db: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, db], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        assert not block_copies.restore(db)
        assert copies_of(db).exists()
        holder.communicate(b"\n")
    assert not copies_of(db).exists()


def test_an_upgrade_keeps_copies(db: Path) -> None:
    db.chmod(0o600)
    modes: list[int] = []

    def afterwards(connection: duckdb.DuckDBPyConnection) -> None:
        beside = (copies_of(db), db.with_name(f"{db.name}.wal"))
        modes.extend(path.stat().st_mode & 0o777 for path in beside)

    database.upgrade_file(db, afterwards=afterwards)
    assert modes == [0o600, 0o600]
    assert [path.name for path in db.parent.iterdir()] == ["w.duckdb"]


@pytest.mark.slow
def test_killed_writers_damage_nothing() -> None:
    memory = Path("/dev/shm")  # where a kill ends a write in its middle most often
    moments = random.Random(1)
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        db = new(Path(folder) / "w.duckdb")
        whole = db.read_bytes()
        for _ in range(300):
            for path in db.parent.iterdir():
                path.unlink()
            db.write_bytes(whole)
            writer = subprocess.Popen([sys.executable, "-c", WRITER, db], stdout=subprocess.PIPE)
            assert writer.stdout is not None
            writer.stdout.readline()
            time.sleep(moments.uniform(0, 0.2))
            assert writer.poll() is None
            writer.kill()
            writer.communicate()
            assert integrity.check(db).broken == ()
