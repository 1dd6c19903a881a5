"""Streams give all that can be had of a damaged file, say what they did, and refuse bombs."""

from __future__ import annotations

import gzip
import io
import random

import pytest

from warehouse.errors import CorruptTrace
from warehouse.ingest import streams
from warehouse.ingest.streams import TraceStream

TEXT = "".join(f"event {n * n}\n" for n in range(6000)).encode()
ZIPPED = gzip.compress(TEXT, mtime=0)


def read(stored: bytes, size: int = 1 << 16, **options: object) -> tuple[bytes, list[str]]:
    stream = TraceStream(io.BytesIO(stored), "t.json.gz", **options)  # type: ignore[arg-type]
    blocks = []
    while block := stream.read(size):
        assert len(block) <= size
        blocks.append(block)
    assert stream.n_content_bytes == sum(map(len, blocks))
    return b"".join(blocks), [problem.kind for problem in stream.problems]


@pytest.mark.parametrize("size", [1, 2, 3, 1000, 1 << 20])
def test_plain_and_gzip_bytes_come_out_equal(size: int) -> None:
    assert read(TEXT[:5000], size) == (TEXT[:5000], [])
    assert read(gzip.compress(TEXT[:5000]), size) == (TEXT[:5000], [])


@pytest.mark.parametrize("stored", [b"", b"\x1f", b"{", b"{}"])
def test_tiny_files_are_read(stored: bytes) -> None:
    assert read(stored, 1) == (stored, [])


def test_several_gzip_streams_in_a_row_are_one() -> None:
    assert read(ZIPPED + gzip.compress(b"more") + ZIPPED) == (TEXT + b"more" + TEXT, [])


def test_padding_behind_a_gzip_stream_is_nothing() -> None:
    assert read(ZIPPED + b"\0" * 500) == (TEXT, [])


def test_what_follows_a_gzip_stream_is_reported() -> None:
    assert read(ZIPPED + b"garbage") == (TEXT, ["trailing_bytes"])


@pytest.mark.parametrize("n_lost", [1, 4, 8, 9, 100, 5000])
def test_a_cut_gzip_gives_all_it_holds(n_lost: int) -> None:
    content, problems = read(ZIPPED[:-n_lost])

    assert TEXT.startswith(content)
    assert len(content) >= len(TEXT) * (len(ZIPPED) - n_lost - 300) // len(ZIPPED)
    assert n_lost > 9 or content == TEXT
    assert problems == ["truncated_gzip"]


def test_a_cut_gzip_is_refused_when_reading_strictly() -> None:
    with pytest.raises(CorruptTrace, match=r"t\.json\.gz: the gzip stream ends early at byte"):
        read(ZIPPED[:-10], is_strict=True)


def test_a_gzip_without_content_is_refused() -> None:
    with pytest.raises(CorruptTrace, match="ends early at byte 12"):
        read(ZIPPED[:12])


@pytest.mark.parametrize("seed", range(40))
def test_a_flipped_bit_never_hangs_or_escapes(seed: int) -> None:
    chosen = random.Random(seed)
    stored = bytearray(ZIPPED)
    stored[chosen.randrange(2, len(stored))] ^= 1 << chosen.randrange(8)

    try:
        content, problems = read(bytes(stored))
    except CorruptTrace as error:
        assert error.offset is not None
    else:
        assert problems or content == TEXT


def test_what_expands_beyond_measure_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "RATIO_FREE_BYTES", 100_000)
    bomb = gzip.compress(b" " * 1_000_000)

    with pytest.raises(CorruptTrace, match="expands more than 200 times"):
        read(bomb)
    assert len(read(bomb, max_bytes=2_000_000)[0]) == 1_000_000
    with pytest.raises(CorruptTrace, match="larger than 500,000 bytes"):
        read(bomb, max_bytes=500_000)


def test_progress_counts_stored_bytes() -> None:
    seen: list[int] = []

    read(ZIPPED, on_progress=seen.append)

    assert sum(seen) == len(ZIPPED)
