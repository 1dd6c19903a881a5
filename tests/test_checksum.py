"""The checksum of a file, computed while it is written."""

import hashlib
import os
from pathlib import Path

import pytest

from warehouse.checksum import BackgroundSha256


@pytest.mark.parametrize("n_pieces", [0, 1, 40])
def test_it_is_that_of_the_whole_file(tmp_path: Path, n_pieces: int) -> None:
    pieces = [os.urandom(n * 10_007 % 300_000) for n in range(n_pieces)]
    path = tmp_path / "file"
    with path.open("w+b", buffering=1 << 16) as file, BackgroundSha256(file) as checksum:
        for piece in pieces:
            file.write(piece)
    assert checksum.hex == hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_failure_to_read_is_raised(tmp_path: Path) -> None:
    raising = pytest.raises(OSError, match="Bad file descriptor")
    with raising, (tmp_path / "file").open("wb") as file, BackgroundSha256(file):
        file.write(b"text")


def test_a_failure_to_write_is_not_replaced(tmp_path: Path) -> None:
    raising = pytest.raises(KeyError, match="of the writer")
    with raising, (tmp_path / "file").open("w+b") as file, BackgroundSha256(file):
        raise KeyError("of the writer")
