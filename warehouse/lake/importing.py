"""`tw import --lake`: imports files into a lake, from any number of machines at once.

Files are imported into a scratch warehouse. While that goes on, groups of its traces are claimed,
written and committed: what a killed import leaves, claims and files, no commit names and nobody
reads. A run is committed without links with its first group, and with them at the end.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from warehouse.errors import DuplicateTrace, TwError, UsageError
from warehouse.ingest import pipeline
from warehouse.ingest.pipeline import Options, Outcome, Progress
from warehouse.ingest.sources import Source
from warehouse.lake import claims, layout, tables
from warehouse.lake.claims import DEFAULT_AGE_S, Claim
from warehouse.lake.content import Content, TraceRow
from warehouse.lake.layout import Lake, RunCommit, TraceCommit
from warehouse.lake.runs import claim_run, leave_place
from warehouse.lake.sync import IMPORT, commit_trace
from warehouse.lake.writing import Writer
from warehouse.store import database

#: A group is committed when it has so many traces, or took so many seconds.
_GROUP_TRACES: Final = 16
_GROUP_S: Final = 10.0


@dataclass
class _Import:
    """One import. `say` gets sentences for the user; the ids are those of the lake."""

    lake: Lake
    age_s: float
    say: Callable[[str], None]
    commits: dict[int, TraceCommit] = field(default_factory=dict)
    passed_over: list[Outcome] = field(default_factory=list)
    trace_ids: dict[int, int] = field(default_factory=dict)
    run_ids: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.commits = self.lake.trace_commits()

    def includes(self, source: Source) -> bool:
        """Whether a source is to be read: no other import has, or is just reading it."""
        if source.trouble is not None:
            return True
        path = claims.path_of("trace", claims.trace_key(source.sha256()))
        claimed = claims.read(self.lake, path)
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

    def add(self, db: Path, *, is_last: bool) -> None:
        """Commits the new traces of a scratch warehouse, and its runs when it has all traces."""
        with database.Reader(db) as reader, layout.writing(self.lake.name):
            content = Content.read(reader.connection, max(self.trace_ids, default=0))
            new = [each for each in content.traces if each.id not in self.trace_ids]
            self.trace_ids |= {each.id: self._claimed(each) for each in new}
            moved = self._claim_runs(content, {each.run_id for each in new})
            writer = Writer(reader.connection, self.lake, self.trace_ids, self.run_ids)
            for run_id in content.runs:  # first: a trace must have a run
                self._begin_run(writer, content, run_id)
            for trace in new:
                self._commit(writer, content, trace)
            if moved:
                self._move(writer, content, moved, {each.id for each in new})
            if is_last:
                for run_id in content.runs:
                    self._finish_run(writer, content, run_id)

    def _claimed(self, trace: TraceRow) -> int:
        claimed = claims.claim(self.lake, "trace", trace.key)
        if not claimed.is_mine and not self._is_committed(claimed.id):
            if not self._may_take(claimed):
                raise _busy(trace.name, claimed)
            claims.take_over(self.lake, "trace", claimed)
            self.say(
                f"{trace.name}: took over the claim of {claimed.holder}, "
                f"{_shown(claimed.age_s)} old, which has no commit"
            )
        return claimed.id

    def _claim_runs(self, content: Content, changed: set[int]) -> dict[int, int]:
        """Claims the runs of new traces; returns the former ids of those that must be others.

        Another import may have a rank that comes late here.
        """
        moved = {}
        for run_id in sorted(changed):
            run, traces = content.runs[run_id], _of(content, run_id)
            found = claim_run(self.lake, run.name, run.job_id, traces, self.commits)
            before = self.run_ids.get(run_id)
            if before is not None and before != found:
                moved[run_id] = before
            self.run_ids[run_id] = found
        return moved

    def _may_take(self, claimed: Claim) -> bool:
        is_late = claimed.age_s > self.age_s
        return claimed.is_mine or is_late or claims.is_dead(claimed)

    def _is_committed(self, trace_id: int) -> bool:
        return self.lake.storage.size(self.lake.trace_commit_path(trace_id)) is not None

    def _commit(self, writer: Writer, content: Content, trace: TraceRow) -> None:
        new = writer.trace_ids[trace.id]
        if self._is_committed(new):
            return  # another import was faster
        commit = self._written(writer, trace, content.counts[trace.id])
        commit_trace(self.lake, commit, None)
        self.commits[new] = commit

    def _written(self, writer: Writer, trace: TraceRow, counts: dict[str, int]) -> TraceCommit:
        new, run_id = writer.trace_ids[trace.id], writer.run_ids[trace.run_id]
        files = writer.trace(trace.id, counts)
        return TraceCommit(
            new, run_id, trace.key, trace.name, trace.rank, trace.kind, IMPORT,
            f"{trace.state} {run_id}", files,
        )  # fmt: skip

    def _move(self, writer: Writer, content: Content, moved: dict[int, int], new: set[int]) -> None:
        """Writes the traces of earlier groups again, in the run that they now have."""
        every = Content.read(content.connection)
        for trace in every.traces:
            before = self.commits.get(self.trace_ids[trace.id])
            is_early = trace.run_id in moved and trace.id not in new
            if is_early and before is not None and before.run_id == moved[trace.run_id]:
                commit = self._written(writer, trace, every.counts[trace.id])
                commit_trace(self.lake, commit, before)
                leave_place(self.lake, before)
                self.commits[before.trace_id] = commit

    def _begin_run(self, writer: Writer, content: Content, run_id: int) -> None:
        """Commits a run that has no commit, without rows that depend on several traces."""
        if self.lake.run_commit(writer.run_ids[run_id], IMPORT) is not None:
            return
        counts = content.run_counts(run_id)
        alone = {name: n for name, n in counts.items() if name not in (*tables.REPLACED, "link")}
        self._commit_run(writer, content, run_id, IMPORT, (), alone)

    def _finish_run(self, writer: Writer, content: Content, run_id: int) -> None:
        """Commits what links the traces of a run, which counts where none has more of them."""
        traces = tuple(sorted(writer.trace_ids[each.id] for each in _of(content, run_id)))
        if len(traces) > 1:  # else the rows of the trace's own commit count
            origin = f"{IMPORT}-{layout.attempt()}"
            self._commit_run(writer, content, run_id, origin, traces, content.run_counts(run_id))

    def _commit_run(
        self, writer: Writer, content: Content, run_id: int, origin: str,
        traces: tuple[int, ...], counts: dict[str, int],
    ) -> None:  # fmt: skip
        new = writer.run_ids[run_id]
        files = writer.run(run_id, counts)
        commit = RunCommit(new, origin, content.runs[run_id].name, "", traces, files)
        path = self.lake.run_commit_path(new, origin)
        if not self.lake.storage.create(path, layout.text_of(commit)):
            self.lake.remove_files(files)


class _Groups(Progress):
    """Commits the traces of outcomes in groups, before it passes the outcomes on."""

    def __init__(self, progress: Progress | None, commit: Callable[[], None]) -> None:
        self.progress, self.commit = progress or Progress(), commit
        self.waiting: list[Outcome] = []
        self.since = time.monotonic()

    def start(self, n_sources: int, n_bytes: int) -> None:
        self.progress.start(n_sources, n_bytes)

    def advance(self, n_bytes: int) -> None:
        self.progress.advance(n_bytes)

    def outcome(self, outcome: Outcome) -> None:
        self.waiting.append(outcome)
        n_traces = sum(each.status == "imported" for each in self.waiting)
        is_late = time.monotonic() - self.since > _GROUP_S
        if n_traces >= _GROUP_TRACES or (n_traces and is_late):
            self.commit()
            self.end()

    def end(self) -> None:
        """Passes on the outcomes that wait."""
        for outcome in self.waiting:
            self.progress.outcome(outcome)
        self.waiting, self.since = [], time.monotonic()


def import_paths(
    paths: Sequence[str | Path],
    folder: Path | str,
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
        groups = _Groups(progress, lambda: running.add(db, is_last=False))
        outcomes = pipeline.import_paths(
            paths, db=db, options=options, progress=groups, stdin=stdin, includes=running.includes
        )
        if any(outcome.status == "imported" for outcome in outcomes):
            running.add(db, is_last=True)
        groups.end()
    for outcome in running.passed_over:
        groups.progress.outcome(outcome)
    return [*outcomes, *running.passed_over]


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
