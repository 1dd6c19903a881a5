"""Measures commands in a warehouse of many runs: the part of `scale.py` behind --runs.

The runs are copies of one imported run, written by SQL: importing a thousand would take longer than
all that is measured.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import duckdb
from paired import Usage, run, say

_TW = (sys.executable, "-c", "from warehouse.cli import main; main()")
_COLUMNS = """
SELECT table_name, list((column_name, coalesce(comment, ''))  ORDER BY column_index)
FROM duckdb_columns()
WHERE schema_name = 'main' AND table_name IN (SELECT table_name FROM duckdb_tables())
GROUP BY table_name
HAVING bool_or(column_name IN ('trace_id', 'run_id')) OR table_name = 'run'
ORDER BY table_name
"""


def measure(traces: Sequence[Path], counts: Sequence[int], folder: Path) -> None:
    """Prints what each command takes with these numbers of runs, and the ratio to the first."""
    firsts: dict[str, Usage] = {}
    for n_runs in counts:
        db = folder / f"runs-{n_runs}.duckdb"
        db.unlink(missing_ok=True)
        run([*_TW, "import", str(traces[0]), "--run", "first", "--db", str(db)])
        # In a process of its own: the memory of this one would count as that of its children.
        with ProcessPoolExecutor(1, get_context("spawn")) as other:
            other.submit(repeat, db, n_runs).result()
        size = db.stat().st_size / 1e6
        say(f"{n_runs} runs, {size:.0f} MB")
        for name, used in commands(db, traces, folder):
            first = firsts.setdefault(name, used)
            say(
                f"  {name:32} cpu {used.cpu_s:6.2f} s ({used.cpu_s / first.cpu_s:5.2f})"
                f"  wall {used.wall_s:6.2f} s  memory {used.peak_mb:5.0f} MB"
            )
        if n_runs > 1:
            removals(db, n_runs, folder)


def commands(db: Path, traces: Sequence[Path], folder: Path) -> list[tuple[str, Usage]]:
    """Runs each command on a warehouse; the import is into a copy."""
    at = ("--db", str(db))
    copy = folder / "more.duckdb"

    def restore() -> None:
        shutil.copy(db, copy)

    more = ("import", str(traces[-1]), "--run", "one more", "--db", str(copy))
    found = [
        ("tw runs", run([*_TW, "runs", *at])),
        ("tw info", run([*_TW, "info", *at])),
        ("tw query utilization --run", run([*_TW, "query", "utilization", "--run", "first", *at])),
        ("tw compare", run([*_TW, "compare", "first", "first", *at])),
        ("tw import of one more", run([*_TW, *more], before=restore)),
        ("tw schedule run-due", run([*_TW, "schedule", "run-due", *at])),
    ]
    copy.unlink()
    return found


def removals(db: Path, n_runs: int, folder: Path) -> None:
    """Prints the speed of drop, vacuum and backup, in MB of the warehouse a second."""
    size = db.stat().st_size / 1e6
    n_dropped = n_runs * 9 // 10
    names = [word for n in range(1, n_dropped + 1) for word in ("--run", f"run {n}")]
    backup = folder / "backup.duckdb"
    for name, arguments in (
        ("tw backup", ["backup", str(backup)]),
        (f"tw drop of {n_dropped} runs", ["drop", *names, "--yes"]),
        ("tw vacuum", ["vacuum"]),
    ):
        used = run([*_TW, *arguments, "--db", str(db)])
        say(
            f"  {name:32} cpu {used.cpu_s:6.2f} s  wall {used.wall_s:6.2f} s"
            f"  {size / used.cpu_s:6.1f} MB/CPU s"
        )
    backup.unlink()


def repeat(db: Path, n_runs: int) -> None:
    """Copies the only run of a warehouse, with other ids, names and digests of files."""
    connection = duckdb.connect(str(db))
    connection.execute("SET enable_progress_bar = false")
    row = connection.execute("SELECT max(id) FROM trace").fetchone()
    assert row is not None
    for table, columns in connection.execute(_COLUMNS).fetchall():
        values = ", ".join(_value(table, name, comment, row[0]) for name, comment in columns)
        connection.execute(
            f"INSERT INTO {table} SELECT {values} FROM {table} AS t, range(1, {n_runs}) AS r(k)"
            " ORDER BY k, t.rowid"
        )
    connection.close()


def _value(table: str, name: str, comment: str, n_traces: int) -> str:
    """Returns the expression of a column in copy number k."""
    if (table, name) == ("run", "id") or comment.startswith("[ref run.id]"):
        return f"t.{name} + k"
    if (table, name) == ("trace", "id") or comment.startswith("[ref trace.id]"):
        return f"t.{name} + k * {n_traces}"
    if comment.startswith(("[ref ", "[id]")):
        return f"t.{name} + ((k * {n_traces}) << 32)"
    if (table, name) == ("run", "name"):
        return "'run ' || k"
    if name == "sha256":
        return f"sha256(t.{name} || k)"
    return f't."{name}"'
