"""Values of a pickle as JSON."""

from __future__ import annotations

from typing import Any

import msgspec

_MAX_DEPTH = 4  # snapshots and dumps nest two deep
_MAX_VALUES = 10_000  # in one value, however often it refers to the same ones
_INT64 = range(-(1 << 63), 1 << 63)
_UINT64 = range(1 << 64)


def as_json(value: Any) -> str:
    """Returns a value as JSON; values nested too deeply, or too many, are left out."""
    return msgspec.json.encode(_plain(value, _MAX_DEPTH, [_MAX_VALUES])).decode()


def _plain(value: Any, depth: int, left: list[int]) -> Any:
    """Returns the value as JSON types; `left` holds how many values may still come.

    A pickle can say a list of lists of lists of one list in a few bytes.
    """
    left[0] -= 1
    if type(value) is dict or type(value) is list or type(value) is tuple:
        items = list(value.items() if type(value) is dict else enumerate(value))
        room = left[0] if depth else 0
        kept = [(key, _plain(each, depth - 1, left)) for key, each in items[: max(room, 0)]]
        return {str(k): v for k, v in kept} if type(value) is dict else [v for _, v in kept]
    if isinstance(value, int) and not isinstance(value, bool):  # also numbers of stacks and calls
        return int(value) if value in _INT64 or value in _UINT64 else str(value)
    return value
