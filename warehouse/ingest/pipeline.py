"""Imports traces: find → sniff → decode (no lock) → commit (a transaction per trace) → link runs.

Each trace is imported completely or not at all. Sources are decoded in parallel, by threads or
worker processes, and committed in the order given, timelines before graphs, so that ids are
deterministic.
"""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import duckdb

from warehouse.errors import DuplicateTrace, TwError, UnknownFormat, UsageError
from warehouse.ingest import captures, formats
from warehouse.ingest import decode as decoding
from warehouse.ingest.commit import CommittedTrace, commit, link_runs
from warehouse.ingest.decode import DecodedSource, Settings
from warehouse.ingest.runs import RunChoice
from warehouse.ingest.sources import Source
from warehouse.link import linkers
from warehouse.store import database

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.sharedctypes import Synchronized

OnDuplicate = Literal["skip", "replace", "error"]
_in_use: set[Path] = set()  # scratch folders of this process
#: Stored bytes below which starting a worker, or using several threads, costs more than it saves.
_WORTH_SHARING = 1 << 20
#: Stored bytes of all sources below which threads decode them: starting a process takes as long as
#: decoding 20 MB, and only a quarter of the work holds the interpreter lock.
_WORTH_PROCESSES = 128 << 20
#: Content bytes below which DuckDB uses one thread: more would only cost memory.
_WORTH_ALL_THREADS = 256 << 20


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


@dataclass(frozen=True)
class Job:
    """A source to import, with its scratch folder."""

    source: Source
    importer: str
    sha256: tuple[str, ...]  # of each of its files
    folder: Path


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
        planned = [_plan(source, n, scratch, options, present) for n, source in enumerate(sources)]
        # Timelines first: graphs are paired with those of the same processes.
        order = sorted(range(len(planned)), key=lambda n: _is_graph(planned[n]))
        jobs = [job for n in order if isinstance(job := planned[n], Job)]
        n_bytes = sum(job.source.size() for job in jobs)
        if n_bytes >= _WORTH_SHARING and not db.exists():
            database.expect_new()
        progress.start(len(jobs), n_bytes)
        choice = RunChoice(options.run, options.rank, options.is_one_run)
        outcomes: dict[int, Outcome] = {}
        # Closed explicitly: garbage collection may run at interpreter shutdown.
        with closing(_decode_all(jobs, options, progress)) as decoded:
            for n in order:
                plan = planned[n]
                if isinstance(plan, Outcome):
                    outcome = plan
                else:
                    is_last = plan is jobs[-1]
                    outcome = _finish(plan, next(decoded), db, options, choice, is_last)
                outcomes[n] = outcome
                progress.outcome(outcome)
        done = [outcome.committed for outcome in outcomes.values() if outcome.committed]
        # Runs of one trace need no linking.
        if done[-1].leaves_unlinked if done else is_unlinked:
            link_runs(db, scratch, options.settings, wait_s=options.wait_s)
        return [outcomes[n] for n in range(len(planned))]


def _is_graph(plan: Job | Outcome) -> bool:
    return isinstance(plan, Job) and formats.by_name(plan.importer).kind == "graph"


@contextmanager
def scratch_folder(db: Path) -> Iterator[Path]:
    """Creates a scratch folder beside the warehouse, and removes those of dead processes."""
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
    mine.mkdir(parents=True)
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
    return not _is_alive(int(pid))


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


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


def _present(db: Path, options: Options) -> tuple[set[tuple[str, ...]], bool]:
    """Returns the files of all stored traces, and whether runs are left unlinked.

    Opening the warehouse here reports failures early.
    """
    if not db.exists():
        return set(), False
    with database.Reader(db, wait_s=options.wait_s) as reader:
        rows = reader.connection.execute(
            "SELECT list(DISTINCT sha256) FROM source_file GROUP BY trace_id"
        ).fetchall()
        is_unlinked = bool(linkers.unlinked_runs(reader.connection))
    return {tuple(sorted(files)) for (files,) in rows}, is_unlinked


