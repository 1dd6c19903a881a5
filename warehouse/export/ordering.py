"""The order of begin and end packets on a track, where many have the same time.

Viewers sort packets by time and keep the file's order where times are equal, and an end closes
whatever is on top of the track's stack. So at one time on one track come:

- slices without length, if nothing longer begins there: they lie inside what is about to end;
- the ends of what began earlier, last begun first;
- the beginnings of longer slices, outer ones first;
- slices without length, if something longer begins there: they lie inside that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from warehouse.export import wire

POINT, END, BEGIN = 0, 1, 2  # what an event is; a POINT has its end, if any, in the same bytes
_LATE_POINT = 3

Numbers = NDArray[np.int64]


@dataclass
class Events:
    """Packets with what decides their order; row i of every column is one event."""

    tracks: Numbers  # uuid of the lane
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
    rank = _ranks(events)
    rows: Numbers = np.lexsort((within, rank, events.times, events.tracks))
    return rows


def _ranks(events: Events) -> Numbers:
    """The kinds, with the points that lie inside a slice that begins with them told apart."""
    ranks = events.kinds.copy()
    starts = np.flatnonzero(events.kinds != END)
    if not (events.kinds[starts] == POINT).any():
        return ranks
    starts = starts[np.argsort(events.ordinals[starts], kind="stable")]
    tracks, times = events.tracks[starts], events.times[starts]
    is_first = np.ones(len(starts), bool)
    is_first[1:] = (tracks[1:] != tracks[:-1]) | (times[1:] != times[:-1])
    # Longer slices come first among those that start together, so the first one tells.
    group = np.cumsum(is_first) - 1
    begins_longer = (events.kinds[starts] == BEGIN)[is_first][group]
    late = starts[begins_longer & (events.kinds[starts] == POINT)]
    ranks[late] = _LATE_POINT
    return ranks


def is_settled(events: Events, track: int, time: int) -> NDArray[np.bool_]:
    """Which events nothing still to come can precede, when the next start is at (track, time)."""
    settled: NDArray[np.bool_] = (events.tracks < track) | (
        (events.tracks == track) & (events.times < time)
    )
    return settled
