"""Combinations of values of kernels are stored once, and every launch keeps its own values."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from tw_importers.nsys.configurations import Column, combinations
from tw_importers.sqlite_tables import database
from warehouse.ingest import pipeline

_N_ROWS = 5_000


def _few(source: random.Random) -> int | None:
    return source.choice([0, 1, -1, 1 << 62, -(1 << 63), None])


def _any(source: random.Random) -> int | None:
    return source.choice([source.randrange(-(1 << 63), 1 << 63), None])


def _same(_: random.Random) -> int | None:
    return 7


def _none(_: random.Random) -> int | None:
    return None


@pytest.mark.parametrize(
    "kinds",
    [(_few, _few, _same, _none), (_any, _few), (_same, _none), (_few,)],
    ids=["few", "any", "one", "column"],
)
def test_a_row_has_the_values_of_its_combination(kinds: Any) -> None:
    source = random.Random(len(kinds))
    arrays = [pa.array([kind(source) for _ in range(_N_ROWS + 3)], pa.int64()) for kind in kinds]
    arrays = [array.slice(3) for array in arrays]  # validity begins within a byte
    rows = list(zip(*(array.to_pylist() for array in arrays), strict=True))
    columns = [Column.of(array) for array in arrays]

    first, combination = combinations(columns, _N_ROWS)

    found = list(zip(*(column.at(first).to_pylist() for column in columns), strict=True))
    assert [found[n] for n in combination] == rows
    assert len(found) <= len(rows)
    if _any not in kinds:
        assert len(found) == len(set(rows))


def test_no_rows_have_no_combinations() -> None:
    first, combination = combinations([Column.of(pa.array([], pa.int64()))], 0)

    assert len(first) == len(combination) == 0


def test_launches_keep_their_own_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_ROWS", 1 << 11)
    export, db = tmp_path / "launches.sqlite", tmp_path / "w.duckdb"
    expected = _write(export, 10_000)  # several batches

    pipeline.import_paths([export], db=db)

    with duckdb.connect(str(db), read_only=True) as connection:
        found = connection.execute(
            "SELECT ts, name, base_name, grid_x, registers_per_thread, shared_memory_bytes, "
            "correlation_id FROM gpu_op ORDER BY correlation_id"
        ).fetchall()
    assert found == expected


def _write(path: Path, n_launches: int) -> list[tuple[object, ...]]:
    """Writes an export; returns what each launch has."""
    columns = [
        "start",
        "end",
        "deviceId",
        "contextId",
        "streamId",
        "correlationId",
        "globalPid",
        "demangledName",
        "shortName",
        "gridX",
        "registersPerThread",
        "staticSharedMemory",
        "dynamicSharedMemory",
    ]
    expected: list[tuple[object, ...]] = []
    with closing(sqlite3.connect(path)) as export:
        export.execute("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)")
        names = [(n, f"kernel_{n}<float>") for n in range(8)] + [(n, f"k{n}") for n in range(8, 16)]
        export.executemany("INSERT INTO StringIds VALUES (?, ?)", names)
        declared = ", ".join(f'"{name}" INTEGER' for name in columns)
        export.execute(f"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL ({declared})")
        for n in range(n_launches):
            name, grid, static = n % 8, n % 5 or None, n % 3
            row = (10 * n, 10 * n + 5, 0, 1, 7 + n % 4, n + 1, 1 << 24, name, name + 8, grid,
                   32 + n % 2, static, n % 7)  # fmt: skip
            marks = ", ".join("?" * len(row))
            export.execute(f"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({marks})", row)
            expected.append((10 * n, f"kernel_{name}<float>", f"k{name + 8}", grid, 32 + n % 2,
                             static + n % 7, n + 1))  # fmt: skip
        export.commit()
    return expected
