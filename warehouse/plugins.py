"""What installed packages add to the program: importers and folders of queries, by entry point."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points


@cache
def registered(group: str) -> tuple[EntryPoint, ...]:
    """The entry points of a group, in no order; none is imported.

    Read once a process: the metadata of every installed package is parsed for it, and packages do
    not change while the program runs.
    """
    return tuple(entry_points(group=group))
