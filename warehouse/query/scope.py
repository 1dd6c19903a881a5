"""Resolves and applies scopes: the runs, traces, ranks and time window that a query reads.

`resolve` converts a selection to ids. `apply` creates TEMP views that shadow every table whose rows
belong to a trace or run, so that plain SQL, library queries and exports read the same rows:

    chosen = resolve(connection, Selection(runs=("latest",), ranks=(0,)))
    apply(connection, chosen)

A time window is half-open, [from, to), in ns relative to the base of each trace (`trace.base_ns`),
like `slice.ts`. A slice is in scope, unclipped, if it intersects the window; an unfinished one
(dur -1) lasts to the end of its trace; a counter value lasts until the next. A link is in scope if
both its ends are. Causes, parents and states of what is in the window may lie outside of it: the
views named `whole_…` show the rows of all times, and `time_window` holds the window.

A trace of how graphs were captured (a source file of role `capture`) is not in scope beside the
traces that replay them, unless it is named: its time would count twice. Its operators are causes
of their work, so the views named `whole_…` show it.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING

from warehouse.errors import ScopeError
from warehouse.query import conditions, stored_tables
from warehouse.query.selection import Scope as Scope
from warehouse.query.selection import Selection
from warehouse.query.stored_tables import stored as stored
from warehouse.store import migrate, statements
from warehouse.times import parse_age, shown_time
from warehouse.wording import counted

if TYPE_CHECKING:
    import duckdb

_SHOWN = 3  # traces named in a message
_FOREVER = (1 << 63) - 1  # ns


@dataclass(frozen=True)
class _Run:
    id: int
    name: str
    last_import: datetime
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Trace:
    id: int
    run_id: int
    name: str
    rank: int | None
    damage: str | None
    is_capture: bool


@dataclass(frozen=True)
class _Catalogue:
    runs: list[_Run] = field(default_factory=list)  # last imported last
    traces: list[_Trace] = field(default_factory=list)


def resolve(connection: duckdb.DuckDBPyConnection, selection: Selection) -> Scope:
    """Resolves a selection; by default the only run, else the last imported.

    Raises ScopeError for an unknown name, an empty scope, or a time window that holds nothing.
    """
    _check_window(selection)
    catalogue = _read(connection)
    runs, notice = _choose_runs(catalogue, selection)
    found = _choose_traces(catalogue, runs, selection)
    traces = found if selection.traces or selection.with_captures else _without_captures(found)
    ids = {trace.id for trace in traces}
    captures = [trace for trace in _captures(catalogue, traces) if trace.id not in ids]
    if selection.traces or selection.ranks:
        ids_of_runs = {trace.run_id for trace in traces}
        runs = [run for run in runs if run.id in ids_of_runs]
    chosen = Scope(
        run_ids=tuple(sorted(run.id for run in runs)),
        trace_ids=tuple(sorted(ids)),
        run_names=tuple(run.name for run in sorted(runs, key=lambda run: run.id)),
        from_ns=selection.from_ns,
        to_ns=selection.to_ns,
        covers_all=not stored_tables.of_lake(connection)
        and len(runs) == len(catalogue.runs)
        and len(traces) == len(catalogue.traces)
        and selection.from_ns is None
        and selection.to_ns is None,
        capture_ids=tuple(sorted(trace.id for trace in captures)),
        notice=_joined(notice, _left_out([trace for trace in found if trace.id not in ids])),
        damage=_damage([(trace.name, trace.damage) for trace in [*traces, *captures]]),
    )
    if chosen.has_window:
        _check_content(connection, chosen)
    return chosen


def of_traces(
    connection: duckdb.DuckDBPyConnection,
    trace_ids: Iterable[int],
    from_ns: int | None = None,
    to_ns: int | None = None,
) -> Scope:
    """Returns the scope of the given traces, with the captures of their runs as causes."""
    ids = sorted(set(trace_ids))
    at = stored(connection)
    runs = connection.execute(
        f"SELECT DISTINCT r.id, r.name FROM {at}run AS r JOIN {at}trace AS t ON t.run_id = r.id "
        "WHERE t.id IN (SELECT unnest(?::BIGINT[])) ORDER BY r.id",
        [ids],
    ).fetchall()
    traces = connection.execute(
        f"SELECT name, damage FROM {at}trace WHERE id IN (SELECT unnest(?::BIGINT[])) ORDER BY id",
        [ids],
    ).fetchall()
    run_ids = tuple(run_id for run_id, _ in runs)
    names = tuple(name for _, name in runs)
    captures = connection.execute(
        f"SELECT id FROM {at}trace WHERE {conditions.among('run_id', run_ids)} AND id IN "
        f"({_captures_in(at)}) AND NOT {conditions.among('id', ids)} ORDER BY id"
    ).fetchall()
    return Scope(
        run_ids, tuple(ids), names, from_ns, to_ns,
        capture_ids=tuple(trace_id for (trace_id,) in captures), damage=_damage(traces),
    )  # fmt: skip


def measured(connection: duckdb.DuckDBPyConnection, trace_ids: Iterable[int]) -> set[int]:
    """Returns the given traces without captures of runs of which others are given."""
    given = set(trace_ids)
    traces = [trace for trace in _read(connection).traces if trace.id in given]
    return {trace.id for trace in _without_captures(traces)}


def _without_captures(traces: Sequence[_Trace]) -> list[_Trace]:
    """Leaves out captures of runs that have other traces."""
    measured = {trace.run_id for trace in traces if not trace.is_capture}
    return [trace for trace in traces if not (trace.is_capture and trace.run_id in measured)]


def _captures_in(at: str) -> str:
    return f"SELECT trace_id FROM {at}source_file WHERE role = 'capture'"


def _captures(catalogue: _Catalogue, traces: Sequence[_Trace]) -> list[_Trace]:
    """The captures of the runs of some traces."""
    runs = {trace.run_id for trace in traces}
    return [trace for trace in catalogue.traces if trace.is_capture and trace.run_id in runs]


def _left_out(captures: Sequence[_Trace]) -> str | None:
    if not captures:
        return None
    names = ", ".join(trace.name for trace in captures[:_SHOWN])
    more = ", ..." if len(captures) > _SHOWN else ""
    return (
        f"{counted(len(captures), 'recording')} of captured graphs left out ({names}{more}); "
        "--trace NAME to read one"
    )


def _joined(*notices: str | None) -> str | None:
    return "; ".join(each for each in notices if each) or None


def _damage(traces: Sequence[tuple[str, str | None]]) -> str | None:
    """A sentence without full stop that names the damaged ones of traces, with their losses."""
    damaged = [f"{name} ({lost})" for name, lost in traces if lost]
    if not damaged:
        return None
    shown = ", ".join(damaged[:_SHOWN])
    more = f" and {len(damaged) - _SHOWN} more" if len(damaged) > _SHOWN else ""
    return f"{len(damaged)} of {counted(len(traces), 'trace')} damaged: {shown}{more}"


def _check_window(selection: Selection) -> None:
    start, end = selection.from_ns, selection.to_ns
    if start is not None and end is not None and end <= start:
        raise ScopeError(
            f"the time window is empty: it ends at {end} ns and starts at {start} ns",
            hint="--to must be later than --from.",
        )


def _check_content(connection: duckdb.DuckDBPyConnection, scope: Scope) -> None:
    """Raises ScopeError if the traces have a timeline, and nothing of it is in the time window."""
    at, traces = stored(connection), conditions.among("id", scope.trace_ids)
    start, end, is_inside = connection.execute(
        "SELECT min(start_ts), max(end_ts), bool_or(end_ts >= $start AND start_ts < $stop) "
        f"FROM {at}trace WHERE {traces}",
        {"start": _or(scope.from_ns, -_FOREVER), "stop": _or(scope.to_ns, _FOREVER)},
    ).fetchall()[0]
    if start is None or (is_inside and _holds_rows(connection, scope, at)):
        return
    window = f"from {_shown(scope.from_ns, 'the start')} to {_shown(scope.to_ns, 'the end')}"
    names = ", ".join(map(repr, scope.run_names[:3]))
    more = ", ..." if len(scope.run_names) > 3 else ""
    raise ScopeError(
        f"the time window {window} holds nothing: {names}{more} spans {shown_time(start)} to "
        f"{shown_time(end)}",
        hint="--from and --to count from the start of each trace.",
    )


def _holds_rows(connection: duckdb.DuckDBPyConnection, scope: Scope, at: str) -> bool:
    among, before = conditions.among("trace_id", scope.trace_ids), _or(scope.to_ns, _FOREVER)
    meets = conditions.in_window(scope, has_length=True)
    ((found,),) = connection.execute(
        f"SELECT EXISTS (FROM {at}slice WHERE {among} AND {meets}) "
        f"OR EXISTS (FROM {at}counter WHERE {among} AND ts < {before})"
    ).fetchall()
    return bool(found)


def _or(ns: int | None, default: int) -> int:
    return default if ns is None else ns


def _shown(ns: int | None, default: str) -> str:
    return default if ns is None else shown_time(ns)


def _read(connection: duckdb.DuckDBPyConnection) -> _Catalogue:
    # Stored tables: an earlier scope may shadow them on this connection.
    at = stored(connection)
    runs = connection.execute(f"""
        SELECT
          r.id,
          r.name,
          greatest(r.created_at, coalesce(max(t.imported_at), r.created_at)),
          (SELECT list(g.name) FROM {at}tag AS g WHERE g.run_id = r.id)
        FROM {at}run AS r
        LEFT JOIN {at}trace AS t ON t.run_id = r.id
        GROUP BY r.id, r.name, r.kind, r.created_at
        ORDER BY r.kind <> 'predicted', 3, max(t.id) NULLS FIRST, r.id
    """).fetchall()
    traces = connection.execute(
        f"SELECT id, run_id, name, rank, damage, id IN ({_captures_in(at)}) "
        f"FROM {at}trace ORDER BY id"
    ).fetchall()
    return _Catalogue(
        [_Run(run_id, name, when, tuple(tags or ())) for run_id, name, when, tags in runs],
        [_Trace(*row) for row in traces],
    )


def _choose_runs(catalogue: _Catalogue, selection: Selection) -> tuple[list[_Run], str | None]:
    if selection.runs:
        chosen: dict[int, _Run] = {}
        for text in selection.runs:
            chosen.update({run.id: run for run in _find_runs(catalogue, text)})
        return list(chosen.values()), None
    if selection.traces:
        return _runs_of_traces(catalogue, selection.traces), None
    if len(catalogue.runs) <= 1:
        return list(catalogue.runs), None
    last = catalogue.runs[-1]
    return [last], (
        f"run {last.name!r}, the last imported of {len(catalogue.runs)}; "
        "--run NAME for another, --run all for every run"
    )


def _find_runs(catalogue: _Catalogue, text: str) -> list[_Run]:
    if text == "all":
        return catalogue.runs
    if text == "latest":
        if not catalogue.runs:
            raise ScopeError(
                "the warehouse has no runs", hint="Import traces with `tw import PATH`."
            )
        return catalogue.runs[-1:]
    if text.startswith("tag:"):
        return _runs_tagged(catalogue, text[4:])
    if text.startswith("since:"):
        return _runs_since(catalogue, text[6:])
    named = [run for run in catalogue.runs if run.name == text]
    named = named or [run for run in catalogue.runs if str(run.id) == text]
    if not named:
        raise _unknown("run", text, [run.name for run in catalogue.runs])
    return named


def _runs_tagged(catalogue: _Catalogue, tag: str) -> list[_Run]:
    found = [run for run in catalogue.runs if tag in run.tags]
    if not found:
        raise _unknown("tag", tag, sorted({tag for run in catalogue.runs for tag in run.tags}))
    return found


def _runs_since(catalogue: _Catalogue, text: str) -> list[_Run]:
    earliest = datetime.now(UTC).replace(tzinfo=None) - parse_age(text)
    found = [run for run in catalogue.runs if run.last_import >= earliest]
    if not found:
        raise ScopeError(f"no run was imported in the last {text}")
    return found


def _runs_of_traces(catalogue: _Catalogue, requested: Sequence[str]) -> list[_Run]:
    """Returns the run of the named traces; raises ScopeError if several runs have them."""
    owners = {t.run_id for text in requested for t in _find_traces(catalogue.traces, text)}
    runs = [run for run in catalogue.runs if run.id in owners]
    ids = {str(trace.id) for trace in catalogue.traces}
    if len(runs) > 1 and not all(text in ids for text in requested):
        names = ", ".join(repr(run.name) for run in runs[:5])
        raise ScopeError(
            f"several runs have a trace of that name: {names}", hint="Choose one with --run NAME."
        )
    return runs


def _choose_traces(
    catalogue: _Catalogue, runs: Sequence[_Run], selection: Selection
) -> list[_Trace]:
    in_runs = {run.id for run in runs}
    traces = [trace for trace in catalogue.traces if trace.run_id in in_runs]
    if selection.traces:
        named = {t.id for text in selection.traces for t in _find_traces(traces, text)}
        traces = [trace for trace in traces if trace.id in named]
    if selection.ranks:
        requested = set(selection.ranks)
        known = {trace.rank for trace in traces if trace.rank is not None}
        missing = sorted(requested - known)
        if missing:
            raise ScopeError(
                f"rank {missing[0]} not found in the selected runs",
                hint=f"Available ranks: {_ranges(sorted(known))}."
                if known
                else "Their traces have no ranks.",
            )
        traces = [trace for trace in traces if trace.rank in requested]
    return traces


def _find_traces(traces: Sequence[_Trace], text: str) -> list[_Trace]:
    found = [trace for trace in traces if trace.name == text]
    found = found or [trace for trace in traces if str(trace.id) == text]
    if not found:
        raise _unknown("trace", text, [trace.name for trace in traces])
    return found


def _unknown(kind: str, text: str, names: Sequence[str]) -> ScopeError:
    near = difflib.get_close_matches(text, names, n=1)
    if near:
        hint = f"Did you mean {near[0]!r}?"
    elif names:
        hint = f"Available: {', '.join(names[:8])}{', ...' if len(names) > 8 else ''}."
    else:
        hint = f"The warehouse has no {kind}s."
    return ScopeError(f"{kind} {text!r} not found", hint=hint)


def _ranges(numbers: Sequence[int]) -> str:
    """Formats [0, 1, 2, 5] as `0-2, 5`."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and number == spans[-1][1] + 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in spans)


