"""Imports and exports a large execution trace, and prints its cost against the limits.

    python benchmarks/import_execution_trace.py HOST_TRACE.json[.gz] [--times N]

The trace is repeated N times with distinct ids (117 times a CNN of two steps: 60 MB, 60,000 nodes).
The limits: 1 s of processor time per 50 MB, 400 MB of memory.
"""

from __future__ import annotations

import argparse
import gzip
import re
import sys
import tempfile
from pathlib import Path

from paired import Usage, line, run, say

_IDS = re.compile(r'("(?:id|ctrl_deps|parent)": )(\d+)')
_LIMIT_S_A_MB, _LIMIT_MB = 1 / 50, 400
_TW = [sys.executable, "-c", "from warehouse.cli import main; main()"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("trace", type=Path)
    parser.add_argument("--times", type=int, default=117)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        large, db = Path(folder) / "large.json", Path(folder) / "bench.duckdb"
        large.write_text(repeated(options.trace, options.times))
        megabytes = large.stat().st_size / 1e6
        _report("import", run([*_TW, "import", "-q", "--db", str(db), str(large)]), megabytes)
        target = str(Path(folder) / "again.json")
        command = [*_TW, "export", "execution-trace", "--db", str(db), "-o", target]
        _report("export", run(command), megabytes)


def repeated(trace: Path, times: int) -> str:
    """Returns a document with copies of the nodes of a trace, with distinct ids."""
    data = trace.read_bytes()
    text = (gzip.decompress(data) if trace.suffix == ".gz" else data).decode()
    start = text.index("[", text.index('"nodes"')) + 1
    end = text.rindex("]")
    nodes = text[start:end]
    step = max(int(number) for _, number in _IDS.findall(nodes)) + 1
    copies = (_renumbered(nodes, n * step) for n in range(times))
    return text[:start] + ",".join(copies) + text[end:]


def _renumbered(nodes: str, more: int) -> str:
    return _IDS.sub(lambda found: f"{found[1]}{int(found[2]) + more}", nodes)


def _report(what: str, used: Usage, megabytes: float) -> None:
    limit_s = megabytes * _LIMIT_S_A_MB
    line(f"{what} of {megabytes:.0f} MB", used)
    say(f"  processor time {used.cpu_s:.2f} s: {used.cpu_s / limit_s:.2f} of {limit_s:.2f} s")
    say(f"  memory {used.peak_mb:.0f} MB: {used.peak_mb / _LIMIT_MB:.2f} of {_LIMIT_MB} MB")


if __name__ == "__main__":
    main()
