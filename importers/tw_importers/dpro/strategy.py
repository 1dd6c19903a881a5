"""dPRO's files of a strategy: groups of tensors, the changes that lead to them, and the search.

| file | content |
|---|---|
| `tensor_fusion_grp_mapping.json` | groups of tensors, as "0+1+2", in no order |
| `best_strategy.txt` | changes to Sync nodes of the first rank: `++` fuses two, `--` splits one |
| `search_trajectory.txt` | a line for each candidate: number, pass, gain and best gain in percent |
| `amp_list.txt` | operators that compute in 16 bits, one a line |
| `tensor_partition_spec.txt` | tensors, as 0_1, and the bytes of their parts, a tensor a line |
| `cluster_mapping.txt` | fused operators with the number of their cluster, one a line |
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tw_importers.dpro import clusters
from warehouse.errors import UsageError
from warehouse.optimize.strategy import Strategy, StrategyFiles
from warehouse.replay.what_if import WhatIf
from warehouse.wording import counted

if TYPE_CHECKING:
    from warehouse.query.session import Session

MAPPING = "tensor_fusion_grp_mapping.json"
BEST = "best_strategy.txt"
TRAJECTORY = "search_trajectory.txt"
PRECISION = "amp_list.txt"
CLUSTERS = "cluster_mapping.txt"
PARTITIONS = "tensor_partition_spec.txt"
_PREFIX = "Distributed_Push_Pull/BytePSPushPull."
_PARTITION = re.compile(r"\S*BytePSPushPull[._]([0-9]+(?:_[0-9]+)*) ([0-9]+)")
_NAMES = re.compile(r"[^\s{},]+(\r?\n[^\s{},]+)*\s*")
_OPERATORS = "SELECT DISTINCT operator FROM precision_operator() WHERE is_float32"
_TENSORS = """
SELECT tensors, any_value(tensor_bytes) FROM gradient_part_node()
GROUP BY tensors ORDER BY split_part(tensors, '+', 1)::BIGINT
"""
_GROUP = re.compile(r"[0-9]+(\+[0-9]+)*")
_SYNC = re.compile(r".*->Comm\.([0-9+]+)\.Sync")
_STEP = re.compile(r"([0-9.]+): ([0-9]+),([-0-9.e]+),([-0-9.e]+)")
_RANKS = "SELECT name FROM graph WHERE kind = 'dpro' ORDER BY name LIMIT 1"

#: A change: `++` with two nodes, or `--` with a node and the number of its tensors that come first.
Change = tuple[str, str, str | int]


@dataclass(frozen=True)
class Step:
    """A line of a trajectory: gains in percent."""

    time: float
    number: int
    gain: float
    best: float


def parse_mapping(text: str) -> list[str]:
    """The groups of a mapping; raises UsageError."""
    try:
        groups = json.loads(text)["mapping"]
    except (ValueError, TypeError, KeyError):
        groups = None
    if not isinstance(groups, list) or not groups:
        raise UsageError(f"{MAPPING} does not list groups of tensors")
    for group in groups:
        if not isinstance(group, str) or not _GROUP.fullmatch(group):
            raise UsageError(f"{MAPPING} contains {group!r}, which is not a group of tensors")
    return groups


def format_mapping(groups: Iterable[str]) -> str:
    """The text of a mapping."""
    return json.dumps({"mapping": list(groups)}, separators=(",", ":"))


def parse_best(text: str) -> list[Change]:
    """The changes of a best strategy; raises UsageError."""
    try:
        changes = json.loads(text)["best_strategy"]
        return [(str(token), str(node), other) for token, node, other in changes]
    except (ValueError, TypeError, KeyError):
        raise UsageError(f"{BEST} does not list changes") from None


def format_best(changes: Iterable[Change]) -> str:
    """The text of a best strategy."""
    return json.dumps({"best_strategy": [list(each) for each in changes]})


def parse_trajectory(text: str) -> list[Step]:
    """The lines of a trajectory; raises UsageError."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        match = _STEP.fullmatch(line)
        if match is None:
            raise UsageError(f"line {number} of {TRAJECTORY} is not a step of a search")
        found.append(Step(float(match[1]), int(match[2]), float(match[3]), float(match[4])))
    return found


