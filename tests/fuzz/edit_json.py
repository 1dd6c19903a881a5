"""Edits of JSON by its tokens: values, keys, elements and brackets, found near a random place."""

from __future__ import annotations

import random
import re

from tests.fuzz.edit_bytes import NUMBERS

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[-+\d.eE]+|true|false|null|[\[\]{}:,]')
_SCALAR = re.compile(
    rb'(?<=[:,\[\s])\s*("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null)(?=[,\]}\s])'
)
_VALUE_OF_KEY = re.compile(rb'(?<=":)\s*("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null)')
_KEY = re.compile(rb'"((?:[^"\\]|\\.)*)"(?=\s*:)')
_OPENING = re.compile(rb"[\[{]")
_STRUCTURE = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}]')
_FARTHEST = 1 << 14  # where the end of an element is searched

VALUES = (
    *(str(number).encode() for number in NUMBERS),
    b"NaN", b"Infinity", b"-Infinity", b"-0", b"0.0", b"1e400", b"-1e400", b"1e-400", b"1e18",
    b"1.7976931348623157e308", b"0.0005", b"1234567.0000001", b"9" * 30, b"9" * 400, b"1.5",
    b"null", b"true", b"false", b"{}", b"[]", b"[[]]", b"[null]", b"[5]", b'["x"]', b'{"":1}',
    b'{"a":{"a":[{}]}}', b'[1,"a",null,{}]', b'""', b'"x"', b'"0x1"', b'"-1"', b'"1e999"',
    b'"\\ud800"', b'"\\udc00\\ud800"', b'"\\u0000"', b'"\\u0000\\u0001"', b'"\xff"', b'"\xc3\xa4"',
    b'"' + b"long " * 400 + b'"', b"[" * 1100 + b"]" * 1100, b'{"a":' * 600 + b"1" + b"}" * 600,
    b'"9223372036854775808"', b'"' + b"9" * 25 + b'"', b'"a\\nb"', b'"<1,2>"', b'"[[1],[2,"',
)  # fmt: skip
_RAW = (
    b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b"},{", b",,", b"\0", b"\xff", b"\xef\xbb\xbf",
    b"\r\n", b" ", b"//", b"5", b"null", b'"x"', b"[1]", b"{}",
)  # fmt: skip


def edit(data: bytes, rng: random.Random, other: bytes) -> bytes:
    """The document with one edit; `other` is a document that parts are taken from."""
    return rng.choice(_EDITS)(data, rng, other)


def _search(pattern: re.Pattern[bytes], data: bytes, rng: random.Random) -> re.Match[bytes] | None:
    return pattern.search(data, rng.randrange(len(data) + 1)) or pattern.search(data)


def set_value(data: bytes, rng: random.Random, other: bytes) -> bytes:
    pattern = rng.choice((_SCALAR, _VALUE_OF_KEY))
    if found := _search(pattern, data, rng):
        return data[: found.start(1)] + rng.choice(VALUES) + data[found.end(1) :]
    return data


def set_values(data: bytes, rng: random.Random, other: bytes) -> bytes:
    """Numbers and texts at their limits in many places, of which each has its own check."""
    for _ in range(rng.randrange(5, 25)):
        data = set_value(data, rng, other)
    return data


def take_value(data: bytes, rng: random.Random, other: bytes) -> bytes:
    """The value of another place or document."""
    found, source = _search(_SCALAR, data, rng), _search(_SCALAR, other, rng)
    if found and source:
        return data[: found.start(1)] + source[1] + data[found.end(1) :]
    return data


def set_key(data: bytes, rng: random.Random, other: bytes) -> bytes:
    """Another key: one of the document, or a new one."""
    found, source = _search(_KEY, data, rng), _search(_KEY, other, rng)
    if not found:
        return data
    name = source[1] if source and rng.random() < 0.7 else rng.choice((b"", b"x", b"\\u0000"))
    return data[: found.start(1)] + name + data[found.end(1) :]


def drop_token(data: bytes, rng: random.Random, other: bytes) -> bytes:
    if found := _search(_TOKEN, data, rng):
        return data[: found.start()] + data[found.end() :]
    return data


def repeat_token(data: bytes, rng: random.Random, other: bytes) -> bytes:
    if found := _search(_TOKEN, data, rng):
        return data[: found.end()] + found[0] + data[found.end() :]
    return data


def insert_token(data: bytes, rng: random.Random, other: bytes) -> bytes:
    if found := _search(_TOKEN, data, rng):
        return data[: found.end()] + rng.choice(_RAW) + data[found.end() :]
    return data + rng.choice(_RAW)


def replace_element(data: bytes, rng: random.Random, other: bytes) -> bytes:
    """An object or array by another value: a number among events, text for a list."""
    if span := _element(data, rng):
        return data[: span[0]] + rng.choice(VALUES) + data[span[1] :]
    return data


def take_element(data: bytes, rng: random.Random, other: bytes) -> bytes:
    """An object or array of another place or document."""
    span, source = _element(data, rng), _element(other, rng)
    if span and source:
        return data[: span[0]] + other[source[0] : source[1]] + data[span[1] :]
    return data


def repeat_element(data: bytes, rng: random.Random, other: bytes) -> bytes:
    if span := _element(data, rng):
        return data[: span[1]] + b"," + data[span[0] : span[1]] + data[span[1] :]
    return data


def drop_element(data: bytes, rng: random.Random, other: bytes) -> bytes:
    if span := _element(data, rng):
        end = span[1] + (data[span[1] : span[1] + 1] == b",")
        return data[: span[0]] + data[end:]
    return data


def add_member(data: bytes, rng: random.Random, other: bytes) -> bytes:
    """A member more in an object, perhaps with a key it has already."""
    found, source = _search(_OPENING, data, rng), _search(_KEY, data, rng)
    if not found or not source:
        return data
    member = b'"' + source[1] + b'":' + rng.choice(VALUES) + b","
    return data[: found.end()] + member + data[found.end() :]


def _element(data: bytes, rng: random.Random) -> tuple[int, int] | None:
    """Where an object or array near a random place begins and ends."""
    found = _search(_OPENING, data, rng)
    if not found:
        return None
    depth = 0
    for token in _STRUCTURE.finditer(data, found.start(), found.start() + _FARTHEST):
        depth += token[0] in b"{["
        depth -= token[0] in b"}]"
        if depth == 0:
            return found.start(), token.end()
    return None


_EDITS = (
    set_value, set_value, set_values, take_value, set_key, drop_token, repeat_token, insert_token,
    replace_element, replace_element, take_element, repeat_element, drop_element, add_member,
)  # fmt: skip