def _plan(
    source: Source, n: int, scratch: Path, options: Options, present: set[tuple[str, ...]]
) -> Job | Outcome:
    """Chooses the importer of a source and detects duplicates, from its first bytes and SHA-256."""
    if source.trouble is not None:
        return Outcome(source, "failed", error=source.trouble)
    try:
        name = source.importer or options.format
        importer = formats.by_name(name) if name else formats.choose(source)
        sha256 = source.sha256()
    except UnknownFormat as error:
        if source.is_named:
            return Outcome(source, "failed", error=error)
        return Outcome(source, "ignored", error=error)
    except TwError as error:
        return Outcome(source, "failed", error=error)
    files = tuple(sorted(set(sha256)))
    if files in present and options.on_duplicate != "replace":
        return _duplicate(source, options)
    if options.on_duplicate != "replace":
        present.add(files)
    return Job(source, importer.name, sha256, scratch / str(n))


def _duplicate(source: Source, options: Options) -> Outcome:
    error = DuplicateTrace(
        f"{source.label} has already been imported",
        hint="--on-duplicate replace imports it again.",
    )
    is_failure = options.on_duplicate == "error"
    return Outcome(source, "failed" if is_failure else "present", error=error)


def _finish(
    job: Job,
    decoded: DecodedSource | TwError,
    db: Path,
    options: Options,
    choice: RunChoice,
    is_last: bool,
) -> Outcome:
    """Commits a decoded source and removes its scratch folder."""
    if isinstance(decoded, TwError):
        is_passed_over = isinstance(decoded, UnknownFormat) and not job.source.is_named
        return Outcome(job.source, "ignored" if is_passed_over else "failed", error=decoded)
    try:
        done = commit(
            decoded,
            db,
            options.settings,
            choice,
            replace=options.on_duplicate == "replace",
            wait_s=options.wait_s,
            is_last=is_last,
        )
    except DuplicateTrace:
        return _duplicate(job.source, options)
    except TwError as error:
        return Outcome(job.source, "failed", error=error)
    except duckdb.Error as error:
        return Outcome(job.source, "failed", error=_database_trouble(job, error))
    finally:
        decoded.close()
        shutil.rmtree(job.folder, ignore_errors=True)
    return Outcome(
        job.source, "imported", done, None, decoded.n_stored_bytes, decoded.n_content_bytes
    )


def _database_trouble(job: Job, error: duckdb.Error) -> TwError:
    first = str(error).splitlines()[0]
    return TwError(
        f"{job.source.label} could not be stored: {first}",
        hint="Is the disk full? Nothing of this file was stored.",
    )


def _decode_all(
    jobs: list[Job], options: Options, progress: Progress
) -> Generator[DecodedSource | TwError, None, None]:
    """Decodes sources in order, in worker processes where that is faster."""
    cores = decoding.available_cores()
    large = sum(job.source.size() >= _WORTH_SHARING for job in jobs)
    n_workers = options.jobs or min(cores, large)
    if n_workers < 2 or len(jobs) < 2:
        for job in jobs:
            threads = cores if job.source.size() >= _WORTH_SHARING else 1
            settings = replace(options.settings, threads=threads)
            yield _try_decode(job, settings, progress.advance, keep_open=True)
        return
    n_workers = min(n_workers, len(jobs))
    is_little = sum(job.source.size() for job in jobs) < _WORTH_PROCESSES
    decode = _decode_in_threads if is_little and not options.jobs else _decode_in_workers
    yield from decode(jobs, n_workers, options, progress)


def _try_decode(
    job: Job,
    settings: Settings,
    on_progress: Callable[[int], None],
    *,
    keep_open: bool = False,
) -> DecodedSource | TwError:
    try:
        return decoding.decode(
            job.source,
            job.sha256,
            job.importer,
            job.folder,
            settings,
            on_progress,
            keep_open=keep_open,
        )
    except TwError as error:
        return error
    except OSError as error:
        return TwError(f"{job.source.label} could not be decoded: {error.strerror or error}")
    except duckdb.Error as error:
        return TwError(
            f"{job.source.label} could not be decoded: {str(error).splitlines()[0]}",
            hint="Is there space for scratch data? If so, please report it, with the file.",
        )


class _Counter:
    """Counts bytes read by threads, and cancels the threads."""

    def __init__(self) -> None:
        self.n_bytes = 0
        self.is_cancelled = False
        self._lock = threading.Lock()

    def advance(self, n_bytes: int) -> None:
        """Adds to the count; raises in the calling thread when the import has been cancelled."""
        if self.is_cancelled:
            raise TwError("the import was cancelled")
        with self._lock:
            self.n_bytes += n_bytes


