"""The state of a sequence of packets: interned texts, defaults and the thread it is of.

Interned texts are valid until the sequence declares its state new; packets that need the state are
of no use between a loss and that. Format: protos/perfetto/trace/trace_packet.proto.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

CLEARED, NEEDS_STATE = 1, 2  # TracePacket.SequenceFlags
Texts = dict[int, bytes]


@dataclass
class Sequence:
    """What packets of one sequence refer to."""

    id: int
    has_state: bool = False
    names: Texts = field(default_factory=dict)
    categories: Texts = field(default_factory=dict)
    keys: Texts = field(default_factory=dict)
    texts: Texts = field(default_factory=dict)
    log_bodies: Texts = field(default_factory=dict)
    correlations: Texts = field(default_factory=dict)
    locations: dict[int, Any] = field(default_factory=dict)  # messages of type Location
    clock: int = 0  # 0: that of the trace
    track_uuid: int | None = None
    counters: tuple[int, ...] = ()  # uuids of tracks
    double_counters: tuple[int, ...] = ()
    thread: tuple[int, int] | None = None  # pid and tid of events without a track
    us: int = 0  # last time of events that record differences

    def clear(self) -> None:
        """Forgets interned texts and defaults: the state is new."""
        self.has_state = True
        for each in (self.names, self.categories, self.keys, self.texts, self.log_bodies):
            each.clear()
        self.correlations.clear()
        self.locations.clear()
        self.clock, self.track_uuid = 0, None
        self.counters = self.double_counters = ()

    def intern(self, interned: Any) -> None:
        """Adds interned texts, a message of type Interned."""
        for kind in ("names", "categories", "keys", "texts", "log_bodies", "correlations"):
            known: Texts = getattr(self, kind)
            for each in getattr(interned, kind):
                known[each.iid] = each.name
        for each in interned.locations:
            self.locations[each.iid] = each

    def set_defaults(self, defaults: Any) -> None:
        """Takes over defaults, a message of type Defaults."""
        if defaults.HasField("clock"):
            self.clock = defaults.clock
        if not defaults.HasField("event"):
            return
        event = defaults.event
        if event.HasField("track_uuid"):
            self.track_uuid = event.track_uuid
        self.counters = tuple(event.counters) or self.counters
        self.double_counters = tuple(event.double_counters) or self.double_counters
