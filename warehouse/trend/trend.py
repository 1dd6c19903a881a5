"""The trend of a column of a query: its value in each run, and the runs at which it changed."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import duckdb

from warehouse import arrow
from warehouse.errors import UsageError
from warehouse.library.arguments import arguments
from warehouse.library.header import Column, Header
from warehouse.query import encoding
from warehouse.query.result import QueryResult
from warehouse.store import database
from warehouse.trend import change_point, runs
from warehouse.trend.change_point import LEVEL
from warehouse.wording import counted

if TYPE_CHECKING:
    from warehouse.library.library import Query
    from warehouse.query.session import Session
    from warehouse.trend.change_point import ChangePoint
    from warehouse.trend.runs import Run

#: Aggregate -> SQL of the value of rows, and of its standard error by the values of the steps.
AGGREGATES = {
    "mean": ("avg({})", "stddev_samp(amount) / sqrt(count(*))"),
    "median": ("median({})", "1.2533 * stddev_samp(amount) / sqrt(count(*))"),
    "sum": ("sum({})", "stddev_samp(amount) * sqrt(count(*))"),
    "min": ("min({})", "max(NULL)"),
    "max": ("max({})", "max(NULL)"),
}
_TABLE = "trend_row"


@dataclass(frozen=True)
class Figure:
    """The figure to follow: a column of a query, over the rows that meet the condition."""

    query: str
    column: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    only: str | None = None
    aggregate: str = "mean"


@dataclass(frozen=True)
class Trend:
    """A row for each run, and the number of change points."""

    rows: QueryResult
    n_changes: int
    n_values: int  # runs that have rows
    figure: Figure

    @property
    def is_judged(self) -> bool:
        """Whether there are enough runs to tell a change from noise."""
        return self.n_values >= change_point.LEAST

    @property
    def summary(self) -> str:
        """The result, as a sentence."""
        if not self.rows.n_rows:
            return "No run in scope has these tags."
        if not self.n_values:
            return f"No run in scope has a value of {self.figure.column}."
        runs = counted(self.n_values, "run")
        what = f"{self.figure.aggregate} of {self.figure.column} in {runs}"
        if self.is_judged:
            return f"{counted(self.n_changes, 'change')} of the {what}."
        return (
            f"The {what}: too few to find changes; `tw compare` compares two runs by their steps."
        )


@dataclass(frozen=True)
class _Value:
    n_rows: int
    amount: float | None
    error: float | None
    n_steps: int


def trend(
    session: Session,
    figure: Figure,
    *,
    by: str | None = None,
    where: Mapping[str, str] | None = None,
    level: float = LEVEL,
) -> Trend:
    """Follows a figure over the runs in scope, see `runs.of_scope`.

    Raises UsageError for an unknown query, column or condition, and QueryError.
    """
    if figure.aggregate not in AGGREGATES:
        raise UsageError(
            f"aggregate {figure.aggregate!r} not found", hint=f"One of {', '.join(AGGREGATES)}."
        )
    query = session.queries.find(figure.query)
    column = column_of(query, figure.column)
    if any(each.unit == "side" for each in query.parameters):
        raise UsageError(f"{figure.query} is itself a comparison", hint="Choose another query.")
    found = runs.of_scope(session, by, where or {})
    values = _values(session, query, figure, found)
    judged = [value.amount for value in values if value.amount is not None]
    changes = change_point.change_points(judged, level)
    rows = _rows(found, values, changes)
    about = session.manifest(query, arguments(query, figure.parameters))
    # Without the hash of the query, of which `tw verify` would expect these rows.
    about = {key: value for key, value in about.items() if key != "query_hash"}
    about |= {"query": f"tw trend {figure.query} {figure.column}"}
    return Trend(
        QueryResult(_table(rows), _columns(column), about), len(changes), len(judged), figure
    )


def column_of(query: Query, name: str) -> Column:
    """Returns a column that can be followed; raises UsageError for another one."""
    header = query.header
    assert header is not None
    numbers = [each for each in header.columns if encoding.is_number(each.type)]
    for column in numbers:
        if column.name == name:
            return column
    raise UsageError(
        f"{header.name} has no column {name!r} of numbers",
        hint=f"Columns: {', '.join(each.name for each in numbers)}.",
    )


def _values(session: Session, query: Query, figure: Figure, found: Sequence[Run]) -> list[_Value]:
    window = (session.selection.from_ns, session.selection.to_ns)
    values = []
    with session.on_traces(session.seen.trace_ids, window):
        for run in found:
            session.choose_traces(run.trace_ids, window)
            values.append(_value(session, query, figure))
    return values


def _value(session: Session, query: Query, figure: Figure) -> _Value:
    header = query.header
    assert header is not None
    session.create_table(query, figure.parameters, _TABLE)
    try:
        return _Value(*database.one(session.connection, _value_sql(figure, _step(header))))
    except duckdb.Error as error:
        raise UsageError(
            f"--only: invalid condition: {str(error).splitlines()[0]}",
            hint=f"Columns: {', '.join(each.name for each in header.columns)}.",
        ) from None
    finally:
        session.connection.execute(f"DROP TABLE {_TABLE}")


def _step(header: Header) -> str | None:
    """SQL of the step of a row, equal on all ranks where steps have numbers; None: no steps."""
    known = {each.name for each in header.columns}
    if not {"step", "step_id"} & set(header.grain):
        return None
    return f"coalesce({', '.join(each for each in ('step', 'step_id') if each in known)})"


def _value_sql(figure: Figure, step: str | None) -> str:
    """SQL of a `_Value`."""
    value, error = AGGREGATES[figure.aggregate]
    amount = f'"{figure.column}"::DOUBLE'
    # The condition is on lines of its own, so that a comment in it ends with it.
    return f"""
        WITH chosen AS (
          SELECT *, {step or "NULL"} AS tw_step FROM {_TABLE}
          WHERE {amount} IS NOT NULL AND (
            {figure.only or "true"}
          )
        ),
        step AS (SELECT {value.format(amount)} AS amount FROM chosen GROUP BY tw_step)
        SELECT
          (SELECT count(*) FROM chosen),
          (SELECT {value.format(amount)} FROM chosen),
          (SELECT {error if step else "max(NULL)"} FROM step),
          (SELECT count(*) FROM step)
    """


@dataclass(frozen=True)
class _Segment:
    """Runs between two changes. `variance` is that of `typical`, by the steps of the runs."""

    typical: float
    variance: float | None
    degrees_of_freedom: int

    @classmethod
    def of(cls, values: Sequence[_Value]) -> _Segment:
        n = len(values)
        typical = sum(value.amount or 0.0 for value in values) / n
        errors = [value.error for value in values if value.error is not None]
        variance = sum(error**2 for error in errors) / n**2 if len(errors) == n else None
        return cls(typical, variance, sum(value.n_steps - 1 for value in values))

    def change_from(self, before: _Segment) -> dict[str, float | None]:
        """The columns of a change from the segment before."""
        change = self.typical - before.typical
        p = None
        if self.variance is not None and before.variance is not None:
            variance = self.variance + before.variance
            t = change / math.sqrt(variance) if variance else math.inf
            p = change_point.two_sided_p(t, self.degrees_of_freedom + before.degrees_of_freedom)
        ratio = change / before.typical if before.typical else None
        return {"change": change, "change_ratio": ratio, "p_steps": p}


def _rows(
    found: Sequence[Run], values: Sequence[_Value], changes: Sequence[ChangePoint]
) -> list[dict[str, Any]]:
    judged = [value for value in values if value.n_rows]
    bounds = itertools.pairwise([0, *(each.place for each in changes), len(judged)])
    segments = [_Segment.of(judged[start:end]) for start, end in bounds if start < end]
    starts = {each.place: n for n, each in enumerate(changes, start=1)}
    rows: list[dict[str, Any]] = []
    segment = place = 0
    for n, (run, value) in enumerate(zip(found, values, strict=True), start=1):
        row = {
            "position": n, "run_id": run.id, "run": run.name, "at": run.at,
            "n_rows": value.n_rows, "value": value.amount, "step_error": value.error,
            "is_change": False, "n_later": len(found) - n,
        }  # fmt: skip
        if value.n_rows:
            if place in starts:
                segment = starts[place]
                row |= segments[segment].change_from(segments[segment - 1])
                row |= {"is_change": True, "p": changes[segment - 1].p}
            row |= {"segment": segment + 1, "typical": segments[segment].typical}
            place += 1
        rows.append(row)
    return rows


_TEXT, _COUNT, _RATIO = ("VARCHAR", "text"), ("BIGINT", "count"), ("DOUBLE", "ratio")


def _columns(column: Column) -> tuple[Column, ...]:
    amount = ("DOUBLE", column.unit)
    return (
        Column("position", *_COUNT, "Position of the run in the order, from 1"),
        Column("run_id", "BIGINT", "ref run.id", "Run"),
        Column("run", *_TEXT, "Name of the run"),
        Column("at", *_TEXT, "Time of the run (UTC), or value of the tag it is ordered by"),
        Column("value", *amount, f"{column.help}: aggregate of the rows; NULL: none", True),
        Column("typical", *amount, "Mean of the runs of the segment; NULL: no rows", True),
        Column("change", *amount, "typical minus that of the segment before; NULL: none", True),
        Column("change_ratio", *_RATIO, "change by typical of the segment before", True),
        Column("p", *_RATIO, "Chance of a change as clear in runs that differ by chance", True),
        Column("segment", *_COUNT, "Number of changes up to this run, plus 1; NULL: no rows", True),
        Column("is_change", "BOOLEAN", "bool", "Whether a segment begins with this run"),
        Column("n_later", *_COUNT, "Number of runs after this one"),
        Column("n_rows", *_COUNT, "Rows of the query that count"),
        Column("step_error", *amount, "Standard error of value by its steps; NULL: none", True),
        Column("p_steps", *_RATIO, "The same by the spread of steps; NULL: no steps", True),
    )


def _table(rows: Sequence[dict[str, Any]]) -> Any:
    return arrow.table_of(rows, _columns(Column("", "DOUBLE", "", "")))
