"""Imports a large generated capture of a Sophgo TPU: mode 1, eight cores.

    python benchmarks/import_sophgo.py [--records 1000000] [--runs 3] [--keep FOLDER]

Prints wall, processor time and peak memory of `tw import` into a new warehouse, and of the same
import into an existing one, which excludes the cost of creating a warehouse; their ratio to the
limit, 3 s for a million records on two free cores; and the load average.
"""

from __future__ import annotations

import argparse
import os
import struct
import sys
import tempfile
from pathlib import Path

import numpy as np
from paired import line, median, run, say

_CORES, _ENGINES, _COMMANDS = 8, (0, 1, 3), 200  # commands of an engine before its ids restart
_TIU, _GDMA, _SDMA, _DYN_DATA = 3, 4, 11, 5
_BYTES = 131_072
_LIMIT_S = 3.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--keep", type=Path, help="Write the capture to this folder, and keep it.")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = options.keep or Path(folder) / "cdm_profile_data_dev0"
        write(place, options.records)
        n_bytes = sum(path.stat().st_size for path in place.iterdir())
        say(f"{options.records:,} records, {n_bytes / 1e6:.0f} MB")
        db = Path(folder) / "bench.duckdb"
        command = [sys.executable, "-c", "from warehouse.cli import main; main()", "import",
                   "--on-duplicate", "replace", str(place), "--db", str(db)]  # fmt: skip
        new = [run(command, before=lambda: db.unlink(missing_ok=True)) for _ in range(options.runs)]
        for name, usages in (
            ("into a new warehouse", new),
            ("into an existing warehouse", [run(command) for _ in range(options.runs)]),
        ):
            line(name, median(usages))
            limit = _LIMIT_S * options.records / 1_000_000
            say(f"  {median(usages).wall_s / limit:.2f} of {limit:.2f} s")
        say(f"load average {os.getloadavg()[0]:.2f}")


def write(folder: Path, n_records: int) -> None:
    """Writes a capture with two GDMA records and one SDMA record per TIU record."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "global.profile").write_text("arch=8800\ntpu_freq=1000\n")
    n_tiles = max(_COMMANDS, n_records // _CORES // 4 // _COMMANDS * _COMMANDS)
    for core in range(_CORES):
        (folder / f"cdmlib0_{core}.profile").write_bytes(_core(core, n_tiles))


def _core(core: int, n_tiles: int) -> bytes:
    rng = np.random.default_rng(core)
    tile = 1_300 + 4_000 * np.arange(n_tiles, dtype=np.int64)
    length = rng.integers(900, 1_300, n_tiles)
    number = np.arange(n_tiles) % _COMMANDS
    tiu = _records(4, tile + 1_600, length, number)
    tiu[:, 3] = rng.integers(0, 50, n_tiles) << 1
    load = _records(16, tile, length + 300, 2 * number)
    store = _records(16, tile + 2_950, length - 300, 2 * number + 1)
    gdma = np.stack([load, store], axis=1).reshape(-1, 16)
    sdma = _records(16, tile + 50, length + 700, number)
    gdma[:, 10] = sdma[:, 5] = _BYTES
    gdma[:, 12:] = sdma[:, 12:] = 100
    blocks = [(_TIU, _first(4, 450) + tiu.tobytes()), (_GDMA, _first(16, 0) + gdma.tobytes()),
              (_SDMA, _first(16, 20) + sdma.tobytes()), (_DYN_DATA, _words(n_tiles))]  # fmt: skip
    return b"".join(struct.pack("<II", kind, len(data)) + data for kind, data in blocks)


def _records(n_words: int, start: np.ndarray, length: np.ndarray, number: np.ndarray) -> np.ndarray:
    records = np.zeros((len(start), n_words), "<u4")
    records[:, 0], records[:, 1], records[:, 2] = start, start + length, number
    return records


def _first(n_words: int, at: int) -> bytes:
    """Returns the two first records of every engine."""
    start = np.array([at, at + 600]) + 5
    return _records(n_words, start, np.array([11, 11]), np.array([0, 1])).tobytes()


def _words(n_tiles: int) -> bytes:
    """Returns the preamble's commands, then kernels: names, commands of tiles, restarts of ids."""
    load, store, copy, add = (
        1 | engine << 7 | kind << 10 | function << 15 | info << 20
        for engine, kind, function, info in (
            (1, 0, 0, 0x81), (1, 0, 0, 0x21), (3, 0, 0, 0x01), (0, 3, 2, 1),
        )
    )  # fmt: skip
    sync = [1 | engine << 7 | (15 if engine == 0 else 6) << 10 | 3 << 15 for engine in _ENGINES]
    restarts = [12 | engine << 7 for engine in _ENGINES]
    found = [*sync, *sync, *restarts]
    for kernel in range(n_tiles // _COMMANDS):
        name = f"kernel_{kernel % 40:02d}".encode()  # nine bytes in three words
        padded = name + bytes(-len(name) % 4)
        found += [len(name) << 7, *struct.unpack(f"<{len(padded) // 4}I", padded)]
        found += [load, add, store, copy] * _COMMANDS
        found += [15, *restarts]
    return np.array(found, "<u4").tobytes()


if __name__ == "__main__":
    main()
