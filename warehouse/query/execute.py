"""Runs one statement and returns its rows in batches."""

from __future__ import annotations

import importlib
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

import duckdb

from warehouse import arrow
from warehouse.errors import QueryError, QueryTimeout, query_error
from warehouse.library.arguments import arguments
from warehouse.library.header import Column
from warehouse.library.installed import Macros
from warehouse.library.library import BUILT_IN, Library, Query, load
from warehouse.library.parameter import Value
from warehouse.query import plain
from warehouse.query.kept import OWN, Kept, keep
from warehouse.store import statements

if TYPE_CHECKING:
    import pyarrow as pa

BATCH_ROWS = 65_536
READING = ("SELECT", "EXPLAIN")  # kinds of statements that change nothing
#: Types whose values are the same through Arrow and as Python objects of DuckDB.
PLAIN_TYPES = frozenset({"BIGINT", "BOOLEAN", "DOUBLE", "INTEGER", "VARCHAR"})
QueryResult = TypeVar("QueryResult")


def expect_rows() -> None:
    """Loads Arrow in a thread, while the caller opens the warehouse and DuckDB plans."""
    if "pyarrow" not in sys.modules:
        threading.Thread(target=importlib.import_module, args=("pyarrow",)).start()


def is_plain(query: Query) -> bool:
    """Whether a query declares columns, all of types that need no conversion to be shown."""
    return query.header is not None and {c.type for c in query.header.columns} <= PLAIN_TYPES


class Result:
    """A running query; a context manager that interrupts it when left early.

    `columns` hold name, type, unit and description; `n_rows` counts the rows read so far. `into` is
    the statement that puts the rows into a table instead, up to the query.
    """

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        query: Query,
        parameters: Mapping[str, Value],
        *,
        timeout_s: float | None = None,
        as_tuples: bool = False,
        is_short: bool = False,
        into: str | None = None,
    ) -> None:
        self.query = query
        self.parameters = dict(parameters)
        self.n_rows = 0
        self._connection = connection
        self._as_tuples, self._is_short, self._into = as_tuples, is_short, into
        self._is_read = False  # to its end
        self.timeout_s = timeout_s
        self._deadline = None if timeout_s is None else time.monotonic() + timeout_s
        # DuckDB blocks its thread: run there, Ctrl-C would have no effect until the query ends.
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="query")
        try:
            self.columns, self._reader = self._wait_for(self._start)
        except BaseException:
            self._worker.shutdown()
            raise

    def _start(self) -> tuple[tuple[Column, ...], Any]:
        if self._into is not None:
            text = f"{self._into} {_select(self._connection, self.query)}"
            statements.execute(self._connection, text, self.parameters or None)
            self._is_read = True
            return (), None
        statement = _one_select(self._connection, self.query.bound_sql)
        if self._as_tuples:
            self._connection.execute(statement, self.parameters or None)
            named = [each[:2] for each in self._connection.description or []]
            return _columns(self.query, *zip(*named, strict=True)), None
        if self._is_short:
            return self._start_short(statement)
        relation = self._connection.sql(statement, params=self.parameters or None)
        reader = relation.to_arrow_reader(BATCH_ROWS)
        return _columns(self.query, relation.columns, relation.types), reader

    def _start_short(self, statement: duckdb.Statement) -> tuple[tuple[Column, ...], Any]:
        """Copies the rows: a relation streams them, but its statement is parsed and bound twice,
        which takes longer than most queries of a report run."""
        self._connection.execute(statement, self.parameters or None)
        named = [each[:2] for each in self._connection.description or []]
        arrow.ignore_copies()
        reader = self._connection.to_arrow_reader(BATCH_ROWS)
        return _columns(self.query, *zip(*named, strict=True)), reader

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema."""
        return self._reader.schema

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yields the rows in order, once. Raises QueryError, QueryTimeout."""
        while (batch := self._wait_for(self._next)) is not None:
            self.n_rows += batch.num_rows
            yield batch
        self._is_read = True

    def tuples(self) -> Iterator[list[tuple[Any, ...]]] | None:
        """Yields the rows as Python values, once, as `batches`; None unless started so."""
        return self._lists() if self._as_tuples else None

    def _lists(self) -> Iterator[list[tuple[Any, ...]]]:
        while rows := self._wait_for(lambda: self._connection.fetchmany(BATCH_ROWS)):
            self.n_rows += len(rows)
            yield rows
        self._is_read = True

    def _next(self) -> Any:
        try:
            return self._reader.read_next_batch()
        except StopIteration:
            return None

    def reader(self) -> pa.RecordBatchReader:
        """Returns the rows as a stream, to be read once while the result is open."""
        import pyarrow as pa

        return pa.RecordBatchReader.from_batches(self.schema, self.batches())

    def table(self) -> pa.Table:
        """Returns all rows as one table."""
        import pyarrow as pa

        with self:
            return pa.Table.from_batches(list(self.batches()), self.schema)

    def rows(self) -> list[tuple[Any, ...]]:
        """Returns all rows as tuples of Python values."""
        return plain.rows(self.table())

    def close(self) -> None:
        """Stops the query, so that the connection can be used again."""
        if not self._is_read:  # else the interrupt can end the next statement of a transaction
            self._connection.interrupt()
        if self._reader is not None:
            self._worker.submit(self._reader.close)
        self._worker.shutdown()

    def __enter__(self) -> Result:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self.close()

    def _wait_for(self, work: Callable[[], QueryResult]) -> QueryResult:
        """Waits for the result of the worker thread, at most until the deadline."""
        future = self._worker.submit(work)
        left = None if self._deadline is None else max(0.0, self._deadline - time.monotonic())
        try:
            return future.result(left)
        except NotYet:
            self._stop(future.exception)
            raise QueryTimeout(
                f"the query did not end within {self.timeout_s:g} s",
                hint="Raise --timeout, or reduce the scope with --run, --from and --to.",
            ) from None
        except KeyboardInterrupt:
            self._stop(future.exception)
            raise
        except (duckdb.Error, OSError) as error:
            # Arrow wraps DuckDB's errors in OSError.
            raise query_error(error) from None

    def _stop(self, ended: Callable[[float], object]) -> None:
        """Interrupts repeatedly until the work has ended: an interrupt before its start is lost."""
        while True:
            self._connection.interrupt()
            try:
                ended(0.05)
            except NotYet:
                continue
            return


