"""Assigns a new trace to a run, and names the run and the trace.

The run is the one named by the user, that of the graph's timeline, that of the traces beside a
folder of captured graphs, that of other sources of the import of the same job, the one an earlier
import of the same bytes was in, that of earlier imports of the same job, or a new one.
"""

from __future__ import annotations

import re
import stat
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import duckdb

from warehouse.errors import TraceError
from warehouse.ingest import formats, pairing
from warehouse.ingest.decode import DecodedSource
from warehouse.ingest.importer import Problem
from warehouse.ingest.sources import Source
from warehouse.store import database

#: Stems that do not identify a run, besides those that importers declare.
_GENERIC_STEMS = re.compile(r"(?i)(?:trace|traces|timeline|profile|rank[-_]?\d+)\Z")
#: Endings that do not distinguish a file: words of profilers, one extension of letters (.v2 and
#: .1699 are part of the name), a compression. One extension only: the stems of a.before.json and
#: a.after.json differ.
_ENDINGS = re.compile(
    r"(?i)(?<=.)(?:\.(?:trace|pt|raw))*(?:\.[a-z]+)?(?:\.(?:gz|bz2|xz|zst|lz4))?\Z"
)
_RANK = re.compile(r"(?i)rank[-_]?(\d+)")
_IMPORT = ("import",)  # key of the job of all sources of an import


@dataclass(frozen=True)
class Run:
    """A run that a trace belongs to."""

    id: int
    name: str


@dataclass
class RunChoice:
    """Which run new traces go to: the one named, or one for each job among the sources.

    `is_one`: all sources are one job, whatever they declare.
    """

    name: str | None = None
    rank: int | None = None
    is_one: bool = False
    of_job: dict[tuple[object, ...], list[int]] = field(default_factory=dict)  # in order
    timelines: list[int] = field(default_factory=list)  # traces of this import graphs may belong to

    def key(self, decoded: DecodedSource) -> tuple[object, ...] | None:
        """A key equal for sources of one job, as far as the files declare it; else None."""
        facts = decoded.facts
        if facts.job_id is not None:
            return ("job", facts.job_id)
        if trace_rank(decoded, self)[0] is None:
            return None
        folder = decoded.source.path.parent
        if _RANK.search(folder.name):  # a folder for each rank
            folder = folder.with_name(_RANK.sub("rank", folder.name))
        return ("folder", str(folder), facts.world_size, facts.backend)

    def remember(self, decoded: DecodedSource, run_id: int, trace_id: int) -> None:
        """Records the run of a source after its commit."""
        for key in (self.key(decoded), _IMPORT if self.is_one else None):
            if key is not None and run_id not in self.of_job.setdefault(key, []):
                self.of_job[key].append(run_id)
        if formats.by_name(decoded.importer_name).kind == "timeline":
            self.timelines.append(trace_id)


