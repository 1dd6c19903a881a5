"""What is in a command of a Sophgo TPU: names, register images and metrics, for four chips.

Everything a chip differs in is data: `chips/` constants, `names/` names, `registers/` images. The
Python of this package only looks them up and moves bits into columns; what they mean is
metrics.sql. The way from a capture to a row of `tpu_command` uses it so:

    chip = by_arch("8800")                            # None: no such chip
    scratch.register("chip", chip.row())              # one row of constants, with `name`
    scratch.register("command_name", name_table(chip))  # every code of every engine, with fallback
    scratch.register("data_type", chip.data_type_table())
    decode_streams(payload, chip, "TIU", [(0, len(payload))])  # blocks DES_*, pieces of DES_KV
    decode_images(extra, chip, "TIU", starts, ends)            # DYN_EXTRA: one image a command

`chip.engine_codes` decodes the engine bits of a command word, `chip.constants` all of the
table of constants. `engine(chip, "CDMA")` is None where a chip has no images of an engine.
"""

from __future__ import annotations

from tw_importers.sophgo.decode.chip import Chip, by_arch, chips
from tw_importers.sophgo.decode.images import Defect, Images, decode_images, decode_streams
from tw_importers.sophgo.decode.names import RVT_FUNCTIONS, has_rvt_codes, name_table
from tw_importers.sophgo.decode.registers import engine

__all__ = [
    "RVT_FUNCTIONS",
    "Chip",
    "Defect",
    "Images",
    "by_arch",
    "chips",
    "decode_images",
    "decode_streams",
    "engine",
    "has_rvt_codes",
    "name_table",
]
