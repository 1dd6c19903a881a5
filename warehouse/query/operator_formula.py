"""Reads formulas of the user's own operators, and shows them to the queries of a session.

A file has, for each formula, a TOML header with the operators and the units of its columns, and a
SELECT without FROM, of one row, from the arguments of a call:

    /* ---
    operator = "mylib::gated_mlp"
    unit = { flops = "count", bytes = "byte" }
    --- */
    SELECT 6 * d[1][1] * d[1][2] * d[2][2] AS flops, list_sum(n_bytes) AS bytes;
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from warehouse.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

UNITS = {"flops": "count", "bytes": "byte"}
_HEADER = re.compile(r"/\* ---[^\S\n]*\n(.*?)\n[^\S\n]*--- \*/", re.DOTALL)
_LAST = re.compile(r";\s*(--[^\n]*\s*)*$")  # what ends the statement
_OPERATOR = re.compile(r"[A-Za-z_]\w*(::[A-Za-z_]\w*)?")
_NUMBERS = re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL\(.*\)")
_CALL = (
    "SELECT NULL::DOUBLE[][] AS d, NULL::VARCHAR[] AS v, NULL::VARCHAR[] AS types, "
    "NULL::DOUBLE[] AS n_bytes"
)
#: The recorded calls without repetitions, with what formulas may use.
_CALLS = """
WITH recorded AS (
  SELECT DISTINCT
    name, input_dims_json AS shapes, input_type_json AS types_json, concrete_inputs_json AS scalars
  FROM cpu_op
  WHERE input_dims_json IS NOT NULL AND name IN ({names})
),
listed AS (
  SELECT
    *,
    TRY(json_transform(shapes, '[["DOUBLE"]]')) AS d,
    TRY(json_transform(scalars, '["VARCHAR"]')) AS v,
    TRY(json_transform(types_json, '["VARCHAR"]')) AS types
  FROM recorded
),
call AS (
  SELECT
    c.*,
    [
      list_product(c.d[i]) * s.of_type[c.types[i]]
      FOR i IN range(1, len(c.d) + 1)
    ] AS n_bytes
  FROM listed AS c
  CROSS JOIN (SELECT map(list(type), list(n_bytes)) AS of_type FROM element_type) AS s
)
"""


@dataclass(frozen=True)
class Formula:
    """Operations and bytes of some operators, computed from the arguments of a call."""

    operators: tuple[str, ...]
    columns: tuple[str, ...]
    sql: str
    path: Path
    line: int  # of the SELECT

    def wrong(self, message: str, hint: str, line: int | None = None) -> ConfigError:
        return _wrong(self.path, line or self.line, message, hint)


def apply(connection: duckdb.DuckDBPyConnection, paths: Sequence[Path]) -> None:
    """Replaces the view `own_operator_work` on this connection, if there are files of formulas.

    Raises ConfigError with file, line and remedy for a formula that is invalid.
    """
    formulas = [formula for path in paths for formula in _read(path)]
    if not formulas:
        return
    _refuse_repetitions(formulas)
    for formula in formulas:
        _check(connection, formula)
    names = ", ".join(_text(name) for formula in formulas for name in formula.operators)
    selects = " UNION ALL ".join(map(_select, formulas))
    connection.execute(
        "CREATE OR REPLACE TEMP VIEW own_operator_work AS " + _CALLS.format(names=names) + selects
    )


def _read(path: Path) -> Iterator[Formula]:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be read: {error.strerror}",
            hint="Correct formulas in tw.toml, or --formulas.",
        ) from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path} is not UTF-8 text", hint="Save it as UTF-8.") from None
    headers = list(_HEADER.finditer(text))
    if not headers or re.sub(r"--[^\n]*", "", text[: headers[0].start()]).strip():
        raise _wrong(path, 1, "a formula begins with a header, /* --- … --- */", _EXAMPLE)
    ends = [header.start() for header in headers[1:]] + [len(text)]
    for header, end in zip(headers, ends, strict=True):
        yield _formula(path, text, header, end)


_EXAMPLE = (
    'Write operator = "namespace::name" and unit = { flops = "count", bytes = "byte" } in it, '
    "and SELECT … AS flops, … AS bytes below."
)


def _formula(path: Path, text: str, header: re.Match[str], end: int) -> Formula:
    first = text.count("\n", 0, header.start()) + 1
    try:
        values = tomllib.loads(header[1])
    except tomllib.TOMLDecodeError as error:
        raise _wrong(path, first, f"the header is not valid TOML: {error}", _EXAMPLE) from None
    if unknown := set(values) - {"operator", "unit"}:
        raise _wrong(path, first, f"unknown key {min(unknown)!r} in the header", _EXAMPLE)
    stated: Any = values.get("operator")
    operators: list[str] = stated if isinstance(stated, list) else [stated]
    for name in operators:
        if not isinstance(name, str) or not _OPERATOR.fullmatch(name):
            raise _wrong(
                path, first, f"operator {name!r} is not the name of an operator",
                "Name it as recorded, without overload: mylib::gated_mlp.",
            )  # fmt: skip
    body = text[header.end() : end]
    start = header.end() + len(body) - len(body.lstrip())
    return Formula(
        tuple(operators), _units(path, first, values.get("unit")),
        _LAST.sub("", body.strip()), path, text.count("\n", 0, start) + 1,
    )  # fmt: skip


def _units(path: Path, line: int, stated: object) -> tuple[str, ...]:
    if not isinstance(stated, dict) or not stated:
        raise _wrong(path, line, "the header states no units", _EXAMPLE)
    for column, unit in stated.items():
        if column not in UNITS:
            raise _wrong(path, line, f"a formula has no column {column!r}", _EXAMPLE)
        if unit != UNITS[column]:
            raise _wrong(
                path, line, f"{column} cannot be in {unit!r}",
                f"Compute it in {UNITS[column]!r}, without prefix, and state this unit.",
            )  # fmt: skip
    return tuple(stated)


def _refuse_repetitions(formulas: Sequence[Formula]) -> None:
    seen: dict[str, Formula] = {}
    for formula in formulas:
        for name in formula.operators:
            if first := seen.get(name):
                raise formula.wrong(
                    f"{name} has a formula already, in {first.path}, line {first.line}",
                    "Remove one of them.",
                )
            seen[name] = formula


def _check(connection: duckdb.DuckDBPyConnection, formula: Formula) -> None:
    """Raises ConfigError unless a formula is a SELECT of its columns from those of one call."""
    row = connection.execute("SELECT json_serialize_sql(?)", [formula.sql]).fetchone()
    parsed = json.loads(row[0]) if row else {}
    if parsed.get("error"):
        line = formula.line + formula.sql.encode()[: int(parsed.get("position", 0))].count(b"\n")
        message = str(parsed.get("error_message", "it does not parse")).splitlines()[0]
        raise formula.wrong(message, "Correct the SELECT.", line)
    _refuse_more(formula, parsed["statements"])
    query = f"DESCRIBE SELECT f.* FROM ({_CALL}) AS c, LATERAL ({formula.sql}\n) AS f"
    try:
        types = {name: kind for name, kind, *_ in connection.execute(query).fetchall()}
    except duckdb.Error as error:
        message = str(error).splitlines()[0].removeprefix("Binder Error: ")
        raise formula.wrong(message, "Formulas use d, v, types and n_bytes of a call.") from None
    if set(types) != set(formula.columns):
        raise formula.wrong(
            f"the SELECT returns {', '.join(types)}, and the header has units of "
            f"{', '.join(formula.columns)}",
            "State the unit of each column.",
        )
    for name, kind in types.items():
        if not _NUMBERS.fullmatch(kind):
            raise formula.wrong(f"{name} is of type {kind}", "Return a number.")


def _refuse_more(formula: Formula, statements: list[Any]) -> None:
    """Raises ConfigError for what could return several rows, or read anything but the call."""
    node = statements[0]["node"] if len(statements) == 1 else {}
    text = json.dumps(node)
    if (
        node.get("type") != "SELECT_NODE"
        or node["from_table"]["type"] != "EMPTY"
        or node["modifiers"]
        or any(node[key] for key in ("where_clause", "group_expressions", "having", "qualify"))
        or '"class": "SUBQUERY"' in text
        or re.search(r'"function_name": "(unnest|generate_subscripts)"', text)
    ):
        raise formula.wrong(
            "a formula is one SELECT of one row from the arguments of a call",
            "Leave out FROM, WHERE, GROUP BY, ORDER BY, unnest and subqueries.",
        )


def _select(formula: Formula) -> str:
    names = ", ".join(map(_text, formula.operators))
    columns = ", ".join(
        (f"f.{name}" if name in formula.columns else "NULL") + f"::DOUBLE AS {name}"
        for name in UNITS
    )
    return (
        f"SELECT c.name, c.shapes, c.types_json AS types, c.scalars, {columns} "
        f"FROM call AS c, LATERAL ({formula.sql}\n) AS f WHERE c.name IN ({names})"
    )


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _wrong(path: Path, line: int, message: str, hint: str) -> ConfigError:
    return ConfigError(f"{path}, line {line}: {message}", hint=hint)
