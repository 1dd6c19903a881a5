"""Parses what rows a linker requires: the entries of `requires.rows` in its header.

An entry is a table, `table without column` (rows whose column is NULL), or `table where condition`;
several of these, separated by ` | `, are alternatives: rows of one of them suffice.
"""

from __future__ import annotations

import re

_ENTRY = re.compile(r"(\w+)(?: without (\w+)| where (.+))?")


def alternatives(entry: str) -> list[tuple[str, str]]:
    """Returns table and condition of each alternative of an entry; raises ValueError."""
    return [_table_and_condition(text.strip()) for text in entry.split(" | ")]


def exists(entry: str, condition: str = "true") -> str:
    """The SQL expression for whether rows of an entry exist for which a condition holds."""
    found = (
        f"EXISTS (SELECT 1 FROM {table} WHERE {condition} AND ({which}))"
        for table, which in alternatives(entry)
    )
    return f"({' OR '.join(found)})"


def _table_and_condition(text: str) -> tuple[str, str]:
    match = _ENTRY.fullmatch(text)
    if match is None:
        raise ValueError(
            f"requires rows {text!r}, which is neither a table, nor `table without column`, nor "
            "`table where condition`"
        )
    table, column, condition = match.groups()
    return table, f"{column} IS NULL" if column else condition or "true"
