"""The scratch tables a capture is written to.

- `placed`: one row a record of the timeline, in the order slices are stored in: its track, raw and
  aligned times, ids, `layout_n`, which counts _LAYOUTS, the words w2 to w15, what join.sql finds;
- `cdma_record`, `dma_bm1688_record`: all words of longer records;
- `pair`: the commands and images that a section of records was paired with;
- `kind`: the distinct words of commands, `scope` the kernels;
- `tiu_image`, `dma_image`, `cdma_image`: register images;
- `place`: devices, `lane`: tracks, `counter_clock`: clocks, `layer`: layers of the model;
- `chip`, `chip_header`, `command_name`, `data_type`: of decode/;
- `dropped`, `found`, `extent`: for the record of the import.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from tw_importers.sophgo.bind import NONE, SEND, WAIT
from tw_importers.sophgo.commands import MODES
from tw_importers.sophgo.decode import chips, decode_streams, name_table
from tw_importers.sophgo.decode.registers import engine as image_engine
from tw_importers.sophgo.records import Ints

if TYPE_CHECKING:
    import duckdb

    from tw_importers.sophgo.core import Core, Port
    from tw_importers.sophgo.decode import Chip
    from tw_importers.sophgo.defects import Defects
    from tw_importers.sophgo.images import Store
    from tw_importers.sophgo.read import Capture
    from tw_importers.sophgo.timeline import Lane, Timeline
    from warehouse.importer import Scratch

ENGINES = ("TIU", "GDMA", "SDMA", "CDMA")
ENGINE_CODES = {"TIU": 0, "GDMA": 1, "SDMA": 3, "CDMA": 4}  # as the vendor's tool numbers them
_JOIN = files(__package__) / "join.sql"
_FEW_WORDS = 16  # words that `record` has; longer records have a table of their own
#: Columns of `record` that count things there are few of.
_SMALL = (
    "track_n",
    "record_n",
    "stream_n",
    "section",
    "pair_n",
    "label_n",
    "submit_core",
    "layout_n",
)
_WIDE_LAYOUTS = ("dma_bm1688", "cdma")
_LAYOUTS = {"tiu": 4, "tiu_bm1688": 8, "dma": 16, "dma_bm1688": 64, "cdma": 32}
#: Types and functions of CDMA commands that use one direction of the link.
_SENDING = ((0, None), (7, 3), (7, 4), (8, None))
_RECEIVING = ((1, None), (4, None), (7, 5), (7, 6), (9, None))
_FIRST_ENGINE = 1  # tracks of a core: kernels, then engines


def write(
    scratch: Scratch, capture: Capture, line: Timeline, store: Store, hz: tuple[int, int, int],
    defects: Defects,
) -> None:  # fmt: skip
    """Writes all tables of a capture."""
    connection = scratch.connection
    chip = capture.profile.chip
    _put(connection, "chip", chip.row())
    _put(connection, "chip_header", _header(chip, hz))
    _put(connection, "command_name", name_table(chip))
    _put(connection, "data_type", chip.data_type_table())
    n_cores = max(len(capture.cores), capture.profile.core_num or 0)
    places, lanes = _places(n_cores, line), _lanes(n_cores, line)
    _put(connection, "place", pa.Table.from_pylist(places))
    _put(connection, "lane", pa.Table.from_pylist(lanes))
    _put(connection, "counter_clock", _clocks(line, hz))
    _write_commands(connection, line)
    _write_images(connection, store)
    _put(connection, "scope", _scopes(capture.scopes.names))
    _put(connection, "pair", _columns({
        "pair_n": range(len(line.pairs.first_id)), "first_id": line.pairs.first_id,
        "first_command": line.pairs.first_command, "n_commands": line.pairs.n_commands,
        "first_image": line.pairs.first_image, "n_images": line.pairs.n_images,
    }))  # fmt: skip
    _write_records(scratch, line, lanes, store)
    if capture.layers and capture.layers.rows:
        _put(connection, "layer", capture.layers.table())
    else:
        from tw_importers.sophgo.layers import Layers

        _put(connection, "layer", Layers().table())
    _write_account(connection, capture, line, defects)


def _header(chip: Chip, hz: tuple[int, int, int]) -> pa.Table:
    """The constants of the chip as the vendor's tool prints them, with this capture's clocks."""
    values: dict[str, Any] = dict(chip.header)
    for key, frequency in (("TIU", hz[0]), ("DMA", hz[1])):
        values[f"{key} Frequency(MHz)"] = (
            frequency / 1e6 if frequency % 10**6 else frequency // 10**6
        )
    return pa.table({"header_json": [json.dumps(values)]})


def _put(connection: duckdb.DuckDBPyConnection, name: str, table: pa.Table) -> None:
    connection.register("incoming", table)
    connection.execute(f"CREATE TABLE {name} AS FROM incoming")
    connection.unregister("incoming")


def _columns(columns: dict[str, Any]) -> pa.Table:
    return pa.table({name: _column(values) for name, values in columns.items()})


def _column(values: Any) -> pa.Array:
    """An Arrow column of NumPy's numbers without a copy, where they lie one after the other."""
    if not isinstance(values, np.ndarray):
        values = np.array(list(values), np.int64)
    kind = {"int64": pa.int64(), "int32": pa.int32(), "uint32": pa.uint32()}[str(values.dtype)]
    plain = np.ascontiguousarray(values)
    return pa.Array.from_buffers(kind, len(plain), [None, pa.py_buffer(plain)])


