"""A locked connection that sees what the user chose, with the library at hand.

Every entrance that runs queries goes through here: the command line, the shell, Python, exports.
The file is held from the beginning of a session to its end, so a session is kept short.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from warehouse import config
from warehouse.errors import UsageError
from warehouse.library import library
from warehouse.library.arguments import arguments
from warehouse.query import comparison, execute, lineage, scope
from warehouse.query.selection import Selection
from warehouse.store import database

if TYPE_CHECKING:
    import duckdb

    from warehouse.library.header import Value
    from warehouse.query.execute import Result

DIALECTS = ("duckdb", "perfetto")


@dataclass(frozen=True)
class Place:
    """Which warehouse, how it is opened, and where the user's own queries are."""

    path: Path
    wait_s: float = database.DEFAULT_WAIT_S
    memory_limit: str | None = None  # as DuckDB writes it: 4GB
    threads: int | None = None
    query_path: tuple[Path, ...] = ()

    @classmethod
    def of(
        cls,
        db: Path | None,
        *,
        wait_s: float = database.DEFAULT_WAIT_S,
        query_path: tuple[Path, ...] = (),
    ) -> Place:
        """The warehouse named, or else the configured one; settings as configured."""
        settings = config.load()
        return cls(
            config.database_path(db),
            wait_s=wait_s,
            memory_limit=settings.memory_limit,
            threads=settings.threads,
            query_path=(*settings.query_path, *query_path),
        )


@dataclass
class Session:
    """An open warehouse, narrowed to a scope."""

    place: Place
    connection: duckdb.DuckDBPyConnection
    seen: scope.Scope  # what the statement that runs, or the last one, sees
    queries: library.Library
    selection: Selection
    chosen: scope.Scope  # what the selection stands for; a comparison sees its sides instead
    traces: list[dict[str, object]]  # what is in scope; see provenance.traces
    compared: tuple[dict[str, str], Selection] | None = None  # the sides that are seen, if any are
    installed: set[str] = field(default_factory=set)  # macros that the connection has

    def choose(self, selection: Selection) -> None:
        """Sees another selection from now on; raises ScopeError."""
        self.selection, self.chosen = selection, scope.resolve(self.connection, selection)
        self._see(self.chosen)

    def choose_traces(self, trace_ids: Iterable[int], window_ns: Sequence[int | None]) -> None:
        """Sees these very traces from now on, in a time window."""
        self.chosen = scope.of_traces(self.connection, trace_ids, *window_ns)
        self.selection = Selection(
            runs=("all",), from_ns=self.chosen.from_ns, to_ns=self.chosen.to_ns
        )
        self._see(self.chosen)

    def run(
        self,
        query: library.Query | str,
        parameters: Mapping[str, object] | None = None,
        *,
        dialect: str = "duckdb",
        timeout_s: float | None = None,
    ) -> Result:
        """Starts a query; see `execute.run`. One that compares sides sees these.

        A statement may be in Perfetto's SQL instead; it takes no parameters.
        """
        query = self.queries.resolve(query)
        check(query, parameters or {}, dialect)
        if dialect == "perfetto":
            query = self._rewritten(query)
        texts = comparison.named(query, arguments(query, parameters or {}))
        if texts:
            self._see_sides(texts)
        elif self.seen != self.chosen and dialect == "duckdb":
            self._see(self.chosen)
        return execute.run(
            self.connection, query, parameters, library=self.queries, timeout_s=timeout_s,
            installed=self.installed,
        )  # fmt: skip

    def _rewritten(self, query: library.Query) -> library.Query:
        """The statement in DuckDB's SQL; what it needs is made on the connection."""
        from warehouse.dialect import run

        self._see(self.chosen)
        return replace(query, sql=run.prepare(self.connection, query.sql))

    def _see_sides(self, texts: dict[str, str]) -> None:
        """Sees the traces of a comparison's sides. The file is open and cannot change, so those of
        the last comparison need not be looked for again."""
        asked = (texts, self.selection)
        if self.compared == asked:
            return
        try:
            wanted = comparison.widened(self.connection, self.queries, texts, self.selection)
        except BaseException:
            self._see(self.chosen)  # names were looked for in the whole warehouse
            raise
        self._see(wanted)
        self.compared = asked

    def _see(self, wanted: scope.Scope) -> None:
        self.compared = None
        scope.apply(self.connection, wanted)
        self.seen, self.traces = wanted, lineage.traces(self.connection)

    def provenance(self, query: library.Query, values: Mapping[str, Value]) -> dict[str, str]:
        """Where the rows of a query come from, for the metadata of a file."""
        return lineage.of(self, query, values)


def check(query: library.Query, parameters: Mapping[str, object], dialect: str) -> None:
    """Raises UsageError when the parameters are wrong, or the dialect is not the query's."""
    if dialect != "perfetto":  # a script's $names are its functions' own
        arguments(query, parameters)
        return
    if query.header is not None:
        raise UsageError(
            f"{query.key} is a query of the library, not Perfetto's SQL",
            hint="Leave out the dialect, or give a statement.",
        )
    if parameters:
        raise UsageError(
            "parameters do not go with Perfetto's SQL", hint="Write the value into the statement."
        )


@contextmanager
def opened(
    place: Place,
    selection: Selection | None = None,
    queries: library.Library | None = None,
) -> Iterator[Session]:
    """A session; raises DatabaseError, ScopeError and, for broken query files, ContractError.

    `queries` is the library of the place, where the caller has it already.
    """
    queries = queries or library.load(place.query_path)
    with database.Reader(
        place.path,
        wait_s=place.wait_s,
        memory_limit=place.memory_limit,
        threads=place.threads,
    ) as reader:
        wanted = selection or Selection()
        chosen = scope.resolve(reader.connection, wanted)
        if not chosen.covers_all:  # as a fresh connection does; reading the catalogue takes long
            scope.apply(reader.connection, chosen)
        # Read now: while a result is open, the connection answers nothing else.
        traces = lineage.traces(reader.connection)
        yield Session(place, reader.connection, chosen, queries, wanted, chosen, traces)
