"""`tw lake check` verifies the files of a lake; `tw lake vacuum` removes what no commit names."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from warehouse.lake import claims, layout
from warehouse.lake import runs as places
from warehouse.lake.layout import File, Lake, RunCommit, TraceCommit
from warehouse.lake.storage import sha256_of

if TYPE_CHECKING:
    from collections.abc import Mapping

_COMMIT = re.compile(r"_commit[^/]*/(?:(run|compact)-)?(\d+)(?:-[\w-]+)?\.json")
_REMEDY = "remove its commit, and sync or import the trace again"


@dataclass(frozen=True)
class Finding:
    """A problem with a file of a lake; a note is not an error and needs no repair."""

    path: str  # its full name
    meaning: str
    remedy: str
    is_error: bool = True


@dataclass
class Checked:
    """The extent of a check, and its findings."""

    n_traces: int
    n_files: int
    n_bytes: int
    findings: list[Finding]


def check(folder: Path | str) -> Checked:
    """Verifies bytes, sums and rows of all files that commits name, and the claims."""
    lake = Lake.open(folder)
    traces = lake.trace_commits()
    commits: list[TraceCommit | RunCommit] = [*traces.values(), *lake.run_commits()]
    files = {file.path: file for commit in commits for file in commit.files}
    findings = [
        Finding(lake.path(file), wrong, _REMEDY)
        for file in files.values()
        if (wrong := _wrong(lake, file)) is not None
    ]
    findings += _of_rows(lake, commits)
    findings += _of_claims(lake, traces)
    return Checked(len(traces), len(files), sum(file.bytes for file in files.values()), findings)


def _wrong(lake: Lake, file: File) -> str | None:
    if (wrong := lake.wrong_size(file)) is not None:
        return wrong
    with lake.storage.open(file.path) as opened:
        is_equal = sha256_of(opened) == file.sha256
    return None if is_equal else "has another SHA-256 than its commit says"


def _of_rows(lake: Lake, commits: Sequence[TraceCommit | RunCommit]) -> Iterator[Finding]:
    """Compares the rows of files with those that all commits together say."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    n_committed: dict[str, int] = {}
    for commit in commits:
        for file in commit.files:
            n_committed[file.path] = n_committed.get(file.path, 0) + file.rows
    for path, n_rows in n_committed.items():
        # What cannot be read is reported by its size or sum.
        with suppress(OSError, pa.ArrowInvalid), lake.storage.open(path) as opened:
            found = pq.read_metadata(opened).num_rows
            is_part = "/run_id=" in path and found > n_rows  # rows of traces that were dropped
            if found != n_rows and not is_part:
                meaning = f"has {found:,} rows, its commit says {n_rows:,}"
                yield Finding(lake.full(path), meaning, _REMEDY)


def _of_claims(lake: Lake, traces: Mapping[int, TraceCommit]) -> Iterator[Finding]:
    for claimed in claims.all_of(lake, "trace"):
        if claimed.id not in traces:
            yield Finding(
                lake.full(claims.path_of("trace", claimed.key)),
                f"is a claim of {claimed.holder} without a commit",
                "import the file again, or remove old claims with `tw lake vacuum`",
                is_error=False,
            )


@dataclass
class Vacuumed:
    """Counts of what a vacuum removed."""

    n_files: int = 0
    n_bytes: int = 0
    n_claims: int = 0


