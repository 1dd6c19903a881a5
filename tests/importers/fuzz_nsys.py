"""Damages exports of Nsight Systems and looks whether reading them ends as it must.

    python -m tests.importers.fuzz_nsys SEED COUNT [FILE...]

Whatever the bytes are, reading ends in tables or in one sentence: a TwError. Anything else ends the
run and leaves the damaged file behind. Without the database, so that twenty thousand take minutes;
with --import every hundredth is imported, too. Files default to an export made here.
"""

from __future__ import annotations

import random
import sqlite3
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from tw_importers.nsys.tables import DETAILS, TABLES
from tw_importers.sqlite_tables import Database, Kind
from warehouse.errors import TwError
from warehouse.ingest import pipeline

_ODD = (0, 1, 2, 5, 8, 9, 10, 12, 13, 14, 127, 128, 129, 200, 254, 255)
_DECLARED = {"integer": "INTEGER", "text": "TEXT", "real": "REAL"}


def export(path: Path, seed: int = 1, n_rows: int = 200) -> Path:
    """A sound export with rows in every table that is read, many much alike, else random."""
    source = random.Random(seed)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA page_size = 1024")
        for table, columns in [*TABLES.values(), ("OSRT_API", _thread_columns())]:
            names = ", ".join(f'"{name}" {_DECLARED[kind]}' for name, kind in columns.items())
            key = "(id INTEGER PRIMARY KEY, value TEXT)" if table == "StringIds" else f"({names})"
            connection.execute(f'CREATE TABLE "{table}" {key}')
            marks = ", ".join("?" * len(columns))
            rows = [tuple(_values(columns, n, source)) for n in range(n_rows // 5)]
            rows += [_later(columns, n, rows[n % 2]) for n in range(n_rows // 5, n_rows)]
            connection.executemany(f'INSERT INTO "{table}" VALUES ({marks})', rows)
        connection.commit()
    return path


def _later(columns: dict[str, Kind], n: int, row: tuple[object, ...]) -> tuple[object, ...]:
    """The row again at another time: rows that are much alike are read together."""
    moved = {"id": n, "start": 1000 * n, "timestamp": 1000 * n, "end": 1000 * n + 500}
    return tuple(moved.get(name, value) for name, value in zip(columns, row, strict=True))


def _thread_columns() -> dict[str, Kind]:
    return {"start": "integer", "end": "integer", "globalTid": "integer", **DETAILS}


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


def damage(data: bytes, source: random.Random, page: int = 1024) -> bytes:
    """The same file with a few things wrong: bytes, page headers, pages, its end."""
    hurt = bytearray(data)
    for _ in range(source.randint(1, 6)):
        place = source.random()
        if place < 0.5:
            hurt[source.randrange(len(hurt))] = source.choice(_ODD)
        elif place < 0.8:
            hurt[source.randrange(len(hurt) // page) * page + source.randrange(40)] = source.choice(
                _ODD
            )
        elif place < 0.95:
            one, other = (source.randrange(len(hurt) // page) * page for _ in range(2))
            hurt[one : one + page] = hurt[other : other + page]
        elif len(hurt) > 4 * page:
            del hurt[source.randrange(2 * page, len(hurt)) :]
    return bytes(hurt)


def read_all(path: Path) -> str:
    """How reading every table ends: sound, damaged, or refused."""
    try:
        with Database(path) as database:
            for table, columns in [*TABLES.values(), ("OSRT_API", _thread_columns())]:
                for _ in database.batches(table, columns):
                    pass
            return "damaged" if database.problems else "sound"
    except TwError:
        return "refused"


def import_one(path: Path, db: Path) -> str:
    """How the import ends; a failure of the database is no sentence of ours."""
    (outcome,) = pipeline.import_paths(
        [path], db=db, options=pipeline.Options(format="nsys", on_duplicate="replace")
    )
    if outcome.error is None:
        return "imported"
    assert "could not be decoded" not in outcome.error.message, outcome.error
    assert "could not be stored" not in outcome.error.message, outcome.error
    return "import refused"


def run(
    seed: int, count: int, folder: Path, files: Sequence[Path] = (), *, import_every: int = 0
) -> Counter[str]:
    """Reads so many damaged files; raises what is no TwError, and leaves `damaged.sqlite` then."""
    source = random.Random(seed)
    whole = [path.read_bytes() for path in files] or [export(folder / "whole.sqlite").read_bytes()]
    ends: Counter[str] = Counter()
    hurt = folder / "damaged.sqlite"
    for n in range(count):
        hurt.write_bytes(damage(source.choice(whole), source))
        ends[read_all(hurt)] += 1
        if import_every and n % import_every == 0:
            ends[import_one(hurt, folder / "w.duckdb")] += 1
    hurt.unlink(missing_ok=True)
    return ends


def main() -> None:
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    folder = Path(tempfile.mkdtemp(prefix="fuzz_nsys-"))
    ends = run(seed, count, folder, [Path(name) for name in sys.argv[3:]], import_every=100)
    sys.stdout.write(f"{dict(ends)} in {folder}\n")


if __name__ == "__main__":
    main()
