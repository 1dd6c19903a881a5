"""Parses deprecated names of queries: an alias is a header that names another query.

    /* ---
    name = "op_summary_by_shape"
    version = 2
    alias_of = "op_summary@3"
    fixed = { by_shape = true }

    [changes]
    2 = "alias of op_summary"
    --- */

An alias has the columns, grain and help of its target, and the parameters that `fixed` gives no
value. `title`, `help` and `default`, other defaults of parameters, may be set. Where the columns
differ, the file holds a complete header with `alias_of` and `fixed`, and a SELECT from the target.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from warehouse.errors import ContractError, UsageError
from warehouse.library import header as headers
from warehouse.library.header import Header
from warehouse.library.parameter import Parameter, Value, sql_literal

_NAMES_TARGET = re.compile(r'\nalias_of = "([a-z][a-z0-9_]*@[1-9][0-9]*)"')
_KEYS = ("name", "version", "alias_of", "title", "help", "fixed", "default", "changes")


@dataclass(frozen=True)
class Alias:
    """A header and the SELECT that calls the target."""

    header: Header
    statement: str


def target_of(sql: str) -> str | None:
    """The pinned name of the target, for text that is a header and nothing else."""
    if "alias_of" not in sql or headers.has_statement(sql):
        return None
    found = _NAMES_TARGET.search(sql)
    return found[1] if found else None


def parse(sql: str, source: str, target: Header) -> Alias:
    """Derives the alias from its text and its target; raises ContractError."""
    values = headers.values(sql, source)
    try:
        headers.only(values, _KEYS, "the header")
        fixed = _fixed(values.get("fixed", {}), target)
        parameters = _parameters(target, fixed, values.get("default", {}))
        header = replace(
            target,
            name=values["name"],
            version=int(values["version"]),
            title=str(values.get("title", target.title)),
            help=str(values.get("help", target.help)).strip(),
            parameters=parameters,
            requires_queries=(target.key,),
            requires_rows=(),
            changes={int(version): str(text) for version, text in values["changes"].items()},
            alias_of=target.key,
            fixed=fixed,
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ContractError(f"{source}: {headers.explain(error)}") from None
    if header.version not in header.changes:
        raise ContractError(f"{source}: [changes] has no entry for version {header.version}")
    return Alias(header, _statement(header, target))


def _fixed(given: Mapping[str, Any], target: Header) -> dict[str, Value]:
    known = {parameter.name: parameter for parameter in target.parameters}
    headers.only(given, known, "fixed")
    try:
        return {name: known[name].convert(value) for name, value in given.items()}
    except UsageError as error:
        raise ValueError(f"fixed: {error.message}") from None


def _parameters(
    target: Header, fixed: Mapping[str, Value], defaults: Mapping[str, Any]
) -> tuple[Parameter, ...]:
    left = [each for each in target.parameters if each.name not in fixed]
    headers.only(defaults, [each.name for each in left], "default")
    try:
        return tuple(
            replace(each, default=each.convert(defaults[each.name]), has_default=True)
            if each.name in defaults
            else each
            for each in left
        )
    except UsageError as error:
        raise ValueError(f"default: {error.message}") from None


def _statement(header: Header, target: Header) -> str:
    columns = ", ".join(f'"{column.name}"' for column in header.columns)
    arguments = [
        f"p_{parameter.name} := ${parameter.name}::{parameter.type}"
        for parameter in header.parameters
    ]
    arguments += [f"p_{name} := {sql_literal(value)}" for name, value in header.fixed.items()]
    return f"SELECT {columns} FROM {target.name}({', '.join(arguments)})"


def replacement(header: Header) -> str:
    """The replacement of an alias: the target and the values of its parameters."""
    name = str(header.alias_of).partition("@")[0]
    values = [f" -p {key}={_text(value)}" for key, value in header.fixed.items()]
    return name + "".join(values)


def _text(value: Value) -> str:
    if isinstance(value, list):
        return ",".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) or value is None else str(value)
