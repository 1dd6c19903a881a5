"""Orders begin and end packets of equal time on a track.

Viewers sort packets by time, keep the file order of equal times, and let an end close the top of
the track's stack. At one time on a track the order is therefore: ends of slices that began earlier,
innermost first; begins of longer slices, outermost first; slices of duration 0, which nest in
slices that begin or continue, not in those that end, as in `warehouse.ingest.nesting`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from warehouse.export import wire

# Kinds of events in their order at one time. A POINT includes its end, if any.
END, BEGIN, POINT = 0, 1, 2

Numbers = NDArray[np.int64]


@dataclass
class Events:
    """Packets with their sort keys; row i of every column is one event."""

    tracks: Numbers  # the lane, as a number that sorts
    times: Numbers  # ns
    kinds: Numbers  # POINT, END or BEGIN
    ordinals: Numbers  # of the slice: tracks, then start, then outer before inner
    packets: wire.Column

    def __len__(self) -> int:
        return len(self.tracks)

    def take(self, rows: Numbers) -> Events:
        return Events(
            self.tracks[rows],
            self.times[rows],
            self.kinds[rows],
            self.ordinals[rows],
            self.packets.take(pa.array(rows)),
        )


def concatenate(parts: list[Events]) -> Events:
    """Concatenates events."""
    if not parts:
        nothing = np.empty(0, np.int64)
        return Events(nothing, nothing, nothing, nothing, wire.literals([]))
    return Events(
        np.concatenate([part.tracks for part in parts]),
        np.concatenate([part.times for part in parts]),
        np.concatenate([part.kinds for part in parts]),
        np.concatenate([part.ordinals for part in parts]),
        pa.concat_arrays([part.packets for part in parts]),
    )


def order(events: Events) -> Numbers:
    """Returns row indexes in write order."""
    within = np.where(events.kinds == END, -events.ordinals, events.ordinals)
    rows: Numbers = np.lexsort((within, events.kinds, events.times, events.tracks))
    return rows


def is_settled(events: Events, track: int, time: int) -> NDArray[np.bool_]:
    """Returns which events no later one can precede, given the (track, time) of the next start."""
    settled: NDArray[np.bool_] = (events.tracks < track) | (
        (events.tracks == track) & (events.times < time)
    )
    return settled
