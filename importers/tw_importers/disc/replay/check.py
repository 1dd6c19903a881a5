"""Predicts whether the replay of a cluster fails, from what was imported."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from warehouse.errors import UsageError

if TYPE_CHECKING:
    from tw_importers.disc.replay.choose import Cluster
    from warehouse.query.session import Session

_HARMLESS: Final = ("all_zero", "has_nan")
_SIZE: Final = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(i?)B?", re.IGNORECASE)
_SQL: Final = (
    "SELECT kind, ordinal, outcome, remedy FROM cluster_problems() WHERE disc_cluster_id = {}"
)
_MEMORY: Final = (
    "SELECT replay_bytes FROM cluster_memory(p_warmup := {}) WHERE disc_cluster_id = {}"
)


@dataclass
class Prediction:
    """What is known of a cluster's replay: rows of (kind, argument, outcome, remedy)."""

    cluster: Cluster
    problems: list[tuple[str, int | None, str, str]] = field(default_factory=list)
    memory_bytes: int | None = None  # of arguments, for all iterations

    @property
    def fails(self) -> bool:
        return any(kind not in _HARMLESS for kind, *_ in self.problems)

    def lines(self) -> list[str]:
        """What to print: a line for the cluster, and one for each problem."""
        needs = "" if self.memory_bytes is None else f"; arguments take {self.memory_bytes:,} bytes"
        word = "will fail" if self.fails else "replayable"
        found = [f"{self.cluster.label} ({self.cluster.id}): {word}{needs}"]
        for kind, ordinal, outcome, remedy in self.problems:
            which = "" if ordinal is None else f" (argument {ordinal})"
            found.append(f"  {kind}{which}: disc-replay-main {outcome}. {remedy}")
        return found


def check(session: Session, cluster: Cluster, warmup: int, limit: int | None) -> Prediction:
    """Predicts the failures of a replay with so many iterations before the measured one."""
    found = Prediction(cluster)
    found.problems += session.run(_SQL.format(cluster.id)).rows()
    for (n_bytes,) in session.run(_MEMORY.format(warmup, cluster.id)).rows():
        found.memory_bytes = n_bytes
    if limit is not None and (found.memory_bytes or 0) > limit:
        outcome = f"ends with: cuda memory alloc failed, as it needs over {limit:,} bytes"
        found.problems.append(("memory", None, outcome, "Use fewer iterations with --warmup."))
    if shutil.which("tar") is None:
        outcome = "exits with 1: load replay record failed, as tar is not on the PATH"
        found.problems.append(("tar_command", None, outcome, "Install tar."))
    return found


def bytes_of(text: str) -> int:
    """Reads 16GB or 512MiB. Raises UsageError."""
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise UsageError(f"--memory {text} is not a size", hint="Write 16GB.")
    base = 1024 if match[3] else 1000
    return int(float(match[1]) * base ** " KMGT".index(match[2].upper() or " "))