class Members:
    """The traces of runs, those stored and those that a transaction adds; reads each run once."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self._runs: dict[int, Run | None] = {}
        self._names: dict[tuple[int, int | None, str], set[str]] = {}  # by run, rank and kind

    def add(self, run_id: int, rank: int | None, kind: str, name: str) -> None:
        """Adds a trace, which may not be stored yet."""
        self._names.setdefault((run_id, rank, kind), set()).add(name)

    def run(self, run_id: int) -> Run | None:
        """The run, unless it was dropped."""
        if run_id not in self._runs:
            names = self._connection.execute(
                "SELECT name FROM run WHERE id = ?", [run_id]
            ).fetchall()
            self._runs[run_id] = Run(run_id, str(names[0][0])) if names else None
            for trace in self._connection.execute(
                "SELECT run_id, rank, kind, name FROM trace WHERE run_id = ?", [run_id]
            ).fetchall():
                self.add(*trace)
        return self._runs[run_id]

    def has(self, run_id: int, rank: int | None, kind: str, name: str | None) -> bool:
        """Whether a run that was read has such a trace; without a name, one of any name."""
        names = self._names.get((run_id, rank, kind), set())
        return bool(names) if name is None else name in names


def trace_rank(decoded: DecodedSource, choice: RunChoice) -> tuple[int | None, str | None]:
    """The rank and its rule: given as an option, declared by the file, or part of the file name."""
    if choice.rank is not None:
        return choice.rank, "option"
    if decoded.facts.rank is not None:
        return decoded.facts.rank, "file"
    found = _RANK.search(decoded.source.file_name) or _format_rank(decoded)
    return (int(found.group(1)), "file_name") if found else (None, None)


def _format_rank(decoded: DecodedSource) -> re.Match[str] | None:
    """The rank in a file name as the format writes it, with the end of the name."""
    pattern = formats.by_name(decoded.importer_name).rank_pattern
    return re.search(f"(?:{pattern})\\Z", decoded.source.file_name) if pattern else None


def assign(
    connection: duckdb.DuckDBPyConnection,
    decoded: DecodedSource,
    choice: RunChoice,
    replaced: set[int],
    members: Members | None = None,
) -> Run:
    """Returns the run of the new trace; creates it if necessary, within a transaction.

    `replaced` are the runs of deleted traces with the same bytes, `members` the traces of runs,
    which those who assign several traces keep.
    """
    if choice.name is not None:
        return _named_run(connection, choice.name) or _new_run(connection, decoded, choice.name)
    if choice.is_one and _IMPORT in choice.of_job:
        return _run(connection, choice.of_job[_IMPORT][-1])
    pair = _timeline_of(connection, decoded, choice)
    if pair.timeline is not None:
        return _run(connection, pair.timeline.run_id)
    if (run := _run_beside(connection, decoded)) is not None:
        return run
    key, members = choice.key(decoded), members or Members(connection)
    run_ids = choice.of_job.get(key, []) if key and pair.problem is None else []
    if not run_ids and len(replaced) == 1:
        return _run(connection, *replaced)
    for run_id in run_ids or _earlier_run(connection, decoded):
        run = _run_without_rank(members, decoded, choice, run_id)
        if run is not None:
            return run
    name = _free_name(connection, _suggested_name(decoded, key is not None))
    _note_repeated_rank(connection, decoded, choice, run_ids)
    return _new_run(connection, decoded, name)


def _note_repeated_rank(
    connection: duckdb.DuckDBPyConnection,
    decoded: DecodedSource,
    choice: RunChoice,
    run_ids: list[int],
) -> None:
    """Notes that the trace starts another run as those of this import have its rank."""
    rank = trace_rank(decoded, choice)[0]
    if rank is None or not run_ids:
        return
    meaning = (
        f"rank {rank} has a trace in run {_run(connection, run_ids[0]).name!r} already, "
        "so this one starts another run"
    )
    problem = Problem("repeated_rank", meaning, 1, severity="note")
    if problem not in decoded.facts.problems:
        decoded.facts.problems.append(problem)


def _run_beside(connection: duckdb.DuckDBPyConnection, decoded: DecodedSource) -> Run | None:
    """The last run with one of the traces beside the folder of captures."""
    source = decoded.source
    if source.members or not formats.is_capture(source, decoded.importer_name):
        return None
    # Only files of the size of a stored one are read: others may be anything, and large.
    sizes = connection.execute(
        "SELECT DISTINCT n_bytes FROM source_file WHERE role <> 'capture'"
    ).fetchall()
    hashes = _sha256_beside(source.path.parent.parent, {n_bytes for (n_bytes,) in sizes})
    rows = connection.execute(
        "SELECT t.run_id FROM source_file AS f JOIN trace AS t ON t.id = f.trace_id "
        "WHERE list_contains(?::VARCHAR[], f.sha256) AND f.role <> 'capture' "
        "ORDER BY t.id DESC LIMIT 1",
        [hashes],
    ).fetchall()
    return _run(connection, int(rows[0][0])) if rows else None


def _sha256_beside(folder: Path, sizes: set[int]) -> list[str]:
    """The SHA-256 of the files in a folder that have one of these sizes, as far as readable."""
    found: list[str] = []
    with suppress(OSError):
        for path in sorted(folder.iterdir()):
            with suppress(OSError, TraceError):
                status = path.stat()
                if stat.S_ISREG(status.st_mode) and status.st_size in sizes:
                    found += _sha256(path, status.st_size, status.st_mtime_ns)
    return found


@lru_cache(maxsize=4096)  # every capture in the folder asks for the same files
def _sha256(path: Path, n_bytes: int, modified_ns: int) -> tuple[str, ...]:
    """The SHA-256 of a file; size and time tell apart its contents."""
    return Source(path).sha256()


def _named_run(connection: duckdb.DuckDBPyConnection, name: str) -> Run | None:
    rows = connection.execute("SELECT id FROM run WHERE name = ?", [name]).fetchall()
    return Run(int(rows[0][0]), name) if rows else None


def _run(connection: duckdb.DuckDBPyConnection, run_id: int) -> Run:
    (name,) = database.one(connection, "SELECT name FROM run WHERE id = ?", [run_id])
    return Run(run_id, str(name))


def _earlier_run(connection: duckdb.DuckDBPyConnection, decoded: DecodedSource) -> list[int]:
    """The latest run of the source's job; empty if there is none."""
    if decoded.facts.job_id is None:
        return []
    (run_id,) = database.one(
        connection,
        "SELECT max(id) FROM run WHERE job_id = ? AND kind = 'measured'",
        [decoded.facts.job_id],
    )
    return [] if run_id is None else [int(run_id)]


