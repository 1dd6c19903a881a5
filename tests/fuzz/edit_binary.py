"""Edits of other binary formats by their fields: blocks of TPU captures, pickles, archives."""

from __future__ import annotations

import pickletools
import random
import struct
import zlib
from functools import lru_cache

from tests.fuzz import edit_bytes, edit_json, edit_text
from tests.fuzz.edit_bytes import NUMBERS

_TAR_BLOCK = 512
_ZIP_SIGNS = (b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06")


def edit_block(data: bytes, rng: random.Random, other: bytes) -> bytes:
    """A file of blocks (kind, length, content) with one edit; texts beside them line by line."""
    if data[:1] in (b"[", b"{"):
        return edit_json.edit(data, rng, other)
    blocks = _blocks(data)
    if not blocks:
        return edit_text.edit(data, rng, other)
    at, how = rng.randrange(len(blocks)), rng.randrange(9)
    kind, content = blocks[at]
    if how == 0:
        del blocks[at]
    elif how == 1:
        blocks.insert(at, blocks[rng.randrange(len(blocks))])
    elif how == 2:
        blocks[at] = (rng.randrange(20), content)
    elif how == 3 and (others := _blocks(other)):
        blocks.insert(at, rng.choice(others))
    elif how == 4:
        begin = sum(8 + len(each) for _, each in blocks[:at])
        header = struct.pack("<II", kind, rng.choice(NUMBERS) % (1 << 32))
        return data[:begin] + header + data[begin + 8 :]
    elif how == 5 and len(content) > 4:
        blocks[at] = (kind, content[: rng.randrange(len(content))])
    else:
        blocks[at] = (kind, edit_bytes.write_number(content or b"\0", rng, other))
    return b"".join(struct.pack("<II", kind, len(each)) + each for kind, each in blocks)


def _blocks(data: bytes) -> list[tuple[int, bytes]]:
    """The blocks of a file; none if it does not consist of whole ones."""
    found, at = [], 0
    while at + 8 <= len(data):
        kind, size = struct.unpack_from("<II", data, at)
        if at + 8 + size > len(data):
            return []
        found.append((kind, data[at + 8 : at + 8 + size]))
        at += 8 + size
    return found if at == len(data) else []


def edit_pickle(data: bytes, rng: random.Random, other: bytes) -> bytes:
    """A pickle with one of its instructions dropped, repeated, moved or of another value."""
    places = _places(data)
    if len(places) < 4:
        return edit_bytes.edit(data, rng, other)
    n = rng.randrange(len(places) - 1)
    begin, end = places[n], places[n + 1]
    how = rng.randrange(32)
    if how > 7:
        return _set_values(data, rng, 1 if how > 10 else rng.randrange(3, 15))
    if how == 0:
        return data[:begin] + data[end:]
    if how == 1:
        return data[:end] + data[begin:end] + data[end:]
    if how == 2:
        to = rng.choice(places)
        return data[:to] + data[begin:end] + data[to:]
    if how == 3 and len(others := _places(other)) > 1:
        m = rng.randrange(len(others) - 1)
        return data[:begin] + other[others[m] : others[m + 1]] + data[end:]
    if how < 6:
        return data[:begin] + rng.choice(_INSTRUCTIONS) + data[end:]
    return data[:begin] + edit_bytes.overwrite(data[begin:end], rng, other) + data[end:]


def _set_values(data: bytes, rng: random.Random, count: int) -> bytes:
    """The pickle with other values in place of numbers or None, and other texts: sound still."""
    places = _instructions(data)
    chosen = [n for n, (name, _) in enumerate(places[:-1]) if name in _NUMBERS | _TEXTS]
    for n in sorted(rng.sample(chosen, min(count, len(chosen))), reverse=True):
        # A text may be a key, which nothing but a text can be.
        value = rng.choice(_VALUES if places[n][0] in _NUMBERS else _NAMES)
        data = data[: places[n][1]] + value + data[places[n + 1][1] :]
    return data


@lru_cache(maxsize=64)
def _instructions(data: bytes) -> tuple[tuple[str, int], ...]:
    """The instructions of a pickle and where they begin, as far as it is sound."""
    found = []
    try:
        for instruction, _, at in pickletools.genops(data):
            found.append((instruction.name, at or 0))
    except Exception:  # noqa: BLE001 - whatever it finds wrong with a damaged one
        pass
    return tuple(found)


def _places(data: bytes) -> list[int]:
    return [at for _, at in _instructions(data)]


_NUMBERS = {"INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "NONE", "NEWTRUE", "BINFLOAT"}
_TEXTS = {"UNICODE", "BINUNICODE", "SHORT_BINUNICODE"}
_NAMES = (
    b"X\0\0\0\0", b"X\1\0\0\0x", b"X\6\0\0\0blocks", b"X\5\0\0\0alloc", b"X\4\0\0\0free",
    b"X\4\0\0\0size", b"X\7\0\0\0address", b"X\6\0\0\0frames", b"X\6\0\0\0action",
)  # fmt: skip
#: Instructions that push one value.
_VALUES = (
    b"N", b"\x88", b"]", b"}", b")", b"K\xff", b"J\xff\xff\xff\x7f", b"J\xff\xff\xff\xff",
    b"\x8a\x08" + b"\xff" * 7 + b"\x7f", b"\x8a\x08" + bytes(7) + b"\x80", b"\x8a\x00",
    b"\x8a\x09" + b"\xff" * 8 + b"\x00", b"\x8a\x0c" + b"\x7f" * 12, b"G\x7f\xf0" + bytes(6),
    b"G\x7f\xf8" + bytes(6), b"G?\xf8" + bytes(6), b"X\0\0\0\0", b"X\1\0\0\0x", b"C\1a",
    b"X\3\0\0\0\xed\xa0\x80", b"X\6\0\0\0blocks", b"X\5\0\0\0alloc", b"X\4\0\0\0free",
    b"L-9223372036854775808L\n", b"I01\n", b"K\1K\2\x86", b"]K\1a", b"}X\1\0\0\0aNs",
)  # fmt: skip


_INSTRUCTIONS = (
    b"N", b"K\xff", b"J\xff\xff\xff\x7f", b"\x8a\x08" + b"\xff" * 7 + b"\x7f",
    b"\x8a\x09" + b"\xff" * 9,
    b"\x8a\x08" + bytes(7) + b"\x80", b"\x8a\x00", b"G\x7f\xf0" + bytes(6), b"G\x7f\xf8" + bytes(6),
    b"\x88", b"]", b"}", b")", b"(", b"0", b"2", b"t", b"l", b"d", b"a", b"e", b"s", b"u", b".",
    b"\x94", b"h\0", b"h\xff", b"j\xff\xff\xff\xff", b"q\0", b"X\x01\0\0\0\xff",
    b"X\xff\xff\xff\xff",
    b"\x8c\0", b"C\x01a", b"cos\nsystem\n", b"R", b"b", b"\x81", b"\x93",
    b"I99999999999999999999\n",
    b"F1e400\n", b"L-9223372036854775808L\n", b"V\\ud800\n", b"S'a'\n", b"\x80\x09", b"Q", b"P1\n",
    b"\x95" + b"\xff" * 8, b"\x85", b"\x86", b"\x87", b"\x8f", b"\x90", b"\x91", b"\x96" + bytes(8),
)  # fmt: skip


def edit_archive(data: bytes, rng: random.Random, other: bytes) -> bytes:
    """An archive or gzip stream with one field of its headers changed, or its content."""
    if data[:2] == b"\x1f\x8b":
        return _edit_gzip(data, rng, other)
    signs = [sign for sign in _ZIP_SIGNS if sign in data]
    if signs:
        return _edit_zip(data, rng, rng.choice(signs))
    return _edit_tar(data, rng)


def _edit_gzip(data: bytes, rng: random.Random, other: bytes) -> bytes:
    how = rng.randrange(4)
    if how == 0:  # the header, or the checksum and size at the end
        at = rng.choice((*range(10), *range(len(data) - 8, len(data)))) % len(data)
        return data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]
    if how == 1:
        return data + rng.choice((b"\0" * 20, b"x", data, other, data[: rng.randrange(len(data))]))
    try:
        content = zlib.decompress(data, 31)
    except zlib.error:
        return edit_bytes.edit(data, rng, other)
    if how == 2:
        content = edit_json.edit(content, rng, content)
    squeezer = zlib.compressobj(rng.choice((0, 1, 9)), wbits=31)
    return squeezer.compress(content) + squeezer.flush(
        rng.choice((zlib.Z_FINISH, zlib.Z_SYNC_FLUSH))
    )


def _edit_zip(data: bytes, rng: random.Random, sign: bytes) -> bytes:
    """A field of one of the headers: versions, flags, method, sizes, lengths, offsets."""
    starts, at = [], -1
    while (at := data.find(sign, at + 1)) >= 0:
        starts.append(at)
    begin = rng.choice(starts) + 4 + 2 * rng.randrange(21)
    size = rng.choice((2, 4))
    number = (rng.choice(NUMBERS) % (1 << 8 * size)).to_bytes(size, "little")
    return data[:begin] + number + data[begin + size :]


def _edit_tar(data: bytes, rng: random.Random) -> bytes:
    """A field of a header, with its checksum set right again."""
    headers = [
        at for at in range(0, len(data), _TAR_BLOCK) if data[at + 257 : at + 262] == b"ustar"
    ]
    if not headers:
        return edit_bytes.edit(data, rng, data)
    at = rng.choice(headers)
    header = bytearray(data[at : at + _TAR_BLOCK].ljust(_TAR_BLOCK, b"\0"))
    begin, size = rng.choice(
        ((0, 100), (100, 8), (124, 12), (136, 12), (156, 1), (157, 100), (345, 155))
    )
    odd = (b"7" * size, b"\xff" * size, b"\x80" + b"\xff" * (size - 1))
    text = rng.choice((*odd, b"", b"\0", b"-1", b"../x", b"/etc/x", b"L", b"S", b"x", b"1"))
    header[begin : begin + size] = text[:size].ljust(size, b"\0")
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return data[:at] + bytes(header) + data[at + _TAR_BLOCK :]
