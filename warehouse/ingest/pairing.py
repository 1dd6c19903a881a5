"""Pairs graphs with timelines: an execution trace names neither its rank nor its job.

Criteria, in this order: the rank given by the user or the file name; the process that recorded
both; of several, the rank that is in all process groups the graph names, since a process lists its
own groups; that a run has only one timeline. If several timelines remain, or the file name
contradicts the process, the graph is not paired, and the reason is a problem of the import.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

from warehouse.ingest.importer import Problem

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True)
class Timeline:
    """A candidate timeline of a graph."""

    trace_id: int
    run_id: int
    name: str
    rank: int | None
    folder: str
    pids: frozenset[int]  # of processes with operators; empty if the file has none


@dataclass(frozen=True)
class Graph:
    """Facts about a graph that do not require its nodes."""

    pid: int | None
    rank: int | None
    rank_rule: str | None
    folder: str
    ranks: frozenset[int] = frozenset()  # possible ranks by its process groups; empty: any

    def is_member(self, timeline: Timeline) -> bool:
        """Whether the timeline's rank is in all process groups of the graph."""
        return timeline.rank in self.ranks

    def is_of(self, timeline: Timeline) -> bool:
        """Whether both have the same process id."""
        return self.pid in timeline.pids

    def is_elsewhere(self, timeline: Timeline) -> bool:
        """Whether they were recorded by different processes."""
        return self.pid is not None and bool(timeline.pids) and not self.is_of(timeline)


@dataclass(frozen=True)
class Pair:
    """The timeline of a graph and the rule that found it, or the reason why there is none."""

    timeline: Timeline | None = None
    rule: str | None = None
    problem: Problem | None = None


def decide(graph: Graph, timelines: Sequence[Timeline], *, share_run: bool) -> Pair:
    """Pairs a graph with one of the timelines; `share_run`: they are in the same run."""
    if graph.rank is not None:
        of_rank = _narrowed(graph, [t for t in timelines if t.rank == graph.rank])
        if of_rank:
            return _by_rank(graph, of_rank, share_run=share_run)
        timelines = [t for t in timelines if t.rank is None]
    same = _narrowed(graph, [t for t in timelines if graph.is_of(t)])
    if len(same) > 1:
        return _ambiguous(f"several timelines are of process {graph.pid}", same)
    if same:
        return Pair(same[0], "process")
    if share_run and len(timelines) == 1:
        (only,) = timelines
        return Pair(only, "run", _other_process(graph, only))
    members = [t for t in timelines if graph.is_member(t) and not graph.is_elsewhere(t)]
    if share_run and len(members) == 1:
        return Pair(members[0], "rank")
    return Pair()


def _by_rank(graph: Graph, of_rank: list[Timeline], *, share_run: bool) -> Pair:
    if len(of_rank) > 1:
        return _ambiguous(f"several timelines are of rank {graph.rank}", of_rank)
    (only,) = of_rank
    is_near = share_run or graph.is_of(only) or graph.folder == only.folder
    if not is_near:
        return Pair()
    if graph.is_elsewhere(only) and graph.rank_rule == "file_name":
        why = f"the file's name says rank {graph.rank}, whose timeline is of another process"
        return _refused("other_process", why, of_rank, "give its run and rank with --run, --rank")
    return Pair(only, "rank", _other_process(graph, only))


def _narrowed(graph: Graph, found: list[Timeline]) -> list[Timeline]:
    """Filters by process, possible ranks and folder, as far as timelines remain."""
    tests: list[Callable[[Timeline], bool]] = [
        graph.is_of, graph.is_member, lambda t: t.folder == graph.folder
    ]  # fmt: skip
    for test in tests:
        if len(found) > 1:
            found = [t for t in found if test(t)] or found
    return found


def _other_process(graph: Graph, timeline: Timeline) -> Problem | None:
    if not graph.is_elsewhere(timeline):
        return None
    return Problem("other_process", "the graph and its timeline have different process ids", 1)


def _ambiguous(why: str, found: list[Timeline]) -> Pair:
    remedy = "import it with its timeline alone into a run, with --run"
    if len({t.rank for t in found}) == len(found):
        remedy = f"give its rank with --rank, or {remedy}"
    return _refused("ambiguous_timeline", why, found, remedy)


def _refused(kind: str, why: str, found: list[Timeline], remedy: str) -> Pair:
    names = ", ".join(t.name for t in found[:4]) + (", ..." if len(found) > 4 else "")
    meaning = f"{why} ({names}); the graph was not paired: {remedy}"
    return Pair(problem=Problem(kind, meaning, 1))


