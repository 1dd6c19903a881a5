"""Nodes as schema 1.0.1 writes them, every attribute a key, put into the columns of later schemas.

Values are moved, never read; the export puts them back (export/trace.py beside this module).
"""

from __future__ import annotations

from typing import Any

from tw_importers.execution_trace.nested import Node, object_text

#: Attributes, and the types later schemas give them.
ATTRIBUTES = {
    "rf_id": "uint64", "fw_parent": "uint64", "seq_id": "int64", "scope": "uint64",
    "tid": "uint64", "fw_tid": "uint64", "op_schema": "string",
}  # fmt: skip
_INPUTS = ("inputs", "input_shapes", "input_types")
_OUTPUTS = ("outputs", "output_shapes", "output_types")
_PARTS = (b'{"values": ', b', "shapes": ', b', "types": ')


def is_flat(node: Node) -> bool:
    """Whether the node has its attributes as keys of its own."""
    return "attrs" not in node and ("parent" in node or "rf_id" in node)


def row(node: Node) -> list[Any]:
    """The columns of the node: id, name, parent, inputs, outputs, attributes, extra."""
    found: list[Any] = [node.pop("id", None), node.pop("name", None), node.pop("parent", None)]
    found += [_three(node, _INPUTS), _three(node, _OUTPUTS)]
    attributes = [
        b'{"name": "%b", "type": "%b", "value": %b}' % (key.encode(), kind.encode(), node.pop(key))
        for key, kind in ATTRIBUTES.items()
        if key in node
    ]
    found.append(b"[" + b", ".join(attributes) + b"]")
    found.append(object_text(node) if node else None)
    return found


def _three(node: Node, keys: tuple[str, str, str]) -> bytes | None:
    """Values, shapes and types as one object; None, and left in place, if they are not lists."""
    if not all(bytes(node.get(key, b"")).startswith(b"[") for key in keys):
        return None
    return (
        b"".join(part + bytes(node.pop(key)) for part, key in zip(_PARTS, keys, strict=True)) + b"}"
    )
