"""Times small commands and exports beside their limits.

    python benchmarks/small.py TRACE [--runs 5] [--only NAME]

TRACE is Trace Event JSON of about 200 MB; `--small` names one of about 1 MB, by default the first
events of TRACE. Prints medians beside the limit of each command, and the load average. The limits
apply to two free cores.
"""

from __future__ import annotations

import argparse
import gzip
import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from paired import median, run, say

_TW = (sys.executable, "-c", "from warehouse.cli import main; main()")
_SMALL_BYTES = 1_000_000


@dataclass(frozen=True)
class Measure:
    """A command, what it must not exceed, and what happens before each run."""

    name: str
    command: tuple[str, ...]
    wall_s: float
    cpu_s: float | None = None
    before: Callable[[], None] | None = None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("trace", type=Path, help="Trace Event JSON of about 200 MB.")
    parser.add_argument("--small", type=Path, help="Trace Event JSON of about 1 MB.")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", help="Run the measures whose name contains this.")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        small = options.small or first_events(options.trace, folder / "small.json")
        run([*_TW, "import", str(options.trace), "--db", str(folder / "large.duckdb")])
        run([*_TW, "import", str(small), "--db", str(folder / "small.duckdb")])
        say(f"load average {os.getloadavg()[0]:.2f}; medians of {options.runs}")
        for measure in measures(folder, small, content_bytes(options.trace)):
            if not options.only or options.only in measure.name:
                report(measure, options.runs)
        say(f"load average {os.getloadavg()[0]:.2f}")


def measures(folder: Path, small: Path, n_bytes: int) -> list[Measure]:
    """Returns what is measured, with the limits in seconds."""
    new = folder / "new.duckdb"
    of_small, of_large = (("--db", str(folder / f"{each}.duckdb")) for each in ("small", "large"))
    again = ("import", "--on-duplicate", "replace", str(small))

    def out(suffix: str) -> tuple[str, str]:
        return "-o", str(folder / f"out{suffix}")

    return [
        Measure("import 1 MB, new", (*_TW, "import", str(small), "--db", str(new)), 0.8, 0.9,
                lambda: new.unlink(missing_ok=True)),
        Measure("import 1 MB, existing", (*_TW, *again, *of_small), 0.8, 0.9),
        Measure("query utilization", (*_TW, "query", "utilization", *of_small), 0.30),
        Measure("export xlsx", (*_TW, "export", "xlsx", *of_large, *out(".xlsx")), 2.2),
        Measure("export html", (*_TW, "export", "html", *of_large, *out(".html")), 2.2),
        Measure("export chrome", (*_TW, "export", "chrome", *of_large, *out(".json")),
                n_bytes / 200e6),
        Measure("export perfetto", (*_TW, "export", "perfetto", *of_large, *out(".pftrace")), 2.4),
    ]  # fmt: skip


def report(measure: Measure, n_runs: int) -> None:
    usage = median([run(measure.command, before=measure.before) for _ in range(n_runs)])
    of_cpu = f" ({ratio(usage.cpu_s, measure.cpu_s)})" if measure.cpu_s else ""
    say(
        f"  {measure.name:24s} wall {usage.wall_s:5.2f} s ({ratio(usage.wall_s, measure.wall_s)})"
        f"  cpu {usage.cpu_s:5.2f} s{of_cpu}  memory {usage.peak_mb:4.0f} MB"
    )


def ratio(value: float, limit: float) -> str:
    return f"{value / limit:.2f} of {limit:.2f}"


def content_bytes(path: Path) -> int:
    """Returns the size of a file, decompressed."""
    if path.suffix != ".gz":
        return path.stat().st_size
    with gzip.open(path) as file:
        return file.seek(0, os.SEEK_END)


def first_events(source: Path, target: Path) -> Path:
    """Writes the events of the first megabyte of a trace as a trace."""
    opened = gzip.open if source.suffix == ".gz" else open
    with opened(source, "rb") as file:
        head = file.read(_SMALL_BYTES)
    target.write_bytes(head[: head.rindex(b"},")] + b"}]}")
    return target


if __name__ == "__main__":
    main()
