"""SQLite's types, and conversions between them in DuckDB.

In SQLite values have types, columns do not. The type of nearly every expression is still known
before it runs; where it is not (an argument of a slice may be a number or text), it is `Type.ANY`,
see `macros.sql`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import Enum


class Type(Enum):
    """The static type of a value; NULL is the literal."""

    NULL = "NULL"
    INT = "BIGINT"
    REAL = "DOUBLE"
    TEXT = "VARCHAR"
    ANY = "ANY"
    BOOL = "BOOLEAN"  # inside a condition only; as a value it is INT


NUMBERS = (Type.INT, Type.REAL)


@dataclass(frozen=True)
class Value:
    """An expression in DuckDB's SQL.

    `affinity` is SQLite's: what it converts the other side of a comparison to; columns and casts
    have one. `constant` is a literal's value. `args` is, for an arg_set_id of a slice, the SQL of
    that slice's arguments.
    """

    sql: str
    type: Type
    affinity: Type | None = None
    constant: int | float | str | None = None
    args: str | None = None


def literal(value: int | float | str | None) -> Value:
    """A constant."""
    if value is None:
        return Value("NULL", Type.NULL)
    if isinstance(value, str):
        return Value(quote(value), Type.TEXT, constant=value)
    if isinstance(value, float):
        return Value(f"CAST({value!r} AS DOUBLE)", Type.REAL, constant=value)
    return Value(f"CAST({value} AS BIGINT)", Type.INT, constant=value)


def quote(text: str) -> str:
    """Returns a text as an SQL literal; DuckDB's strings have no escapes."""
    return "'" + text.replace("'", "''") + "'"


def name(text: str) -> str:
    """Returns a quoted identifier."""
    return '"' + text.replace('"', '""') + '"'


def plain(value: Value) -> Value:
    """Converts a condition to a value: false to 0, true to 1."""
    if value.type is not Type.BOOL:
        return value
    return Value(f"CAST(({value.sql}) AS BIGINT)", Type.INT)


def truth(value: Value) -> str:
    """Converts to a condition: numbers other than 0, and texts with such a prefix, are true."""
    match value.type:
        case Type.BOOL:
            return f"({value.sql})"
        case Type.INT | Type.REAL:
            return f"({value.sql} <> 0)"
        case Type.NULL:
            return "CAST(NULL AS BOOLEAN)"
    return f"({real(value).sql} <> 0)"


_SIMPLE = re.compile(r'(\(?[\w"]*"?[\w .]*"?(\."[\w .]+")?\)?(\.\w)?|CAST\([-\w.]+ AS \w+\))')


def once(template: str, sql: str) -> str:
    """Fills a template with an expression that DuckDB binds and evaluates once.

    Macros repeat their arguments: nested, they would grow without measure.
    """
    if _SIMPLE.fullmatch(sql):
        return template.format(sql)
    own = f'"tw {_depth(sql)}"'
    return f"list_transform([{sql}], lambda {own}: {template.format(own)})[1]"


def once_both(template: str, left: str, right: str) -> str:
    """Fills a template with two expressions that DuckDB evaluates once."""
    if _SIMPLE.fullmatch(left) and _SIMPLE.fullmatch(right):
        return template.format(left, right)
    own = f'"tw {_depth(left + right)}"'
    inner = template.format(f"{own}.a", f"{own}.b")
    return f"list_transform([{{'a': {left}, 'b': {right}}}], lambda {own}: {inner})[1]"


def _depth(sql: str) -> int:
    """Returns a variable number that no nested lambda uses."""
    return 1 + max((int(found) for found in re.findall(r'lambda "tw (\d+)"', sql)), default=0)


_TO_TEXT = {
    Type.INT: "CAST({} AS VARCHAR)",
    Type.REAL: "sqlite_real_text({})",
    Type.TEXT: "{}",
    Type.ANY: "sqlite_any_text({})",
    Type.NULL: "CAST({} AS VARCHAR)",
}
_TO_INT = {
    Type.INT: "{}",
    Type.REAL: "sqlite_real_int({})",
    Type.TEXT: "sqlite_text_int({})",
    Type.ANY: "sqlite_any_int({})",
    Type.NULL: "CAST({} AS BIGINT)",
}
_TO_REAL = {
    Type.INT: "CAST({} AS DOUBLE)",
    Type.REAL: "{}",
    Type.TEXT: "sqlite_text_real({})",
    Type.ANY: "sqlite_any_real({})",
    Type.NULL: "CAST({} AS DOUBLE)",
}
_TO_ANY = {
    Type.INT: "sqlite_any_of_int({})",
    Type.REAL: "sqlite_any_of_real({})",
    Type.TEXT: "sqlite_any_of_text({})",
    Type.ANY: "{}",
    Type.NULL: "sqlite_any_of_int(CAST({} AS BIGINT))",
}


def _converter(templates: dict[Type, str], to: Type) -> Callable[[Value], Value]:
    def convert(value: Value) -> Value:
        value = plain(value)
        if value.type is to:
            return value
        return Value(once(templates[value.type], value.sql), to)

    return convert


#: As CAST: converts a text to its numeric prefix, or 0.
text = _converter(_TO_TEXT, Type.TEXT)
integer = _converter(_TO_INT, Type.INT)
real = _converter(_TO_REAL, Type.REAL)
anything = _converter(_TO_ANY, Type.ANY)


def number(value: Value) -> Value:
    """Converts an operand of arithmetic: a text becomes its numeric prefix."""
    value = plain(value)
    match value.type:
        case Type.TEXT:
            return Value(once("sqlite_text_number({})", value.sql), Type.ANY)
        case Type.ANY:
            return Value(once("sqlite_any_number({})", value.sql), Type.ANY)
        case Type.NULL:
            return Value("CAST(NULL AS BIGINT)", Type.INT)
    return value


def common(values: Iterable[Value]) -> tuple[list[Value], Type]:
    """Converts values to a common type, as required for CASE."""
    found = [plain(value) for value in values]
    types = {value.type for value in found} - {Type.NULL}
    if not types:
        return found, Type.NULL
    if len(types) == 1:
        return found, types.pop()
    return [anything(value) for value in found], Type.ANY


def without_affinity(value: Value) -> Value:
    """The result of an expression, which has no affinity."""
    return replace(value, affinity=None, args=None)
