"""SQLite's comparisons: affinity conversions, and comparisons across types.

The rules are those of "Datatypes In SQLite", section 4.2: a column of numbers converts a text
beside it that is a number; a column of texts converts a number beside it; otherwise nothing is
converted, and a number is less than any text.
"""

from __future__ import annotations

from warehouse.dialect.values import NUMBERS, Type, Value, anything, once, plain, text


def compare(operator: str, left: Value, right: Value) -> Value:
    """Returns the condition `left operator right`, with an operator of DuckDB."""
    left, right = _converted(plain(left), plain(right))
    if Type.ANY in (left.type, right.type):
        sides = [once("sqlite_key({})", anything(side).sql) for side in (left, right)]
    else:
        sides = [left.sql, right.sql]
    return Value(f"({sides[0]} {operator} {sides[1]})", Type.BOOL)


def _converted(left: Value, right: Value) -> tuple[Value, Value]:
    if Type.NULL in (left.type, right.type) or _alike(left, right):
        return left, right
    if left.affinity in NUMBERS:
        return left, _affine(right)
    if right.affinity in NUMBERS:
        return _affine(left), right
    if left.affinity is Type.TEXT and right.affinity is None:
        return left, text(right)
    if right.affinity is Type.TEXT and left.affinity is None:
        return text(left), right
    return anything(left), anything(right)


def _alike(left: Value, right: Value) -> bool:
    kinds = {Type.INT: 0, Type.REAL: 0, Type.TEXT: 1}
    return left.type in kinds and right.type in kinds and kinds[left.type] == kinds[right.type]


def _affine(value: Value) -> Value:
    if value.type is Type.TEXT:
        return Value(once("sqlite_text_affine({})", value.sql), Type.ANY)
    if value.type is Type.ANY:
        return Value(once("sqlite_any_affine({})", value.sql), Type.ANY)
    return value


def any_of(conditions: list[Value]) -> Value:
    """Returns the disjunction of conditions."""
    if not conditions:
        return Value("false", Type.BOOL)
    return Value("(" + " OR ".join(c.sql for c in conditions) + ")", Type.BOOL)


def membership(value: Value, members: list[Value]) -> Value:
    """`value IN (members)`; members have no affinity."""
    value = plain(value)
    members = [Value(m.sql, m.type, constant=m.constant) for m in map(plain, members)]
    if members and all(m.type is Type.NULL or _alike(value, m) for m in members):
        inside = ", ".join(m.sql for m in members)
        return Value(f"({value.sql} IN ({inside}))", Type.BOOL)
    return any_of([compare("=", value, member) for member in members])
