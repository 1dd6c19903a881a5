"""Runs a query of the library over a lake on Spark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from warehouse.errors import InvalidDatabase, UsageError
from warehouse.lake.committed import Committed
from warehouse.lake.layout import Lake
from warehouse.library.arguments import arguments
from warehouse.library.library import Query
from warehouse.query import comparison
from warehouse.query.result import QueryResult
from warehouse.spark import cluster, task
from warehouse.spark import statement as statement_of_spark
from warehouse.spark.groups import divided
from warehouse.spark.order import Ordered, ordered
from warehouse.spark.task import Unit, Work

if TYPE_CHECKING:
    import pyarrow as pa

    from warehouse.library.parameter import Value
    from warehouse.query.scope import Scope
    from warehouse.query.session import Session
    from warehouse.spark.cluster import Cluster

_SHOWN: Final = 3  # traces named in a message


def check(query: Query, *, is_lake: bool, dialect: str = "duckdb") -> None:
    """Raises UsageError for a query that has no route on Spark."""
    if not is_lake:
        raise UsageError(
            "--engine spark requires a lake",
            hint="Name one with --lake DIR, or use --engine duckdb.",
        )
    if query.header is None or dialect != "duckdb":
        raise UsageError(
            "Spark runs library queries only, not statements",
            hint="Use --engine duckdb, or write a query with a header (`tw queries new`).",
        )
    if (reason := refusal(query)) is not None:
        raise UsageError(f"Spark cannot run {query.key}: {reason}", hint="Use --engine duckdb.")
    cluster.require()


def refusal(query: Query) -> str | None:
    """Why a query of the library has no route on Spark, as a clause; None if it has one."""
    assert query.header is not None
    if query.header.scale:
        return None
    if any(parameter.unit == comparison.UNIT for parameter in query.parameters):
        return "it compares the rows of several runs, and its SQL is not translated"
    return "its rows are not those of each run alone, and its SQL is not translated"


def run(
    opened: Session,
    query: Query,
    parameters: Mapping[str, object],
    spark: Cluster,
    *,
    timeout_s: float | None = None,
) -> QueryResult:
    """Runs a query on the traces in scope; the rows are in its order. Raises QueryError."""
    assert query.header is not None
    if query.header.scale == "sql":
        rows = statement_of_spark.run(opened, query, parameters, spark, timeout_s)
        return QueryResult(rows, query.header.columns, {})
    units = list(_units(opened, query.header.scale, spark.n_cores))
    if not units:
        return _on_one_machine(opened, query, parameters)
    work, statement = prepared(opened, query, parameters, timeout_s=timeout_s)
    found = spark.run(partial(task.run, work), units, timeout_s)
    rows = statement.sorted(_together(found))
    return QueryResult(rows, query.header.columns, {})


def prepared(
    opened: Session,
    query: Query,
    parameters: Mapping[str, object],
    *,
    timeout_s: float | None = None,
) -> tuple[Work, Ordered]:
    """The work of the tasks of a query, and the statement with the order of all rows."""
    assert query.header is not None
    statement = ordered(query.text, [column.name for column in query.header.columns])
    values = arguments(query, parameters)
    work = Work(
        replace(opened.place, query_path=(), part=None),
        task.shipped(opened.queries, query),
        replace(task.standing_alone(query), sql=statement.sql),
        values,
        (opened.chosen.from_ns, opened.chosen.to_ns),
        _of_all_traces(opened, query, values),
        timeout_s,
    )
    return work, statement


def _of_all_traces(opened: Session, query: Query, values: Mapping[str, Value]) -> dict[str, bytes]:
    """The rows of blocks that depend on all traces, computed here once: tasks are given them.

    Such as the short names of kernels, which are unique in the scope. Parameters of a block have
    the values of those of the same name that the query has.
    """
    found = {}
    for block in opened.queries.called_by(query):
        if block.header is not None and block.header.scale == "once":
            given = {
                each.name: values[each.name] for each in block.parameters if each.name in values
            }
            found[str(block.key)] = task.stream_of(opened.run(block, given).table())
    return found


def _units(opened: Session, scale: str, n_tasks: int) -> Iterator[Unit]:
    """The tasks of a query, each of whole traces or, of scale run, whole runs."""
    seen = opened.chosen
    whole = Committed.read(Lake.open(opened.place.path))
    try:
        used = {trace_id: whole.traces[trace_id] for trace_id in sorted(_ids(seen))}
        members: dict[int, list[int]] = {}
        n_rows: Counter[int] = Counter()
        for trace_id in seen.trace_ids:
            key = trace_id if scale == "trace" else used[trace_id].run_id
            members.setdefault(key, []).append(trace_id)
            n_rows[key] += sum(file.rows for file in used[trace_id].files)
        for keys in divided(n_rows, n_tasks):
            trace_ids = sorted(trace_id for key in keys for trace_id in members[key])
            runs = {used[trace_id].run_id for trace_id in trace_ids}
            captures = [each for each in seen.capture_ids if used[each].run_id in runs]
            name = _named([used[trace_id].name for trace_id in trace_ids])
            yield Unit(name, tuple(trace_ids), whole.of([*trace_ids, *captures]))
    except KeyError as error:
        raise InvalidDatabase(
            f"trace {error.args[0]} was removed from {opened.place.path} meanwhile",
            hint="Run the query again.",
        ) from None


def _named(traces: Sequence[str]) -> str:
    """The traces of a task in a message."""
    if len(traces) == 1:
        return f"trace {traces[0]}"
    more = ", ..." if len(traces) > _SHOWN else ""
    return f"one of the traces {', '.join(traces[:_SHOWN])}{more}"


def _ids(seen: Scope) -> set[int]:
    return {*seen.trace_ids, *seen.capture_ids}


def _on_one_machine(opened: Session, query: Query, parameters: Mapping[str, object]) -> QueryResult:
    """The rows of a scope without traces, which only have columns."""
    result = opened.run(query, parameters)
    return QueryResult(result.table(), result.columns, {})


def _together(streams: list[bytes]) -> pa.Table:
    import pyarrow as pa

    return pa.concat_tables([task.table_of(each) for each in streams])
