"""Damaged files end in success with problems told, or in one sentence; the warehouse is whole."""

from __future__ import annotations

import gzip
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.importers import fuzz_trace_event as fuzzer
from tests.support.sharing import slow
from warehouse.ingest.pipeline import import_paths
from warehouse.store import database

DATA = Path(__file__).parents[1] / "data" / "kineto"
TRACE = (DATA / "gpu_handwritten" / "trace.json").read_bytes()
ZIPPED = gzip.compress(TRACE, mtime=0)
SMALL = TRACE[:2600]  # its first events, cut within one


def flipped(data: bytes, seed: int) -> bytes:
    chosen, flipped = random.Random(seed), bytearray(data)
    for _ in range(chosen.choice((1, 1, 3, 8))):
        flipped[chosen.randrange(len(flipped))] ^= 1 << chosen.randrange(8)
    return bytes(flipped)


def test_a_file_cut_anywhere_is_read_or_refused(tmp_path: Path) -> None:
    for n in range(4):
        assert fuzzer.run(TRACE[: len(TRACE) * n // 4], tmp_path)
    for n in range(1, 3):
        assert fuzzer.run(ZIPPED[: len(ZIPPED) * n // 3], tmp_path)


@pytest.mark.integration
def test_flipped_bits_are_repaired_or_refused(tmp_path: Path) -> None:
    for seed in range(5):
        assert fuzzer.run(flipped(TRACE, seed), tmp_path)
    for seed in range(3):
        assert fuzzer.run(flipped(ZIPPED, seed), tmp_path)


@pytest.mark.integration
def test_mutated_documents_break_no_rule() -> None:
    results, bad = fuzzer.fuzz(seed=1, count=5)

    assert bad == [], results


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_very_many_mutated_documents_break_no_rule(seed: int) -> None:
    results, bad = fuzzer.fuzz(seed=100 + seed, count=2500)

    assert bad == [], results


@pytest.mark.slow
def test_every_cut_and_two_hundred_flips_of_each_recording(tmp_path: Path) -> None:
    recordings = sorted(DATA.rglob("*.json.gz"))
    for stored in (ZIPPED, *(path.read_bytes() for path in recordings)):
        content = gzip.decompress(stored)
        for n in range(64):
            fuzzer.run(content[: len(content) * n // 64], tmp_path)
            fuzzer.run(stored[: len(stored) * n // 64], tmp_path)
        for seed in range(100):
            fuzzer.run(flipped(content, seed), tmp_path)
            fuzzer.run(flipped(stored, seed), tmp_path)


def test_damaged_files_in_one_warehouse_leave_it_whole(tmp_path: Path) -> None:
    files = tmp_path / "in"
    files.mkdir()
    for seed in range(3):
        (files / f"{seed}.json").write_bytes(flipped(TRACE, 1000 + seed))

    outcomes = import_paths([files], db=tmp_path / "w.duckdb")

    n_imported = sum(outcome.status == "imported" for outcome in outcomes)
    with database.Reader(tmp_path / "w.duckdb") as reader:
        assert database.one(reader.connection, "SELECT count(*) FROM trace") == (n_imported,)


@pytest.mark.parametrize("name", ["cut.json.gz", "noise", *map(slow, ("cut.json", "empty.json"))])
def test_the_command_says_one_sentence(tmp_path: Path, name: str) -> None:
    content = {
        "cut.json": SMALL, "cut.json.gz": ZIPPED[:900], "empty.json": b"",
        "noise": random.Random(1).randbytes(5000),
    }  # fmt: skip
    (tmp_path / name).write_bytes(content[name])

    ran = subprocess.run(
        [sys.executable, "-c", "from warehouse.cli import main; main()", "import", name],
        cwd=tmp_path, capture_output=True, text=True, timeout=20,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
    )  # fmt: skip

    assert ran.stdout == ""
    if name.startswith("cut"):
        assert (ran.returncode, "truncated" in ran.stderr) == (0, True), ran.stderr
    else:
        assert ran.returncode == 1
        assert [line.split(":")[0] for line in ran.stderr.splitlines()] == ["Error", "Hint"]
        assert [path.name for path in tmp_path.iterdir()] == [name]
