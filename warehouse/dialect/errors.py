"""Complaints about a user's text that show the place in it."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from warehouse.errors import QueryError


class UnsupportedSql(QueryError):
    """The statement uses what cannot be rewritten, or is wrong; the message shows where."""


def at_offset(text: str, offset: int, message: str, hint: str | None = None) -> UnsupportedSql:
    """An error at a character of the user's text, with its line and a mark under it."""
    before = text[:offset]
    line_number = before.count("\n") + 1
    start = before.rfind("\n") + 1
    end = text.find("\n", offset)
    line = text[start : end if end >= 0 else len(text)].replace("\t", " ")
    column = offset - start + 1
    where = f"line {line_number}, column {column}: {message}"
    return UnsupportedSql(f"{where}\n  {line}\n  {' ' * (column - 1)}^", hint=hint)


def at_node(text: str, node: Any, message: str, hint: str | None = None) -> UnsupportedSql:
    """An error at a part of the parsed statement."""
    offset = offset_of(node)
    if offset is None:
        return UnsupportedSql(message, hint=hint)
    return at_offset(text, offset, message, hint)


def offset_of(node: Any) -> int | None:
    """Where the first name, literal or call of a part stands, if the parser kept it."""
    starts = [each.meta["start"] for each in node.walk() if each.meta.get("start") is not None]
    if starts:
        return int(min(starts))
    parent = node.parent
    while isinstance(parent, exp.Expression):
        if parent.meta.get("start") is not None:
            return int(parent.meta["start"])
        parent = parent.parent
    return None
