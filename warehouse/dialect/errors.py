"""Errors that show their position in the user's text."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from warehouse.errors import QueryError


class UnsupportedSql(QueryError):
    """The statement is invalid or cannot be translated; the message shows the position."""


def at_offset(text: str, offset: int, message: str, hint: str | None = None) -> UnsupportedSql:
    """Returns an error at a character of the text, with its line and a marker."""
    before = text[:offset]
    line_number = before.count("\n") + 1
    start = before.rfind("\n") + 1
    end = text.find("\n", offset)
    line = text[start : end if end >= 0 else len(text)].replace("\t", " ")
    column = offset - start + 1
    where = f"line {line_number}, column {column}: {message}"
    return UnsupportedSql(f"{where}\n  {line}\n  {' ' * (column - 1)}^", hint=hint)


def at_node(text: str, node: Any, message: str, hint: str | None = None) -> UnsupportedSql:
    """Returns an error at a node of the parsed statement."""
    offset = offset_of(node)
    if offset is None:
        return UnsupportedSql(message, hint=hint)
    return at_offset(text, offset, message, hint)


def offset_of(node: Any) -> int | None:
    """Returns the position of the first name, literal or call of a node, if known."""
    starts = [each.meta["start"] for each in node.walk() if each.meta.get("start") is not None]
    if starts:
        return int(min(starts))
    parent = node.parent
    while isinstance(parent, exp.Expression):
        if parent.meta.get("start") is not None:
            return int(parent.meta["start"])
        parent = parent.parent
    return None
