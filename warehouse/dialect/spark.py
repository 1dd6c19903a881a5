"""Translates queries from DuckDB's SQL into that of Apache Spark.

Only what is known to give the same rows is translated: `_PARTS` lists the nodes of sqlglot's trees,
with their parts. All else raises `UnsupportedSql`: what is unknown to Spark would fail late, and
what has another meaning there would give other rows. Spark must be in ANSI mode, in which overflow
is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sqlglot
from sqlglot import exp

from warehouse.dialect.errors import UnsupportedSql, at_node

if TYPE_CHECKING:
    from warehouse.library.parameter import Value

#: sqlglot's trees; its type annotations differ between versions.
Tree = Any

#: The types of columns, and what Spark reads from Parquet for them: it has no unsigned integers.
TYPES: Mapping[str, str] = {
    "BIGINT": "BIGINT",
    "BIGINT[]": "ARRAY<BIGINT>",
    "BOOLEAN": "BOOLEAN",
    "DOUBLE": "DOUBLE",
    "INTEGER": "INT",
    "TIMESTAMP": "TIMESTAMP_NTZ",
    "UBIGINT": "DECIMAL(20,0)",
    "UINTEGER": "BIGINT",
    "USMALLINT": "INT",
    "UTINYINT": "SMALLINT",
    "VARCHAR": "STRING",
    "VARCHAR[]": "ARRAY<STRING>",
}
_OF_LISTS = ("cardinality", "list_sum")  # functions
_WHOLE = ("BIGINT", "INTEGER", "UBIGINT", "UINTEGER", "USMALLINT", "UTINYINT")

_PARTS: Mapping[Any, str] = {
    exp.Alias: "this alias",
    exp.And: "this expression",
    exp.Anonymous: "this expressions",
    exp.AnyValue: "this",
    exp.Between: "this low high",
    exp.Boolean: "this",
    exp.Bracket: "this expressions",
    exp.Case: "ifs default",
    exp.Cast: "this to",
    exp.Coalesce: "this expressions",
    exp.Column: "this table",
    exp.Count: "this big_int",
    exp.CTE: "this alias",
    exp.DataType: "this expressions nested",
    exp.Div: "this expression",
    exp.DPipe: "this expression safe",
    exp.EQ: "this expression",
    exp.Exists: "this",
    exp.Explode: "this",
    exp.Filter: "this expression",
    exp.From: "this",
    exp.Group: "expressions all",
    exp.GroupConcat: "this separator",
    exp.GT: "this expression",
    exp.Having: "this",
    exp.Identifier: "this quoted",
    exp.If: "this true",
    exp.IgnoreNulls: "this",
    exp.In: "this expressions query",
    exp.Is: "this expression",
    exp.Join: "this on side",
    exp.JSONExtractScalar: "this expression",
    exp.Length: "this",
    exp.Literal: "this is_string",
    exp.LogicalOr: "this",
    exp.LT: "this expression",
    exp.LTE: "this expression",
    exp.Max: "this",
    exp.Min: "this",
    exp.Mul: "this expression",
    exp.Neg: "this",
    exp.NEQ: "this expression",
    exp.Not: "this",
    exp.Null: "",
    exp.Nullif: "this expression",
    exp.Or: "this expression",
    exp.Order: "this expressions",
    exp.Ordered: "this desc nulls_first",
    exp.Paren: "this",
    exp.Placeholder: "this",
    exp.RowNumber: "",
    exp.Select: "with_ expressions from_ joins where group having order",
    exp.SplitPart: "this delimiter part_index",
    exp.Star: "",
    exp.Subquery: "this",
    exp.Substring: "this start length",
    exp.Sum: "this",
    exp.Table: "this alias",
    exp.TableAlias: "this",
    exp.TryCast: "this to safe",
    exp.Union: "this expression",
    exp.Where: "this",
    exp.Window: "this partition_by order over",
    exp.With: "expressions",
}


@dataclass(frozen=True)
class Translation:
    """A statement of Spark, and the tables that it reads."""

    sql: str
    tables: tuple[str, ...]


def translated(
    sql: str,
    schema: Mapping[str, Mapping[str, str]],
    values: Mapping[str, Value] | None = None,
) -> Translation:
    """Translates a SELECT that reads tables of a schema, which has their columns with types.

    Without `values`, parameters are NULL. Raises UnsupportedSql.
    """
    try:
        tree: Tree = sqlglot.parse_one(sql, read="duckdb")
    except sqlglot.errors.SqlglotError as error:
        raise UnsupportedSql(f"it does not parse: {str(error).splitlines()[0]}") from None
    translator = _Translator(sql, schema, values or {})
    for node in tree.walk():
        translator.check(node)
    tables = _tables(sql, schema, tree)
    for node in tree.walk():
        translator.check_types(node)
    for node in reversed(list(tree.walk())):  # arguments before the calls that have them
        if (replacement := translator.replacement(node)) is not node:
            node.replace(replacement)
    text = tree.sql(
        dialect="spark", identify=True, comments=False,
        unsupported_level=sqlglot.ErrorLevel.RAISE,
    )  # fmt: skip
    return Translation(text, tables)


def _tables(sql: str, schema: Mapping[str, object], tree: Tree) -> tuple[str, ...]:
    """The tables that a query reads, without those of its WITH."""
    own = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    found = {table.name: table for table in tree.find_all(exp.Table)}
    if both := sorted(name for name in found if name.lower() in own and name in schema):
        raise UnsupportedSql(f"{both[0]} is a table, and a name in WITH")
    for name, table in found.items():
        if name not in schema and name.lower() not in own:
            raise at_node(sql, table, f"{name} is not a stored table; views are not translated")
    return tuple(sorted(name for name in found if name in schema))


@dataclass(frozen=True)
class _Translator:
    """Translates the nodes of a statement."""

    sql: str
    schema: Mapping[str, Mapping[str, str]]
    values: Mapping[str, Value]

    def check(self, node: Tree) -> None:
        """Raises UnsupportedSql for a node, or a part of one, that is not translated."""
        parts = _PARTS.get(type(node))
        if parts is None:
            raise self._error(node, f"{type(node).__name__} is not translated")
        for name, value in node.args.items():
            if value not in (None, [], False) and name not in parts.split():
                raise self._error(node, f"{name} of {type(node).__name__} is not translated")
        if isinstance(node, exp.Literal) and not node.is_string and not node.this.isdigit():
            raise self._error(node, f"the number {node.this} is not translated")
        if isinstance(node, exp.Anonymous):
            known = (*_OF_LISTS, "isfinite")
            if node.name.lower() not in known or len(node.expressions) != 1:
                raise self._error(node, f"the call of {node.name} is not translated")

    def check_types(self, node: Tree) -> None:
        """Raises UnsupportedSql for an operation that differs for some types."""
        name = node.name.lower() if isinstance(node, exp.Anonymous) else ""
        is_of_list = isinstance(node, exp.Length | exp.Bracket) or name in _OF_LISTS
        of = node.expressions[0] if name else node.this
        if is_of_list and self._stored_type(of) != "BIGINT[]":
            raise self._error(node, "what is not a stored list of integers is not translated")
        if isinstance(node, exp.Bracket) and _whole_number(node.expressions[0]) is None:
            raise self._error(node, "the place in a list is not a number")
        if not isinstance(node, exp.Cast | exp.TryCast):
            return
        if (kind := _type(node)) not in TYPES:
            raise self._error(node, f"the type {kind} is not translated")
        # DuckDB rounds a number with decimals, Spark cuts it.
        if kind in _WHOLE and not all(map(self._is_whole, _results(node.this))):
            raise self._error(node, "a cast to an integer of what may have decimals")

    def _stored_type(self, node: Tree) -> str | None:
        """The type of a column of a SELECT that reads stored tables only."""
        select = node.find_ancestor(exp.Select)
        if not isinstance(node, exp.Column) or select is None:
            return None
        sources = [each.this for each in (select.args.get("from_"), *select.args.get("joins", []))]
        if not all(isinstance(each, exp.Table) and each.name in self.schema for each in sources):
            return None
        all_columns = (self.schema[each.name] for each in sources)
        types = {columns[node.name] for columns in all_columns if node.name in columns}
        return types.pop() if len(types) == 1 else None

    def _is_whole(self, node: Tree) -> bool:
        """Whether a value is an integer, NULL, a parameter of that type, or text."""
        if isinstance(node, exp.Column):
            return self._stored_type(node) in (*_WHOLE, "VARCHAR")
        if isinstance(node, exp.Cast):
            return _type(node) in (*_WHOLE, "VARCHAR")
        if isinstance(node, exp.Anonymous):
            return node.name.lower() in _OF_LISTS
        known = exp.Null | exp.Count | exp.SplitPart | exp.Length | exp.Literal | exp.Placeholder
        return isinstance(node, known)

    def replacement(self, node: Tree) -> Tree:
        """The equivalent of a node in Spark's SQL; the node itself, if they are equal."""
        if isinstance(node, exp.Placeholder):
            return _literal(self.values.get(node.name))
        if isinstance(node, exp.Length):
            return _called("SIZE", node.this)
        if isinstance(node, exp.Bracket):
            return _element(node)
        if isinstance(node, exp.JSONExtractScalar):
            return _member(node)
        if isinstance(node, exp.Anonymous):
            return _CALLS[node.name.lower()](node.expressions[0])
        if isinstance(node, exp.Cast | exp.TryCast):
            node.set("to", exp.DataType.build(TYPES[_type(node)], dialect="spark"))
        return node

    def _error(self, node: Tree, message: str) -> UnsupportedSql:
        return at_node(self.sql, node, message)


