"""Sessions: an open warehouse or lake with a scope and the query library.

The command line, the shell, the Python API and exports all run queries through a session. The file
is locked for the duration of a session, so sessions are short.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from warehouse import config
from warehouse.errors import UsageError
from warehouse.files import no_more_readable
from warehouse.library import library
from warehouse.library.arguments import arguments
from warehouse.library.installed import Macros
from warehouse.query import (
    by_trace,
    comparison,
    device_setting,
    execute,
    kept,
    lineage,
    operator_formula,
    scope,
)
from warehouse.query.kept import Kept
from warehouse.query.selection import Selection
from warehouse.query.stored import StoredRows
from warehouse.store import database

if TYPE_CHECKING:
    import duckdb

    from warehouse.lake.committed import Committed
    from warehouse.lake.reader import LakeReader
    from warehouse.library.parameter import Value
    from warehouse.query.execute import Result
    from warehouse.query.result import QueryResult

DIALECTS = ("duckdb", "perfetto")
_numbers = itertools.count(1)


@dataclass(frozen=True)
class Place:
    """A warehouse file, how to open it, and the folders of the user's queries."""

    path: Path
    wait_s: float = database.DEFAULT_WAIT_S
    memory_limit: str | None = None  # as DuckDB writes it: 4GB
    threads: int | None = None
    query_path: tuple[Path, ...] = ()
    formulas: tuple[Path, ...] = ()  # of the user's own operators
    devices: Mapping[str, Mapping[str, float]] = field(default_factory=dict, hash=False)
    is_lake: bool = False  # `path` is the folder of a lake
    part: Committed | None = field(default=None, hash=False)  # of the lake; None: all
    is_for_report: bool = False  # queries run two at a time

    @classmethod
    def of(
        cls,
        db: Path | None,
        *,
        lake: Path | None = None,
        wait_s: float = database.DEFAULT_WAIT_S,
        query_path: tuple[Path, ...] = (),
        memory_limit: str | None = None,
        formulas: tuple[Path, ...] = (),
    ) -> Place:
        """Returns the given or configured warehouse, or a lake, with configured settings."""
        settings = config.load()
        return cls(
            lake or config.database_path(db),
            wait_s=wait_s,
            memory_limit=memory_limit or settings.memory_limit,
            threads=settings.threads,
            query_path=(*settings.query_path, *query_path),
            formulas=(*settings.formulas, *formulas),
            devices=settings.device,
            is_lake=lake is not None,
        )

    def limited(self, memory_limit: str, max_threads: int) -> Place:
        """Returns the same place with a memory limit, which few threads keep."""
        n_threads = min(self._n_threads, max_threads)
        return replace(self, memory_limit=memory_limit, threads=n_threads)

    def for_report(self) -> Place:
        """Returns the same place for queries of a report: each of two runs in a thread of its own,
        so that the database needs one thread less."""
        return replace(self, is_for_report=True)

    @property
    def runs_two_at_a_time(self) -> bool:
        """Whether queries of a report may run two at a time; those of a large warehouse use all
        cores anyway."""
        return self.memory_limit is None and self._n_threads > 1

    @property
    def database_threads(self) -> int | None:
        """The number of threads of the database, if limited."""
        is_shared = self.is_for_report and self.runs_two_at_a_time
        return self._n_threads - 1 if is_shared else self.threads

    @property
    def _n_threads(self) -> int:
        return self.threads or os.cpu_count() or 1

    def configure(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Shows the user's devices and formulas to queries, in place of views of the schema.

        A change of scope replaces these views.
        """
        device_setting.apply(connection, self.devices)
        operator_formula.apply(connection, self.formulas)


@dataclass
class Session:
    """An open warehouse restricted to a scope."""

    place: Place
    connection: duckdb.DuckDBPyConnection
    seen: scope.Scope  # scope of the current or last statement
    queries: library.Library
    selection: Selection
    chosen: scope.Scope  # scope of the selection; comparisons use the scope of their sides
    traces: list[dict[str, object]]  # what is in scope; see lineage.traces
    compared: tuple[dict[str, str], Selection] | None = None  # sides of the scope in effect, if any
    installed: Macros = field(default_factory=Macros)  # on the connection
    kept: Kept = field(default_factory=Kept)  # blocks whose rows are there
    parts: by_trace.Parts | None = None  # of the chosen scope, once they are needed
    recorded: dict[str, bool] = field(
        default_factory=dict
    )  # what the scope has, as far as it is known; see `warehouse.query.emptiness`

    def choose(self, selection: Selection) -> None:
        """Applies another selection; raises ScopeError."""
        self.selection, self.chosen = selection, scope.resolve(self.connection, selection)
        self._see(self.chosen)

    def choose_traces(self, trace_ids: Iterable[int], window_ns: Sequence[int | None]) -> None:
        """Applies the scope of the given traces, in a time window."""
        self.chosen = scope.of_traces(self.connection, trace_ids, *window_ns)
        self.selection = _of_all_runs(self.chosen)
        self._see(self.chosen)

    @contextmanager
    def on_traces(
        self, trace_ids: Iterable[int], window_ns: Sequence[int | None]
    ) -> Iterator[None]:
        """Applies a scope like `choose_traces`, and the earlier one again at the end."""
        selection, chosen, shared = self.selection, self.chosen, self.kept.shared
        self.choose_traces(trace_ids, window_ns)
        try:
            yield
        finally:
            self.selection, self.chosen = selection, chosen
            self._see(chosen)
            self.kept.shared = shared  # rows of the same scope again

    @contextmanager
    def beside(self) -> Iterator[Session]:
        """A session of the same scope on a connection of its own, to run queries at the same time.

        It has macros of its own. Meanwhile both share rows of blocks.
        """
        with kept.shared(self.connection) as rows:
            connection = self.connection.cursor()
            other = Kept()
            self.kept.shared = other.shared = rows
            try:
                if not self.chosen.covers_all:
                    scope.apply(connection, self.chosen)
                self.place.configure(connection)
                yield replace(
                    self, connection=connection, seen=self.chosen, compared=None,
                    installed=Macros(), kept=other, parts=None,
                )  # fmt: skip
            finally:
                connection.close()
                self.kept.shared = None
                kept.forget(self.connection, self.kept, self.installed)

    def see_again(self) -> None:
        """Applies the scope in effect again, after its views were replaced."""
        self._see(self.seen)

    def run(
        self,
        query: library.Query | str,
        parameters: Mapping[str, object] | None = None,
        *,
        dialect: str = "duckdb",
        timeout_s: float | None = None,
        as_tuples: bool = False,
        is_short: bool = False,
    ) -> Result:
        """Starts a query; see `execute.run`. A comparison reads the traces of its sides.

        A statement may also be PerfettoSQL; it takes no parameters.
        """
        query = self.queries.resolve(query)
        check(query, parameters or {}, dialect)
        if dialect == "perfetto":
            query = self._rewritten(query)
        self._see_for(query, parameters or {}, dialect)
        return execute.run(
            self.connection, query, parameters, library=self.queries, timeout_s=timeout_s,
            installed=self.installed, as_tuples=as_tuples, is_short=is_short, kept=self.kept,
        )  # fmt: skip

    def _see_for(
        self, query: library.Query, parameters: Mapping[str, object], dialect: str = "duckdb"
    ) -> None:
        """Applies the scope that a query reads: that of a comparison's sides, or the chosen one."""
        texts = comparison.named(query, arguments(query, parameters))
        if texts:
            self._see_sides(texts)
        elif self.seen != self.chosen and dialect == "duckdb":
            self._see(self.chosen)

    def create_table(
        self, query: library.Query, parameters: Mapping[str, object], table: str
    ) -> None:
        """Keeps the rows of a query of the library as a TEMP table; raises as `run`."""
        self._create_table(query, parameters, table, kept.OWN, is_report=False)

    @property
    def stores_rows(self) -> bool:
        """Whether rows of large results are better left in the database than read at once."""
        return self.kept.own != kept.OWN

    def stored(
        self,
        query: library.Query,
        parameters: Mapping[str, object],
        *,
        in_any_order: bool = False,
    ) -> QueryResult:
        """Runs a query of a report, and keeps its rows where those of blocks are; raises as `run`.

        The query must be plain.
        """
        check(query, parameters, "duckdb")
        self._see_for(query, parameters)
        order = "" if in_any_order else by_trace.order_of(query)
        parts = self._parts_of(query) if order or in_any_order else None
        table = f"rows {next(_numbers)}"
        given = query.unordered() if in_any_order else query
        if parts is not None:
            values = self._create_in_parts(parts, given, parameters, table)
        else:
            values = self._create_table(given, parameters, table, self.kept.own, is_report=True)
        assert query.header is not None
        return StoredRows(
            self.connection, f'"{self.kept.own}".main."{table}"', query.header.columns,
            self.entries(query, values), order if parts else "",
        )  # fmt: skip

    def _parts_of(self, query: library.Query) -> by_trace.Parts | None:
        """The parts of the scope that a query can be run on, if there are several."""
        if self.seen != self.chosen or not by_trace.is_of_traces(query):
            return None
        if self.parts is None:
            self.parts = by_trace.Parts(
                self.connection, self.seen, self.queries, self.place.configure
            )
        return self.parts if self.parts.are_several else None

    def _create_in_parts(
        self,
        parts: by_trace.Parts,
        query: library.Query,
        parameters: Mapping[str, object],
        table: str,
    ) -> dict[str, Value]:
        values = arguments(query, parameters)
        execute.keep_blocks(
            self.connection, query, self.queries, self.installed, self.kept, values=values,
            is_report=True,
        )  # fmt: skip
        parts.create_table(query, values, table, self.kept)
        return values

    def _create_table(
        self,
        query: library.Query,
        parameters: Mapping[str, object],
        table: str,
        database: str,
        *,
        is_report: bool,
    ) -> dict[str, Value]:
        values = arguments(query, parameters)
        prepared = execute.prepare(
            self.connection, query, self.queries, installed=self.installed, kept=self.kept,
            values=values, is_report=is_report,
        )  # fmt: skip
        execute.create_table(self.connection, prepared, values, table, database=database)
        return values

    def forget_rows(self, needed_by: Iterable[str] = ()) -> None:
        """Drops the kept rows of blocks, but those that queries of these names call."""
        # Kept blocks with parameters still call others for other values than the default ones.
        held = {key for key in self.installed.held if not self.queries.queries[key].parameters}
        needed = {
            str(block.key)
            for name in needed_by
            for block in self.queries.called_by(self.queries.find(name), held)
        }
        kept.forget(self.connection, self.kept, self.installed, needed)

    def _rewritten(self, query: library.Query) -> library.Query:
        """Translates a PerfettoSQL script, and creates the views it needs on the connection."""
        from warehouse.dialect import run

        self._see(self.chosen)
        return replace(query, sql=run.prepare(self.connection, query.sql))

    def _see_sides(self, texts: dict[str, str]) -> None:
        """Applies the scope of a comparison's sides; kept for the next query with the same sides,
        because the file cannot change while it is open."""
        request = (texts, self.selection)
        if self.compared == request:
            return
        try:
            widened = comparison.widened(self.connection, self.queries, texts, self.selection)
        except BaseException:
            self._see(self.chosen)  # names were resolved in the whole warehouse
            raise
        self._see(widened)
        self.compared = request

    def _see(self, seen: scope.Scope) -> None:
        self.compared, self.recorded, self.kept.shared = None, {}, None
        self._close_parts()
        kept.forget(self.connection, self.kept, self.installed)
        scope.apply(self.connection, seen)
        self.place.configure(self.connection)
        self.seen, self.traces = seen, lineage.traces(self.connection)

    def _close_parts(self) -> None:
        if self.parts is not None:
            self.parts.close()
            self.parts = None

    def manifest(self, query: library.Query, values: Mapping[str, Value]) -> dict[str, str]:
        """Returns the manifest entries of a query's rows."""
        return dict(self.entries(query, values))

    def entries(self, query: library.Query, values: Mapping[str, Value]) -> lineage.Entries:
        """The entries of `manifest` for a report, which packs the texts of all its queries."""
        return lineage.entries(
            query,
            values,
            library=self.queries,
            seen=self.seen,
            traces=self.traces,
            file_name=self.place.path.name,
        )


def check(query: library.Query, parameters: Mapping[str, object], dialect: str) -> None:
    """Raises UsageError for invalid parameters, or a dialect that does not fit the query."""
    if dialect != "perfetto":  # a script's $names belong to its functions
        arguments(query, parameters)
        return
    if query.header is not None:
        raise UsageError(
            f"{query.key} is a library query, not PerfettoSQL",
            hint="Omit --dialect, or give a statement.",
        )
    if parameters:
        raise UsageError(
            "PerfettoSQL statements take no parameters", hint="Write the value into the statement."
        )


@contextmanager
def opened(
    place: Place,
    selection: Selection | None = None,
    queries: library.Library | None = None,
    *,
    traces: Iterable[int] | None = None,
    window_ns: Sequence[int | None] = (None, None),
    reads_arrow: bool = True,
) -> Iterator[Session]:
    """Opens a session; raises DatabaseError, ScopeError, or ContractError for invalid query files.

    Files written meanwhile are as readable as the warehouse at most. The scope is that of the
    selection, or of `traces` in a time window (see `Session.choose_traces`).
    `queries` is the library, if the caller has already loaded it; without `reads_arrow`, Arrow,
    whose loading takes as long as a small query, is loaded only when it is needed.
    """
    if reads_arrow:
        execute.expect_rows()
    queries = queries or library.load(place.query_path)
    with (
        no_more_readable(place.path),
        _reader(place) as reader,
        _own_rows(place, reader.connection) as rows,
    ):
        if traces is None:
            selection = selection or Selection()
            chosen = scope.resolve(reader.connection, selection)
        else:
            chosen = scope.of_traces(reader.connection, traces, *window_ns)
            selection = _of_all_runs(chosen)
        if not chosen.covers_all:  # as on a fresh connection; reading the catalogue is slow
            scope.apply(reader.connection, chosen)
        place.configure(reader.connection)
        # Read now: an open result blocks the connection.
        listed = lineage.traces(reader.connection)
        found = Session(place, reader.connection, chosen, queries, selection, chosen, listed)
        found.kept.own = rows
        try:
            yield found
        finally:
            found._close_parts()


def _of_all_runs(chosen: scope.Scope) -> Selection:
    """The selection beside a scope of given traces."""
    return Selection(runs=("all",), from_ns=chosen.from_ns, to_ns=chosen.to_ns)


def _own_rows(place: Place, connection: duckdb.DuckDBPyConnection) -> AbstractContextManager[str]:
    """The database for rows of blocks, compressed in a report whose memory is limited."""
    if place.is_for_report and place.memory_limit is not None:
        return kept.compressed(connection)
    return nullcontext(kept.OWN)


def _reader(place: Place) -> database.Reader | LakeReader:
    """Opens the warehouse or lake of a place."""
    if not place.is_lake:
        return database.Reader(
            place.path,
            wait_s=place.wait_s,
            memory_limit=place.memory_limit,
            threads=place.database_threads,
        )
    from warehouse.lake.reader import LakeReader

    return LakeReader(
        place.path, memory_limit=place.memory_limit, threads=place.database_threads, part=place.part
    )
