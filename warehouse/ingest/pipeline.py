"""Imports traces: find → sniff → decode (no lock) → commit (a transaction per trace) → link runs.

Each trace is imported completely or not at all. Sources are decoded in parallel, by threads or
worker processes, and committed in the order given, timelines before graphs, so that ids are
deterministic. Small ones are decoded and committed in groups.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections import deque
from collections.abc import Callable, Container, Generator, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from warehouse.errors import (
    DuplicateTrace,
    InvalidDatabase,
    TraceError,
    TwError,
    UnknownFormat,
    UnwritableDatabase,
    UsageError,
)
from warehouse.ingest import captures, failures, formats, space
from warehouse.ingest.commit import CommittedTrace, commit, link_runs
from warehouse.ingest.commit_together import commit_together
from warehouse.ingest.decode import DecodedSource, Settings, available_cores
from warehouse.ingest.hashing import SourceSha256
from warehouse.ingest.runs import RunChoice
from warehouse.ingest.sources import Source
from warehouse.ingest.together import DecodedTogether, Job, Unit, halves, units
from warehouse.ingest.workers import WORTH_SHARING, Decoded, alone, decode_all, decode_unit
from warehouse.link import run_links
from warehouse.processes import is_alive
from warehouse.store import database, template, texts

OnDuplicate = Literal["skip", "replace", "error"]
_STAGES = ("read", "prepare", "wait", "lock")  # of an import, one after the other
_in_use: set[Path] = set()  # scratch folders of this process


@dataclass(frozen=True)
class Options:
    """Options of an import; see `tw import --help`."""

    run: str | None = None
    rank: int | None = None
    is_one_run: bool = False  # all sources belong to one run
    format: str | None = None
    on_duplicate: OnDuplicate = "skip"
    wait_s: float = database.DEFAULT_WAIT_S
    jobs: int | None = None  # worker processes; None: as many as cores and sources allow
    debug_log: Path | None = None  # gets the tracebacks of unexpected failures
    settings: Settings = field(default_factory=Settings)


@dataclass
class Outcome:
    """The outcome of one source."""

    source: Source
    status: Literal["imported", "present", "failed", "ignored"]
    committed: CommittedTrace | None = None
    error: TwError | None = None
    n_stored_bytes: int = 0
    n_content_bytes: int = 0
    damage: str | None = None  # the parts of an imported or present source that could not be read
    seconds: float | None = None  # the share of a source that was imported together with others


@dataclass(frozen=True)
class _Stored:
    """A trace in the warehouse, or planned in this import."""

    damage: str | None = None
    has_problems: bool = False  # beyond notes
    n_bytes: int = 0  # of its files, as stored


_Files = tuple[str, ...]  # the sorted SHA-256 of the files of a source


class Progress:
    """Receives progress events; this base class ignores them."""

    def start(self, n_sources: int, n_bytes: int) -> None:
        """Called before reading, with the number of sources and their stored bytes."""

    def advance(self, n_bytes: int) -> None:
        """Called when stored bytes have been read."""

    def outcome(self, outcome: Outcome) -> None:
        """Called when a source is complete."""


def import_paths(
    paths: Sequence[str | Path],
    *,
    db: str | Path,
    options: Options | None = None,
    progress: Progress | None = None,
    stdin: Any = None,
    includes: Callable[[Source], bool] | None = None,
) -> list[Outcome]:
    """Imports files, folders, globs, archives, or `-` for `stdin`; returns an outcome per source.

    Raises only for failures that concern all sources (file not found, warehouse cannot be opened);
    the failure of a source is its outcome. Files of a folder in unsupported formats are ignored.
    The traces of a run are linked at the end; a failure there is raised after all outcomes.
    Sources for which `includes` is false are not read and have no outcome.
    """
    options, progress = options or Options(), progress or Progress()
    db = Path(db).absolute()
    with scratch_folder(db) as scratch:
        copy = _copy_stdin(stdin, scratch) if "-" in map(str, paths) else None
        sources = captures.find([str(path) for path in paths], copy, options.format)
        sources = [each for each in sources if includes is None or includes(each)]
        _check_options(options)
        present, is_unlinked = _present(db, options)
        is_only = len(sources) == 1
        planned = [
            _plan(source, scratch / str(n), options, present, is_only=is_only)
            for n, source in enumerate(sources)
        ]
        # Timelines first: graphs are paired with those of the same processes, and recordings of
        # captures join the run of what replays them.
        order = sorted(range(len(planned)), key=lambda n: _place(planned[n]))
        _refuse_too_large(planned, order, scratch)
        jobs = [job for n in order if isinstance(job := planned[n], Job)]
        n_bytes = sum(job.n_bytes for job in jobs)
        if n_bytes >= WORTH_SHARING and not db.exists():
            template.expect()
        progress.start(len(jobs), n_bytes)
        choice = RunChoice(options.run, options.rank, options.is_one_run)
        outcomes: dict[int, Outcome] = {}
        # Closed explicitly: garbage collection may run at interpreter shutdown.
        target = _Target(db, options, choice, progress.advance)
        with closing(target.imported(jobs)) as imported:
            for n in order:
                plan = planned[n]
                outcome = plan if isinstance(plan, Outcome) else next(imported)
                if options.debug_log is not None:
                    failures.log(outcome.error, options.debug_log)
                outcomes[n] = outcome
                progress.outcome(outcome)
        done = [outcome.committed for outcome in outcomes.values() if outcome.committed]
        # Runs of one trace need no linking.
        if done[-1].leaves_unlinked if done else is_unlinked:
            link_runs(db, scratch, options.settings, wait_s=options.wait_s)
        return [outcomes[n] for n in range(len(planned))]


def _place(plan: Job | Outcome) -> int:
    if not isinstance(plan, Job):
        return 0
    if formats.by_name(plan.importer).kind == "graph":
        return 2
    return int(formats.is_capture(plan.source, plan.importer))


@contextmanager
def scratch_folder(db: Path) -> Iterator[Path]:
    """Creates a scratch folder beside the warehouse, and removes those of dead processes."""
    texts.must_be_a_path(db)
    parent = db.with_name(db.name + ".scratch")
    try:
        parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TwError(f"cannot write beside {db}: {error.strerror}") from None
    for folder in parent.iterdir():
        if _is_stale(folder):
            shutil.rmtree(folder, ignore_errors=True)
    # Unique also where process ids are reused soon, as in containers.
    mine = parent / f"{os.getpid()}-{time.time_ns():x}"
    mine.mkdir(parents=True, mode=0o700)  # its files may be more readable than the warehouse
    _in_use.add(mine)
    try:
        yield mine
    finally:
        _in_use.discard(mine)
        shutil.rmtree(mine, ignore_errors=True)
        with suppress(OSError):  # in use by another import
            parent.rmdir()


def _is_stale(folder: Path) -> bool:
    pid = folder.name.partition("-")[0]
    if not pid.isdigit():
        return False  # not ours
    if int(pid) == os.getpid():
        return folder not in _in_use
    return not is_alive(int(pid))


def _copy_stdin(stdin: Any, scratch: Path) -> Path:
    """Copies standard input to a file: it is read twice, to sniff and to decode."""
    copy = scratch / "stdin"
    try:
        with copy.open("wb") as target:
            shutil.copyfileobj(stdin or sys.stdin.buffer, target, 1 << 20)
    except OSError as error:
        raise TwError(f"standard input could not be copied: {error.strerror or error}") from None
    return copy


def _check_options(options: Options) -> None:
    """Raises UsageError for options that no importer has."""
    known = sorted({name for each in formats.loadable() for name in each.options})
    for name, _ in options.settings.options:
        if name not in known:
            hint = f"Known: {', '.join(known)}." if known else "No importer has options."
            raise UsageError(f"no importer has an option {name!r}", hint=hint)


def _present(db: Path, options: Options) -> tuple[dict[_Files, _Stored], bool]:
    """Returns the files of all stored traces, and whether runs are left unlinked.

    Opening the warehouse here reports failures early.
    """
    if not db.exists():
        return {}, False
    with database.Reader(db, wait_s=options.wait_s) as reader:
        rows = reader.connection.execute(
            "SELECT list(DISTINCT f.sha256), any_value(t.damage), "
            "t.id IN (SELECT trace_id FROM import_problem WHERE severity <> 'note'), "
            "sum(f.n_bytes)::BIGINT "
            "FROM source_file AS f JOIN trace AS t ON t.id = f.trace_id "
            # Files that options named are read besides the source.
            "WHERE NOT starts_with(f.role, 'option ') GROUP BY t.id"
        ).fetchall()
        is_unlinked = bool(run_links.unlinked_runs(reader.connection))
    return {tuple(sorted(files)): _Stored(*stored) for files, *stored in rows}, is_unlinked


def _plan(
    source: Source,
    folder: Path,
    options: Options,
    present: dict[_Files, _Stored],
    *,
    is_only: bool,
) -> Job | Outcome:
    """Chooses the importer of a source and detects duplicates, from its first bytes and SHA-256.

    When reading strictly, a stored source that has problems is read again, to be judged. The only
    source of an import is no duplicate if no stored trace has its size: its SHA-256 is computed
    while it is decoded.
    """
    if source.trouble is not None:
        return Outcome(source, "failed", error=source.trouble)
    sizes = {stored.n_bytes for stored in present.values()} if is_only else None
    job = failures.attempt(source.label, "read", lambda: _job(source, folder, options, sizes))
    if isinstance(job, TwError):
        is_other = isinstance(job, UnknownFormat) and not source.is_named
        return Outcome(source, "ignored" if is_other else "failed", error=job)
    if options.on_duplicate == "replace" or isinstance(job.sha256, SourceSha256):
        return job
    files = tuple(sorted(set(job.sha256)))
    if (stored := present.get(files)) is None:
        present[files] = _Stored()
        return job
    if options.settings.is_strict and stored.has_problems:
        return replace(job, is_stored=True)
    return _duplicate(source, options, stored.damage)


def _refuse_too_large(planned: list[Job | Outcome], order: Sequence[int], scratch: Path) -> None:
    """Replaces the jobs that the disk cannot hold by their outcomes."""
    places = [n for n in order if isinstance(planned[n], Job)]
    jobs = [job for n in places if isinstance(job := planned[n], Job)]
    for n, job, refusal in zip(places, jobs, space.refusals(jobs, scratch), strict=True):
        if refusal is not None:
            job.close()
            planned[n] = Outcome(job.source, "failed", error=refusal)


def _job(source: Source, folder: Path, options: Options, sizes: Container[int] | None) -> Job:
    """The job of a source; `sizes` are those of the stored traces, if it is the only source."""
    name = source.importer or options.format
    importer = formats.by_name(name) if name else formats.choose(source)
    stamps = source.stamps()  # first: what changes later is noticed
    size = source.size()
    is_new = sizes is not None and size not in sizes
    sha256 = SourceSha256(source) if is_new else source.sha256()
    return Job(source, importer.name, sha256, folder, size, stamps)


def _duplicate(source: Source, options: Options, damage: str | None = None) -> Outcome:
    error = DuplicateTrace(
        f"{source.label} has already been imported",
        hint="--on-duplicate replace imports it again.",
    )
    is_failure = options.on_duplicate == "error"
    return Outcome(source, "failed" if is_failure else "present", error=error, damage=damage)


@dataclass
class _Target:
    """The warehouse that sources are imported into."""

    db: Path
    options: Options
    choice: RunChoice
    advance: Callable[[int], None]

    def imported(self, jobs: list[Job]) -> Generator[Outcome, None, None]:
        """Imports sources; yields their outcomes in order."""
        # What replaces a trace is imported on its own: the trace may have been in any run.
        is_grouped = self.options.on_duplicate != "replace"
        n_workers = self.options.jobs or available_cores()
        of_import: list[Unit] = units(jobs, n_workers) if is_grouped else [(job,) for job in jobs]
        decoded = decode_all(of_import, self.options.settings, self.options.jobs, self.advance)
        with closing(decoded), ExitStack() as hashing:
            for job in jobs:
                hashing.callback(job.close)
            for unit in of_import:
                yield from self._finished(unit, next(decoded), jobs[-1])

    def _finished(self, unit: Unit, results: list[Decoded], last: Job) -> Iterator[Outcome]:
        waiting = deque(unit)
        for result in results:
            if isinstance(result, DecodedTogether):
                for _ in result.unit:
                    waiting.popleft()
                yield from self._finished_together(result, last)
            else:
                job = waiting.popleft()
                is_last = job is last
                yield _finish(job, result, self.db, self.options, self.choice, is_last)

    def _finished_together(self, together: DecodedTogether, last: Job) -> Iterator[Outcome]:
        """Commits sources together; if that fails, imports each half."""
        done = self._commit(together)
        if done is not None:
            committed = iter(done)
            for job, each in zip(together.unit, together.results, strict=True):
                if isinstance(each, TwError):
                    yield _unread(job, each)
                else:
                    trace = next(committed)
                    outcome = _imported(job, each, trace)
                    outcome.seconds = sum(map(trace.seconds.__getitem__, _STAGES))
                    yield outcome
            return
        settings = self.options.settings
        for half in halves(together.unit):
            results = decode_unit(half, alone(half, settings), lambda _: None, keep_open=True)
            yield from self._finished(half, results, last)

    def _commit(self, together: DecodedTogether) -> list[CommittedTrace] | None:
        """Commits what was decoded; returns None where the sources are to be split."""
        try:
            if not together.decoded:
                return []
            done = failures.attempt(
                together.unit[0].source.label,
                "stored",
                lambda: commit_together(
                    together, self.db, self.options.settings, self.choice,
                    wait_s=self.options.wait_s,
                ),
            )  # fmt: skip
        finally:
            together.close()
            shutil.rmtree(together.folder, ignore_errors=True)
        if isinstance(done, UnwritableDatabase):
            done.hint = "What was imported stands; import the files again when there is room."
        # No other source can be stored either.
        if isinstance(done, InvalidDatabase | UnwritableDatabase):
            raise done
        return None if isinstance(done, TwError) else done


def _unread(job: Job, error: TwError) -> Outcome:
    is_passed_over = isinstance(error, UnknownFormat) and not job.source.is_named
    return Outcome(job.source, "ignored" if is_passed_over else "failed", error=error)


def _imported(job: Job, decoded: DecodedSource, done: CommittedTrace) -> Outcome:
    return Outcome(
        job.source,
        "imported",
        done,
        None,
        decoded.n_stored_bytes,
        decoded.n_content_bytes,
        decoded.damage,
    )


def _finish(
    job: Job,
    decoded: DecodedSource | TwError,
    db: Path,
    options: Options,
    choice: RunChoice,
    is_last: bool,
) -> Outcome:
    """Commits a decoded source, unless it is stored or empty, and removes its scratch folder."""
    if isinstance(decoded, TwError):
        return _unread(job, decoded)
    try:
        if job.is_stored:
            return _duplicate(job.source, options, decoded.damage)
        if not decoded.account.n_records and job.source.is_named:
            return Outcome(job.source, "failed", error=_no_events(decoded))
        done = failures.attempt(
            job.source.label,
            "stored",
            lambda: commit(
                decoded,
                db,
                options.settings,
                choice,
                replace=options.on_duplicate == "replace",
                wait_s=options.wait_s,
                is_last=is_last,
            ),
        )
    finally:
        decoded.close()
        shutil.rmtree(job.folder, ignore_errors=True)
    if isinstance(done, DuplicateTrace):
        return _duplicate(job.source, options, decoded.damage)
    if isinstance(done, InvalidDatabase):  # no other source can be stored either
        raise done
    if isinstance(done, TwError):
        return Outcome(job.source, "failed", error=done)
    return _imported(job, decoded, done)


def _no_events(decoded: DecodedSource) -> TraceError:
    lost = f": {decoded.damage}" if decoded.damage else ""
    return TraceError(
        f"{decoded.source.label} has no events{lost}", hint="Was the recording finished?"
    )
