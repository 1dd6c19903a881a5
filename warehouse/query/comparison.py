"""Resolves the scope of a comparison: the traces that its two sides name.

A query whose parameters have the unit `side` reads the traces they name, so that
`tw query compare_kernels -p a=before -p b=after` needs no --run. The library query `compare_side`
resolves the names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from warehouse.errors import ScopeError
from warehouse.query import scope
from warehouse.query.selection import Selection

if TYPE_CHECKING:
    import duckdb

    from warehouse.library.library import Library, Query

UNIT = "side"
_MOST_NAMES = 8  # in a hint


def named(query: Query, values: Mapping[str, object]) -> dict[str, str]:
    """Returns the names of the sides, by parameter."""
    return {
        parameter.name: str(values[parameter.name])
        for parameter in query.parameters
        if parameter.unit == UNIT and values.get(parameter.name) is not None
    }


def widened(
    connection: duckdb.DuckDBPyConnection,
    library: Library,
    texts: Mapping[str, str],
    selection: Selection,
) -> scope.Scope:
    """Returns the scope of a comparison: the traces of its sides, limited by the selection.

    Applies the widest scope, to read the names; the caller applies the result. Raises ScopeError
    for a side without a trace.
    """

    from warehouse.query import execute

    everything = scope.resolve(connection, Selection(runs=("all",), with_captures=True))
    scope.apply(connection, everything)
    wide = selection if selection.runs or selection.traces else _all_runs(selection)
    allowed = scope.resolve(connection, replace(wide, with_captures=True))
    chosen: set[int] = set()
    rows = execute.run(
        connection,
        library.find("compare_side"),
        {"a": next(iter(texts.values())), "b": list(texts.values())[-1]},
        library=library,
    ).rows()
    for place, (name, text) in enumerate(texts.items()):
        found = {trace_id for side, trace_id in rows if side == "ab"[min(place, 1)]}
        if not found:
            raise _unknown(connection, name, text)
        if not found & set(allowed.trace_ids):
            raise ScopeError(
                f"side {name}, {text!r}, has no trace in scope",
                hint="Omit --run and --trace, or select both sides with them.",
            )
        chosen |= scope.measured(connection, found & set(allowed.trace_ids))
    return scope.of_traces(connection, chosen, allowed.from_ns, allowed.to_ns)


def _all_runs(selection: Selection) -> Selection:
    return replace(selection, runs=("all",))


def _unknown(connection: duckdb.DuckDBPyConnection, name: str, text: str) -> ScopeError:
    runs = [run for (run,) in connection.execute("SELECT name FROM run ORDER BY id").fetchall()]
    known = f"Runs: {_few(runs)}. " if runs else ""
    traces = connection.execute(
        "SELECT t.name FROM trace AS t JOIN run AS r ON r.id = t.run_id WHERE r.name = ? "
        "ORDER BY t.rank, t.id",
        [text.rpartition("/")[0]],
    ).fetchall()
    if traces:
        known = f"Traces of {text.rpartition('/')[0]}: {_few([trace for (trace,) in traces])}. "
    return ScopeError(
        f"side {name}: no run, trace or tag is named {text!r}",
        hint=known + "Use the name or ID of a run, RUN/TRACE, tag:NAME or latest.",
    )


def _few(names: Sequence[str]) -> str:
    return ", ".join([*names[:_MOST_NAMES], *(["..."] if len(names) > _MOST_NAMES else [])])