def _decode_in_threads(
    jobs: list[Job], n_threads: int, options: Options, progress: Progress
) -> Iterator[DecodedSource | TwError]:
    settings, counter, seen = _shared(options.settings, n_threads), _Counter(), 0
    with ThreadPoolExecutor(n_threads) as pool:
        # No more than threads: a decoded source stays open until it is committed.
        futures: deque[Future[DecodedSource | TwError]] = deque()
        waiting = iter(jobs)
        try:
            while True:
                for job in islice(waiting, n_threads - len(futures)):
                    futures.append(
                        pool.submit(_try_decode, job, settings, counter.advance, keep_open=True)
                    )
                if not futures:
                    return
                seen = _watch(futures[0], lambda: counter.n_bytes, seen, progress)
                decoded = futures.popleft().result()
                if (
                    isinstance(decoded, DecodedSource)
                    and decoded.n_content_bytes >= _WORTH_ALL_THREADS
                ):
                    decoded.widen(replace(options.settings, threads=decoding.available_cores()))
                yield decoded
        finally:
            counter.is_cancelled = True
            for future in futures:
                if not future.cancel() and isinstance(left := future.result(), DecodedSource):
                    left.close()


def _decode_in_workers(
    jobs: list[Job], n_workers: int, options: Options, progress: Progress
) -> Iterator[DecodedSource | TwError]:
    # Not fork: a forked child would lack the threads of DuckDB and Arrow.
    context = get_context("spawn")
    counter = context.Value("q", 0)
    settings = _shared(options.settings, n_workers)
    # Nothing is sent: end of file tells workers that this process has cancelled or ended. (An
    # Event has a lock, and waits for ever for a worker that ended while it held it.)
    listening, lifeline = context.Pipe(duplex=False)
    with ProcessPoolExecutor(
        n_workers, mp_context=context, initializer=_start_worker, initargs=(counter, listening)
    ) as pool:
        futures = [pool.submit(_decode_in_worker, job, settings) for job in jobs]
        seen = 0
        try:
            for job, future in zip(jobs, futures, strict=True):
                # without locking: a killed worker may hold the lock
                seen = _watch(future, lambda: counter.get_obj().value, seen, progress)
                yield _result(job, future)
        finally:
            if not all(future.done() for future in futures):
                pool.shutdown(wait=False, cancel_futures=True)
                lifeline.close()
    lifeline.close()


def _result(job: Job, future: Future[DecodedSource | TwError]) -> DecodedSource | TwError:
    try:
        return future.result()
    except BrokenExecutor:
        return TwError(
            f"{job.source.label} could not be decoded: a worker process was killed",
            hint="Out of memory? Use fewer --jobs or a smaller --memory-limit.",
        )


def _watch(future: Future[Any], n_read: Callable[[], int], seen: int, progress: Progress) -> int:
    """Reports the progress of workers until the future is done; returns the bytes reported."""
    from concurrent.futures import TimeoutError, wait

    done: set[Any] = set()
    while not done:
        try:
            done, _ = wait([future], timeout=0.1)
        except TimeoutError:
            continue
        read = n_read()
        progress.advance(read - seen)
        seen = read
    return seen


_read_bytes: Synchronized[int] | None = None  # of this worker process: shared with the parent


def _start_worker(counter: Synchronized[int], listening: Connection) -> None:
    import signal

    global _read_bytes
    _read_bytes = counter
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what Ctrl-C means
    threading.Thread(target=_die_with_parent, args=(listening,), daemon=True).start()


def _die_with_parent(listening: Connection) -> None:
    """Ends this worker when the import is cancelled or its process has ended."""
    with suppress(EOFError, OSError):
        listening.recv_bytes()
    os._exit(1)


def _decode_in_worker(job: Job, settings: Settings) -> DecodedSource | TwError:
    def advance(n_bytes: int) -> None:
        assert _read_bytes is not None
        with _read_bytes.get_lock():
            _read_bytes.value += n_bytes

    return _try_decode(job, settings, advance)


def _shared(settings: Settings, n: int) -> Settings:
    """Returns the settings of one of `n` concurrent decoders."""
    return replace(
        settings,
        threads=max(1, decoding.available_cores() // n),
        memory_limit=_share(settings.memory_limit, n),
    )


def _share(memory_limit: str, n: int) -> str:
    """Divides a memory limit such as 800MB or 2GiB by n."""
    digits = memory_limit.rstrip("BKMGTibkmgt ")
    return f"{float(digits) / n:.3f}{memory_limit[len(digits) :]}"
