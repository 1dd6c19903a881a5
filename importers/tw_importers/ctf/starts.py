"""Finds where the events of a packet begin.

Runs of events that have a pattern are found by it; others are decoded one by one to their end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tw_importers.ctf import patterns
from tw_importers.ctf.columns import Ints
from tw_importers.ctf.scalar import Decoder, Truncated
from tw_importers.ctf.tree import EVENT_CLASS, StreamClass, alignment
from warehouse.errors import CorruptTrace


class Starts:
    """The begins of events in packets of one stream class."""

    def __init__(self, stream: StreamClass) -> None:
        self._stream = stream
        self.align = max(
            [8, alignment(stream.header), alignment(stream.context)]
            + [max(alignment(e.context), alignment(e.payload)) for e in stream.events.values()]
        )
        found = [patterns.pieces(stream, event) for event in stream.events.values()]
        alternatives = b"|".join(dict.fromkeys(each for each in found if each))
        self._is_regular = bool(found) and all(found)
        self._find: Callable[[bytes, int, int], list[bytes]] | None = None
        if alternatives and self.align == 8:
            self._find = re.compile(alternatives + b"|.+", re.DOTALL).findall
            self._run = re.compile(b"(?:" + alternatives + b")*+", re.DOTALL).match

    def find(
        self, data: bytes, first: int, end: int, scopes: Mapping[str, Mapping[str, Any]]
    ) -> tuple[Ints, int, CorruptTrace | None]:
        """Returns the begins of whole events from `first` on, and where the last of them ends.

        `data` begins with the packet; positions are in bits. What keeps the rest from being decoded
        is returned as well; it is None also if the rest is an event that extends beyond `end`.
        """
        parts: list[Ints] = []
        position, error = first, None
        while position < end:
            if self._find is not None and position % 8 == 0:
                begins, position = self._regular(data, position // 8, end // 8)
                parts.append(begins)
                if position >= end:
                    break
            try:
                begins, position = self._irregular(data, position, end, scopes)
            except Truncated:
                break
            except CorruptTrace as found:
                error = found
                break
            parts.append(begins)
        every = np.concatenate(parts) if parts else np.empty(0, np.int64)
        return every, position, error

    def _regular(self, data: bytes, first: int, end: int) -> tuple[Ints, int]:
        """Begins of the events that have patterns, up to one that has none; takes bytes."""
        assert self._find is not None
        if not self._is_regular:
            run = self._run(data, first, end)
            end = run.end() if run is not None else first
        found = self._find(data, first, end)
        lengths = np.fromiter(map(len, found), np.int64, len(found))
        ends = np.cumsum(lengths) + first
        begins = ends - lengths
        if found and self._is_regular:
            last = int(begins[-1])
            run = self._run(data, last, end)
            if run is None or run.end() < end:  # not an event, but what `.+` took
                return begins[:-1] << 3, last << 3
        return begins << 3, end << 3

    def _irregular(
        self, data: bytes, first: int, end: int, scopes: Mapping[str, Mapping[str, Any]]
    ) -> tuple[Ints, int]:
        """Finds one event without a regular pattern, or all up to the end if none has one."""
        begins: list[int] = []
        while first < end:
            try:
                event_end = self._skip(Decoder(data, first, end, scopes))
            except (Truncated, CorruptTrace):
                if begins:  # to be found again, behind those before it
                    break
                raise
            if event_end == first:
                raise CorruptTrace("an event has no content", offset=first // 8)
            begins.append(first)
            first = event_end
            if self._find is not None:
                break
        return np.array(begins, np.int64), first

    def _skip(self, decoder: Decoder) -> int:
        first = decoder.position
        decoder.scope("event-record-header", self._stream.header)
        number = decoder.roles.get(EVENT_CLASS, 0)
        event = self._stream.events.get(number)
        if event is None:
            raise CorruptTrace(
                f"an event has the id {number}, which the metadata does not declare",
                offset=first // 8,
            )
        decoder.scope("event-record-common-context", self._stream.context)
        decoder.scope("event-record-specific-context", event.context)
        decoder.scope("event-record-payload", event.payload)
        return decoder.position
