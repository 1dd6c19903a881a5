"""Trace Warehouse from Python: the same words as on the command line.

    import warehouse

    wh = warehouse.open("traces.duckdb")
    wh.import_("traces/")
    wh.scope(run="latest", rank=0).query("utilization_over_time", bucket_ns="10ms").df()

A `Warehouse` reads only, but for what its methods say. Outside a `with` block the file is held only
while a method runs, so that others can write between two calls; inside, it is held throughout,
which saves opening it for each call and shows one state of it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

from warehouse.errors import UsageError
from warehouse.query import session
from warehouse.query.result import QueryResult
from warehouse.query.selection import Names, Selection, select
from warehouse.store import database

if TYPE_CHECKING:
    import pyarrow as pa

    from warehouse.ingest.pipeline import Outcome
    from warehouse.library.library import Query
    from warehouse.link.rebuild import LinkCount
    from warehouse.query.execute import Result
    from warehouse.query.gate import Verdict


class Warehouse:
    """One warehouse file, seen through a scope; made by `warehouse.open`."""

    def __init__(self, place: session.Place, selection: Selection | None = None) -> None:
        self._place = place
        self._selection = selection or Selection()
        self._held: session.Session | None = None
        self._stack: ExitStack | None = None

    @property
    def path(self) -> Path:
        """The warehouse file; it need not exist before the first import."""
        return self._place.path

    def scope(
        self,
        *,
        run: Names = (),
        trace: Names = (),
        rank: int | str | Iterable[int] = (),
        start: int | str | None = None,
        end: int | str | None = None,
    ) -> Warehouse:
        """The same warehouse, seeing less: what --run, --trace, --rank, --from and --to choose.

        `run` is a name, an id, latest, all, tag:NAME or since:7d; `rank` a number, numbers, or a
        text such as "0,2-5"; `start` and `end` are ns after the trace's base, or texts: "1.5ms".
        """
        chosen = select(run=run, trace=trace, rank=rank, start=start, end=end)
        return Warehouse(self._place, chosen)

    def query(
        self, name: str, /, *, timeout_s: float | None = None, **parameters: Any
    ) -> QueryResult:
        """All rows of a library query, pinned (`utilization@1`) or the newest.

        Raises UsageError for a wrong name or parameter, DatabaseError, ScopeError, QueryError.
        """
        with self._session() as open_session:
            found = open_session.queries.find(name)
            return _answer(open_session, open_session.run(found, parameters, timeout_s=timeout_s))

    def sql(
        self,
        statement: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        dialect: Literal["duckdb", "perfetto"] = "duckdb",
        timeout_s: float | None = None,
    ) -> QueryResult:
        """All rows of a SELECT over the schema's tables and the library's queries.

        `$name` in the statement stands for `parameters["name"]`. With the dialect `perfetto` it is
        a script of trace_processor's, over its tables.
        """
        from warehouse.library import library

        with self._session() as open_session:
            query = library.from_text(statement)
            return _answer(
                open_session,
                open_session.run(query, parameters, dialect=dialect, timeout_s=timeout_s),
            )

    @contextmanager
    def stream(self, query: str, /, **parameters: Any) -> Iterator[pa.RecordBatchReader]:
        """The rows of a library query or a SELECT as record batches, for more than memory holds.

        The file is held until the block ends.
        """
        import pyarrow as pa

        with self._session() as open_session, open_session.run(query, parameters) as result:
            yield pa.RecordBatchReader.from_batches(result.schema, result.batches())

    def runs(self) -> QueryResult:
        """What the warehouse holds: one row a run, whatever the scope."""
        return self.scope(run="all").query("runs")

    def traces(self) -> QueryResult:
        """One row a trace; without a scope, of all runs."""
        seen = self if self._selection != Selection() else self.scope(run="all")
        return seen.query("traces")

    def queries(self) -> dict[str, Query]:
        """The newest version of each library query, by name; `.header` says what it is."""
        from warehouse.library import library

        return library.load(self._place.query_path).newest

    def compare(
        self,
        a: str,
        b: str,
        *,
        by: Literal["summary", "kernels", "ops", "steps"] = "summary",
        **parameters: Any,
    ) -> QueryResult:
        """What differs between two runs, traces (RUN/TRACE) or tags; changes are `b` less `a`.

        The rows of the library query `compare_summary`, `compare_kernels`, ...; see `tw compare`.
        """
        everything = self if self._selection != Selection() else self.scope(run="all")
        return everything.query(f"compare_{by}", a=a, b=b, **parameters)

    def judge(
        self,
        query: str,
        fail_if: str,
        *,
        baseline: str,
        key: Iterable[str] = (),
        missing: Literal["fail", "ok"] = "fail",
        **parameters: Any,
    ) -> Verdict:
        """Judges the runs in scope by a baseline, as `tw compare --baseline` does.

        `verdict.reason` says why it fails and is None when it holds; `verdict.rows` are the rows.
        """
        from warehouse.query import gate

        rule = gate.Rule(query, fail_if, baseline, parameters, tuple(key), missing == "ok")
        return gate.judge(self._place, rule, self._selection)

    def check(self, *names: str) -> QueryResult:
        """Defects of the data: one row a finding, errors first; all checks, or those named."""
        from warehouse.query import quality

        with self._session() as open_session:
            query = quality.combined(open_session.queries, names)
            return _answer(open_session, open_session.run(query))

    def import_(
        self,
        *paths: str | os.PathLike[str],
        run: str | None = None,
        rank: int | None = None,
        format: str | None = None,
        on_duplicate: Literal["skip", "replace", "error"] = "skip",
    ) -> list[Outcome]:
        """Imports files, folders, globs and archives; one outcome a source, in order.

        A source that fails leaves nothing behind, and its outcome has the error.
        """
        from warehouse.ingest import pipeline

        self._must_not_be_held()
        options = pipeline.Options(
            run=run, rank=rank, format=format, on_duplicate=on_duplicate, wait_s=self._place.wait_s
        )
        return pipeline.import_paths(
            [os.fspath(path) for path in paths], db=self.path, options=options
        )

    def link(self) -> list[LinkCount]:
        """Makes all links of the runs in scope anew, with the queries of this program."""
        from warehouse.link import rebuild

        self._must_not_be_held()
        with self._session() as open_session:
            run_ids = open_session.seen.run_ids
        done = rebuild.relink(self.path, run_ids, wait_s=self._place.wait_s)
        return [each for counts in done for each in counts]

    def _must_not_be_held(self) -> None:
        if self._held is not None:
            raise UsageError(
                "this warehouse is held for reading", hint="Write before or after the `with` block."
            )

    def __enter__(self) -> Warehouse:
        stack = ExitStack()
        self._held = stack.enter_context(session.opened(self._place, self._selection))
        self._stack = stack
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self._held = None
        if self._stack is not None:
            self._stack.close()
            self._stack = None

    def __repr__(self) -> str:
        return f"warehouse.open({str(self.path)!r})"

    @contextmanager
    def _session(self) -> Iterator[session.Session]:
        if self._held is not None:
            yield self._held
            return
        with session.opened(self._place, self._selection) as opened:
            yield opened


def open_warehouse(
    path: str | os.PathLike[str] | None = None,
    *,
    wait_s: float = database.DEFAULT_WAIT_S,
    query_path: Iterable[str | os.PathLike[str]] = (),
) -> Warehouse:
    """A warehouse; without a path the one `tw` would use here.

    `wait_s` is how long to wait for a process that writes; `query_path` are folders of your own
    queries. Nothing is opened yet: a missing file is an error only of the first query.
    """
    place = session.Place.of(
        None if path is None else Path(path),
        wait_s=wait_s,
        query_path=tuple(Path(folder) for folder in query_path),
    )
    return Warehouse(place)


def _answer(open_session: session.Session, result: Result) -> QueryResult:
    table = result.table()
    meta = open_session.provenance(result.query, result.parameters)
    return QueryResult(table, result.columns, meta)
