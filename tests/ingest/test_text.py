"""Files in UTF-16 are read as if they were in UTF-8; all others come out byte for byte."""

from __future__ import annotations

import gzip
import io

import pytest

from warehouse.ingest.streams import TraceStream
from warehouse.ingest.text import utf8

TEXT = '{"traceEvents": [{"name": "é 𝄞 \u2028"}]}' * 50


def decoded(data: bytes, size: int) -> tuple[bytes, TraceStream]:
    stream = TraceStream(io.BytesIO(data), "t")
    reader = utf8(stream)
    blocks = list(iter(lambda: reader.read(size), b""))
    assert all(len(block) <= size for block in blocks)
    return b"".join(blocks), stream


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize("packed", [False, True])
def test_utf16_becomes_utf8(size: int, packed: bool) -> None:
    little, big = (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")
    for mark, name in (little, big, (b"", little[1]), (b"", big[1])):
        data = mark + TEXT.encode(name)
        content, stream = decoded(gzip.compress(data) if packed else data, size)

        assert content == TEXT.encode()
        assert stream.n_content_bytes == len(data)
        assert [(each.kind, each.severity) for each in stream.problems] == [("utf16", "note")]


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        b"",
        b"{",
        b"\xff\xfe",
        b"\xff\xfe\0\0binary",
        b"\xef\xbb\xbf{}",
        b"\n\0\x08\1",
        b"\x80\4\x95",
    ],
)
def test_other_content_is_unchanged(data: bytes, size: int) -> None:
    content, stream = decoded(data, size)

    assert content == data
    assert stream.n_content_bytes == len(data)
    assert not stream.problems


def test_a_character_cut_in_half_and_half_a_pair_are_reported() -> None:
    lone = "a\ud800b".encode("utf-16-le", "surrogatepass")

    content, stream = decoded(b"\xff\xfe" + lone + b"x", 2)

    assert content.decode() == "a\ufffdb\ufffd"
    assert [(each.kind, each.count) for each in stream.problems] == [
        ("utf16", 1), ("invalid_utf16", 1), ("truncated", 1)
    ]  # fmt: skip