def _results(node: Tree) -> Iterator[Tree]:
    """The expressions that a value may be."""
    if isinstance(node, exp.Paren | exp.Sum | exp.Max | exp.Min):
        yield from _results(node.this)
    elif isinstance(node, exp.Coalesce):
        for each in (node.this, *node.expressions):
            yield from _results(each)
    elif isinstance(node, exp.Case):
        for each in node.args["ifs"]:
            yield from _results(each.args["true"])
        if node.args.get("default") is not None:
            yield from _results(node.args["default"])
    else:
        yield node


def _literal(value: Value) -> Tree:
    """A value of a parameter, as exact as it is."""
    if value is None:
        return exp.Null()
    if isinstance(value, bool):
        return exp.Boolean(this=value)
    if isinstance(value, int | float):
        kind = "BIGINT" if isinstance(value, int) else "DOUBLE"
        return exp.Cast(this=exp.Literal.string(repr(value)), to=exp.DataType.build(kind))
    if isinstance(value, str):
        return exp.Literal.string(value)
    if isinstance(value, Sequence):
        return exp.Array(expressions=[_literal(each) for each in value])
    raise UnsupportedSql(f"a parameter of type {type(value).__name__} is not translated")


def _whole_number(node: Tree) -> int | None:
    """The integer that is written at a node."""
    sign = -1 if isinstance(node, exp.Neg) else 1
    literal = node.this if isinstance(node, exp.Neg) else node
    is_number = isinstance(literal, exp.Literal) and not literal.is_string
    return sign * int(literal.this) if is_number and literal.this.lstrip("-").isdigit() else None