def _columns(query: Query, names: Sequence[str], types: Sequence[Any]) -> tuple[Column, ...]:
    declared = {c.name: c for c in query.header.columns} if query.header else {}
    return tuple(
        declared.get(name) or Column(name, str(kind))
        for name, kind in zip(names, types, strict=True)
    )


def _one_select(connection: duckdb.DuckDBPyConnection, sql: str) -> duckdb.Statement:
    must_be_unicode(sql)
    parsed = statements.parse(connection, sql)
    if len(parsed) != 1:
        raise _not_one(len(parsed))
    kind = kind_of(parsed[0])
    if kind not in READING:
        raise QueryError(
            f"a query must be read-only; this statement is {kind}",
            hint="Write one SELECT. Only `tw import` and `tw drop` change the warehouse.",
        )
    return parsed[0]


def _not_one(n_statements: int) -> QueryError:
    if not n_statements:
        return QueryError("expected one statement: there is none", hint="Write one SELECT.")
    return QueryError(
        f"expected one statement: there are {n_statements}", hint="Run them one after the other."
    )


def _select(connection: duckdb.DuckDBPyConnection, query: Query) -> str:
    """The text of a query that is one SELECT, as those built in are: parsing takes as long as
    planning, and the statement this is a part of is parsed, too."""
    is_checked = query.header is not None and query.origin == BUILT_IN
    return query.bound_sql if is_checked else str(_one_select(connection, query.bound_sql).query)


def kind_of(statement: Any) -> str:
    """Returns the kind of a parsed statement: SELECT, INSERT, ...; OTHER if DuckDB names none."""
    try:
        return str(statement.type.name)
    except ValueError:  # DuckDB 2.0.0 lacks names, as for UPDATE EXTENSIONS
        return "OTHER"


