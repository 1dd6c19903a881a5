"""Values of other shapes for the arguments of a cluster.

A compiled cluster depends on ranks, not on sizes: arguments of other sizes and equal rank replay
another shape. Constants and arguments of fixed shape are part of what is compiled, and stay.
"""

from __future__ import annotations

import io
import json
import math
import re
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from tw_importers.disc.messages import TYPES, messages
from warehouse.errors import UsageError

_GIVEN: Final = re.compile(r"(?:(\d+)=)?(\d+(?:[,x]\d+)*)")
_SEED: Final = 0
_LARGEST: Final = (1 << 31) - 1  # bytes of a message
_FREE: Final = ("parameter",)
_NUMBERS: Final = {name: (number, size) for number, (name, size) in TYPES.items()}
_FLOATS: Final = {"float32": "<f4", "float64": "<f8", "float16": "<f2"}


def parsed(
    arguments: Sequence[Mapping[str, Any]], given: Sequence[str]
) -> dict[int, tuple[int, ...]]:
    """Reads `48,64`, `2=48,64` or `[[48,64],...]`: shapes by ordinal of the argument.

    A shape without a number is that of the first parameter. Raises UsageError for shapes that the
    compiled cluster does not take.
    """
    found: dict[int, tuple[int, ...]] = {}
    for text in given:
        for ordinal, shape in _read(arguments, text):
            argument = arguments[ordinal]
            if tuple(argument["shape"] or ()) != shape:
                _check(argument, shape)
                found[ordinal] = shape
    return found


def _read(arguments: Sequence[Mapping[str, Any]], text: str) -> list[tuple[int, tuple[int, ...]]]:
    if text.startswith("[["):
        return _read_all(arguments, text)
    match = _GIVEN.fullmatch(text.replace(" ", ""))
    if match is None:
        raise UsageError(f"--shape {text} is not a shape", hint="Write 48,64 or 2=48,64.")
    first = next((n for n, each in enumerate(arguments) if each["kind"] in _FREE), None)
    ordinal = int(match[1]) if match[1] else first
    if ordinal is None or ordinal >= len(arguments):
        which = "a parameter" if ordinal is None else f"an argument {ordinal}"
        raise UsageError(
            f"--shape {text}: the cluster does not have {which}",
            hint="See `tw query cluster_arguments`.",
        )
    return [(ordinal, tuple(map(int, re.split("[,x]", match[2]))))]


def _read_all(
    arguments: Sequence[Mapping[str, Any]], text: str
) -> list[tuple[int, tuple[int, ...]]]:
    """Shapes of all arguments, as calls of the log have them."""
    try:
        shapes = [tuple(map(int, each)) for each in json.loads(text)]
    except (ValueError, TypeError):
        raise UsageError(f"--shape {text} is not a list of shapes") from None
    if len(shapes) != len(arguments):
        raise UsageError(
            f"--shape has {len(shapes)} shapes, and the cluster {len(arguments)} arguments"
        )
    return list(enumerate(shapes))


def _check(argument: Mapping[str, Any], shape: tuple[int, ...]) -> None:
    name = f"argument {argument['ordinal']}"
    if argument["kind"] not in _FREE:
        raise UsageError(
            f"{name} is of kind {argument['kind']}: its shape is part of what is compiled",
            hint="Only parameters may have other shapes.",
        )
    rank = len(argument["shape"] or ())
    if len(shape) != rank:
        raise UsageError(
            f"{name} has rank {rank}, and {','.join(map(str, shape))} has {len(shape)}",
            hint="Clusters are compiled for a rank.",
        )
    if _NUMBERS.get(argument["data_type"], (0, None))[1] is None:
        raise UsageError(f"{name} is of type {argument['data_type']}, which has no random values")
    if n_bytes(argument, shape) > _LARGEST:
        raise UsageError(f"{name} would have over {_LARGEST:,} bytes", hint="Name a smaller shape.")


def n_bytes(argument: Mapping[str, Any], shape: tuple[int, ...] | None = None) -> int:
    """Bytes of an argument's value, of another shape if one is given."""
    size = _NUMBERS.get(argument["data_type"], (0, None))[1]
    if shape is None or size is None:
        return int(argument["bytes"] or 0)
    return math.prod(shape) * size


def replace_values(
    archive: Path, arguments: Sequence[Mapping[str, Any]], shapes: Mapping[int, tuple[int, ...]]
) -> None:
    """Replaces the values of some arguments in an archive; names and order of members stay."""
    new = {
        argument["member"]: _tensor(argument, shapes[argument["ordinal"]])
        for argument in arguments
        if argument["ordinal"] in shapes
    }
    with tarfile.open(archive) as old:  # members of archives that were imported are plain files
        kept = [(m, file.read()) for m in old if m.isfile() and (file := old.extractfile(m))]
    with tarfile.open(archive, "w", format=tarfile.GNU_FORMAT) as target:
        for member, content in kept:
            content = new.get(member.name, content)
            member.size = len(content)
            target.addfile(member, io.BytesIO(content))


def _tensor(argument: Mapping[str, Any], shape: tuple[int, ...]) -> bytes:
    """A serialized tensor; its values are the same each time. Integers are 0 or 1: they may be
    indices."""
    number, size = _NUMBERS[argument["data_type"]]
    made = messages().new("Tensor")
    made.dtype = number
    for dim in shape:
        made.shape.dim.add().size = dim
    n, draw = math.prod(shape), np.random.default_rng([_SEED, argument["ordinal"]])
    if argument["data_type"] in _FLOATS:
        made.tensor_content = draw.random(n).astype(_FLOATS[argument["data_type"]]).tobytes()
    elif argument["data_type"] == "bfloat16":
        bits = draw.random(n).astype("<f4").view("<u4") >> 16
        made.tensor_content = bits.astype("<u2").tobytes()
    elif argument["data_type"].startswith("complex"):
        parts = draw.random(2 * n).astype("<f4" if size == 8 else "<f8")
        made.tensor_content = parts.tobytes()
    else:
        made.tensor_content = draw.integers(0, 2, n).astype(f"<u{size}").tobytes()
    return bytes(made.SerializeToString())
