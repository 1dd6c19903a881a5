"""Which threads Perfetto's dialect takes for one; the rows are those of trace_processor."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from warehouse.dialect import run
from warehouse.dialect.perfetto import translate
from warehouse.ingest import pipeline
from warehouse.query import scope
from warehouse.query.selection import Selection
from warehouse.store import database as store

ASKED = """
SELECT slice.name, thread.tid, thread.name, thread.is_main_thread, process.pid
FROM slice JOIN thread_track ON thread_track.id = slice.track_id JOIN thread USING (utid)
JOIN process USING (upid) ORDER BY slice.ts"""


def answers(folder: Path, threads: list[tuple[Any, Any]], sql: str) -> list[tuple[Any, ...]]:
    events = [
        {"ph": "X", "cat": "c", "name": "abcdefghijk"[n], "pid": pid, "tid": tid, "ts": n, "dur": 1}
        for n, (pid, tid) in enumerate(threads)
    ]
    trace, database = folder / "trace.json", folder / "w.duckdb"
    trace.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    pipeline.import_paths([trace], db=database)
    with store.Reader(database) as reader:
        scope.apply(reader.connection, scope.resolve(reader.connection, Selection()))
        run.install(reader.connection)
        rewritten = run.answer(reader.connection, translate(sql))
        found: list[tuple[Any, ...]] = reader.connection.execute(rewritten).fetchall()
    return found


def test_a_tid_of_zero_or_below_or_that_of_the_process_is_the_main_thread(tmp_path: Path) -> None:
    threads = [(5, 0), (5, 5), (5, -3), (0, 0), (0, 7), (6, 0), (7, 0), (7, 9)]

    assert answers(tmp_path, threads, ASKED) == [
        ("a", 5, None, 1, 5),
        ("b", 5, None, 1, 5),
        ("c", 5, None, 1, 5),
        ("d", 0, None, 1, 0),
        ("e", 7, None, 0, 0),
        ("f", 6, None, 1, 6),
        ("g", 7, None, 1, 7),
        ("h", 9, None, 0, 7),
    ]


def test_a_text_that_is_both_pid_and_tid_is_one_main_thread(tmp_path: Path) -> None:
    threads = [("S", "S"), ("S", "T"), ("", "")]

    # There the numbers are those of the texts in its pool; here there are none.
    assert answers(tmp_path, threads, ASKED) == [
        ("a", None, "S", 1, None),
        ("b", None, "T", 0, None),
        ("c", None, "", 1, None),
    ]


def test_threads_are_as_many_as_trace_processor_has(tmp_path: Path) -> None:
    threads = [(5, 0), (5, 5), (5, -3), (0, 0), (0, 7), (6, 0), (7, 0), (7, 9), ("S", "S")]

    assert answers(tmp_path, threads, "SELECT COUNT(*) FROM thread") == [(8,)]
