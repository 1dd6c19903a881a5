"""Imports the new files of an inbox folder.

Size and modification time of each file are recorded with its outcome, so that a scan reads no file
twice. Files that may still be written are left for the next scan: recently changed ones, names of
unfinished downloads, and files that change while they are read (their traces are removed again). A
failed file is retried when it changes, or by another version of tw. A file that has grown (its
earlier content is a prefix of the present one) replaces its earlier import, also one that no scan
did; an overwritten one does not.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from warehouse import __version__
from warehouse.errors import UsageError
from warehouse.ingest import pipeline
from warehouse.ingest.pipeline import Options, Outcome, Progress
from warehouse.ingest.sources import Source
from warehouse.link import linkers, run_links
from warehouse.store import database, deletion

if TYPE_CHECKING:
    import duckdb

SETTLE_S = 30.0
_UNFINISHED = (".part", ".partial", ".tmp", ".temp", ".crdownload", ".filepart", ".swp", "~")
_CHUNK = 1 << 20
_FINAL = ("imported", "damaged", "present")  # not tried again until the file changes


@dataclass(frozen=True)
class Stamp:
    """Size and modification time of a file."""

    n_bytes: int
    modified_ns: int


@dataclass(frozen=True)
class FileState:
    """The recorded state of a file."""

    stamp: Stamp
    status: str  # imported, damaged, present, ignored, failed
    sha256: str | None
    trace_ids: tuple[int, ...]
    n_tries: int
    tw_version: str


@dataclass(frozen=True)
class InboxScan:
    """The result of a scan."""

    outcomes: tuple[Outcome, ...]
    n_known: int  # unchanged files
    n_failed_before: int  # of these, those that failed
    unsettled: tuple[Path, ...]  # may still be written to


def import_new(
    folder: Path,
    *,
    db: Path,
    options: Options | None = None,
    progress: Progress | None = None,
    settle_s: float = SETTLE_S,
    retries_failed: bool = False,
) -> InboxScan:
    """Imports the new files below a folder; raises UsageError, and what `import_paths` raises."""
    options = options or Options()
    if not folder.is_dir():
        raise UsageError(f"the inbox {folder} is not a folder")
    known = _known(db, options.wait_s)
    scan = _Scan(known, settle_s, retries_failed)
    outcomes: list[Outcome] = []
    if any(folder.iterdir()):
        outcomes = pipeline.import_paths(
            [folder], db=db, options=options, progress=progress, includes=scan.includes
        )
    imports = _imports(db, options.wait_s, scan.before)
    read = _Read.of(scan, outcomes, imports)  # without a lock of the warehouse: files may be large
    changed = {path for path in scan.before if _stamp(path) != scan.before[path]}
    if scan.before:
        _remember(db, options.wait_s, read, scan, changed)
    kept = [each for each in outcomes if not changed & set(_paths(each.source))]
    return InboxScan(
        tuple(kept), scan.n_known, scan.n_failed_before, tuple(sorted(scan.unsettled | changed))
    )


class _Scan:
    """Selects new sources, and keeps their stamps from before they are read."""

    def __init__(
        self, known: Mapping[Path, FileState], settle_s: float, retries_failed: bool
    ) -> None:
        self.known = known
        self.before: dict[Path, Stamp] = {}
        self.unsettled: set[Path] = set()
        self.n_known = self.n_failed_before = 0
        self._latest_ns = time.time_ns() - round(settle_s * 1e9)
        self._retries_failed = retries_failed

    def includes(self, source: Source) -> bool:
        stamps = {path: _stamp(path) for path in _paths(source)}
        if all(self._is_known(path, stamp) for path, stamp in stamps.items()):
            states = [self.known[path].status for path in stamps]
            self.n_known += 1
            self.n_failed_before += "failed" in states
            return False
        moving = [path for path, stamp in stamps.items() if self._may_change(path, stamp)]
        if moving:
            self.unsettled.update(moving)
            return False
        self.before.update(stamps)
        return True

    def _is_known(self, path: Path, stamp: Stamp) -> bool:
        known = self.known.get(path)
        if known is None or known.stamp != stamp:
            return False
        is_final = known.status in _FINAL or known.tw_version == __version__
        return is_final and not (known.status == "failed" and self._retries_failed)

    def _may_change(self, path: Path, stamp: Stamp) -> bool:
        return stamp.modified_ns > self._latest_ns or path.name.lower().endswith(_UNFINISHED)


def _paths(source: Source) -> list[Path]:
    """Returns the files on disk that a source is read from."""
    return list(dict.fromkeys(file.path for file in source.files))


def _stamp(path: Path) -> Stamp:
    try:
        found = path.stat()
    except OSError:  # removed meanwhile
        return Stamp(-1, -1)
    return Stamp(found.st_size, found.st_mtime_ns)


def _known(db: Path, wait_s: float) -> dict[Path, FileState]:
    if not db.exists():
        return {}
    with database.Reader(db, wait_s=wait_s) as reader:
        rows = reader.connection.execute(
            "SELECT path, n_bytes, modified_ns, status, sha256, trace_ids, n_tries, tw_version "
            "FROM inbox_file"
        ).fetchall()
    return {
        Path(path): FileState(
            Stamp(n_bytes, modified_ns), status, sha256, tuple(ids), n_tries, version
        )
        for path, n_bytes, modified_ns, status, sha256, ids, n_tries, version in rows
    }


@dataclass(frozen=True)
class _Content:
    """What a file contained when it was imported."""

    n_bytes: int
    sha256: str


def _imports(db: Path, wait_s: float, paths: Iterable[Path]) -> dict[Path, list[_Content]]:
    """What the traces of the warehouse were read from, by scans or not, for each file."""
    if not db.exists():
        return {}
    by_origin = {Source(path).origin: path for path in paths}
    with database.Reader(db, wait_s=wait_s) as reader:
        rows = reader.connection.execute(
            "SELECT DISTINCT path, n_bytes, sha256 FROM source_file "
            "WHERE member IS NULL AND list_contains($paths, path)",
            {"paths": list(by_origin)},
        ).fetchall()
    found: dict[Path, list[_Content]] = {}
    for origin, n_bytes, sha256 in rows:
        found.setdefault(by_origin[origin], []).append(_Content(n_bytes, sha256))
    return found


@dataclass(frozen=True)
class _Read:
    """The result of reading a file: its outcomes, and the SHA-256 if it was imported."""

    outcomes: tuple[Outcome, ...]
    sha256: str | None
    beginnings: frozenset[str]  # SHA-256 of earlier contents with which the present one begins

    @classmethod
    def of(
        cls, scan: _Scan, outcomes: Sequence[Outcome], imports: Mapping[Path, list[_Content]]
    ) -> dict[Path, _Read]:
        """The results of a scan by file."""
        by_path: dict[Path, list[Outcome]] = {path: [] for path in scan.before}
        for outcome in outcomes:
            for path in _paths(outcome.source):
                if path in by_path:
                    by_path[path].append(outcome)
        found = {}
        for path, mine in by_path.items():
            earlier = imports.get(path, [])
            known = scan.known.get(path)
            if known and known.sha256:
                earlier = [*earlier, _Content(known.stamp.n_bytes, known.sha256)]
            found[path] = cls._of(path, earlier, mine)
        return found

    @classmethod
    def _of(cls, path: Path, earlier: Sequence[_Content], outcomes: Sequence[Outcome]) -> _Read:
        is_new = any(each.status == "imported" for each in outcomes)
        sha256, beginnings = None, frozenset[str]()
        with suppress(FileNotFoundError):  # removed meanwhile, which is a change
            if is_new:
                beginnings = _beginnings(path, earlier)
            sha256 = _sha256(path) if _status_of(outcomes) in ("imported", "damaged") else None
        return cls(tuple(outcomes), sha256, beginnings)


def _remember(
    db: Path, wait_s: float, read: Mapping[Path, _Read], scan: _Scan, changed: set[Path]
) -> None:
    """Records the outcome of each file, in one transaction with the removal of traces."""
    if not db.exists():
        database.create_empty(db)
    with database.writer(db, wait_s=wait_s) as connection, database.transaction(connection):
        doomed: set[int] = set()
        for path, found in read.items():
            if path in changed:
                doomed.update(_trace_ids(found.outcomes))
                continue
            known = scan.known.get(path)
            if found.beginnings:
                new = _trace_ids(found.outcomes)
                earlier = _earlier(connection, path, found.beginnings, known) - set(new)
                _move_to_run_of(connection, earlier, new)
                doomed.update(earlier)
            _write(connection, path, scan.before[path], found, known)
        _take_out(connection, doomed)


def _earlier(
    connection: duckdb.DuckDBPyConnection,
    path: Path,
    beginnings: frozenset[str],
    known: FileState | None,
) -> set[int]:
    """The traces of the file's earlier content: recorded ids may be of other traces by now."""
    ids = known.trace_ids if known and known.sha256 in beginnings else ()
    rows = connection.execute(
        "SELECT trace_id FROM source_file WHERE path = ? "
        "AND (list_contains(?::VARCHAR[], sha256) OR list_contains(?::BIGINT[], trace_id))",
        [Source(path).origin, list(beginnings), list(ids)],
    ).fetchall()
    return {trace_id for (trace_id,) in rows}


