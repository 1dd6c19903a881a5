"""Times every public query on a warehouse, or on a trace that it imports first.

    python benchmarks/queries.py WAREHOUSE.duckdb | TRACE.json.gz [--run RUN] [--only NAME ...]
        [--rounds N]

Each query runs N times (default 3) in a separate process, each time on a new connection, as
`tw query` does, so only the operating system caches the file; the best time is reported. Without
--run, queries read the whole warehouse. Prints milliseconds, CPU milliseconds (lower values mean
that the machine was busy), rows, the limit and the ratio to it. Exits with 1 if a query exceeds its
limit or fails.

Queries with required parameters are not timed but listed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from warehouse.library import library
from warehouse.library.installed import Macros
from warehouse.library.library import Query
from warehouse.query import execute, scope
from warehouse.query.selection import Selection
from warehouse.store import database

LIMIT_MS = 300.0
#: Queries that follow a chain or build a tree of one step have higher limits.
LIMITS_MS = {"critical_path": 2000.0, "critical_path_summary": 2000.0}
TREE_MS = 2000.0  # everything in queries/tree


def main() -> int:
    options = _options()
    if options.child:
        return time_one(options.source, options.child, options.run, options.rounds)
    with tempfile.TemporaryDirectory() as folder:
        db = _warehouse(options.source, Path(folder))
        return time_all(db, options)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("source", type=Path, help="a warehouse, or a trace to import")
    parser.add_argument("--run", help="the run to query; default: the whole warehouse")
    parser.add_argument("--only", nargs="*", help="only these queries")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    return parser.parse_args()


def _warehouse(source: Path, folder: Path) -> Path:
    if source.suffix == ".duckdb":
        return source
    from warehouse.ingest import pipeline

    db = folder / "bench.duckdb"
    (outcome,) = pipeline.import_paths([source], db=db)
    if outcome.error:
        sys.exit(str(outcome.error))
    return db


def public() -> list[Query]:
    """Returns every public query, by name."""
    queries = library.load().newest.values()
    return [query for query in queries if query.layer not in ("lib", "link")]


def limit_ms(query: Query) -> float:
    assert query.header is not None
    return TREE_MS if query.layer == "tree" else LIMITS_MS.get(query.header.name, LIMIT_MS)


def time_all(db: Path, options: argparse.Namespace) -> int:
    chosen = [
        q for q in public() if q.header and (not options.only or q.header.name in options.only)
    ]
    left_out = [q for q in chosen if not all(p.has_default for p in q.parameters)]
    say(f"{'query':32} {'ms':>9} {'cpu ms':>9} {'rows':>10} {'limit ms':>9} {'ratio':>6}")
    slow = 0
    for query in chosen:
        if query not in left_out:
            slow += not _time(db, query, options)
    for query in left_out:
        say(f"{query.key}: needs parameters, not timed")
    say(f"{slow} of {len(chosen) - len(left_out)} queries over their limit or failed")
    return 1 if slow else 0


def _time(db: Path, query: Query, options: argparse.Namespace) -> bool:
    """Prints one line; returns whether the query met its limit."""
    assert query.header is not None
    command = [sys.executable, __file__, str(db), "--child", query.header.name]
    command += ["--rounds", str(options.rounds)] + (["--run", options.run] if options.run else [])
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        say(f"{query.header.name:32} FAILED: {last}")
        return False
    result = json.loads(done.stdout)
    limit, best = limit_ms(query), float(min(result["ms"]))
    verdict = "" if best <= limit else "  OVER"
    say(
        f"{query.header.name:32} {best:9.1f} {min(result['cpu_ms']):9.1f} {result['rows']:10,} "
        f"{limit:9.0f} {best / limit:6.2f}{verdict}"
    )
    return best <= limit


def time_one(db: Path, name: str, run: str | None, rounds: int) -> int:
    """Runs one query a few times and prints the times as JSON."""
    known = library.load()
    wall: list[float] = []
    cpu: list[float] = []
    rows = 0
    for _ in range(rounds):
        with database.Reader(db) as reader:
            if run is not None:
                chosen = scope.resolve(reader.connection, Selection(runs=(run,)))
                scope.apply(reader.connection, chosen)
            start, used = time.perf_counter(), time.process_time()
            # as in a session, blocks that many queries call are computed once
            result = execute.run(
                reader.connection, name, library=known, installed=Macros(), kept=set()
            )
            rows = result.table().num_rows
            wall.append((time.perf_counter() - start) * 1000)
            cpu.append((time.process_time() - used) * 1000)
    say(json.dumps({"ms": wall, "cpu_ms": cpu, "rows": rows}))
    return 0


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