def _places(n_cores: int, line: Timeline) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [{"device_n": 0, "kind": "tpu", "ordinal": 0}]
    rows += [{"device_n": 1 + core, "kind": "core", "ordinal": core} for core in range(n_cores)]
    rows += [
        {"device_n": 1 + n_cores + n, "kind": "link", "ordinal": port}
        for n, port in enumerate(_ports(line))
    ]
    return rows


def _ports(line: Timeline) -> list[int]:
    return sorted({lane.port for lane in line.lanes if lane.port is not None})


def _lanes(n_cores: int, line: Timeline) -> list[dict[str, Any]]:
    """Tracks: of each core its kernels and engines, of each port its kernels and directions."""
    rows: list[dict[str, Any]] = []
    for core in range(n_cores):
        for engine in ("Kernel Function", "TIU", "GDMA", "SDMA"):
            rows.append({
                "device_n": 1 + core, "core": core, "port": None, "name": engine,
                "stream": ENGINE_CODES.get(engine), "kind": "engine", "clock_n": 1 + core,
            })  # fmt: skip
    for n, port in enumerate(_ports(line)):
        for suffix in (" Kernel Function", " TX", " RX", ""):
            rows.append({
                "device_n": 1 + n_cores + n, "core": None, "port": port,
                "name": f"CDMA port{port}{suffix}", "stream": 4, "kind": "link",
                "clock_n": 1 + len(line.sync_ns) + n,
            })  # fmt: skip
    for n, row in enumerate(rows):
        row["track_n"] = n
    return rows


def _clocks(line: Timeline, hz: tuple[int, int, int]) -> pa.Table:
    """One for each core, and one for each port: name, frequency, what to add to its nanoseconds."""
    rows = [
        {"name": f"tpu_core_{core}", "hz": float(hz[0]), "offset_ns": -offset,
         "method": "sync record" if line.sync_ns[core] is not None else None}
        for core, offset in enumerate(line.offsets_ns)
    ]  # fmt: skip
    rows += [
        {"name": f"tpu_cdma_{port}", "hz": float(hz[2]),
         "offset_ns": line.port_offsets_ns.get(port),
         "method": "sync record" if port in line.anchored else None}
        for port in _ports(line)
    ]  # fmt: skip
    schema = pa.schema(
        [("name", pa.string()), ("hz", pa.float64()), ("offset_ns", pa.int64()),
         ("method", pa.string())]
    )  # fmt: skip
    return pa.Table.from_pylist(rows, schema)


def _scopes(names: list[str]) -> pa.Table:
    numbers = pa.array(range(len(names)), pa.int64())
    return pa.table({"scope": numbers, "name": pa.array(names, pa.string())})


def _write_commands(connection: duckdb.DuckDBPyConnection, line: Timeline) -> None:
    """Commands by number; their words are few, so names are looked up once for each."""
    none = np.empty(0, np.int64)
    key = np.concatenate([none, *(
        (ENGINES.index(engine) << 2 | (each.mode + 1)) << 32 | (each.word + 1)
        for engine, each in zip(line.engine_of, line.commands, strict=True)
    )])  # fmt: skip
    distinct, kind = _distinct(key)
    engine, mode, word = distinct >> 34, (distinct >> 32 & 3) - 1, (distinct & 0xFFFFFFFF) - 1
    modes = pa.array([MODES[m] if m >= 0 else None for m in mode.tolist()], pa.string())
    _put(connection, "kind", pa.table({
        "kind_n": _column(np.arange(len(distinct))),
        "engine": pa.array([ENGINES[e] for e in engine.tolist()], pa.string()),
        "mode": modes, "type_code": _column(word >> 3 & 31),
        "function_code": _column(word >> 8 & 31),
        "info": _column(word >> 13),
    }))  # fmt: skip
    connection.register("command", _columns({
        "command_n": np.arange(len(key), dtype=np.int32), "kind_n": kind,
        "scope": _small([none, *(each.scope for each in line.commands)]),
        "batch": _small([none, *(each.batch for each in line.commands)]),
        "image_n": _small([none, *line.images]),
    }))  # fmt: skip


