"""Has bigTpuProfile 0.3.7 count the operations of random register images, as CSV.

Run from the repository's root, where bigTpuProfile and pyarrow are installed:
`PYTHONPATH=importers python tests/data/sophgo/record.py > tests/data/sophgo/image_costs.csv`.
What it refuses is left out: long forms of BM1688, and vector correlations of all but CV84X6.
"""

from __future__ import annotations

import csv
import random
import sys
from pathlib import Path
from typing import Any

import bigTpuProfile  # type: ignore[import-not-found]

from tw_importers.sophgo.decode import chips, engine
from tw_importers.sophgo.decode.registers import Command, Engine

PER_COMMAND = 4
TRIES = 40
SIZES = (1, 2, 3, 7, 16, 64, 65, 100, 1000)


def image(command: Command, images: Engine, function: int, draw: random.Random) -> bytes:
    """A random image of that command, with sizes as they occur."""
    value = 0
    for f in command.layout.fields.values():
        bits = (
            draw.choice(SIZES) if f.name[4:] in ("_n", "_c", "_h", "_w") else draw.getrandbits(64)
        )
        bits = draw.choice((2, 3)) if f.name == "tsk_opd_num" else bits
        bits = 0 if f.name.startswith("short_") else bits
        value |= (bits & ((1 << f.width) - 1)) << f.offset
    keys = range(len(images.command_of_key))
    number = images.commands.index(command)
    key = next(
        k
        for k in keys
        if images.command_of_key[k] == number and images.function_of_key[k] == function
    )
    for name, width in (("short", 1), ("type", 4), ("function", 5)):
        f = images.key[name]
        value &= ~(((1 << f.width) - 1) << f.offset)
        value |= (key & ((1 << width) - 1)) << f.offset
        key >>= width
    return value.to_bytes(command.layout.n_bytes, "little")


def figures(decoder: Any, content: bytes) -> tuple[object, ...] | None:
    """(type, name, operations, those of the hardware, cycles), or None where it is refused."""
    try:
        found = decoder.decode_tiu_cmd(
            bytearray(content), offset=0, core_id=0, cmd_id=1, subnet_id=0
        )
        n = found.ops(False)
        return found.reg.OP_NAME, found.op_name, n, found.ops(True), found.alg_cycle(n)
    except Exception:  # noqa: BLE001  it raises whatever happens to go wrong
        return None


def main() -> None:
    sys.path.insert(0, str(Path(bigTpuProfile.__file__).parent))
    from debugger.target_common import get_target_context  # type: ignore[import-not-found]

    draw = random.Random(7)
    rows = csv.writer(sys.stdout, lineterminator="\n")
    rows.writerow(["chip", "command", "image_name", "image", "alg_ops", "uarch_ops", "alg_cycles"])
    for chip in chips().values():
        images = engine(chip, "TIU")
        assert images
        decoder = get_target_context(chip.name).decoder
        for command in images.commands:
            made = [
                (content, found)
                for _ in range(TRIES)
                for function in [draw.choice(sorted(command.functions))]
                for content in [image(command, images, function, draw)]
                if (found := figures(decoder, content))
            ]
            for content, (kind, name, *counts) in made[:PER_COMMAND]:
                rows.writerow([chip.name, kind, name, content.hex(), *counts])


if __name__ == "__main__":
    main()
