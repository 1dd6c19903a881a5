"""Fields of events that are messages of their own, as members of the JSON of arguments.

They are those of Perfetto's schema, such as chrome_user_event, and extensions that a trace itself
describes: protos/perfetto/trace/extension_descriptor.proto.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError
from google.protobuf.unknown_fields import UnknownFieldSet

from tw_importers.perfetto.arguments import json_double
from tw_importers.perfetto.messages import messages
from tw_importers.perfetto.packets import packets
from warehouse.errors import CorruptTrace

_NO_ARGUMENTS = frozenset({"callstack"})
_GZIP_OR_ZLIB = 47  # what zlib calls both


class TypedFields:
    """Decodes the fields; what it takes is only loaded for the first event that has any.

    `descriptors` returns the contents of the packets with descriptors of extensions, wherever they
    are in the trace.
    """

    def __init__(self, descriptors: Callable[[], Iterable[bytes]]) -> None:
        self._descriptors = descriptors
        self._parse: Callable[[bytes], Any] | None = None

    def members(self, event: Any, unknown: UnknownFieldSet) -> tuple[list[str], list[int]]:
        """The members of a JSON object, and the numbers of the fields that have none.

        `unknown` has the fields of the event that messages.py does not declare.
        """
        numbers = [field.field_number for field in unknown]
        try:
            found = {
                field.number: f"{_text(field.name)}:{_value(field, value)}"
                for field, value in self._decoded(event).ListFields()
                if field.number in numbers and _is_argument(field)
            }
        except (DecodeError, UnicodeDecodeError):
            return [], numbers
        return [*found.values()], [number for number in numbers if number not in found]

    def _decoded(self, event: Any) -> Any:
        """The event as Perfetto's schema and the extensions have it."""
        if self._parse is None:
            self._parse = _parser(self._descriptors())
        return self._parse(event.SerializeToString())


def descriptors_in(data: memoryview) -> Iterator[bytes]:
    """Yields the contents of packets that describe extensions, up to where a trace is damaged."""
    try:
        for _, packet in packets(data):
            if packet.extensions:
                yield packet.extensions
    except CorruptTrace:
        return


def _parser(descriptors: Iterable[bytes]) -> Callable[[bytes], Any]:
    """What reads a TrackEvent with the extensions that are described."""
    from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import DESCRIPTOR

    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(DESCRIPTOR.serialized_pb)
    waiting = {file.name: file for content in descriptors for file in _files(content)}
    _stand_in(pool, DESCRIPTOR.name, waiting)
    while added := [name for name, file in waiting.items() if _add(pool, file)]:
        for name in added:
            del waiting[name]
    event = pool.FindMessageTypeByName("perfetto.protos.TrackEvent")
    parse: Callable[[bytes], Any] = message_factory.GetMessageClass(event).FromString
    return parse


def _files(content: bytes) -> Iterator[Any]:
    """The descriptors of files in a packet; none if it cannot be decoded."""
    try:
        found = messages().new("Extensions").FromString(content)
        packed = zlib.decompress(found.packed, _GZIP_OR_ZLIB) if found.packed else b""
        for file in descriptor_pb2.FileDescriptorSet.FromString(found.files + packed).file:
            if _is_text(file):
                yield file
    except (DecodeError, zlib.error):
        return


def _is_text(file: Any) -> bool:
    try:
        return bool(file.name) and all(file.dependency)
    except UnicodeDecodeError:
        return False


def _stand_in(pool: Any, schema: str, files: dict[str, Any]) -> None:
    """Adds a file for each of Perfetto's that descriptors refer to: all are in one file here."""
    for name in {each for file in files.values() for each in file.dependency} - files.keys():
        stub = descriptor_pb2.FileDescriptorProto(
            name=name, dependency=[schema], public_dependency=[0]
        )
        _add(pool, stub)


def _add(pool: Any, file: Any) -> bool:
    """Whether a file could be added: not before those it needs, nor if it is invalid."""
    try:
        pool.Add(file)
    except TypeError:
        return False
    return True


def _is_argument(field: Any) -> bool:
    return field.is_extension or (field.message_type and field.name not in _NO_ARGUMENTS)


def _text(value: str) -> str:
    return msgspec.json.encode(value).decode()


def _value(field: Any, value: Any) -> str:
    if hasattr(value, "ListFields"):
        return _message(value)
    if isinstance(value, bool | int | float | str | bytes):
        return _scalar(field, value)
    if hasattr(value, "items"):  # a map
        of_value = field.message_type.fields_by_name["value"]
        members = [f"{_text(str(key))}:{_value(of_value, each)}" for key, each in value.items()]
        return f"{{{','.join(members)}}}"
    return f"[{','.join([_value(field, each) for each in value])}]"


def _message(message: Any) -> str:
    members = [f"{_text(field.name)}:{_value(field, each)}" for field, each in message.ListFields()]
    return f"{{{','.join(members)}}}" if members else "null"


def _scalar(field: Any, value: bool | int | float | str | bytes) -> str:
    if isinstance(value, bytes):
        return f'"{base64.b64encode(value).decode()}"'
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if field.enum_type and (named := field.enum_type.values_by_number.get(value)):
        return _text(named.name)
    return json_double(value) if isinstance(value, float) else str(value)
