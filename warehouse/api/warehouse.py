"""`Warehouse`, the Python counterpart of the command line."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

from warehouse.api.exports import Exports
from warehouse.api.maintenance import Maintenance
from warehouse.errors import DamageWarning, UsageError
from warehouse.query import session
from warehouse.query.result import QueryResult
from warehouse.query.selection import Names, Selection, select
from warehouse.store import database
from warehouse.trend.change_point import LEVEL

if TYPE_CHECKING:
    import pyarrow as pa

    from warehouse.library.library import Query
    from warehouse.optimize.search import Annealing, Outcome
    from warehouse.query.execute import Result
    from warehouse.query.gate import Verdict


class Warehouse(Exports, Maintenance):
    """A warehouse file with a scope; created by `warehouse.open`."""

    def __init__(self, place: session.Place, selection: Selection | None = None) -> None:
        self._place = place
        self._selection = selection or Selection()
        self._held: session.Session | None = None
        self._stack: ExitStack | None = None

    @property
    def path(self) -> Path:
        """The warehouse file; the first import creates it."""
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
        """Returns the warehouse with a scope, as with --run, --trace, --rank, --from and --to.

        `run` is a name, an ID, latest, all, tag:NAME or since:7d; `rank` a number, several, or a
        text such as "0,2-5"; `start` and `end` are ns after the trace's base, or text: "1.5ms".
        """
        chosen = select(run=run, trace=trace, rank=rank, start=start, end=end)
        return Warehouse(self._place, chosen)

    def query(
        self, name: str, /, *, timeout_s: float | None = None, **parameters: Any
    ) -> QueryResult:
        """Returns all rows of a library query, optionally pinned (`utilization@1`).

        Raises UsageError for an unknown name or invalid parameter, DatabaseError, ScopeError,
        QueryError.
        """
        with self._session() as open_session:
            found = open_session.queries.find(name)
            return _result(open_session, open_session.run(found, parameters, timeout_s=timeout_s))

    def sql(
        self,
        statement: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        dialect: Literal["duckdb", "perfetto"] = "duckdb",
        timeout_s: float | None = None,
    ) -> QueryResult:
        """Returns all rows of a SELECT over the schema's tables and the library's queries.

        `$name` in the statement is `parameters["name"]`. With the dialect `perfetto` the statement
        is a PerfettoSQL script over trace_processor's tables.
        """
        from warehouse.library import library

        with self._session() as open_session:
            query = library.from_text(statement)
            return _result(
                open_session,
                open_session.run(query, parameters, dialect=dialect, timeout_s=timeout_s),
            )

    @contextmanager
    def stream(self, query: str, /, **parameters: Any) -> Iterator[pa.RecordBatchReader]:
        """Streams the rows of a library query or SELECT as record batches.

        The file is locked until the block ends.
        """
        import pyarrow as pa

        with self._session() as open_session, open_session.run(query, parameters) as result:
            yield pa.RecordBatchReader.from_batches(result.schema, result.batches())

    def runs(self) -> QueryResult:
        """Returns one row per run of the warehouse, ignoring the scope."""
        return self.scope(run="all").query("runs")

    def traces(self) -> QueryResult:
        """Returns one row per trace in scope; without a scope, of all runs, also of captures."""
        seen = Selection(runs=("all",), with_captures=True)
        if self._selection != Selection():
            seen = self._selection
        return Warehouse(self._place, seen).query("traces")

    def queries(self) -> dict[str, Query]:
        """Returns the newest version of each library query by name, with its `header`."""
        from warehouse.library import library

        return dict(library.load(self._place.query_path).newest)

    def compare(
        self,
        a: str,
        b: str,
        *,
        by: Literal["summary", "kernels", "ops", "steps"] = "summary",
        **parameters: Any,
    ) -> QueryResult:
        """Compares two runs, traces (RUN/TRACE) or tags; changes are `b` minus `a`.

        Returns the rows of `compare_summary`, `compare_kernels`, ...; see `tw compare`.
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
        """Compares the runs in scope with a baseline, as `tw compare --baseline`.

        `verdict.reason` states why the gate fails, None if it passes; `verdict.rows` are the rows
        that fail or have no match.
        """
        from warehouse.query import gate

        rule = gate.Rule(query, fail_if, baseline, parameters, tuple(key), missing == "ok")
        return gate.judge(self._place, rule, self._selection)

    def replay(
        self,
        what_if: Iterable[tuple[str, Mapping[str, object]]] = (),
        *,
        name: str | None = None,
        replace: bool = False,
        engine: str = "default",
    ) -> QueryResult:
        """Replays the run in scope with changes, as `tw replay`; `name` stores the prediction.

        Each change is a what-if with its arguments: `("link", {"bandwidth_ratio": 2})`. Returns
        measured, replayed and predicted time by rank.
        """
        from warehouse.optimize import reading
        from warehouse.replay import engines, prediction, stored
        from warehouse.replay.what_if import WhatIf

        changes = [
            WhatIf(call, {key: str(value) for key, value in arguments.items()})
            for call, arguments in what_if
        ]
        chosen = engines.find(engine)
        if name is None:
            with self._session() as open_session:
                changes = reading.expanded(open_session, changes)
                return prediction.predict(open_session, chosen, [changes])
        self._must_not_be_held()
        stored.check_name(self._place, name, replace=replace)
        with self._session() as open_session:
            changes = reading.expanded(open_session, changes)
            rows, made = prediction.predict_run(open_session, chosen, changes, engine)
        stored.store(self._place, made, name, replace=replace)
        return rows

    def diagnose(self, *, step: int | None = None) -> QueryResult:
        """Finds what makes the run in scope slow, as `tw diagnose`.

        Returns a row for each finding, those that cost most first, and for what was not judged.
        """
        from warehouse.diagnose import diagnosis

        with self._session() as open_session:
            return diagnosis.diagnose(open_session, step).rows

    def trend(
        self,
        query: str,
        column: str,
        *,
        only: str | None = None,
        aggregate: Literal["mean", "median", "sum", "min", "max"] = "mean",
        by: str | None = None,
        where: Mapping[str, str] | None = None,
        level: float = LEVEL,
        **parameters: Any,
    ) -> QueryResult:
        """Follows a column of a query over the runs in scope, by default all, as `tw trend`.

        Returns a row for each run; those with `is_change` begin a segment with another mean.
        """
        from warehouse.trend import trend

        everything = self if self._selection != Selection() else self.scope(run="all")
        figure = trend.Figure(query, column, parameters, only, aggregate)
        with everything._session() as opened:
            return trend.trend(opened, figure, by=by, where=where, level=level).rows

    def optimize(
        self,
        strategy: str = "buckets",
        *others: str,
        search: str = "dp",
        groups: int | None = None,
        bytes_per_s: float | None = None,
        annealing: Annealing | None = None,
        clusters: str | os.PathLike[str] | None = None,
        strict: bool = False,
        ratio: float = 0.5,
        model: str | None = None,
        cast_bytes_per_s: float | None = None,
        memory_budget: int | None = None,
        candidates: str | os.PathLike[str] | None = None,
        folder: str | os.PathLike[str] | None = None,
        name: str | None = None,
        replace: bool = False,
    ) -> Outcome:
        """Searches for changes that make the run in scope faster, as `tw optimize`.

        Several strategies are searched together: `optimize("buckets", "fusion")`. Returns the
        rows and the recommended strategy; `folder` receives its files, `name` stores the run that
        it predicts, if it changes anything. Raises UsageError, QueryError, ExportError.
        """
        from warehouse.optimize.search import Annealing, Options
        from warehouse.optimize.searching import Request, run

        if name is not None:
            self._must_not_be_held()
        request = Request(
            (strategy, *others),
            Options(
                search,
                groups,
                bytes_per_s,
                annealing or Annealing(),
                None if clusters is None else Path(clusters),
                strict,
                ratio,
                model,
                cast_bytes_per_s,
                memory_budget,
                None if candidates is None else Path(candidates),
            ),
            None if folder is None else Path(folder),
            name,
            replace=replace,
        )
        return run(self._place, self._session, request).outcome

    def fit_model(
        self, kind: str, *, name: str | None = None, replace: bool = False
    ) -> QueryResult:
        """Fits a cost model to the runs in scope, stores it, and returns its lines.

        It does so as `tw model fit`; `kind` is communication, operator, precision or a query of
        samples. Raises UsageError, QueryError.
        """
        from warehouse.model import models

        self._must_not_be_held()
        made = models.fit_and_store(self._place, self._session, kind, name=name, replace=replace)
        with self._session() as opened:
            return models.lines(opened, made.name)

    def check(self, *names: str) -> QueryResult:
        """Returns data-quality findings, errors first, of all checks or the named ones."""
        from warehouse.query import quality

        with self._session() as open_session:
            query = quality.combined(open_session.queries, names)
            return _result(open_session, open_session.run(query))

    def _must_not_be_held(self) -> None:
        if self._held is not None:
            raise UsageError(
                "the warehouse is open for reading", hint="Write before or after the `with` block."
            )

    def __enter__(self) -> Warehouse:
        stack = ExitStack()
        self._held = stack.enter_context(session.opened(self._place, self._selection))
        self._stack = stack
        _warn_of_damage(self._held)
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
            _warn_of_damage(opened)
            yield opened


