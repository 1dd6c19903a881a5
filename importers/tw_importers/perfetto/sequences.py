"""The state of a sequence of packets: interned texts, defaults and the thread it is of.

Interned texts are valid until the sequence declares its state new; packets that need the state are
of no use between a loss and that. Format: protos/perfetto/trace/trace_packet.proto.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tw_importers.perfetto.arguments import Arguments, text_of

CLEARED, NEEDS_STATE = 1, 2  # TracePacket.SequenceFlags
Texts = dict[int, str]


@dataclass
class Sequence:
    """The interned data, defaults and clocks of one packet sequence."""

    id: int
    has_state: bool = False
    names: Texts = field(default_factory=dict)
    categories: Texts = field(default_factory=dict)
    arguments: Arguments = field(default_factory=Arguments)
    log_bodies: Texts = field(default_factory=dict)
    correlations: Texts = field(default_factory=dict)
    locations: dict[int, Any] = field(default_factory=dict)  # messages of type Location
    joined: dict[tuple[int, ...], str] = field(default_factory=dict)  # categories of events
    clock: int = 0  # 0: that of the trace
    track_uuid: int | None = None
    counters: tuple[int, ...] = ()  # uuids of tracks
    double_counters: tuple[int, ...] = ()
    thread: tuple[int, int] | None = None  # pid and tid of events without a track
    us: int = 0  # last time of events that record differences

    def clear(self) -> None:
        """Forgets interned texts and defaults: the state is new."""
        self.has_state = True
        self.arguments.clear()
        for each in (self.names, self.categories, self.log_bodies, self.correlations):
            each.clear()
        self.locations.clear()
        self.joined.clear()
        self.clock, self.track_uuid = 0, None
        self.counters = self.double_counters = ()

    def intern(self, interned: Any) -> None:
        """Adds interned texts, a message of type Interned."""
        for kind in ("names", "categories", "log_bodies", "correlations"):
            known: Texts = getattr(self, kind)
            for each in getattr(interned, kind):
                known[each.iid] = text_of(each.name)
        self.arguments.intern(interned)
        for each in interned.locations:
            self.locations[each.iid] = each

    def category(self, iids: Iterable[int]) -> str:
        """Interned categories with commas between."""
        key = tuple(iids)
        if key not in self.joined:
            texts = [self.categories.get(iid, f"category {iid}") for iid in key]
            self.joined[key] = ",".join(texts)
        return self.joined[key]

    def set_defaults(self, defaults: Any) -> None:
        """Replaces the defaults; `defaults` is a message of type Defaults."""
        if defaults.HasField("clock"):
            self.clock = defaults.clock
        if not defaults.HasField("event"):
            return
        event = defaults.event
        if event.HasField("track_uuid"):
            self.track_uuid = event.track_uuid
        self.counters = tuple(event.counters) or self.counters
        self.double_counters = tuple(event.double_counters) or self.double_counters
