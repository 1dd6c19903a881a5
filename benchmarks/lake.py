"""Measures lakes of many ranks: import, files, compaction, and a query beside the warehouse's.

    python benchmarks/lake.py TRACE.json.gz... --ranks 64,256,1000

TRACE are Kineto traces of ranks of one run; their events are repeated under other rank numbers.
CPU seconds are user and system time, and comparable on a busy machine.
"""

from __future__ import annotations

import argparse
import csv
import math
import shutil
import tempfile
from pathlib import Path

from paired import Usage, run, say
from scale import _TW, write_ranks


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("traces", nargs="+", type=Path)
    parser.add_argument("--ranks", default="64,256")
    parser.add_argument("--folder", type=Path, help="where to work")
    options = parser.parse_args()
    for n_ranks in map(int, options.ranks.split(",")):
        with tempfile.TemporaryDirectory(dir=options.folder) as name:
            measure(options.traces, Path(name), n_ranks)


def measure(traces: list[Path], folder: Path, n_ranks: int) -> None:
    """Prints what a lake of so many ranks costs."""
    write_ranks(traces, folder / "ranks", n_ranks)
    files = sorted(map(str, (folder / "ranks").iterdir()))
    db, lake = folder / "w.duckdb", folder / "lake"
    say(f"{n_ranks} ranks, {sum(Path(file).stat().st_size for file in files):,} bytes")
    stored = run([*_TW, "import", "-q", "--run", "r", "--db", str(db), *files])
    used = run([*_TW, "import", "-q", "--run", "r", "--lake", str(lake), *files])
    report("import", n_ranks, used, stored)
    query_both(lake, db, "before compaction", n_ranks)
    say(f"  {counted(lake, n_ranks)}")
    report("compact", n_ranks, run([*_TW, "lake", "compact", str(lake)]), None)
    for path in lake.glob("*/trace_id=*"):  # as a vacuum would, later
        shutil.rmtree(path)
    say(f"  {counted(lake, n_ranks)}")
    query_both(lake, db, "after compaction", n_ranks)


def query_both(lake: Path, db: Path, when: str, n_ranks: int) -> None:
    command = [*_TW, "query", "kernel_summary", "--format", "csv", "-o"]
    outputs = lake.with_name("lake.csv"), lake.with_name("w.csv")
    used = run([*command, str(outputs[0]), "--lake", str(lake)])
    stored = run([*command, str(outputs[1]), "--db", str(db)])
    report(f"kernel_summary {when}", n_ranks, used, stored)
    say(f"  rows {'equal' if are_equal(*outputs) else 'DIFFER'}")


def are_equal(lake: Path, warehouse: Path) -> bool:
    """Whether rows are equal, floating-point numbers to 1e-9: threads add in any order."""
    with lake.open() as some, warehouse.open() as others:
        rows, expected = list(csv.reader(some)), list(csv.reader(others))
    return len(rows) == len(expected) and all(
        len(row) == len(other) and all(map(is_close, row, other))
        for row, other in zip(rows, expected, strict=True)
    )


def is_close(value: str, other: str) -> bool:
    if value == other:
        return True
    try:
        return "." in value and math.isclose(float(value), float(other), rel_tol=1e-9)
    except ValueError:
        return False


def report(what: str, n_ranks: int, used: Usage, stored: Usage | None) -> None:
    """Prints a step in the lake, and in the warehouse."""
    text = f"  {what}: cpu {used.cpu_s:.1f} s ({used.cpu_s / n_ranks:.3f} a rank)"
    text += f"  memory {used.peak_mb:.0f} MB"
    if stored is not None:
        text += f"  warehouse: cpu {stored.cpu_s:.1f} s  memory {stored.peak_mb:.0f} MB"
    say(text)


def counted(lake: Path, n_ranks: int) -> str:
    """The files of a lake and their bytes."""
    found = [path.stat().st_size for path in lake.rglob("*.parquet")]
    of_traces = len(list(lake.glob("*/trace_id=*/*.parquet")))
    return (
        f"{len(found)} files, {of_traces / n_ranks:.1f} a trace, {sum(found):,} bytes, "
        f"{sum(found) / n_ranks:,.0f} a rank"
    )


if __name__ == "__main__":
    main()