def _warn_of_damage(opened: session.Session) -> None:
    if opened.seen.damage:
        warnings.warn(opened.seen.damage, DamageWarning, stacklevel=2)


def open_warehouse(
    path: str | os.PathLike[str] | None = None,
    *,
    lake: str | os.PathLike[str] | None = None,
    wait_s: float = database.DEFAULT_WAIT_S,
    query_path: Iterable[str | os.PathLike[str]] = (),
) -> Warehouse:
    """Opens a warehouse; without a path the one that `tw` uses in this folder.

    `wait_s` is how long to wait for a writing process; `query_path` are folders of your own
    queries. The file is opened by the first method that needs it. `lake` is the folder of a lake,
    in place of a warehouse: for methods that only read.
    """
    if path is not None and lake is not None:
        raise UsageError("a warehouse and a lake cannot be opened together")
    place = session.Place.of(
        None if path is None else Path(path),
        lake=None if lake is None else Path(lake),
        wait_s=wait_s,
        query_path=tuple(Path(folder) for folder in query_path),
    )
    return Warehouse(place)


def _result(open_session: session.Session, result: Result) -> QueryResult:
    from warehouse.query import emptiness

    table = result.table()
    meta = open_session.manifest(result.query, result.parameters)
    note = "" if table.num_rows else emptiness.note(open_session, result.query)
    return QueryResult(table, result.columns, meta, note)
