"""Conditions of the rows of a table that are in a scope: its runs, traces and time window."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from warehouse.query.selection import Scope


def of_table(name: str, columns: frozenset[str], scope: Scope, at: str) -> str | None:
    """Returns the filter of a table's view; None for a table without trace or run."""
    if name in _SPECIAL:
        return _SPECIAL[name](scope, at)
    if "trace_id" not in columns:
        return among("run_id", scope.run_ids) if "run_id" in columns else None
    conditions = [among("trace_id", scope.trace_ids)]
    if "ts" in columns:
        conditions.append(in_window(scope, has_length="dur" in columns))
    return _all(conditions)


def in_window(scope: Scope, *, has_length: bool) -> str:
    """Returns the condition of times, or of intervals, that intersect the window."""
    conditions = []
    if scope.to_ns is not None:
        conditions.append(f"ts < {scope.to_ns}")
    if scope.from_ns is not None:
        start = f"ts >= {scope.from_ns}"
        if has_length:
            start = f"({start} OR ts + dur > {scope.from_ns} OR dur = -1)"
        conditions.append(start)
    return _all(conditions)


def _counter(scope: Scope, at: str) -> str:
    """Includes the counter value in effect when the window starts."""
    traces = among("trace_id", scope.trace_ids)
    if scope.from_ns is None:
        return _all([traces, in_window(scope, has_length=False)])
    before = f"SELECT track_id, max(ts) FROM {at}counter WHERE {traces} AND ts <= {scope.from_ns}"
    end = f"ts < {scope.to_ns}" if scope.to_ns is not None else "true"
    return (
        f"{traces} AND {end} "
        f"AND (ts >= {scope.from_ns} OR (track_id, ts) IN ({before} GROUP BY track_id))"
    )


def _link(scope: Scope, at: str) -> str:
    inside = among("trace_id", scope.trace_ids)
    ends = [among(f"({end} >> 32)", scope.trace_ids) for end in ("from_id", "to_id")]
    between = _all(["trace_id IS NULL", among("run_id", scope.run_ids), *ends])
    condition = f"({inside} OR ({between}))"
    if scope.trace_ids:  # DuckDB prunes by alternatives of a single column only
        first, last = min(scope.trace_ids), max(scope.trace_ids)
        ranges = (
            f"(trace_id {each} OR trace_id IS NULL)" for each in (f">= {first}", f"<= {last}")
        )
        condition = _all([*ranges, condition])
    if not scope.has_window:
        return condition
    seen = _seen_slices(scope, at)
    return f"{condition} AND from_id IN ({seen}) AND to_id IN ({seen})"


def _metric(scope: Scope, at: str) -> str:
    condition = among("trace_id", scope.trace_ids)
    if scope.has_window:
        condition += f" AND (slice_id IS NULL OR slice_id IN ({_seen_slices(scope, at)}))"
    return condition


def _recorded_event(scope: Scope, at: str) -> str:
    """Includes all records of a slice in scope: its begin and end, and work recorded later."""
    condition = among("trace_id", scope.trace_ids)
    if not scope.has_window:
        return condition
    is_inside = in_window(scope, has_length=False)
    return f"{condition} AND ({is_inside} OR slice_id IN ({_seen_slices(scope, at)}))"


def _source_event(scope: Scope, at: str) -> str:
    """Keeps records whose slice or flow point is in scope, and records without one."""
    traces = among("trace_id", scope.trace_ids)
    if not scope.has_window:
        return traces
    points = (
        f"SELECT id FROM {at}flow_point WHERE {traces} AND {in_window(scope, has_length=False)}"
    )
    return (
        f"{traces} AND (slice_id IS NULL OR slice_id IN ({_seen_slices(scope, at)})) "
        f"AND (flow_point_id IS NULL OR flow_point_id IN ({points}))"
    )


def _seen_slices(scope: Scope, at: str) -> str:
    window = in_window(scope, has_length=True)
    return f"SELECT id FROM {at}slice WHERE {among('trace_id', scope.trace_ids)} AND {window}"


_SPECIAL: dict[str, Callable[[Scope, str], str]] = {
    "run": lambda scope, at: among("id", scope.run_ids),
    "trace": lambda scope, at: among("id", scope.trace_ids),
    "counter": _counter,
    "link": _link,
    "metric": _metric,
    "recorded_event": _recorded_event,
    "source_event": _source_event,
}


def among(column: str, ids: Sequence[int]) -> str:
    """Returns a condition that DuckDB can prune by: a range if ids have no gaps, else a list."""
    if not ids:
        return "false"
    if len(ids) > 2 and ids[-1] - ids[0] == len(ids) - 1:
        return f"{column} BETWEEN {ids[0]} AND {ids[-1]}"
    return f"{column} IN ({', '.join(map(str, ids))})"


def _all(conditions: Iterable[str]) -> str:
    kept = [condition for condition in conditions if condition != "true"]
    return " AND ".join(kept) if kept else "true"
