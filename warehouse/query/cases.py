"""Query cases: rows put into an empty warehouse, and the result a query must give for them.

A folder of cases holds `<query>/<case>/input.sql` and `<query>/<case>/expected.csv`. `input.sql`
may begin with directives, one to a line:

    -- input: shared/two_ranks.sql      runs this file first; a path below the folder of cases
    -- parameters: top=3 run_id=1       calls the query with these values
    -- window: 1us 2us                  runs it in this time window of all traces

`expected.csv` is what `tw query --format csv` writes. The rows of a query in the layer `lib`, which
promises no order, are compared without one.
"""

from __future__ import annotations

import csv
import difflib
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from warehouse.errors import UsageError
from warehouse.library.installed import Macros
from warehouse.query import execute, scope
from warehouse.store import database
from warehouse.times import parse_time

if TYPE_CHECKING:
    import pyarrow as pa

    from warehouse.library.library import Library

_DIRECTIVE = re.compile(r"-- (input|parameters|window): (.+)")

Cells = list[str]


@dataclass(frozen=True)
class Case:
    """A folder `<query>/<case>` below the folder of cases."""

    root: Path
    query: str
    name: str

    @property
    def folder(self) -> Path:
        return self.root / self.query / self.name

    @property
    def parameters(self) -> dict[str, str]:
        """The arguments of the query, as text; raises UsageError for one without a value."""
        given = " ".join(value for kind, value in self._directives() if kind == "parameters")
        for pair in given.split():
            if "=" not in pair:
                raise UsageError(f"{self.folder / 'input.sql'}: {pair} is not name=value")
        return dict(pair.split("=", 1) for pair in given.split())

    @property
    def window(self) -> tuple[int, int] | None:
        """The time window in ns; raises UsageError for another number of times."""
        times = [time for kind, value in self._directives() if kind == "window"
                 for time in value.split()]  # fmt: skip
        if len(times) not in (0, 2):
            raise UsageError(f"{self.folder / 'input.sql'}: a window has a start and an end")
        return (parse_time(times[0]), parse_time(times[1])) if times else None

    @property
    def rows(self) -> tuple[object, ...]:
        """A key of what the rows depend on: cases with equal keys may use the same rows."""
        *shared, own = self.inputs()
        lines = [
            line for line in _read(own).splitlines() if not _DIRECTIVE.fullmatch(line.rstrip())
        ]
        return tuple(map(str, shared)), "\n".join(lines), self.window or ()

    def inputs(self) -> list[Path]:
        """The files to run, in order; raises UsageError for one outside of the folder of cases."""
        named = [value.strip() for kind, value in self._directives() if kind == "input"]
        files = [(self.root / name).resolve() for name in named]
        for name, file in zip(named, files, strict=True):
            if not (file.is_relative_to(self.root.resolve()) and file.is_file()):
                raise UsageError(
                    f"{self.folder / 'input.sql'} names the input {name}, which does not exist "
                    f"below {self.root}",
                    hint="Give its path relative to the folder of cases, as in shared/rows.sql.",
                )
        return [*files, self.folder / "input.sql"]

    def expected(self) -> list[Cells]:
        """The rows of `expected.csv`, the header first; raises UsageError if it is missing."""
        return _cells(_read(self.folder / "expected.csv"))

    def _directives(self) -> Iterator[tuple[str, str]]:
        for line in _read(self.folder / "input.sql").splitlines():
            if not (found := _DIRECTIVE.fullmatch(line.rstrip())):
                return
            yield found[1], found[2]


@dataclass(frozen=True)
class CaseResult:
    """The expected and the actual rows of a case, each with the header first."""

    case: Case
    expected: list[Cells]
    actual: list[Cells]

    @property
    def passed(self) -> bool:
        return self.expected == self.actual

    def difference(self) -> str:
        """A unified diff from the expected to the actual rows; empty if they are equal."""
        before, after = (list(map(_line, rows)) for rows in (self.expected, self.actual))
        name = self.case.folder / "expected.csv"
        return "\n".join(difflib.unified_diff(before, after, str(name), "actual", lineterm=""))


def find_cases(root: Path) -> list[Case]:
    """The cases below a folder, by query and name."""
    found = sorted(path.parent for path in root.glob("*/*/input.sql"))
    return [Case(root, folder.parent.name, folder.name) for folder in found]


class CaseRunner:
    """Runs cases one after another in a warehouse in memory, which holds the rows of one case.

    Cases with equal rows that follow each other share these, and the blocks computed from them.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, queries: Library) -> None:
        self._connection = connection
        self._queries = queries
        self._installed = Macros()  # macros outlive a case
        self._rows: tuple[object, ...] | None = None
        self._kept: set[str] = set()  # blocks computed from these rows
        self._in_rows = Macros()  # macros created after the rows, and rolled back with them

    def run(self, case: Case) -> CaseResult:
        """Puts in the rows of a case, unless they are there, and runs its query.

        Raises UsageError for a missing file, query or parameter, QueryError if DuckDB refuses a
        statement of the query.
        """
        query = self._queries.find(case.query)
        expected = case.expected()
        try:
            self._prepare(case)
            table = execute.run(
                self._connection,
                query,
                case.parameters,
                library=self._queries,
                installed=self._in_rows,
                is_short=True,
                kept=self._kept,
            ).table()
        except BaseException:
            self._remove()
            raise
        actual = _cells(_csv(table))
        if query.layer == "lib":
            expected, actual = _sorted(expected), _sorted(actual)
        return CaseResult(case, expected, actual)

    def _prepare(self, case: Case) -> None:
        if self._rows == case.rows:
            return
        self._remove()
        self._queries.install_for(self._connection, self._queries.find(case.query), self._installed)
        self._connection.execute("BEGIN")
        self._rows, self._in_rows = case.rows, Macros(self._installed)
        self._insert(case)
        self._restrict(case)

    def _remove(self) -> None:
        if self._rows is not None:
            self._connection.execute("ROLLBACK")
        self._rows = None
        self._kept.clear()

    def _insert(self, case: Case) -> None:
        for file in case.inputs():
            try:
                for statement in self._connection.extract_statements(_read(file)):
                    self._connection.execute(statement).fetchall()
            except duckdb.Error as error:
                raise UsageError(f"{file} cannot be run: {error}") from error

    def _restrict(self, case: Case) -> None:
        if case.window is not None:
            traces = self._connection.execute("SELECT id FROM trace").fetchall()
            ids = [int(trace_id) for (trace_id,) in traces]
            scope.apply(self._connection, scope.of_traces(self._connection, ids, *case.window))


@contextmanager
def case_runner(queries: Library) -> Iterator[CaseRunner]:
    """A runner on a warehouse in memory, with the schema; macros are created as cases need them."""
    connection = duckdb.connect(config={**database.NO_WRONG_STATISTICS, "threads": 1})
    try:
        database.fill_memory(connection)
        yield CaseRunner(connection, queries)
    finally:
        connection.close()


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error


def _csv(table: pa.Table) -> str:
    """The table as `tw query --format csv` writes it."""
    from pyarrow import csv as arrow_csv

    from warehouse.query import plain

    target = io.BytesIO()
    arrow_csv.write_csv(plain.table(table.columns, table.column_names), target)
    return target.getvalue().decode()


def _cells(text: str) -> list[Cells]:
    return list(csv.reader(io.StringIO(text, newline="")))


def _sorted(rows: list[Cells]) -> list[Cells]:
    return [*rows[:1], *sorted(rows[1:])]


def _line(cells: Cells) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(cells)
    return text.getvalue()