def _move_to_run_of(
    connection: duckdb.DuckDBPyConnection, earlier: set[int], new: Sequence[int]
) -> None:
    """Moves the traces from a run of their own to that of the earlier ones, if it is a single one.

    So it keeps its name and its tags.
    """
    runs = connection.execute(
        "SELECT run_id, bool_and(list_contains($new, id)) AS is_new, "
        "bool_or(list_contains($earlier, id)) AS is_earlier FROM trace "
        "GROUP BY run_id HAVING bool_or(list_contains(list_concat($new, $earlier), id))",
        {"new": list(new), "earlier": sorted(earlier)},
    ).fetchall()
    targets = [run_id for run_id, _, is_earlier in runs if is_earlier]
    own = [run_id for run_id, is_new, _ in runs if is_new]
    if len(targets) != 1 or len(own) != len(runs) - 1:
        return
    connection.execute(
        "UPDATE trace SET run_id = $run WHERE list_contains($new, id)",
        {"run": targets[0], "new": list(new)},
    )
    connection.execute(
        "UPDATE link SET run_id = $run WHERE list_contains($own, run_id)",
        {"run": targets[0], "own": own},
    )


def _take_out(connection: duckdb.DuckDBPyConnection, trace_ids: Iterable[int]) -> None:
    present = {trace_id for (trace_id,) in connection.execute("SELECT id FROM trace").fetchall()}
    ids = sorted(set(trace_ids) & present)
    runs = deletion.delete_traces(connection, ids) if ids else set()
    for run_id in sorted(runs):
        run_links.link_run(connection, linkers.linkers(), run_id)


