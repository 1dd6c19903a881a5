"""Link sets: named rules for linking execution traces with timelines (queries/link/sets.toml)."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from typing import Final

from warehouse.errors import UsageError
from warehouse.resources import sql_folder

DEFAULT: Final = "default"


@dataclass(frozen=True)
class LinkSet:
    """The names of the queries of a set: nodes, edges, and nodes its rules cannot link."""

    nodes: str
    edges: str
    refusals: str | None = None


def link_sets() -> dict[str, LinkSet]:
    """Returns all link sets by name, the default first."""
    return {name: LinkSet(**values) for name, values in _file()["set"].items()}


def link_set(name: str) -> LinkSet:
    """Returns a link set by name; raises UsageError when there is none."""
    found = link_sets()
    if name not in found:
        raise UsageError(f"link set {name!r} not found", hint=f"Available: {', '.join(found)}.")
    return found[name]


def deprecated_words() -> list[str]:
    """Returns the deprecated words of `tw link` that are equivalent to `--graphs`."""
    return list(_file()["deprecated_words"])


@cache
def _file() -> dict[str, dict[str, dict[str, str]]]:
    return tomllib.loads((sql_folder("queries") / "link" / "sets.toml").read_text("utf-8"))
