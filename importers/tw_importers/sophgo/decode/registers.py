"""The registers of a command's image: which command it is, and what its bits mean.

An image is what the hardware is given to execute one command: 128 to 1024 bits. Its first bits
identify the command (`[image]` of the chip's file); files of `registers/` list the commands of an
engine and the fields of their images. `like` takes over another command's table; `short` lists
the values of the first bits' flag; `functions` are the original's names for images; `formula` says
how the operations of the command are counted (metrics.sql).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from tw_importers.sophgo.decode.chip import Chip, chips, table

Numbers = np.ndarray[Any, np.dtype[np.int64]]

_NARROW = 0b111  # the bits of a function that has three of them
#: Every length is a multiple of this, which is the shortest.
UNIT_BYTES = 16
_KINDS = {"TIU": "tiu", "GDMA": "dma", "SDMA": "dma", "CDMA": "cdma"}


@dataclass(frozen=True)
class Field:
    """Some bits of an image."""

    name: str
    offset: int  # bits from bit 0 of the first byte
    width: int  # bits


@dataclass(frozen=True)
class Layout:
    """The fields of an image in the manual's order, without those that others of a name hide."""

    name: str
    n_bytes: int
    fields: Mapping[str, Field]


@dataclass(frozen=True)
class Command:
    """A command that has images of its own."""

    name: str
    type_code: int
    functions: Mapping[int, str]  # the original's names for images, by function code
    formula: str | None
    layout: Layout


@dataclass(frozen=True)
class Engine:
    """The possible images of one engine of one chip."""

    name: str  # TIU, GDMA, SDMA, CDMA
    key: Mapping[str, Field]  # where the first 64 bits hold short, type and function
    commands: tuple[Command, ...]
    command_of_key: Numbers  # index into `commands`, or -1
    function_of_key: Numbers  # the function code; with some commands not all bits belong to it
    sys_type: int
    ends_at_chain_end: bool  # the sys function 0 is the last of a stream

    def keys(self, heads: np.ndarray[Any, np.dtype[np.uint64]]) -> Numbers:
        """The keys in the first 64 bits of images: indexes into the tables by key."""
        keys = np.zeros(len(heads), np.int64)
        for name, shift in _shifts(self.key).items():
            if f := self.key.get(name):
                bits = heads >> np.uint64(f.offset) & np.uint64((1 << f.width) - 1)
                keys |= bits.astype(np.int64) << shift
        return keys


@cache
def _data(name: str) -> dict[str, Any]:
    return table("registers", name)


def engine(chip: Chip, name: str) -> Engine | None:
    """The images of an engine (TIU, GDMA, SDMA, CDMA); None where the chip has none there."""
    return _engine(chip.name, name)


@cache
def _engine(chip_name: str, name: str) -> Engine | None:
    chip, kind = chips()[chip_name], _KINDS[name]
    file = next((r for r in chip.registers if r.endswith(f"_{kind}")), None)
    if file is None:
        return None
    data = _data(file)
    layouts = {n: _layout(n, text) for n, text in data["layout"].items()}
    tables = {n: _like(n, data["command"]) for n in data["command"]}
    commands = tuple(_command(n, entry, layouts) for n, entry in tables.items())
    key = {f.name: f for f in _fields(chip.image[f"{kind}_key"])}
    narrow = chip.image["types_of_narrow_function"] if kind == "tiu" else []
    index, function = _by_key(tables, key, narrow)
    sys_type = chip.constant(f"{kind}_sys_type")
    is_ended = name in chip.image["ends_at_chain_end"]
    return Engine(name, key, commands, index, function, sys_type, is_ended)


def _like(name: str, commands: Mapping[str, Any]) -> dict[str, Any]:
    entry = dict(commands[name])
    return {**commands[entry.pop("like")], "layout": name, **entry} if "like" in entry else entry


def _command(name: str, entry: Mapping[str, Any], layouts: Mapping[str, Layout]) -> Command:
    return Command(
        name,
        entry["type"],
        _functions(entry["functions"]),
        entry.get("formula"),
        layouts[entry.get("layout", name)],
    )


def _functions(text: str) -> dict[int, str]:
    """`0 arith.mul, 2 arith.add`."""
    pairs = (part.split(maxsplit=1) for part in text.replace("\n", " ").split(",") if part.strip())
    return {int(code): name.strip() for code, name in pairs}


def _fields(text: str) -> list[Field]:
    """`cmd_short 0:1, op_code 1:16`; a name may hold blanks."""
    fields = []
    for part in text.replace("\n", " ").split(","):
        name, _, bits = part.strip().rpartition(" ")
        offset, _, width = bits.partition(":")
        fields.append(Field(name, int(offset), int(width)))
    return fields


def _layout(name: str, entry: Mapping[str, Any]) -> Layout:
    return Layout(name, entry["bits"] // 8, {f.name: f for f in _fields(entry["fields"])})


def _shifts(key: Mapping[str, Field]) -> dict[str, int]:
    """Bit positions of the parts of a key: short | type << 1 | function << 1 + bits of type."""
    return {"short": 0, "type": 1, "function": 1 + key["type"].width}


def _by_key(
    tables: Mapping[str, Any], key: Mapping[str, Field], narrow: Sequence[int]
) -> tuple[Numbers, Numbers]:
    """For every possible key the index of the command, or -1, and its function."""
    shift = _shifts(key)
    keys = np.arange(1 << (shift["function"] + key["function"].width))
    command, function = np.full(len(keys), -1), keys >> shift["function"]
    for number, entry in enumerate(tables.values()):
        for flag in entry.get("short", (0,)):
            for code in _functions(entry["functions"]):
                command[flag | entry["type"] << shift["type"] | code << shift["function"]] = number
    types = keys >> shift["type"] & ((1 << key["type"].width) - 1)
    # Tried after the whole function, which some other command might have.
    where = np.isin(types, narrow) & (command < 0)
    function[where] &= _NARROW
    below = keys & ((1 << shift["function"]) - 1)
    command[where] = command[below | function << shift["function"]][where]
    return command, function
