"""Takes a dumped program apart: its arguments, the nodes of its functions, and the graph's hash.

The hash is that of a Merkle tree: of a node its operation, its attributes whose names do not begin
with "_" (functions by their digests) and its inputs; of a function the types of its arguments, what
it returns, and all its nodes. Names, devices and order do not count.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tw_importers.disc.messages import KINDS, messages
from warehouse.errors import CorruptTrace


@dataclass(frozen=True)
class Node:
    """An operation of a function. `inputs` are names of arguments and nodes, as in the file."""

    function: str
    name: str
    op: str
    device: str
    inputs: tuple[str, ...]
    attributes: tuple[tuple[str, bytes], ...]


@dataclass(frozen=True)
class Argument:
    """An argument of a cluster; shape None: of unknown rank."""

    kind: str
    placement: str | None
    type: int
    shape: tuple[int, ...] | None
    member: str  # file of its value in the archive
    constant: bytes


class Program:
    """A decoded program. Raises CorruptTrace, with the offset, if it is none."""

    def __init__(self, content: bytes) -> None:
        data = memoryview(content)
        self._decoded = messages().decode("Program", data, 0, len(data))
        options = self._decoded.options
        if not options.device_type and not self._decoded.function:
            raise CorruptTrace("the program has neither a device nor a function", offset=0)
        self.device_type = _text(options.device_type)
        self.func_hash = options.func_hash
        self.graph_def_version = options.graph_def_version
        called = self._part("Called", self._decoded.function)
        self.function = _text(called.name)
        self.environment = {_text(e.key): _text(e.value) for e in self._decoded.env}
        library = self._part("Library", options.library)
        self._functions = {_text(each.signature.name): each for each in library.function}

    def decode(self) -> list[Node]:
        """Decodes all parts, and returns the nodes of all functions; what is left is small.

        Raises CorruptTrace, with the offset within a part.
        """
        nodes = [node for name in self._functions for node in self._nodes(name)]
        _ = self.arguments, self.signature_hash
        self._functions, self._decoded = {}, None
        return nodes

    @cached_property
    def arguments(self) -> list[Argument]:
        return [self._argument(each) for each in self._decoded.args]

    def _argument(self, each: Any) -> Argument:
        kind, placement = KINDS.get(each.kind, (f"kind {each.kind}", None))
        shape = self._part("Shape", each.shape)
        return Argument(
            kind=kind,
            placement=placement,
            type=each.type,
            shape=None if shape.unknown_rank else tuple(dim.size for dim in shape.dim),
            member=_text(each.value_proto_file),
            constant=each.constant_value,
        )

    def _nodes(self, function: str) -> Iterator[Node]:
        for each in self._functions[function].node_def:
            yield Node(
                function=function,
                name=_text(each.name),
                op=_text(each.op),
                device=_text(each.device),
                inputs=tuple(map(_text, each.input)),
                attributes=tuple(sorted((_text(e.key), e.value) for e in each.attr)),
            )

    @cached_property
    def graph_hash(self) -> str:
        """32 hexadecimal digits, equal for programs that compute the same."""
        return _Digests(self).function(self.function).hex()[:32]

    @cached_property
    def signature_hash(self) -> str:
        """Hash of the graph, the kinds, types and ranks of its arguments, and constants."""
        made = hashlib.sha256(self.graph_hash.encode())
        for each in self.arguments:
            rank = None if each.shape is None else len(each.shape)
            made.update(repr((each.kind, each.type, rank, each.constant)).encode())
        return made.hexdigest()[:32]

    def ports(self, function: str) -> tuple[list[tuple[str, int]], list[str], dict[str, str]]:
        """Arguments with types, results, and what results come from."""
        found = self._functions[function]
        arguments = [(_text(port.name), port.type) for port in found.signature.input_arg]
        results = [_text(port.name) for port in found.signature.output_arg]
        return arguments, results, {_text(e.key): _text(e.value) for e in found.ret}

    def has(self, function: str) -> bool:
        return function in self._functions

    def called(self, attribute: bytes) -> str | None:
        """The function that an attribute names; None: it names none."""
        name = self._part("Attribute", attribute).func.name
        return _text(name) or None

    def of(self, function: str) -> list[Node]:
        return list(self._nodes(function))

    def _part(self, name: str, content: bytes) -> Any:
        return messages().decode(name, memoryview(content), 0, len(content))


class _Digests:
    """Digests of functions, each computed once; one that calls itself counts by its name alone."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._known: dict[str, bytes] = {}

    def function(self, name: str) -> bytes:
        if name in self._known:
            return self._known[name]
        if not self._program.has(name):
            return _digest("unknown function", name)
        self._known[name] = _digest("recursive function")
        arguments, results, origins = self._program.ports(name)
        values = {argument: _digest("argument", n) for n, (argument, _) in enumerate(arguments)}
        nodes = self._in_order(self._program.of(name))
        for node in nodes:
            values[node.name] = self._node(node, values)
        returned = [_value(origins.get(result, ""), values) for result in results]
        of_nodes = sorted(values[node.name] for node in nodes)
        types = [kind for _, kind in arguments]
        self._known[name] = _digest("function", types, returned, of_nodes)
        return self._known[name]

    def _node(self, node: Node, values: dict[str, bytes]) -> bytes:
        attributes = []
        for key, value in node.attributes:
            if not key.startswith("_"):
                called = self._program.called(value)
                attributes.append((key, self.function(called) if called else value))
        data = [_value(each, values) for each in node.inputs if not each.startswith("^")]
        control = sorted(_value(each[1:], values) for each in node.inputs if each.startswith("^"))
        return _digest("node", node.op, attributes, data, control)

    @staticmethod
    def _in_order(nodes: list[Node]) -> list[Node]:
        """Producers first; nodes of cycles last, by operation, without each other's digests."""
        waiting = {node.name: node for node in nodes}
        needs = {
            node.name: {source for each in node.inputs if (source := _source(each)) in waiting}
            for node in nodes
        }
        users: dict[str, list[str]] = {}
        for name, sources in needs.items():
            for source in sources:
                users.setdefault(source, []).append(name)
        ready = [name for name, sources in needs.items() if not sources]
        ordered = []
        while ready:
            name = ready.pop()
            ordered.append(waiting.pop(name))
            for user in users.get(name, ()):
                needs[user].discard(name)
                if not needs[user]:
                    ready.append(user)
        return ordered + sorted(waiting.values(), key=lambda node: node.op)


def _source(text: str) -> str:
    """The node or argument that an input names: `name`, `name:output:number` or `^name`."""
    return text.removeprefix("^").partition(":")[0]


def _value(text: str, values: dict[str, bytes]) -> bytes:
    return _digest(values.get(_source(text), b"cycle"), text.partition(":")[2])


def _digest(*parts: object) -> bytes:
    return hashlib.sha256(repr(parts).encode()).digest()


def _text(value: bytes) -> str:
    return value.decode(errors="replace")