def apply(connection: duckdb.DuckDBPyConnection, scope: Scope) -> None:
    """Restricts the connection to the scope's rows, replacing an earlier scope.

    Tables without trace or run (schema history, schedules) are not restricted, nor are those
    without rows.
    """
    if scope.covers_all:
        _drop_shadows(connection)
        return
    at = stored(connection)
    tables, of_lake = stored_tables.columns(connection), stored_tables.of_lake(connection)
    filled = stored_tables.filled(connection, of_lake)
    found = {name: conditions.of_table(name, tables[name], scope, at) for name in filled}
    shown = {name: each or "true" for name, each in found.items() if each or name in of_lake}
    views = _schema_views()
    _drop_shadows(connection, but={*shown, *_VIEW.findall(views)})
    for name, condition in shown.items():
        statements.execute(
            connection, f'{_TEMP_VIEW} "{name}" AS SELECT * FROM {at}"{name}" WHERE {condition}'
        )
    # Stored views read stored tables; recreated as TEMP views they read the shadowing views.
    statements.execute(connection, views)
    if scope.has_window or scope.capture_ids:
        _open_window(connection, scope, tables)


def _schema_views() -> str:
    """The views of the schema, as TEMP views."""
    found = {each.name: each.sql for each in migrate.migrations() if each.version is None}
    return found["views"].replace("CREATE OR REPLACE VIEW", _TEMP_VIEW)


