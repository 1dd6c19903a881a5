"""Digests of the rows that queries give on the reference tables: the other half of a version.

`queries/reference/digests.csv` has a line for each query version, set and parameters. Rows are
compared without their order, without wording, and with floating-point numbers rounded to 12
digits. Beside the defaults, each parameter is set to its example in
`queries/reference/parameters.toml`.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warehouse import files
from warehouse.errors import ContractError, TwError
from warehouse.query import digest, reference
from warehouse.store import database

if TYPE_CHECKING:
    import duckdb

    from warehouse.library.library import Library, Query
    from warehouse.query.session import Session

_HEAD = 8  # rows whose hashes are kept, to name the first that differ
_PROSE = ("meaning", "remedy")  # columns whose wording may change within a version
_FIELDS = ("query", "set", "parameters", "n_rows", "digest", "head")


@dataclass(frozen=True)
class Arguments:
    """How to call a query on the reference tables."""

    sets: tuple[str, ...] = ()  # of required arguments that are valid in these sets only
    required: Mapping[str, Any] = field(default_factory=dict)
    examples: Mapping[str, Any] = field(default_factory=dict)  # values other than the defaults


@dataclass(frozen=True)
class Call:
    """A query version with a set and the parameters given, as JSON."""

    query: str  # pinned
    set: str
    parameters: str

    @property
    def label(self) -> str:
        given = ", ".join(f"{name}={value}" for name, value in json.loads(self.parameters).items())
        return f"set {self.set}" + (f" with {given}" if given else "")


@dataclass(frozen=True)
class Rows:
    """The result of a call: the number of rows, their digest, and the hashes of the first ones."""

    n_rows: int
    digest: str
    head: tuple[str, ...]


def arguments(place: Path | None = None) -> dict[str, Arguments]:
    """The entries of parameters.toml by query name; raises ContractError if it is invalid."""
    path = (place or reference.folder()) / "parameters.toml"
    try:
        values = tomllib.loads(path.read_text()) if path.exists() else {}
        return {
            name: Arguments(
                tuple(each.get("sets", ())), each.get("required", {}), each.get("examples", {})
            )
            for name, each in values.items()
        }
    except (tomllib.TOMLDecodeError, AttributeError) as error:
        raise ContractError(f"{path} cannot be read: {error}") from None


def calls(query: Query, known: Arguments, sets: Iterable[str]) -> Iterator[Call]:
    """The calls of a query: the defaults, then each example by itself."""
    assert query.header is not None
    variants = [{}, *({name: value} for name, value in known.examples.items())]
    required = [each.name for each in query.parameters if not each.has_default]
    if not set(required) <= known.required.keys():
        return
    for name in known.sets or sets:
        for variant in variants:
            yield Call(str(query.key), name, json.dumps({**known.required, **variant}))


class Measurement:
    """Runs calls and digests their rows; a context manager with a database of its own.

    With `of_public`, all calls are of public queries, which keep blocks as in a report: planning
    takes less time. Rows of blocks may depend on the order of those they read.
    """

    def __init__(self, opened: Session, *, of_public: bool = False) -> None:
        self._opened, self._of_public = opened, of_public
        self._stack = ExitStack()
        self._scratch: duckdb.DuckDBPyConnection | None = None
        self._set: str | None = None

    def __enter__(self) -> Measurement:
        self._scratch = self._stack.enter_context(database.scratchpad())
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def rows(self, call: Call) -> Rows:
        """Runs a call; raises what the query raises."""
        hashes = [hash_ for hash_, _ in self._hashed(call)]
        return Rows(len(hashes), _digest(hashes), tuple(each[:8] for each in hashes[:_HEAD]))

    def differing(self, call: Call, then: Rows) -> list[str]:
        """The first rows that were not among the first ones then, as text."""
        past = set(then.head)
        found = [text for hash_, text in self._hashed(call)[:_HEAD] if hash_[:8] not in past]
        return found[:3]

    def _hashed(self, call: Call) -> list[tuple[str, str]]:
        if call.set != self._set:
            reference.choose(self._opened, call.set)
            self._set = call.set
        query = self._opened.queries.queries[call.query]
        values = json.loads(call.parameters)
        table = self._opened.run(query, values, is_short=self._of_public).table()
        assert self._scratch is not None
        table = table.drop_columns([name for name in _PROSE if name in table.column_names])
        found = digest.hashed_rows(self._scratch, table)
        return sorted(found) if query.layer in ("lib", "link") else found


def _digest(hashes: Sequence[str]) -> str:
    return hashlib.sha256("".join(sorted(hashes)).encode()).hexdigest()[:24]


def read(place: Path | None = None) -> dict[Call, Rows]:
    """The stored digests, in order; empty where there are none."""
    path = (place or reference.folder()) / "digests.csv"
    if not path.exists():
        return {}
    with path.open(newline="", encoding="utf-8") as file:
        return {
            Call(row["query"], row["set"], row["parameters"]): Rows(
                int(row["n_rows"]), row["digest"], tuple(row["head"].split())
            )
            for row in csv.DictReader(file)
        }


def problems(
    queries: Library, chosen: Sequence[Query], *, all_sets: bool, place: Path | None = None
) -> list[str]:
    """Versions whose rows differ from the stored digests: "name@version: rows: ...".

    Unless `all_sets`, each public query is run on the first of its sets only: building blocks are
    covered by their callers.
    """
    stored = read(place)
    keys = {str(query.key) for query in chosen}
    due = [call for call in stored if call.query in keys and call.query in queries.queries]
    if not all_sets:
        due = [call for call in due if queries.queries[call.query].layer not in ("lib", "link")]
        first = {call.query: call.set for call in reversed(due)}
        due = [call for call in due if first[call.query] == call.set]
    found = [
        f"{key}: rows: has no digest; add it with --write-lock"
        for key in sorted({call.query for call in _missing(queries, stored, place)} & keys)
    ]
    if not due:  # as for queries of the user
        return found
    with (
        reference.opened(queries, place) as opened,
        Measurement(opened, of_public=not all_sets) as measurement,
    ):
        for call in sorted(due, key=lambda each: each.set):
            found += _difference(measurement, call, stored[call])
    return found


def _difference(measurement: Measurement, call: Call, then: Rows) -> Iterator[str]:
    try:
        now = measurement.rows(call)
        if now.digest == then.digest:
            return
        rows = measurement.differing(call, then)
    except TwError as error:
        yield f"{call.query}: rows: {call.label}: {error.message}"
        return
    counts = f"{then.n_rows} rows before, {now.n_rows} now"
    shown = "".join(f"\n    {row}" for row in rows)
    yield (
        f"{call.query}: rows changed without a new version: {call.label}: {counts}"
        + (f"; the first that differ:{shown}" if rows else "")
    )


def _missing(
    queries: Library, stored: Iterable[Call], place: Path | None, sets: Sequence[str] = ("",)
) -> list[Call]:
    """The calls of the program's own queries that have no digest on any set."""
    known = arguments(place)
    present = {(call.query, call.parameters) for call in stored}
    return [
        call
        for key, query in sorted(queries.queries.items())
        if query.origin == "built-in"
        for call in calls(query, known.get(_name(key), Arguments()), sets)
        if (key, call.parameters) not in present
    ]


