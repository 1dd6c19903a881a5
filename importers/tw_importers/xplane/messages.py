"""XProf's protobuf messages, with what is read piece by piece left as bytes.

Field numbers: github.com/openxla/xla, third_party/tsl/tsl/profiler/protobuf/xplane.proto. Texts are
declared as bytes: invalid UTF-8 must not stop an import.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_Field = descriptor_pb2.FieldDescriptorProto
_PACKAGE: Final = "trace_warehouse.xplane"
#: Name of the oneof of a statistic.
VALUE: Final = "value"
_MESSAGES: Final[dict[str, dict[str, tuple[int, str]]]] = {
    "Statistic": {
        "metadata_id": (1, "int64"), "double": (2, "double"), "uint64": (3, "uint64"),
        "int64": (4, "int64"), "text": (5, "bytes"), "bytes": (6, "bytes"), "ref": (7, "uint64"),
    },
    "Event": {
        "metadata_id": (1, "int64"), "offset_ps": (2, "int64"), "duration_ps": (3, "int64"),
        "stats": (4, "Statistic*"), "num_occurrences": (5, "int64"),
    },
    "Line": {
        "id": (1, "int64"), "name": (2, "bytes"), "timestamp_ns": (3, "int64"),
        "events": (4, "Event*"), "display_id": (10, "int64"), "display_name": (11, "bytes"),
    },
    "EventMetadata": {
        "id": (1, "int64"), "name": (2, "bytes"), "metadata": (3, "bytes"),
        "display_name": (4, "bytes"), "stats": (5, "Statistic*"),
    },
    "StatMetadata": {"id": (1, "int64"), "name": (2, "bytes")},
    "EventEntry": {"key": (1, "int64"), "value": (2, "EventMetadata")},
    "StatEntry": {"key": (1, "int64"), "value": (2, "StatMetadata")},
}  # fmt: skip
_OF_ONE = ("double", "uint64", "int64", "text", "bytes", "ref")  # a statistic has one of these


@cache
def message(name: str) -> Any:
    """The class of one of the messages."""
    return message_factory.GetMessageClass(_pool().FindMessageTypeByName(f"{_PACKAGE}.{name}"))


@cache
def _pool() -> Any:
    file = descriptor_pb2.FileDescriptorProto(
        name="trace_warehouse/xplane.proto", package=_PACKAGE, syntax="proto2"
    )
    for name, fields in _MESSAGES.items():
        declared = file.message_type.add(name=name)
        for field, (number, kind) in fields.items():
            _declare(declared, field, number, kind)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return pool


def _declare(message: Any, name: str, number: int, kind: str) -> None:
    label = _Field.LABEL_REPEATED if kind.endswith("*") else _Field.LABEL_OPTIONAL
    field = message.field.add(name=name, number=number, label=label)
    kind = kind.rstrip("*")
    if kind in _MESSAGES:
        field.type, field.type_name = _Field.TYPE_MESSAGE, f".{_PACKAGE}.{kind}"
    else:
        field.type = getattr(_Field, f"TYPE_{kind.upper()}")
    if message.name == "Statistic" and name in _OF_ONE:
        if not message.oneof_decl:
            message.oneof_decl.add(name=VALUE)
        field.oneof_index = 0
