"""Draws demo.svg: one training step of the recording of `tw demo`, from a query.

python docs/make_picture.py
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import NamedTuple

from warehouse.ingest import pipeline
from warehouse.query import execute
from warehouse.store import database

PICTURE = Path(__file__).with_name("demo.svg")
WIDTH, LEFT, RIGHT, ROW, GAP = 960, 130, 14, 17, 12
MAX_DEPTH = 5
COLOURS = ("#8fb4d9", "#b5d3ee", "#a8d5a2", "#cfe8b9", "#e6cf8b", "#f4e3ac", "#d9bfa9", "#cdb8dc")
COMMUNICATION = "#f0837f"

#: The slices of the second recorded step; times are relative to the step's start on each rank.
QUERY = """
SELECT
  t.rank,
  k.name AS thread,
  s.depth - coalesce(b.depth, 0) AS depth,
  s.name,
  s.ts - w.ts AS start_ns,
  s.dur,
  c.slice_id IS NOT NULL AS is_communication
FROM slice AS s
JOIN trace AS t ON t.id = s.trace_id
JOIN track AS k ON k.id = s.track_id
JOIN (SELECT trace_id, ts, dur FROM step WHERE number = 4) AS w ON w.trace_id = s.trace_id
LEFT JOIN (SELECT track_id, min(depth) AS depth FROM slice GROUP BY track_id) AS b
  ON b.track_id = s.track_id
LEFT JOIN collective AS c ON c.slice_id = s.id
WHERE s.ts >= w.ts AND s.ts + s.dur <= w.ts + w.dur
  AND s.category IN ('cpu_op', 'user_annotation')
ORDER BY t.rank, k.name NOT LIKE '%python%', k.name, depth, start_ns
"""


class Slice(NamedTuple):
    rank: int
    thread: str
    depth: int
    name: str
    start_ns: int
    dur_ns: int
    is_communication: bool


def read() -> list[Slice]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "w.duckdb"
        recording = Path(pipeline.__file__).parent / "demo_data"
        pipeline.import_paths([recording], db=path, options=pipeline.Options(jobs=1))
        with database.Reader(path) as reader:
            return [Slice(*row) for row in execute.run(reader.connection, QUERY).rows()]


def draw(slices: list[Slice]) -> Iterator[str]:
    span = max(each.start_ns + each.dur_ns for each in slices)
    scale = (WIDTH - LEFT - RIGHT) / span
    lanes: dict[tuple[int, str], list[Slice]] = {}
    for each in slices:
        lanes.setdefault((each.rank, each.thread), []).append(each)
    y = 34
    body = []
    for (rank, thread), mine in lanes.items():
        shown = [each for each in mine if each.depth < MAX_DEPTH and each.dur_ns * scale >= 0.7]
        short = thread.partition("(")[2].rstrip(")") or thread
        body.append(f'<text x="8" y="{y + 12}" class="t">rank {rank} {escape(short)}</text>')
        body += [box(each, y, scale) for each in shown]
        y += ROW * (1 + max((each.depth for each in shown), default=0)) + GAP
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" '
        'font-family="system-ui, sans-serif" font-size="10.5">'
        "<style>.t{fill:#222}.n{fill:#222;font-size:9.5px}.g{stroke:#ddd}</style>"
        f'<rect width="{WIDTH}" height="{y}" fill="#fff"/>'
    )
    for tick_ns in range(0, span - 2_000_000, 5_000_000):
        x = LEFT + tick_ns * scale
        yield f'<line x1="{x:.1f}" y1="20" x2="{x:.1f}" y2="{y}" class="g"/>'
        yield f'<text x="{x + 2:.1f}" y="16" class="t">{tick_ns // 1_000_000} ms</text>'
    yield from body
    yield "</svg>\n"


def box(each: Slice, y: int, scale: float) -> str:
    x, width = LEFT + each.start_ns * scale, max(each.dur_ns * scale, 0.7)
    top = y + each.depth * ROW
    colour = COLOURS[sum(each.name.encode()) % len(COLOURS)]
    colour = COMMUNICATION if each.is_communication else colour
    parts = [
        f'<rect x="{x:.1f}" y="{top}" width="{width:.1f}" height="{ROW - 1}" fill="{colour}"/>'
    ]
    room = int((width - 6) / 5.4)
    if room >= 4:
        text = each.name if len(each.name) <= room else each.name[: room - 1] + "…"
        parts.append(f'<text x="{x + 3:.1f}" y="{top + 12}" class="n">{escape(text)}</text>')
    return "".join(parts)


if __name__ == "__main__":
    PICTURE.write_text("\n".join(draw(read())), encoding="utf-8")
