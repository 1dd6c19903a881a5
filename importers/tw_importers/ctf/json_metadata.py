"""Parses CTF 2 metadata, a sequence of JSON objects, into a type tree."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from typing import Any, NoReturn

import msgspec

from tw_importers.ctf.tree import (
    MAX_ALIGNMENT,
    MAX_DEPTH,
    MAX_LENGTH,
    NO_FIELDS,
    Array,
    Bytes,
    Clock,
    EventClass,
    Float,
    Integer,
    Labels,
    Location,
    Option,
    Optional,
    Ranges,
    StreamClass,
    String,
    Struct,
    Trace,
    Type,
    Variable,
    Variant,
)
from warehouse.errors import CorruptTrace

_SEPARATOR = re.compile(rb"\x1e")
_ENCODINGS = {"utf-8": "utf-8", "utf-16be": "utf-16-be", "utf-16le": "utf-16-le",
              "utf-32be": "utf-32-be", "utf-32le": "utf-32-le"}  # fmt: skip
_Object = Mapping[str, Any]


def parse(content: bytes) -> Trace:
    """Parses the content of a metadata file."""
    return _Metadata().trace(content)


class _Metadata:
    """Type and clock classes as they are declared, front to back."""

    def __init__(self) -> None:
        self._aliases: dict[str, Type] = {}
        self._clocks: dict[str, Clock] = {}
        self._offset = 0

    def trace(self, content: bytes) -> Trace:
        trace = Trace("2")
        starts = [match.end() for match in _SEPARATOR.finditer(content)]
        for start, end in zip(starts, [*(s - 1 for s in starts[1:]), len(content)], strict=True):
            self._offset = start
            text = content[start:end].strip()
            if text:
                self._add(trace, self._decoded(text))
        return trace

    def _decoded(self, text: bytes) -> _Object:
        try:
            found = msgspec.json.decode(text)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
            self._fail(f"is no JSON: {error}")
        if not isinstance(found, dict):
            self._fail("is not an object")
        return found

    def _fail(self, what: str) -> NoReturn:
        raise CorruptTrace(f"a fragment of the metadata {what}", offset=self._offset)

    def _add(self, trace: Trace, found: _Object) -> None:
        kind = found.get("type")
        if kind == "preamble":
            self._add_preamble(trace, found)
        elif kind == "field-class-alias":
            name = self._get(found, "name", str)
            self._aliases[name] = self._type(found.get("field-class"), 0)
        elif kind == "trace-class":
            self._add_trace(trace, found)
        elif kind == "clock-class":
            self._add_clock(trace, found)
        elif kind == "data-stream-class":
            self._add_stream(trace, found)
        elif kind == "event-record-class":
            self._add_event(trace, found)

    def _get(self, found: _Object, key: str, kind: type, default: Any = None) -> Any:
        value = found.get(key, default)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is int):
            self._fail(f"lacks a valid {key!r}")
        return value

    def _add_preamble(self, trace: Trace, found: _Object) -> None:
        if found.get("version") != 2:
            self._fail(f"is of CTF version {found.get('version')!r}; 1.8 and 2 can be read")
        trace.uuid = self._uuid(found)

    def _uuid(self, found: _Object) -> bytes | None:
        value = found.get("uuid")
        if value is None:
            return None
        try:
            return bytes(value)
        except (TypeError, ValueError):
            self._fail("has a UUID that is not a list of bytes")

    def _add_trace(self, trace: Trace, found: _Object) -> None:
        trace.packet_header = self._struct(found, "packet-header-field-class")
        environment = self._get(found, "environment", dict, {})
        trace.environment = {k: v for k, v in environment.items() if isinstance(v, str | int)}
        if trace.uuid is None and isinstance(found.get("uid"), str):
            try:
                trace.uuid = uuid.UUID(found["uid"]).bytes
            except ValueError:
                trace.uuid = None  # an id of another form, which packets do not repeat

    def _add_clock(self, trace: Trace, found: _Object) -> None:
        offset = self._get(found, "offset-from-origin", dict, found.get("offset", {}))
        frequency = self._get(found, "frequency", int, 1_000_000_000)
        if not 0 < frequency < 1 << 63:
            self._fail(f"states a clock of {frequency} Hz")
        name = str(found.get("name", found.get("id", "")))
        clock = Clock(
            name,
            frequency,
            self._get(offset, "seconds", int, 0),
            self._get(offset, "cycles", int, 0),
            str(found["uid"]) if "uid" in found else None,
            found.get("origin", "unix-epoch") == "unix-epoch",
            self._get(found, "precision", int, 0) or None,
            str(found["description"]) if "description" in found else None,
        )
        self._clocks[str(found.get("id", name))] = clock
        trace.clocks[name] = clock

    def _add_stream(self, trace: Trace, found: _Object) -> None:
        stream = StreamClass(
            self._get(found, "id", int, 0),
            self._struct(found, "event-record-header-field-class"),
            self._struct(found, "event-record-common-context-field-class"),
            self._struct(found, "packet-context-field-class"),
        )
        clock = found.get("default-clock-class-id", found.get("default-clock-class-name"))
        if clock is not None:
            if str(clock) not in self._clocks:
                self._fail(f"names a clock {clock!r} that is not declared")
            stream.clock = self._clocks[str(clock)]
        trace.streams[stream.id] = stream

    def _add_event(self, trace: Trace, found: _Object) -> None:
        stream = trace.streams.get(self._get(found, "data-stream-class-id", int, 0))
        if stream is None:
            self._fail("belongs to a stream that is not declared")
        number = self._get(found, "id", int, 0)
        space, name = found.get("namespace"), str(found.get("name", number))
        attributes: dict[str, object] = {}
        for group in self._get(found, "attributes", dict, {}).values():
            if isinstance(group, dict):
                attributes |= {str(k): v for k, v in group.items() if isinstance(v, str | int)}
        if isinstance(space, str) and space not in ("", "std"):
            attributes["namespace"] = space
        stream.events[number] = EventClass(
            number,
            name,
            self._struct(found, "payload-field-class"),
            self._struct(found, "specific-context-field-class"),
            tuple(attributes.items()),
        )

    def _struct(self, found: _Object, key: str) -> Struct:
        if key not in found:
            return NO_FIELDS
        kind = self._type(found[key], 0)
        if not isinstance(kind, Struct):
            self._fail(f"has {key!r} that is not a structure")
        return kind

    def _type(self, found: Any, depth: int) -> Type:
        if depth > MAX_DEPTH:
            self._fail(f"has more than {MAX_DEPTH} nested types")
        if isinstance(found, str):
            if found not in self._aliases:
                self._fail(f"names a field class {found!r} that is not declared")
            return self._aliases[found]
        if not isinstance(found, dict):
            self._fail("has a field class that is not an object")
        kind = str(found.get("type"))
        if kind == "structure":
            members = self._get(found, "member-classes", list, [])
            return Struct(
                tuple(self._member(each, depth) for each in members),
                self._align(found, "minimum-alignment", 1),
            )
        if kind in ("static-length-array", "dynamic-length-array"):
            element = self._type(found.get("element-field-class"), depth + 1)
            return Array(element, self._length(found), self._align(found, "minimum-alignment", 1))
        if kind == "variant":
            options = self._get(found, "options", list)
            return Variant(
                self._location(found, "selector-field-location"),
                tuple(self._option(n, each, depth) for n, each in enumerate(options)),
            )
        if kind == "optional":
            ranges = found.get("selector-field-ranges")
            return Optional(
                self._location(found, "selector-field-location"),
                self._type(found.get("field-class"), depth + 1),
                None if ranges is None else self._ranges(ranges),
            )
        return self._scalar(found, kind)

    def _member(self, found: Any, depth: int) -> tuple[str, Type]:
        if not isinstance(found, dict):
            self._fail("has a member that is not an object")
        return self._get(found, "name", str), self._type(found.get("field-class"), depth + 1)

    def _option(self, number: int, found: Any, depth: int) -> Option:
        if not isinstance(found, dict):
            self._fail("has an option that is not an object")
        return Option(
            str(found.get("name", number)),
            self._type(found.get("field-class"), depth + 1),
            self._ranges(found.get("selector-field-ranges")),
        )

    def _scalar(self, found: _Object, kind: str) -> Type:
        roles = tuple(str(each) for each in self._get(found, "roles", list, []))
        if kind.startswith("fixed-length-"):
            return self._fixed(found, kind, roles)
        if kind.startswith("variable-length-"):
            base = found.get("preferred-display-base", 10)
            return Variable("signed" in kind.split("-"), base, self._labels(found), roles)
        if kind == "null-terminated-string":
            return String(self._encoding(found))
        if kind in ("static-length-string", "dynamic-length-string"):
            return Bytes(self._length(found), True, self._encoding(found), roles)
        if kind in ("static-length-blob", "dynamic-length-blob"):
            return Bytes(self._length(found), False, roles=roles)
        self._fail(f"has a field class of unknown type {kind[:40]!r}")

    def _fixed(self, found: _Object, kind: str, roles: tuple[str, ...]) -> Type:
        size = self._get(found, "length", int)
        if not 0 < size <= 64:
            self._fail(f"has a number of {size} bits; 1 to 64 can be read")
        align = self._align(found, "alignment", 1)
        is_big = self._get(found, "byte-order", str) == "big-endian"
        if kind == "fixed-length-floating-point-number":
            if size not in (16, 32, 64):
                self._fail(f"has a floating-point number of {size} bits; 16, 32 or 64 can be read")
            return Float(size, align, is_big)
        known = ("bit-array", "bit-map", "boolean", "unsigned-integer", "signed-integer")
        name = kind.removeprefix("fixed-length-")
        if name not in known:
            self._fail(f"has a field class of unknown type {kind[:40]!r}")
        base = found.get("preferred-display-base", 16 if name.startswith("bit") else 10)
        is_map = name == "bit-map"
        return Integer(
            size, align, name == "signed-integer", is_big, base if isinstance(base, int) else 10,
            self._labels(found, "flags" if is_map else "mappings"), roles,
            is_boolean=name == "boolean", flags=is_map,
        )  # fmt: skip

    def _encoding(self, found: _Object) -> str:
        name = str(found.get("encoding", "utf-8")).lower()
        if name not in _ENCODINGS:
            self._fail(f"has a text in unknown encoding {name[:40]!r}")
        return _ENCODINGS[name]

    def _align(self, found: _Object, key: str, default: int) -> int:
        align = self._get(found, key, int, default)
        if not 0 < align <= MAX_ALIGNMENT or align & (align - 1):
            self._fail(f"has an alignment of {align}, which is not a power of two")
        return int(align)

    def _length(self, found: _Object) -> int | Location:
        if "length-field-location" in found:
            return self._location(found, "length-field-location")
        length = self._get(found, "length", int)
        if not 0 <= length <= MAX_LENGTH:
            self._fail(f"has a field of {length} elements; at most {MAX_LENGTH} can be read")
        return int(length)

    def _location(self, found: _Object, key: str) -> Location:
        value = self._get(found, key, dict)
        path, origin = self._get(value, "path", list), value.get("origin")
        if not path or not all(each is None or isinstance(each, str) for each in path):
            self._fail(f"has an invalid path in {key!r}")
        return Location(tuple(path), str(origin) if origin is not None else None)

    def _ranges(self, found: Any) -> Ranges:
        try:
            return tuple((int(low), int(high)) for low, high in found)
        except (TypeError, ValueError):
            self._fail("has ranges that are not pairs of numbers")

    def _labels(self, found: _Object, key: str = "mappings") -> Labels:
        mappings = self._get(found, key, dict, {})
        return tuple(
            (label, low, high)
            for label, ranges in mappings.items()
            for low, high in self._ranges(ranges)
        )