def must_be_unicode(sql: str) -> None:
    """Raises QueryError for a text with lone surrogates, which DuckDB cannot take."""
    try:
        sql.encode()
    except UnicodeEncodeError as error:
        raise QueryError(
            f"character {error.start + 1:,} of the statement is not a Unicode character "
            f"(U+{ord(sql[error.start]):04X})"
        ) from None


def run(
    connection: duckdb.DuckDBPyConnection,
    query: Query | str,
    parameters: Mapping[str, object] | None = None,
    *,
    library: Library | None = None,
    timeout_s: float | None = None,
    installed: Macros | None = None,
    as_tuples: bool = False,
    is_short: bool = False,
    kept: set[str] | None = None,
) -> Result:
    """Starts a query: a library name, a `Query` or SQL.

    Creates the macros it calls on the connection, except those that `installed` names. With
    `as_tuples`, for which a query must be plain, rows are read by `Result.tuples`. With `is_short`,
    all rows are held in memory: less work, if there are few, as in reports. `kept` names the blocks
    whose rows are kept on the connection, and blocks to be computed once are added; None: none are
    kept. Raises UsageError for an unknown name or parameter, QueryError if DuckDB refuses the
    statement, QueryTimeout.
    """
    library = library or load()
    query = library.resolve(query)
    values = arguments(query, parameters or {})
    query = prepare(
        connection, query, library, installed=installed, kept=kept, timeout_s=timeout_s,
        is_report=is_short, values=values,
    )  # fmt: skip
    try:
        return Result(
            connection,
            query,
            values,
            timeout_s=timeout_s,
            as_tuples=as_tuples,
            is_short=is_short,
        )
    except QueryError as error:
        _name_query(error, library)
        raise


def _name_query(error: QueryError, library: Library) -> None:
    """Says how to read a query of the library, if a statement names it like a table."""
    found = re.match(r"Table with name (\w+) does not exist", error.message)
    if found and found[1] in library.newest:
        error.hint = f"{found[1]} is a query of the library: write {found[1]}()."


def create_table(
    connection: duckdb.DuckDBPyConnection,
    query: Query,
    parameters: Mapping[str, Value],
    table: str,
    *,
    timeout_s: float | None = None,
    database: str = OWN,
    appends: bool = False,
) -> None:
    """Runs a query whose macros are there, and keeps its rows as a table; raises as `run`.

    It is a TEMP table, or one of an attached database. With `appends` it has rows already.
    """
    query = query.on(connection)
    name = f'"{database}".main."{table}"'
    kind = "TEMP TABLE" if database == OWN else "TABLE"
    into = f"INSERT INTO {name}" if appends else f"CREATE OR REPLACE {kind} {name} AS"
    with Result(connection, query, parameters, timeout_s=timeout_s, into=into):
        pass


def prepare(
    connection: duckdb.DuckDBPyConnection,
    query: Query | str,
    queries: Library,
    *,
    installed: Macros | None,
    kept: set[str] | None,
    timeout_s: float | None = None,
    is_report: bool = False,
    values: Mapping[str, Value] | None = None,
) -> Query:
    """Creates the macros and kept rows that a query needs, as `run`; returns the query to run."""
    query = queries.resolve(query).on(connection)
    there = Macros() if installed is None else installed
    if kept is not None:
        keep_blocks(
            connection, query, queries, there, kept, timeout_s=timeout_s, is_report=is_report,
            values=values,
        )  # fmt: skip
    queries.install_for(connection, query, there)
    return query


def keep_blocks(
    connection: duckdb.DuckDBPyConnection,
    query: Query,
    queries: Library,
    installed: Macros,
    kept: set[str],
    *,
    timeout_s: float | None = None,
    is_report: bool = False,
    values: Mapping[str, Value] | None = None,
) -> None:
    """Computes the blocks that a query calls and that are to be kept."""
    database = kept.database if isinstance(kept, Kept) else OWN
    keep(
        connection, queries, query, installed, kept,
        lambda block, table: create_table(
            connection, block, arguments(block, {}), table, timeout_s=timeout_s,
            database=database,
        ),
        is_report=is_report, values=values,
    )  # fmt: skip
