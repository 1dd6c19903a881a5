"""Classes of protobuf messages that are declared in code, with only the fields that are read.

Fields that are not declared are skipped. Texts are best declared as bytes: invalid UTF-8 must not
stop an import.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError

from tw_importers.protobuf.wire import corrupt

_Field = descriptor_pb2.FieldDescriptorProto
#: Messages by name: fields with their numbers and types, which are scalar types or other messages;
#: `*` behind a type: repeated, `?`: one of the fields so marked.
Declared = Mapping[str, Mapping[str, tuple[int, str]]]
#: Name of the oneof of the fields marked with `?`.
ONE = "value"


class Messages:
    """The classes of some messages."""

    def __init__(self, package: str, declared: Declared) -> None:
        file = descriptor_pb2.FileDescriptorProto(
            name=f"trace_warehouse/{package}.proto", package=package, syntax="proto2"
        )
        for name, fields in declared.items():
            message = file.message_type.add(name=name)
            for field, (number, kind) in fields.items():
                _declare(message, field, number, kind, declared, package)
        self._pool = descriptor_pool.DescriptorPool()
        self._pool.Add(file)
        self._classes = {
            name: message_factory.GetMessageClass(
                self._pool.FindMessageTypeByName(f"{package}.{name}")
            )
            for name in declared
        }

    def new(self, name: str) -> Any:
        """An empty message."""
        return self._classes[name]()

    def decode(self, name: str, data: memoryview, start: int, end: int) -> Any:
        """The message between two offsets. Raises CorruptTrace if it cannot be decoded."""
        try:
            return self._classes[name].FromString(bytes(data[start:end]))
        except DecodeError:
            raise corrupt(start, f"a message of type {name} cannot be decoded") from None


def _declare(
    message: Any, name: str, number: int, kind: str, declared: Declared, package: str
) -> None:
    label = _Field.LABEL_REPEATED if kind.endswith("*") else _Field.LABEL_OPTIONAL
    field = message.field.add(name=name, number=number, label=label)
    if kind.endswith("?"):
        if not message.oneof_decl:
            message.oneof_decl.add(name=ONE)
        field.oneof_index = 0
    kind = kind.rstrip("*?")
    if kind in declared:
        field.type, field.type_name = _Field.TYPE_MESSAGE, f".{package}.{kind}"
    else:
        field.type = getattr(_Field, f"TYPE_{kind.upper()}")
