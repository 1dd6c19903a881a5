"""The files of a lake, and its commits.

    DIR/lake.json                                     format and schema version
    DIR/<table>/trace_id=<id>/part-<attempt>.parquet  rows of a trace, without the column trace_id
    DIR/<table>/run_id=<id>/part-<attempt>.parquet    rows of a run, and compacted ones, with it
    DIR/_commit/<trace id>.json                       names the files of a trace
    DIR/_commit/run-<run id>-<origin>.json            names the files of a run
    DIR/_commit/compact-<run id>-<number>.json        names files that replace those of traces
    DIR/_claim/                                       ids, see `claims`
    DIR/_origin/                                      what warehouses have sent, see `sync`

A trace is in the lake when its commit is: files are written first, under a name that no other
attempt has, and the commit last. Readers take lists of files from commits, never from folders.
"""

from __future__ import annotations

import dataclasses
import json
import re
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

from warehouse import __version__
from warehouse.errors import DatabaseError, ExportError, InvalidDatabase, NewerDatabase
from warehouse.lake.location import storage_of
from warehouse.lake.storage import Storage
from warehouse.store import migrate

FORMAT: Final = 1
COMMITS: Final = "_commit"
_TRACE = re.compile(r"(\d+)\.json")
_RUN = re.compile(r"run-(\d+)-([\w-]+)\.json")
_COMPACTED = re.compile(r"compact-(\d+)-(\d+)\.json")
_TRACE_OR_COMPACTED = re.compile(r"\d+\.json|compact-\d+-\d+\.json")


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
    """The commit of a trace: its identity and its files."""

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

    @property
    def identity(self) -> str:
        """A text that no other commit has: the path of its first file, which has random digits."""
        return self.files[0].path if self.files else ""


@dataclass(frozen=True)
class RunCommit:
    """The commit of a run, computed from some of its traces."""

    run_id: int
    origin: str
    name: str
    state: str
    traces: tuple[int, ...]
    files: tuple[File, ...]
    schema_version: int = field(default_factory=migrate.latest_version)
    tw_version: str = __version__


@dataclass(frozen=True)
class Part:
    """The rows of a trace in compacted files by table. `replaces` is the commit's identity."""

    replaces: str
    rows: Mapping[str, int]


@dataclass(frozen=True)
class Compacted:
    """Files with the rows of several traces, in place of those that the commits of these name.

    It is created once, and so makes all its files visible together. It counts for a trace only
    while the commit is the one that was compacted: what replaces or removes a trace meanwhile
    needs to know nothing of it. `File.rows` are those of all traces. Of several, the last counts.
    """

    run_id: int
    number: int
    traces: Mapping[int, Part]
    files: tuple[File, ...]
    schema_version: int = field(default_factory=migrate.latest_version)
    tw_version: str = __version__

    def live(self, commits: Mapping[int, TraceCommit]) -> list[int]:
        """The traces that it counts for; `commits` are as they were written."""
        return [
            number
            for number, part in self.traces.items()
            if number in commits and commits[number].identity == part.replaces
        ]

    def applied(self, commits: Mapping[int, TraceCommit]) -> dict[int, TraceCommit]:
        """The commits of these traces with the files in use."""
        return {number: self._applied(commits[number]) for number in self.live(commits)}

    def _applied(self, commit: TraceCommit) -> TraceCommit:
        rows = self.traces[commit.trace_id].rows
        files = tuple(
            dataclasses.replace(file, rows=rows[file.table])
            for file in self.files
            if file.table in rows
        )
        return dataclasses.replace(commit, files=files)