def _small(parts: list[np.ndarray]) -> np.ndarray:
    """Parts of a column joined, as numbers of 32 bits."""
    return np.concatenate(parts, dtype=np.int32, casting="unsafe")


def _distinct(values: Ints) -> tuple[Ints, np.ndarray]:
    """The distinct values in order, and which of them each is; by hashing, as they are few."""
    encoded = _column(values).dictionary_encode()
    found = encoded.dictionary.to_numpy()
    order = np.argsort(found)
    rank = np.empty(len(found), np.int32)
    rank[order] = np.arange(len(found), dtype=np.int32)
    return found[order], rank[encoded.indices.to_numpy()]


def _write_images(connection: duckdb.DuckDBPyConnection, store: Store) -> None:
    """Tables of images, empty ones with the columns they would have."""
    for name, engine in (("tiu_image", "TIU"), ("dma_image", "GDMA"), ("cdma_image", "CDMA")):
        tables = store.tables.get(name)
        if tables:
            names = set.intersection(*(set(table.column_names) for table in tables))
            order = [column for column in tables[0].column_names if column in names]
            table = pa.concat_tables([each.select(order) for each in tables])
        else:
            chip = store.chip if image_engine(store.chip, engine) else chips()["AKS"]
            table = decode_streams(b"", chip, engine, []).table
            table = table.append_column("image_n", pa.array([], pa.int64()))
        _put(connection, name, table)


def _write_records(
    scratch: Scratch, line: Timeline, lanes: list[dict[str, Any]], store: Store
) -> None:
    """Records in the order of tracks and times, so that their number is that of the slice."""
    connection = scratch.connection
    first_track = {(row["core"], row["port"]): row["track_n"] for row in reversed(lanes)}
    parts: list[dict[str, Any]] = []
    words: dict[str, list[tuple[Ints, np.ndarray]]] = {name: [] for name in _LAYOUTS}
    n_before = 0
    codes = store.type_codes(), store.function_codes()
    for lane in line.lanes:
        track = first_track[lane.core, lane.port] + _track_of(lane, *codes)
        bound, monitor = lane.bound, lane.bound.monitor
        order = _order(track, monitor.start, monitor.end)
        number = np.arange(n_before, n_before + len(bound))
        n_before += len(bound)
        taken = monitor.take(order) if order is not None else monitor
        pick = _Pick(order)
        parts.append({
            "n": number, "track_n": pick(track), "record_n": taken.record_n,
            "stream_n": pick(np.arange(len(bound))), "start_cycle": taken.words[:, 0],
            "end_cycle": taken.words[:, 1], "cycles": taken.cycles, "ts": taken.start,
            "dur": taken.end - taken.start, "id": taken.id, "section": pick(bound.section),
            "pair_n": pick(bound.pair), "label_n": pick(_label(lane)),
            "submit_core": pick(bound.submit_core),
                "layout_n": np.full(len(bound), list(_LAYOUTS).index(taken.layout.name)),
        })  # fmt: skip
        words[taken.layout.name].append((number, taken.words))
    # Each part is given up as its columns are joined: both at once would be the peak of an import.
    names = list(parts[0]) if parts else []
    columns = {
        name: (_small if name in _SMALL else np.concatenate)([part.pop(name) for part in parts])
        for name in names
    }
    _put(connection, "crowded", _columns({"track_n": _crowded(columns)}))
    _place(scratch, _columns({**columns, **_few_words(words, n_before)}))
    for name in _WIDE_LAYOUTS:
        _put(connection, f"{name}_record", _counters(words[name], _LAYOUTS[name]))


def _place(scratch: Scratch, record: pa.Table) -> None:
    """Makes `placed`: the records and, beside each, what its command is."""
    connection = scratch.connection
    connection.register("record", record)
    connection.execute(_JOIN.read_text())
    found = connection.sql("FROM joined").fetchnumpy()
    connection.execute("DROP VIEW joined")
    connection.unregister("record")
    connection.unregister("command")
    placed = record.drop_columns(["pair_n", "label_n"])
    number = found.pop("n")
    for name, values in found.items():
        column = np.empty(len(number), np.int32)
        column[number] = values
        placed = placed.append_column(name, pa.array(column, mask=column < 0))
    if scratch.stays_open:  # as it is: writing it to the database takes as long as all of decoding
        connection.register("placed_rows", placed)
        connection.execute("CREATE VIEW placed AS FROM placed_rows")
    else:
        _put(connection, "placed", placed)


def _crowded(columns: dict[str, Any]) -> Ints:
    """Tracks on which a record begins before the one before it ended: only there slices nest."""
    track, start = columns["track_n"], columns["ts"]
    end = start + columns["dur"]
    is_early = (track[1:] == track[:-1]) & (start[1:] < end[:-1])
    return np.unique(track[1:][is_early])


