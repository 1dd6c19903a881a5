"""Puts rows of several tasks into the order of the query that returned them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from warehouse.library import tokens
from warehouse.library.tokens import Token
from warehouse.store import database
from warehouse.store.statements import quoted

if TYPE_CHECKING:
    import pyarrow as pa

#: A column that a task adds, for an expression of ORDER BY that is not a column of the result.
ADDED = "order "
_DIRECTION = re.compile(
    r"^(?P<what>.*?)(?P<how>(?:\s+(?:ASC|DESC))?(?:\s+NULLS\s+(?:FIRST|LAST))?)\s*$",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True)
class Ordered:
    """A statement that also returns what its rows are ordered by, and the order of its rows."""

    sql: str
    order: tuple[str, ...]  # terms of ORDER BY, on columns of the result

    def sorted(self, rows: pa.Table) -> pa.Table:
        """Returns the rows in order, without added columns; of equal ones by all columns."""
        added = [name for name in rows.column_names if name.startswith(ADDED)]
        shown = [name for name in rows.column_names if name not in added]
        columns = ", ".join(map(quoted, shown))
        order = ", ".join([*self.order, *map(quoted, shown)])
        with database.shared_scratchpad() as connection:
            connection.register("rows of tasks", rows)
            try:
                found = connection.sql(f'SELECT {columns} FROM "rows of tasks" ORDER BY {order}')
                return found.to_arrow_table()
            finally:
                connection.unregister("rows of tasks")


def ordered(sql: str, columns: Sequence[str]) -> Ordered:
    """Returns a statement whose columns are named, with its order; it may have none."""
    split = tokens.split(sql)
    start = _clause(split, "ORDER")
    if start is None:
        return Ordered(sql, ())
    after = next(n for n in range(start, len(split)) if split[n].text.upper() == "BY") + 1
    added: list[str] = []
    order: list[str] = []
    for term in _terms(split[after:]):
        match = _DIRECTION.match(term)
        assert match is not None  # it matches any text
        what = match["what"].strip()
        if (name := _column(what, columns)) is None:
            name = f"{ADDED}{len(added) + 1}"
            added.append(f', {what} AS "{name}"')
        order.append(f"{quoted(name)}{match['how']}")
    place = _from_clause(split[:start]) if added else None
    if added and place is None:
        raise LookupError(f"ORDER BY {', '.join(order)} is not of a SELECT with FROM")
    text = "".join(token.text for token in split[:place]) + "".join(added) + " "
    rest = "".join(token.text for token in split[place:start]) if place is not None else ""
    return Ordered(text + rest, tuple(order))


def _column(what: str, columns: Sequence[str]) -> str | None:
    """The column of the result that a term of ORDER BY is, by place or name."""
    if what.isdecimal():
        return columns[int(what) - 1]
    name = what.strip('"').lower()
    return next((column for column in columns if column.lower() == name), None)


def _clause(split: Sequence[Token], word: str) -> int | None:
    """The place of the last such word that is not within parentheses."""
    depth, found = 0, None
    for place, (kind, text) in enumerate(split):
        if kind == "other":
            depth += (text in "([{") - (text in ")]}")
        elif kind == "word" and depth == 0 and text.upper() == word:
            found = place
    return found


def _from_clause(split: Sequence[Token]) -> int | None:
    """The place of FROM in the last SELECT; not that of IS DISTINCT FROM."""
    select = _clause(split, "SELECT")
    if select is None:
        return None
    depth, before = 0, ""
    for place, (kind, text) in enumerate(split[select:], select):
        if kind == "other":
            depth += (text in "([{") - (text in ")]}")
        elif depth == 0 and text.upper() == "FROM" and before != "DISTINCT":
            return place
        if kind not in ("comment", "space"):
            before = text.upper()
    return None


def _terms(split: Sequence[Token]) -> Iterator[str]:
    """The texts between commas outside parentheses, without comments."""
    depth, term = 0, ""
    for kind, text in split:
        if kind == "other":
            depth += (text in "([{") - (text in ")]}")
        if text == "," and depth == 0:
            yield term.strip()
            term = ""
        elif kind != "comment":
            term += text
    yield term.strip()
