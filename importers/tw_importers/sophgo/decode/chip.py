"""The chips: constants, element types, and where to find their names and registers.

`chips/<chip>.toml` holds one chip; `inherits` names the chip it takes everything from that it
does not define. A new chip is a new file.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

import pyarrow as pa

_FOLDER = files(__package__)
_FILES = ("aks", "aksv", "bm1688", "cv84x6")


@dataclass(frozen=True)
class Chip:
    """One chip, from its file and those it inherits from.

    `constants` has one number a line of `chips/*.toml`, with its unit in its name; `header` is the
    header of the original's register text files, in their order; `engine_codes` are those of
    command words; `data_types` the names of element types by their code.
    """

    name: str
    arch: tuple[str, ...]  # values of `arch=` in global.profile that mean it
    constants: Mapping[str, float]
    header: Mapping[str, str | float]
    engine_codes: Mapping[str, int]
    data_types: Mapping[int, str]
    image: Mapping[str, Any]
    names: tuple[str, ...]
    registers: tuple[str, ...]

    def constant(self, name: str) -> int:
        """A constant that is a whole number."""
        return int(self.constants[name])

    def row(self) -> pa.Table:
        """The one row of scratch table `chip`: the name, how addresses encode memory, constants."""
        values: dict[str, object] = {"name": self.name, "memory": self.image["memory"]}
        return pa.Table.from_pylist([{**values, **self.constants}])

    def data_type_table(self) -> pa.Table:
        """Rows (code, data_type)."""
        rows = [{"code": code, "data_type": name} for code, name in self.data_types.items()]
        return pa.Table.from_pylist(rows)


@cache
def chips() -> Mapping[str, Chip]:
    """All chips by name."""
    return {chip.name: chip for chip in map(_load, _FILES)}


def by_arch(value: str) -> Chip | None:
    """The chip for a value of `arch=`, ignoring case, or None."""
    normalized = value.strip().upper()
    return next((chip for chip in chips().values() if normalized in chip.arch), None)


def table(kind: str, name: str) -> dict[str, Any]:
    """A data file, over those it inherits from."""
    return _inherited(_FOLDER / kind, name)


def merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """`above` over `below`: tables within tables are merged, all else is replaced."""
    both = dict(below)
    for key, value in above.items():
        old = both.get(key)
        both[key] = (
            merged(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
        )
    return both


def _inherited(folder: Traversable, name: str) -> dict[str, Any]:
    data = tomllib.loads((folder / f"{name}.toml").read_text(encoding="utf-8"))
    parent = data.pop("inherits", None)
    if parent is None:
        return data
    below = _inherited(folder, parent)
    if data.pop("own_commands", False):
        below.pop("command", None)
    for command in data.pop("without", ()) if folder.name == "registers" else ():
        del below["command"][command]
    return merged(below, data)


def _load(name: str) -> Chip:
    data = table("chips", name)
    return Chip(
        name=data["name"],
        arch=tuple(data["arch"]),
        constants=data["constants"],
        header=data["header"],
        engine_codes={k: code for k, code in data["engine_codes"].items() if code >= 0},
        data_types={int(code): text for code, text in data["data_types"].items()},
        image=data["image"],
        names=tuple(data["names"]),
        registers=tuple(data["registers"]),
    )
