"""Tensors of dumped clusters: sizes and statistics of all forms that TensorFlow writes."""

from __future__ import annotations

import math
import random
import struct

import pytest

from tests.support.xplane_wire import field, integer
from tw_importers.disc.values import tensor

#: Number, format of an element in `tensor_content`, and field of the typed form.
TYPES = {
    "float32": (1, "f", 5), "float64": (2, "d", 6), "int32": (3, "i", 7), "uint8": (4, "B", 7),
    "int16": (5, "h", 7), "int8": (6, "b", 7), "int64": (9, "q", 10), "bool": (10, "?", 11),
    "bfloat16": (14, "H", 13), "uint16": (17, "H", 7), "float16": (19, "e", 13),
    "uint32": (22, "I", 16), "uint64": (23, "Q", 17),
}  # fmt: skip
FLOATS = (0.0, 1.5, -2.25, 3.0, math.nan, math.inf)


def bits(kind: str, value: float) -> int:
    """The 16 bits of a value of half precision."""
    if kind == "bfloat16":
        return int(struct.unpack("<I", struct.pack("<f", value))[0]) >> 16
    return int(struct.unpack("<H", struct.pack("<e", value))[0])


def packed(kind: str, value: float) -> bytes:
    if kind == "bfloat16":
        return struct.pack("<H", bits(kind, value))
    return struct.pack(f"<{TYPES[kind][1]}", value)


def typed(kind: str, values: list[float]) -> bytes:
    _number, form, place = TYPES[kind]
    if place in (5, 6):
        return field(place, b"".join(struct.pack(f"<{form}", each) for each in values))
    whole = [bits(kind, each) if place == 13 else int(each) for each in values]
    return b"".join(integer(place, each) for each in whole)


def message(number: int, shape: list[int], values: bytes) -> bytes:
    dims = b"".join(field(2, integer(1, size)) for size in shape)
    return integer(1, number) + field(2, dims) + values


@pytest.mark.parametrize("kind", TYPES)
def test_statistics_are_of_all_elements_in_each_form(kind: str) -> None:
    """An element repeated to the end of the shape, as the typed form has it, counts as often."""
    chance = random.Random(kind)
    is_float = kind in ("float32", "float64", "float16", "bfloat16")
    for shape in ([], [1], [3], [2, 4], [5, 1, 2]):
        n = math.prod(shape)
        for form in ("content", "typed", "repeated"):
            few = [chance.choice(FLOATS if is_float else (0, 1)) for _ in range(n)]
            if form == "repeated":
                few = few[: chance.randint(1, n)]
            written = (
                field(4, b"".join(packed(kind, each) for each in few))
                if form == "content"
                else typed(kind, few)
            )
            values = few + few[-1:] * (n - len(few))

            found = tensor("m", message(TYPES[kind][0], shape, written))

            numbers = [each for each in values if not math.isnan(each)]
            assert (found.why, found.shape) == (None, tuple(shape))
            assert found.n_bytes == n * len(packed(kind, 0))
            assert (found.n_nan, found.n_zero) == (n - len(numbers), numbers.count(0))
            assert found.low == (min(numbers) if numbers else None)
            assert found.high == (max(numbers) if numbers else None)


@pytest.mark.parametrize(("number", "name"), [(29, "int4"), (30, "uint4")])
def test_values_of_four_bits_take_a_byte_each(number: int, name: str) -> None:
    found = tensor("m", message(number, [2, 3], field(4, bytes(6))))

    assert (found.data_type, found.n_bytes, found.why) == (name, 6, None)


def test_bits_of_half_precision_that_do_not_fit_are_no_error() -> None:
    found = tensor("m", message(19, [1], integer(13, 1 << 16 | 0x3C00)))

    assert (found.low, found.high) == (1.0, 1.0)
