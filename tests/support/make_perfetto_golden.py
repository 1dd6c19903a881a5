"""Writes tests/data/perfetto/random.zip: random traces, and what trace_processor has of each.

    TW_TRACE_PROCESSOR_SHELL=trace_processor_shell python tests/support/make_perfetto_golden.py

The rows there are those of trace_processor v55.3, times relative to the first slice.
"""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.support.random_perfetto import random_trace

TARGET = Path(__file__).parents[1] / "data" / "perfetto" / "random.zip"
SEEDS = range(16)
FIRST = "(SELECT min(ts) FROM slice)"
STATEMENTS = {
    "slice": f"""
        SELECT
          s.ts - {FIRST} AS ts, s.dur, s.name, s.category, s.depth, p.ts - {FIRST} AS parent_ts,
          (
            SELECT h.tid FROM thread_track AS t JOIN thread AS h USING (utid)
            WHERE t.id = s.track_id
          ) AS tid
        FROM slice AS s LEFT JOIN slice AS p ON p.id = s.parent_id""",
    "counter": f"""
        SELECT c.ts - {FIRST} AS ts, c.value, t.name
        FROM counter AS c JOIN counter_track AS t ON t.id = c.track_id""",
    "flow": f"""
        SELECT o.ts - {FIRST} AS from_ts, i.ts - {FIRST} AS to_ts
        FROM flow AS f
        JOIN slice AS o ON o.id = f.slice_out
        JOIN slice AS i ON i.id = f.slice_in""",
    "argument": f"""
        SELECT s.ts - {FIRST} AS ts, a.key,
          coalesce(a.int_value, a.string_value, CAST(a.real_value AS TEXT)) AS value
        FROM slice AS s JOIN args AS a USING (arg_set_id)
        WHERE a.key LIKE 'debug.%'""",
}


def ask(trace: Path, sql: str) -> list[list[Any]]:
    """The rows of a statement; all values are texts, None: NULL."""
    command = [os.environ["TW_TRACE_PROCESSOR_SHELL"], "-Q", sql, str(trace)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    _, *rows = csv.reader(io.StringIO(done.stdout.strip()))
    return sorted(
        ([None if value == "[NULL]" else value for value in row] for row in rows), key=str
    )


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        zipfile.ZipFile(TARGET, "w", zipfile.ZIP_DEFLATED) as target,
    ):
        trace = Path(folder) / "trace.pftrace"
        for seed in SEEDS:
            trace.write_bytes(random_trace(seed))
            rows = {name: ask(trace, sql) for name, sql in STATEMENTS.items()}
            target.write(trace, f"{seed}.pftrace")
            target.writestr(f"{seed}.json", json.dumps(rows))


if __name__ == "__main__":
    main()
