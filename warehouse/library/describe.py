"""Describes queries and tables as lines of text, for help on a terminal; it prints nothing."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING

from warehouse.library import aliases
from warehouse.library.search import HELPERS

if TYPE_CHECKING:
    import duckdb

    from warehouse.library.header import Header
    from warehouse.library.library import Library, Query
    from warehouse.library.parameter import Parameter


def query(found: Query) -> list[str]:
    """Title, parameters, columns with their units, what it calls, and its changes."""
    header = found.header
    assert header is not None
    lines = [f"{header.key}: {header.title}", ""]
    lines += [*header.help.splitlines(), ""] if header.help else []
    if header.parameters:
        lines += ["Parameters:", *indented([_parameter(each) for each in header.parameters]), ""]
    columns = [
        [column.name, column.type, column.unit or "", column.help] for column in header.columns
    ]
    lines += ["Columns:", *indented(columns), "", *_facts(found, header)]
    lines += [f"Contract: {found.digest.partition('=')[2]}", "", "Changes:"]
    return lines + [
        f"  {version}  {text}" for version, text in sorted(header.changes.items(), reverse=True)
    ]


_ON_SPARK = {
    "trace": "each trace is a task (scale trace)",
    "run": "each run is a task (scale run)",
    "sql": "translated to Spark's SQL (scale sql)",
    "once": "for other queries, computed before the tasks (scale once)",
    "": "no",
}


def _facts(found: Query, header: Header) -> list[str]:
    calls = [f"Calls: {', '.join(header.requires_queries)}"] if header.requires_queries else []
    alias = [f"Deprecated alias of: {aliases.replacement(header)}"] if header.alias_of else []
    return [
        *alias,
        f"One row for each: {', '.join(header.grain)}",
        *calls,
        f"On Spark: {_ON_SPARK[header.scale]}",
        f"File: {found.path}",
    ]


def _parameter(parameter: Parameter) -> list[str]:
    default = f"default {parameter.sql_default}" if parameter.has_default else "required"
    return [parameter.name, parameter.type, parameter.unit or "", f"{parameter.help} ({default})"]


def heading(found: Query) -> list[str]:
    """Name with version, and title."""
    assert found.header is not None
    return [str(found.key), _title(found.header)]


def library(queries: Library, pattern: str = "") -> list[str]:
    """A line for each query whose name contains the pattern: newest version and title."""
    rows = [
        [str(each.key), _title(each.header)]
        for name, each in queries.newest.items()
        if each.header is not None and pattern.lower() in name
    ]
    return aligned(rows)


@dataclass(frozen=True)
class Entry:
    """A query in a list."""

    name: str
    version: int
    group: str  # the folder of its file
    title: str
    scale: str  # unit of Spark's tasks: trace, run, sql or once; "": not run on Spark
    alias_of: str | None  # of a deprecated name: what to write instead


def entries(queries: Library, group: str | None = None, *, helpers: bool = True) -> list[Entry]:
    """The newest version of each query of a group, or of all, by name.

    Without `helpers` and a group, queries that other queries and commands run are left out.
    """
    left_out = HELPERS if group is None and not helpers else frozenset()
    return [
        Entry(
            name,
            each.header.version,
            each.layer,
            each.header.title,
            each.header.scale,
            aliases.replacement(each.header) if each.header.alias_of else None,
        )
        for name, each in queries.newest.items()
        if each.header is not None and group in (None, each.layer) and each.layer not in left_out
    ]


def formatted(found: Sequence[Entry], format: str) -> str:
    """Entries as table, csv or json."""
    if format == "json":
        return json.dumps([asdict(each) for each in found], indent=2, ensure_ascii=False)
    if format == "csv":
        text = io.StringIO()
        writer = csv.DictWriter(text, [each.name for each in fields(Entry)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(each) for each in found)
        return text.getvalue().rstrip("\n")
    return "\n".join(_grouped(found))


def _grouped(found: Sequence[Entry]) -> Iterator[str]:
    """A line for each entry under the name of its group."""
    rows = aligned([_named(each) for each in found])
    groups: dict[str, list[str]] = {}
    for each, row in zip(found, rows, strict=True):
        group = "other" if each.group.endswith(".sql") else each.group  # beside all folders
        groups.setdefault(group, []).append(row)
    for number, (group, lines) in enumerate(sorted(groups.items())):
        yield from [""] if number else []
        yield f"{group}:"
        yield from (f"  {line}" for line in lines)


def _named(entry: Entry) -> list[str]:
    title = f"alias of {entry.alias_of}" if entry.alias_of else entry.title
    return [f"{entry.name}@{entry.version}", entry.scale or "-", title]


def _title(header: Header) -> str:
    return f"alias of {aliases.replacement(header)}" if header.alias_of else header.title


def tables(connection: duckdb.DuckDBPyConnection, pattern: str = "") -> list[str]:
    """A line for each table or view whose name contains the pattern."""
    from warehouse.store import catalog

    found = [each for each in catalog.tables(connection) if pattern.lower() in each.name]
    return aligned([[each.name, each.comment] for each in found])


def table(connection: duckdb.DuckDBPyConnection, name: str) -> list[str]:
    """The description and columns of a table; raises UsageError naming the nearest."""
    from warehouse.store import catalog

    found = catalog.find(catalog.tables(connection), name)
    columns = catalog.columns(connection, found.name)
    rows = [[each.name, each.type, each.unit, each.meaning] for each in columns]
    return [f"{found.name} ({found.kind}): {found.comment}", "", *aligned(rows)]


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns side by side; the last one as long as it is."""
    if not rows:
        return []
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]) - 1)]
    return [
        "  ".join(
            [*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]]
        ).rstrip()
        for row in rows
    ]


def indented(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines like those of `aligned`, indented by two spaces."""
    return [f"  {line}" for line in aligned(rows)]


def size(n_bytes: int) -> str:
    """1536 as "1.5 KiB"."""
    number, unit = float(n_bytes), "B"
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if number < 1024 or unit == "TiB":
            break
        number /= 1024
    return f"{number:.0f} {unit}" if unit == "B" else f"{number:.1f} {unit}"
