"""Register images of Sophgo chips: cut, named, and taken apart into their fields.

The oracle reads an image as one long integer and shifts it, field by field. The recordings are
of captures whose images a tool of the vendor printed, field by field.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.sophgo_blocks import (
    DES_BDC,
    DES_GDMA,
    DES_KV,
    DYN_EXTRA,
    blocks,
    extras,
    key_values,
)
from tw_importers.sophgo.decode import Chip, by_arch, chips, decode_images, decode_streams, engine
from tw_importers.sophgo.decode.registers import Command, Engine

ENGINES = [
    (chip, images)
    for chip in chips().values()
    for name in ("TIU", "GDMA", "CDMA")
    if (images := engine(chip, name))
]


@st.composite
def streams(draw: st.DrawFn) -> tuple[Chip, Engine, list[tuple[Command, int, bytes]]]:
    """A few images of one engine: the command, its function, and its bytes."""
    chip, images = draw(st.sampled_from(ENGINES))
    kinds = [c for c in images.commands if c.type_code != images.sys_type]  # these may be the last
    made = []
    for command in draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=6)):
        function = draw(st.sampled_from(sorted(command.functions)))
        value = draw(st.integers(0, (1 << command.layout.n_bytes * 8) - 1))
        parts = {"type": command.type_code, "function": function}
        parts["short"] = int(_is_short(images, command, function))
        for name, bits in images.key.items():
            value &= ~(((1 << bits.width) - 1) << bits.offset)
            value |= parts[name] << bits.offset
        made.append((command, function, value.to_bytes(command.layout.n_bytes, "little")))
    return chip, images, made


def _is_short(images: Engine, command: Command, function: int) -> bool:
    key = 1 | command.type_code << 1 | function << 1 + images.key["type"].width
    found = int(images.command_of_key[key])
    return "short" in images.key and found >= 0 and images.commands[found] is command


@pytest.mark.integration
@settings(max_examples=150, deadline=None)
@given(streams())
def test_a_stream_of_random_images_is_cut_and_every_field_is_what_its_bits_say(
    made: tuple[Chip, Engine, list[tuple[Command, int, bytes]]],
) -> None:
    chip, images, parts = made
    buffer = b"\xff" * 3 + b"".join(image for _, _, image in parts)

    decoded = decode_streams(buffer, chip, images.name, [(3, len(buffer))])

    rows = decoded.table.to_pylist()
    assert not decoded.defects
    assert [(r["command"], r["function_code"], r["number"]) for r in rows] == [
        (command.name, function, n) for n, (command, function, _) in enumerate(parts)
    ]
    for row, (command, function, image) in zip(rows, parts, strict=True):
        value = int.from_bytes(image, "little")
        fields = command.layout.fields.values()
        expected = {f.name: value >> f.offset & ((1 << f.width) - 1) for f in fields}
        assert list(json.loads(row["registers_json"]).items()) == list(expected.items())
        assert row["image_name"] == command.functions[function]
        assert row["command_dependency"] == expected.get("cmd_id_dep")


@settings(max_examples=50, deadline=None)
@given(streams(), st.data())
def test_a_stream_that_ends_within_an_image_gives_the_ones_before_and_says_where(
    made: tuple[Chip, Engine, list[tuple[Command, int, bytes]]], data: st.DataObject
) -> None:
    chip, images, parts = made
    whole = b"".join(image for _, _, image in parts)
    last = len(whole) - len(parts[-1][2])
    end = data.draw(st.integers(last + 8, len(whole) - 1))
    stream = whole[:end]

    decoded = decode_streams(stream, chip, images.name, [(0, end)])

    if end - last < 16 and not any(stream[last:]):
        return  # nothing but zeros, and too few for an image: padding
    assert decoded.table.num_rows == len(parts) - 1
    assert [(d.kind, d.offset, d.n_bytes) for d in decoded.defects] == [
        ("image_cut", last, end - last)
    ]


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(ENGINES), st.binary(max_size=400), st.integers(0, 40))
def test_of_any_bytes_what_is_no_image_is_reported(
    which: tuple[Chip, Engine], content: bytes, zeros: int
) -> None:
    chip, images = which
    stream = content + bytes(zeros)
    lengths = {c.name: c.layout.n_bytes for c in images.commands}

    decoded = decode_streams(stream, chip, images.name, [(0, len(stream))])

    rows = decoded.table.to_pylist()
    used = sum(lengths[row["command"]] for row in rows)
    left = decoded.defects[0].n_bytes if decoded.defects else 0
    assert [row["offset"] for row in rows[1:]] == [
        row["offset"] + lengths[row["command"]] for row in rows[:-1]
    ]
    is_ended = bool(rows) and rows[-1]["type_code"] == images.sys_type
    assert used + left == len(stream) or is_ended or not any(stream[used:])


def test_an_unknown_command_ends_its_stream_and_not_the_next_one() -> None:
    chip = chips()["AKS"]
    good = (1 | 15 << 41 | 8 << 45).to_bytes(16, "little")  # SYS, send_msg
    bad = (1 | 11 << 41).to_bytes(16, "little")  # no type 11
    buffer = good + bad + good + good

    decoded = decode_streams(buffer, chip, "TIU", [(0, 48), (48, 64)])

    assert [(r["stream"], r["offset"]) for r in decoded.table.to_pylist()] == [(0, 0), (1, 48)]
    assert [(d.kind, d.offset, d.n_bytes) for d in decoded.defects] == [("unknown_command", 16, 32)]


def test_zeros_after_a_last_sys_command_are_no_images() -> None:
    chip = chips()["AKS"]
    end = (1 | 15 << 41 | 31 << 45).to_bytes(16, "little")

    decoded = decode_streams(end + bytes(128), chip, "TIU", [(0, 144)])
    too_many = decode_streams(end + bytes(144), chip, "TIU", [(0, 160)])

    assert (decoded.table.num_rows, decoded.defects) == (1, [])
    # More than 128 bytes of them are a convolution without a size, and the beginning of another.
    assert too_many.table.column("command").to_pylist() == ["SYS", "CONV"]
    assert [(d.kind, d.offset) for d in too_many.defects] == [("image_cut", 144)]


def test_single_images_are_found_wherever_they_begin_and_the_others_are_reported() -> None:
    chip = chips()["AKS"]
    send = (1 | 15 << 41 | 8 << 45 | 5 << 64).to_bytes(16, "little")
    buffer = b"xyz" + send + b"\0" * 5 + send[:12]

    decoded = decode_images(buffer, chip, "TIU", np.array([3, 24, 34]), np.array([19, 36, 36]))

    assert [(r["stream"], r["immediate"]) for r in decoded.table.to_pylist()] == [(0, 5)]
    assert [(d.kind, d.offset) for d in decoded.defects] == [("image_cut", 24), ("image_cut", 34)]


@pytest.mark.parametrize("case", ["aks_bmodel", "aks_deskv", "aks_m2_8core", "aksv_m2_4core_cdma"])
def test_the_images_of_a_recording_have_the_fields_that_the_vendors_tool_printed(
    case: str, data_dir: Path
) -> None:
    folder = data_dir / "bigtpu" / case
    chip = by_arch(re.findall(r"arch=(\w+)", (folder / "input/global.profile").read_text())[0])
    assert chip
    printed = list(_printed(folder / "out37"))
    assert printed

    for core, name, fields in printed:
        rows = _decoded(folder / "input" / f"cdmlib0_{core}.profile", chip, name)
        assert fields in rows


def _decoded(path: Path, chip: Chip, name: str) -> list[list[tuple[str, str]]]:
    """The fields of all images of an engine in a core's file."""
    buffer = path.read_bytes()
    bounds = []
    for kind, begin, end in blocks(buffer):
        if kind == {"TIU": DES_BDC, "GDMA": DES_GDMA}[name]:
            bounds.append((begin, end))
        if kind == DES_KV:
            bounds.append(key_values(buffer, begin))
        if kind == DYN_EXTRA:
            bounds += extras(buffer, begin, end)
    made = decode_streams(buffer, chip, name, bounds).table.column("registers_json").to_pylist()
    return [[(k, str(v)) for k, v in json.loads(text).items()] for text in made]


def _printed(folder: Path) -> Iterator[tuple[int, str, list[tuple[str, str]]]]:
    """(core, engine, fields in order) of every record with an image that the tool printed."""
    for path in sorted(folder.glob("t*RegInfo_*.txt")):
        core, name = int(path.stem.rsplit("_")[1]), "TIU" if path.name[1] == "i" else "GDMA"
        for record in re.split(r"^__T\w+_REG_INFO__\n", path.read_text(), flags=re.M)[1:]:
            lines = [line.strip().partition(": ")[::2] for line in record.splitlines()]
            yield from ((core, name, f) for f in [_image_fields(name, lines)] if f)


def _image_fields(name: str, lines: list[Any]) -> list[tuple[str, str]]:
    if name == "TIU":
        fields = [(key[4:], value) for key, value in lines if key.startswith("des_")]
        return fields if any(key == "tsk_typ" for key, _ in fields) and len(fields) > 5 else []
    keys = [key for key, _ in lines]
    # Made up by the tool where the image has none; and its own figures from there on.
    end = next(n for n, k in enumerate(keys) if k in ("mask_start_addr_h8", "Engine Id"))
    return [(key, value) for key, value in lines[:end] if key]
