"""Values of a pickle as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

_MAX_DEPTH = 4  # snapshots and dumps nest two deep
_MAX_VALUES = 10_000  # in one value, however often it refers to the same ones
_INT64 = range(-(1 << 63), 1 << 63)
_UINT64 = range(1 << 64)
_AS_THEY_ARE = frozenset({str, bool, float, type(None)})


def as_json(value: Any) -> str:
    """Returns a value as JSON; values nested too deeply, or too many, are left out."""
    return msgspec.json.encode(_plain(value, _MAX_DEPTH, [_MAX_VALUES])).decode()


def _plain(value: Any, depth: int, left: list[int]) -> Any:
    """Returns the value as JSON types; `left` holds how many values may still come.

    A pickle can say a list of lists of lists of one list in a few bytes.
    """
    if type(value) is dict:
        kept = _room(list(value.items()), depth, left)
        return {
            str(key): each if type(each) in _AS_THEY_ARE else _plain(each, depth - 1, left)
            for key, each in kept
        }
    if type(value) is list or type(value) is tuple:
        return [
            each if type(each) in _AS_THEY_ARE else _plain(each, depth - 1, left)
            for each in _room(value, depth, left)
        ]
    if isinstance(value, int) and not isinstance(value, bool):  # also numbers of stacks and calls
        number = int(value)  # `in` of a subclass would compare with each number of the range
        return number if number in _INT64 or number in _UINT64 else str(number)
    return value


def _room(values: Sequence[Any], depth: int, left: list[int]) -> Sequence[Any]:
    """Returns the values that may still come, and counts them."""
    kept = values[: max(left[0], 0)] if depth else ()
    left[0] -= len(kept)
    return kept
