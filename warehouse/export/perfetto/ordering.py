"""The order of begin and end packets on a track, where many have the same time.

Viewers sort packets by time and keep the file's order where times are equal, and an end closes
whatever is on top of the track's stack. So at one time on one track come the ends of what began
earlier, last begun first; then the beginnings of longer slices, outer ones first; then the slices
without length, which lie inside what begins or goes on there, not inside what ends there: the same
nesting the warehouse computes (module nesting).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from warehouse.export import wire

# What an event is, in the order at one time. A POINT has its end, if any, in the same bytes.
END, BEGIN, POINT = 0, 1, 2

Numbers = NDArray[np.int64]


@dataclass
class Events:
    """Packets with what decides their order; row i of every column is one event."""

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
    """The events of several tables, one after the other."""
    return Events(
        np.concatenate([part.tracks for part in parts]),
        np.concatenate([part.times for part in parts]),
        np.concatenate([part.kinds for part in parts]),
        np.concatenate([part.ordinals for part in parts]),
        pa.concat_arrays([part.packets for part in parts]),
    )


def order(events: Events) -> Numbers:
    """The rows in the order to write them."""
    within = np.where(events.kinds == END, -events.ordinals, events.ordinals)
    rows: Numbers = np.lexsort((within, events.kinds, events.times, events.tracks))
    return rows


def is_settled(events: Events, track: int, time: int) -> NDArray[np.bool_]:
    """Which events nothing still to come can precede, when the next start is at (track, time)."""
    settled: NDArray[np.bool_] = (events.tracks < track) | (
        (events.tracks == track) & (events.times < time)
    )
    return settled
