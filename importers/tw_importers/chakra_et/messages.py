"""Chakra's protobuf messages as far as they are taken apart here; what is inside is left as bytes.

Field numbers: mlcommons/chakra, schema/protobuf/et_def.proto, package ChakraProtoMsg. A node's
attributes and its inputs and outputs repeat between nodes byte for byte, so they are declared as
bytes, which the wire cannot tell from messages, and each text of them is decoded once. Names are
bytes too: invalid UTF-8 must not stop an import.
"""

from __future__ import annotations

import base64
from functools import cache
from typing import Any, Final

import msgspec
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.unknown_fields import UnknownFieldSet

_Field = descriptor_pb2.FieldDescriptorProto
_PACKAGE: Final = "trace_warehouse.chakra"

#: The members of AttributeProto's oneof by their kind. The list of a kind, a message with one
#: repeated field, has the next number.
KINDS: Final = {
    "double": 3, "float": 5, "int32": 7, "int64": 9, "uint32": 11, "uint64": 13, "sint32": 15,
    "sint64": 17, "fixed32": 19, "fixed64": 21, "sfixed32": 23, "sfixed64": 25, "bool": 27,
    "string": 29, "bytes": 31,
}  # fmt: skip

_LAST_FIELD: Final = 10  # of a node
#: What `Node.type` means.
NODE_TYPES: Final = (
    "INVALID_NODE", "METADATA_NODE", "MEM_LOAD_NODE", "MEM_STORE_NODE", "COMP_NODE",
    "COMM_SEND_NODE", "COMM_RECV_NODE", "COMM_COLL_NODE",
)  # fmt: skip

_MESSAGES: Final[dict[str, dict[str, tuple[int, str]]]] = {
    "GlobalMetadata": {"version": (1, "bytes"), "attr": (2, "bytes*")},
    "Node": {
        "id": (1, "uint64"), "name": (2, "bytes"), "type": (3, "int32"),
        "ctrl_deps": (4, "uint64*"), "data_deps": (5, "uint64*"),
        "start_time_micros": (6, "uint64"), "duration_micros": (7, "uint64"),
        "inputs": (8, "bytes*"), "outputs": (9, "bytes*"), "attr": (10, "bytes*"),
    },
    "IOInfo": {"values": (1, "bytes"), "shapes": (2, "bytes"), "types": (3, "bytes")},
}  # fmt: skip


@cache
def message(name: str) -> Any:
    """The class of one of the messages; those of attributes are AttributeProto."""
    return message_factory.GetMessageClass(_pool().FindMessageTypeByName(f"{_PACKAGE}.{name}"))


class Other(msgspec.Struct):
    """A field that a message is not declared to have: its value a number, or base64 of bytes."""

    field: int
    wire_type: int
    value: int | str


def not_declared(parsed: Any) -> list[Other]:
    """Fields of a message that its class does not have, or has with another wire type."""
    unknown = UnknownFieldSet(parsed)
    if not len(unknown):
        return []
    return [Other(each.field_number, each.wire_type, _plain(each.data)) for each in unknown]


def is_foreign(node: Any, others: list[Other]) -> bool:
    """Whether a message is not a node: a field has another wire type, or none is recognised."""
    return not node.ListFields() or any(other.field <= _LAST_FIELD for other in others)


def _plain(value: Any) -> int | str:
    if isinstance(value, int):
        return value
    # A group, obsolete since proto2, is a set of fields itself: named, not kept.
    return base64.b64encode(value).decode() if isinstance(value, bytes) else ""


@cache
def _pool() -> Any:
    file = descriptor_pb2.FileDescriptorProto(
        name="trace_warehouse/chakra.proto", package=_PACKAGE, syntax="proto3"
    )
    for name, fields in _MESSAGES.items():
        declared = file.message_type.add(name=name)
        for field, (number, kind) in fields.items():
            _declare(declared, field, number, kind)
    _declare_attribute(file)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return pool


def _declare_attribute(file: Any) -> None:
    """AttributeProto and the lists it may hold."""
    attribute = file.message_type.add(name="AttributeProto")
    _declare(attribute, "name", 1, "bytes")
    _declare(attribute, "doc_string", 2, "bytes")
    attribute.oneof_decl.add(name="value")
    for kind, number in KINDS.items():
        of_kind = "bytes" if kind == "string" else kind
        values = file.message_type.add(name=f"{kind}_list")
        _declare(values, "values", 1, f"{of_kind}*")
        _declare(attribute, kind, number, of_kind).oneof_index = 0
        listed = attribute.field.add(
            name=f"{kind}_list", number=number + 1, label=_Field.LABEL_OPTIONAL,
            type=_Field.TYPE_MESSAGE, type_name=f".{_PACKAGE}.{kind}_list",
        )  # fmt: skip
        listed.oneof_index = 0


def _declare(message: Any, name: str, number: int, kind: str) -> Any:
    label = _Field.LABEL_REPEATED if kind.endswith("*") else _Field.LABEL_OPTIONAL
    of_kind = getattr(_Field, f"TYPE_{kind.rstrip('*').upper()}")
    return message.field.add(name=name, number=number, label=label, type=of_kind)
