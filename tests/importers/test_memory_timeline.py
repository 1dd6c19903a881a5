"""Memory timelines of PyTorch's profiler: both forms, their totals, and damage."""

from __future__ import annotations

import gzip
import json
import random
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from tests.support.sharing import integration
from tw_importers.chrome import sniff as sniff_chrome
from tw_importers.kineto import sniff as sniff_kineto
from tw_importers.memory_timeline import sniff
from warehouse.ingest import pipeline
from warehouse.query import execute
from warehouse.store import database

RECORDED = Path(__file__).parents[1] / "data" / "memory_timeline" / "cpu_run"
NAMES = ["parameter", "optimizer_state", "input", "temporary", "activation", "gradient",
         "autograd_detail", None]  # fmt: skip
Row = dict[str, Any]
Raw = list[list[int]]


def rows(path: Path, query: str) -> list[Row]:
    with database.Reader(path) as reader:
        found: list[Row] = execute.run(reader.connection, query).table().to_pylist()
    return found


def imported(source: Path, db: Path, **options: Any) -> Path:
    (outcome,) = pipeline.import_paths([source], db=db, options=pipeline.Options(**options))
    assert outcome.error is None
    return db


def written(path: Path, document: object) -> Path:
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return path


def truth(raw: Raw) -> tuple[list[int], int, dict[str | None, int]]:
    """What is allocated after each row; the largest of it, and by category then."""
    total, most, held, at_peak = 0, 0, defaultdict[str | None, int](int), {}
    totals = []
    for _, _, size, category in raw:
        total += size
        held[NAMES[category]] += size
        totals.append(total)
        if total > most:
            most, at_peak = total, dict(held)
    return totals, most, {name: held for name, held in at_peak.items() if held}


def check(db: Path, raw: Raw) -> None:
    totals, most, by_category = truth(raw)
    first = min(time for time, *_ in raw if time >= 0)
    events = rows(db, "SELECT * FROM memory_event ORDER BY slice_id")
    assert [row["total_allocated_bytes"] for row in events] == totals
    assert [row["ts"] for row in events] == [max(time - first, 0) for time, *_ in raw]
    assert [(row["bytes"], row["category"]) for row in events] == [
        (size, NAMES[category]) for _, _, size, category in raw
    ]
    (peak,) = rows(db, "memory_peak")
    assert peak["peak_allocated_bytes"] == most
    found = {r["category"]: r["allocated_bytes"] for r in rows(db, "memory_peak_category")}
    assert {name: size for name, size in found.items() if size} == by_category
    over_time = {
        (row["ts"], row["category"]): row["allocated_bytes"]
        for row in rows(db, "memory_category_timeline")
        if row["allocated_bytes"]
    }
    assert over_time == by_time(raw, first)


def by_time(raw: Raw, first: int) -> dict[tuple[int, str | None], int]:
    """Bytes of each category after the last row of each time, in the order of times."""
    held: dict[str | None, int] = defaultdict(int)
    found: dict[tuple[int, str | None], int] = {}
    for time, _, size, category in sorted(raw, key=lambda row: max(row[0] - first, 0)):
        held[NAMES[category]] += size
        at = max(time - first, 0)
        found |= {(at, name): n_bytes for name, n_bytes in held.items()}
    return {key: n_bytes for key, n_bytes in found.items() if n_bytes}


def test_a_raw_timeline_of_pytorch_adds_up(tmp_path: Path) -> None:
    path = RECORDED / "timeline.raw.json.gz"

    check(imported(path, tmp_path / "w.duckdb"), json.loads(gzip.decompress(path.read_bytes())))


@pytest.mark.slow
def test_a_large_raw_timeline_of_a_gpu_adds_up(data_dir: Path, tmp_path: Path) -> None:
    path = data_dir / "kineto" / "memory_timeline" / "memory_timeline.raw.gz"

    check(imported(path, tmp_path / "w.duckdb"), json.loads(gzip.decompress(path.read_bytes())))


@pytest.mark.integration
def test_both_forms_of_one_recording_say_the_same(tmp_path: Path) -> None:
    raw = imported(RECORDED / "timeline.raw.json.gz", tmp_path / "raw.duckdb")
    other = imported(RECORDED / "timeline.json.gz", tmp_path / "other.duckdb")

    (raw_peak,), (peak,) = rows(raw, "memory_peak"), rows(other, "memory_peak")
    assert peak["peak_allocated_bytes"] == raw_peak["peak_allocated_bytes"]
    assert peak["last_allocated_bytes"] == raw_peak["last_allocated_bytes"]
    assert abs(peak["peak_ts"] - raw_peak["peak_ts"]) < 1000  # it counts microseconds
    assert [(r["category"], r["allocated_bytes"]) for r in rows(other, "memory_peak_category")] == [
        (r["category"], r["allocated_bytes"]) for r in rows(raw, "memory_peak_category")
    ]


def test_the_form_by_category_is_kept_as_counters(tmp_path: Path) -> None:
    path = RECORDED / "timeline.json.gz"
    times, sizes = json.loads(gzip.decompress(path.read_bytes()))
    db = imported(path, tmp_path / "w.duckdb")

    found = rows(
        db,
        "SELECT k.name, c.ts, c.value FROM counter AS c JOIN track AS k ON k.id = c.track_id "
        "ORDER BY c.id",
    )

    held = [n for n in range(8) if any(row[n + 1] for row in sizes)]
    assert [(row["name"], row["ts"], row["value"]) for row in found] == [
        (NAMES[n] or "unknown", (time - times[0]) * 1000, row[n + 1])
        for n in held
        for time, row in zip(times, sizes, strict=True)
    ]