def vacuum(folder: Path | str, age_s: float) -> Vacuumed:
    """Removes files and claims that no commit names, and that are older than `age_s`.

    A file that a commit named is as old as the commit in its place: readers may still use it.
    """
    lake = Lake.open(folder)
    done = Vacuumed()
    with layout.writing(lake.name):
        ages = _Ages(lake, time.time() - age_s)
        # Commits are read after the files: what was committed meanwhile is named.
        traces, runs = lake.trace_commits(), lake.run_commits()
        _remove_commits(lake, ages, runs, traces)
        commits: list[TraceCommit | RunCommit] = [*traces.values(), *lake.run_commits()]
        named = {file.path for commit in commits for file in commit.files}
        for entry in ages.entries.values():
            is_old_commit = _COMMIT.fullmatch(entry.path) and not entry.path.startswith(
                f"{lake.commits}/"
            )
            is_left = is_old_commit or entry.path.endswith((".parquet", ".tw.part"))
            if is_left and entry.path not in named and ages.is_old(entry.path):
                done.n_bytes += entry.bytes
                done.n_files += 1
                lake.storage.remove(entry.path)
        done.n_claims = _remove_claims(lake, traces, ages)
        lake.storage.remove_empty_folders(ages.before)
    return done


class _Ages:
    """The files of a lake, and which of them are older than a time."""

    def __init__(self, lake: Lake, before: float) -> None:
        self.entries = {entry.path: entry for entry in lake.storage.entries()}
        self.before = before
        #: When the last commit of a trace or run was written, by how paths of its files name it.
        self.committed: dict[str, float] = {}
        for entry in self.entries.values():
            if (match := _COMMIT.fullmatch(entry.path)) is not None:
                kind = "run_id" if match[1] else "trace_id"
                self._note(f"{kind}={match[2]}", entry.modified)
        for compacted in lake.compacted():
            path = lake.compacted_path(compacted.run_id, compacted.number)
            if (entry_of := self.entries.get(path)) is not None:
                for number in compacted.traces:
                    self._note(f"trace_id={number}", entry_of.modified)

    def _note(self, owner: str, modified: float) -> None:
        self.committed[owner] = max(modified, self.committed.get(owner, 0.0))

    def is_old(self, path: str) -> bool:
        entry = self.entries.get(path)
        if entry is None:
            return False
        owner = path.split("/")[1] if path.count("/") == 2 else ""
        return max(entry.modified, self.committed.get(owner, 0.0)) < self.before


def _remove_commits(
    lake: Lake, ages: _Ages, runs: Sequence[RunCommit], traces: Mapping[int, TraceCommit]
) -> None:
    """Removes commits that count for nothing any more."""
    for run in runs:
        path = lake.run_commit_path(run.run_id, run.origin)
        if _is_unused(run, runs, traces) and ages.is_old(path):
            lake.storage.remove(path)
    in_use = {file.path for commit in traces.values() for file in commit.files}
    for compacted in lake.compacted():
        path = lake.compacted_path(compacted.run_id, compacted.number)
        if not any(file.path in in_use for file in compacted.files) and ages.is_old(path):
            lake.storage.remove(path)


def _is_unused(
    run: RunCommit, runs: Sequence[RunCommit], traces: Mapping[int, TraceCommit]
) -> bool:
    """Whether an import's commit of a run is not the one in use, nor can become it."""
    if not run.origin.startswith("import"):
        return False  # a sync replaces its own
    current = {each.run_id: each for each in layout.current(runs, traces)}
    chosen = current.get(run.run_id)
    return chosen is None or (
        chosen is not run and set(run.traces) & traces.keys() <= set(chosen.traces)
    )


def _remove_claims(lake: Lake, traces: Mapping[int, TraceCommit], ages: _Ages) -> int:
    n_claims = 0
    for claimed in claims.all_of(lake, "trace"):
        if claimed.id not in traces and claimed.time < ages.before:
            claims.release(lake, "trace", claimed.key)
            n_claims += 1
    keys = {(commit.run_id, commit.key) for commit in traces.values()}
    places.remove_places(lake, keys, ages.before)
    for kind in ("trace", "run"):
        held = {claimed.id for claimed in claims.all_of(lake, kind)}
        for number in claims.numbers(lake, kind):
            path = claims.number_path(kind, number)
            if number not in held and ages.is_old(path):
                lake.storage.remove(path)
    return n_claims
