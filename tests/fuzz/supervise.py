"""Runs executions in a child process, so that one that crashes or hangs is found and skipped."""

from __future__ import annotations

import mmap
import pickle
import resource
import shutil
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path

from tests.fuzz import engine
from tests.fuzz.engine import Result
from tests.fuzz.family import Family
from tests.fuzz.finds import Find, Mode
from tests.fuzz.limits import limit_address_space

_MORE_BYTES = 4 << 30  # that a child may reserve: DuckDB and Arrow reserve more than they use
_POLL_S = 2.0
_PATIENCE_S = 600.0  # for one execution, with all of minimising
_MEMORY = Path("/dev/shm")


def run(family: Family, mode: Mode, seed: int, count: int, until: float) -> tuple[Result, float]:
    """Executes `count` inputs; returns what came of them, and the processor time in seconds."""
    total, first = Result(), 0
    began = _children_s()
    with _workspace() as folder:
        while first < count and time.monotonic() < until:
            result, first = _run_child(family, mode, seed, range(first, count), until, folder)
            total.ends += result.ends
            total.n_broken += result.n_broken
            total.n_done += result.n_done
            total.finds = {**result.finds, **total.finds}
            if first < 0:
                break
    return total, _children_s() - began


def _run_child(
    family: Family, mode: Mode, seed: int, numbers: range, until: float, folder: Path
) -> tuple[Result, int]:
    """The result of a child, and the number to go on with; -1 where nothing is left."""
    # Forked: it has no threads yet, and loading the program again takes a second.
    (folder / "results").unlink(missing_ok=True)
    (folder / "at").write_bytes(bytes(8))
    child = get_context("fork").Process(
        target=_work, args=(family, mode, seed, numbers, until, folder)
    )
    child.start()
    _watch(child, folder / "at")
    if child.exitcode == 0:
        result: Result = pickle.loads((folder / "results").read_bytes())  # noqa: S301 - our own
        return result, -1
    at = int.from_bytes((folder / "at").read_bytes(), "little")
    step = engine.TOGETHER if mode == "import" else 1
    what = f"process ended with code {child.exitcode}"
    inputs = [
        engine.input_of(family, seed, mode, number)
        for number in range(at, min(at + step, numbers.stop))
    ]
    crashed = Result(n_done=at + len(inputs) - numbers.start)
    for files in inputs:
        crashed.add(Find(family.name, mode, files, what, what))
    return crashed, at + step


def _watch(child: BaseProcess, at: Path) -> None:
    """Waits for the child; kills it where it does not get from one execution to the next."""
    seen, since = b"", time.monotonic()
    while child.is_alive():
        child.join(_POLL_S)
        now = at.read_bytes()
        if now != seen:
            seen, since = now, time.monotonic()
        elif time.monotonic() - since > _PATIENCE_S:
            child.kill()
            child.join()


def _work(
    family: Family, mode: Mode, seed: int, numbers: range, until: float, folder: Path
) -> None:
    try:
        limit_address_space(_MORE_BYTES)
        with (folder / "at").open("r+b") as file, mmap.mmap(file.fileno(), 8) as at:

            def on_start(number: int) -> None:
                at[:] = number.to_bytes(8, "little")

            result = engine.run(family, mode, seed, numbers, folder, until=until, on_start=on_start)
        (folder / "results").write_bytes(pickle.dumps(result))
    except BaseException:
        traceback.print_exc(file=sys.stderr)
        raise


@contextmanager
def _workspace() -> Iterator[Path]:
    """A folder in memory where there is room for it."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz-", dir=_MEMORY if _MEMORY.is_dir() else None))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
