"""Parameters of queries: converts values to the declared type, and writes values as SQL."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from warehouse.errors import ScopeError, UsageError
from warehouse.times import parse_time

_INTEGER = (-(2**63), 2**63 - 1)
Scalar = str | int | float | bool
Value = Scalar | list[Scalar] | None


@dataclass(frozen=True)
class Parameter:
    """One `$name` of a query. Types: BIGINT, DOUBLE, VARCHAR, BOOLEAN, and lists as VARCHAR[]."""

    name: str
    type: str
    help: str = ""
    unit: str | None = None
    default: Value = None
    has_default: bool = False  # a nullable parameter has one: NULL
    nullable: bool = False
    min: float | None = None
    max: float | None = None

    def convert(self, value: object) -> Value:
        """A value of the declared type from text or a Python value; raises UsageError."""
        if value is None or (value == "null" and self.nullable):
            if not self.nullable:
                raise self._wrong(value)
            return None
        if self.type.endswith("[]"):
            items = value.split(",") if isinstance(value, str) else value
            if not isinstance(items, Iterable):
                raise self._wrong(value)
            return [self._bounded(item) for item in items]
        return self._bounded(value)

    def _bounded(self, value: object) -> Scalar:
        try:
            converted = self._scalar(value)
        except (ValueError, OverflowError, ScopeError):
            raise self._wrong(value) from None
        if isinstance(converted, (int, float)) and not isinstance(converted, bool):
            if self.min is not None and converted < self.min:
                raise UsageError(f"parameter {self.name} must be at least {self.min}, not {value}")
            if self.max is not None and converted > self.max:
                raise UsageError(f"parameter {self.name} must be at most {self.max}, not {value}")
        return converted

    def _scalar(self, value: object) -> Scalar:
        kind = self.type.removesuffix("[]")
        if kind == "VARCHAR":
            return _text(value)
        if kind == "BOOLEAN":
            return _boolean(value)
        if self.unit == "byte" and isinstance(value, str):
            value = number_of_bytes(value)
        if kind == "DOUBLE":
            if self.unit == "ns" and isinstance(value, str) and value.endswith("s"):
                value = _integer(value, is_time=True)
            number = float(_not_boolean(value))
            if not math.isfinite(number):
                raise ValueError
            return number
        return _integer(value, is_time=self.unit == "ns")

    def _wrong(self, value: object) -> UsageError:
        text = f"parameter {self.name} must be of type {self.type}, not {value!r}"
        return UsageError(text, hint=f"Write -p {self.name}={self.example}.")

    @property
    def example(self) -> str:
        """A value of the type, for a hint."""
        examples = {"BIGINT": "1000", "DOUBLE": "0.5", "BOOLEAN": "true", "VARCHAR": "text"}
        units = {"ns": " or a time such as 1.5ms", "byte": " or a size such as 1.5MB"}
        return examples[self.type.removesuffix("[]")] + units.get(self.unit or "", "")

    @property
    def sql_default(self) -> str:
        """The default as SQL."""
        return sql_literal(self.default)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError
    return value


def _boolean(value: object) -> bool:
    if isinstance(value, str):
        value = {"true": True, "1": True, "false": False, "0": False}.get(value.lower())
    if not isinstance(value, bool):
        raise ValueError
    return value


def _not_boolean(value: object) -> Any:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise ValueError
    return value


def number_of_bytes(value: str) -> str:
    """A size as a number of bytes, where it has a unit: 1.5MB, 3MiB."""
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) *([kKMGT])(i?)B", value)
    if match is None:
        return value
    base = 1024 if match[3] else 1000
    return str(round(float(match[1]) * base ** ("KMGT".index(match[2].upper()) + 1)))


def _integer(value: object, *, is_time: bool) -> int:
    if isinstance(value, float) and not value.is_integer():
        raise ValueError
    text = isinstance(value, str)
    number = parse_time(str(value)) if is_time and text else int(_not_boolean(value))
    if not _INTEGER[0] <= number <= _INTEGER[1]:
        raise ValueError
    return number


def sql_literal(value: Value) -> str:
    """A constant as SQL."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "[" + ", ".join(sql_literal(item) for item in value) + "]"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return repr(value)
