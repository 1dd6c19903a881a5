"""The records of a capture as columns, on their tracks and in the order slices are stored in.

A join binds records to commands (join.sql); what commands have in common is numbered as an
operation, of which there are few. A column has a chunk for each engine: nothing is copied to join
them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from tw_importers.sophgo.bind import NONE, SEND, WAIT
from tw_importers.sophgo.columns import column, columns, distinct, put
from tw_importers.sophgo.records import Ints, Words

if TYPE_CHECKING:
    from tw_importers.sophgo.images import Store
    from tw_importers.sophgo.timeline import Lane, Timeline
    from warehouse.ingest.importer import Scratch

ENGINES = ("TIU", "GDMA", "SDMA", "CDMA")
#: Of each layout of records, the first of the words its table has.
LAYOUTS = {"tiu": 3, "tiu_bm1688": 2, "dma": 3, "dma_bm1688": 2, "cdma": 2}
_JOIN = files(__package__) / "join.sql"
_BLOCK = 4096  # records whose words are in a processor's cache while they become columns
#: Types and functions of CDMA commands that use one direction of the link.
_SENDING = ((0, None), (7, 3), (7, 4), (8, None))
_RECEIVING = ((1, None), (4, None), (7, 5), (7, 6), (9, None))
_FIRST_ENGINE = 1  # tracks of a core: kernels, then engines
_N_WORDS = {"tiu": 4, "tiu_bm1688": 8, "dma": 16, "dma_bm1688": 64, "cdma": 32}
_COMMON = ("n", "ts", "dur", "command_id")
_OWN = ("start_cycle", "end_cycle", "record_n", "stream_n", "section")


@dataclass
class _Chunk:
    """The records of one lane, in the order of track, start and longer first."""

    layout: str
    columns: dict[str, np.ndarray]  # as they are stored, and `n`, their number over the capture
    place: Ints  # rows of track, label, core that submitted, lift of the id
    command: np.ndarray  # number over the capture; -1: none
    image: np.ndarray
    words: Words
    is_crowded: np.ndarray  # whether it begins before the one before it on its track ended


def write(
    scratch: Scratch, line: Timeline, first_track: dict[tuple[int | None, int | None], int],
    store: Store,
) -> None:  # fmt: skip
    """Makes `placed`, `<layout>_placed` of each layout, `operation` and `crowded`."""
    codes = store.type_codes(), store.function_codes()
    chunks: list[_Chunk] = []
    n_before = 0
    for lane in line.lanes:
        if len(lane.bound):
            track = first_track[lane.core, lane.port] + _track_of(lane, *codes)
            chunks.append(_chunk(lane, track, n_before))
            n_before += len(lane.bound)
    places = _places(chunks)
    context = _contexts(scratch, chunks)
    operation = _operations(scratch, places, context, [chunk.image for chunk in chunks])
    crowded = [c.place[0][c.is_crowded] for c in chunks]
    put(scratch.connection, "crowded", columns({"track_n": np.unique(_joined(crowded))}))
    bounds = np.cumsum([0, *(len(chunk.command) for chunk in chunks)])
    for chunk, begin, end in zip(chunks, bounds[:-1], bounds[1:], strict=True):
        chunk.columns["operation_n"] = operation[begin:end]
    _keep(scratch, "placed", _table([c.columns for c in chunks], [*_COMMON, "operation_n"]))
    for layout, first_word in LAYOUTS.items():
        mine = [chunk for chunk in chunks if chunk.layout == layout]
        rows = [chunk.columns | _by_word(chunk.words, first_word) for chunk in mine]
        words = [f"w{n}" for n in range(first_word, _N_WORDS[layout])]
        names = [*_COMMON, "operation_n", *_OWN, *words]
        _keep(scratch, f"{layout}_placed", _table(rows, names))


def _chunk(lane: Lane, track: Ints, n_before: int) -> _Chunk:
    bound, monitor = lane.bound, lane.bound.monitor
    order = _order(track, monitor.start, monitor.end)
    pick: Callable[[Any], Any] = (lambda v: v) if order is None else (lambda v: v[order])
    taken = monitor if order is None else monitor.take(order)
    n = len(bound)
    track, command = pick(track), pick(bound.command)
    raw = taken.words[:, taken.layout.id_word] & np.uint32((1 << taken.layout.id_bits) - 1)
    is_early = np.zeros(n, bool)
    is_early[1:] = (track[1:] == track[:-1]) & (taken.start[1:] < taken.end[:-1])
    return _Chunk(
        layout=taken.layout.name,
        columns={
            "n": np.arange(n_before, n_before + n, dtype=np.int32),
            "ts": taken.start,
            "dur": taken.end - taken.start,
            "command_id": taken.id,
            "start_cycle": taken.words[:, 0],
            "end_cycle": taken.words[:, 1],
            "record_n": taken.record_n.astype(np.int32),
            "stream_n": np.asarray(pick(np.arange(n, dtype=np.int32))),
            "section": pick(bound.section).astype(np.int32),
        },
        place=np.stack([track, pick(_label(lane)), pick(bound.submit_core), taken.id - raw]),
        command=np.where(command >= 0, command + lane.first_command, -1).astype(np.int32),
        image=pick(bound.image),
        words=taken.words,
        is_crowded=is_early,
    )


def _places(chunks: list[_Chunk]) -> tuple[np.ndarray, np.ndarray]:
    """The distinct places, as rows of `place`, and which of them each record is at."""
    number: list[np.ndarray] = []
    number_of: dict[tuple[int, ...], int] = {}
    for chunk in chunks:
        place = chunk.place
        varies = (place != place[:, :1]).any(axis=1)
        if not varies.any():  # nearly always: an engine of a core is at one place
            one = number_of.setdefault(tuple(place[:, 0].tolist()), len(number_of))
            number.append(np.full(place.shape[1], one, np.int32))
            continue
        found, which = np.unique(place, axis=1, return_inverse=True)
        numbers = [number_of.setdefault(tuple(row), len(number_of)) for row in found.T.tolist()]
        number.append(np.array(numbers, np.int32)[which.ravel()])
    rows = np.array(list(number_of), np.int64).reshape(len(number_of), 4)
    return rows, _joined(number)


def _contexts(scratch: Scratch, chunks: list[_Chunk]) -> np.ndarray:
    """The number of the context of each record's command, which a join finds; -1: none."""
    command = _joined([chunk.command for chunk in chunks])
    context = np.full(len(command), -1, np.int32)
    if (command >= 0).any():
        connection = scratch.connection
        number = np.arange(len(command), dtype=np.int32)
        connection.register("record", columns({"n": number, "command_n": command}))
        found = connection.execute(_JOIN.read_text()).fetchnumpy()
        context[found["n"]] = found["context_n"]
        connection.unregister("record")
    scratch.connection.unregister("command")
    return context


