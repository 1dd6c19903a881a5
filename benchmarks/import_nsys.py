"""Imports a large generated export of Nsight Systems, with as many kernels as launching calls.

    python benchmarks/import_nsys.py [--kernels 1000000] [--runs 3] [--keep FILE]

Prints wall, processor time and peak memory of `tw import` into a new warehouse, and rows per
second. The limits, 400,000 rows/s and 800 MB, apply to a million kernels on two free cores.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from paired import line, median, run, say

_N_NAMES, _THREAD = 60, (1 << 48) | (4242 << 24)
_KERNEL_COLUMNS = (
    "start end deviceId contextId greenContextId streamId correlationId globalPid demangledName "
    "shortName mangledName launchType cacheConfig registersPerThread gridX gridY gridZ blockX "
    "blockY blockZ staticSharedMemory dynamicSharedMemory localMemoryPerThread localMemoryTotal "
    "gridId sharedMemoryExecuted graphNodeId sharedMemoryLimitConfig"
)
_CALL_COLUMNS = "start end eventClass globalTid correlationId nameId returnValue callchainId"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--kernels", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--keep", type=Path, help="Write the export to this file, and keep it.")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        export = options.keep or Path(folder) / "large.sqlite"
        write(export, options.kernels)
        n_rows = 2 * options.kernels
        say(f"{n_rows:,} rows, {export.stat().st_size / 1e6:.0f} MB")
        db = Path(folder) / "bench.duckdb"
        command = [sys.executable, "-c", "from warehouse.cli import main; main()", "import",
                   str(export), "--db", str(db)]  # fmt: skip
        new = [run(command, before=lambda: db.unlink(missing_ok=True)) for _ in range(options.runs)]
        line("into a new warehouse", median(new))
        rate, memory = n_rows / median(new).wall_s, max(usage.peak_mb for usage in new)
        say(f"  {rate:,.0f} rows/s; {rate / 400_000:.2f} of 400,000")
        say(f"  {n_rows / median(new).cpu_s:,.0f} rows per CPU second")
        say(f"  {memory:,.0f} MB peak memory; {memory / 800:.2f} of 800")
        say(f"load average {os.getloadavg()[0]:.2f}")


def write(path: Path, n_kernels: int) -> None:
    """Writes an export with long names, as of templates, and kernels on four streams."""
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as export:
        export.execute("PRAGMA journal_mode = off")
        export.execute("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)")
        export.executemany("INSERT INTO StringIds VALUES (?, ?)", _names())
        for table, columns, rows in (
            ("KERNEL", _KERNEL_COLUMNS, _kernels(n_kernels)),
            ("RUNTIME", _CALL_COLUMNS, _calls(n_kernels)),
        ):
            name = f"CUPTI_ACTIVITY_KIND_{table}"
            names = columns.split()
            declared = ", ".join(f'"{each}" INTEGER' for each in names)
            export.execute(f"CREATE TABLE {name} ({declared})")
            marks = ", ".join("?" * len(names))
            export.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)
        export.commit()


def _names() -> Iterator[tuple[int, str]]:
    yield 0, "cudaLaunchKernel_v7000"
    for n in range(_N_NAMES):
        yield 3 * n + 1, f"void kernel_{n}<{'float, std::array<char *, 3>, ' * 10}true>(int)"
        yield 3 * n + 2, f"kernel_{n}"
        yield 3 * n + 3, f"_Z{'IfSt5arrayIPcLm3EE' * 6}kernel_{n}"


def _kernels(n_kernels: int) -> Iterator[tuple[int | None, ...]]:
    for n in range(n_kernels):
        ts, name = 10_000 + 5_000 * n, 3 * (n * 7 % _N_NAMES) + 1
        yield (ts, ts + 1_000 + n % 977, 0, 1, None, 7 + n % 4, n + 1, _THREAD, name, name + 1,
               name + 2, 1, 1, 32, 1 + n % 64, 1, 1, 256, 1, 1, 0, 0, 0, 127401984, n, 32768, None,
               0)  # fmt: skip


def _calls(n_kernels: int) -> Iterator[tuple[int | None, ...]]:
    for n in range(n_kernels):
        ts = 5_000 + 5_000 * n
        yield (ts, ts + 2_000 + n % 613, 0, _THREAD | 4242, n + 1, 0, 0, None)


if __name__ == "__main__":
    main()
