"""Files of fused operators, one `operator cluster` a line, as groups of their gradients.

Tensors whose gradients the operators of one cluster compute are a group; others are alone.
"""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warehouse.errors import UsageError
from warehouse.optimize.strategy import TensorGroups
from warehouse.replay.what_if import WhatIf
from warehouse.wording import counted

if TYPE_CHECKING:
    from warehouse.query.session import Session

_LINE = re.compile(r"(\S+) ([0-9]+)")
#: Operators of the first rank, by both names, with the tensors whose gradients they compute.
_OPERATORS = """
SELECT o.operator, o.name, g.tensor_id
FROM dpro_operation() AS o
LEFT JOIN dpro_gradient() AS g ON g.trace_id = o.trace_id AND g.name = o.name
WHERE o.trace_id = (SELECT min(trace_id) FROM dpro_gradient()) AND o.phase <> 'Comm'
ORDER BY o.name, g.tensor_id
"""


def parse(path: Path, text: str) -> dict[str, int]:
    """The cluster of each operator; raises UsageError for other lines, or two clusters of one."""
    found: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        match = _LINE.fullmatch(line.strip())
        if match is None:
            raise UsageError(
                f"line {number} of {path} is not an operator and the number of its cluster",
                hint="Write one of each a line: gradient_tape/net/MatMul 3.",
            )
        name, cluster = match[1], int(match[2])
        if found.setdefault(name, cluster) != cluster:
            raise UsageError(
                f"line {number} of {path} puts {name} into a second cluster",
                hint="Name each operator once.",
            )
    if not found:
        raise UsageError(f"{path} names no operators", hint="Name a cluster_mapping.txt.")
    return found


def is_mapping(text: str) -> bool:
    """Whether a text begins as such a file."""
    return _LINE.fullmatch(text.partition("\n")[0].strip()) is not None


def format_clusters(fused: str) -> str:
    """The text of clusters given as a+b,c+d."""
    lines = [f"{name} {n}\n" for n, each in enumerate(fused.split(",")) for name in each.split("+")]
    return "".join(lines)


def edit(session: Session, path: Path, text: str) -> WhatIf:
    """The change in such a file; raises UsageError for operators that the run does not have."""
    rows: list[Any] = session.run(_OPERATORS).rows()
    operator_of = {name: operator for operator, *names in rows for name in (operator, names[0])}
    fused: dict[int, list[str]] = {}
    given = parse(path, text)
    unknown = sorted(given.keys() - operator_of.keys())
    if unknown:
        raise UsageError(
            f"{len(unknown)} of {counted(len(given), 'operator')} in {path} are not in the run, "
            f"such as {unknown[0]}",
            hint="Name the cluster_mapping.txt of this run.",
        )
    for name, cluster in given.items():
        fused.setdefault(cluster, []).append(operator_of[name])
    return WhatIf("fuse", {"clusters": ",".join("+".join(each) for each in fused.values())})


def groups_of(session: Session, path: Path, text: str) -> TensorGroups | None:
    """The groups of all tensors of a dPRO trial; None for other runs."""
    rows: list[Any] = session.run(_OPERATORS).rows()
    if not rows:
        return None
    clusters = parse(path, text)
    members: dict[object, list[int]] = defaultdict(list)
    known = set()
    for operator, name, tensor_id in rows:
        known |= {operator, name} & clusters.keys()
        cluster = clusters.get(operator, clusters.get(name))
        if tensor_id is not None:
            members[("alone", tensor_id) if cluster is None else cluster].append(tensor_id)
    groups = ("+".join(map(str, sorted(set(ids)))) for ids in members.values())
    return TensorGroups(
        groups=tuple(sorted(groups, key=lambda each: int(each.split("+")[0]))),
        n_names=len(clusters),
        unknown=tuple(sorted(clusters.keys() - known)),
    )