def _operations(
    scratch: Scratch, places: tuple[np.ndarray, np.ndarray], context: np.ndarray, images: list[Ints]
) -> np.ndarray:
    """Creates `operation`, the distinct places, contexts and images, and returns each record's."""
    place, place_n = places
    keys = [(place_n.astype(np.int64) << 32) | (context + 1)]
    found, number = distinct(keys[0])
    image = _joined([np.asarray(each, np.int64) for each in images])
    if (image >= 0).any():
        both, number = distinct((number.astype(np.int64) << 32) | (image + 1))
        found, image = found[both >> 32], (both & 0xFFFFFFFF) - 1
    else:
        image = np.full(len(found), -1)
    at = place[found >> 32]
    put(scratch.connection, "operation", columns({
        "operation_n": np.arange(len(found)), "track_n": at[:, 0], "label_n": at[:, 1],
        "submit_core": at[:, 2], "id_lift": at[:, 3], "context_n": (found & 0xFFFFFFFF) - 1,
        "image_n": image,
    }))  # fmt: skip
    return number


def _joined(parts: Iterable[np.ndarray]) -> np.ndarray:
    listed = list(parts)
    return np.concatenate(listed) if listed else np.empty(0, np.int32)


def _table(chunks: list[dict[str, np.ndarray]], names: list[str]) -> pa.Table:
    """Columns of one chunk each; without any, of no rows."""
    if not chunks:
        return columns({name: _empty(name) for name in names})
    parts = {name: pa.chunked_array([column(c[name]) for c in chunks]) for name in names}
    return pa.table(parts)


def _empty(name: str) -> np.ndarray:
    kinds = {"n": np.int32, "operation_n": np.int32, "ts": np.int64, "dur": np.int64,
             "command_id": np.int64, "record_n": np.int32, "stream_n": np.int32,
             "section": np.int32}  # fmt: skip
    return np.empty(0, kinds.get(name, np.uint32))


def _by_word(words: Words, first: int) -> dict[str, np.ndarray]:
    """The words of records from `first` on, each as a column."""
    turned = np.empty((words.shape[1] - first, len(words)), np.uint32)
    for at in range(0, len(words), _BLOCK):
        turned[:, at : at + _BLOCK] = words[at : at + _BLOCK, first:].T
    return {f"w{first + n}": values for n, values in enumerate(turned)}


def _keep(scratch: Scratch, name: str, table: pa.Table) -> None:
    """Leaves a table for the commit: as it is, where the commit has this connection. Writing it to
    the database takes as long as all of decoding."""
    if scratch.stays_open:
        scratch.connection.register(f"{name}_rows", table)
        scratch.connection.execute(f"CREATE VIEW {name} AS FROM {name}_rows")
    else:
        put(scratch.connection, name, table)


def _order(track: Ints, start: Ints, end: Ints) -> Ints | None:
    """The order of track, start and longer first; None where it is the one they have."""
    if (start[1:] > start[:-1]).all() and (track[1:] >= track[:-1]).all():
        return None
    return np.lexsort((-end, start, track))


def _track_of(lane: Lane, image_types: Ints, image_functions: Ints) -> Ints:
    """The number of each record's track among those of its core or port."""
    n = len(lane.bound)
    if lane.port is None:
        return np.full(n, _FIRST_ENGINE + ENGINES.index(lane.engine))
    track = np.full(n, 3)
    number_of = lane.bound.command >= 0
    word = lane.commands.word[lane.bound.command[number_of]]
    track[number_of] = direction(word >> 3 & 31, word >> 8 & 31)
    imaged = lane.bound.image >= 0
    image = lane.bound.image[imaged]
    track[imaged] = direction(image_types[image], image_functions[image])
    track[~lane.bound.is_bound & (lane.bound.sync != NONE)] = 1  # as the vendor's tool has it
    return track


def direction(kind: Ints, function: Ints) -> Ints:
    """The track of a port by the direction of commands: 1 sending, 2 receiving, 3 neither."""
    side = np.full(len(kind), 3)
    for number, codes in ((1, _SENDING), (2, _RECEIVING)):
        for code, only in codes:
            side[(kind == code) & ((function == only) if only is not None else True)] = number
    return side


def _label(lane: Lane) -> Ints:
    """Labels by the counters of a record: three times the engine, plus none, send or wait."""
    sync = lane.bound.sync
    assert (SEND, WAIT) == (1, 2)
    return np.where(lane.bound.is_bound, 0, sync) + 3 * ENGINES.index(lane.engine)
