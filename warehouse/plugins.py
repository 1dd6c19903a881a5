"""What installed packages add to the program, by entry point.

| group | value |
|---|---|
| `trace_warehouse.importers` | an importer (`warehouse.ingest.importer`) |
| `trace_warehouse.exports` | an exporter (`warehouse.export.exporter`) |
| `trace_warehouse.commands` | a click command; `export.NAME` is a command of `tw export` |
| `trace_warehouse.presentations` | how a format is shown (`warehouse.export.presentation`) |
| `trace_warehouse.queries` | a folder of queries |
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import TypeVar

from warehouse.errors import TwError

Kind = TypeVar("Kind")


@cache
def registered(group: str) -> tuple[EntryPoint, ...]:
    """Returns the entry points of a group, in no order, without importing any.

    Cached for the process: the metadata of every installed package is parsed for it.
    """
    return tuple(entry_points(group=group))


def names(group: str) -> list[str]:
    """Returns the names registered in a group, sorted."""
    return sorted({point.name for point in registered(group)})


def load(group: str, name: str, kind: type[Kind]) -> Kind | None:
    """Imports the object registered under a name; None where there is none.

    Raises TwError naming the package when it cannot be imported or is of another type.
    """
    for point in registered(group):
        if point.name == name:
            return _load(point, kind)
    return None


def _load(point: EntryPoint, kind: type[Kind]) -> Kind:
    package = point.dist.name if point.dist else point.module
    try:
        found = point.load()
    except Exception as error:  # a plug-in may fail in any way; it must not take tw with it
        raise TwError(
            f"{point.name} of {package} cannot be loaded: {error}",
            hint=f"Reinstall or remove {package}.",
        ) from error
    if not isinstance(found, kind):
        raise TwError(f"{point.value} of {package} is not a {kind.__name__}")
    return found
