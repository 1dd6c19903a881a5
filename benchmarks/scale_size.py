"""Measures imports and exports of large traces: `scale.py` with --gigabytes or --kernels."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import import_nsys
from paired import Usage, run, say

_TW = (sys.executable, "-c", "from warehouse.cli import main; main()")
_EXPORTS = {
    "perfetto": "x.pftrace",
    "chrome": "x.json",
    "parquet": "lake",
    "html": "x.html",
    "xlsx": "x.xlsx",
}


def measure(
    trace: Path, gigabytes: Sequence[float], inflate: Path, peer: Path | None, folder: Path
) -> None:
    """Prints what imports and exports take, and the ratio to the first size; deletes its files.

    `inflate` is a program `INFLATE TRACE OUTPUT MEGABYTES` that repeats the events of a trace;
    `peer` the native trace_processor.
    """
    source = folder / "large.json"

    def write(size: float) -> None:
        run([sys.executable, str(inflate), str(trace), str(source), str(round(size * 1000))])

    _measure(source, write, gigabytes, peer)


def measure_kernels(n_kernels: Sequence[int], folder: Path) -> None:
    """Prints the same for exports of Nsight Systems with so many kernels and launches."""
    source = folder / "large.sqlite"
    _measure(source, lambda n: import_nsys.write(source, int(n)), n_kernels, None)


def _measure(
    source: Path, write: Callable[[float], None], sizes: Sequence[float], peer: Path | None
) -> None:
    firsts: dict[str, float] = {}
    for size in sizes:
        write(size)
        db, used_gb = source.with_name("large.duckdb"), source.stat().st_size / 1e9
        say(f"{used_gb:.2f} GB of {source.suffix}, load average {os.getloadavg()[0]:.2f}")
        for name, used in _steps(source, db, peer):
            rate = used.cpu_s / used_gb
            ratio = rate / firsts.setdefault(name, rate)
            say(
                f"  {name:24} cpu {used.cpu_s:7.1f} s, {rate:6.1f} a GB ({ratio:4.2f} of the first)"
                f"  wall {used.wall_s:7.1f} s  memory {used.peak_mb:5.0f} MB"
            )
        source.unlink()
        db.unlink()


def _steps(source: Path, db: Path, peer: Path | None) -> Iterator[tuple[str, Usage]]:
    if peer is not None:
        query = source.with_name("count.sql")
        query.write_text("SELECT count(*) FROM slice")
        yield "trace_processor", run([str(peer), "-q", str(query), str(source)])
    yield "tw import", run([*_TW, "import", str(source), "--db", str(db)])
    yield from exports(db, source.parent)


def exports(
    db: Path, folder: Path, formats: Sequence[str] = tuple(_EXPORTS)
) -> Iterator[tuple[str, Usage]]:
    """Yields the usage of each export of a warehouse."""
    for format in formats:
        name = _EXPORTS[format]
        target = folder / name
        yield (
            f"tw export {format}",
            run([*_TW, "export", format, "-o", str(target), "--db", str(db)]),
        )
        shutil.rmtree(target) if target.is_dir() else target.unlink()
        target.with_name(f"{name}.origin.json").unlink(missing_ok=True)
