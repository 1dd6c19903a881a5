"""Tracks of queries: rows with a start and a duration as slices, a column as a counter.

Rows of different devices and streams are on tracks of their own. Times are those of slice.ts, in
ns: column `ts`, `start_ns` or `bucket_start_ns`, with `dur`, `dur_ns` or `end_ns`. A slice is named
by the column `name`, else by the first text; other columns are arguments. A counter of buckets is
0 where there is no row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from warehouse.errors import UsageError
from warehouse.export.perfetto import load

if TYPE_CHECKING:
    import duckdb

    from warehouse.library.header import Column
    from warehouse.library.library import Query
    from warehouse.query.session import Session

#: Counters that `--counters` adds, where they have rows.
COUNTERS: Final = (
    "utilization_over_time:utilization",
    "queue_length_over_time:mean_queue_length",
    "memory_timeline:allocated_bytes",
    "memory_timeline:reserved_bytes",
    "memcpy_bandwidth_over_time:bandwidth_gb_per_s",
    "exposed_communication_over_time:exposed_share",
)
_STARTS: Final = ("ts", "start_ns", "bucket_start_ns")
_PLACES: Final = {"device_kind": "", "device_ordinal": "", "device": "device ",
                  "stream": "stream ", "kind": "", "direction": ""}  # fmt: skip
_NUMBERS: Final = ("BIGINT", "DOUBLE", "INTEGER", "HUGEINT", "UBIGINT")


@dataclass(frozen=True)
class QueryTrack:
    """The rows of a query, to be drawn."""

    query: str
    column: str | None  # of the counter; None: slices
    unit: str | None
    rows: Any  # pyarrow.Table
    expressions: dict[str, str]  # SQL for what query_tracks.sql reads, over the rows


def read(opened: Session, tracks: Iterable[str], parameters: Mapping[str, str]) -> list[QueryTrack]:
    """Runs queries given as `QUERY` or `QUERY:COLUMN`; each gets the parameters that it declares.

    Raises UsageError if one is not known or cannot be drawn, or if none has a parameter.
    """
    found: list[QueryTrack] = []
    used: set[str] = set()
    for text in tracks:
        name, _, column = text.partition(":")
        query = opened.queries.find(name)
        mine = {p.name: parameters[p.name] for p in query.parameters if p.name in parameters}
        used |= mine.keys()
        found.append(_track(opened, query, column or None, mine))
    for name in parameters.keys() - used:
        raise UsageError(f"no query that is drawn has a parameter {name}")
    return found


def _track(
    opened: Session, query: Query, column: str | None, parameters: Mapping[str, str]
) -> QueryTrack:
    assert query.header is not None  # of the library
    name, columns = query.header.name, {each.name: each for each in query.header.columns}
    start = next((each for each in _STARTS if each in columns), None)
    if start is None:
        raise UsageError(
            f"{name} cannot be drawn: no column is a time of its rows",
            hint=f"A query that can has a column {', '.join(_STARTS[:-1])} or {_STARTS[-1]}.",
        )
    if column is not None and (column not in columns or columns[column].type not in _NUMBERS):
        numbers = [each.name for each in columns.values() if _is_value(each)]
        raise UsageError(
            f"{name} has no number {column!r} to draw", hint=f"It has {', '.join(numbers)}."
        )
    expressions = _expressions(name, columns, start, column)
    result = opened.run(query, parameters)
    width = result.parameters.get("bucket_ns") if start == "bucket_start_ns" else None
    if width is not None and "bucket_ns" not in columns:
        expressions["width_ns"] = str(int(str(width)))
    unit = columns[column].unit if column else None
    return QueryTrack(name, column, unit, result.table(), expressions)


def _is_value(column: Column) -> bool:
    """Whether a counter of the column makes sense: a number that is no id."""
    return column.type in _NUMBERS and not (column.unit or "").startswith("ref ")


def _expressions(
    query: str, columns: Mapping[str, Column], start: str, column: str | None
) -> dict[str, str]:
    def or_null(name: str) -> str:
        return f'"{name}"' if name in columns else "NULL"

    places = [f"'{word}' || \"{name}\"" for name, word in _PLACES.items() if name in columns]
    title = f"{query} {column}" if column else query
    found = {
        "label": f"concat_ws(' ', {', '.join([_literal(title), *places])})",
        "trace": '"trace_id"'
        if "trace_id" in columns
        else "(SELECT min(trace_id) FROM export_trace)",
        "device": or_null("device_id"),
        "track": or_null("track_id"),
        "start": f'"{start}"',
        "width_ns": or_null("bucket_ns"),
        "value": or_null(column) if column else "NULL",
    }
    return found if column else found | _slice_expressions(query, columns, start)


def _slice_expressions(query: str, columns: Mapping[str, Column], start: str) -> dict[str, str]:
    if dur := next((name for name in ("dur", "dur_ns") if name in columns), None):
        length = f'"{dur}"'
    elif "end_ns" in columns:
        dur, length = "end_ns", f'"end_ns" - "{start}"'
    else:
        numbers = [each.name for each in columns.values() if _is_value(each)]
        example = numbers[-1] if numbers else "COLUMN"
        raise UsageError(
            f"rows of {query} have no duration, to be drawn as slices",
            hint=f"Draw a column of it as a counter: --track {query}:{example}.",
        )
    texts = [each.name for each in columns.values() if each.type == "VARCHAR"]
    name = "name" if "name" in columns else (texts[0] if texts else None)
    hidden = {start, dur, name, "run_id", "trace_id", "track_id", "device_id"}
    shown = [each for each in columns if each not in hidden]
    members = ", ".join(f'{_literal(each)}, "{each}"' for each in shown)
    return {
        "length": length,
        "title": f'"{name}"' if name else _literal(query),
        "args": f"json_object({members})::VARCHAR" if members else "NULL",
        "category": "'query'",
        "phase": "NULL",
    }


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def add(connection: duckdb.DuckDBPyConnection, tracks: Iterable[QueryTrack]) -> int:
    """Adds the rows to the tracks, slices and values of the export; returns how many slices.

    Rows of traces that are not exported are left out.
    """
    connection.execute(load("query_track_tables"))
    for n, track in enumerate(tracks):
        connection.register("query_row", track.rows)
        script = "query_counter" if track.column else "query_slice"
        values = {"n": str(n), "unit": _literal(track.unit) if track.unit else "NULL"}
        connection.execute(load(script, **values, **track.expressions))
        connection.unregister("query_row")
    connection.execute(load("query_tracks"))
    ((n_slices,),) = connection.execute("SELECT count(*) FROM query_track_slice").fetchall()
    return int(n_slices)
