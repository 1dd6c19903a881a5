"""Dumps of programs whose faults are known, in the format NCCL's process groups write.

    python -m tests.support.flight_recorder_dumps ORACLE.json

writes what PyTorch's own analyzer (torch.distributed.flight_recorder) finds in the dumps of each
seed; it needs torch. tests/data/flight_recorder/torch.json is its output with torch 2.13.0.
"""

from __future__ import annotations

import json
import pickle
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

FAULTS = ("none", "missing", "operation", "size", "type", "state", "order")
SEEDS = range(84)
_START_NS = 1_700_000_000_000_000_000
_KINDS = (
    "all_reduce", "broadcast", "reduce", "_all_gather_base", "_reduce_scatter_base", "all_to_all",
    "barrier", "all_gather",
)  # fmt: skip
_TORCH = "/opt/env/lib/python3.11/site-packages/torch/distributed/distributed_c10d.py"


@dataclass(frozen=True)
class Call:
    """A collective as one rank calls it."""

    kind: str
    elements: int
    data_type: str
    line: int

    def sizes(self, n_ranks: int) -> tuple[list[list[int]], list[list[int]]]:
        """Returns the shapes of inputs and outputs."""
        n = self.elements
        if self.kind == "_all_gather_base":
            return [[n]], [[n * n_ranks]]
        if self.kind == "all_gather":
            return [[n]], [[n_ranks, n]]
        if self.kind == "_reduce_scatter_base":
            return [[n * n_ranks]], [[n]]
        if self.kind == "all_to_all":
            return [[n * n_ranks]], [[n * n_ranks]]
        return [[n]], [[n]]


@dataclass
class Program:
    """The calls of each rank in each group, with at most one fault."""

    seed: int
    fault: str
    groups: dict[str, list[int]]
    calls: dict[int, list[tuple[str, Call]]]  # by rank, in their order
    states: dict[tuple[int, str, int], str] = field(default_factory=dict)  # rank, group, number
    culprit: int | None = None
    group: str | None = None  # of the fault
    number: int | None = None  # of the first collective with the fault, in the group

    def dump(self, rank: int) -> dict[str, Any]:
        """Returns the dump of a rank, as Python values."""
        numbers: dict[str, int] = {}
        entries = []
        for record_id, (group, call) in enumerate(self.calls[rank]):
            numbers[group] = number = numbers.get(group, 0) + 1
            inputs, outputs = call.sizes(len(self.groups[group]))
            state = self.states.get((rank, group, number), "completed")
            created = _START_NS + 1_000_000 * record_id + 1_000 * rank
            entries.append(
                {
                    "frames": [
                        {"name": call.kind, "filename": _TORCH, "line": 3245},
                        {"name": "train", "filename": "/home/user/train.py", "line": call.line},
                    ],
                    "record_id": record_id,
                    "pg_id": int(group),
                    "process_group": (group, "default_pg" if group == "0" else "undefined"),
                    "collective_seq_id": number,
                    "p2p_seq_id": 0,
                    "op_id": number,
                    "profiling_name": f"nccl:{call.kind}",
                    "time_created_ns": created,
                    "input_sizes": inputs,
                    "input_dtypes": [call.data_type],
                    "output_sizes": outputs,
                    "output_dtypes": [call.data_type],
                    "state": state,
                    "time_discovered_started_ns": created + 500 if state != "scheduled" else None,
                    "time_discovered_completed_ns": created + 900 if state == "completed" else None,
                    "retired": state == "completed",
                    "timeout_ms": 600_000,
                    "is_p2p": False,
                }
            )
        return {
            "version": "2.10",
            "pg_config": {
                name: {"name": name, "desc": "default_pg" if name == "0" else "undefined",
                       "ranks": str(ranks)}
                for name, ranks in self.groups.items() if rank in ranks
            },
            "comm_lib_version": "2.27.3",
            "pg_status": {},
            "entries": entries,
        }  # fmt: skip

    def pickled(self, rank: int) -> bytes:
        """Returns the bytes of the dump of a rank."""
        return pickle.dumps(self.dump(rank), protocol=2)