def format_trajectory(steps: Iterable[Step]) -> str:
    """The text of a trajectory."""
    return "".join(f"{s.time}: {s.number},{s.gain},{s.best}\n" for s in steps)


def parse_partitions(text: str) -> list[tuple[str, int]]:
    """Tensors, as 3+4, with the bytes of their parts; raises UsageError."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        match = _PARTITION.fullmatch(line.strip())
        if match is not None:
            found.append((match[1].replace("_", "+"), int(match[2])))
        elif line.strip():
            raise UsageError(
                f"line {number} of {PARTITIONS} is not a tensor and the bytes of its parts",
                hint=f"Write it as {_PREFIX}0_1 65536.",
            )
    return found


def format_partitions(parts: Iterable[tuple[str, int]]) -> str:
    """The text of the bytes of parts."""
    return "".join(f"{_PREFIX}{name.replace('+', '_')} {size}\n" for name, size in parts)


def _part_sizes(session: Session, sizes: str) -> list[tuple[str, int]]:
    """The bytes of the parts of each tensor, no more than it has, from an edit."""
    rows: list[Any] = session.run(_TENSORS).rows()
    of_name = dict(each.split("=") for each in sizes.split(",") if "=" in each)
    uniform = next((each for each in sizes.split(",") if "=" not in each), None)
    found = []
    for name, total in rows:
        size = of_name.get(name, uniform)
        if size is not None:
            found.append((name, min(int(size), total)))
    return found


def changes_between(recorded: Sequence[str], groups: Sequence[str], rank: str) -> list[Change]:
    """The changes that turn groups of tensors into others: splits first, then fusions."""
    splits: list[Change] = []
    pieces = [piece for group in recorded for piece in _pieces(_ids(group), groups, rank, splits)]
    fusions: list[Change] = []
    for group in groups:
        ids = set(_ids(group))
        parts = [piece for piece in pieces if ids.issuperset(piece)]
        joined = parts[0]
        for part in parts[1:]:
            fusions.append(("++", _node(rank, joined), _node(rank, part)))
            joined = sorted([*joined, *part])
    return splits + fusions


def _pieces(
    ids: list[int], groups: Sequence[str], rank: str, splits: list[Change]
) -> list[list[int]]:
    """The tensors of a recorded group, split wherever the next one is in another group."""
    group_of = {each: n for n, group in enumerate(groups) for each in _ids(group)}
    found = []
    while ids:
        n = 1
        while n < len(ids) and group_of[ids[n]] == group_of[ids[0]]:
            n += 1
        if n < len(ids):
            splits.append(("--", _node(rank, ids), n))
        found.append(ids[:n])
        ids = ids[n:]
    return found


def apply(recorded: Iterable[str], changes: Iterable[Change]) -> list[str]:
    """Groups after changes; raises UsageError for one of a group that does not exist by then."""
    groups = list(recorded)
    for token, node, other in changes:
        if token == "--" and isinstance(other, int):
            ids = _ids(_taken(groups, node))
            parts = [ids[:other], ids[other:]]
        elif token == "++" and isinstance(other, str):
            parts = [sorted(_ids(_taken(groups, node)) + _ids(_taken(groups, other)))]
        else:
            raise UsageError(
                f"{BEST} contains the change {token!r}, which concerns no groups of tensors",
                hint="Changes of groups are ++ with two nodes, and -- with a node and a number.",
            )
        groups += ["+".join(map(str, part)) for part in parts if part]
    return groups


def _taken(groups: list[str], node: str) -> str:
    """Removes the group of a Sync node, and returns it."""
    match = _SYNC.fullmatch(node)
    if match is None or match[1] not in groups:
        raise UsageError(
            f"{BEST} changes {node!r}, which is not a group of the run by then",
            hint="Name a strategy for this run.",
        )
    groups.remove(match[1])
    return match[1]


def _ids(group: str) -> list[int]:
    return sorted(int(each) for each in group.split("+"))


def _node(rank: str, ids: Iterable[int]) -> str:
    return f"{rank}->Comm.{'+'.join(map(str, ids))}.Sync"


def _texts(session: Session, strategy: Strategy) -> Mapping[str, str]:
    """The files of a strategy for a dPRO trial; none for other runs."""
    ranks: list[Any] = session.run(_RANKS).rows()
    if not ranks:
        return {}
    steps = [
        Step(float(n), 0, each.gain * 100, each.best_gain * 100)
        for n, each in enumerate(strategy.trajectory)
    ]
    if strategy.name == "precision":
        names = [name for each in strategy.edits for name in each.arguments["operators"].split(",")]
        return {PRECISION: format_names(names), TRAJECTORY: format_trajectory(steps)}
    if strategy.name == "fusion":
        fused = [each.arguments["clusters"] for each in strategy.edits]
        texts = {CLUSTERS: clusters.format_clusters(fused[0])} if fused else {}
        return texts | {TRAJECTORY: format_trajectory(steps)}
    sizes = [each.arguments["sizes"] for each in strategy.edits if each.name == "partitions"]
    if sizes:
        parts = _part_sizes(session, sizes[0])
        return {PARTITIONS: format_partitions(parts), TRAJECTORY: format_trajectory(steps)}
    if not strategy.groups:
        return {}
    changes = changes_between(strategy.recorded_groups, strategy.groups, ranks[0][0])
    return {
        MAPPING: format_mapping(strategy.groups),
        BEST: format_best(changes),
        TRAJECTORY: format_trajectory(steps),
    }


def _edits(session: Session, path: Path, text: str) -> list[WhatIf] | None:
    """The changes in a mapping or a best strategy; None for other files."""
    if _STEP.fullmatch(text.partition("\n")[0]):
        raise UsageError(
            f"{path} lists the gains of a search, not its changes",
            hint=f"Name the {MAPPING} or {BEST} beside it.",
        )
    if '"mapping"' in text:
        groups = parse_mapping(text)
    elif '"best_strategy"' in text:
        rows = session.run("SELECT DISTINCT tensors FROM gradient_tensor() ORDER BY 1").rows()
        groups = apply([tensors for (tensors,) in rows], parse_best(text))
    elif _PARTITION.fullmatch(text.partition("\n")[0].strip()):
        sizes = ",".join(f"{name}={size}" for name, size in parse_partitions(text))
        return [WhatIf("partitions", {"sizes": sizes})]
    elif _NAMES.fullmatch(text):
        return [_names_edit(session, path, text.split())]
    elif clusters.is_mapping(text):
        return [clusters.edit(session, path, text)]
    else:
        return None
    return [WhatIf("groups", {"groups": ",".join(groups)})]


def format_names(names: Iterable[str]) -> str:
    """The text of a list of operators."""
    return "".join(f"{name}\n" for name in names)


def _names_edit(session: Session, path: Path, names: Sequence[str]) -> WhatIf:
    """The change in a list of operators; raises UsageError for names that the run does not have."""
    known = {name for (name,) in session.run(_OPERATORS).rows()}
    unknown = [name for name in names if name not in known]
    if unknown:
        n = f"{len(unknown)} of {counted(len(names), 'operator')} in {path}"
        raise UsageError(
            f"{n} are not in the run in 32 bits, such as {unknown[0]}",
            hint=f"Name the {PRECISION} of this run.",
        )
    return WhatIf("precision", {"operators": ",".join(dict.fromkeys(names))})


FILES = StrategyFiles(_texts, _edits, clusters.groups_of)
