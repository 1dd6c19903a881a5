"""Edits of any bytes: cuts, flipped bits, moved and spliced ranges, values at the limits."""

from __future__ import annotations

import random

#: Whole numbers at the limits of their widths, and around what readers compare them with.
NUMBERS = tuple(
    dict.fromkeys(
        sign * (1 << bits) + off
        for bits in (0, 1, 4, 7, 8, 15, 16, 24, 31, 32, 48, 53, 62, 63, 64)
        for off in (-1, 0, 1)
        for sign in (1, -1)
    )
)
_BYTES = (0, 1, 2, 5, 8, 9, 10, 12, 13, 14, 34, 44, 63, 91, 92, 123, 127, 128, 129, 192, 254, 255)
_RANGES = (1, 1, 2, 4, 5, 16, 50, 200)


def edit(data: bytes, rng: random.Random, other: bytes) -> bytes:
    """The data with one edit; `other` is what is spliced in."""
    if not data:
        return other[: rng.randrange(len(other) + 1)]
    return rng.choice(_EDITS)(data, rng, other)


def flip(data: bytes, rng: random.Random, other: bytes) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]


def overwrite(data: bytes, rng: random.Random, other: bytes) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + bytes([rng.choice(_BYTES)]) + data[at + 1 :]


def write_number(data: bytes, rng: random.Random, other: bytes) -> bytes:
    """A number at a limit, aligned or not, in either byte order."""
    size = rng.choice((1, 2, 4, 4, 8, 8))
    at = rng.randrange(len(data))
    at -= at % size if rng.random() < 0.7 else 0
    order = "little" if rng.random() < 0.7 else "big"
    number = (rng.choice(NUMBERS) % (1 << 8 * size)).to_bytes(size, order)  # type: ignore[arg-type]
    return data[:at] + number + data[at + size :]


def truncate(data: bytes, rng: random.Random, other: bytes) -> bytes:
    return data[: rng.randrange(len(data))]


def drop_start(data: bytes, rng: random.Random, other: bytes) -> bytes:
    return data[rng.randrange(len(data)) :]


def delete(data: bytes, rng: random.Random, other: bytes) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + data[at + rng.choice(_RANGES) :]


def repeat(data: bytes, rng: random.Random, other: bytes) -> bytes:
    """A range again, somewhere else."""
    source, at, size = rng.randrange(len(data)), rng.randrange(len(data) + 1), rng.choice(_RANGES)
    return data[:at] + data[source : source + size] + data[at:]


def insert_noise(data: bytes, rng: random.Random, other: bytes) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.randbytes(rng.choice(_RANGES)) + data[at:]


def splice(data: bytes, rng: random.Random, other: bytes) -> bytes:
    """The start of one input, the end of another."""
    return data[: rng.randrange(len(data) + 1)] + other[rng.randrange(len(other) + 1) :]


def graft(data: bytes, rng: random.Random, other: bytes) -> bytes:
    """A range of another input in place of one of the same length."""
    at, size = rng.randrange(len(data)), rng.choice(_RANGES) * 4
    source = rng.randrange(len(other) + 1)
    return data[:at] + other[source : source + size] + data[at + size :]


_EDITS = (
    flip, flip, overwrite, overwrite, write_number, truncate, drop_start, delete, repeat,
    insert_noise, splice, graft,
)  # fmt: skip
