"""Name scopes of SELECTs: tables, columns, and the enclosing scope."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from warehouse.dialect.values import Type, Value, name


@dataclass(frozen=True)
class Column:
    """A column of a table, a view or a subquery.

    `args` names a hidden column beside it: the arguments of its arg_set_id.
    """

    name: str
    type: Type
    affinity: Type | None = None
    args: str | None = None


@dataclass
class Relation:
    """A source of rows, with the user's name (`alias`) and a unique name (`key`)."""

    alias: str
    key: str
    columns: list[Column]
    sql: str
    base: str | None = None  # the name of a Perfetto table
    is_lateral: bool = False

    def find(self, name: str) -> Column | None:
        name = name.lower()
        return next((c for c in self.columns if c.name.lower() == name), None)

    def value(self, column: Column) -> Value:
        hidden = None if column.args is None else self.hidden(column.args)
        return Value(
            f"{name(self.key)}.{name(column.name)}", column.type, column.affinity, args=hidden
        )

    def hidden(self, column: str) -> str:
        return f"{name(self.key)}.{name(column)}"


@dataclass
class Grouping:
    """The grouping of a SELECT with aggregates, and its bare columns."""

    keys: tuple[str, ...]
    has_complex_keys: bool = False  # keys that are not plain columns
    bare: list[str] = field(default_factory=list)  # the SQL of the bare columns
    extremes: list[tuple[str, Value]] = field(default_factory=list)  # (min or max, operand)

    def placeholder(self, sql: str) -> str:
        if sql not in self.bare:
            self.bare.append(sql)
        return f"\x00{self.bare.index(sql)}\x00"


@dataclass
class Scope:
    """The names of a SELECT. `parameters` are those of the enclosing function."""

    outer: Scope | None = None
    relations: list[Relation] = field(default_factory=list)
    merged: dict[str, Value] = field(default_factory=dict)  # columns joined with USING
    hidden: set[tuple[str, str]] = field(
        default_factory=set
    )  # (key, column) of the other side of USING
    aliases: dict[str, Value] = field(default_factory=dict)  # columns of the result
    ctes: dict[str, list[Column]] = field(default_factory=dict)
    parameters: dict[str, Value] = field(default_factory=dict)
    grouping: Grouping | None = None
    aggregate_depth: int = 0

    def chain(self) -> Iterator[Scope]:
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.outer

    def relation(self, alias: str) -> Relation | None:
        """Returns the table of this SELECT with an alias."""
        name = alias.lower()
        return next((r for r in self.relations if r.alias.lower() == name), None)

    def holders(self, column: str) -> list[tuple[Relation, Column]]:
        """Returns all tables of this SELECT with a column of that name."""
        found = ((r, r.find(column)) for r in self.relations)
        return [(r, c) for r, c in found if c is not None]

    def cte(self, name: str) -> list[Column] | None:
        name = name.lower()
        return next((s.ctes[name] for s in self.chain() if name in s.ctes), None)

    def parameter(self, name: str) -> Value | None:
        found = (s.parameters.get(name.lower()) for s in self.chain())
        return next((value for value in found if value is not None), None)

    def known_columns(self) -> list[str]:
        """Returns names for hints."""
        return sorted({c.name for s in self.chain() for r in s.relations for c in r.columns})
