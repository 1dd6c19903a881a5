"""Interned strings of Perfetto traces: a string is written once and referenced by a number.

Numbers are valid in one packet sequence after the packet that defines them, and start at 1. See
protos/perfetto/trace/interned_data/interned_data.proto.
"""

from __future__ import annotations

from typing import Any

from warehouse.export import wire

_STRING_BYTES = 150


class InternedStrings:
    """Interned strings of one kind; memory is proportional to the strings since `forget`."""

    def __init__(self, field: str) -> None:
        self.field = field  # of InternedData: event_names, ...
        self._numbers: dict[bytes, int] = {}
        self._fresh: list[bytes] = []
        self.n_bytes = 0  # of all strings, with Python's overhead for each

    def fields(self, texts: Any, tag: bytes) -> wire.Column:
        """Returns the varint field of each string; null for null."""
        return wire.literals(
            [
                None if text is None else tag + wire.varint(self._number(text))
                for text in texts.to_pylist()
            ]
        )

    def _number(self, text: bytes) -> int:
        number = self._numbers.get(text)
        if number is None:
            number = self._numbers[text] = len(self._numbers) + 1
            self._fresh.append(text)
            self.n_bytes += len(text) + _STRING_BYTES
        return number

    def define(self, data: Any) -> bool:
        """Adds strings that are new since the last call to an InternedData message; returns whether
        there were any."""
        first = len(self._numbers) - len(self._fresh) + 1
        for number, text in enumerate(self._fresh, start=first):
            getattr(data, self.field).add(iid=number, name=text.decode())
        found = bool(self._fresh)
        self._fresh.clear()
        return found

    def forget(self) -> None:
        """Starts from number 1 again, for another packet sequence."""
        self._numbers.clear()
        self.n_bytes = 0


#: Fields of interned references, and of the strings themselves: TrackEvent categories and name,
#: DebugAnnotation name.
_PLAIN = {b"\x18": b"\xb2\x01", b"\x50": b"\xba\x01", b"\x08": b"\x52"}


class VerbatimStrings(InternedStrings):
    """Strings written in every packet, for readers without support for interning."""

    def fields(self, texts: Any, tag: bytes) -> wire.Column:
        return wire.literals(
            [
                None if text is None else _PLAIN[tag] + wire.varint(len(text)) + text
                for text in texts.to_pylist()
            ]
        )

    def define(self, data: Any) -> bool:
        """Adds nothing."""
        return False
