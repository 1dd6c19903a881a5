"""Writes the metadata of CTF 1.8, and frames packets."""

from __future__ import annotations

import json
import re
import struct
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

_MAGIC = 0xC1FC1FC1
_PAGE = 4096
_HEAD = struct.Struct("<I16sI")
_CONTEXT = struct.Struct("<QQQQQ")
#: Stream 0 has processors, stream 1 has not.
_STREAMS = {True: 0, False: 1}
_KEYWORDS = frozenset({
    "align", "callsite", "clock", "const", "enum", "env", "event", "floating_point", "integer",
    "stream", "string", "struct", "trace", "typealias", "typedef", "variant",
})  # fmt: skip
_BEGIN = """/* CTF 1.8 */

typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;

trace {
	major = 1;
	minor = 8;
	uuid = "%s";
	byte_order = le;
	packet.header := struct {
		uint32_t magic;
		uint8_t uuid[16];
		uint32_t stream_id;
	};
};

env {
%s};

clock {
	name = "monotonic";
	freq = 1000000000;
	offset = 0;
};

typealias integer {
	size = 64; align = 8; signed = false; map = clock.monotonic.value;
} := uint64_clock_t;

"""
_STREAM = """stream {
	id = %d;
	event.header := struct {
		uint32_t id;
		uint64_clock_t timestamp;
	};
	packet.context := struct {
		uint64_clock_t timestamp_begin;
		uint64_clock_t timestamp_end;
		uint64_t content_size;
		uint64_t packet_size;
		uint64_t events_discarded;
%s	};
};

"""


class Class:
    """A class of events with the fields of its contexts and payload."""

    def __init__(
        self, number: int, name: str, attributes: Mapping[str, Any], fields: Mapping[str, Any]
    ) -> None:
        self.number, self.name = number, name
        self.loglevel = attributes.get("loglevel")
        self.context: Sequence[Mapping[str, Any]] = fields.get("context", [])
        self.payload: Sequence[Mapping[str, Any]] = fields.get("payload", [])

    def text(self, stream: int) -> str:
        level = f"\tloglevel = {self.loglevel};\n" if isinstance(self.loglevel, int) else ""
        context = f"\tcontext := {_struct(self.context)};\n" if self.context else ""
        return (
            f"event {{\n\tname = {_quoted(self.name)};\n\tid = {self.number};\n"
            f"\tstream_id = {stream};\n{level}{context}"
            f"\tfields := {_struct(self.payload)};\n}};\n\n"
        )


def metadata(identity: bytes, environment: Mapping[str, Any], classes: Sequence[Class]) -> str:
    """The text of the metadata file."""
    lines = "".join(
        f"\t{key} = {value if isinstance(value, int) else _quoted(str(value))};\n"
        for key, value in environment.items()
        if re.fullmatch(r"[A-Za-z_]\w*", key) and key not in _KEYWORDS
    )
    text = _BEGIN % (uuid.UUID(bytes=identity), lines)
    for has_cpu, stream in _STREAMS.items():
        text += _STREAM % (stream, "\t\tuint32_t cpu_id;\n" if has_cpu else "")
        text += "".join(each.text(stream) for each in classes)
    return text


def packet(
    identity: bytes, cpu: int | None, events: bytes, times: tuple[int, int], lost: int
) -> bytes:
    """A packet of whole pages."""
    size = _HEAD.size + _CONTEXT.size + (4 if cpu is not None else 0) + len(events)
    pages = -(-size // _PAGE) * _PAGE
    head = _HEAD.pack(_MAGIC, identity, _STREAMS[cpu is not None])
    begin, end = (max(each, 0) for each in times)
    context = _CONTEXT.pack(begin, end, size * 8, pages * 8, lost)
    number = struct.pack("<I", cpu) if cpu is not None else b""
    return (head + context + number + events).ljust(pages, b"\0")


def _struct(members: Sequence[Mapping[str, Any]]) -> str:
    return "struct { " + "".join(f"{_member(each)}; " for each in members) + "}"


def _member(member: Mapping[str, Any]) -> str:
    name, suffix, kind = _name(member["name"]), "", member
    while kind["type"] == "array":
        length = kind["length"]
        suffix += f"[{length if isinstance(length, int) else _name(length)}]"
        kind = kind["element"]
    return f"{_type(kind)} {name}{suffix}"


def _type(kind: Mapping[str, Any]) -> str:
    if kind["type"] == "integer":
        return _integer(kind)
    if kind["type"] == "float":
        digits = {32: (8, 24), 64: (11, 53)}[kind["size"]]
        return f"floating_point {{ exp_dig = {digits[0]}; mant_dig = {digits[1]}; align = 8; }}"
    if kind["type"] == "structure":
        return _struct(kind["members"])
    return "string { encoding = UTF8; }"


def _integer(kind: Mapping[str, Any]) -> str:
    text = (
        f"integer {{ size = {kind['size']}; align = 8; signed = {int(kind.get('signed', False))}; "
        f"base = {kind.get('base', 10)}; }}"
    )
    labels = kind.get("labels")
    if not labels:
        return text
    ranges = ", ".join(f"{_quoted(label)} = {low} ... {high}" for label, low, high in labels)
    return f"enum : {text} {{ {ranges} }}"


def _name(name: str) -> str:
    """Prefixes an underscore, which readers remove: a plain name could be a TSDL keyword."""
    return "_" + re.sub(r"\W", "_", name, flags=re.ASCII)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
