"""Binds records to commands, and drops records that the program did not cause.

The preamble of a capture, marks of the firmware at the ends and send and wait pairs of the
profiler are dropped, as the vendor's tool does. Records are bound a section at a time
(sections.py), which gives each record the number of its command; a join finds the command
(join.sql).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tw_importers.sophgo import sections
from tw_importers.sophgo.commands import DES, RVT, Commands
from tw_importers.sophgo.records import Ints, Monitor

NONE, SEND, WAIT = 0, 1, 2
_LONGEST_SEND_NS = 1000
_SHORTEST_SECTION, _EPOCH_ID = 4, 1000


@dataclass
class Bound:
    """Records of one engine of a core, or of a port, with what they are bound to."""

    monitor: Monitor
    section: Ints  # counts stretches of rising ids
    command: Ints  # row of the engine's commands; -1: none
    image: Ints  # number of the image; -1: none
    sync: Ints  # SEND or WAIT by the counters
    submit_core: Ints
    dropped: dict[str, int] = field(default_factory=Counter)  # reason -> dropped records

    def __len__(self) -> int:
        return len(self.section)

    @property
    def is_bound(self) -> NDArray[np.bool_]:
        """Whether the command itself is known, not only its descriptor."""
        return (self.image >= 0) | ((self.command >= 0) & ~self._by_descriptor)

    _by_descriptor: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, bool))

    def keep(self, which: NDArray[np.bool_] | slice, reason: str) -> None:
        """Keeps these records and counts the others."""
        n_before = len(self)
        if isinstance(which, slice):
            is_all = which.indices(n_before) == (0, n_before, 1)
        else:
            is_all = bool(which.all())
        if is_all:
            return
        for name in ("section", "command", "image", "sync", "submit_core"):
            setattr(self, name, getattr(self, name)[which])
        self._by_descriptor = self._by_descriptor[which]
        self.monitor = self.monitor.take(which)
        if n_before > len(self):
            self.dropped[reason] += n_before - len(self)


def unbound(monitor: Monitor) -> Bound:
    """Records not bound to commands yet."""
    none = np.full(len(monitor), -1)
    section = np.zeros(len(monitor), np.int64)
    section[1:] = np.cumsum(monitor.id[1:] <= monitor.id[:-1])
    return Bound(
        monitor, section, none, none.copy(), sync_by_counters(monitor), none.copy(),
        _by_descriptor=np.zeros(len(monitor), bool),
    )  # fmt: skip


def sync_by_counters(monitor: Monitor) -> Ints:
    """Which records look like a send or a wait: they moved nothing, or had the one conflict.

    Sends and waits alternate. Waits take longer, so they are the half that took longer in all;
    where both took equally long, a send came first. What took more than a send ever does, waits.
    """
    is_sync = np.flatnonzero(_moved_nothing(monitor))
    found = np.zeros(len(monitor), np.int64)
    if not len(is_sync):
        return found
    took = monitor.end[is_sync] - monitor.start[is_sync]
    even, odd = int(took[::2].sum()), int(took[1::2].sum())
    is_odd_wait = odd > even or (odd == even and len(is_sync) > 1)
    is_wait = (np.arange(len(is_sync)) % 2 == 1) == is_odd_wait
    found[is_sync] = np.where(is_wait | (took > _LONGEST_SEND_NS), WAIT, SEND)
    return found


def _moved_nothing(monitor: Monitor) -> NDArray[Any]:
    words = monitor.words
    if monitor.layout.name == "tiu":
        return np.asarray(words[:, 3] == 2)
    if monitor.layout.name == "dma":
        return np.asarray((words[:, 12] | words[:, 13]) == 0)
    if monitor.layout.name == "cdma":
        return np.asarray(words[:, 4] == 0)
    return np.zeros(len(words), bool)


def trim_edges(bound: Bound, commands: Commands) -> None:
    """Drops records at the ends whose ids no command has, or not as often."""
    if not len(commands) or not len(bound):
        return
    ids = bound.monitor.id
    seen, place, n_seen = np.unique(ids, return_inverse=True, return_counts=True)
    n_given = _times_given(commands, seen)
    bound_rows = np.flatnonzero(n_given[place] > 0)
    first = int(bound_rows[0]) if len(bound_rows) else len(ids)
    surplus, last = n_seen - n_given, len(ids)
    while last > first and surplus[place[last - 1]] > 0:  # as far as marks reach: a few
        surplus[place[last - 1]] -= 1
        last -= 1
    bound.keep(slice(first, last), "without a command at the ends")


def _times_given(commands: Commands, ids: Ints) -> Ints:
    """The number of commands with each id; ids of a descriptor count from 0."""
    words = np.sort(commands.id[~commands.is_des])
    des = np.sort(commands.n_images[commands.is_des])
    of_words = np.searchsorted(words, ids, "right") - np.searchsorted(words, ids, "left")
    return np.asarray(of_words + len(des) - np.searchsorted(des, ids, "right"))


def trim_strays(bound: Bound) -> bool:
    """Without commands: drops the records before id 0, and a mark at the end.

    Returns whether there is an id 0, so that the core ran anything.
    """
    ids = bound.monitor.id
    zeros = np.flatnonzero(ids == 0)
    if not len(zeros):
        return False
    first, last = int(zeros[0]), len(ids)
    if last - first >= 2 and ids[-1] <= ids[-2]:
        last -= 1
    bound.keep(slice(first, last), "stray records of TIU")
    return True


def bind_commands(
    bound: Bound, commands: Commands, kv: dict[tuple[int, int], Ints], extra: Ints
) -> None:
    """Binds records that are not bound to commands.

    `kv` has the numbers of the images of each descriptor, `extra` those of DYN_EXTRA's by place.
    """
    free = np.flatnonzero(~bound.is_bound)
    if not len(free) or not len(commands):
        return
    ids = bound.monitor.id[free]
    mine, theirs = sections.of_records(ids), sections.of_commands(commands)
    partners = sections.pair(mine.span, theirs.span)
    is_paired = partners >= 0
    first = np.where(is_paired, theirs.first[partners], -1)
    by_descriptor = is_paired & (commands.mode[first] == DES)
    for n in np.flatnonzero(by_descriptor).tolist():  # a section, not a row, at a time
        rows = free[mine.first[n] : mine.first[n] + mine.count[n]]
        at = int(first[n])
        key = int(commands.key[at]), int(commands.n_images[at])
        bound.command[rows], bound._by_descriptor[rows] = at, True
        relative = bound.monitor.id[rows] - int(bound.monitor.id[rows[0]])
        _bind_images(bound, rows, relative, kv.get(key, np.empty(0, np.int64)))
    is_paired &= ~by_descriptor
    relative = ids - np.repeat(ids[mine.first], mine.count)
    reach = np.repeat(np.where(is_paired, theirs.count[partners], 0), mine.count)
    inside = relative < reach
    command = np.where(inside, np.repeat(first, mine.count) + relative, -1)
    rows = free[inside] if not inside.all() else free
    bound.command[rows] = command[inside] if not inside.all() else command
    if len(extra):
        place = commands.extra[bound.command[rows]]
        has_image = (place >= 0) & (place < len(extra))
        bound.image[rows[has_image]] = extra[place[has_image]]


def bind_images(bound: Bound, blocks: list[Ints]) -> None:
    """Binds records to images of descriptor blocks, each block a section."""
    spans = np.array([len(images) for images in blocks if len(images)], np.int64)
    blocks = [images for images in blocks if len(images)]
    if not len(bound) or not len(spans):
        return
    mine = sections.of_records(bound.monitor.id)
    partners = sections.pair(mine.span, spans)
    for n in np.flatnonzero(partners >= 0).tolist():
        images = blocks[int(partners[n])]
        rows = np.arange(mine.first[n], mine.first[n] + mine.count[n])
        _bind_images(bound, rows, bound.monitor.id[rows] - bound.monitor.id[rows[0]], images)


def bind_by_id(bound: Bound, blocks: list[Ints]) -> None:
    """Where no section fits, because records of most were lost: binds by the ids themselves.

    The image of a block's command n belongs to id n. A section that begins with a small id is of
    the next block; one of a few records is left alone.
    """
    blocks = [images for images in blocks if len(images)]
    if not len(bound) or not blocks:
        return
    mine, block = sections.of_records(bound.monitor.id), 0
    for n in range(len(mine)):
        rows = np.arange(mine.first[n], mine.first[n] + mine.count[n])
        if n and bound.monitor.id[rows[0]] < _EPOCH_ID and block < len(blocks) - 1:
            block += 1
        if len(rows) >= _SHORTEST_SECTION:
            _bind_images(bound, rows, bound.monitor.id[rows], blocks[block])


def _bind_images(bound: Bound, rows: Ints, relative: Ints, images: Ints) -> None:
    inside = (relative >= 0) & (relative < len(images))
    bound.image[rows[inside]] = images[relative[inside]]


def drop_unbound_ends(bound: Bound) -> None:
    """Drops records before the first and after the last that has a command."""
    bound_rows = np.flatnonzero(bound.is_bound)
    kept = slice(int(bound_rows[0]), int(bound_rows[-1]) + 1) if len(bound_rows) else slice(0, 0)
    bound.keep(kept, "without a command at the ends")


def drop_sync_ends(bound: Bound, is_sync: NDArray[np.bool_], keeps_short: bool) -> None:
    """Drops pairs of the profiler at the ends of a stream.

    A pair is two records of rising ids, apart from the others by a restart of ids, the first of
    which is a send or wait. Without CDMA, streams of two records lose all sends and waits.
    """
    ids = bound.monitor.id
    first, last = 0, len(ids)
    while last - first >= 3:
        if (
            ids[last - 1] - ids[last - 2] == 1
            and ids[last - 2] <= ids[last - 3]
            and is_sync[last - 2]
        ):
            last -= 2
        elif (
            ids[first + 1] - ids[first] == 1 and ids[first + 2] <= ids[first + 1] and is_sync[first]
        ):
            first += 2
        else:
            break
    keep = np.zeros(len(ids), bool)
    keep[first:last] = True
    if not keeps_short and last - first <= 2:
        keep &= ~is_sync
    bound.keep(keep, "send and wait pairs of the profiler")


def is_sync(bound: Bound, commands: Commands, image_types: Ints, sync_type: int) -> NDArray[Any]:
    """Which records are sends, waits or other commands that only order others."""
    # The counters decide where no command does; codes of RVT commands mean something else.
    by_command, has_code = np.zeros(len(bound), bool), bound.image >= 0
    by_command[has_code] = image_types[bound.image[has_code]] == sync_type
    by_word = (bound.command >= 0) & ~bound._by_descriptor & ~has_code
    word, mode = commands.word[bound.command[by_word]], commands.mode[bound.command[by_word]]
    by_command[by_word] = (word >> 3 & 31) == sync_type
    has_code[by_word] = mode != RVT
    return np.asarray(np.where(has_code, by_command, bound.sync != NONE))
