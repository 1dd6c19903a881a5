"""Writes exports of Nsight Systems that have rows in every table that is read."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from tw_importers.nsys.tables import DETAILS, TABLES
from tw_importers.sqlite_tables import Kind

_DECLARED = {"integer": "INTEGER", "text": "TEXT", "real": "REAL"}


def write(
    path: Path, seed: int = 1, n_rows: int = 200, page_size: int = 1024, some: slice = slice(None)
) -> Path:
    """A sound export, of some of the tables; of the rows many are much alike, a fifth random."""
    source = random.Random(seed)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA page_size = {page_size}")
        for table, columns in tables()[some]:
            names = ", ".join(f'"{name}" {_DECLARED[kind]}' for name, kind in columns.items())
            key = "(id INTEGER PRIMARY KEY, value TEXT)" if table == "StringIds" else f"({names})"
            connection.execute(f'CREATE TABLE "{table}" {key}')
            marks = ", ".join("?" * len(columns))
            rows = [tuple(_values(columns, n, source)) for n in range(n_rows // 5)]
            rows += [_later(columns, n, rows[n % 2]) for n in range(n_rows // 5, n_rows)]
            connection.executemany(f'INSERT INTO "{table}" VALUES ({marks})', rows)
        connection.commit()
    return path


def tables() -> list[tuple[str, dict[str, Kind]]]:
    """The tables of an export that are read, with the kinds of their columns."""
    threads: dict[str, Kind] = {
        "start": "integer", "end": "integer", "globalTid": "integer", **DETAILS
    }  # fmt: skip
    return [*TABLES.values(), ("OSRT_API", threads)]


def _later(columns: dict[str, Kind], n: int, row: tuple[object, ...]) -> tuple[object, ...]:
    """The row again at another time: rows that are much alike are read together."""
    moved = {"id": n, "start": 1000 * n, "timestamp": 1000 * n, "end": 1000 * n + 500}
    return tuple(moved.get(name, value) for name, value in zip(columns, row, strict=True))


def _values(columns: dict[str, Kind], n: int, source: random.Random) -> Iterator[object]:
    for name, kind in columns.items():
        if name == "id":
            yield n
        elif kind == "text":
            yield source.choice(["a", "cudaLaunchKernel_v7000", "long " * 60, "ä", "nccl", None])
        elif kind == "real":
            yield source.random()
        elif name in ("start", "timestamp"):
            yield 1000 * n + source.randrange(900)
        elif name == "end":
            yield source.choice([1000 * n + 950, 1000 * n + source.randrange(4000), None])
        elif name.startswith("global"):
            yield source.choice([0x1_00_000_2A_00002B, 0x1_00_000_2A_00002C, 0, None]) or 42 << 24
        elif name == "eventType":
            yield source.choice([33, 34, 39, 59, 59, 59, 60, 75])
        elif name == "eventClass":
            yield source.choice([0, 0, 1, 27, 67])
        else:
            yield source.choice([source.randrange(8), source.randrange(40), 1 << 40, None])