def _run_without_rank(
    members: Members, decoded: DecodedSource, choice: RunChoice, run_id: int
) -> Run | None:
    """The run, unless it was dropped or has a trace of this rank: then the program ran again.

    Without ranks, members of a job are distinguished by their names.
    """
    rank, job = trace_rank(decoded, choice)[0], decoded.source.job
    name = job.member if rank is None and job is not None and job.member else None
    run = members.run(run_id)
    kind = formats.by_name(decoded.importer_name).kind
    return None if run is None or members.has(run_id, rank, kind, name) else run


def _timeline_of(
    connection: duckdb.DuckDBPyConnection, decoded: DecodedSource, choice: RunChoice
) -> pairing.Pair:
    """The timeline of a graph, if both are part of this import."""
    if formats.by_name(decoded.importer_name).kind != "graph" or not choice.timelines:
        return pairing.Pair()
    source = decoded.source
    place = f"{source.origin}/{source.member}" if source.member else source.origin
    rank, rule = trace_rank(decoded, choice)
    ids = ", ".join(map(str, choice.timelines))
    timelines = pairing.timelines(connection, f"t.id IN ({ids})")
    ranks = _common_ranks(connection) if len(timelines) > 1 else frozenset()
    graph = pairing.Graph(decoded.facts.pid, rank, rule, pairing.folder_of(place), ranks)
    pair = pairing.decide(graph, timelines, share_run=False)
    problem = pair.problem if pair.timeline is None else None
    if problem is not None and problem not in decoded.facts.problems:
        decoded.facts.problems.append(problem)
    return pair


def _common_ranks(connection: duckdb.DuckDBPyConnection) -> frozenset[int]:
    """Ranks a graph may be of by the process groups it names, if its importer reads any."""
    (n,) = database.one(
        connection,
        "SELECT count(*) FROM duckdb_tables() "
        "WHERE database_name = 'scratch' AND table_name = 'process_group'",
    )
    groups = "(SELECT ranks AS ranks_json FROM scratch.process_group)"
    return pairing.common_ranks(connection, groups) if n else frozenset()


def _new_run(connection: duckdb.DuckDBPyConnection, decoded: DecodedSource, name: str) -> Run:
    run_id = database.next_id(connection, "run")
    facts = decoded.facts
    connection.execute(
        "INSERT INTO run VALUES (?, ?, 'measured', ?, ?, ?, NULL, now() AT TIME ZONE 'UTC', NULL)",
        [run_id, name, facts.job_id, facts.world_size, facts.backend],
    )
    return Run(run_id, name)


def stem(file_name: str) -> str:
    """The part of a file name that describes its content, without endings of storage formats."""
    return _ENDINGS.sub("", file_name).lstrip(".") or "trace"


def trace_name(decoded: DecodedSource) -> str:
    """The name of a trace: its recording in the job, or its file."""
    job = decoded.source.job
    return job.member if job is not None and job.member else stem(decoded.source.file_name)


def _is_generic(stem: str, decoded: DecodedSource) -> bool:
    declared = formats.by_name(decoded.importer_name).generic_stems
    return stem.lower() in declared or _GENERIC_STEMS.match(stem) is not None


def _suggested_name(decoded: DecodedSource, is_rank: bool) -> str:
    """The stem of the file, or the name of its folder when the stem is as general as "trace"."""
    source = decoded.source
    if source.job is not None:
        return _job_folder(source, source.job.member)
    of_file = stem(source.file_name)
    if is_rank and (found := _format_rank(decoded)):
        return source.file_name[: found.start()] or of_file
    if (is_rank and _RANK.search(of_file)) or _is_generic(of_file, decoded):
        inner = Path(source.members[-1]) if source.members else source.path
        folder = inner.parent.name or source.path.name.split(".")[0]
        return folder or of_file
    return of_file


def _job_folder(source: Source, member: str) -> str:
    """The name of the folder, or of the archive, with all recordings of a job.

    A member is a folder below it, or a file in it.
    """
    folder = Path(source.members[-1]) if source.members else source.path
    if folder.parts[-len(Path(member).parts) :] == Path(member).parts:
        folder = folder.parents[len(Path(member).parts) - 1]
    return folder.name or source.path.name.split(".")[0]


def _free_name(connection: duckdb.DuckDBPyConnection, name: str) -> str:
    taken = {str(n) for (n,) in connection.execute("SELECT name FROM run").fetchall()}
    candidate, number = name, 1
    while candidate in taken:
        number += 1
        candidate = f"{name}-{number}"
    return candidate
