"""The scratch tables a capture is written to.

- `placed`: one row a record of the timeline, in the order slices are stored in; `<layout>_placed`
  of each layout: its records with their words (placed.py);
- `operation`: what records have in common, as numbers: track, `label_n`, core that submitted,
  `context_n`, `image_n`; -1 for none;
- `context`: the distinct commands: `kind`, their words; `scope`, the kernels; batches;
- `tiu_image`, `dma_image`, `cdma_image`: register images;
- `device_number`, `track_number`: devices and tracks; `counter_clock`: clocks; `layer`: layers of
  the model;
- `chip`, `chip_header`, `command_name`, `data_type`: of decode/;
- `dropped`, `found`, `extent`: for the record of the import.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from tw_importers.sophgo import placed
from tw_importers.sophgo.columns import column, columns, distinct, put
from tw_importers.sophgo.commands import MODES
from tw_importers.sophgo.decode import chips, decode_streams, name_table
from tw_importers.sophgo.decode.registers import engine as image_engine
from tw_importers.sophgo.placed import ENGINES

if TYPE_CHECKING:
    import duckdb

    from tw_importers.sophgo.core import Core, Port
    from tw_importers.sophgo.decode import Chip
    from tw_importers.sophgo.defects import Defects
    from tw_importers.sophgo.images import Store
    from tw_importers.sophgo.model import Capture
    from tw_importers.sophgo.timeline import Timeline
    from warehouse.ingest.importer import Scratch

ENGINE_CODES = {"TIU": 0, "GDMA": 1, "SDMA": 3, "CDMA": 4}  # as the vendor's tool numbers them


def write(
    scratch: Scratch, capture: Capture, line: Timeline, store: Store, hz: tuple[int, int, int],
    defects: Defects,
) -> None:  # fmt: skip
    """Writes all tables of a capture."""
    connection = scratch.connection
    chip = capture.profile.chip
    put(connection, "chip", chip.row())
    put(connection, "chip_header", _header(chip, hz))
    put(connection, "command_name", name_table(chip))
    put(connection, "data_type", chip.data_type_table())
    n_cores = max(len(capture.cores), capture.profile.core_num or 0)
    devices, tracks = _devices(n_cores, line), _tracks(n_cores, line)
    put(connection, "device_number", pa.Table.from_pylist(devices))
    put(connection, "track_number", pa.Table.from_pylist(tracks))
    put(connection, "counter_clock", _clocks(line, hz))
    _write_commands(connection, line)
    _write_images(connection, store)
    put(connection, "scope", _scopes(capture.scopes.names))
    first_track = {(row["core"], row["port"]): row["track_n"] for row in reversed(tracks)}
    placed.write(scratch, line, first_track, store)
    if capture.layers and capture.layers.rows:
        put(connection, "layer", capture.layers.table())
    else:
        from tw_importers.sophgo.layers import Layers

        put(connection, "layer", Layers().table())
    _write_account(connection, capture, line, defects)


def _header(chip: Chip, hz: tuple[int, int, int]) -> pa.Table:
    """The constants of the chip as the vendor's tool prints them, with this capture's clocks."""
    values: dict[str, Any] = dict(chip.header)
    for key, frequency in (("TIU", hz[0]), ("DMA", hz[1])):
        values[f"{key} Frequency(MHz)"] = (
            frequency / 1e6 if frequency % 10**6 else frequency // 10**6
        )
    return pa.table({"header_json": [json.dumps(values)]})


def _devices(n_cores: int, line: Timeline) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [{"device_n": 0, "kind": "tpu", "ordinal": 0}]
    rows += [{"device_n": 1 + core, "kind": "core", "ordinal": core} for core in range(n_cores)]
    rows += [
        {"device_n": 1 + n_cores + n, "kind": "link", "ordinal": port}
        for n, port in enumerate(_ports(line))
    ]
    return rows


def _ports(line: Timeline) -> list[int]:
    return sorted({lane.port for lane in line.lanes if lane.port is not None})


def _tracks(n_cores: int, line: Timeline) -> list[dict[str, Any]]:
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
    """A clock for each core and each port: name, frequency, and offset in nanoseconds."""
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
    """Commands by number; their words and what else they share are few, and stand once."""
    none = np.empty(0, np.int64)
    words = np.concatenate([none, *(
        (ENGINES.index(engine) << 2 | (each.mode + 1)) << 32 | (each.word + 1)
        for engine, each in zip(line.engine_of, line.commands, strict=True)
    )])  # fmt: skip
    scope, batch = (
        np.concatenate([none, *(getattr(each, name) for each in line.commands)])
        for name in ("scope", "batch")
    )
    key, kind = distinct(words)
    engine, mode, word = key >> 34, (key >> 32 & 3) - 1, (key & 0xFFFFFFFF) - 1
    put(connection, "kind", pa.table({
        "kind_n": column(np.arange(len(key))),
        "engine": pa.array([ENGINES[e] for e in engine.tolist()], pa.string()),
        "mode": pa.array([MODES[m] if m >= 0 else None for m in mode.tolist()], pa.string()),
        "type_code": column(word >> 3 & 31),
        "function_code": column(word >> 8 & 31),
        "info": column(word >> 13),
    }))  # fmt: skip
    scoped, number = distinct(kind.astype(np.int64) << 32 | (scope + 1))
    both, context = distinct(number.astype(np.int64) << 32 | (batch + 1))
    scoped = scoped[both >> 32]
    put(connection, "context", columns({
        "context_n": np.arange(len(both)), "kind_n": scoped >> 32,
        "scope": (scoped & 0xFFFFFFFF) - 1, "batch": (both & 0xFFFFFFFF) - 1,
    }))  # fmt: skip
    connection.register("command", columns({
        "command_n": np.arange(len(words), dtype=np.int32), "context_n": context,
    }))  # fmt: skip


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
        put(connection, name, table)


def _write_account(
    connection: duckdb.DuckDBPyConnection, capture: Capture, line: Timeline, defects: Defects
) -> None:
    dropped = {reason: n for reason, n in line.dropped.items() if n}
    put(connection, "dropped", pa.table({
        "reason": pa.array(list(dropped), pa.string()), "n": pa.array(dropped.values(), pa.int64()),
    }))  # fmt: skip
    files: list[Core | Port] = [*capture.cores, *capture.ports]
    repairs = [each.repairs for each in files]
    for name, severity, count, meaning in (
        ("ring", "warning", sum(each.n_rings for each in repairs),
         "engines whose buffer ran full: older records were overwritten"),
        ("counter_wrap", "note", sum(each.n_counter_wraps for each in repairs),
         "wraps of the 32-bit cycle counter, undone"),
        ("id_wrap", "note", sum(each.n_id_wraps for each in repairs),
         "wraps of the 16-bit command number, undone"),
        ("swapped", "note", sum(each.n_swapped for each in repairs),
         "SDMA records that were written out of order, put into order"),
    ):  # fmt: skip
        defects.find(name, severity, count, meaning)
    names = ("kind", "severity", "count", "meaning")
    rows = [dict(zip(names, finding, strict=True)) for finding in defects.findings]
    schema = pa.schema([("kind", pa.string()), ("severity", pa.string()), ("count", pa.int64()),
                        ("meaning", pa.string())])  # fmt: skip
    put(connection, "found", pa.Table.from_pylist(rows, schema))
    n_read = sum(each.n_read for each in files)
    last = max((int(x.bound.monitor.end.max()) for x in line.lanes if len(x.bound)), default=0)
    put(connection, "extent", columns({
        "origin_ns": [line.origin_ns], "last_ns": [last], "n_read": [n_read],
    }))  # fmt: skip
