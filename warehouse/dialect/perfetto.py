"""Translates PerfettoSQL scripts to DuckDB statements, as a pure function.

A script consists of CREATE statements and one SELECT. Its tables and views become TEMP objects;
functions and macros are inlined.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from warehouse.dialect import catalogue, intervals, modules
from warehouse.dialect.errors import UnsupportedSql, at_offset
from warehouse.dialect.macros import Macros
from warehouse.dialect.parse import Statement, parse_at, result_names, statements, tokenize
from warehouse.dialect.scope import Column
from warehouse.dialect.selects import Selects
from warehouse.dialect.sources import Names, OwnFunction
from warehouse.dialect.values import Type, name


@dataclass(frozen=True)
class Script:
    """A translated script: run `setup`, then `query`. Columns of type ANY hold the type sqlite_any
    of macros.sql. `uses_arrows`: the script reads flows, which are then materialised."""

    setup: tuple[str, ...]
    query: str
    columns: tuple[Column, ...]
    uses_arrows: bool = False


@dataclass
class _Work:
    source: str
    names: Names = field(default_factory=Names)
    macros: Macros = field(default_factory=Macros)
    setup: list[str] = field(default_factory=list)
    included: set[str] = field(default_factory=set)  # modules
    result: tuple[list[Column], str] | None = None


_SPANS = ("SPAN_JOIN", "SPAN_LEFT_JOIN", "SPAN_OUTER_JOIN")
_TYPES = {
    "INT": Type.INT, "LONG": Type.INT, "UINT": Type.INT, "BOOL": Type.INT, "ID": Type.INT,
    "JOINID": Type.INT, "TIMESTAMP": Type.INT, "DURATION": Type.INT, "ARGSETID": Type.INT,
    "FLOAT": Type.REAL, "DOUBLE": Type.REAL, "STRING": Type.TEXT, "TEXT": Type.TEXT,
}  # fmt: skip


def translate(text: str) -> Script:
    """Translates a PerfettoSQL script to DuckDB statements; raises UnsupportedSql with position."""
    try:
        return _translate(text)
    except RecursionError:
        raise UnsupportedSql(
            "the statement is nested too deeply", hint="Split it, or use --dialect duckdb."
        ) from None


def _translate(text: str) -> Script:
    work = _Work(text)
    for statement in statements(text):
        expanded = work.macros.expand(statement)
        _handler(expanded)(work, expanded)
    if work.result is None:
        raise UnsupportedSql("the script has no SELECT", hint="End the script with a SELECT.")
    columns, sql = work.result
    return Script(tuple(work.setup), sql, tuple(columns), work.names.uses_arrows)


def _handler(statement: Statement) -> Callable[[_Work, Statement], None]:
    words = " ".join(statement.words(6))
    words = re.sub(r"^CREATE OR REPLACE\b", "CREATE", words)
    words = re.sub(r"^CREATE (TEMP|TEMPORARY)\b", "CREATE", words)
    for pattern, handler in _HANDLERS:
        if re.match(pattern + r"\b", words):
            return handler
    return _refuse_statement


def _select(work: _Work, statement: Statement) -> None:
    if work.result is not None:
        raise at_offset(
            work.source, statement.start, "a second SELECT", "Run them one after the other."
        )
    columns, sql = _translated(work, statement, 0)
    shown = result_names(statement)
    if len(shown) == len(columns):
        columns = [_as_written(column, text) for column, text in zip(columns, shown, strict=True)]
    names = ", ".join(name(c.name) for c in _distinct(columns))
    work.result = (_distinct(columns), f'SELECT * FROM ({sql}) AS "tw result"({names})')


def _as_written(column: Column, text: str) -> Column:
    """Names unnamed columns by their text, as SQLite does."""
    if re.search(r"\bas\s+\S+$", text, re.IGNORECASE) or re.fullmatch(r"[\w.\"`\[\]*]+", text):
        return column
    if column.name.lower() in text.lower().split()[-1:]:
        return column  # an alias without AS
    return Column(text, column.type)


def _distinct(columns: list[Column]) -> list[Column]:
    used: set[str] = set()
    found = []
    for column in columns:
        own, count = column.name, 0
        while own.lower() in used:
            count += 1
            own = f"{column.name}_{count}"
        used.add(own.lower())
        found.append(Column(own, column.type))
    return found


def _translated(work: _Work, statement: Statement, skip: int, **options: Any) -> Any:
    start = statement.tokens[skip].start
    tree = parse_at(statement.source, start, statement.end)
    return Selects(statement.source, work.names).query(tree, **options)


def _create(work: _Work, statement: Statement) -> None:
    """CREATE [OR REPLACE] [PERFETTO] TABLE|VIEW name[(columns)] AS SELECT …"""
    words = statement.words(len(statement.tokens))
    kind = "TABLE" if "TABLE" in words[: words.index("AS") if "AS" in words else 6] else "VIEW"
    at = words.index(kind) + 1
    if words[at : at + 3] == ["IF", "NOT", "EXISTS"]:
        at += 3
    own = statement.tokens[at].text
    if "AS" not in words[at:]:
        raise at_offset(
            statement.source,
            statement.tokens[at].start,
            f"the table {own} has no rows here: nothing can be inserted",
            f"Write CREATE PERFETTO TABLE {own} AS SELECT ….",
        )
    declared = _between_parentheses(statement, at + 1)
    begin = at + 1 + words[at + 1 :].index("AS") + 1
    columns, sql = _translated(work, statement, begin)
    if declared and len(declared) != len(columns):
        raise at_offset(
            statement.source,
            statement.tokens[at].start,
            f"{own} declares {len(declared)} columns, its SELECT has {len(columns)}",
        )
    if own.lower() in catalogue.TABLES or own.lower() in catalogue.ALIASES:
        raise at_offset(statement.source, statement.tokens[at].start, f"table {own} already exists")
    key = f"perfetto own {kind.lower()} {own.lower()}"
    work.setup.append(f"CREATE OR REPLACE TEMP {kind} {name(key)} AS {sql}")
    work.names.views[own.lower()] = (key, columns)


def _between_parentheses(statement: Statement, at: int) -> list[list[str]]:
    """Returns the items of a parenthesised list as tokens; empty if there is no list."""
    tokens = statement.tokens[at:]
    if not tokens or tokens[0].text != "(":
        return []
    parts: list[list[str]] = [[]]
    depth = 0
    for token in tokens:
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        if depth == 0:
            break
        if token.text == "," and depth == 1:
            parts.append([])
        elif not (token.text == "(" and depth == 1):
            parts[-1].append(token.text)
    return [part for part in parts if part]


def _create_function(work: _Work, statement: Statement) -> None:
    """CREATE PERFETTO FUNCTION name(parameter TYPE, …) RETURNS TYPE|TABLE(…) AS SELECT …"""
    words = statement.words(len(statement.tokens))
    at = words.index("FUNCTION") + 1
    own = statement.tokens[at].text
    if "RETURNS" not in words or "AS" not in words:
        raise at_offset(
            statement.source, statement.start, f"the function {own} needs RETURNS and AS"
        )
    returns = words.index("RETURNS") + 1
    parameters = [
        (part[0].lstrip("$"), _type(part[1:], statement))
        for part in _between_parentheses(statement, at + 1)
    ]
    if words[returns] == "TABLE":
        columns = [
            Column(part[0], _type(part[1:], statement))
            for part in _between_parentheses(statement, returns + 1)
        ]
    else:
        columns = [Column("", _type([words[returns]], statement))]
    begin = returns + words[returns:].index("AS") + 1
    if words[begin : begin + 1] == ["DELEGATES"]:
        raise at_offset(statement.source, statement.start, "DELEGATES TO is not supported")
    body = parse_at(statement.source, statement.tokens[begin].start, statement.end)
    work.names.functions[own.lower()] = OwnFunction(
        own, tuple(parameters), tuple(columns), body, statement.source
    )


def _type(words: list[str], statement: Statement) -> Type:
    kind = re.sub(r"[^A-Z].*", "", words[0].upper()) if words else ""
    if kind not in _TYPES:
        raise at_offset(
            statement.source,
            statement.start,
            f"the type {' '.join(words) or '(none)'} is not supported",
        )
    return _TYPES[kind]


def _create_macro(work: _Work, statement: Statement) -> None:
    work.macros.define(statement)


def _include(work: _Work, statement: Statement) -> None:
    module = "".join(token.text for token in statement.tokens[3:]).lower()
    if module not in modules.names():
        raise at_offset(
            work.source,
            statement.tokens[min(3, len(statement.tokens) - 1)].start,
            f"the module {module or '(none)'} is trace_processor's own",
            f"Available here: {', '.join(modules.names())}. For others, use trace_processor on a "
            "`tw export perfetto` file.",
        )
    if module in work.included:
        return
    work.included.add(module)
    modules.provide(module, work.macros)
    for each in statements(modules.text(module)):
        _handler(each)(work, each)


def _drop(work: _Work, statement: Statement) -> None:
    words = [token.text for token in statement.tokens]
    own = words[-1].lower()
    known = work.names.views.pop(own, None) or work.names.functions.pop(own, None)
    if known is None and "EXISTS" not in (word.upper() for word in words):
        raise at_offset(
            statement.source, statement.tokens[-1].start, f"cannot drop {words[-1]}: not found"
        )


def _virtual(work: _Work, statement: Statement) -> None:
    """CREATE VIRTUAL TABLE name USING SPAN_JOIN(table [PARTITIONED column], table …)"""
    words = statement.words(len(statement.tokens))
    kind = words[words.index("USING") + 1] if "USING" in words[:-1] else "a virtual table"
    if kind not in _SPANS:
        hint = (
            f"Supported: {', '.join(_SPANS)}. Write CREATE PERFETTO TABLE … AS SELECT for others."
        )
        raise at_offset(statement.source, statement.start, f"{kind} is not supported", hint)
    parts = _between_parentheses(statement, words.index("USING") + 2)
    if len(parts) != 2:
        raise at_offset(statement.source, statement.start, f"{kind} takes two tables")
    first, second = (_span(work, statement, part) for part in parts)
    twice = set(first.columns).intersection(second.columns)
    if twice:
        raise at_offset(
            statement.source,
            statement.start,
            f"the column {min(twice)} is in both tables",
            "Create a view that leaves it out of one, or renames it.",
        )
    own = statement.tokens[3].text
    text = intervals.span_join(kind, first, second)
    joined = Statement(text, 0, len(text), tuple(tokenize(text)))
    columns, sql = _translated(work, joined, 0)
    key = f"perfetto own table {own.lower()}"
    work.setup.append(f"CREATE OR REPLACE TEMP VIEW {name(key)} AS {sql}")
    work.names.views[own.lower()] = (key, columns)


def _span(work: _Work, statement: Statement, words: list[str]) -> intervals.Span:
    """A table of a span join, of the words `table [PARTITIONED column]`."""
    table = words[0]
    partition = words[2] if len(words) == 3 and words[1].upper() == "PARTITIONED" else None
    base = catalogue.ALIASES.get(table.lower(), table.lower())
    view = work.names.views.get(base)
    columns = [c.name for c in (view[1] if view else catalogue.TABLES.get(base, []))]
    lacks = {"ts", "dur", *([partition] if partition else [])}.difference(columns)
    if lacks or (len(words) > 1 and partition is None):
        problem = f"has no column {min(lacks)}" if columns and lacks else "is not there"
        if not lacks:
            problem = "is followed by something else than PARTITIONED and a column"
        raise at_offset(statement.source, statement.start, f"the table {table} {problem}")
    shown = tuple(c for c in columns if c not in ("ts", "dur", partition))
    return intervals.Span(table, partition, shown)


def _index(work: _Work, statement: Statement) -> None:
    """Ignores CREATE INDEX, which does not affect results."""


def _refuse_statement(work: _Work, statement: Statement) -> None:
    first = statement.tokens[0].text.upper()
    if statement.words(2) == ["/", "/"]:
        raise at_offset(
            statement.source,
            statement.start,
            "// does not start a comment in SQL",
            "Use -- for comments.",
        )
    raise at_offset(
        statement.source,
        statement.start,
        f"{first} is not supported: queries are read-only",
        "Write CREATE PERFETTO TABLE, VIEW, FUNCTION or MACRO, then one SELECT.",
    )


_HANDLERS: list[tuple[str, Callable[[_Work, Statement], None]]] = [
    (r"(SELECT|WITH|VALUES|\()", _select),
    (r"INCLUDE PERFETTO MODULE", _include),
    (r"CREATE VIRTUAL TABLE", _virtual),
    (r"CREATE PERFETTO INDEX", _index),
    (r"CREATE PERFETTO FUNCTION", _create_function),
    (r"CREATE PERFETTO MACRO", _create_macro),
    (r"CREATE (PERFETTO )?(TABLE|VIEW)", _create),
    (r"DROP (PERFETTO )?(TABLE|VIEW|INDEX|FUNCTION|MACRO)", _drop),
]
