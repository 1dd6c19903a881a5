"""Cutting a stream of register images: where each begins, and which command it is.

The length of an image depends on its command, so the next one can only be found from the one
before. All but one lookup per image is vectorised: each 16 bytes of the stream are read as if an
image began there, which gives the beginning of the next one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tw_importers.sophgo.decode.registers import UNIT_BYTES, Engine, Numbers

_TAIL_BYTES = 128  # so many zeros at the end of a stream are not images
_END, _UNKNOWN, _CUT = -1, -2, -3  # in place of a next image
_DEFECTS = {_UNKNOWN: "unknown_command", _CUT: "image_cut"}


@dataclass(frozen=True)
class Cut:
    """The images of a stream by byte offset, and what stopped the reading of it before its end."""

    starts: Numbers
    commands: Numbers  # index into Engine.commands
    functions: Numbers  # function code
    defect: str = ""  # unknown_command or image_cut, where there was one
    defect_offset: int = 0  # bytes from the beginning of the stream


def cut(stream: bytes | memoryview, engine: Engine) -> Cut:
    """The consecutive images from byte 0 on, as far as they can be recognised."""
    n_units = len(stream) // UNIT_BYTES
    keys = engine.keys(np.frombuffer(stream, "<u8", n_units * 2)[::2])
    command, function = engine.command_of_key[keys], engine.function_of_key[keys]
    units, stop = _chain(_following(stream, engine, command, function))
    defect = _DEFECTS.get(stop, "")
    at = units[:-1] if defect else units
    offset = int(units[-1]) * UNIT_BYTES if defect else 0
    if stop == n_units and any(stream[n_units * UNIT_BYTES :]):
        defect, offset = _DEFECTS[_CUT], n_units * UNIT_BYTES
    return Cut(at * UNIT_BYTES, command[at], function[at], defect, offset)


def _following(
    stream: bytes | memoryview, engine: Engine, command: Numbers, function: Numbers
) -> Numbers:
    """For every unit the end of an image that begins there, or the reason why none does."""
    lengths = np.array([c.layout.n_bytes // UNIT_BYTES for c in engine.commands], np.int64)
    types = np.array([c.type_code for c in engine.commands], np.int64)
    following = np.arange(len(command)) + lengths[command]
    n_rest = len(stream) - following * UNIT_BYTES
    is_sys = (command >= 0) & (types[command] == engine.sys_type)
    is_last = is_sys & (n_rest <= _TAIL_BYTES) & (following * UNIT_BYTES >= _used(stream))
    if engine.ends_at_chain_end:
        is_last |= is_sys & (function == 0)
    following[is_last] = _END
    following[n_rest < 0] = _CUT
    following[command < 0] = _UNKNOWN
    return following


def _used(stream: bytes | memoryview) -> int:
    """The offset of the zeros at the end; only the last bytes are examined."""
    tail = bytes(stream[-_TAIL_BYTES:])
    return len(stream) - len(tail) + len(tail.rstrip(b"\0"))


def _chain(following: Numbers) -> tuple[Numbers, int]:
    """The units reached from the first one on, and what comes after the last: a stop or the end.

    This is the one step that depends on the one before, hence a loop, over plain integers.
    """
    links, units, unit = following.data, [], 0
    n_units = len(following)
    while 0 <= unit < n_units:
        units.append(unit)
        unit = links[unit]
    return np.array(units, np.int64), unit
