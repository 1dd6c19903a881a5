"""Nodes as all schemas after 1.0.1 write them: verbatim values by key, moved and never read."""

from __future__ import annotations

from typing import Any

import msgspec

Node = dict[str, msgspec.Raw]
KEYS = ("id", "name", "ctrl_deps", "inputs", "outputs", "attrs")


def nested(node: Node) -> list[Any]:
    """The columns of a node: its keys, None for those it has not, and an object of all others."""
    row: list[Any] = [node.pop(key, None) for key in KEYS]
    row.append(object_text(node) if node else None)
    return row


def object_text(values: Node) -> bytes:
    """A JSON object of keys and verbatim values."""
    items = (msgspec.json.encode(key) + b": " + bytes(value) for key, value in values.items())
    return b"{" + b", ".join(items) + b"}"
