"""Damaged files end in success with problems reported, or in one error; the warehouse is whole."""

from __future__ import annotations

import gzip
import os
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.fuzz import imports, readers
from tests.fuzz.family import families
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


def check(contents: Sequence[bytes], folder: Path) -> None:
    """Imports documents together; raises what breaks a rule of the fuzz driver."""
    imports.run(families()["kineto"], [{"t.json": content} for content in contents], folder)


def test_a_file_cut_anywhere_is_read_or_refused(tmp_path: Path) -> None:
    family = families()["kineto"]
    cuts = [TRACE[: len(TRACE) * n // 32] for n in range(32)]
    for content in cuts + [ZIPPED[: len(ZIPPED) * n // 32] for n in range(32)]:
        assert readers.run(family, {"t.json": content}, tmp_path)


@pytest.mark.slow
def test_flipped_bits_are_repaired_or_refused(tmp_path: Path) -> None:
    check([flipped(TRACE, seed) for seed in range(5)], tmp_path)
    check([flipped(ZIPPED, seed) for seed in range(3)], tmp_path)


@pytest.mark.slow
def test_cuts_and_flips_of_each_recording(tmp_path: Path) -> None:
    recordings = sorted(DATA.rglob("*.json.gz"))
    for stored in (ZIPPED, *(path.read_bytes() for path in recordings)):
        content = gzip.decompress(stored)
        check([content[: len(content) * n // 8] for n in range(8)], tmp_path)
        check([stored[: len(stored) * n // 8] for n in range(8)], tmp_path)
        check([flipped(content, seed) for seed in range(8)], tmp_path)
        check([flipped(stored, seed) for seed in range(8)], tmp_path)


@pytest.mark.integration
def test_damaged_files_in_one_warehouse_leave_it_whole(tmp_path: Path) -> None:
    files = tmp_path / "in"
    files.mkdir()
    for seed in range(3):
        (files / f"{seed}.json").write_bytes(flipped(TRACE, 1000 + seed))

    outcomes = import_paths([files], db=tmp_path / "w.duckdb")

    n_imported = sum(outcome.status == "imported" for outcome in outcomes)
    with database.Reader(tmp_path / "w.duckdb") as reader:
        assert database.one(reader.connection, "SELECT count(*) FROM trace") == (n_imported,)


@pytest.mark.parametrize("name", ["cut.json.gz", *map(slow, ("noise", "cut.json", "empty.json"))])
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
        assert (ran.returncode, "truncated" in ran.stderr) == (6, True), ran.stderr
    else:
        assert ran.returncode == 1
        assert [line.split(":")[0] for line in ran.stderr.splitlines()] == ["Error", "Hint"]
        assert [path.name for path in tmp_path.iterdir()] == [name]
