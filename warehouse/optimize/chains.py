"""Runs the chains of a search in this process or in several, with the same result."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor, wait
from dataclasses import replace
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

from warehouse.errors import TwError
from warehouse.optimize.annealing import N_CHAINS, Chain, Job, run_chain
from warehouse.processes import end_with

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from warehouse.optimize.reduction import Reduction
    from warehouse.optimize.search import Annealing


def run(
    reduction: Reduction,
    start: tuple[int, ...],
    recorded_ns: float,
    annealing: Annealing,
    *,
    keeps_count: bool = False,
) -> list[Chain]:
    """Anneals from groups that end before these places; returns the chains in order.

    The budget is that of all chains together. Ctrl-C ends all of them. Raises TwError if a process
    was killed.
    """
    n = min(annealing.n_processes, N_CHAINS)
    if annealing.budget_s is not None:
        annealing = replace(annealing, budget_s=annealing.budget_s * n / N_CHAINS)
    jobs = [
        Job(reduction, start, recorded_ns, annealing, keeps_count, number)
        for number in range(N_CHAINS)
    ]
    return _run_in_processes(jobs, n) if n > 1 else _run_here(jobs)


def _run_here(jobs: Sequence[Job]) -> list[Chain]:
    found: list[Chain] = []
    for job in jobs:
        found.append(run_chain(job))
        if found[-1].is_stopped and job.annealing.budget_s is None:
            break
    return found


def _run_in_processes(jobs: Sequence[Job], n_processes: int) -> list[Chain]:
    context = get_context("spawn")  # not fork: a child would lack the threads of DuckDB
    stop = context.RawValue("b", 0)
    listening, lifeline = context.Pipe(duplex=False)
    with ProcessPoolExecutor(
        n_processes, mp_context=context, initializer=_start_worker, initargs=(stop, listening)
    ) as pool:
        futures: list[Future[Chain]] = [pool.submit(_run_in_worker, job) for job in jobs]
        try:
            wait(futures)
        except KeyboardInterrupt:
            stop.value = 1
        try:
            found = [future.result() for future in futures]
        except BrokenExecutor:
            raise TwError(
                "the search failed: a process of it was killed",
                hint="Out of memory? Use fewer --processes.",
            ) from None
    lifeline.close()
    return found


_stop: Any = None  # of this worker process: shared with the parent


def _start_worker(stop: Any, listening: Connection) -> None:
    import signal

    global _stop
    _stop = stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what Ctrl-C means
    threading.Thread(target=end_with, args=(listening,), daemon=True).start()


def _run_in_worker(job: Job) -> Chain:
    return run_chain(job, lambda: bool(_stop.value))
