"""Workloads of Chakra's feeder as JSON: an object whose list `workload_graph` has a node each.

Keys of a node: Id, Name, NodeType (its number), is_cpu_op, runtime (microseconds), data_deps, and
of communication tensor_size, comm_type, ... (mlcommons/chakra, src/feeder/json_node.cpp). They
become what the same node would be in a `.et` file, so that it can be written as one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from tw_importers.chakra_et.attributes import COLUMNS
from tw_importers.chakra_et.messages import NODE_TYPES
from tw_importers.trace_event.repair import Damage, Repairer
from tw_importers.trace_event.split import Splitter
from warehouse.errors import CorruptTrace
from warehouse.ingest.importer import ByteReader

_KEY = b"workload_graph"
_SNIFFED = re.compile(rb'\s*\{.*?"workload_graph"\s*:\s*\[', re.DOTALL)
_NODES = msgspec.json.Decoder(list[Any])
#: What the feeder reads of a node beyond what all nodes have, as it does from `.et` files.
_KINDS = {
    "is_cpu_op": "bool", "num_ops": "int64", "tensor_size": "uint64", "comm_type": "int64",
    "comm_priority": "int32", "comm_size": "int64", "comm_src": "int32", "comm_dst": "int32",
    "comm_tag": "int32", "pg_name": "string",
}  # fmt: skip
_RANGES = {
    "int32": range(-(1 << 31), 1 << 31), "int64": range(-(1 << 63), 1 << 63),
    "uint64": range(1 << 64),
}  # fmt: skip
_WHOLE = _RANGES["uint64"]


def is_workload(head: bytes) -> bool:
    """Whether a file that begins so is one."""
    return _SNIFFED.match(head.removeprefix(b"\xef\xbb\xbf")) is not None


class Workload:
    """Rows as tw_importers.chakra_et.read has them, one for each node."""

    def __init__(self, reader: ByteReader) -> None:
        # What is damaged is refused, as in `.et` files: a simulator would refuse it, too.
        self._splitter = Splitter(reader, Repairer(_refuse), _NODES.decode, _KEY, may_be_bare=False)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        """Raises CorruptTrace, which names the node, where one is not as it should be."""
        n = 0
        for nodes in self._splitter:
            for node in nodes:
                yield _row(node, n)
                n += 1


def _refuse(damage: Damage) -> None:
    raise CorruptTrace(f"invalid JSON at byte {damage.offset}", offset=damage.offset)


def _row(node: Any, n: int) -> tuple[Any, ...]:
    left = dict(node) if isinstance(node, dict) else _wrong(f"node {n}", "is not a JSON object")
    label = f"node {n}, {left.get('Name')!r},"
    node_id = left.pop("Id", None)
    if not _is_whole(node_id):
        _wrong(label, "has no integer Id")
    label = f"node {node_id}, {left.get('Name')!r},"
    name, runtime = left.pop("Name", ""), left.pop("runtime", 0)
    deps = [left.pop(key, []) for key in ("ctrl_deps", "data_deps")]
    if not isinstance(name, str):
        _wrong(label, "has an invalid Name: expected a string")
    if not _is_whole(runtime):
        _wrong(label, "has an invalid runtime: expected whole microseconds")
    if not all(isinstance(each, list) and all(map(_is_whole, each)) for each in deps):
        _wrong(label, "has invalid dependencies: expected integer ids")
    kind = _type(left.pop("NodeType", 0), label)
    attributes = [_attribute(key, value, label) for key, value in left.items()]
    values = {each["name"]: each["value"] for each in attributes}
    columns = (
        value if type(value := values.get(key)) is of else None for key, of in COLUMNS.items()
    )
    text = msgspec.json.encode(attributes).decode()
    return (n, node_id, name, kind, *deps, 0, runtime, None, None, text, None, *columns)


def _wrong(label: str, what: str) -> Any:
    raise CorruptTrace(f"{label} {what}", hint="The workload may be edited by hand.")


def _is_whole(value: object) -> bool:
    return type(value) is int and value in _WHOLE


def _type(value: object, label: str) -> str:
    if isinstance(value, str) and value:
        return value
    if not _is_whole(value):
        _wrong(label, "has an invalid NodeType: expected an integer")
    return NODE_TYPES[int(str(value))] if value in range(len(NODE_TYPES)) else str(value)


def _attribute(name: str, value: Any, label: str) -> dict[str, Any]:
    """The key as a `.et` file has it: of the feeder's kind, or of the one its value has."""
    kind = _KINDS.get(name)
    if kind is None:
        return _unnamed(name, value)
    if kind in _RANGES:
        fits = type(value) is int and value in _RANGES[kind]
    else:
        fits = isinstance(value, bool if kind == "bool" else str)
    if not fits:
        _wrong(label, f"has an invalid {name}: expected {kind}, got {value!r}")
    return {"name": name, "type": kind, "value": value}


def _unnamed(name: str, value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"name": name, "type": "bool", "value": value}
    if isinstance(value, int) and value in _RANGES["int64"]:
        return {"name": name, "type": "int64", "value": value}
    if isinstance(value, float):
        return {"name": name, "type": "double", "value": value}
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return {"name": name, "type": "string", "value": text}
