"""What the tools of the server return: rows and descriptions, of limited size.

Each call opens the warehouse for reading and closes it, so that others can write between calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from warehouse.errors import UsageError
from warehouse.query import session
from warehouse.query.selection import Selection, select

if TYPE_CHECKING:
    import pyarrow as pa

    from warehouse.library.header import Column
    from warehouse.library.library import Library, Query
    from warehouse.query.encoding import Rows
    from warehouse.query.session import Place, Session

#: Rows beyond the returned ones are counted up to this number.
COUNTED_ROWS = 1_000_000
CELL_CHARACTERS = 2_000
COMPARISONS = ("summary", "kernels", "ops", "collectives", "steps", "ranks", "notes")
Answer = dict[str, Any]


@dataclass(frozen=True)
class Limits:
    """Limits of one call."""

    max_rows: int = 1_000
    max_bytes: int = 100_000  # of the rows, as JSON
    timeout_s: float = 60.0


class Answers:
    """The tools over a warehouse; arguments and answers are plain values.

    Every method raises TwError.
    """

    def __init__(self, place: Place, limits: Limits) -> None:
        self.place = place
        self.limits = limits

    def list_runs(self, max_rows: int = 50) -> Answer:
        """The newest runs first, so that the others are left out."""
        from warehouse.query.result import QueryResult

        with session.opened(self.place, _selection({"run": "all"})) as opened:
            result = opened.run("runs", timeout_s=self.limits.timeout_s)
            rows = result.table().sort_by([("run_id", "descending")])
            return self._limited(QueryResult(rows, result.columns, {}), max_rows)

    def list_queries(self, group: str | None = None) -> str:
        from warehouse.library import describe

        queries = self._queries()
        found = [each for each in describe.entries(queries, group, helpers=False)
                 if each.alias_of is None]  # fmt: skip
        if not found:
            groups = sorted({each.layer for each in queries.newest.values()})
            raise UsageError(f"group {group!r} not found", hint=f"Groups: {', '.join(groups)}.")
        return "\n".join(f"{each.name}: {each.title}" for each in found)

    def find_queries(self, words: str, max_rows: int = 10) -> str:
        from warehouse.library import describe, search

        found = search.find(self._queries(), [words])[: max(max_rows, 1)]
        if not found:
            raise UsageError(f"no query matches {words!r}", hint="list_queries has all of them.")
        return "\n".join(": ".join(describe.heading(each)) for each in found)

    def describe(self, name: str) -> str:
        from warehouse.library import describe

        queries = self._queries()
        if name in queries.newest or "@" in name:
            return "\n".join(describe.query(queries.find(name)))
        try:
            with session.opened(self.place, Selection(runs=("all",)), queries) as opened:
                return "\n".join(describe.table(opened.connection, name))
        except UsageError as error:
            raise UsageError(f"no query or table is named {name!r}", hint=error.hint) from None

    def run_query(
        self,
        name: str,
        parameters: Mapping[str, str | int | float | bool] | None = None,
        scope: Mapping[str, str] | None = None,
        max_rows: int = 100,
        columns: Sequence[str] = (),
    ) -> Answer:
        values = {key: str(value) for key, value in (parameters or {}).items()}
        return self._rows(name, values, scope or {}, max_rows, columns)

    def run_sql(
        self,
        statement: str,
        scope: Mapping[str, str] | None = None,
        max_rows: int = 100,
        dialect: str = "duckdb",
    ) -> Answer:
        from warehouse.library import library

        if dialect not in session.DIALECTS:
            raise UsageError(
                f"unknown dialect {dialect!r}", hint=f"One of {', '.join(session.DIALECTS)}."
            )
        query = library.from_text(statement)
        with session.opened(self.place, _selection(scope or {})) as opened:
            return self._run(opened, query, {}, max_rows, dialect=dialect)

    def diagnose(self, scope: Mapping[str, str] | None = None, step: int | None = None) -> Answer:
        from warehouse.diagnose import diagnosis, text

        with session.opened(self.place, _selection(scope or {})) as opened:
            found = diagnosis.diagnose(opened, step)
            headline = text.headline(found, ", ".join(opened.seen.run_names))
            rows = self._limited(found.rows, self.limits.max_rows)
            return {"summary": headline, **rows, **_notes(opened)}

    def compare(self, a: str, b: str, by: str = "summary", max_rows: int = 100) -> Answer:
        if by not in COMPARISONS:
            raise UsageError(f"unknown comparison {by!r}", hint=f"One of {', '.join(COMPARISONS)}.")
        return self._rows(f"compare_{by}", {"a": a, "b": b}, {"run": "all"}, max_rows)

    def _queries(self) -> Library:
        from warehouse.library import library

        return library.load(self.place.query_path)

    def _rows(
        self,
        name: str,
        parameters: Mapping[str, str],
        scope: Mapping[str, str],
        max_rows: int,
        columns: Sequence[str] = (),
    ) -> Answer:
        queries = self._queries()
        query = queries.find(name)
        session.check(query, parameters, "duckdb")  # before the warehouse is opened
        with session.opened(self.place, _selection(scope), queries) as opened:
            return self._run(opened, query, parameters, max_rows, columns)

    def _run(
        self,
        opened: Session,
        query: Query,
        parameters: Mapping[str, str],
        max_rows: int,
        columns: Sequence[str] = (),
        dialect: str = "duckdb",
    ) -> Answer:
        from warehouse.query import emptiness

        timeout_s = self.limits.timeout_s
        with opened.run(query, parameters, dialect=dialect, timeout_s=timeout_s) as result:
            answer = self._limited(result, max_rows, columns)
        about = {"query": str(query.key)} if query.header is not None else {}
        notes = _notes(opened)
        if not answer["rows"] and (note := emptiness.note(opened, query)):
            notes["notes"] = [*notes.get("notes", []), note]
        return about | answer | notes

    def _limited(self, rows: Rows, max_rows: int, columns: Sequence[str] = ()) -> Answer:
        """The first rows as lists of values, with the columns they have and how many are left."""
        most = min(max(max_rows, 0), self.limits.max_rows)
        first, n_rows = _first(rows, most)
        names = _chosen(rows.columns, columns)
        encoded = _encoded(first, names)
        kept, n_bytes = [], 0
        for row in encoded:
            n_bytes += len(row)
            if n_bytes > self.limits.max_bytes:
                break
            kept.append(row)
        about = {column.name: column for column in rows.columns}
        return {
            "columns": [_described(about[name]) for name in names],
            "rows": [_decoded(row) for row in kept],
            **_left_out(len(kept), n_rows, len(kept) < len(encoded)),
        }


def _selection(scope: Mapping[str, str]) -> Selection:
    """The scope given as run, trace, rank, from and to, as the options of the command line."""
    known = {"run": "run", "trace": "trace", "rank": "rank", "from": "start", "to": "end"}
    if unknown := [key for key in scope if key not in known]:
        raise UsageError(f"unknown scope {unknown[0]!r}", hint=f"One of {', '.join(known)}.")
    return select(**{known[key]: str(value) for key, value in scope.items()})


def _notes(opened: Session) -> Answer:
    """Which run was chosen by default, and which traces are damaged."""
    notes = [note for note in (opened.seen.notice, opened.seen.damage) if note]
    return {"notes": notes} if notes else {}


def _first(rows: Rows, most: int) -> tuple[pa.Table, int | None]:
    """The first rows, and how many there are; None: more than are counted."""
    import pyarrow as pa

    kept: list[pa.RecordBatch] = []
    n_kept = n_rows = 0
    for batch in rows.batches():
        if n_kept < most:
            kept.append(batch.slice(0, most - n_kept))
            n_kept += kept[-1].num_rows
        n_rows += batch.num_rows
        if n_rows > max(COUNTED_ROWS, most):
            return pa.Table.from_batches(kept, rows.schema), None
    return pa.Table.from_batches(kept, rows.schema), n_rows


def _chosen(columns: Iterable[Column], selected: Sequence[str]) -> list[str]:
    names = [column.name for column in columns]
    for name in selected:
        if name not in names:
            raise UsageError(f"no column {name!r}", hint=f"Columns: {', '.join(names)}.")
    return list(selected) or names


def _encoded(table: pa.Table, names: Sequence[str]) -> list[bytes]:
    """Each row as a JSON list; long texts are cut."""
    import msgspec

    from warehouse.query import plain

    encode = msgspec.json.Encoder(decimal_format="number").encode
    places = [table.column_names.index(name) for name in names]
    columns = [plain.values(plain.readable(table.column(place))) for place in places]
    return [encode([_cut(value) for value in row]) for row in zip(*columns, strict=True)]


def _decoded(row: bytes) -> Any:
    import msgspec

    return msgspec.json.decode(row)


def _cut(value: Any) -> Any:
    if not isinstance(value, str) or len(value) <= CELL_CHARACTERS:
        return value
    return f"{value[:CELL_CHARACTERS]}... ({len(value):,} characters)"


def _described(column: Column) -> str:
    return f"{column.name} [{column.unit}]" if column.unit else column.name


def _left_out(n_shown: int, n_rows: int | None, is_cut: bool) -> Answer:
    if n_rows is None:
        return {"n_rows": None, "left_out": f"more than {COUNTED_ROWS:,} rows: aggregate them"}
    if n_shown == n_rows:
        return {"n_rows": n_rows}
    why = "the answer would be too long: choose columns" if is_cut else "raise max_rows"
    return {"n_rows": n_rows, "left_out": f"{n_rows - n_shown:,} rows; {why}, or aggregate them"}


#: The tools by name.
TOOLS: Mapping[str, Callable[..., Any]] = {
    name: getattr(Answers, name)
    for name in ("list_runs", "list_queries", "find_queries", "describe", "run_query", "run_sql",
                 "diagnose", "compare")
}  # fmt: skip
