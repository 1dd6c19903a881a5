"""What a task of Spark does: it runs a query in DuckDB over some traces of a lake.

Tasks run on other machines, so all that they need is in `Work` and `Unit`, which are pickled.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from warehouse import __version__
from warehouse.errors import TwError, UsageError
from warehouse.library.library import Library, Query
from warehouse.query import kept, session

if TYPE_CHECKING:
    import pyarrow as pa

    from warehouse.lake.committed import Committed
    from warehouse.library.parameter import Value


@dataclass(frozen=True)
class Work:
    """A query, with all it calls, and where to run it."""

    place: session.Place
    queries: Library
    query: Query
    parameters: Mapping[str, Value]
    window_ns: tuple[int | None, int | None]
    given: Mapping[str, bytes]  # rows of blocks that depend on all traces, by pinned name
    timeout_s: float | None = None
    version: str = __version__


@dataclass(frozen=True)
class Unit:
    """The traces of a task, and their commits, with those of captures of their runs."""

    name: str
    trace_ids: tuple[int, ...]
    part: Committed


def shipped(queries: Library, query: Query) -> Library:
    """The queries that a query calls, without files and folders that other machines lack."""
    called = queries.called_by(query)
    return Library({str(each.key): standing_alone(each) for each in called})


def standing_alone(query: Query) -> Query:
    """A query with its header, that needs neither other queries nor shared columns to be read."""
    return Query(
        query.text, own_header=query.header, origin=query.origin, layer=query.layer,
        precedence=query.precedence,
    )  # fmt: skip


def run(work: Work, unit: Unit) -> bytes | TwError:
    """Returns the rows as a stream of Arrow, or what is wrong.

    An error is returned, as Spark would repeat a task that raises one.
    """
    if work.version != __version__:
        return UsageError(
            f"a node of Spark has trace-warehouse {__version__}, and this is {work.version}",
            hint="Install the same version on all nodes.",
        )
    place = replace(work.place, threads=1, part=unit.part)
    try:
        with session.opened(
            place, queries=work.queries, traces=unit.trace_ids, window_ns=work.window_ns
        ) as opened:
            given = {key: table_of(stream) for key, stream in work.given.items()}
            kept.give(
                opened.connection, given, work.queries, opened.installed, opened.kept,
                work.parameters,
            )  # fmt: skip
            result = opened.run(work.query, work.parameters, timeout_s=work.timeout_s)
            return stream_of(result.table())
    except TwError as error:
        return type(error)(f"{unit.name}: {error.message}", hint=error.hint)


def stream_of(table: pa.Table) -> bytes:
    """A table as a compressed stream of Arrow."""
    import pyarrow as pa

    target = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_stream(target, table.schema, options=options) as writer:
        writer.write_table(table)
    return bytes(target.getvalue())


def table_of(stream: bytes) -> pa.Table:
    """The table of a stream."""
    import pyarrow as pa

    return pa.ipc.open_stream(stream).read_all()
