"""The shell among other programs that read and write the same warehouse."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.sharing import GPU, WarehouseCache
from warehouse.query import session
from warehouse.shell.shell import Shell
from warehouse.store import database, integrity

WRITER = """
import sys, time
from pathlib import Path
from warehouse.store import database
end = time.monotonic() + float(sys.argv[2])
n = 0
while time.monotonic() < end:
    with database.writer(Path(sys.argv[1]), wait_s=30) as connection:
        with database.transaction(connection):
            connection.execute("DELETE FROM tag")
            connection.execute(
                "INSERT INTO tag SELECT 'a' || range, id, now()::TIMESTAMP FROM run, range(7)"
            )
    n += 1
print(n)
"""
READER = """
import sys, time
from pathlib import Path
from warehouse.store import database
end = time.monotonic() + float(sys.argv[2])
n = 0
while time.monotonic() < end:
    with database.Reader(Path(sys.argv[1]), wait_s=30) as reader:
        found = database.one(reader.connection, "SELECT count(*) FROM tag")
        assert found in ((0,), (7,)), found
    n += 1
print(n)
"""


def start(program: str, db: Path, seconds: float) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", program, str(db), str(seconds)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )  # fmt: skip


@pytest.mark.slow
def test_a_shell_reads_and_writes_among_others(
    imported_files: WarehouseCache, tmp_path: Path
) -> None:
    """Every statement sees a whole transaction, and nobody waits for ever."""
    db = imported_files.copy(tmp_path / "w.duckdb", GPU)
    shown: list[bytes] = []
    shell = Shell(
        session.Place(db, wait_s=30), show=shown.append, say=lambda _: None, format="csv",
        can_write=True,
    )  # fmt: skip
    others = [start(program, db, 6.0) for program in (WRITER, READER, READER)]
    end, n_statements = time.monotonic() + 6.0, 0
    while time.monotonic() < end:
        shell.run("SELECT count(*) % 7 AS n FROM tag;")
        assert shown.pop() == b'"n"\n0\n'
        shell.run("UPDATE run SET created_at = now()::TIMESTAMP;")
        n_statements += 1
    results = [each.communicate(timeout=60) for each in others]

    assert [err for _, err in results] == ["", "", ""]
    assert all(int(out) > 0 for out, _ in results)
    assert n_statements > 0
    assert integrity.check(db).broken == ()
    assert [path.name for path in tmp_path.iterdir()] == ["w.duckdb"]


def test_a_statement_sees_what_others_wrote_since(
    imported_files: WarehouseCache, tmp_path: Path
) -> None:
    """Also after the file was replaced by another one, as by a restored backup."""
    db = imported_files.copy(tmp_path / "w.duckdb", GPU)
    shown: list[bytes] = []
    shell = Shell(session.Place(db), show=shown.append, say=lambda _: None, format="csv")
    count = "SELECT count(*) AS n FROM tag;"
    shell.run(count)
    with database.writer(db) as connection:
        connection.execute("INSERT INTO tag SELECT 'x', id, now()::TIMESTAMP FROM run")
    shell.run(count)
    imported_files.copy(tmp_path / "other.duckdb", GPU).replace(db)
    shell.run(count)

    assert shown == [b'"n"\n0\n', b'"n"\n1\n', b'"n"\n0\n']