def write(queries: Library, place: Path | None = None) -> list[str]:
    """Adds the digests that are missing and drops those of removed versions and parameters.

    Stored digests stay as they are. Returns the keys added.
    """
    stored = read(place)
    declared = {(call.query, call.parameters) for call in _missing(queries, (), place)}
    kept = {
        call: rows for call, rows in stored.items() if (call.query, call.parameters) in declared
    }
    due = _missing(queries, stored, place, reference.sets(place))
    with reference.opened(queries, place) as opened, Measurement(opened) as measurement:
        new = {call: measurement.rows(call) for call in sorted(due, key=lambda each: each.set)}
    _write(kept | _worth_keeping(new), place)
    return sorted({call.query for call in due})


def _worth_keeping(new: Mapping[Call, Rows]) -> dict[Call, Rows]:
    """The calls with rows; where a query has none for some parameters, one call without."""
    kept = {call: rows for call, rows in new.items() if rows.n_rows}
    found = {(call.query, call.parameters) for call in kept}
    for call, rows in new.items():
        if (call.query, call.parameters) not in found:
            found.add((call.query, call.parameters))
            kept[call] = rows
    return kept


def _write(digests: Mapping[Call, Rows], place: Path | None) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_FIELDS)
    for call in sorted(digests, key=lambda each: (each.query, each.set, each.parameters)):
        rows = digests[call]
        head = " ".join(rows.head)
        writer.writerow([call.query, call.set, call.parameters, rows.n_rows, rows.digest, head])
    with files.whole_file((place or reference.folder()) / "digests.csv") as file:
        file.write(text.getvalue().encode())


def _name(key: str) -> str:
    return key.partition("@")[0]
