"""Times the simulation of replays, and a whole `tw replay --as`, beside their limits.

    python benchmarks/replay.py [--nodes 1000000] [--groups 430]

The graph has chains on 31 resources, 1 of which serves by priority, and one edge more for every
two nodes. `--groups` is the size of a dPRO trial of 4 ranks and 6 channels that is replayed and
stored, at 2,332 nodes a group. Prints processor time and memory beside the limits, with numba,
which is cached before, and without.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from paired import run, say

N_RESOURCES = 31
LEAST = {True: 5e6, False: 0.4e6}  # nodes a second, with numba and without
_GIB = 1 << 30


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--groups", type=int, default=430)
    parser.add_argument("--part", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        simulate(options.nodes, options.part)
        return
    if importlib.util.find_spec("numba") is None:
        say("numba is not installed: the part compiled is left out, the others are without it")
    else:
        run_part("compiled", options.nodes)
    run_part("python", options.nodes)
    run_part("memory", 5 * options.nodes)
    whole(options.groups)


def run_part(part: str, n_nodes: int) -> None:
    """Runs a part in its own process."""
    command = [sys.executable, __file__, "--part", part, "--nodes", str(n_nodes)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    say(done.stdout.rstrip())


def simulate(n_nodes: int, part: str) -> None:
    """Simulates a graph three times, and prints the best."""
    if part == "python":
        sys.modules["numba"] = None  # type: ignore[assignment]
    from warehouse.replay import engine

    engine.simulate(graph(1_000))  # compiles, or reads the cache
    work, best = graph(n_nodes), float("inf")
    with Peak() as peak:
        for _ in range(1 if part == "memory" else 3):
            started = time.process_time()
            times = engine.simulate(work)
            best = min(best, time.process_time() - started)
    digest = hashlib.sha256(times.start.tobytes() + times.cause.tobytes()).hexdigest()[:8]
    name = f"engine, {part}, {n_nodes:,} nodes, {len(work.target):,} edges ({digest})"
    if part == "memory":
        say(f"{name}: {peak.bytes / _GIB:.2f} GiB, limit 1 GiB")
    else:
        least = LEAST[part == "compiled"]
        rate = n_nodes / best
        say(f"{name}: {rate / 1e6:.2f} M nodes/s, limit {least / 1e6:g} M, x{rate / least:.2f}")


class Peak:
    """The most resident memory of the process while it is open."""

    def __enter__(self) -> Peak:
        self.bytes, self._is_open = 0, True
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_open = False
        self._thread.join()

    def _watch(self) -> None:
        while self._is_open:
            pages = int(Path("/proc/self/statm").read_text().split()[1])
            self.bytes = max(self.bytes, pages * resource.getpagesize())
            time.sleep(0.005)


def graph(n: int) -> Any:
    """Chains on all resources, and edges between nodes that are near in time."""
    import numpy as np

    from warehouse.replay.engine import Work

    r = np.random.default_rng(1)
    runs_on = r.integers(0, N_RESOURCES, n)
    by_resource = np.argsort(runs_on, kind="stable")
    follows = runs_on[by_resource][1:] == runs_on[by_resource][:-1]
    later = r.integers(1, n, n // 2)
    source = np.concatenate(
        [by_resource[:-1][follows], np.maximum(later - r.integers(1, 200, n // 2), 0)]
    )
    target = np.concatenate([by_resource[1:][follows], later])
    order = np.argsort(source, kind="stable")
    n_edges = np.bincount(source, minlength=n)
    return Work(
        dur=r.integers(1, 100, n).astype(float), gap=np.zeros(n), release=np.zeros(n),
        resource=runs_on.astype(np.int64), priority=np.zeros(n, np.int64), order=np.arange(n),
        slot=np.full(n, -1), is_by_priority=(np.arange(N_RESOURCES) == 0).astype(np.int64),
        is_unlimited=np.zeros(N_RESOURCES, np.int64),
        first_edge=np.concatenate([[0], np.cumsum(n_edges)]).astype(np.int64),
        target=target[order].astype(np.int64), delay=np.zeros(len(target)),
    )  # fmt: skip


def whole(n_groups: int) -> None:
    """Replays a trial and stores the prediction."""
    from warehouse.store import database

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trial.duckdb"
        database.create_empty(path)
        with database.writer(path) as connection, database.transaction(connection):
            for statement in connection.extract_statements(_trial(n_groups)):
                connection.execute(statement)
        command = (sys.executable, "-c", "from warehouse.cli import main; main()")
        usage = run([*command, "replay", "--db", str(path), "--as", "p", "-q"])
    say(
        f"tw replay --as, {n_groups * 2332:,} nodes: {usage.cpu_s:.1f} CPU s, limit 12 s; "
        f"{usage.peak_mb * 1e6 / _GIB:.2f} GiB, limit 1.5 GiB"
    )


def _trial(n_groups: int) -> str:
    sql = Path(__file__).with_name("replay_trial.sql").read_text()
    values = {"ranks": 4, "channels": 6, "loops": 8, "groups": n_groups}
    for name, value in values.items():
        sql = sql.replace(f"${name}", str(value))
    return sql


if __name__ == "__main__":
    main()
