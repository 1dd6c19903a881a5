"""Parses CTF 1.8 metadata (TSDL) into a type tree: its blocks and what they assign."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import replace

from tw_importers.ctf.tree import (
    CONTENT_SIZE,
    DISCARDED,
    END_TIME,
    EVENT_CLASS,
    MAGIC,
    NO_FIELDS,
    PACKET_SIZE,
    SEQUENCE,
    STREAM,
    STREAM_CLASS,
    TIME,
    UUID,
    Array,
    Bytes,
    Clock,
    EventClass,
    Integer,
    Option,
    StreamClass,
    Struct,
    Trace,
    Type,
    Variant,
)
from tw_importers.ctf.tsdl_types import Declarations, Parser, Value, unprefixed
from warehouse.errors import CorruptTrace

#: Members that have a meaning, by their names in CTF 1.8.
_PACKET_HEADER = {
    "magic": MAGIC, "uuid": UUID, "stream_id": STREAM_CLASS, "stream_instance_id": STREAM
}  # fmt: skip
_PACKET_CONTEXT = {
    "packet_size": PACKET_SIZE, "content_size": CONTENT_SIZE, "timestamp_begin": TIME,
    "timestamp_end": END_TIME, "events_discarded": DISCARDED, "packet_seq_num": SEQUENCE,
}  # fmt: skip
_EVENT_HEADER = {"id": EVENT_CLASS, "timestamp": TIME}
_DECLARING = {"typealias", "typedef", "struct", "enum", "variant"}
_Assigned = dict[str, Value | Struct]


def parse(text: str) -> Trace:
    """Parses the text of a metadata file."""
    return _Metadata(text).trace()


class _Metadata(Parser):
    """The blocks of one metadata file."""

    def trace(self) -> Trace:
        trace = Trace("1.8")
        events: list[tuple[int, _Assigned]] = []
        root = Declarations()
        while self.token.kind != "end":
            self._block(trace, events, root)
        if not trace.streams:
            trace.streams[0] = StreamClass(0)
        for offset, event in events:
            _add_event(trace, event, offset)
        clocks = list(trace.clocks.values())
        for stream in trace.streams.values():
            name = self.clock_of.get(id(stream.header)) or self.clock_of.get(
                id(stream.packet_context)
            )
            stream.clock = trace.clocks.get(name or "", clocks[0] if len(clocks) == 1 else None)
        return trace

    def _block(self, trace: Trace, events: list[tuple[int, _Assigned]], root: Declarations) -> None:
        offset, word = self.token.offset, self.token.text
        if word in _DECLARING:
            self.declaration(root)
        elif word == "trace":
            self._add_trace(trace, self._assignments(root))
        elif word in ("env", "clock", "stream", "event", "callsite"):
            found = self._assignments(root)
            if word == "env":
                trace.environment.update({k: v for k, v in found.items() if _is_plain(v)})
            elif word == "clock":
                _add_clock(trace, found, offset)
            elif word == "stream":
                self._add_stream(trace, found)
            elif word == "event":
                events.append((offset, found))
        else:
            self.fail("a block such as trace, clock, stream or event")

    def _assignments(self, outer: Declarations) -> _Assigned:
        """The body of a block: keys with values or types."""
        self.next()
        self.expect("{")
        declarations, found = Declarations(outer), _Assigned()
        while not self.accept("}"):
            if self.token.text in _DECLARING and self.token.kind == "word":
                self.declaration(declarations)
                continue
            key = self.dotted()
            if self.accept(":="):
                kind = self.type(declarations)
                if not isinstance(kind, Struct):
                    self.fail("a structure")
                found[key] = kind
            else:
                self.expect("=")
                found[key] = self.value()
            self.expect(";")
        self.expect(";")
        return found

    def _add_trace(self, trace: Trace, found: _Assigned) -> None:
        text = found.get("uuid")
        if isinstance(text, str):
            try:
                trace.uuid = uuid.UUID(text).bytes
            except ValueError:
                self.fail("a UUID of the trace")
        trace.packet_header = _with_roles(_struct(found, "packet.header"), _PACKET_HEADER)

    def _add_stream(self, trace: Trace, found: _Assigned) -> None:
        header, context = _struct(found, "event.header"), _struct(found, "packet.context")
        stream = StreamClass(
            _integer(found, "id", 0),
            _with_roles(header, _EVENT_HEADER),
            _struct(found, "event.context"),
            _with_roles(context, _PACKET_CONTEXT),
        )
        clock = self.clock_in(header) or self.clock_in(context)
        if clock is not None:
            self.clock_of[id(stream.header)] = clock
        trace.streams[stream.id] = stream


def _is_plain(value: object) -> bool:
    return isinstance(value, str | int)


def _struct(found: _Assigned, key: str) -> Struct:
    kind = found.get(key, NO_FIELDS)
    return kind if isinstance(kind, Struct) else NO_FIELDS


def _integer(found: _Assigned, key: str, default: int) -> int:
    value = found.get(key, default)
    return value if isinstance(value, int) else default


def _add_clock(trace: Trace, found: _Assigned, offset: int) -> None:
    name = str(found.get("name", ""))
    frequency = _integer(found, "freq", 1_000_000_000)
    if not 0 < frequency < 1 << 63:
        raise CorruptTrace(f"the metadata states a clock of {frequency} Hz", offset=offset)
    trace.clocks[name] = Clock(
        name,
        frequency,
        _integer(found, "offset_s", 0),
        _integer(found, "offset", 0),
        str(found["uuid"]) if "uuid" in found else None,
        uncertainty_cycles=_integer(found, "precision", 0) or None,
        description=str(found["description"]) if "description" in found else None,
    )


def _add_event(trace: Trace, found: _Assigned, offset: int) -> None:
    stream = trace.streams.get(_integer(found, "stream_id", min(trace.streams)))
    if stream is None:
        raise CorruptTrace(
            f"event {found.get('name')!r} of the metadata belongs to stream "
            f"{found.get('stream_id')}, which is not declared",
            offset=offset,
        )
    number = _integer(found, "id", 0)
    plain = {
        k: v for k, v in found.items() if _is_plain(v) and k not in ("id", "name", "stream_id")
    }
    name = str(found.get("name", number))
    stream.events[number] = EventClass(
        number, name, _struct(found, "fields"), _struct(found, "context"), tuple(plain.items())
    )


def _with_roles(kind: Struct, roles: Mapping[str, str]) -> Struct:
    """Assigns roles to members by their names, also to members of variants."""
    return replace(kind, members=tuple((n, _with_role(n, t, roles)) for n, t in kind.members))


def _with_role(name: str, kind: Type, roles: Mapping[str, str]) -> Type:
    role = roles.get(unprefixed(name))
    if isinstance(kind, Struct):
        return _with_roles(kind, roles)
    if isinstance(kind, Variant):
        options = [Option(o.name, _with_role("", o.kind, roles), o.ranges, o.label)
                   for o in kind.options]  # fmt: skip
        return replace(kind, options=tuple(options))
    if isinstance(kind, Integer) and role is not None:
        return replace(kind, roles=(role,))
    if isinstance(kind, Array) and role == UUID and kind.length == 16:
        return Bytes(16, is_text=False, roles=(UUID,))
    return kind
