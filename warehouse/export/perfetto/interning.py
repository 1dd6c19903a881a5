"""Perfetto's interning: a text is written once and meant by a small number from then on.

The numbers hold for one packet sequence from the packet that defines them; numbering starts at 1.
See protos/perfetto/trace/interned_data/interned_data.proto.
"""

from __future__ import annotations

from typing import Any

from warehouse.export import wire


class Interned:
    """One kind of interned text; memory grows with the number of distinct texts only."""

    def __init__(self, field: str) -> None:
        self.field = field  # of InternedData: event_names, ...
        self._numbers: dict[bytes, int] = {}
        self._fresh: list[bytes] = []

    def fields(self, texts: Any, tag: bytes) -> wire.Column:
        """For each text the varint field that means it; a null text gives a null."""
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
        return number

    def define(self, data: Any) -> bool:
        """Adds what is new since the last call to an InternedData message; says if anything was."""
        first = len(self._numbers) - len(self._fresh) + 1
        for number, text in enumerate(self._fresh, start=first):
            getattr(data, self.field).add(iid=number, name=text.decode())
        found = bool(self._fresh)
        self._fresh.clear()
        return found


#: Fields that mean an interned text, and those that hold the text itself: of TrackEvent categories
#: and name, of DebugAnnotation name.
_PLAIN = {b"\x18": b"\xb2\x01", b"\x50": b"\xba\x01", b"\x08": b"\x52"}


class Verbatim(Interned):
    """The same for readers that know no interning: the text itself stands wherever it is meant."""

    def fields(self, texts: Any, tag: bytes) -> wire.Column:
        return wire.literals(
            [
                None if text is None else _PLAIN[tag] + wire.varint(len(text)) + text
                for text in texts.to_pylist()
            ]
        )

    def define(self, data: Any) -> bool:
        """Nothing is numbered, so nothing is defined."""
        return False