def _open_window(
    connection: duckdb.DuckDBPyConnection, scope: Scope, tables: dict[str, frozenset[str]]
) -> None:
    """Creates the views that show the window, and the rows at all times, also of captures."""
    at = stored(connection)
    ids = tuple(sorted({*scope.trace_ids, *scope.capture_ids}))
    anytime = replace(scope, trace_ids=ids, from_ns=None, to_ns=None)
    start, stop = _or(scope.from_ns, -_FOREVER), _or(scope.to_ns, _FOREVER)
    views = [f"{_TEMP_VIEW} time_window AS SELECT {start} AS from_ns, {stop} AS to_ns"]
    for name, shown in _whole_tables().items():
        condition = conditions.of_table(name, tables[name], anytime, at)
        views.append(
            f"{_TEMP_VIEW} whole_{name} AS "
            f'SELECT {", ".join(shown)} FROM {at}"{name}" WHERE {condition}'
        )
    statements.execute(connection, ";\n".join(views))


@cache
def _whole_tables() -> dict[str, list[str]]:
    """The tables that the views whole_… of the schema show at all times, and the columns shown."""
    found: dict[str, list[str]] = {}
    for migration in migrate.migrations():
        for kind, name, _ in migrate.comments(migration.sql):
            if kind == "COLUMN" and name.startswith("whole_"):
                view, column = name.split(".")
                found.setdefault(view.removeprefix("whole_"), []).append(column)
    return found


