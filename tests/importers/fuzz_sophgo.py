"""Damages captures of Sophgo TPUs and looks whether reading them ends as it must.

    python -m tests.importers.fuzz_sophgo [--seconds 60] [--executions 100000] [--seed 1]

Whatever the bytes are, reading ends in a timeline or in one sentence with a hint: a TraceError.
Anything else ends the run and leaves the damaged files behind. Without the database, so that
a hundred thousand captures take minutes.
"""

from __future__ import annotations

import argparse
import faulthandler
import io
import random
import struct
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tests.support import sophgo_capture as capture
from tests.support.failures import keep_failures
from tw_importers.sophgo.defects import Defects
from tw_importers.sophgo.read import understand
from warehouse.errors import TraceError
from warehouse.ingest.importer import Part

Files = dict[str, bytes]
_LIMIT_S = 20  # for one capture
_ODD = (0, 1, 2, 3, 4, 7, 8, 12, 16, 99, 127, 255, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
_ARCHES = ("5", "6", "4", "7", "8800", "140814", "AKS", "BM1688", "CV84X6", "", "-1", "x")


class MemoryParts:
    """A capture that lies in memory."""

    folder_name = "cdm_profile_data_dev0"

    def __init__(self, files: Files) -> None:
        self._files = files
        self.parts: Sequence[Part] = [Part(name, "core") for name in sorted(files)]

    def read(self, name: str) -> bytes:
        return self._files[name]

    @contextmanager
    def open(self, name: str) -> Iterator[io.BytesIO]:
        yield io.BytesIO(self._files[name])


def seeds() -> list[Files]:
    """Sound captures of every kind of block."""
    rng = random.Random(7)
    cores = capture.program(rng, 2, [5_000, 80_000])
    made: Files = {"global.profile": b"arch=8800\ntpu_freq=1000\nmax_record_num=4096\n"}
    for core in cores:
        made[f"cdmlib0_{core.core}.profile"] = core.bytes()
    image = struct.pack("<QQ", 1 | 15 << 41 | 8 << 45, 1)  # a send of TIU
    extra = b"".join(struct.pack("<III", n, 1, len(image)) + image for n in range(40))
    des = capture.block(13, image * 6) + capture.block(14, bytes(16)) + capture.block(15, b"")
    key = capture.block(17, struct.pack("<III", 9, 6, 0) + image * 6)
    words = capture.word(8, 9) + struct.pack("<I", 6) + capture.node("TIU", 3, 2)
    port = struct.pack("<32I", 10, 90, 1, 0, 64, *[5] * 27)
    detailed = dict(made)
    detailed["cdmlib0_0.profile"] += capture.block(6, extra)
    detailed["cdmlib0_1.profile"] += key + capture.block(5, words)
    detailed["cdma0_0.profile"] = capture.block(12, port * 3)
    model = dict(made)
    model["global.profile"] = b"bmodel\narch=5\ntpu_freq=1000\n"
    model["cdmlib0_0.profile"] += des
    model["tensor_location.json"] = (
        b'[{"file-line": 3, "core_id": 0, "subnet_id": 0, "opcode": "tpu.Add", "is_local": true,'
        b' "tiu_dma_id(before)": [0, 0], "tiu_dma_id(after)": [1, 2], "operands": [],'
        b' "results": [], "buffers": []}]'
    )
    return [made, detailed, model]


def damage(files: Files, rng: random.Random) -> Files:
    """The same capture with a few things wrong."""
    made = dict(files)
    for _ in range(rng.randrange(1, 4)):
        name = rng.choice(sorted(made))
        data = bytearray(made[name])
        _hurt(data, rng)
        made[name] = bytes(data)
    if rng.random() < 0.3:
        lines = made["global.profile"].splitlines()
        lines.append(b"arch=" + rng.choice(_ARCHES).encode())
        rng.shuffle(lines)
        made["global.profile"] = b"\n".join(lines)
    return made


def _hurt(data: bytearray, rng: random.Random) -> None:
    if not data:
        return
    at, kind = rng.randrange(len(data)), rng.randrange(7)
    if kind == 0:
        data[at] ^= 1 << rng.randrange(8)
    elif kind == 1:
        del data[at:]
    elif kind == 2:
        del data[at : at + rng.randrange(1, 64)]
    elif kind == 3:
        data[at:at] = data[max(0, at - 48) : at]
    elif kind == 4:  # a word, where words lie
        data[at & ~3 : (at & ~3) + 4] = struct.pack("<I", rng.choice(_ODD))
    elif kind == 5:  # the header of a block
        data[:8] = struct.pack("<II", rng.randrange(20), rng.choice([max(len(data) - 8, 0), *_ODD]))
    else:
        data[at:at] = rng.randbytes(rng.randrange(1, 40))


def execute(files: Files, is_lenient: bool) -> str:
    """Reads one capture; says what came of it."""
    defects = Defects(is_lenient)
    try:
        understand(MemoryParts(files), {}, defects)
    except TraceError as error:
        assert error.message
        assert "\n" not in error.message
        return type(error).__name__
    return "with problems" if defects.problems or defects.findings else "read"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--executions", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    rng, sound, outcomes = random.Random(wanted.seed), seeds(), Counter[str]()
    until = time.monotonic() + wanted.seconds
    for _ in range(wanted.executions):
        files = damage(rng.choice(sound), rng)
        faulthandler.dump_traceback_later(_LIMIT_S, exit=True)
        try:
            outcomes[execute(files, rng.random() < 0.5)] += 1
        except BaseException:
            keep_failures(files)
            raise
        faulthandler.cancel_dump_traceback_later()
        if time.monotonic() > until:
            break
    total = sum(outcomes.values())
    sys.stdout.write(f"{total:,} captures: {dict(outcomes)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
