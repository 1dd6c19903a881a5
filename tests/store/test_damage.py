"""A damaged warehouse is one sentence everywhere; backups are verified; copies keep their mode."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pytest

from tests.support.sharing import GPU, WarehouseCache, integration, slow
from warehouse.errors import InvalidDatabase, QueryError
from warehouse.query import execute
from warehouse.store import copying, damage, database, integrity

if TYPE_CHECKING:
    from tests.conftest import Tw

HEADERS, BLOCK = 12_288, 262_144  # bytes of a DuckDB file: three headers, then blocks
TRACE = Path(__file__).parents[1] / "data" / "kineto" / "ddp_two_ranks" / "rank0.json.gz"


@pytest.fixture
def db(imported_files: WarehouseCache, tmp_path: Path) -> Path:
    return imported_files.copy(tmp_path / "traces.duckdb", GPU)


def block_of(path: Path, table: str, column: str = "name") -> int:
    """The first byte of a block with values of a column."""
    with database.Reader(path) as reader:
        (block,) = database.one(
            reader.connection,
            "SELECT min(block_id) FROM pragma_storage_info(?) "
            "WHERE column_name = ? AND segment_type <> 'VALIDITY' AND block_id >= 0",
            [table, column],
        )
    return HEADERS + int(block) * BLOCK


def flip(path: Path, at: int) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 0xFF
    path.write_bytes(content)


def cut(path: Path, at: int) -> None:
    os.truncate(path, at)


SENTENCES = {
    flip: "is damaged: the file holds invalid data at byte",
    cut: "is damaged: the file ends early or cannot be read at byte",
}
COMMANDS = [
    ("query", "-c", "SELECT name FROM slice"),
    ("export", "perfetto"),
    ("check", "--file"),
    ("vacuum",),
    *map(integration, [("export", "xlsx"), ("export", "html"), ("export", "parquet"), ("info",)]),
    *map(integration, [("drop", "--run", "gpu", "--yes"), ("import", str(TRACE)), ("link",)]),
]


@pytest.mark.parametrize("how", [flip, slow(cut)])
@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda each: " ".join(each[:2])[:12])
def test_damage_is_one_sentence_and_its_remedy(
    tw: Tw, db: Path, arguments: tuple[str, ...], how: object
) -> None:
    at = block_of(db, "slice") + 1000
    (flip if how is flip else cut)(db, at)
    # What was committed before a checkpoint failed.
    allowed = {db.name, f"{db.name}.wal", f"{db.name}.blocks"}

    ran = tw(*arguments)

    if ran.code == 0:  # did not read the block
        assert arguments[0] in ("info", "drop", "import", "link")
        return
    assert (ran.code, len(ran.errors)) == (3, 1)
    assert "is damaged: " in ran.errors[0]
    assert "tw check --file" in ran.err
    assert "Restore the file from a backup" in ran.err
    assert {path.name for path in db.parent.iterdir()} <= allowed


@pytest.mark.integration
def test_the_file_is_checked_table_by_table(tw: Tw, db: Path) -> None:
    assert tw("check", "--file").err.startswith("traces.duckdb: no damage in ")
    at = block_of(db, "slice")
    flip(db, at + 1000)

    ran = tw("check", "--file")

    found = [line.split(" ")[0] for line in ran.out.splitlines()]
    assert "slice" in found  # and those that share the block
    assert f"slice holds invalid data at byte {at:,}" in ran.out
    assert f"Error: traces.duckdb is damaged: table {found[0]} holds invalid data" in ran.err


def test_rows_of_no_trace_are_damage(db: Path) -> None:
    with database.writer(db) as connection:
        connection.execute("INSERT INTO step BY NAME SELECT * REPLACE (99 AS trace_id) FROM step")
    with database.Reader(db) as reader:
        (n_rows,) = database.one(reader.connection, "SELECT count(*) FROM step WHERE trace_id = 99")

    (found,) = integrity.check(db).broken

    assert (found.name, found.n_orphans) == ("step", n_rows)


@pytest.mark.parametrize("how", [flip, integration(cut)])
def test_a_backup_of_a_damaged_warehouse_fails_and_leaves_nothing(db: Path, how: object) -> None:
    (flip if how is flip else cut)(db, block_of(db, "slice") + 1000)
    before = sorted(db.parent.iterdir())

    with pytest.raises(InvalidDatabase, match=r"traces.duckdb is damaged: .* at byte"):
        copying.backup(db, db.with_name("b.duckdb"))

    assert sorted(db.parent.iterdir()) == before


@pytest.mark.slow
def test_damage_anywhere_is_found_or_harmless(db: Path) -> None:
    """Each of 300 damaged copies cannot be opened, is reported, or holds the same rows."""
    import random

    whole, rng = db.read_bytes(), random.Random(0)
    expected = [(each.name, each.n_rows) for each in integrity.check(db).tables]
    n_found = 0
    for _ in range(300):
        db.write_bytes(whole)
        (flip if rng.random() < 0.7 else cut)(db, rng.randrange(len(whole)))
        try:
            found = integrity.check(db)
        except InvalidDatabase:
            n_found += 1
            continue
        n_found += bool(found.broken)
        if not found.broken:
            assert [(each.name, each.n_rows) for each in found.tables] == expected
    assert n_found > 200


def test_texts_of_users_are_not_damage(db: Path) -> None:
    text = (
        "Corrupt database file: computed checksum 1 does not match stored checksum 2 in block at "
        "location 3"
    )
    with pytest.raises(QueryError, match="Corrupt"), database.Reader(db) as reader:
        execute.run(reader.connection, f"SELECT error('{text}')").rows()
    other = duckdb.IOException(
        'IO Error: Could not read enough bytes from file "/tmp/duckdb_temp_0": attempted to read 9 '
        "bytes from location 3"
    )
    assert damage.of(db, other) is None


@pytest.mark.parametrize("how", ["new", *map(slow, ("replaced",))])
def test_a_backup_has_the_mode_of_the_warehouse(db: Path, how: str) -> None:
    db.chmod(0o600)
    target = db.with_name("b.duckdb")
    if how == "replaced":
        target.touch(0o644)
    before = os.umask(0o022)
    try:
        copying.backup(db, target, replaces=how == "replaced")
    finally:
        os.umask(before)

    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_the_log_of_a_private_warehouse_is_private(db: Path) -> None:
    db.chmod(0o600)
    log = db.with_name("traces.duckdb.wal")
    before = os.umask(0o022)
    try:
        with database.writer(db) as connection:
            connection.execute("INSERT INTO tag SELECT 't', id, now()::TIMESTAMP FROM run")
            assert log.stat().st_size > 0
            assert stat.S_IMODE(log.stat().st_mode) == 0o600
        assert not log.exists()
        with database.writer(db):
            pass
        assert not log.exists()
    finally:
        os.umask(before)


@pytest.mark.integration
def test_a_backup_goes_through_a_pipe(db: Path, tmp_path: Path) -> None:
    import threading

    fifo, copy = tmp_path / "fifo", tmp_path / "copy.duckdb"
    os.mkfifo(fifo)
    written = threading.Thread(target=copying.backup, args=(db, fifo))
    written.start()
    copy.write_bytes(fifo.read_bytes())
    written.join()

    assert fifo.is_fifo()
    assert integrity.check(copy).broken == ()


@pytest.mark.parametrize("option", ["--raw", "--csv-safe"])
def test_options_that_a_check_of_the_file_would_ignore_are_refused(tw: Tw, option: str) -> None:
    assert "cannot be combined" in tw("check", "--file", option).err
