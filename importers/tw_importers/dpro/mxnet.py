"""Reads what dPRO's recorder keeps of a network of MXNet: its symbol, gradients and sizes.

The symbol has forward operators only. `graph` adds what training does, as dPRO's collector does
(github.com/joapolarbear/dpro, dpro/ml_platform/mxnet/metadata.py): backward operators in reverse,
the communication of each gradient, and the updates of weights.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import msgspec

from tw_importers.dpro import gml
from warehouse.errors import CorruptTrace

_OUTPUT = re.compile(r"\s*output\[\d+\]=(.+?)\(\d+\)")
_VARIABLE = re.compile(r"Variable:(.+?)\s*$")
_OPERATOR = re.compile(r"Op:(.*?),\s*Name=(.+?)\s*$")
_ARGUMENT = re.compile(r"\s*arg\[\d+\]=(.+?)\(\d+\)")
_UPDATE = "UPDATE_CAL"


class Metadata(msgspec.Struct, gc=False):
    """metadata.json of MXNet."""

    outputs: list[str] = []
    out_shapes: list[list[int] | None] = []
    gradient_name_list: list[str | list[str]] = []
    opt_aggregate_num: int = 0


class Optimizer(msgspec.Struct, gc=False):
    """info.json, which older recorders wrote instead."""

    opt_aggregate_num: int = 0


@dataclass
class Gradient:
    """A tensor that ranks reduce; its place in the list is its number."""

    name: str
    shape: list[int] | None = None
    data_type: str | None = None


@dataclass
class Operator:
    """A forward operator of a symbol."""

    name: str
    type: str
    arguments: list[str] = field(default_factory=list)


@dataclass
class Symbol:
    """A network as `symbol.debug_str()` prints it."""

    outputs: list[str] = field(default_factory=list)
    variables: set[str] = field(default_factory=set)
    operators: list[Operator] = field(default_factory=list)


def gradients(metadata: Metadata, names: Sequence[str]) -> list[Gradient]:
    """Gradients of metadata.json (`name;shape=(512, 1024);dtype=float16`), else those of a list."""
    shapes = dict(zip(metadata.outputs, metadata.out_shapes, strict=False))
    found = [_gradient(each) for each in metadata.gradient_name_list]
    found = found or [Gradient(name) for name in names]
    for each in found:
        each.shape = shapes.get(each.name) or each.shape
    return found


def _gradient(entry: str | list[str]) -> Gradient:
    name, *others = entry.split(";") if isinstance(entry, str) else entry or [""]
    found = Gradient(name)
    for other in others:
        key, _, value = other.partition("=")
        if key.strip() == "dtype":
            found.data_type = value.strip()
        elif key.strip() == "shape":
            found.shape = [int(number) for number in re.findall(r"\d{1,18}", value)]
    return found


def parse(text: str) -> Symbol:
    """Returns the network; raises CorruptTrace if an operator reads what was not named before."""
    symbol, known = Symbol(), set[str]()
    for line in text.splitlines():
        if found := _OPERATOR.match(line):
            known.update(each.name for each in symbol.operators[-1:])
            symbol.operators.append(Operator(found[2], found[1]))
        elif found := _VARIABLE.match(line):
            symbol.variables.add(found[1])
        elif found := _OUTPUT.match(line):
            symbol.outputs.append(found[1])
        elif (found := _ARGUMENT.match(line)) and symbol.operators:
            operator = symbol.operators[-1]
            if found[1] not in known and found[1] not in symbol.variables:
                raise CorruptTrace(
                    f"operator {operator.name} reads {found[1]}, which nothing before it names",
                    hint="Copy or record it again.",
                )
            operator.arguments.append(found[1])
    if not symbol.operators:
        raise CorruptTrace("no operator found", hint="Copy or record it again.")
    return symbol


def graph(symbol: Symbol, tensors: Sequence[Gradient], n_together: int) -> gml.Graph:
    """The graph of a step of training: operators, gradients by number, and updates of weights."""
    numbers = {each.name: n for n, each in enumerate(tensors)}
    places: dict[str, int] = {}
    edges = dict.fromkeys(_edges(symbol, numbers))
    edges |= dict.fromkeys((_UPDATE, name) for name in _updates(len(tensors), n_together))
    # parts of an operator, such as _fwd0 and _fwd1, are one node
    edges = {pair: None for pair in edges if pair[0] != pair[1]}
    for pair in edges:
        for name in pair:
            places.setdefault(name, len(places))
    return gml.Graph(list(places), [(places[a], places[b]) for a, b in edges])


def _edges(symbol: Symbol, numbers: dict[str, int]) -> Iterator[tuple[str, str]]:
    for n, name in enumerate(symbol.outputs):
        if name not in symbol.variables:
            yield f"FW.{_stem(name)}", f"OUTPUT{n}"
            yield f"OUTPUT{n}", f"BW.{_stem(name)}"
    for operator in symbol.operators:
        name = _stem(operator.name)
        for argument in operator.arguments:
            if argument not in symbol.variables:
                yield f"FW.{_stem(argument)}", f"FW.{name}"
                yield f"BW.{name}", f"BW.{_stem(argument)}"
            elif argument in numbers:
                yield f"BW.{name}", f"Comm.{numbers[argument]}"
                yield f"Comm.{numbers[argument]}", _UPDATE
            elif "data" in argument:
                yield argument.replace("data", "I/O_"), f"FW.{name}"


def _updates(n_tensors: int, n_together: int) -> Iterator[str]:
    """An update for each number of gradients that the optimizer takes together; 0: one."""
    n_updates = -(-n_tensors // max(n_together, 1))
    return (f"UPDATE_{n}" for n in range(n_updates))


def _stem(name: str) -> str:
    return name.partition("_fwd")[0]


def operator_types(symbol: Symbol) -> dict[str, str]:
    """Types of the nodes of the graph that are operators."""
    return {
        f"{phase}.{_stem(each.name)}": each.type for each in symbol.operators
        for phase in ("FW", "BW")
    }  # fmt: skip
