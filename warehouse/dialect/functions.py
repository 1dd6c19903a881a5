"""SQLite's and Perfetto's scalar functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from warehouse.dialect.comparisons import compare
from warehouse.dialect.values import (
    Type,
    Value,
    anything,
    common,
    integer,
    number,
    once,
    once_both,
    plain,
    real,
    text,
    truth,
)

Values = list[Value]


@dataclass(frozen=True)
class Function:
    """A function with `least` to `most` arguments (-1: any number)."""

    least: int
    most: int
    make: Callable[[Values], Value]

    def takes(self, count: int) -> bool:
        return count >= self.least and (self.most < 0 or count <= self.most)


def _text(template: str) -> Callable[[Values], Value]:
    return lambda args: Value(template.format(*(text(a).sql for a in args)), Type.TEXT)


def _real(template: str) -> Callable[[Values], Value]:
    return lambda args: Value(template.format(*(real(a).sql for a in args)), Type.REAL)


def _abs(args: Values) -> Value:
    value = number(args[0])
    if value.type is Type.ANY:
        return Value(once("sqlite_any_abs({})", value.sql), Type.ANY)
    return Value(f"abs({value.sql})", value.type)


def _whole(name: str) -> Callable[[Values], Value]:
    """floor, ceil, trunc: integers stay integers."""

    def make(args: Values) -> Value:
        value = number(args[0])
        if value.type is Type.INT:
            return value
        return Value(f"{name}({real(value).sql})", Type.REAL)

    return make


def _round(args: Values) -> Value:
    digits = integer(args[1]).sql if len(args) > 1 else "0"
    return Value(f"sqlite_round({real(args[0]).sql}, {digits})", Type.REAL)


def _length(args: Values) -> Value:
    return Value(f"length({text(args[0]).sql})", Type.INT)


def _instr(args: Values) -> Value:
    return Value(f"instr({text(args[0]).sql}, {text(args[1]).sql})", Type.INT)


def _substr(args: Values) -> Value:
    name = "sqlite_substr2" if len(args) == 2 else "sqlite_substr3"
    rest = ", ".join(integer(a).sql for a in args[1:])
    return Value(f"{name}({text(args[0]).sql}, {rest})", Type.TEXT)


def _trim(name: str) -> Callable[[Values], Value]:
    def make(args: Values) -> Value:
        what = text(args[1]).sql if len(args) > 1 else "' '"
        return Value(f"{name}({text(args[0]).sql}, {what})", Type.TEXT)

    return make


def _replace(args: Values) -> Value:
    """Without an old text, SQLite returns the first value as it is: a number stays a number."""
    subject, old, new = (text(a).sql for a in args)
    replaced = Value(f"replace({subject}, {old}, {new})", Type.TEXT)
    if args[1].constant not in (None, ""):
        return replaced
    # DuckDB inserts the new text between all characters.
    (same, other), kind = common([args[0], replaced])
    return Value(f"CASE WHEN {old} = '' THEN {same.sql} ELSE {other.sql} END", kind)


def _coalesce(args: Values) -> Value:
    values, kind = common(args)
    return Value(f"coalesce({', '.join(v.sql for v in values)})", kind)


def _nullif(args: Values) -> Value:
    value = plain(args[0])
    return Value(
        f"CASE WHEN {compare('=', args[0], args[1]).sql} THEN NULL ELSE {value.sql} END", value.type
    )


def _iif(args: Values) -> Value:
    (yes, no), kind = common([args[1], args[2] if len(args) > 2 else Value("NULL", Type.NULL)])
    return Value(f"CASE WHEN {truth(args[0])} THEN {yes.sql} ELSE {no.sql} END", kind)


def _extreme(name: str) -> Callable[[Values], Value]:
    """min and max of several arguments: NULL if any is NULL."""

    def make(args: Values) -> Value:
        values, kind = common(args)
        has_null = " OR ".join(f"{v.sql} IS NULL" for v in values)
        if kind is Type.ANY:
            chosen = _extreme_of_any(_IS_MORE_EXTREME[name], [v.sql for v in values])
        else:
            chosen = f"{name}({', '.join(v.sql for v in values)})"
        return Value(f"CASE WHEN {has_null} THEN NULL ELSE {chosen} END", kind)

    return make


#: Of equal values, as 0 and 0.0 are, SQLite takes the last as min and the first as max.
_IS_MORE_EXTREME = {"least": "<=", "greatest": ">"}


def _extreme_of_any(operator: str, values: list[str]) -> str:
    chosen = values[0]
    for value in values[1:]:
        chosen = once_both(
            f"CASE WHEN sqlite_key({{1}}) {operator} sqlite_key({{0}}) THEN {{1}} ELSE {{0}} END",
            chosen,
            value,
        )
    return chosen


def _typeof(args: Values) -> Value:
    return Value(once("sqlite_any_typeof({})", anything(args[0]).sql), Type.TEXT)


def _sign(args: Values) -> Value:
    return Value(f"CAST(sign({real(args[0]).sql}) AS BIGINT)", Type.INT)


def _log(args: Values) -> Value:
    if len(args) == 1:
        return _real("CASE WHEN {0} > 0 THEN log10({0}) END")(args)
    return _real("CASE WHEN {0} > 0 AND {1} > 0 THEN ln({1}) / ln({0}) END")(args)


def _char(args: Values) -> Value:
    pieces = [f"chr(CAST({integer(a).sql} AS INTEGER))" for a in args]
    return Value("(" + " || ".join(pieces or ["''"]) + ")", Type.TEXT)


def _quote(args: Values) -> Value:
    return Value(once("sqlite_any_quote({})", anything(args[0]).sql), Type.TEXT)


def _bound(column: str) -> Callable[[Values], Value]:
    return lambda args: Value(f"(SELECT {column} FROM perfetto_trace_bounds)", Type.INT)


def _same(args: Values) -> Value:
    value = plain(args[0])
    return Value(value.sql, value.type)


def _unix(text_args: Values) -> Value:
    return Value(f"unicode({text(text_args[0]).sql})", Type.INT)


def _regexp_extract(args: Values) -> Value:
    """The first group, or the whole match; NULL without a match."""
    subject, pattern = (text(a).sql for a in args[:2])
    return Value(
        f"CASE WHEN regexp_matches({subject}, {pattern}) THEN "
        f"regexp_extract({subject}, {pattern}, 1) END",
        Type.TEXT,
    )


def _split(args: Values) -> Value:
    subject, separator, place = text(args[0]).sql, text(args[1]).sql, integer(args[2]).sql
    return Value(f"string_split({subject}, {separator})[{place} + 1]", Type.TEXT)


FUNCTIONS: dict[str, Function] = {
    "abs": Function(1, 1, _abs),
    "ceil": Function(1, 1, _whole("ceil")),
    "ceiling": Function(1, 1, _whole("ceil")),
    "char": Function(0, -1, _char),
    "coalesce": Function(2, -1, _coalesce),
    "concat": Function(
        1, -1, lambda args: Value(f"concat({', '.join(text(a).sql for a in args)})", Type.TEXT)
    ),
    "exp": Function(1, 1, _real("exp({0})")),
    "floor": Function(1, 1, _whole("floor")),
    "if": Function(2, 3, _iif),
    "ifnull": Function(2, 2, _coalesce),
    "iif": Function(2, 3, _iif),
    "instr": Function(2, 2, _instr),
    "length": Function(1, 1, _length),
    "likelihood": Function(2, 2, _same),
    "likely": Function(1, 1, _same),
    "ln": Function(1, 1, _real("CASE WHEN {0} > 0 THEN ln({0}) END")),
    "log": Function(1, 2, _log),
    "log10": Function(1, 1, _log),
    "log2": Function(1, 1, _real("CASE WHEN {0} > 0 THEN log2({0}) END")),
    "lower": Function(1, 1, _text("sqlite_lower({0})")),
    "ltrim": Function(1, 2, _trim("ltrim")),
    "max": Function(2, -1, _extreme("greatest")),
    "min": Function(2, -1, _extreme("least")),
    "mod": Function(2, 2, _real("fmod({0}, nullif({1}, 0.0))")),
    "nullif": Function(2, 2, _nullif),
    "pi": Function(0, 0, lambda args: Value("pi()", Type.REAL)),
    "pow": Function(2, 2, _real("pow({0}, {1})")),
    "power": Function(2, 2, _real("pow({0}, {1})")),
    "quote": Function(1, 1, _quote),
    "regexp_extract": Function(2, 2, _regexp_extract),
    "replace": Function(3, 3, _replace),
    "round": Function(1, 2, _round),
    "rtrim": Function(1, 2, _trim("rtrim")),
    "sign": Function(1, 1, _sign),
    "sqrt": Function(1, 1, _real("CASE WHEN {0} >= 0 THEN sqrt({0}) END")),
    "str_split": Function(3, 3, _split),
    "substr": Function(2, 3, _substr),
    "substring": Function(2, 3, _substr),
    "trace_dur": Function(0, 0, _bound("end_ts - start_ts")),
    "trace_end": Function(0, 0, _bound("end_ts")),
    "trace_start": Function(0, 0, _bound("start_ts")),
    "trim": Function(1, 2, _trim("trim")),
    "trunc": Function(1, 1, _whole("trunc")),
    "typeof": Function(1, 1, _typeof),
    "unicode": Function(1, 1, _unix),
    "unlikely": Function(1, 1, _same),
    "upper": Function(1, 1, _text("sqlite_upper({0})")),
}

#: Unsupported functions, with replacements.
INSTEAD: dict[str, str] = {
    "run_metric": "Metrics are trace_processor's own; `tw queries list` has this program's.",
    "create_function": "Write CREATE PERFETTO FUNCTION.",
    "create_view_function": "Write CREATE PERFETTO FUNCTION … RETURNS TABLE(…).",
    "hash": "Compare or group by the value itself.",
    "last_non_null": "Write last_value(x) in a window, or a join.",
    "date": "ts counts ns; `tw query -c` without --dialect has DuckDB's dates.",
    "datetime": "ts counts ns; `tw query -c` without --dialect has DuckDB's dates.",
    "strftime": "ts counts ns; `tw query -c` without --dialect has DuckDB's dates.",
    "julianday": "ts counts ns; `tw query -c` without --dialect has DuckDB's dates.",
    "random": "Results must be reproducible.",
    "json_extract": "extract_arg(arg_set_id, 'args.key') reads arguments.",
}
