"""Shortens names to a width so that different names stay different."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

_ELLIPSIS = "…"


def shortened(texts: Iterable[str], width: int) -> dict[str, str]:
    """Returns each text in at most `width` characters (at least 8), different texts differently.

    A long text loses its middle. Texts that are equal then are shown around what distinguishes
    them, and, where even that is too long, with a number.
    """
    found: dict[str, str] = {}
    groups: dict[str, list[str]] = defaultdict(list)
    for text in dict.fromkeys(texts):
        groups[without_middle(text, width)].append(text)
    taken = set(groups)
    for short, members in groups.items():
        if len(members) == 1:
            found[members[0]] = short
            continue
        for text, own in zip(members, _around_difference(members, width), strict=True):
            found[text] = _unique(own, width, taken)
            taken.add(found[text])
    return found


def without_middle(text: str, width: int) -> str:
    """Shortens a text in the middle: kernel names and paths differ at both ends."""
    if len(text) <= width:
        return text
    tail = width // 3
    return f"{text[: width - tail - 1]}{_ELLIPSIS}{text[len(text) - tail :]}"


def _around_difference(texts: Sequence[str], width: int) -> list[str]:
    """Shows the head of each text and the part that begins where the texts first differ."""
    begin = _n_common(min(texts), max(texts))  # as many as all have in common
    head = max(2, width // 4)
    begin = max(head, begin - 2)
    n_kept = width - head - 2
    shown = []
    for text in texts:
        part = text[begin : begin + n_kept]
        more = _ELLIPSIS if len(text) > begin + n_kept else ""
        shown.append(f"{text[:head]}{_ELLIPSIS}{part}{more}")
    return shown


def _n_common(a: str, b: str) -> int:
    """The length of the prefix that two texts have in common."""
    pairs = enumerate(zip(a, b, strict=False))
    return next((n for n, (one, other) in pairs if one != other), min(len(a), len(b)))


def _unique(text: str, width: int, taken: set[str]) -> str:
    if text not in taken:
        return text
    n = 2
    while (own := f"{text[: width - len(str(n)) - 1]}#{n}") in taken:
        n += 1
    return own
