"""The contract of a query version: grain, parameters and columns as texts that compare."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from warehouse.library.header import Column, Header
from warehouse.library.parameter import Parameter


@dataclass(frozen=True)
class Contract:
    """What users of a query version rely on; `parameters` and `columns` are one text each."""

    grain: tuple[str, ...]
    parameters: tuple[str, ...]
    columns: tuple[str, ...]

    @classmethod
    def of(cls, header: Header) -> Contract:
        """The contract that a header declares."""
        return cls(
            header.grain,
            tuple(map(_parameter, header.parameters)),
            tuple(map(_column, header.columns)),
        )

    def differences(self, other: Contract) -> Iterator[str]:
        """The differences from an earlier contract, a clause each."""
        if self.grain != other.grain:
            yield f"grain is {', '.join(self.grain)}, was {', '.join(other.grain)}"
        yield from _differences("parameter", self.parameters, other.parameters)
        yield from _differences("column", self.columns, other.columns)


def digest(header: Header) -> str:
    """sha256 of the pinned name and the contract, hexadecimal."""
    contract = Contract.of(header)
    values = [header.key, contract.grain, contract.parameters, contract.columns]
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()


def _parameter(parameter: Parameter) -> str:
    parts = [parameter.name, parameter.type]
    parts += [f"[{parameter.unit}]"] if parameter.unit else []
    parts += [f"= {parameter.sql_default}"] if parameter.has_default else []
    parts += ["NULL"] if parameter.nullable else []
    parts += [f">= {parameter.min}"] if parameter.min is not None else []
    parts += [f"<= {parameter.max}"] if parameter.max is not None else []
    return " ".join(parts)


def _column(column: Column) -> str:
    parts = [column.name, column.type]
    parts += [f"[{column.unit}]"] if column.unit else []
    parts += ["NULL"] if column.nullable else []
    parts += [f"CHECK {column.check}"] if column.check else []
    return " ".join(parts)


def _differences(what: str, now: Sequence[str], then: Sequence[str]) -> Iterator[str]:
    present = {text.partition(" ")[0]: text for text in now}
    past = {text.partition(" ")[0]: text for text in then}
    yield from (f"{what} {name} added" for name in present if name not in past)
    yield from (f"{what} {name} removed" for name in past if name not in present)
    for name, text in present.items():
        if past.get(name, text) != text:
            yield f"{what} {text}, was {past[name]}"
    if present == past and list(present) != list(past):
        yield f"{what}s reordered: {', '.join(present)}"
