"""Parses SQLite's SQL without interpreting functions, and splits scripts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import sqlglot
from sqlglot.dialects.sqlite import SQLite
from sqlglot.errors import ParseError, TokenError

from warehouse.dialect.errors import UnsupportedSql, at_offset

#: sqlglot's trees; its type annotations differ between versions.
Tree = Any


def _dialect() -> Any:
    """SQLite without sqlglot's functions, which this package translates; only CAST and CASE are
    parsed specially."""
    parser = type(
        "Parser",
        (SQLite.Parser,),
        {
            "FUNCTIONS": {},
            "FUNCTION_PARSERS": {"CAST": SQLite.Parser.FUNCTION_PARSERS["CAST"]},
            "NO_PAREN_FUNCTIONS": {},
            "NO_PAREN_FUNCTION_PARSERS": {"CASE": SQLite.Parser.NO_PAREN_FUNCTION_PARSERS["CASE"]},
        },
    )
    return type("PerfettoSQL", (SQLite,), {"Parser": parser})


Dialect = _dialect()


@dataclass(frozen=True)
class Statement:
    """A statement of a script: its position in the text, and its tokens."""

    source: str  # the whole text
    start: int
    end: int
    tokens: tuple[Any, ...]

    @property
    def text(self) -> str:
        return self.source[self.start : self.end]

    def words(self, count: int) -> list[str]:
        """The first tokens, in upper case."""
        return [token.text.upper() for token in self.tokens[:count]]


def statements(text: str) -> list[Statement]:
    """Returns the statements of a script. Raises UnsupportedSql if the text cannot be tokenised."""
    parts: list[list[Any]] = [[]]
    for token in tokenize(text):
        if token.text == ";" and token.end == token.start:
            parts.append([])
        else:
            parts[-1].append(token)
    return [_statement(text, part) for part in parts if part]


def _statement(text: str, tokens: list[Any]) -> Statement:
    return Statement(text, tokens[0].start, tokens[-1].end + 1, tuple(tokens))


def tokenize(text: str) -> list[Any]:
    """Returns the tokens of a text, without comments and whitespace."""
    try:
        return list(Dialect().tokenize(text))
    except TokenError as error:
        raise UnsupportedSql(f"cannot parse the statement: {str(error).splitlines()[0]}") from None


def parse_at(source: str, start: int, end: int) -> Tree:
    """Parses part of a text; positions in the tree refer to the whole text."""
    before = re.sub(r"[^\n]", " ", source[:start])
    try:
        trees = sqlglot.parse(before + source[start:end], read=Dialect)
    except ParseError as error:
        raise _syntax_error(source, error) from None
    if len(trees) != 1 or trees[0] is None:
        raise at_offset(source, start, "expected one statement")
    return trees[0]


def _syntax_error(source: str, error: ParseError) -> UnsupportedSql:
    detail = error.errors[0] if error.errors else {}
    line, column = detail.get("line"), detail.get("col")
    message = str(detail.get("description") or "syntax error").rstrip(".")
    if not line or not column:
        return UnsupportedSql(message)
    lines = source.split("\n")
    before = sum(len(each) + 1 for each in lines[: line - 1])
    # sqlglot reports the end of the unexpected token
    width = len(str(detail.get("highlight") or " "))
    offset = min(before + max(column - width, 0), max(len(source) - 1, 0))
    return at_offset(source, offset, f"syntax error: {message[0].lower()}{message[1:]}")


def result_names(statement: Statement) -> list[str]:
    """Returns the texts of the outermost SELECT's columns, which SQLite uses as names."""
    depth, begin, pieces, first = 0, None, list[str](), 0
    text = statement.source
    for token in statement.tokens:
        word = "" if token.text != text[token.start : token.end + 1] else token.text.upper()
        if word == ")":
            depth -= 1
        if depth == 0 and begin is None and word == "SELECT":
            begin = first = token.end + 1
        elif depth == 0 and begin is not None:
            if word == ",":
                pieces.append(text[first : token.start])
                first = token.end + 1
            elif word in _AFTER_COLUMNS:
                pieces.append(text[first : token.start])
                return [piece.strip() for piece in pieces]
        if word == "(":
            depth += 1
    pieces.append(text[first : statement.end])
    return [piece.strip() for piece in pieces]


_AFTER_COLUMNS = frozenset(
    ("FROM", "WHERE", "GROUP", "GROUP BY", "HAVING", "ORDER", "ORDER BY", "LIMIT", "UNION")
) | frozenset(("INTERSECT", "EXCEPT", "WINDOW", "UNION ALL"))
