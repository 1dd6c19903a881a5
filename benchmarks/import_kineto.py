"""Compares the import of a large Kineto trace with other tools, and times every library query.

    python benchmarks/import_kineto.py TRACE.json.gz [--pairs N]
        [--trace-processor COMMAND]   e.g. "node trace_processor.mjs": run with the file appended
        [--hta PYTHON]                an interpreter with HolisticTraceAnalysis installed
        [--limit-mb MB]               the memory limit of the import, to print the ratio

Prints wall time, processor time, peak memory, and the ratio of `tw` to the other tool for each; of
the import also processor time by stage, and the load of the machine.
MB are 10^6 bytes; in rates, of uncompressed JSON.
"""

from __future__ import annotations

import argparse
import os
import shlex
import statistics
import sys
import tempfile
import time
from pathlib import Path

from paired import Usage, compare, line, run, say

_HTA = """
import sys, os, tempfile, shutil
from hta.trace_analysis import TraceAnalysis
folder = tempfile.mkdtemp()
os.symlink(os.path.abspath(sys.argv[1]), os.path.join(folder, "rank0.json.gz"))
TraceAnalysis(trace_files={0: os.path.join(folder, "rank0.json.gz")}, trace_dir=folder)
shutil.rmtree(folder)
"""


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder) / "bench.duckdb"
        first = _import(options.trace, db)
        _report_import(options, db, first)
        if options.trace_processor:
            compare(
                "import against trace_processor loading the same file",
                lambda: _import(options.trace, db),
                "trace_processor",
                lambda: run([*shlex.split(options.trace_processor), options.trace]),
                options.pairs,
            )
        if options.hta:
            compare(
                "import against HolisticTraceAnalysis loading the same file",
                lambda: _import(options.trace, db),
                "HolisticTraceAnalysis",
                lambda: run([options.hta, "-I", "-c", _HTA, options.trace]),
                options.pairs,
            )
        _report_queries(db)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("trace")
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--trace-processor")
    parser.add_argument("--hta")
    parser.add_argument("--limit-mb", type=float, default=1100)
    return parser.parse_args()


def _import(trace: str, db: Path) -> Usage:
    return run(
        [sys.executable, "-c", "from warehouse.cli import main; main()", "import", trace,
         "--db", str(db)],
        before=lambda: db.unlink(missing_ok=True),
    )  # fmt: skip


def _report_import(options: argparse.Namespace, db: Path, usage: Usage) -> None:
    from warehouse.store import database

    with database.Reader(db) as reader:
        rows = reader.connection.execute(
            "SELECT name, detail, value FROM import_stat "
            "WHERE name IN ('content', 'seconds', 'cpu_seconds', 'typed_events') ORDER BY id"
        ).fetchall()
    n_bytes = next(value for name, _, value in rows if name == "content")
    seconds = {detail: value for name, detail, value in rows if name == "seconds"}
    say(f"import of {Path(options.trace).name}: {n_bytes / 1e6:,.0f} MB of JSON")
    line("tw import", usage)
    say(f"  {'load average':24s} {os.getloadavg()[0]:7.2f} (other work makes all times longer)")
    say(f"  {'rate':24s} {n_bytes / 1e6 / usage.wall_s:7.1f} MB/s")
    say(f"  {'memory / limit':24s} {usage.peak_mb / options.limit_mb:7.3f}")
    locked = seconds.get("write", 0) + seconds.get("link", 0)
    for title, name, unit in (
        ("stages, wall", "seconds", " s"),
        ("stages, cpu", "cpu_seconds", " s"),
        ("events typed by", "typed_events", ""),
    ):
        values = ", ".join(
            f"{what} {n:,.{2 if unit else 0}f}{unit}" for k, what, n in rows if k == name
        )
        say(f"  {title:24s} {values}")
    say(f"  {'lock held / wall':24s} {locked / usage.wall_s:7.3f}")
    say(f"  {'warehouse':24s} {db.stat().st_size / 1e6:7.1f} MB")


def _report_queries(db: Path, limit_s: float = 0.3) -> None:
    """Prints the best of five runs, and its ratio, of each query without required parameters."""
    from warehouse.library import library
    from warehouse.store import database

    known = library.load()
    say(f"library queries (best of 5; limit {limit_s} s)")
    with database.Reader(db, threads=2) as reader:
        known.install(reader.connection)
        for name, query in known.newest.items():
            if query.layer == "link" or not all(p.has_default for p in query.parameters):
                continue
            times = []
            for _ in range(5):
                started = time.perf_counter()
                n_rows = len(reader.connection.execute(f'FROM "{name}"()').fetchall())
                times.append(time.perf_counter() - started)
            say(
                f"  {name:28s} {min(times):6.3f} s  ratio {min(times) / limit_s:6.3f}  "
                f"median {statistics.median(times):6.3f} s  {n_rows:,} rows"
            )


if __name__ == "__main__":
    main()
