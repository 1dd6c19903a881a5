"""Measures how fast Trace Event JSON becomes Arrow columns, without decompressing or storing it.

    python benchmarks/read_trace_event.py TRACE.json[.gz] [--runs N] [--limit MB_PER_S]

Prints MB of JSON for each second of processor time, the best of N runs, for the compiled reader and
for msgspec and DuckDB (stage.sql) on one thread, and the ratio to the limit.
"""

from __future__ import annotations

import argparse
import gzip
import io
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
from paired import say

from tw_importers.trace_event import native
from tw_importers.trace_event.read import read_document
from tw_importers.trace_event.repair import Repairer
from tw_importers.trace_event.split import decode
from tw_importers.trace_event.typed import Collector, RowsPool, TypingSplitter
from warehouse.ingest.importer import Scratch


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("trace")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--limit", type=float, default=400)
    options = parser.parse_args()
    stored = Path(options.trace).read_bytes()
    data = gzip.decompress(stored) if options.trace.endswith(".gz") else stored
    say(f"{Path(options.trace).name}: {len(data) / 1e6:,.0f} MB of JSON (best of {options.runs})")
    loaded = native.load()
    if loaded.library is None:
        say(f"  compiled reader: {loaded.reason}")
    else:
        best = min(_seconds(lambda: _read_compiled(data)) for _ in range(options.runs))
        rate = len(data) / 1e6 / best
        say(f"  compiled reader to Arrow    {rate:7.0f} MB/s  ratio {options.limit / rate:.3f}")
    os.environ[native.SWITCH] = "0"
    best = min(_seconds(lambda: _read_in_sql(data)) for _ in range(options.runs))
    say(f"  msgspec and SQL to Parquet  {len(data) / 1e6 / best:7.0f} MB/s")


def _seconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def _read_compiled(data: bytes) -> int:
    """Reads all events into record batches, which are dropped; returns the number of events."""
    library = native.load().library
    assert library is not None
    pool = RowsPool(lambda: native.Rows(library))
    state = native.State(ts_style=7, dur_style=7, is_first=1)
    collector = Collector(state, pool.take)
    splitter = TypingSplitter(io.BytesIO(data), Repairer(), decode)
    chunks = iter(splitter)
    next(chunks)  # in Python, to find the events
    splitter.collector = collector
    for _ in chunks:
        for group in collector.take_full():
            group.rows.columns()
            pool.give_back(group.rows)
    return int(state.seq)


def _read_in_sql(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder, duckdb.connect(config={"threads": 1}) as scratch:
        read_document(io.BytesIO(data), Scratch(Path(folder), scratch), "chrome")


if __name__ == "__main__":
    main()
