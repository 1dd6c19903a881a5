"""The modules of trace_processor that scripts can include: `INCLUDE PERFETTO MODULE`.

What they define is written in `modules/`, as PerfettoSQL; intersections are built in.
"""

from __future__ import annotations

from functools import cache
from importlib import resources

from warehouse.dialect import catalogue, intervals
from warehouse.dialect.macros import Macros, items

_INTERSECT = "intervals.intersect"


def names() -> list[str]:
    """Returns the names of all modules."""
    return sorted([*catalogue.BUILT_IN, *_texts(), _INTERSECT])


def text(name: str) -> str:
    """Returns what a module defines as a script; empty if there is nothing to define."""
    return _texts().get(name, "")


def provide(name: str, macros: Macros) -> None:
    """Adds the macros of a module that are not written as a script."""
    if name == _INTERSECT:
        macros.provide("_interval_intersect", _intersect)
        macros.provide("_interval_intersect_single", _intersect_single)


@cache
def _texts() -> dict[str, str]:
    folder = resources.files("warehouse.dialect").joinpath("modules")
    return {
        file.name.removesuffix(".sql"): file.read_text("utf-8")
        for file in folder.iterdir()
        if file.name.endswith(".sql")
    }


def _intersect(arguments: list[str]) -> str:
    """_interval_intersect!((table, …), (column, …))"""
    if len(arguments) != 2 or not all(each.startswith("(") for each in arguments):
        raise ValueError("it takes a list of tables and a list of columns")
    tables, columns = map(items, arguments)
    if not tables:
        raise ValueError("it takes at least one table")
    return intervals.intersect(tables, columns)


def _intersect_single(arguments: list[str]) -> str:
    """_interval_intersect_single!(ts, dur, table)"""
    if len(arguments) != 3:
        raise ValueError("it takes ts, dur and a table")
    ts, dur, table = arguments
    both = intervals.intersect([table, f"(SELECT 0 AS id, {ts} AS ts, {dur} AS dur)"], [])
    return f"(SELECT id_0 AS id, ts, dur FROM {both})"
