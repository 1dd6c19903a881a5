"""The files of a lake, and its commits.

    DIR/lake.json                                     format and schema version
    DIR/<table>/trace_id=<id>/part-<attempt>.parquet  rows of a trace, without the column trace_id
    DIR/<table>/run_id=<id>/part-<attempt>.parquet    rows of a run, and compacted ones, with it
    DIR/_commit/<trace id>.json                       names the files of a trace
    DIR/_commit/run-<run id>-<origin>.json            names the files of a run
    DIR/_claim/                                       ids, see `claims`
    DIR/_origin/                                      what warehouses have sent, see `sync`

A trace is in the lake when its commit is: files are written first, under a name that no other
attempt has, and the commit last. Readers take lists of files from commits, never from folders.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final, TypeVar

from warehouse import __version__
from warehouse.errors import DatabaseError, ExportError, InvalidDatabase, NewerDatabase
from warehouse.files import new_file, whole_file
from warehouse.store import migrate

FORMAT: Final = 1
_REMOTE = re.compile(r"[a-z][a-z0-9+.-]+:/")  # as a path, which has one slash
#: Characters with a meaning in the names of files that DuckDB reads: patterns and partitions.
_SPECIAL = re.compile(r"[*?\[\]{}=]")
_TRACE = re.compile(r"(\d+)\.json")
_RUN = re.compile(r"run-(\d+)-([\w-]+)\.json")


@dataclass(frozen=True)
class File:
    """A Parquet file as a commit names it. `rows` are those of the commit's trace or run."""

    table: str
    path: str  # below the lake
    bytes: int
    sha256: str
    rows: int

    @property
    def is_shared(self) -> bool:
        """Whether it holds the rows of several traces, with a column trace_id."""
        return "/run_id=" in self.path


@dataclass(frozen=True)
class TraceCommit:
    """What is committed of a trace."""

    trace_id: int
    run_id: int
    key: str  # of its content; see `claims.trace_key`
    name: str
    rank: int | None
    kind: str
    origin: str  # who wrote it: a warehouse's, or import
    state: str  # changes with the rows
    files: tuple[File, ...]
    schema_version: int = field(default_factory=migrate.latest_version)
    tw_version: str = __version__


@dataclass(frozen=True)
class RunCommit:
    """What is committed of a run, made over some of its traces."""

    run_id: int
    origin: str
    name: str
    state: str
    traces: tuple[int, ...]
    files: tuple[File, ...]
    schema_version: int = field(default_factory=migrate.latest_version)
    tw_version: str = __version__


@dataclass(frozen=True)
class Lake:
    """A folder with a lake."""

    folder: Path
    schema_version: int

    @classmethod
    def open(cls, folder: Path) -> Lake:
        """Returns an existing lake; raises DatabaseError for what is none, or of another schema."""
        lake = cls.open_of_any_version(folder)
        latest = migrate.latest_version()
        if lake.schema_version > latest:
            raise NewerDatabase(
                f"{folder / 'lake.json'} has schema version {lake.schema_version}; this tw "
                f"{__version__} reads versions up to {latest}",
                hint="Install the newer tw that wrote the lake.",
            )
        if lake.schema_version < latest:
            raise InvalidDatabase(
                f"the lake {folder} has an older schema than this tw",
                hint="Sync its warehouses into a new lake with `tw lake sync DIR`.",
            )
        return lake

    @classmethod
    def open_of_any_version(cls, folder: Path) -> Lake:
        """As `open`, also for a lake of another schema version."""
        _must_be_local(folder)
        path = folder / "lake.json"
        try:
            described = json.loads(path.read_bytes())
            found, version = int(described["format"]), int(described["schema_version"])
        except OSError:
            raise _no_lake(folder) from None
        except (ValueError, KeyError, TypeError):
            raise InvalidDatabase(
                f"{path} is damaged: it is not the description of a lake",
                hint="Restore it from a copy, or sync into a new folder.",
            ) from None
        if found > FORMAT:
            raise NewerDatabase(
                f"{path} has format {found}; this tw {__version__} reads formats up to {FORMAT}",
                hint="Install the newer tw that wrote the lake.",
            )
        return cls(folder, version)

    @classmethod
    def open_or_create(cls, folder: Path) -> Lake:
        """Returns the lake, which begins in a folder that is absent or empty."""
        _must_be_local(folder)
        if not (folder / "lake.json").exists():
            if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
                raise _no_lake(folder)
            described = {"format": FORMAT, "schema_version": migrate.latest_version()}
            with writing(folder):
                folder.mkdir(parents=True, exist_ok=True)
                new_file(folder / "lake.json", _text(described))
        return cls.open(folder)

    @cached_property
    def commits(self) -> Path:
        return self.folder / "_commit"

    def trace_commit_path(self, trace_id: int) -> Path:
        return self.commits / f"{trace_id}.json"

    def run_commit_path(self, run_id: int, origin: str) -> Path:
        return self.commits / f"run-{run_id}-{origin}.json"

    def trace_commits(self) -> dict[int, TraceCommit]:
        """The commits of all traces by id."""
        found = {}
        for name in _names(self.commits):
            if match := _TRACE.fullmatch(name):
                commit = read_commit(self.commits / name, TraceCommit)
                if commit is not None:
                    found[int(match[1])] = commit
        return dict(sorted(found.items()))

    def run_commits(self) -> list[RunCommit]:
        """The commits of all runs, in a fixed order; several origins may have committed a run."""
        found = []
        for name in sorted(_names(self.commits)):
            if _RUN.fullmatch(name):
                commit = read_commit(self.commits / name, RunCommit)
                if commit is not None:
                    found.append(commit)
        return sorted(found, key=lambda each: (each.run_id, each.origin))

    def path(self, file: File) -> Path:
        return self.folder / file.path

    def missing(self, commits: Sequence[TraceCommit | RunCommit]) -> str | None:
        """The first file of some commits that is absent or of another size, with what is wrong."""
        for commit in commits:
            for file in commit.files:
                if (wrong := self.wrong_size(file)) is not None:
                    return f"{self.path(file)} {wrong}"
        return None

    def wrong_size(self, file: File) -> str | None:
        """Says that a file is absent or cut; None if its size is that of the commit."""
        try:
            n_bytes = self.path(file).stat().st_size
        except OSError:
            return "is missing, though a commit names it"
        if n_bytes != file.bytes:
            return f"has {n_bytes:,} bytes, its commit says {file.bytes:,}"
        return None