def test_categories_over_time_are_those_of_the_form_by_category(tmp_path: Path) -> None:
    """PyTorch computes that form from the same recording."""
    times, sizes = json.loads(gzip.decompress((RECORDED / "timeline.json.gz").read_bytes()))
    db = imported(RECORDED / "timeline.raw.json.gz", tmp_path / "w.duckdb")
    (epoch,) = rows(db, "SELECT base_ns FROM trace")

    found: dict[int, dict[str | None, int]] = {}
    for row in rows(db, "memory_category_timeline"):  # later rows of a microsecond replace others
        moment = int((epoch["base_ns"] + row["ts"]) / 1000)  # as PyTorch rounds
        found.setdefault(moment, {})[row["category"]] = row["allocated_bytes"]

    theirs = {
        moment: {NAMES[n]: held for n, held in enumerate(row[1:]) if held}
        for moment, row in zip(times, sizes, strict=True)  # the last of a time
    }
    assert {
        moment: {name: held for name, held in by_name.items() if held}
        for moment, by_name in found.items()
    } == theirs


@pytest.mark.slow
def test_lists_are_read_across_blocks(tmp_path: Path) -> None:
    choice = random.Random(1)
    raw = [
        [10**18 + n, choice.randrange(1, 5), choice.randrange(-99, 99), choice.randrange(8)]
        for n in range(70_000)
    ]

    check(imported(written(tmp_path / "t.json", raw), tmp_path / "w.duckdb"), raw)


@pytest.mark.parametrize("space", ["\n  ", integration("")])
def test_any_layout_of_json_is_read(tmp_path: Path, space: str) -> None:
    raw = [[-1, 1, 5, 0], [10**18, 2, 7, 7], [10**18 + 3, 4, -5, 0]]
    text = json.dumps(raw, indent=2 if space else None)

    check(imported(written(tmp_path / "t.json", space + text + space), tmp_path / "w.duckdb"), raw)


def test_an_empty_timeline_is_an_error(tmp_path: Path) -> None:
    path = written(tmp_path / "t.json", "[]")
    db = tmp_path / "w.duckdb"

    (outcome,) = pipeline.import_paths([path], db=db)

    assert outcome.error is not None
    assert outcome.error.message == f"{path} has no events"


@pytest.mark.slow
def test_a_cut_timeline_counts_up_to_the_cut(tmp_path: Path) -> None:
    raw = [[10**18 + n, 2, n, 4] for n in range(100)]
    text = json.dumps(raw)
    for n in (60, 62, 1000):
        db = imported(written(tmp_path / f"{n}.json", text[:n]), tmp_path / f"{n}.duckdb")
        check(db, raw[: text[:n].count("]")])
        assert [row["kind"] for row in rows(db, "FROM import_problem")] == ["truncated"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[1000000000000000000, 2, 5, 4], [1, 2, 3, 4.5]]", "4 whole numbers at byte 32"),
        ("[[1000000000000000000, 2, 5, 4], [1, 2, 3]]", "4 whole numbers at byte"),
        ("[[1000000000000000000, 2, 5, 4], [1, 2, 3, 99999999999999999999]]", "whole numbers"),
        ("[[1000000000000, 1000000000001], [[0,1,2,3,4,5,6,7,8],[0,1]]]", "9 whole numbers"),
    ],
)
def test_what_is_no_timeline_is_refused_with_its_place(
    tmp_path: Path, text: str, message: str
) -> None:
    (outcome,) = pipeline.import_paths(
        [written(tmp_path / "t.json", text)], db=tmp_path / "w.duckdb"
    )

    assert outcome.error is not None and message in outcome.error.message


def test_flipped_bits_are_read_or_refused(tmp_path: Path) -> None:
    raw = gzip.decompress((RECORDED / "timeline.raw.json.gz").read_bytes())[:3000]
    for seed in range(4):
        choice, damaged = random.Random(seed), bytearray(raw)
        damaged[choice.randrange(64, len(raw))] ^= 1 << choice.randrange(8)
        path = tmp_path / f"{seed}.json"
        path.write_bytes(damaged)
        (outcome,) = pipeline.import_paths([path], db=tmp_path / "w.duckdb")
        assert outcome.error is None or "at byte" in outcome.error.message


def test_sniffing_is_unambiguous() -> None:
    raw = gzip.decompress((RECORDED / "timeline.raw.json.gz").read_bytes())
    other = gzip.decompress((RECORDED / "timeline.json.gz").read_bytes())
    for head in (raw, other):
        assert sniff(head, "x") == 95
        assert sniff_chrome(head, "x") == sniff_kineto(head, "x") == 0
    assert sniff(other[:200], "x") == 40  # nothing but times in sight
    for text in (b"[]", b'[{"ph": "X"}]', b'{"traceEvents": []}', b"[[1, 2], [3, 4]]", b""):
        assert sniff(text, "timeline.raw.json") == 0
