"""Runs the example of each query on the reference tables."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from warehouse.query import reference, row_digests

if TYPE_CHECKING:
    from warehouse.library.library import Library, Query
    from warehouse.query.row_digests import Call

_SHOWN = 5


@dataclass(frozen=True)
class Example:
    """A command, and the first rows it prints."""

    command: str
    set: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    n_rows: int


def run(queries: Library, chosen: Iterable[Query]) -> dict[str, Example]:
    """The example of each query, by name; queries without reference rows have none."""
    due: dict[str, Call] = {}
    recorded = {call: rows for call, rows in row_digests.read().items() if rows.n_rows}
    for call in sorted(recorded, key=_is_made_up):
        due.setdefault(call.query, call)
    found = {}
    calls = [due[str(query.key)] for query in chosen if str(query.key) in due]
    needed = None if any(call.set == reference.ALL for call in calls) else {c.set for c in calls}
    with reference.opened(queries, only=needed) as opened:
        chosen_set = None
        for call in sorted(calls, key=lambda each: each.set):
            if call.set != chosen_set:
                reference.choose(opened, call.set)
                chosen_set = call.set
            parameters = json.loads(call.parameters)
            table = opened.run(queries.queries[call.query], parameters).table()
            name = call.query.partition("@")[0]
            found[name] = Example(
                _command(name, parameters),
                call.set,
                tuple(table.column_names),
                tuple(tuple(row.values()) for row in table.slice(0, _SHOWN).to_pylist()),
                table.num_rows,
            )
    return found


def _is_made_up(call: Call) -> bool:
    """Whether its set has the inputs of test cases instead of a recording."""
    return call.set.startswith("cases")


def _command(name: str, parameters: dict[str, Any]) -> str:
    values = "".join(f" -p {key}={_text(value)}" for key, value in parameters.items())
    return f"tw query {name}{values}"


def _text(value: object) -> str:
    if isinstance(value, list):
        return ",".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