def _member(node: Tree) -> Tree:
    """The member of a JSON object, as text; not valid JSON is an error, as in DuckDB."""
    options = "MAP('mode', 'FAILFAST')"
    members = f"FROM_JSON({_text(node.this)}, 'MAP<STRING, STRING>', {options})"
    return _parsed(f"TRY_ELEMENT_AT({members}, {_text(node.expression)})")


def _sum_of(node: Tree) -> Tree:
    """The sum of a list of integers without NULLs; that of no elements is NULL."""
    total = f"AGGREGATE({_text(node)}, CAST(0 AS BIGINT), (total, each) -> total + each)"
    return _parsed(f"CASE WHEN SIZE({_text(node)}) > 0 THEN {total} END")


def _element(node: Tree) -> Tree:
    """An element of a list. Counts from 1, or back from -1; NULL if there is none."""
    number = _whole_number(node.expressions[0])
    assert number is not None  # checked
    # sqlglot counts from 0 in all dialects, and so moves what counts back, too.
    return _called("TRY_ELEMENT_AT", node.this, exp.Literal.number(number + 1))


def _is_finite(node: Tree) -> Tree:
    """Whether a number is neither infinite nor NaN; of NULL NULL."""
    return _parsed(f"({_text(node)} - {_text(node)} = 0)")


def _type(cast: Tree) -> str:
    """The type of a cast, as the catalogue names it."""
    name = str(cast.to.sql(dialect="duckdb")).upper()
    return {"INT": "INTEGER", "TEXT": "VARCHAR", "TEXT[]": "VARCHAR[]"}.get(name, name)


def _called(name: str, *arguments: Tree) -> Tree:
    return exp.Anonymous(this=name, expressions=[each.copy() for each in arguments])


def _text(node: Tree) -> str:
    return str(node.sql(dialect="spark", identify=True))


def _parsed(sql: str) -> Tree:
    return sqlglot.parse_one(sql, read="spark")


_CALLS: Mapping[str, Callable[[Tree], Tree]] = {
    "cardinality": lambda node: _called("SIZE", node),
    "isfinite": _is_finite,
    "list_sum": _sum_of,
}
