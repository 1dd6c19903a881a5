"""A bar chart of a sweep as text: predicted time of the slowest rank for each value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

_WIDTH = 40  # characters of the longest bar
_EIGHTHS = " ▏▎▍▌▋▊▉"


def slowest(rows: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """The time of the slowest rank in ns without changes ("unchanged"), and with each change.

    `rows` are those of `prediction.predict`. Only rows of whole traces count.
    """
    found: dict[str, float] = {}
    for row in rows:
        if row["step"] is None:
            times = (("unchanged", row["replayed_ns"]), (row["what_if"], row["predicted_ns"]))
            for name, time in times:
                if name is not None and time is not None:
                    found[name] = max(found.get(name, 0), time)
    return found


def bars(rows: Iterable[Mapping[str, Any]]) -> str:
    """Returns a line for each of `slowest`: times in ms and the change, from 0 on one scale."""
    found = slowest(rows)
    base, longest = found.get("unchanged", 0), max(found.values(), default=0)
    width = max(map(len, found), default=0)
    return "".join(
        f"{name:{width}}  {_bar(time, longest)}  {time / 1e6:,.4f} ms"
        + (f"  {time / base - 1:+.1%}" if base and name != "unchanged" else "")
        + "\n"
        for name, time in found.items()
    )


def _bar(time: float, longest: float) -> str:
    n = round(8 * _WIDTH * time / longest) if longest else 0
    return ("█" * (n // 8) + (_EIGHTHS[n % 8] if n % 8 else "")).ljust(_WIDTH)