@dataclass(frozen=True)
class Lake:
    """An open lake."""

    storage: Storage
    schema_version: int
    commits: str = COMMITS  # the folder of the commits in use

    @classmethod
    def open(cls, place: Path | str) -> Lake:
        """Returns an existing lake; raises DatabaseError if there is none, or of another schema."""
        lake = cls.open_of_any_version(place)
        latest = migrate.latest_version()
        if lake.schema_version > latest:
            raise NewerDatabase(
                f"{lake.full('lake.json')} has schema version {lake.schema_version}; this tw "
                f"{__version__} reads versions up to {latest}",
                hint="Install the newer tw that wrote the lake.",
            )
        if lake.schema_version < latest:
            raise InvalidDatabase(
                f"the lake {lake.name} has an older schema than this tw",
                hint=f"When nothing writes to it, run `tw lake upgrade {lake.name}`.",
            )
        return lake

    @classmethod
    def open_of_any_version(cls, place: Path | str) -> Lake:
        """Returns a lake like `open`, also one of another schema version."""
        storage = storage_of(place)
        path = storage.full("lake.json")
        try:
            content = storage.read("lake.json")
            if content is None:
                raise _no_lake(storage)
            described = json.loads(content)
            found, version = int(described["format"]), int(described["schema_version"])
            commits = str(described.get("commits", COMMITS))
        except OSError:
            raise _no_lake(storage) from None
        except (ValueError, KeyError, TypeError, AttributeError):
            raise InvalidDatabase(
                f"{path} is damaged: it is not the description of a lake",
                hint="Restore it from a copy, or sync into a new folder.",
            ) from None
        if found > FORMAT:
            raise NewerDatabase(
                f"{path} has format {found}; this tw {__version__} reads formats up to {FORMAT}",
                hint="Install the newer tw that wrote the lake.",
            )
        return cls(storage, version, commits)

    @classmethod
    def open_or_create(cls, place: Path | str) -> Lake:
        """Returns the lake, which begins in a folder that is absent or empty."""
        storage = storage_of(place)
        with writing(storage.name):
            if storage.read("lake.json") is None:
                if not storage.is_new():
                    raise _no_lake(storage)
                storage.create("lake.json", description(migrate.latest_version()))
        return cls.open(place)

    @property
    def name(self) -> str:
        """The lake as the user names it."""
        return self.storage.name

    @property
    def folder(self) -> Path:
        """The folder of a lake that is not in object storage."""
        return Path(self.storage.name)

    def full(self, path: str) -> str:
        """The name of a file for messages and for DuckDB."""
        return self.storage.full(path)

    def trace_commit_path(self, trace_id: int) -> str:
        return f"{self.commits}/{trace_id}.json"

    def run_commit_path(self, run_id: int, origin: str) -> str:
        return f"{self.commits}/run-{run_id}-{origin}.json"

    def compacted_path(self, run_id: int, number: int) -> str:
        return f"{self.commits}/compact-{run_id}-{number}.json"

    def trace_commits(self) -> dict[int, TraceCommit]:
        """The commits of all traces by id, with the files that are in use: see `Compacted`."""
        return self.trace_commits_of(self.commit_contents())

    def trace_commits_of(self, contents: Mapping[str, bytes]) -> dict[int, TraceCommit]:
        """Returns the result of `trace_commits` for commits that have been read."""
        written = found = self.written_commits(contents)
        for compacted in self.compacted(contents):
            found = found | compacted.applied(written)
        return found

    def written_commits(self, contents: Mapping[str, bytes]) -> dict[int, TraceCommit]:
        """The commits of all traces by id as they were written."""
        found = {
            int(match[1]): parse(self, path, content, TraceCommit)
            for path, content in contents.items()
            if (match := _TRACE.fullmatch(_file_name(path)))
        }
        return dict(sorted(found.items()))

    def run_commits(self) -> list[RunCommit]:
        """The commits of all runs, in a fixed order; several origins may have committed a run."""
        contents = self.commit_contents(_RUN)
        found = [parse(self, path, content, RunCommit) for path, content in contents.items()]
        return sorted(found, key=lambda each: (each.run_id, each.origin))

    def compacted(self, contents: Mapping[str, bytes] | None = None) -> list[Compacted]:
        """The commits of compactions, oldest first."""
        contents = self.commit_contents(_COMPACTED) if contents is None else contents
        found = [
            parse(self, path, content, Compacted)
            for path, content in contents.items()
            if _COMPACTED.fullmatch(_file_name(path))
        ]
        return sorted(found, key=lambda each: (each.run_id, each.number))

    def commit_contents(self, names: re.Pattern[str] = _TRACE_OR_COMPACTED) -> dict[str, bytes]:
        """The content of commits whose names match."""
        with reading(self.name):
            found = filter(names.fullmatch, self.storage.names(self.commits))
            return self.storage.read_all([f"{self.commits}/{name}" for name in sorted(found)])

    def run_commit(self, run_id: int, origin: str) -> RunCommit | None:
        """The commit of a run by an origin."""
        path = self.run_commit_path(run_id, origin)
        content = self.storage.read(path)
        return None if content is None else parse(self, path, content, RunCommit)

    def path(self, file: File) -> str:
        return self.full(file.path)

    def missing(self, commits: Sequence[TraceCommit | RunCommit]) -> str | None:
        """The first file of some commits that is absent or of another size, with what is wrong."""
        for commit in commits:
            for file in commit.files:
                if (wrong := self.wrong_size(file)) is not None:
                    return f"{self.path(file)} {wrong}"
        return None

    def wrong_size(self, file: File) -> str | None:
        """A clause that a file is absent or truncated; None if its size is that of the commit."""
        n_bytes = self.storage.size(file.path)
        if n_bytes is None:
            return "is missing, though a commit names it"
        if n_bytes != file.bytes:
            return f"has {n_bytes:,} bytes, its commit says {file.bytes:,}"
        return None

    def remove_files(self, files: Iterable[File]) -> None:
        """Deletes files that no commit names any more, and folders left empty."""
        for file in files:
            with suppress(OSError):
                self.storage.remove(file.path)


