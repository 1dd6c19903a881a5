"""Measures how cost grows with the number of ranks, the size of a trace, and the number of runs.

    python benchmarks/scale.py TRACE.json.gz... --ranks 16,64,256,1024 [--jobs 1,2]
    python benchmarks/scale.py TRACE.json.gz --gigabytes 1,4,10 --inflate PROGRAM [--peer PROGRAM]
    python benchmarks/scale.py --kernels 1000000,4000000
    python benchmarks/scale.py TRACE.json.gz... --runs 1,1000

TRACE are Kineto traces of ranks of one run; their events are repeated under other rank numbers.
Also measured: one more rank, imported into the run that has all others, and page and workbook of
all. CPU seconds are user and system time of all processes, and comparable on a busy machine; wall
times are not.
"""

from __future__ import annotations

import argparse
import gzip
import os
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import scale_runs
import scale_size
from paired import Usage, run, say

_TW = (sys.executable, "-c", "from warehouse.cli import main; main()")
_RANK = re.compile(rb'("distributedInfo"\s*:\s*\{[^{}]*?"rank"\s*:\s*)\d+')
_WORLD_SIZE = re.compile(rb'("distributedInfo"\s*:\s*\{[^{}]*?"world_size"\s*:\s*)\d+')


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name)
        if options.gigabytes:
            traces = options.traces[0], options.gigabytes
            scale_size.measure(*traces, options.inflate, options.peer, folder)
        if options.kernels:
            scale_size.measure_kernels(options.kernels, folder)
        if options.runs:
            scale_runs.measure(options.traces, options.runs, folder)
        if (options.gigabytes or options.kernels or options.runs) and not options.ranks:
            return
        for n_jobs in options.jobs:
            say(f"import with --jobs {n_jobs}, load average {os.getloadavg()[0]:.2f}")
            first: float | None = None
            for n_ranks in options.ranks or (16, 64):
                folder = Path(name) / f"{n_ranks}"
                write_ranks(options.traces, folder, n_ranks)
                whole, more, exports = measure(folder, n_ranks, n_jobs)
                first = first or whole.cpu_s / n_ranks
                report(n_ranks, whole, more, first)
                for name, used in exports.items():
                    say(f"        {name}: cpu {used.cpu_s:.1f} s  memory {used.peak_mb:.0f} MB")


def _options() -> argparse.Namespace:
    def numbers(text: str) -> list[int]:
        return [int(number) for number in text.split(",")]

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("traces", nargs="*", type=Path)
    parser.add_argument("--ranks", type=numbers, help="[default: 16,64]")
    parser.add_argument("--jobs", type=numbers, default=[1, 2])
    parser.add_argument("--gigabytes", type=lambda text: [float(each) for each in text.split(",")])
    parser.add_argument("--inflate", type=Path, help="Program that repeats the events of a trace.")
    parser.add_argument("--kernels", type=numbers, help="Of generated exports of Nsight Systems.")
    parser.add_argument("--peer", type=Path, help="The native trace_processor.")
    parser.add_argument("--runs", type=numbers)
    parser.add_argument("--folder", type=Path, help="Where inputs and warehouses are written.")
    return parser.parse_args()


def write_ranks(traces: Sequence[Path], folder: Path, n_ranks: int) -> None:
    """Writes `rank-N.json.gz` of all ranks of a run, from the given recordings in turn."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = [gzip.decompress(trace.read_bytes()) for trace in traces]
    for rank in range(n_ranks):
        path = folder / f"rank-{rank}.json.gz"
        if not path.exists():
            text = _RANK.sub(rb"\g<1>%d" % rank, texts[rank % len(texts)], count=1)
            text = _WORLD_SIZE.sub(rb"\g<1>%d" % n_ranks, text, count=1)
            path.write_bytes(gzip.compress(text, 1, mtime=0))


def measure(folder: Path, n_ranks: int, n_jobs: int) -> tuple[Usage, Usage, dict[str, Usage]]:
    """Returns the usage of importing all ranks, of the last one after all others, and of the page
    and the workbook of all of them."""
    db = folder / "ranks.duckdb"
    jobs = ("--jobs", str(n_jobs), "--db", str(db))
    files = [str(folder / f"rank-{rank}.json.gz") for rank in range(n_ranks)]
    whole = run([*_TW, "import", *files, *jobs], before=lambda: db.unlink(missing_ok=True))
    exports = dict(scale_size.exports(db, folder, ("html", "xlsx")))
    db.unlink()
    run([*_TW, "import", *files[:-1], *jobs])
    more = run([*_TW, "import", files[-1], *jobs])
    db.unlink()
    return whole, more, exports


def report(n_ranks: int, whole: Usage, more: Usage, first: float) -> None:
    of_rank = whole.cpu_s / n_ranks
    say(
        f"  {n_ranks:5d} ranks  wall {whole.wall_s:7.1f} s  cpu {whole.cpu_s:7.1f} s"
        f"  memory {whole.peak_mb:5.0f} MB  a rank {of_rank:.3f} CPU s"
        f" ({of_rank / first:.2f} of the first row)"
        f"  one more: wall {more.wall_s:.2f} s, {more.cpu_s:.2f} CPU s"
    )


if __name__ == "__main__":
    main()
