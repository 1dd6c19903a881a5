"""Imports that the disk cannot hold are refused before they are read; small ones never are."""

from __future__ import annotations

import gzip
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.conftest import Tw
from tests.ingest.test_import_atomic import n_slices, write_trace
from tests.support.disks import small_disk
from tests.support.sharing import KINETO, slow
from warehouse.ingest import pipeline, space
from warehouse.ingest.importer import DiskUse
from warehouse.ingest.sources import Source
from warehouse.ingest.space import Content

DISK_BYTES = 16 << 20
MB = 1_000_000
SMALL = KINETO / "gpu_handwritten" / "trace.json"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own, with room for a small trace."""
    with small_disk(tmp_path, DISK_BYTES) as folder:
        yield folder


def large(path: Path, n_bytes: int) -> Path:
    """A file that begins as Kineto's traces do; nobody reads further."""
    head = b'{"schemaVersion": 1, "traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "'
    with path.open("wb") as file:
        file.write(head)
        for _ in range(n_bytes // MB):
            file.write(b"x" * MB)
    return path


def zipped(path: Path, n_bytes: int) -> Path:
    """The same, compressed to a tenth."""
    noise = random.Random(1).randbytes(MB // 20).hex().encode()  # half of it is information
    block = noise + b"x" * (MB - len(noise))
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(b'{"schemaVersion": 1, "traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "')
        for _ in range(n_bytes // MB):
            file.write(block)
    return path


@pytest.mark.parametrize("write", [zipped, slow(large)])
def test_a_trace_that_the_disk_cannot_hold_is_refused_and_others_are_imported(
    tw: Tw, disk: Path, tmp_path: Path, write: Callable[[Path, int], Path]
) -> None:
    big = write(tmp_path / "big.json", 110 * MB)
    db = disk / "traces.duckdb"

    ran = tw("import", big, SMALL, "--db", db)

    assert ran.code == 5, ran
    (error,) = ran.errors
    assert f"{big} takes at least 22 MB of disk space" in error
    assert str(disk) in error
    assert "--db" in ran.err
    assert "1 of 2 imported" in ran.err
    assert sorted(disk.iterdir()) == [db]


def test_no_small_file_is_refused_however_full_the_disk_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=0))

    (done,) = pipeline.import_paths([SMALL], db=tmp_path / "traces.duckdb")

    assert done.status == "imported"


@pytest.mark.parametrize("n_bytes", [1 * MB, 9 * MB])
@pytest.mark.parametrize("name", ["plain", "gzip"])
def test_content_is_estimated_by_its_beginning_and_its_trailer(
    tmp_path: Path, n_bytes: int, name: str
) -> None:
    dense = random.Random(n_bytes).randbytes(n_bytes // 4).hex().encode()
    text = dense[: len(dense) // 2] + b" \n" * (n_bytes // 4) + dense[len(dense) // 2 :]
    path = tmp_path / "t.json"
    path.write_bytes(text if name == "plain" else gzip.compress(text, 1))

    found = Content.of(Source(path))

    assert found.n_bytes == len(text)
    assert found.n_stored == path.stat().st_size
    if n_bytes <= space._SAMPLE_BYTES:
        assert found.n_dense == len(dense)


def test_a_length_beyond_four_gib_is_nearest_to_the_estimate() -> None:
    for true in (10, 3 << 30, 5 << 30, 9_900_000_000):
        for estimate in (true, int(true * 0.9), int(true * 1.1)):
            found = space._exact(estimate, true % (1 << 32))
            assert found == (true if found <= 2 * estimate else 2 * estimate)
    assert space._exact(100, 4_000_000_000) == 200  # a trailer that is none


def test_what_is_copied_to_be_read_needs_its_size() -> None:
    use = DiskUse(peak=0.5, stored=0.1, copies_compressed=True)
    assert Content(n_stored=10, n_bytes=100, n_dense=80).at_peak(use) == 140
    assert Content(n_stored=100, n_bytes=100, n_dense=80).at_peak(use) == 40


@pytest.mark.slow
def test_a_disk_that_is_full_before_the_last_group_keeps_the_groups_before(
    tw: Tw, disk: Path, tmp_path: Path
) -> None:
    files = [tmp_path / f"rank{n}.json" for n in range(16)]  # two groups
    sizes = [write_trace(file, 2000 + n, seed=n) for n, file in enumerate(files)]
    (disk / "filler").write_bytes(bytes(7 << 20))
    db = disk / "traces.duckdb"

    ran = tw("import", "--jobs", "1", *files, "--db", db)

    assert ran.code == 3, ran
    assert ran.errors == [f"Error: {db} cannot be written: No space left on device"]
    assert ran.err.splitlines()[-1].startswith("Hint: What was imported stands")
    assert sorted(n_slices(db).values()) == sizes[:8]
    left = {path.name for path in disk.iterdir()}
    assert left - {"traces.duckdb.wal", "traces.duckdb.blocks"} == {"filler", "traces.duckdb"}
    (disk / "filler").unlink()
    assert tw("import", "-q", *files, "--db", db).code == 0
    assert sorted(n_slices(db).values()) == sizes
