"""What installed packages add to the program, by entry point.

| group | value |
|---|---|
| `trace_warehouse.importers` | an importer (`warehouse.ingest.importer`) |
| `trace_warehouse.exports` | an exporter (`warehouse.export.exporter`) |
| `trace_warehouse.commands` | a click command: `NAME`, `export.NAME` or `record.NAME` |
| `trace_warehouse.import_flags` | an option of `tw import` (`warehouse.cli.import_flags`) |
| `trace_warehouse.presentations` | how a format is shown (`warehouse.export.presentation`) |
| `trace_warehouse.queries` | a folder of queries |
| `trace_warehouse.engines` | a simulation for replays (`warehouse.replay.engines`) |
| `trace_warehouse.strategies` | a search for a faster run (`warehouse.optimize.search`) |
| `trace_warehouse.model_files` | measurements that models are fitted to (`warehouse.model.files`) |
| `trace_warehouse.strategy_files` | files of what it recommends (`warehouse.optimize.strategy`) |
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import Distribution, EntryPoint, entry_points
from typing import TypeVar

from warehouse.errors import TwError

Kind = TypeVar("Kind")
_OWN = "trace-warehouse"


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

    Raises TwError naming the package when it cannot be imported or is of another type. Of several
    packages that register the name, tw's own comes first.
    """
    points = [point for point in registered(group) if point.name == name]
    if not points:
        return None
    point = points[0] if len(points) == 1 else min(points, key=is_foreign)
    found = imported(point)
    if not isinstance(found, kind):
        raise TwError(f"{point.value} of {package(point)} is not a {kind.__name__}")
    return found


def imported(point: EntryPoint, distribution: str | None = None) -> object:
    """Imports what is registered; raises TwError naming the package when that fails."""
    try:
        return point.load()
    except (Exception, SystemExit) as error:  # a plug-in may fail in any way
        reason = next(iter(str(error).splitlines()), "") or type(error).__name__
        owner = distribution or package(point)
        raise TwError(
            f"{point.name} of {owner} cannot be loaded: {reason}",
            hint=f"Reinstall or remove {owner}.",
        ) from error


def package(point: EntryPoint) -> str:
    """Returns the name of the package that registers an entry point."""
    return _name(point.dist) if point.dist else point.module


@cache
def _name(distribution: Distribution) -> str:
    return distribution.name  # parsed each time


def is_foreign(point: EntryPoint) -> bool:
    """Whether an entry point is of another package than tw itself."""
    return package(point) != _OWN