Commit = TypeVar("Commit", TraceCommit, RunCommit)


def current(runs: Sequence[RunCommit], traces: Mapping[int, TraceCommit]) -> list[RunCommit]:
    """Of each run that has traces, the commit that was made over most of them."""
    chosen: dict[int, RunCommit] = {}
    live = {trace.run_id for trace in traces.values()}
    for run in runs:
        before = chosen.get(run.run_id)
        if run.run_id in live and (before is None or _worth(run, traces) > _worth(before, traces)):
            chosen[run.run_id] = run
    return list(chosen.values())


def _worth(run: RunCommit, traces: Mapping[int, TraceCommit]) -> tuple[int, bool, int]:
    n_traces = sum(trace_id in traces for trace_id in run.traces)
    return n_traces, run.origin == "link", len(run.files)


def read_commit(path: Path, kind: type[Commit]) -> Commit | None:
    """Returns a commit; None if it was removed meanwhile. Raises InvalidDatabase."""
    try:
        values = json.loads(path.read_bytes())
        files = tuple(File(**file) for file in values.pop("files"))
        if "traces" in values:
            values["traces"] = tuple(values["traces"])
        return kind(files=files, **values)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidDatabase(
            f"{path} is damaged: it is not a commit of a lake",
            hint="Remove it, and sync or import its trace again.",
        ) from error


def text_of(commit: TraceCommit | RunCommit) -> bytes:
    """The content of a commit's file."""
    return _text(asdict(commit))


def _text(values: Mapping[str, Any]) -> bytes:
    return (json.dumps(values, indent=1) + "\n").encode()


def replace(path: Path, content: bytes) -> None:
    """Replaces a file, or creates it; readers see either content."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as file:
        file.write(content)


def attempt() -> str:
    """A name that no other attempt has."""
    return secrets.token_hex(6)


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def settle(path: Path) -> None:
    """Flushes a file to disk, before a commit names it."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def remove_files(lake: Lake, files: Sequence[File]) -> None:
    """Deletes files that no commit names any more, and folders left empty."""
    for file in files:
        path = lake.path(file)
        with suppress(OSError):
            path.unlink()
        with suppress(OSError):  # other files are in it
            path.parent.rmdir()


def _names(folder: Path) -> Iterator[str]:
    with suppress(FileNotFoundError):
        yield from os.listdir(folder)


def _must_be_local(folder: Path) -> None:
    text = os.fspath(folder)
    if _REMOTE.match(text):
        raise DatabaseError(
            # A path has lost one of the slashes.
            f"{re.sub(':/+', '://', text, count=1)} is object storage, which this tw does not read "
            "or write",
            hint="Name a folder; one of a mounted file system works.",
        )
    if found := _SPECIAL.search(os.fspath(folder.absolute())):
        raise DatabaseError(
            f"the path {folder} has the character {found[0]!r}, which no path of a lake may have",
            hint="Name another folder.",
        )


def _no_lake(folder: Path) -> DatabaseError:
    what = "is not a lake: it has no lake.json" if folder.exists() else "does not exist"
    return DatabaseError(
        f"{folder} {what}",
        hint="Make one with `tw lake sync DIR` or `tw import --lake DIR PATH`, in a new folder.",
    )


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Converts errors of the system to ExportError."""
    try:
        yield
    except OSError as error:
        raise ExportError(
            f"the lake {folder} cannot be written: {error.strerror or error}",
            hint="Free space, or name another folder; what is committed stands.",
        ) from error
