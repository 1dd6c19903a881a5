"""`tw import --lake`: imports files into a lake, from any number of machines at once.

Files are imported into a scratch warehouse first. Then each trace is claimed, written and
committed: what a killed import leaves, claims and files, no commit names and nobody reads.
"""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from warehouse.errors import DuplicateTrace, TwError, UsageError
from warehouse.files import new_file
from warehouse.ingest import pipeline
from warehouse.ingest.pipeline import Options, Outcome, Progress
from warehouse.ingest.sources import Source
from warehouse.lake import claims, layout, tables
from warehouse.lake.claims import Claim
from warehouse.lake.content import Content, TraceRow
from warehouse.lake.layout import Lake, RunCommit, TraceCommit
from warehouse.lake.sync import IMPORT, claim_run, commit_trace
from warehouse.lake.writing import Writer
from warehouse.store import database

DEFAULT_AGE_S: Final = 3600.0


@dataclass
class _Import:
    """One import. `say` gets sentences for the user."""

    lake: Lake
    age_s: float
    say: Callable[[str], None]
    commits: dict[int, TraceCommit] = field(default_factory=dict)
    passed_over: list[Outcome] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.commits = self.lake.trace_commits()

    def includes(self, source: Source) -> bool:
        """Whether a source is to be read: no other import has, or is just reading it."""
        if source.trouble is not None:
            return True
        claimed = claims.read(claims.path_of(self.lake, "trace", claims.trace_key(source.sha256())))
        if claimed is None:
            return True
        if claimed.id in self.commits:
            error: TwError = DuplicateTrace(f"{source.label} is in the lake already")
            self.passed_over.append(Outcome(source, "present", error=error))
            return False
        if self._may_take(claimed):
            return True
        self.passed_over.append(Outcome(source, "failed", error=_busy(source.label, claimed)))
        return False

    def add(self, db: Path) -> None:
        """Commits the traces of a scratch warehouse."""
        with database.Reader(db) as reader, layout.writing(self.lake.folder):
            content = Content.read(reader.connection)
            claimed = {each.id: self._claimed(each) for each in content.traces}
            runs = {
                run_id: claim_run(
                    self.lake, run.name, run.job_id, _of(content, run_id), self.commits
                )
                for run_id, run in content.runs.items()
            }
            writer = Writer(reader.connection, self.lake, claimed, runs)
            for run_id in content.runs:  # first: a trace must have a run
                self._commit_run(writer, content, run_id)
            for trace in content.traces:
                self._commit(writer, content, trace)

    def _claimed(self, trace: TraceRow) -> int:
        claimed = claims.claim(self.lake, "trace", trace.key)
        is_committed = self.lake.trace_commit_path(claimed.id).exists()
        if not claimed.is_mine and not is_committed:
            if not self._may_take(claimed):
                raise _busy(trace.name, claimed)
            claims.take_over(self.lake, "trace", claimed)
            self.say(
                f"{trace.name}: took over the claim of {claimed.holder}, "
                f"{_shown(claimed.age_s)} old, which has no commit"
            )
        return claimed.id

    def _may_take(self, claimed: Claim) -> bool:
        return claimed.is_mine or claimed.age_s > self.age_s or is_dead(claimed)

    def _commit(self, writer: Writer, content: Content, trace: TraceRow) -> None:
        new, run_id = writer.trace_ids[trace.id], writer.run_ids[trace.run_id]
        if self.lake.trace_commit_path(new).exists():
            return  # another import was faster
        files = writer.trace(trace.id, content.counts[trace.id])
        commit = TraceCommit(
            new, run_id, trace.key, trace.name, trace.rank, trace.kind, IMPORT,
            f"{trace.state} {run_id}", files,
        )  # fmt: skip
        commit_trace(self.lake, commit, None)

    def _commit_run(self, writer: Writer, content: Content, run_id: int) -> None:
        """Commits a run; what links its traces counts where no commit is made over more of them."""
        new = writer.run_ids[run_id]
        traces = tuple(sorted(writer.trace_ids[each.id] for each in _of(content, run_id)))
        origin = IMPORT if len(traces) == 1 else f"{IMPORT}-{layout.attempt()}"
        path = self.lake.run_commit_path(new, origin)
        if path.exists():
            return
        counts = content.run_counts(run_id)
        if len(traces) == 1:  # the rows of the trace's own commit count
            counts = {name: n for name, n in counts.items() if name not in tables.REPLACED}
        files = writer.run(run_id, counts)
        name = content.runs[run_id].name
        commit = RunCommit(new, origin, name, "", traces, files)
        if not new_file(path, layout.text_of(commit)):
            layout.remove_files(self.lake, files)


def import_paths(
    paths: Sequence[str | Path],
    folder: Path,
    *,
    options: Options | None = None,
    progress: Progress | None = None,
    stdin: Any = None,
    age_s: float = DEFAULT_AGE_S,
    say: Callable[[str], None] = lambda _: None,
) -> list[Outcome]:
    """Imports files into a lake; returns an outcome for each, as `pipeline.import_paths`.

    A claim without commit is taken over if it is older than `age_s`, or its process of this machine
    has ended.
    """
    options = options or Options()
    if options.on_duplicate == "replace":
        raise UsageError(
            "--on-duplicate replace cannot be combined with --lake",
            hint="Replace the trace in a warehouse, and sync that.",
        )
    lake = Lake.open_or_create(folder)
    running = _Import(lake, age_s, say)
    with tempfile.TemporaryDirectory(prefix="tw-lake-") as place:
        db = Path(place, "import.duckdb")
        outcomes = pipeline.import_paths(
            paths, db=db, options=options, progress=progress, stdin=stdin,
            includes=running.includes,
        )  # fmt: skip
        if any(outcome.status == "imported" for outcome in outcomes):
            running.add(db)
    for outcome in running.passed_over:
        if progress is not None:
            progress.outcome(outcome)
    return [*outcomes, *running.passed_over]


def is_dead(claimed: Claim) -> bool:
    """Whether the holder of a claim was a process of this machine that has ended."""
    if claimed.host != socket.gethostname():
        return False
    try:
        os.kill(claimed.pid, 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


def _of(content: Content, run_id: int) -> list[TraceRow]:
    return [trace for trace in content.traces if trace.run_id == run_id]


def _busy(label: str, claimed: Claim) -> TwError:
    return TwError(
        f"{label} is being imported by {claimed.holder}, for {_shown(claimed.age_s)}",
        hint="Wait for it, or take over claims of ended processes with --age, such as --age 1min.",
    )


def _shown(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole} s" if whole < 120 else f"{whole // 60} min"
