"""Which operators of a dPRO trial to compute in 16 bits, so that operators and casts take least.

Ranks do the same work, so the closed form is of one. It leaves out what overlaps what: the gain of
halved communication counts by a weight. A minimum cut is exact for it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from warehouse.optimize.minimum_cut import UNLIMITED, Network


@dataclass(frozen=True)
class Operator:
    """An operator, with its times in both precisions."""

    name: str
    ns: int
    half_ns: int
    is_able: bool
    communication_ns: int = 0  # time saved by its gradients in 16 bits
    is_assumed: bool = True  # no model predicts its time in 16 bits


@dataclass(frozen=True)
class Tensor:
    """A tensor by who returns it (None: a weight) and who takes it, with the time of a cast."""

    producer: str | None
    consumers: tuple[str, ...]
    cast_ns: int


@dataclass(frozen=True)
class Program:
    """The operators of a rank, and what they exchange."""

    operators: Sequence[Operator]
    tensors: Sequence[Tensor]

    def cost(self, half: Collection[str], weight: float) -> int:
        """Time of operators and casts, less the weighted gain of communication."""
        total = 0
        for each in self.operators:
            is_half = each.name in half
            total += each.half_ns if is_half else each.ns + round(weight * each.communication_ns)
        for tensor in self.tensors:
            is_half = tensor.producer in half
            total += tensor.cast_ns * len({
                each in half for each in tensor.consumers if (each in half) != is_half
            })  # fmt: skip
        return total

    def assumed_share(self, half: Collection[str]) -> float:
        """Share of the time of operators in 16 bits that no model says."""
        chosen = [each for each in self.operators if each.name in half]
        total = sum(each.half_ns for each in chosen)
        return sum(each.half_ns for each in chosen if each.is_assumed) / total if total else 0.0

    def best(self, weight: float) -> frozenset[str]:
        """The operators in 16 bits with the least cost; of equal ones the smallest set."""
        network = Network()
        place = {each.name: network.node() for each in self.operators}
        for each in self.operators:
            gain = round(weight * each.communication_ns)
            network.connect(network.source, place[each.name], each.ns + gain)
            cost = each.half_ns if each.is_able else UNLIMITED
            network.connect(place[each.name], network.sink, cost)
        for tensor in self.tensors:
            _connect(network, place, tensor)
        sides = network.cut()
        return frozenset(each.name for each in self.operators if sides[place[each.name]])


def _connect(network: Network, place: Mapping[str, int], tensor: Tensor) -> None:
    """A cast for each precision in which a tensor is taken but not returned."""
    producer = network.sink if tensor.producer is None else place[tensor.producer]
    single, half = network.node(), network.node()
    network.connect(producer, single, tensor.cast_ns)
    network.connect(half, producer, tensor.cast_ns)
    for each in tensor.consumers:
        network.connect(single, place[each], UNLIMITED)
        network.connect(place[each], half, UNLIMITED)
