"""Edits of length-delimited protobuf streams by their messages and fields, however deep."""

from __future__ import annotations

import random

from tests.fuzz import edit_bytes
from tests.fuzz.edit_bytes import NUMBERS
from tests.support.chakra_wire import varint

_VARINT, _FIXED_64, _BYTES, _FIXED_32 = 0, 1, 2, 5
_DEEPEST = 6
#: A field: its number, its wire type and its content; a varint is a number.
Field = tuple[int, int, int | bytes]


def edit(data: bytes, rng: random.Random, other: bytes) -> bytes:
    """The stream with one edit; `other` is a stream that messages and fields are taken from."""
    messages = _messages(data)
    if not messages:
        return edit_bytes.edit(data, rng, other)
    at, kind = rng.randrange(len(messages)), rng.randrange(10)
    if kind == 0:
        del messages[at]
    elif kind == 1:
        messages.insert(at, messages[at])
    elif kind == 2:
        messages.insert(at, rng.choice(_messages(other) or [b""]))
    elif kind == 3:
        swapped = rng.randrange(len(messages))
        messages[at], messages[swapped] = messages[swapped], messages[at]
    elif kind == 4:
        return _with_wrong_length(messages, at, rng)
    else:
        messages[at] = _changed(messages[at], rng, rng.choice(_messages(other) or [b""]), 0)
    return b"".join(varint(len(each)) + each for each in messages)


def _with_wrong_length(messages: list[bytes], at: int, rng: random.Random) -> bytes:
    lengths = [varint(len(each)) for each in messages]
    number = rng.choice((*NUMBERS, len(messages[at]) + 1, len(messages[at]) - 1))
    lengths[at] = varint(number % (1 << 64)) if rng.random() < 0.8 else b"\xff" * 11
    return b"".join(n + each for n, each in zip(lengths, messages, strict=True))


def _changed(message: bytes, rng: random.Random, other: bytes, depth: int) -> bytes:
    """The message with one of its fields, or of a message in it, changed."""
    found = fields(message)
    if not found:
        return edit_bytes.edit(message, rng, other)
    at, kind = rng.randrange(len(found)), rng.randrange(12)
    number, wire, content = found[at]
    if kind == 0:
        del found[at]
    elif kind == 1:
        found.insert(at, found[at])
    elif kind == 2:
        found[at] = (rng.choice((0, 1, 2, 3, 5, 9, 15, 16, 100, 1 << 28)), wire, content)
    elif kind == 3:
        found[at] = (number, rng.randrange(8), content)
    elif kind == 4:
        found.insert(at, rng.choice(fields(other) or found))
    elif isinstance(content, int):
        found[at] = (number, wire, rng.choice(NUMBERS) % (1 << 64))
    elif wire == _BYTES and depth < _DEEPEST and rng.random() < 0.6 and fields(content):
        found[at] = (number, wire, _changed(content, rng, other, depth + 1))
    else:
        found[at] = (number, wire, edit_bytes.edit(content, rng, other))
    return b"".join(_encoded(field) for field in found)


def _messages(data: bytes) -> list[bytes]:
    """The messages of a stream, as far as their lengths are sound."""
    found, at = [], 0
    while at < len(data):
        size, begin = _read_varint(data, at)
        if size is None or begin + size > len(data):
            break
        found.append(data[begin : begin + size])
        at = begin + size
    return found


def fields(message: bytes) -> list[Field]:
    """The fields of a message; none if it is not one."""
    found: list[Field] = []
    at = 0
    while at < len(message):
        key, at = _read_varint(message, at)
        if key is None or not key >> 3:
            return []
        content: int | bytes | None
        if key & 7 == _VARINT:
            content, at = _read_varint(message, at)
        elif key & 7 == _BYTES:
            size, begin = _read_varint(message, at)
            at = begin + (size or 0)
            content = None if size is None or at > len(message) else message[begin:at]
        else:
            size = {_FIXED_64: 8, _FIXED_32: 4}.get(key & 7)
            content = message[at : at + size] if size else None
            at += size or 0
        if content is None:
            return []
        found.append((key >> 3, key & 7, content))
    return found


def _encoded(field: Field) -> bytes:
    number, wire, content = field
    key = varint(number << 3 | wire)
    if isinstance(content, int):
        return key + varint(content)
    return key + (varint(len(content)) if wire == _BYTES else b"") + content


def _read_varint(data: bytes, at: int) -> tuple[int | None, int]:
    value = 0
    for n, byte in enumerate(data[at : at + 10]):
        value |= (byte & 0x7F) << 7 * n
        if byte < 0x80:
            return value, at + n + 1
    return None, at
