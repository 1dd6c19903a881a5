"""Compares a run with a baseline by an SQL condition over the rows of one query.

    tw compare --baseline tag:release --query utilization \\
      --fail-if 'x.utilization < baseline.utilization - 0.05'

The query runs once for the run (`x`) and once for the baseline. Rows are matched on the query's
grain, with ids of the warehouse replaced by what identifies both sides: a trace by its rank, a
device and a step by their numbers. The condition can only read the two rows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import duckdb

from warehouse.errors import ScopeError, UsageError
from warehouse.query import scope, session
from warehouse.query.result import QueryResult
from warehouse.query.selection import Selection
from warehouse.store import database
from warehouse.store.statements import quoted
from warehouse.wording import counted

if TYPE_CHECKING:
    import pyarrow as pa

    from warehouse.library.library import Query
    from warehouse.query.session import Place, Session

_MENTIONED = re.compile(r'\b(x|baseline)\s*\.\s*("(?:[^"]|"")+"|\w+)', re.IGNORECASE)
TRUE, UNKNOWN = "condition is true", "condition is NULL"
NOT_IN_RUN, NOT_IN_BASELINE = "not in the run", "not in the baseline"


@dataclass(frozen=True)
class Rule:
    """A query, a condition over its rows, and the baseline."""

    query: str
    condition: str
    baseline: str  # name or ID of a run, a tag, or tag:NAME
    parameters: Mapping[str, str]
    key: tuple[str, ...] = ()  # instead of the grain
    allows_missing: bool = False


@dataclass(frozen=True)
class Verdict:
    """The result of a gate; `rows` are those that fail or have no match, by key."""

    rule: Rule
    key: tuple[str, ...]
    run: str
    baseline: str
    n_compared: int  # rows on both sides
    counts: Mapping[str, int]  # by reason
    rows: pa.Table  # key, reason, and the columns that the condition mentions, of both sides
    made_from: Mapping[str, Mapping[str, str]]  # manifest entries of x and of baseline

    @property
    def reason(self) -> str | None:
        """Why the gate fails, as one clause; None if it passes."""
        n_true = self.counts.get(TRUE, 0)
        n_missing = self.counts.get(NOT_IN_RUN, 0) + self.counts.get(NOT_IN_BASELINE, 0)
        if n_true:
            return f"the condition is true for {n_true:,} of {self.n_compared:,} rows"
        if n_missing and not self.rule.allows_missing:
            return f"{counted(n_missing, 'row')} without a match"
        if not self.n_compared:
            return "no rows match, so nothing was compared"
        if self.counts.get(UNKNOWN, 0) == self.n_compared:
            return "the condition is NULL for every row, so nothing was compared"
        return None


def judge(place: Place, rule: Rule, selection: Selection) -> Verdict:
    """Runs the query on both sides and evaluates the condition.

    Raises ScopeError when a side does not exist or both are the same, UsageError for an invalid
    condition or key, and the exceptions of the query.
    """
    wide = Selection(runs=("all",))
    with session.opened(place, wide) as opened:
        query = opened.queries.find(rule.query)
        if any(each.unit == "side" for each in query.parameters):
            raise UsageError(f"{rule.query} is itself a comparison", hint="Choose another query.")
        baseline = _baseline(opened, rule.baseline, selection)
        chosen = scope.resolve(opened.connection, selection)
        base = scope.resolve(opened.connection, baseline)
        if set(chosen.run_ids) & set(base.run_ids):
            raise ScopeError(
                f"the run and the baseline are the same: {', '.join(base.run_names)}",
                hint="Import the new run first, or choose one with --run.",
            )
        x, b = (_result(opened, query, rule, side) for side in (selection, baseline))
        is_one = len(chosen.trace_ids) == len(base.trace_ids) == 1
        key = rule.key or _key(query, is_one=is_one)
    with database.scratchpad() as connection:
        return _verdict(connection, rule, key, (x, b), (chosen, base))


def _baseline(opened: Session, text: str, selection: Selection) -> Selection:
    """Resolves a run, else a tag, of that name, with the ranks and window of the run."""
    ranks, window = selection.ranks, (selection.from_ns, selection.to_ns)
    requested = Selection((text,), (), ranks, *window)
    try:
        scope.resolve(opened.connection, requested)
    except ScopeError:
        tags = opened.connection.execute("SELECT DISTINCT name FROM tag").fetchall()
        if (text,) in tags:
            return replace(requested, runs=(f"tag:{text}",))
        if text.startswith("tag:"):
            raise
        raise ScopeError(
            f"baseline: no run or tag is named {text!r}",
            hint=f"`tw runs` and `tw tag` list them; `tw tag {text} --run RUN` adds a tag.",
        ) from None
    return requested


def _result(opened: Session, query: Query, rule: Rule, side: Selection) -> QueryResult:
    opened.choose(side)
    result = opened.run(query, rule.parameters)
    return QueryResult(result.table(), result.columns, opened.manifest(query, result.parameters))


def _key(query: Query, *, is_one: bool) -> tuple[str, ...]:
    """Returns the grain as columns that identify rows in every run; none for one trace a side."""
    header = query.header
    assert header is not None
    units = {column.name: column.unit or "" for column in header.columns}
    key = []
    for name in header.grain:
        if not (units.get(name, "") == "id" or units.get(name, "").startswith("ref ")):
            key.append(name)
            continue
        column = {"trace_id": "" if is_one else "rank", "run_id": ""}.get(
            name, name.removesuffix("_id")
        )
        if column in units:
            key.append(column)
    return tuple(dict.fromkeys(key))


def _verdict(
    connection: duckdb.DuckDBPyConnection,
    rule: Rule,
    key: Sequence[str],
    results: tuple[QueryResult, QueryResult],
    sides: tuple[scope.Scope, scope.Scope],
) -> Verdict:
    names = tuple(", ".join(side.run_names) for side in sides)
    for side, result, name in zip(("x", "baseline"), results, names, strict=True):
        connection.register(f"{side}_rows", result.arrow())
        connection.execute(f"CREATE TABLE {side} AS SELECT *, true AS tw_is_here FROM {side}_rows")
        _check_unique(connection, side, name, key, result)
    columns = results[0].schema.names
    rows, n_compared = _judged(connection, rule.condition, key, columns)
    counts: dict[str, int] = {}
    for reason in rows.column("reason").to_pylist():
        counts[reason] = counts.get(reason, 0) + 1
    return Verdict(
        rule, tuple(key), names[0], names[1], n_compared, counts, rows,
        {"x": results[0].meta, "baseline": results[1].meta},
    )  # fmt: skip


def _check_unique(
    connection: duckdb.DuckDBPyConnection,
    side: str,
    run: str,
    key: Sequence[str],
    result: QueryResult,
) -> None:
    """Raises UsageError if rows of one side share a key: matching would multiply them."""
    unknown = [name for name in key if name not in result.schema.names]
    if unknown:
        known = ", ".join(result.schema.names)
        raise UsageError(
            f"--key: the query has no column {unknown[0]!r}", hint=f"Columns: {known}."
        )
    names = ", ".join(map(quoted, key)) or "true"
    (n_same,) = database.one(
        connection, f"SELECT count(*) - count(DISTINCT ROW({names}, true)) FROM {side}"
    )
    if n_same:
        columns = ", ".join(key) or "nothing"
        raise UsageError(
            f"rows of {run} are not unique by {columns}",
            hint="Give columns that identify rows with --key, or choose fewer ranks or runs.",
        )


def _judged(
    connection: duckdb.DuckDBPyConnection, condition: str, key: Sequence[str], known: Sequence[str]
) -> tuple[Any, int]:
    """Returns the rows that fail or have no match, and the number of matched rows."""
    meet = " AND ".join(f"x.{quoted(n)} IS NOT DISTINCT FROM baseline.{quoted(n)}" for n in key)
    shown = [f"coalesce(x.{quoted(n)}, baseline.{quoted(n)}) AS {quoted(n)}" for n in key]
    mentioned = [f"{side}.{name}" for side, name in _mentioned(condition, known)]
    shown += [f"{each} AS {quoted(each.replace(chr(34), ''))}" for each in mentioned]
    joined = f"x FULL JOIN baseline ON {meet or 'true'}"
    # The condition is on lines of its own, so that a comment in it ends with it.
    columns = ", ".join([*shown[: len(key)], _REASON.format(condition), *shown[len(key) :]])
    sql = f"""
        FROM (SELECT {columns} FROM {joined})
        WHERE reason IS NOT NULL
        ORDER BY ALL NULLS LAST
    """
    try:
        rows = connection.sql(sql).to_arrow_table()
    except duckdb.Error as error:
        raise UsageError(
            f"--fail-if: invalid condition: {str(error).splitlines()[0]}",
            hint=f"Columns of x and baseline: {', '.join(known)}.",
        ) from None
    (n_compared,) = database.one(
        connection, f"SELECT count(*) FROM {joined} WHERE x.tw_is_here AND baseline.tw_is_here"
    )
    return rows, int(n_compared)


_REASON = f"""
    CASE
      WHEN x.tw_is_here IS NULL THEN '{NOT_IN_RUN}'
      WHEN baseline.tw_is_here IS NULL THEN '{NOT_IN_BASELINE}'
      ELSE CASE (
        {{}}
      )::BOOLEAN WHEN true THEN '{TRUE}' WHEN false THEN NULL ELSE '{UNKNOWN}' END
    END AS reason"""


def _mentioned(condition: str, known: Sequence[str]) -> list[tuple[str, str]]:
    """Returns the columns in the condition that both sides have, in order."""
    lower = {name.lower() for name in known}
    found = ((side.lower(), name) for side, name in _MENTIONED.findall(condition))
    kept = [each for each in found if each[1].strip('"').replace('""', '"').lower() in lower]
    return list(dict.fromkeys(kept))
