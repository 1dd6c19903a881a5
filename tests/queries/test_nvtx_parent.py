"""The range around each NVTX range, beside all pairs of ranges in plain Python."""

from __future__ import annotations

import random

import duckdb
import pytest

from warehouse.library import library

Range = tuple[int, int, int, int]  # id, thread, start, end


def random_ranges(chooser: random.Random) -> list[Range]:
    """Nested, crossing, equal and empty ranges of three threads, of nanoseconds to decades."""
    span = chooser.choice([5, 30, 1000, 10**12, 2**61])
    base = chooser.choice([0, -span, -span // 2])
    ranges: list[Range] = []
    for number in range(chooser.randint(1, 60)):
        start = base + chooser.randrange(span)
        if ranges and chooser.random() < 0.2:
            start = chooser.choice(ranges)[2]
        power = 2 ** chooser.randrange(1, span.bit_length())
        length = chooser.choice(
            [0, 1, power, chooser.randrange(span), chooser.randrange(span) // 8]
        )
        end = chooser.choice(ranges)[3] if ranges and chooser.random() < 0.1 else start + length
        ranges.append((number, chooser.choice([1, 1, 2, -3]), start, max(start, end)))
    chooser.shuffle(ranges)
    return ranges


def parents(ranges: list[Range]) -> dict[int, int]:
    """The shortest range around each; of equally long ones the last to begin, then to be stored."""
    found = {}
    for number, thread, start, end in ranges:
        around = [
            (e - s, -s, -n)
            for n, t, s, e in ranges
            if t == thread and s <= start and e >= end and (n < number or (s, e) != (start, end))
        ]
        if around:
            found[number] = -min(around)[2]
    return found


@pytest.mark.parametrize("seed", range(40))
def test_the_parent_is_the_shortest_range_around(seed: int) -> None:
    ranges = random_ranges(random.Random(seed))
    queries = library.load()
    query, extent = queries.find("nvtx_parent"), queries.find("annotation_extent").key
    with duckdb.connect() as connection:
        columns = ("slice_id", "thread_key", "start_ns", "end_ns")
        connection.execute(f"CREATE TABLE r ({', '.join(f'{name} BIGINT' for name in columns)})")
        connection.executemany("INSERT INTO r VALUES (?, ?, ?, ?)", ranges)
        connection.execute(f'CREATE MACRO "{extent}"() AS TABLE FROM r')
        connection.execute("CREATE VIEW whole_annotation AS SELECT slice_id, NULL AS style FROM r")
        connection.execute(query.macro(temp=True))
        rows = connection.execute(f'FROM "{query.key}"(false)').fetchall()
    assert dict(rows) == parents(ranges)
