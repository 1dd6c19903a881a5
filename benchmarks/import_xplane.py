"""Imports an XPlane file of N events: CPU seconds a million events, and peak memory.

The file repeats the events of a recording on lines of their own:
`python benchmarks/import_xplane.py RECORDING.xplane.pb --events 1000000 --limit-s 6`.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from tw_importers.protobuf.wire import fields

_PLANES, _LINES = 1, 3


def varint(value: int) -> bytes:
    made = bytearray()
    while value > 0x7F:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    made.append(value)
    return bytes(made)


def repeated(content: bytes, n_times: int) -> bytes:
    """The same planes with each line `n_times`; the copies are later by an hour each."""
    data, made = memoryview(content), []
    for plane in fields(data, 0, len(data)):
        if plane.number != _PLANES:
            made.append(content[plane.start : plane.end])
            continue
        parts = []
        for field in fields(data, plane.value, plane.end):
            parts.append(content[field.start : field.end])
            if field.number == _LINES:
                for n in range(1, n_times):
                    line = content[field.value : field.end] + b"\x18" + varint(n * 3_600 * 10**9)
                    parts.append(b"\x1a" + varint(len(line)) + line)  # the last timestamp counts
        joined = b"".join(parts)
        made.append(b"\x0a" + varint(len(joined)) + joined)
    return b"".join(made)


def n_events(content: bytes) -> int:
    data = memoryview(content)
    planes = [f for f in fields(data, 0, len(data)) if f.number == _PLANES]
    lines = [
        line for plane in planes for line in fields(data, plane.value, plane.end)
        if line.number == _LINES
    ]  # fmt: skip
    return sum(f.number == 4 for line in lines for f in fields(data, line.value, line.end))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recording", type=Path)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--limit-s", type=float, default=6.0)
    options = parser.parse_args()
    content = options.recording.read_bytes()
    n_times = max(options.events // n_events(content), 1)
    with tempfile.TemporaryDirectory() as folder:
        large = Path(folder) / "large.xplane.pb"
        large.write_bytes(repeated(content, n_times))
        made = n_events(large.read_bytes())
        size = large.stat().st_size
        program = "from warehouse.cli import main; main()"
        arguments = ["import", str(large), "--db", f"{folder}/w.duckdb"]
        command = [sys.executable, "-c", program, *arguments]
        subprocess.run(command, check=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = (used.ru_utime + used.ru_stime) / made * 1e6
    sys.stdout.write(
        f"{made:,} events, {size / 1e6:.0f} MB: {seconds:.2f} CPU s a million events, "
        f"limit {options.limit_s:.1f}, ratio {seconds / options.limit_s:.2f}; "
        f"peak {used.ru_maxrss / 1024:.0f} MB; load {os.getloadavg()[0]:.1f}\n"
    )


if __name__ == "__main__":
    main()
