"""Completion for the shell: pure functions over a vocabulary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from warehouse.library import tokens
from warehouse.query import encoding
from warehouse.shell.shell import COMMANDS

if TYPE_CHECKING:
    from warehouse.query.session import Session

_KEYWORDS = """
ALL AND ANTI AS ASC ASOF BETWEEN BY CASE CAST CROSS DESC DESCRIBE DISTINCT ELSE END EXCEPT EXISTS
EXPLAIN FILTER FROM FULL GROUP HAVING IN INNER INTERSECT IS JOIN LATERAL LEFT LIKE LIMIT NOT NULL
OFFSET ON OR ORDER OUTER OVER PARTITION PIVOT QUALIFY RECURSIVE RIGHT SELECT SEMI SUMMARIZE THEN
UNION UNNEST USING VALUES WHEN WHERE WINDOW WITH
"""
KEYWORDS = tuple(_KEYWORDS.split())
_AFTER_TABLE = {"from", "join", "summarize", "describe"}


class Candidate(NamedTuple):
    """A completion that replaces the last `length` characters, with a description."""

    text: str
    length: int
    meaning: str


@dataclass
class Vocabulary:
    """Names for completion; `columns` by table, `parameters` by query, with descriptions."""

    columns: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    tables: Mapping[str, str] = field(default_factory=dict)
    queries: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    results: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # of queries
    runs: Sequence[str] = ()


def vocabulary(session: Session) -> Vocabulary:
    """Returns the names of an open warehouse and the library."""
    columns: dict[str, dict[str, str]] = {}
    for table, column, meaning in session.connection.execute(
        "SELECT table_name, column_name, coalesce(comment, '') FROM duckdb_columns() "
        "WHERE NOT internal AND database_name = current_database() AND schema_name = 'main' "
        "ORDER BY ALL"
    ).fetchall():
        columns.setdefault(table, {})[column] = meaning
    runs = session.connection.execute("SELECT name FROM run ORDER BY id DESC").fetchall()
    queries = session.queries.newest.items()
    headers = {name: query.header for name, query in queries if query.header}
    return Vocabulary(
        columns=columns,
        tables=dict.fromkeys(columns, "table"),
        queries={name: header.title for name, header in headers.items()},
        parameters={
            name: {each.name: each.help for each in header.parameters}
            for name, header in headers.items()
        },
        results={
            name: {each.name: f"[{each.unit}] {each.help}" for each in header.columns}
            for name, header in headers.items()
        },
        runs=[name for (name,) in runs],
    )


def candidates(text: str, words: Vocabulary) -> list[Candidate]:
    """Returns completions of `text`, best first."""
    found = _dot_command(text, words) if text.lstrip().startswith(".") else _sql(text, words)
    return list(dict.fromkeys(found))


def _dot_command(text: str, words: Vocabulary) -> Iterator[Candidate]:
    command, space, rest = text.lstrip()[1:].partition(" ")
    if not space:
        helps = {name: each.help for name, each in COMMANDS.items()} | {"quit": "Leave."}
        yield from _starting(command, helps)
        return
    last = rest.rpartition(" ")[2]
    name = rest.split(" ", 1)[0]
    if command == "run" and " " in rest:
        options = words.parameters.get(name, {})
        yield from _starting(last, {f"{key}=": text for key, text in options.items()})
    elif command in ("run", "explain"):
        yield from _starting(last, words.queries)
    elif command == "schema":
        yield from _starting(last, words.tables)
    elif command == "format":
        yield from _starting(last, dict.fromkeys(encoding.FORMATS, ""))
    elif command == "scope" and last.startswith("run="):
        names = ["latest", "all", *words.runs]
        yield from _starting(last[4:], dict.fromkeys(names, "run"))
    elif command == "scope":
        yield from _starting(
            last, {f"{key}=": "" for key in ("run", "trace", "rank", "from", "to")}
        )


def _sql(text: str, words: Vocabulary) -> Iterator[Candidate]:
    found = tokens.split(text)
    if tokens.is_open(found) or (found and found[-1].kind in ("text", "comment")):
        return
    prefix = found.pop().text if found and found[-1].kind == "word" else ""
    before = [token.text for token in found if token.kind not in ("space", "comment")]
    last = before[-1].lower() if before else ""
    if last == ".":
        yield from _starting(
            prefix, _columns_of(before[-2] if len(before) > 1 else "", text, words)
        )
    elif call := _open_call(before, words):
        options = words.parameters[call]
        yield from _starting(prefix, {f"p_{key} := ": text for key, text in options.items()})
    elif last in _AFTER_TABLE or (last == "," and _in_from(before)):
        yield from _starting(prefix, words.tables)
        yield from _starting(prefix, {f"{key}()": text for key, text in words.queries.items()})
    else:
        for table in _sources(text, words):
            yield from _starting(prefix, words.columns.get(table) or words.results[table])
        if prefix:
            yield from _starting(prefix, dict.fromkeys(KEYWORDS, ""))
            yield from _starting(prefix, words.tables)


def _starting(prefix: str, names: Mapping[str, str]) -> Iterator[Candidate]:
    lower = prefix.lower()
    for name, meaning in names.items():
        if name.lower().startswith(lower):
            shown = name.lower() if name in KEYWORDS and prefix.islower() else name
            yield Candidate(shown, len(prefix), meaning)


def _open_call(before: Iterable[str], words: Vocabulary) -> str | None:
    """Returns the library query whose arguments are being typed."""
    open_calls: list[str] = []
    previous = ""
    for text in before:
        if text == "(":
            open_calls.append(previous.lower())
        elif text == ")" and open_calls:
            open_calls.pop()
        previous = text
    inner = open_calls[-1] if open_calls else ""
    return inner if words.parameters.get(inner) and previous in ("(", ",") else None


def _in_from(before: Sequence[str]) -> bool:
    """Whether a comma separates tables: the last clause is FROM."""
    clauses = ("select", "from", "where", "by", "having", "on", "using", "limit")
    begun = [text.lower() for text in before if text.lower() in clauses]
    return bool(begun) and begun[-1] == "from"


def _sources(text: str, words: Vocabulary) -> list[str]:
    """Returns the tables and queries in the text, in order."""
    names = (token.text.lower() for token in tokens.split(text) if token.kind == "word")
    known = (name for name in names if name in words.columns or name in words.results)
    return list(dict.fromkeys(known))


def _columns_of(alias: str, text: str, words: Vocabulary) -> Mapping[str, str]:
    """Returns the columns of a table or alias: `slice AS s`, `slice s`, `utilization() u`."""
    alias = alias.lower()
    found = [token.text.lower() for token in tokens.split(text)
             if token.kind not in ("space", "comment") and token.text.lower() != "as"]  # fmt: skip
    for index, name in enumerate(found):
        columns = words.columns.get(name) or words.results.get(name)
        if columns is None:
            continue
        after = index + 1
        if found[after : after + 1] == ["("]:
            after = found.index(")", after) + 1 if ")" in found[after:] else len(found)
        if alias == name or found[after : after + 1] == [alias]:
            return columns
    return {}