def _trace_ids(outcomes: Sequence[Outcome]) -> list[int]:
    return [each.committed.trace_id for each in outcomes if each.committed]


def _beginnings(path: Path, earlier: Iterable[_Content]) -> frozenset[str]:
    """The SHA-256 of those earlier contents with which the present, longer one begins."""
    size, found = path.stat().st_size, set[str]()
    digest, n_read = hashlib.sha256(), 0
    with path.open("rb") as file:
        for each in sorted(earlier, key=lambda each: each.n_bytes):
            if each.n_bytes >= size:
                break
            while n_read < each.n_bytes and (
                chunk := file.read(min(each.n_bytes - n_read, _CHUNK))
            ):
                digest.update(chunk)
                n_read += len(chunk)
            if digest.hexdigest() == each.sha256:
                found.add(each.sha256)
    return frozenset(found)


_WORST = ("failed", "damaged", "imported", "present", "ignored")


def _write(
    connection: duckdb.DuckDBPyConnection,
    path: Path,
    stamp: Stamp,
    read: _Read,
    known: FileState | None,
) -> None:
    outcomes = read.outcomes
    errors = [
        str(each.error.message) for each in outcomes if each.error and each.status == "failed"
    ] + [each.damage for each in outcomes if each.damage]
    now = datetime.now(UTC).replace(tzinfo=None)
    (first_seen,) = database.one(
        connection, "SELECT coalesce(min(first_seen_at), ?) FROM inbox_file WHERE path = ?",
        [now, str(path)],
    )  # fmt: skip
    connection.execute("DELETE FROM inbox_file WHERE path = ?", [str(path)])
    connection.execute(
        "INSERT INTO inbox_file VALUES (?, ?, ?, ?, ?, ?, ?::BIGINT[], ?, ?, ?, ?)",
        [
            str(path), stamp.n_bytes, stamp.modified_ns, _status_of(outcomes),
            "; ".join(errors) or None, read.sha256, _trace_ids(outcomes),
            (known.n_tries if known else 0) + 1, first_seen, now, __version__,
        ],
    )  # fmt: skip


def _status_of(outcomes: Sequence[Outcome]) -> str:
    """The worst status of the sources in a file."""
    states = {"damaged" if each.damage else each.status for each in outcomes}
    return next((each for each in _WORST if each in states), "ignored")


def _sha256(path: Path) -> str:
    from warehouse.export import manifest

    return manifest.sha256(path)
