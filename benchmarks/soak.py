"""Tests a shared warehouse under load: one writer, readers, schedules, an idle shell.

    python benchmarks/soak.py [--seconds 60] [--large TRACE]

Every participant is a separate process. Prints the outcomes of each, and how long readers waited
for the warehouse. Exits with 1 if a limit is missed: no traceback, no lost or doubled run of a
schedule, at least 95 % of reads return data, no reader waits longer than 3 seconds (also while
`--large`, about 100 MB, is imported).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

TRACE = Path(__file__).parents[1] / "tests" / "data" / "kineto" / "gpu_handwritten" / "trace.json"
TW = (sys.executable, "-m", "warehouse")
LIMIT_S = 3.0
#: Opens and reads the file repeatedly; prints each waiting time.
READER = """
import sys, time
from pathlib import Path
from warehouse.query import session
place, stop = session.Place(Path(sys.argv[1])), Path(sys.argv[2])
while not stop.exists():
    began = time.perf_counter()
    try:
        with session.opened(place) as opened:
            waited = time.perf_counter() - began
            rows = opened.run("utilization").table().num_rows
        print(f"{waited:.3f}" if rows else "no rows", flush=True)
    except Exception as error:
        print(f"{type(error).__name__}: {error}", flush=True)
    time.sleep(0.05)
"""


@dataclass
class Tally:
    """The outcomes of one kind of process."""

    n_ok: int = 0
    failures: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def ran(self, done: subprocess.CompletedProcess[str], seconds: float) -> None:
        self.seconds.append(seconds)
        if done.returncode == 0:
            self.n_ok += 1
        else:
            self.failures.append(f"exit {done.returncode}: {done.stderr.strip()[-500:]}")


def tw(*arguments: str | Path) -> tuple[subprocess.CompletedProcess[str], float]:
    began = time.perf_counter()
    done = subprocess.run([*TW, *map(str, arguments)], capture_output=True, text=True, check=False)
    return done, time.perf_counter() - began


def write(db: Path, folder: Path, stop: threading.Event, tally: Tally) -> None:
    """Imports different small traces."""
    content = TRACE.read_text()
    n = 0
    while not stop.is_set():
        n += 1
        path = folder / f"trace{n}.json"
        path.write_text(content + " " * n)
        tally.ran(*tw("import", path, "--run", f"run{n}", "--db", db, "--wait", "30", "-q"))
        path.unlink()


def read(db: Path, stop: threading.Event, tally: Tally) -> None:
    """Runs a reader; its tally contains the seconds of each wait."""
    flag = db.with_name("stop")
    with subprocess.Popen(
        [sys.executable, "-c", READER, str(db), str(flag)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    ) as process:  # fmt: skip
        threading.Thread(target=_raise_flag, args=(stop, flag)).start()
        assert process.stdout is not None
        for line in process.stdout:
            try:
                tally.seconds.append(float(line))
                tally.n_ok += 1
            except ValueError:
                tally.seconds.append(0.0)
                tally.failures.append(line.strip())


def _raise_flag(stop: threading.Event, flag: Path) -> None:
    stop.wait()
    flag.touch()


def tick(db: Path, stop: threading.Event, tally: Tally) -> None:
    """Calls run-due repeatedly, in two threads; the clock advances by a minute per call."""
    while not stop.is_set():
        moment = time.strftime("%Y-%m-%dT%H:%MZ", time.gmtime(4102444800 + 60 * len(tally.seconds)))
        tally.ran(*tw("schedule", "run-due", "--at", moment, "--db", db, "--wait", "30", "-q"))


def soak(folder: Path, seconds: float, large: Path | None) -> bool:
    db = folder / "soak.duckdb"
    tw("import", TRACE, "--run", "first", "--db", db, "-q")
    added = ("--query", "utilization", "--output", "out/{due}.csv", "--catch-up", "all")
    tw("schedule", "add", "minutely", "--cron", "* * * * *", *added, "--db", db)
    _shift(db)
    shell = subprocess.Popen(
        [*TW, "shell", "--db", str(db)], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    stop = threading.Event()
    writer, reader, ticker, large_import = Tally(), Tally(), Tally(), Tally()
    workers = [threading.Thread(target=write, args=(db, folder, stop, writer))]
    workers += [threading.Thread(target=read, args=(db, stop, reader)) for _ in range(4)]
    workers += [threading.Thread(target=tick, args=(db, stop, ticker)) for _ in range(2)]
    for worker in workers:
        worker.start()
    began = time.perf_counter()
    if large is not None:
        large_import.ran(*tw("import", large, "--run", "large", "--db", db, "--wait", "60", "-q"))
    time.sleep(max(0.0, seconds - (time.perf_counter() - began)))
    stop.set()
    for worker in workers:
        worker.join()
    _, errors = shell.communicate("\n.exit\n", timeout=60)
    return report(db, errors, writer, reader, ticker, large_import)


def _shift(db: Path) -> None:
    """Sets the start of the schedule to the first due time of the tickers."""
    import duckdb

    connection = duckdb.connect(str(db))
    connection.execute(
        "UPDATE schedule SET definition_json = regexp_replace(definition_json, "
        '\'"counts_from": "[^"]*"\', \'"counts_from": "2099-12-31T23:59:00+00:00"\')'
    )
    connection.close()


def report(db: Path, errors: str, *tallies: Tally) -> bool:
    writer, reader, ticker, large = tallies
    names = ("imports", "reads", "ticks", "large imports")
    for name, tally in zip(names, tallies, strict=True):
        slowest = max(tally.seconds, default=0.0)
        say(f"{name:>14}: {tally.n_ok} of {len(tally.seconds)} succeeded, slowest {slowest:.2f} s")
        for failure in tally.failures[:3]:
            say(f"{'':>16}{failure}")
    done, _ = tw("schedule", "history", "--limit", "100000", "--json", "--db", db)
    runs = json.loads(done.stdout)
    due = [run["due_at"] for run in runs]
    ok = [run for run in runs if run["status"] == "ok"]
    files = list((db.parent / "out").glob("*.csv"))
    waited = max(reader.seconds)
    share = reader.n_ok / len(reader.seconds)
    messages = [*writer.failures, *reader.failures, *ticker.failures, *large.failures, errors]
    checks = {
        "no traceback": not any("Traceback" in text for text in messages),
        "no run doubled": len(due) == len(set(due)),
        "no run lost": len(ok) == len(due) == len(files) > 0,
        f"reads that return data: {share:.1%} >= 95 %": share >= 0.95,
        f"longest wait of a reader: {waited:.2f} s <= {LIMIT_S} s": waited <= LIMIT_S,
    }
    for check, holds in checks.items():
        say(f"{'ok' if holds else 'FAILED':>14}: {check}")
    return all(checks.values())


def say(line: str) -> None:
    sys.stdout.write(line + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--large", type=Path, help="a trace of about 100 MB, .json or .json.gz")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tw-soak-") as folder:
        sys.exit(0 if soak(Path(folder), given.seconds, given.large) else 1)


if __name__ == "__main__":
    main()