def timelines(connection: duckdb.DuckDBPyConnection, condition: str) -> list[Timeline]:
    """Returns the timelines among the traces `t` that meet a condition."""
    rows = connection.execute(f"""
        WITH working AS (
          SELECT DISTINCT trace_id, track_id FROM cpu_op
          WHERE trace_id IN (SELECT t.id FROM trace AS t WHERE t.kind = 'timeline' AND {condition})
        ),
        pid AS (
          SELECT w.trace_id, list(DISTINCT p.pid) AS pids
          FROM working AS w
          JOIN track AS k ON k.id = w.track_id
          JOIN process AS p ON p.id = k.process_id
          WHERE p.pid IS NOT NULL
          GROUP BY w.trace_id
        )
        SELECT t.id, t.run_id, t.name, t.rank, {_PLACE}, coalesce(p.pids, [])
        FROM trace AS t
        LEFT JOIN pid AS p ON p.trace_id = t.id
        WHERE t.kind = 'timeline' AND {condition}
        ORDER BY t.id
    """).fetchall()
    return [
        Timeline(trace_id, run_id, name, rank, folder_of(place), frozenset(pids))
        for trace_id, run_id, name, rank, place, pids in rows
    ]


def common_ranks(connection: duckdb.DuckDBPyConnection, groups: str) -> frozenset[int]:
    """Returns the ranks that are in all process groups; empty if all groups have all ranks.

    `groups` is a FROM clause that provides `ranks_json`.
    """
    rows = connection.execute(f"""
        WITH member AS (
          SELECT n, unnest(ranks) AS rank
          FROM (
            SELECT row_number() OVER () AS n, TRY(from_json(ranks_json, '["BIGINT"]')) AS ranks
            FROM {groups}
          )
        )
        SELECT rank
        FROM member
        GROUP BY rank
        HAVING count(DISTINCT n) = (SELECT count(DISTINCT n) FROM member)
    """).fetchall()
    return frozenset(rank for (rank,) in rows)


_PLACE = """(
  SELECT any_value(coalesce(f.path || '/' || f.member, f.path))
  FROM source_file AS f WHERE f.trace_id = t.id
)"""


def folder_of(place: str | None) -> str:
    """Returns the folder of a file or of an archive member."""
    return str(PurePath(place or "").parent)


def pair_run(connection: duckdb.DuckDBPyConnection, run_id: int) -> None:
    """Pairs the unpaired graphs of a run, and sets their ranks to those of their timelines."""
    waiting = connection.execute(f"""
        SELECT t.id, g.pid, t.rank, t.rank_rule, {_PLACE}
        FROM trace AS t
        LEFT JOIN (SELECT trace_id, any_value(pid) AS pid FROM graph GROUP BY trace_id) AS g
          ON g.trace_id = t.id
        WHERE t.kind = 'graph' AND t.run_id = {run_id} AND t.timeline_trace_id IS NULL
        ORDER BY t.id
    """).fetchall()
    known = timelines(connection, f"t.run_id = {run_id}") if waiting else []
    for trace_id, pid, rank, rule, place in waiting:
        groups = f"process_group WHERE trace_id = {trace_id}"
        ranks = common_ranks(connection, groups) if len(known) > 1 else frozenset()
        graph = Graph(pid, rank, rule, folder_of(place), ranks)
        pair = decide(graph, known, share_run=True)
        _store(connection, trace_id, pair)


def _store(connection: duckdb.DuckDBPyConnection, trace_id: int, pair: Pair) -> None:
    connection.execute(
        "DELETE FROM import_problem WHERE trace_id = ? "
        "AND kind IN ('ambiguous_timeline', 'other_process')",
        [trace_id],
    )
    if pair.timeline is not None:
        connection.execute(
            "UPDATE trace SET timeline_trace_id = $timeline, pair_rule = $rule, "
            "rank_rule = CASE WHEN rank IS NULL AND $rank IS NOT NULL THEN 'timeline' "
            "ELSE rank_rule END, rank = coalesce(rank, $rank) WHERE id = $id",
            {
                "id": trace_id, "timeline": pair.timeline.trace_id, "rule": pair.rule,
                "rank": pair.timeline.rank,
            },
        )  # fmt: skip
    if pair.problem is not None:
        connection.execute(
            "INSERT INTO import_problem SELECT coalesce(max(id) + 1, $first), $id, $kind, "
            "'warning', 1, NULL, NULL, $meaning FROM import_problem WHERE trace_id = $id",
            {
                "id": trace_id, "first": trace_id << 32, "kind": pair.problem.kind,
                "meaning": pair.problem.meaning,
            },
        )  # fmt: skip
