"""Layers of the backward pass: operators that are needed for the same gradient first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from graphlib import TopologicalSorter


def places(operators: Sequence[str], followers: Mapping[str, frozenset[str]]) -> dict[str, int]:
    """The place of each operator in an order in which none follows what depends on it."""
    order: TopologicalSorter[str] = TopologicalSorter(dict.fromkeys(operators, ()))
    members = set(operators)
    for first in operators:
        for second in sorted(followers.get(first, frozenset()) & members):
            order.add(second, first)
    return {name: n for n, name in enumerate(order.static_order())}


def layers_of(
    operators: Sequence[str],
    followers: Mapping[str, frozenset[str]],
    gradients: Iterable[str],
) -> dict[str, int]:
    """The layer of each operator that a gradient depends on.

    Walking back from each operator of `gradients`, in an order in which none follows one that
    depends on it, a layer takes the operators that none before it has. `operators` are those of the
    backward pass.
    """
    members = set(operators)
    before: dict[str, list[str]] = {}
    for first, seconds in followers.items():
        for second in seconds:
            if first in members and second in members:
                before.setdefault(second, []).append(first)
    found: dict[str, int] = {}
    place = places(operators, followers)
    for layer, gradient in enumerate(sorted(members & set(gradients), key=place.__getitem__)):
        waiting = [gradient]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found[name] = layer
                waiting += before.get(name, ())
    return found
