"""`tw lake check` verifies the files of a lake; `tw lake vacuum` removes what no commit names."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from warehouse.lake import claims, layout
from warehouse.lake.layout import File, Lake, RunCommit, TraceCommit

if TYPE_CHECKING:
    from collections.abc import Mapping

_REMEDY = "remove its commit, and sync or import the trace again"


@dataclass(frozen=True)
class Finding:
    """What is wrong with a file of a lake. A note is no error: it needs no repair."""

    path: Path
    meaning: str
    remedy: str
    is_error: bool = True


@dataclass
class Checked:
    """What a check read, and found."""

    n_traces: int
    n_files: int
    n_bytes: int
    findings: list[Finding]


def check(folder: Path) -> Checked:
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
    if layout.sha256_of(lake.path(file)) != file.sha256:
        return "has another SHA-256 than its commit says"
    return None


def _of_rows(lake: Lake, commits: Sequence[TraceCommit | RunCommit]) -> Iterator[Finding]:
    """Compares the rows of files with those that all commits together say."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    n_committed: dict[str, int] = {}
    for commit in commits:
        for file in commit.files:
            n_committed[file.path] = n_committed.get(file.path, 0) + file.rows
    for path, n_rows in n_committed.items():
        with suppress(OSError, pa.ArrowInvalid):  # reported by its size or sum
            found = pq.read_metadata(lake.folder / path).num_rows
            is_part = "/run_id=" in path and found > n_rows  # rows of traces that were dropped
            if found != n_rows and not is_part:
                meaning = f"has {found:,} rows, its commit says {n_rows:,}"
                yield Finding(lake.folder / path, meaning, _REMEDY)


def _of_claims(lake: Lake, traces: Mapping[int, TraceCommit]) -> Iterator[Finding]:
    for claimed in claims.all_of(lake, "trace"):
        if claimed.id not in traces:
            yield Finding(
                claims.path_of(lake, "trace", claimed.key),
                f"is a claim of {claimed.holder} without a commit",
                "import the file again, or remove old claims with `tw lake vacuum`",
                is_error=False,
            )


@dataclass
class Vacuumed:
    """What a vacuum removed."""

    n_files: int = 0
    n_bytes: int = 0
    n_claims: int = 0


def vacuum(folder: Path, age_s: float) -> Vacuumed:
    """Removes files and claims that no commit names, and that are older than `age_s`."""
    lake = Lake.open(folder)
    before = time.time() - age_s
    found = [path for path in lake.folder.rglob("*") if path.is_file()]
    # Commits are read after the folders: what was committed meanwhile is named.
    traces, runs = lake.trace_commits(), lake.run_commits()
    done = Vacuumed()
    with layout.writing(folder):
        for run in runs:
            path = lake.run_commit_path(run.run_id, run.origin)
            if _is_unused(run, runs, traces) and _is_older(path, before):
                path.unlink(missing_ok=True)
        commits: list[TraceCommit | RunCommit] = [*traces.values(), *lake.run_commits()]
        named = {lake.path(file) for commit in commits for file in commit.files}
        for path in found:
            is_left = path.suffix == ".parquet" or path.name.endswith(".tw.part")
            if is_left and path not in named and _is_older(path, before):
                done.n_bytes += path.stat().st_size
                done.n_files += 1
                path.unlink(missing_ok=True)
        done.n_claims = _remove_claims(lake, traces, before)
        _remove_empty(lake.folder)
    return done


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


def _remove_claims(lake: Lake, traces: Mapping[int, TraceCommit], before: float) -> int:
    n_claims = 0
    for claimed in claims.all_of(lake, "trace"):
        if claimed.id not in traces and claimed.time < before:
            claims.release(lake, "trace", claimed.key)
            n_claims += 1
    for kind in ("trace", "run"):
        held = {claimed.id for claimed in claims.all_of(lake, kind)}
        for number in claims.numbers(lake, kind):
            path = claims.number_path(lake, kind, number)
            if number not in held and _is_older(path, before):
                path.unlink(missing_ok=True)
    return n_claims


def _is_older(path: Path, before: float) -> bool:
    try:
        return path.stat().st_mtime < before
    except OSError:
        return False


def _remove_empty(folder: Path) -> None:
    for path in folder.glob("*/*_id=*"):
        with suppress(OSError):  # it holds files
            path.rmdir()