def _few_words(
    words: dict[str, list[tuple[Ints, np.ndarray]]], n_records: int
) -> dict[str, np.ndarray]:
    """The first words of every record; those a record does not have are 0."""
    few = np.zeros((_FEW_WORDS, n_records), np.uint32)
    for found in words.values():
        for number, each in found:
            if len(number):
                n_words = min(_FEW_WORDS, each.shape[1])
                few[:n_words, number[0] : number[0] + len(number)] = each[:, :n_words].T
    return {f"w{w}": few[w] for w in range(2, _FEW_WORDS)}


class _Pick:
    """Puts columns into an order; None is the one they have."""

    def __init__(self, order: Ints | None) -> None:
        self._order = order

    def __call__(self, values: Ints) -> Ints:
        return values if self._order is None else np.asarray(values[self._order])


def _order(track: Ints, start: Ints, end: Ints) -> Ints | None:
    """The order of track, start and longer first; None where it is the one they have."""
    if len(track) < 2:
        return None
    rises = (np.diff(track) > 0) | ((np.diff(track) == 0) & (np.diff(start) > 0))
    return None if rises.all() else np.lexsort((-end, start, track))


def _track_of(lane: Lane, image_types: Ints, image_functions: Ints) -> Ints:
    """Which of its core's or port's tracks each record is on."""
    n = len(lane.bound)
    if lane.port is None:
        return np.full(n, _FIRST_ENGINE + ENGINES.index(lane.engine))
    track = np.full(n, 3)
    known = lane.bound.command >= 0
    word = lane.commands.word[lane.bound.command[known]]
    track[known] = _direction(word >> 3 & 31, word >> 8 & 31)
    imaged = lane.bound.image >= 0
    image = lane.bound.image[imaged]
    track[imaged] = _direction(image_types[image], image_functions[image])
    track[~lane.bound.is_bound & (lane.bound.sync != NONE)] = 1  # as the vendor's tool has it
    return track


def _direction(kind: Ints, function: Ints) -> Ints:
    """Of a port's tracks, that of the direction its commands use: 1 and 2; 3 for neither."""
    side = np.full(len(kind), 3)
    for number, codes in ((1, _SENDING), (2, _RECEIVING)):
        for code, only in codes:
            side[(kind == code) & ((function == only) if only is not None else True)] = number
    return side


def _label(lane: Lane) -> Ints:
    """What a record's counters say: the engine, three times, plus nothing, send or wait."""
    sync = lane.bound.sync
    assert (SEND, WAIT) == (1, 2)
    return np.where(lane.bound.is_bound, 0, sync) + 3 * ENGINES.index(lane.engine)


def _counters(found: Iterable[tuple[Ints, np.ndarray]], n_words: int) -> pa.Table:
    found = list(found)
    number = np.concatenate([np.empty(0, np.int64), *(n for n, _ in found)])
    words = np.concatenate([np.empty((0, n_words), np.uint32), *(w for _, w in found)])
    by_word = np.ascontiguousarray(words.T)
    return _columns({"n": number, **{f"w{w}": by_word[w] for w in range(2, n_words)}})


def _write_account(
    connection: duckdb.DuckDBPyConnection, capture: Capture, line: Timeline, defects: Defects
) -> None:
    dropped = {reason: n for reason, n in line.dropped.items() if n}
    _put(connection, "dropped", pa.table({
        "reason": pa.array(list(dropped), pa.string()), "n": pa.array(dropped.values(), pa.int64()),
    }))  # fmt: skip
    files: list[Core | Port] = [*capture.cores, *capture.ports]
    repairs = [each.repairs for each in files]
    for name, severity, meaning in (
        ("n_rings", "warning", "engines whose buffer ran full: older records were overwritten"),
        ("n_counter_wraps", "note", "wraps of the 32-bit cycle counter, undone"),
        ("n_id_wraps", "note", "wraps of the 16-bit command number, undone"),
        ("n_swapped", "note", "SDMA records that were written out of order, put into order"),
    ):
        count = sum(getattr(each, name) for each in repairs)
        defects.find(name.removeprefix("n_").rstrip("s"), severity, count, meaning)
    names = ("kind", "severity", "count", "meaning")
    rows = [dict(zip(names, finding, strict=True)) for finding in defects.findings]
    schema = pa.schema([("kind", pa.string()), ("severity", pa.string()), ("count", pa.int64()),
                        ("meaning", pa.string())])  # fmt: skip
    _put(connection, "found", pa.Table.from_pylist(rows, schema))
    n_read = sum(each.n_read for each in files)
    last = max((int(x.bound.monitor.end.max()) for x in line.lanes if len(x.bound)), default=0)
    _put(connection, "extent", _columns({
        "origin_ns": [line.origin_ns], "last_ns": [last], "n_read": [n_read],
    }))  # fmt: skip