def program(seed: int) -> Program:
    """Returns the program of a seed; its fault is FAULTS[seed % len(FAULTS)]."""
    chance = random.Random(seed)
    n_ranks = chance.randint(3, 6)
    groups = {"0": list(range(n_ranks))}
    if chance.random() < 0.6:
        groups["1"] = sorted(chance.sample(range(n_ranks), chance.randint(3, n_ranks)))
    calls: dict[int, list[tuple[str, Call]]] = {rank: [] for rank in range(n_ranks)}
    for step in range(chance.randint(4, 10)):
        group = chance.choice(sorted(groups))
        call = Call(
            chance.choice(_KINDS), chance.randint(1, 64), chance.choice(["Float", "Half"]),
            10 + step,
        )  # fmt: skip
        for rank in groups[group]:
            calls[rank].append((group, call))
    made = Program(seed, FAULTS[seed % len(FAULTS)], groups, calls)
    _spoil(made, chance)
    return made


def _spoil(made: Program, chance: random.Random) -> None:
    """Puts the fault into the program."""
    if made.fault == "none":
        return
    called = {each for calls in made.calls.values() for each, _ in calls}
    made.group = group = chance.choice(sorted(called))
    made.culprit = rank = chance.choice(made.groups[group][1:])  # torch takes the first as right
    places = [n for n, (each, _) in enumerate(made.calls[rank]) if each == group]
    at = chance.randrange(len(places))
    made.number = at + 1
    place, calls = places[at], made.calls[rank]
    call = calls[place][1]
    if made.fault == "missing":  # it stops there; what is called later in other groups, too
        del calls[place:]
    elif made.fault == "operation":
        other = chance.choice([kind for kind in ("all_reduce", "broadcast") if kind != call.kind])
        calls[place] = (group, Call(other, call.elements, call.data_type, 90))
    elif made.fault == "size":
        kind = "all_reduce" if call.kind == "all_to_all" else call.kind
        _replace(made, group, at, Call(kind, call.elements, call.data_type, call.line))
        calls[place] = (group, Call(kind, call.elements + 1, call.data_type, 90))
    elif made.fault == "type":
        other = "Half" if call.data_type == "Float" else "Float"
        calls[place] = (group, Call(call.kind, call.elements, other, 90))
    elif made.fault == "state":
        made.states[rank, group, at + 1] = "started"
    else:
        first = Call("all_reduce", 7, "Float", 91)
        second = Call("broadcast", 8, "Float", 92)
        for member in made.groups[group]:
            pair = [first, second] if member != rank else [second, first]
            made.calls[member] += [(group, each) for each in pair]
        made.number = len(places) + 1


def _replace(made: Program, group: str, at: int, call: Call) -> None:
    """Replaces a collective on all ranks."""
    for rank in made.groups[group]:
        places = [n for n, (each, _) in enumerate(made.calls[rank]) if each == group]
        made.calls[rank][places[at]] = (group, call)


_OF_TORCH = {
    "COLLECTIVE_TYPE_MISMATCH": "operation",
    "SIZE_OR_SYNTAX_MISMATCH": "size",
    "COLLECTIVE_STATE_MISMATCH": "state",
    "COLLECTIVE_DTYPE_MISMATCH": "type",
}


def judged_by_torch(made: Program) -> dict[str, list[Any]]:
    """Returns the first finding of PyTorch's analyzer in each group: number, problem, ranks."""
    from torch.distributed.flight_recorder.components.builder import build_db
    from torch.distributed.flight_recorder.components.config_manager import JobConfig

    dumps = {
        f"rank_{rank}": {**made.dump(rank), "rank": rank, "host_name": f"host{rank}"}
        for rank in made.calls
    }
    arguments = JobConfig().parse_args(["folder", "--mismatch_cap", "100"])
    database = build_db(dumps, arguments, "2.10")
    found: dict[str, list[Any]] = {}
    for each in database.collectives:
        wrong: Sequence[Any] = []
        if each.missing_ranks:
            wrong = [each.collective_seq_id, "missing", sorted(each.missing_ranks)]
        elif each.mismatch_collectives:
            kinds = {
                _OF_TORCH[other.type_of_mismatch.state.name]
                for other in each.mismatch_collectives.values()
            }
            wrong = [
                each.collective_seq_id,
                "+".join(sorted(kinds)),
                sorted(each.mismatch_collectives),
            ]
        if wrong and (each.group_id not in found or wrong[0] < found[each.group_id][0]):
            found[each.group_id] = list(wrong)
    return found


def main() -> None:
    """Writes the findings of PyTorch's analyzer, by seed."""
    import torch

    findings = {str(seed): judged_by_torch(program(seed)) for seed in SEEDS}
    with open(sys.argv[1], "w") as file:
        json.dump({"torch": torch.__version__, "findings": findings}, file, indent=0)


if __name__ == "__main__":
    main()
