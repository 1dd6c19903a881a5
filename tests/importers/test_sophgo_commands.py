"""The command stream of a Sophgo TPU, word for word."""

from __future__ import annotations

import random
import struct

import numpy as np
import pytest

from tests.support import sophgo_capture as capture
from tw_importers.sophgo import commands
from tw_importers.sophgo.blocks import DYN_DATA, Block
from tw_importers.sophgo.decode import chips
from tw_importers.sophgo.defects import Defects

_LIMIT = 0x3FFFF


def read(data: bytes, chip: str = "AKS", has_extra: bool = False) -> commands.Stream:
    stream = commands.Stream()
    block = Block(DYN_DATA, 8, memoryview(data))
    commands.read(block, chips()[chip], commands.Scopes(), stream, has_extra, "f", Defects())
    return stream


def test_words_of_a_name_are_no_commands() -> None:
    """Whatever they look like: a name may hold the bytes of any command word."""
    command = capture.node("GDMA", 3, 1)
    name = command + struct.pack("<I", 15) + struct.pack("<II", 8 | 7 << 7, 40)
    data = capture.word(0, len(name)) + name + command + capture.word(15, 0) + command
    scopes, stream = commands.Scopes(), commands.Stream()

    block = Block(DYN_DATA, 8, memoryview(data))
    commands.read(block, chips()["AKS"], scopes, stream, False, "f", Defects())

    found = stream.of_engine("GDMA")
    assert found.id.tolist() == [0, 1]
    assert found.scope.tolist() == [0, -1]
    assert len(scopes.names) == 1


def test_a_reference_to_descriptors_restarts_the_ids_of_all_engines() -> None:
    tiu, gdma = capture.node("TIU", 3, 2), capture.node("GDMA", 0, 0)
    data = tiu + gdma + gdma + capture.word(8, 9) + struct.pack("<I", 5) + gdma + tiu + tiu

    stream = read(data)

    of_tiu, of_gdma = stream.of_engine("TIU"), stream.of_engine("GDMA")
    assert of_tiu.is_des.tolist() == [False, True, False, False]
    assert of_tiu.id[~of_tiu.is_des].tolist() == [0, 0, 1]
    assert (of_tiu.key[1], of_tiu.n_images[1]) == (9, 5)
    assert of_gdma.id.tolist() == [0, 1, 0]


def test_every_immediate_command_takes_the_next_image_whatever_its_engine() -> None:
    tiu, gdma = capture.node("TIU", 3, 2), capture.node("GDMA", 0, 0)
    (word,) = struct.unpack("<I", tiu)
    rvt = struct.pack("<I", word & ~0x7F | 13)

    stream = read(tiu + gdma + rvt + tiu, has_extra=True)

    assert stream.of_engine("TIU").extra.tolist() == [0, -1, 2]
    assert stream.of_engine("GDMA").extra.tolist() == [1]


def plain_wraps(engines: list[str]) -> dict[str, list[tuple[int, bool]]]:
    """Ids of RVT commands one by one, and whether the hardware put the command in by itself."""
    given: dict[str, list[tuple[int, bool]]] = {"TIU": [], "GDMA": []}
    following = {"TIU": 0, "GDMA": 0}
    for engine in engines:
        given[engine].append((following[engine], False))
        following[engine] += 1
        if following["TIU"] == _LIMIT:
            for each in given:
                given[each].append((following[each], True))
                following[each] = 0
    return given


@pytest.mark.integration
def test_rvt_commands_restart_both_counters_at_their_limit() -> None:
    rng = random.Random(1)
    engines = ["TIU" if rng.random() < 0.9 else "GDMA" for _ in range(2 * _LIMIT + 70_000)]
    codes = {"TIU": 0, "GDMA": 1}
    words = np.array([13 | codes[engine] << 7 | 2 << 10 for engine in engines], "<u4")

    stream = read(words.tobytes(), "AKSV")

    for engine, expected in plain_wraps(engines).items():
        found = stream.of_engine(engine)
        assert found.id.tolist() == [number for number, _ in expected]
        assert (found.mode == commands.NO_MODE).tolist() == [is_made for _, is_made in expected]
    made = stream.of_engine("TIU").mode == commands.NO_MODE
    assert {int(w) >> 3 & 31 for w in stream.of_engine("TIU").word[made]} == {15}