def rows_of(connection: duckdb.DuckDBPyConnection, scope: Scope, table: str) -> str:
    """Returns the SELECT of a stored table's rows in scope."""
    at = stored(connection)
    condition = (
        None
        if scope.covers_all
        else conditions.of_table(table, stored_tables.columns(connection)[table], scope, at)
    )
    select = f'SELECT * FROM {at}"{table}"'
    return select if condition is None else f"{select} WHERE {condition}"


def _drop_shadows(connection: duckdb.DuckDBPyConnection, but: Container[str] = frozenset()) -> None:
    """Drops the TEMP views that shadow tables and views of the schema, but those to be replaced."""
    shadows = connection.execute("""
        SELECT view_name FROM duckdb_views() WHERE database_name = 'temp' AND view_name IN (
          SELECT table_name FROM duckdb_tables() WHERE database_name = current_database()
          UNION ALL
          SELECT view_name FROM duckdb_views() WHERE database_name = current_database()
        )
    """).fetchall()
    for (name,) in shadows:
        if name not in but:
            statements.execute(connection, f'DROP VIEW temp.main."{name}"')


_TEMP_VIEW = "CREATE OR REPLACE TEMP VIEW"
_VIEW = re.compile(rf"^{_TEMP_VIEW} (\w+) AS", re.MULTILINE)