Commit = TypeVar("Commit", TraceCommit, RunCommit, Compacted)


def current(runs: Sequence[RunCommit], traces: Mapping[int, TraceCommit]) -> list[RunCommit]:
    """The commits in use: for each run with traces, the one computed from most of them."""
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


def parse(lake: Lake, path: str, content: bytes, kind: type[Commit]) -> Commit:
    """Reads a commit. Raises InvalidDatabase."""
    try:
        values = json.loads(content)
        files = tuple(File(**file) for file in values.pop("files"))
        if kind is RunCommit:
            values["traces"] = tuple(values["traces"])
        if kind is Compacted:
            parts = values["traces"].items()
            values["traces"] = {int(number): Part(**part) for number, part in parts}
        return kind(files=files, **values)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidDatabase(
            f"{lake.full(path)} is damaged: it is not a commit of a lake",
            hint="Remove it, and sync or import its trace again.",
        ) from error


def text_of(commit: TraceCommit | RunCommit | Compacted) -> bytes:
    """The content of a commit's file."""
    return _text(asdict(commit))


def _text(values: Mapping[str, Any]) -> bytes:
    return (json.dumps(values, indent=1) + "\n").encode()


def numbered(compacted: Compacted, number: int) -> Compacted:
    """A compaction under another number."""
    return dataclasses.replace(compacted, number=number)


def attempt() -> str:
    """A random name for the files of one attempt to write."""
    return secrets.token_hex(6)


def description(schema_version: int, commits: str = COMMITS) -> bytes:
    """The content of lake.json."""
    described = {"format": FORMAT, "schema_version": schema_version}
    return _text(described if commits == COMMITS else described | {"commits": commits})


def _file_name(path: str) -> str:
    return path.rsplit("/", 1)[-1]


def _no_lake(storage: Storage) -> DatabaseError:
    what = "is not a lake: it has no lake.json" if storage.exists() else "does not exist"
    return DatabaseError(
        f"{storage.name} {what}",
        hint="Make one with `tw lake sync DIR` or `tw import --lake DIR PATH`, in a new folder.",
    )


@contextmanager
def writing(name: str) -> Iterator[None]:
    """Converts errors of the system to ExportError."""
    try:
        yield
    except OSError as error:
        raise ExportError(
            f"the lake {name} cannot be written: {error.strerror or error}",
            hint="Free space, or name another folder; what is committed stands.",
        ) from error


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Converts errors of the system to DatabaseError."""
    try:
        yield
    except OSError as error:
        raise DatabaseError(
            f"the lake {name} cannot be read: {error.strerror or error}",
            hint="Check its permissions, and that its file system is mounted.",
        ) from error
