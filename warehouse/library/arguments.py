"""Converts the values given for the parameters of a query to their types."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping

from warehouse.errors import UsageError
from warehouse.library.library import Query
from warehouse.library.parameter import Parameter, Value

_WORDS = {"null": None, "true": True, "false": False}
_UNITS = {"_ns": "ns", "_bytes": "byte"}  # by the end of a parameter's name


def arguments(query: Query, given: Mapping[str, object]) -> dict[str, Value]:
    """The value of each parameter, converted to its type.

    Raises UsageError when one is unknown, missing, of another type or out of bounds.
    """
    known = {parameter.name: parameter for parameter in query.parameters}
    for name in given:
        if name not in known:
            raise _unknown_parameter(query, name, list(known))
    values: dict[str, Value] = {}
    for name, parameter in known.items():
        if query.header is None and name in given:
            values[name] = _guess(name, given[name])
        elif name in given:
            values[name] = parameter.convert(given[name])
        elif parameter.has_default:
            values[name] = parameter.default
        else:
            raise UsageError(
                f"parameter {name} has no value", hint=f"Give it with -p {name}=VALUE."
            )
    return values


def _unknown_parameter(query: Query, name: str, known: list[str]) -> UsageError:
    near = difflib.get_close_matches(name, known, n=1)
    if near:
        hint = f"Did you mean {near[0]!r}?"
    else:
        hint = f"It has: {', '.join(known)}." if known else "It has none."
    return UsageError(f"{query.key or 'the statement'} has no parameter {name!r}", hint=hint)


def _guess(name: str, value: object) -> Value:
    """Without a header text is a number where it reads as one; `min_ns` takes 1.5ms."""
    if not isinstance(value, str):
        return value  # type: ignore[return-value]
    if re.fullmatch(r"-?[0-9]+", value):
        return int(value)
    if re.fullmatch(r"-?[0-9]*\.?[0-9]+([eE][-+]?[0-9]+)?", value):
        return float(value)
    if value in _WORDS:
        return _WORDS[value]
    unit = next((unit for end, unit in _UNITS.items() if name.endswith(end)), None)
    return Parameter(name, "BIGINT", unit=unit).convert(value) if unit else value
