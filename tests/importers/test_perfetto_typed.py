"""Typed fields of Perfetto's events are arguments, named as trace_processor 55.3 names them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import descriptor_pb2
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TracePacket

from warehouse.ingest.pipeline import import_paths
from warehouse.store import database

_Field = descriptor_pb2.FieldDescriptorProto
BEGIN, END, INSTANT = 1, 2, 3
#: Number and type of the fields of the message of our extension.
WORK = {
    "text": (1, "STRING"), "big": (2, "UINT64"), "many": (3, "INT32*"), "kind": (4, "ENUM"),
    "inner": (5, "MESSAGE"), "data": (6, "BYTES"), "real": (7, "DOUBLE"), "flag": (8, "BOOL"),
    "parts": (9, "MESSAGE*"),
}  # fmt: skip
#: A message of it, as protobuf encodes it: a text with a quote, 2 ** 63 + 5, [1, -2], 2,
#: {"text": "in"}, two bytes, 1.5, true, and two parts, one of them empty.
ENCODED = (
    b'\x0a\x03a"b' b"\x10\x85\x80\x80\x80\x80\x80\x80\x80\x80\x01" b"\x18\x01"
    b"\x18\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01" b"\x20\x02" b"\x2a\x04\x0a\x02in"
    b"\x32\x02\x00\xff" b"\x39\x00\x00\x00\x00\x00\x00\xf8\x3f" b"\x40\x01" b"\x4a\x02\x10\x07"
    b"\x4a\x00"
)  # fmt: skip


def descriptor() -> Any:
    """The file that declares the extensions `work` (9901) and `count` (9902)."""
    schema = "protos/perfetto/trace/track_event/track_event.proto"
    file = descriptor_pb2.FileDescriptorProto(name="own.proto", package="own", dependency=[schema])
    work = file.message_type.add(name="Work")
    kind = work.enum_type.add(name="Kind")
    kind.value.add(name="KIND_NONE", number=0)
    kind.value.add(name="KIND_FAST", number=2)
    types = {"MESSAGE": ".own.Work", "ENUM": ".own.Work.Kind"}
    for name, (number, text) in WORK.items():
        plain = text.rstrip("*")
        work.field.add(
            name=name, number=number, type=getattr(_Field, f"TYPE_{plain}"),
            label=_Field.LABEL_REPEATED if plain != text else _Field.LABEL_OPTIONAL,
            type_name=types.get(plain),
        )  # fmt: skip
    event = file.message_type.add(name="OwnTrackEvent")
    for name, number, type in (("work", 9901, "MESSAGE"), ("count", 9902, "INT64")):
        event.extension.add(
            name=name, number=number, type=getattr(_Field, f"TYPE_{type}"),
            label=_Field.LABEL_OPTIONAL, type_name=types.get(type),
            extendee=".perfetto.protos.TrackEvent",
        )  # fmt: skip
    return file


def event(ns: int, type: int, extra: bytes = b"", **fields: Any) -> Any:
    packet = TracePacket(trusted_packet_sequence_id=1, timestamp=ns)
    packet.track_event.MergeFrom(type_of(type=type, track_uuid=1, **fields))
    packet.track_event.MergeFromString(extra)
    return packet


def type_of(**fields: Any) -> Any:
    return TracePacket(track_event=fields).track_event


def varint(value: int) -> bytes:
    found = b""
    while value > 127:
        found, value = found + bytes([value & 127 | 128]), value >> 7
    return found + bytes([value])


def described(*, is_packed: bool) -> Any:
    files = descriptor_pb2.FileDescriptorSet(file=[descriptor()]).SerializeToString()
    number, content = (2, gzip.compress(files)) if is_packed else (1, files)
    packet = TracePacket(trusted_packet_sequence_id=1)
    packet.extension_descriptor.SetInParent()
    packet.extension_descriptor.MergeFromString(
        varint(number << 3 | 2) + varint(len(content)) + content
    )
    return packet


def extended(content: bytes) -> bytes:
    """The extensions of an event: `work` with a content, and `count`."""
    work = varint(9901 << 3 | 2) + varint(len(content)) + content
    return work + varint(9902 << 3) + varint(77)


#: Also a seed of the fuzz tests.
WHOLE: bytes = Trace(
    packet=[
        described(is_packed=False),
        described(is_packed=True),
        event(10, INSTANT, extended(ENCODED), name="a", chrome_user_event={"action": "Tab"}),
    ]
).SerializeToString()


def imported(folder: Path, *packets: Any) -> tuple[list[Any], list[tuple[str, int]]]:
    """Arguments of slices in order of time, and the problems."""
    (folder / "t.pftrace").write_bytes(Trace(packet=packets).SerializeToString())
    (outcome,) = import_paths([folder / "t.pftrace"], db=folder / "w.duckdb")
    assert outcome.error is None
    with database.Reader(folder / "w.duckdb") as reader:
        arguments = reader.connection.execute("SELECT args_json FROM slice ORDER BY ts").fetchall()
        problems = reader.connection.execute("SELECT meaning, count FROM import_problem").fetchall()
    return [None if text is None else json.loads(text) for (text,) in arguments], problems


def flat(prefix: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield from flat(f"{prefix}.{key}".removeprefix("."), each)
    elif isinstance(value, list):
        for n, each in enumerate(value):
            yield from flat(f"{prefix}[{n}]", each)
    else:
        yield prefix, str(value)


def test_fields_of_the_schema_are_arguments_beside_annotations(tmp_path: Path) -> None:
    found, problems = imported(
        tmp_path,
        event(
            10, BEGIN, name="a", chrome_user_event={"action": "Tab", "action_hash": 5},
            debug_annotations=[{"name": "x", "int_value": 3}],
        ),
        event(20, END, chrome_keyed_service={"name": "svc"}),
        event(30, INSTANT, name="b", chrome_latency_info={
            "trace_id": -4, "component_info": [{"component_type": 1, "time_us": 8}]
        }),
    )  # fmt: skip

    assert [dict(flat("", each)) for each in found] == [
        {"x": "3", "chrome_user_event.action": "Tab", "chrome_user_event.action_hash": "5",
         "chrome_keyed_service.name": "svc"},
        {"chrome_latency_info.trace_id": "-4",
         "chrome_latency_info.component_info[0].component_type":
         "COMPONENT_INPUT_EVENT_LATENCY_BEGIN_RWH",
         "chrome_latency_info.component_info[0].time_us": "8"},
    ]  # fmt: skip
    assert problems == []


@pytest.mark.parametrize("is_packed", [False, True])
def test_extensions_are_read_as_the_trace_describes_them(tmp_path: Path, is_packed: bool) -> None:
    extension = event(10, INSTANT, extended(ENCODED), name="a")

    (found,), problems = imported(tmp_path, extension, described(is_packed=is_packed))

    assert list(flat("", found)) == [
        ("work.text", 'a"b'), ("work.big", str(2**63 + 5)), ("work.many[0]", "1"),
        ("work.many[1]", "-2"), ("work.kind", "KIND_FAST"), ("work.inner.text", "in"),
        ("work.data", "AP8="), ("work.real", "1.5"), ("work.flag", "True"),
        ("work.parts[0].big", "7"), ("work.parts[1]", "None"), ("count", "77"),
    ]  # fmt: skip
    assert problems == []


def test_what_is_not_described_or_damaged_is_counted(tmp_path: Path) -> None:
    broken = TracePacket(trusted_packet_sequence_id=1)
    broken.extension_descriptor.extension_set.file.add().MergeFromString(b"\x0a\x01\xff")
    events = [event(10, INSTANT, extended(content), name="a") for content in (ENCODED, b"\x0a\x09")]
    meaning = "fields of events that are not read: field 9901, field 9902"

    (tmp_path / "one").mkdir()
    assert imported(tmp_path / "one", broken, events[0]) == ([None], [(meaning, 2)])
    assert imported(tmp_path, described(is_packed=False), events[1]) == ([None], [(meaning, 2)])
