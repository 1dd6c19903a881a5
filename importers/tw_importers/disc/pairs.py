"""Pairs dumped programs with the archives of their values, and judges what is there.

A program belongs to the archive whose members are the files that its arguments name; only a program
that cannot be read is paired by process, thread and time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

import pyarrow as pa

from tw_importers.disc import values
from tw_importers.disc.names import TEMPORARY
from tw_importers.disc.program import Program

REPLAYABLE: Final = "replayable"


@dataclass
class Archive:
    """An archive, as announced or as it is there."""

    name: str
    members: list[str] = field(default_factory=list)
    at: int | None = None
    values: dict[str, values.Value] = field(default_factory=dict)
    sha256: str | None = None
    is_there: bool = False
    problem: str | None = None


@dataclass
class Cluster:
    """A dumped cluster: a program, an archive, or both."""

    name: str | None  # of the program's file
    program: Program | None = None
    nodes: pa.RecordBatch | None = None  # rows of the program's nodes
    sha256: str | None = None
    logged_at: int | None = None  # when the compilation had ended
    archive: Archive | None = None
    pair_method: str = "none"
    problems: list[tuple[str, str]] = field(default_factory=list)

    @property
    def status(self) -> str:
        """replayable, or the first problem."""
        kinds = [kind for kind, _ in self.problems]
        return kinds[0] if kinds else REPLAYABLE if self.name else "unpaired_archive"


def pair(clusters: list[Cluster], archives: Iterable[Archive]) -> list[Archive]:
    """Assigns archives to programs; returns the archives that belong to no program."""
    there = list(archives)
    by_members = defaultdict(list)
    for archive in there:
        if archive.members:
            by_members[frozenset(archive.members)].append(archive)
    for cluster in clusters:
        if cluster.program is not None:
            named = frozenset(a.member for a in cluster.program.arguments if a.member)
            if named and len(found := by_members[named]) == 1:
                cluster.archive, cluster.pair_method = found[0], "content"
    taken = {cluster.archive.name for cluster in clusters if cluster.archive}
    free = {each.name: each for each in there if each.name not in taken}
    for cluster in clusters:
        if cluster.archive is None and _may_have_values(cluster):
            _pair_by_name(cluster, free, is_only=len(clusters) == 1)
    return list(free.values())


def _pair_by_name(cluster: Cluster, free: dict[str, Archive], *, is_only: bool) -> None:
    """The last archive of the same process and thread before the program."""
    own = temporary(cluster.name)
    if own is None:
        if len(free) == 1 and is_only:  # a folder with one of each
            (_, cluster.archive), cluster.pair_method = free.popitem(), "only"
        return
    found = [
        (other["micros"], archive)
        for archive in free.values()
        if (other := temporary(archive.name)) is not None
        and (other["host"], other["pid"], other["thread"])
        == (own["host"], own["pid"], own["thread"])
        and other["micros"] <= own["micros"]
    ]
    if found:
        _, archive = max(found, key=lambda each: each[0])
        del free[archive.name]
        cluster.archive, cluster.pair_method = archive, "name"


def _may_have_values(cluster: Cluster) -> bool:
    """Whether an archive may belong to a cluster that is not paired by content."""
    return cluster.program is None or any(each.member for each in cluster.program.arguments)


def judge(cluster: Cluster, *, has_log: bool) -> None:
    """Notes what keeps a cluster from being replayed."""
    name, archive, program = cluster.name or "", cluster.archive, cluster.program
    if program is not None:
        if program.arguments and not any(each.member for each in program.arguments):
            cluster.problems.append(("no_values_recorded", name))
        elif archive is None and program.arguments:
            cluster.problems.append(("tar_missing", name))
    if archive is not None:
        _judge_values(cluster, archive)
    if has_log and cluster.name and cluster.logged_at is None:
        cluster.problems.append(("tar_without_program_line", name))


def _judge_values(cluster: Cluster, archive: Archive) -> None:
    if archive.problem:
        cluster.problems.append((archive.problem, archive.name))
    for value in archive.values.values():
        if value.why:
            kind = "tensor_corrupt" if value.sha256 else "unsafe_member"
            cluster.problems.append((kind, f"{archive.name}: {value.member}: {value.why}"))
    if cluster.program is not None and archive.is_there and not archive.problem:
        for each in cluster.program.arguments:
            if each.member and each.member not in archive.values:
                cluster.problems.append(("member_missing", f"{archive.name}: {each.member}"))


def temporary(name: str | None) -> dict[str, Any] | None:
    """The parts of a temporary file's name."""
    found = TEMPORARY.fullmatch(name or "")
    if found is None:
        return None
    return {
        "host": found["host"],
        "thread": int(found["thread"], 16),
        "pid": int(found["pid"]),
        "micros": int(found["micros"], 16),
    }
