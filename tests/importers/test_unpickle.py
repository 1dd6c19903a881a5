"""Pickles are read as data: what Python's own module reads, if it is plain; nothing runs."""

from __future__ import annotations

import io
import pickle  # to write, and to compare on what this file wrote itself
import pickletools
import random
from typing import Any

import pytest

from tw_importers.pickled.plain import as_json
from tw_importers.pickled.unpickle import Unpickler
from warehouse.errors import CorruptTrace


def load(data: bytes) -> Any:
    return Unpickler(io.BytesIO(data), lambda target, items: False).load()


def random_value(choice: random.Random, depth: int = 4) -> Any:
    """Dicts, lists, tuples and scalars, some of them the same object twice."""
    if depth == 0 or choice.random() < 0.3:
        return choice.choice(
            [None, True, False, "", "ключ", "x" * 300, 0, 1, 255, 256, 65536, -1, -70000, 1 << 31,
             1 << 62, -(1 << 63), 1 << 64, 0.5, -1e300, choice.randrange(1 << 40)]
        )  # fmt: skip
    inner = [random_value(choice, depth - 1) for _ in range(choice.randrange(5))]
    inner += choice.sample(inner, min(2, len(inner)))
    kind = choice.choice(["list", "tuple", "dict"])
    if kind == "dict":
        return {choice.choice([f"key {n}", n]): each for n, each in enumerate(inner)}
    return inner if kind == "list" else tuple(inner)


@pytest.mark.parametrize("protocol", range(6))
def test_plain_values_are_read_as_python_reads_them(protocol: int) -> None:
    for seed in range(60):
        value = random_value(random.Random(seed))
        data = pickle.dumps(value, protocol=protocol)

        assert load(data) == value
        assert load(pickletools.optimize(data)) == value


def test_batches_of_a_thousand_items_make_one_list() -> None:
    value = {"a": list(range(3500)), "b": {str(n): n for n in range(2500)}}

    assert load(pickle.dumps(value)) == value


def test_what_is_the_same_object_in_the_pickle_is_the_same_object() -> None:
    shared = ["frame"]

    first, second = load(pickle.dumps([shared, shared]))

    assert first is second


class Caller:
    """What an attacker writes: loading it with Python's module calls what __reduce__ says."""

    def __init__(self, *reduced: Any) -> None:
        self.reduced = reduced

    def __reduce__(self) -> Any:
        return self.reduced


def raised(data: bytes) -> CorruptTrace:
    with pytest.raises(CorruptTrace) as error:
        load(data)
    return error.value


@pytest.mark.parametrize("protocol", range(6))
def test_a_pickle_that_would_call_code_is_refused_unread(protocol: int) -> None:
    called: list[int] = []
    attack = {"segments": [], "device_traces": [Caller(print, ("owned",))]}

    error = raised(pickle.dumps(attack, protocol=protocol))

    assert called == []
    assert "would import or call code" in error.message
    assert error.offset is not None and f"at byte {error.offset}" in error.message


@pytest.mark.parametrize(
    "code",
    [b"c", b"\x93", b"R", b"b", b"i", b"o", b"\x81", b"\x92", b"\x82", b"\x83", b"\x84", b"P",
     b"Q", b"\x97"],
)  # fmt: skip
def test_every_operation_that_could_run_something_is_refused_where_it_stands(code: bytes) -> None:
    data = b"\x80\x04}\x94(\x8c\x08segments\x94]\x94" + code + b"cposix\nsystem\n\x85R."

    error = raised(data)

    assert "would import or call code" in error.message
    assert error.offset == data.index(code, 18)


def test_no_operation_of_pickle_is_forgotten() -> None:
    """Each is either read, or refused as running something, or one of a few no snapshot holds."""
    unpickler = Unpickler(io.BytesIO(), lambda target, items: False)
    read = {chr(code) for code in unpickler._operations} | {"."}
    unknown = {o.name for o in pickletools.opcodes if o.code not in read}

    runs_something = {
        "GLOBAL", "STACK_GLOBAL", "REDUCE", "BUILD", "INST", "OBJ", "NEWOBJ", "NEWOBJ_EX", "EXT1",
        "EXT2", "EXT4", "PERSID", "BINPERSID", "NEXT_BUFFER", "READONLY_BUFFER",
    }  # fmt: skip
    assert unknown == runs_something | {
        "BYTEARRAY8", "BINBYTES8", "EMPTY_SET", "ADDITEMS", "FROZENSET",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x80\x04\x8d" + b"\xff" * 8, "a text of"),
        (b"\x80\x04\x8b\xff\xff\xff\x7f", "a number of"),
        (b"\x80\x04h\x07.", "value 7 is used and not there"),
        (b"\x80\x04a.", "lacks its operand"),
        (b"\x80\x04K\x01a.", "lacks a list"),
        (b"\x80\x04K\x01K\x02a.", "lacks a list"),
        (b"\x80\x04e.", "lacks its mark"),
        (b"\x80\x04}(K\x01u.", "invalid dict: a value is missing"),
        (b"\x80\x04})K\x01s.", "key is not a string"),
        (b"\x80\x04" + b")" + b"\x85" * 100_000 + b"}(" + b"0" + b"1.", "lacks its operand"),
        (b"Ixyz\n.", "invalid number"),
        (b"V" + b"x" * 100_000, "unterminated line"),
        (b"\x80\x04\xfe.", "unsupported pickle operation"),
        (b"", "the pickle ends at byte 0"),
        (b"\x80\x04]", "the pickle ends at byte 3"),
    ],
)
def test_nonsense_is_reported_in_one_sentence(data: bytes, message: str) -> None:
    assert message in raised(data).message


def test_damaged_pickles_are_read_or_refused() -> None:
    data = pickle.dumps(random_value(random.Random(5), depth=6))
    for seed in range(400):
        choice, damaged = random.Random(seed), bytearray(data)
        for _ in range(choice.choice((1, 1, 3))):
            damaged[choice.randrange(len(damaged))] ^= 1 << choice.randrange(8)
        try:
            load(bytes(damaged)[: choice.choice([len(data), choice.randrange(len(data))])])
        except CorruptTrace as error:
            assert error.message and error.offset is not None


def test_numbers_of_stacks_are_json_numbers() -> None:
    """Read from a memory snapshot, they are integers of a class of their own."""

    class Number(int):
        """As `in` of a range would compare it with one number after the other."""

    assert as_json({"stack": Number(3), "large": 1 << 64, "is_set": True}) == (
        '{"stack":3,"large":"18446744073709551616","is_set":true}'
    )
