"""SQLite's aggregates and window functions. `tail` is the FILTER and OVER of a call."""

from __future__ import annotations

from collections.abc import Callable

from warehouse.dialect.values import (
    NUMBERS,
    Type,
    Value,
    common,
    integer,
    number,
    once,
    plain,
    real,
    text,
)

Values = list[Value]
Maker = Callable[[Values, str, str], Value]


def _count(args: Values, distinct: str, tail: str) -> Value:
    if not args:
        return Value(f"count(*){tail}", Type.INT)
    value = plain(args[0])
    sql = once("sqlite_key({})", value.sql) if value.type is Type.ANY else value.sql
    return Value(f"count({distinct}{sql}){tail}", Type.INT)


def _sum(args: Values, distinct: str, tail: str) -> Value:
    value = _addend(args[0])
    if value.type is Type.ANY:
        x, d = f"({value.sql})", distinct
        whole = f"sqlite_any_of_int(CAST(sum({d}{x}.i){tail} AS BIGINT))"
        return Value(
            f"CASE WHEN count({x}.n){tail} = count({x}.i){tail} THEN {whole} "
            f"ELSE sqlite_any_of_real(sum({d}{x}.n){tail}) END",
            Type.ANY,
        )
    kind = value.type if value.type in NUMBERS else Type.INT
    return Value(f"CAST(sum({distinct}{value.sql}){tail} AS {kind.value})", kind)


def _addend(value: Value) -> Value:
    """Converts for sum(): text that is not entirely an integer is a real."""
    value = plain(value)
    if value.type is Type.TEXT:
        return Value(once("sqlite_text_addend({})", value.sql), Type.ANY)
    if value.type is Type.ANY:
        return Value(once("sqlite_any_addend({})", value.sql), Type.ANY)
    return number(value)


def _total(args: Values, distinct: str, tail: str) -> Value:
    return Value(f"coalesce(sum({distinct}{real(args[0]).sql}){tail}, 0.0::DOUBLE)", Type.REAL)


def _avg(args: Values, distinct: str, tail: str) -> Value:
    value = plain(args[0])
    sql = value.sql if value.type is Type.INT else real(value).sql
    return Value(f"avg({distinct}{sql}){tail}", Type.REAL)


def _extreme(name: str) -> Maker:
    def make(args: Values, distinct: str, tail: str) -> Value:
        value = plain(args[0])
        if value.type is Type.ANY:
            key = once("sqlite_key({})", value.sql)
            return Value(f"arg_{name}({value.sql}, {key}){tail}", Type.ANY)
        return Value(f"{name}({value.sql}){tail}", value.type)

    return make


def _percentile(args: Values, distinct: str, tail: str) -> Value:
    share = real(args[1]).sql
    return Value(f"quantile_cont({real(args[0]).sql}, {share} / 100){tail}", Type.REAL)


AGGREGATES: dict[str, tuple[int, int, Maker]] = {
    "count": (0, 1, _count),
    "sum": (1, 1, _sum),
    "total": (1, 1, _total),
    "avg": (1, 1, _avg),
    "min": (1, 1, _extreme("min")),
    "max": (1, 1, _extreme("max")),
    "percentile": (2, 2, _percentile),
}


def concatenation(args: Values, distinct: str, order: str, tail: str) -> Value:
    """group_concat and string_agg."""
    separator = text(args[1]).sql if len(args) > 1 else "','"
    inside = f"{distinct}{text(args[0]).sql}, {separator}{order}"
    return Value(f"string_agg({inside}){tail}", Type.TEXT)


def _counting(name: str) -> Maker:
    return lambda args, distinct, tail: Value(f"{name}(){tail}", Type.INT)


def _share(name: str) -> Maker:
    return lambda args, distinct, tail: Value(f"{name}(){tail}", Type.REAL)


def _neighbour(name: str) -> Maker:
    def make(args: Values, distinct: str, tail: str) -> Value:
        value, kind = plain(args[0]), plain(args[0]).type
        steps = integer(args[1]).sql if len(args) > 1 else "1"
        if len(args) < 3:
            return Value(f"{name}({value.sql}, {steps}){tail}", kind)
        (value, other), kind = common([args[0], args[2]])
        return Value(f"{name}({value.sql}, {steps}, {other.sql}){tail}", kind)

    return make


def _edge(name: str) -> Maker:
    def make(args: Values, distinct: str, tail: str) -> Value:
        value = plain(args[0])
        rest = "".join(f", {integer(a).sql}" for a in args[1:])
        return Value(f"{name}({value.sql}{rest}){tail}", value.type)

    return make


WINDOW_FUNCTIONS: dict[str, tuple[int, int, Maker]] = {
    "row_number": (0, 0, _counting("row_number")),
    "rank": (0, 0, _counting("rank")),
    "dense_rank": (0, 0, _counting("dense_rank")),
    "percent_rank": (0, 0, _share("percent_rank")),
    "cume_dist": (0, 0, _share("cume_dist")),
    "ntile": (
        1,
        1,
        lambda args, distinct, tail: Value(f"ntile({integer(args[0]).sql}){tail}", Type.INT),
    ),
    "lag": (1, 3, _neighbour("lag")),
    "lead": (1, 3, _neighbour("lead")),
    "first_value": (1, 1, _edge("first_value")),
    "last_value": (1, 1, _edge("last_value")),
    "nth_value": (2, 2, _edge("nth_value")),
}
