"""However an import ends, by SIGKILL, Ctrl-C or a full disk, each trace is there wholly or not."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.sharing import integration, slow
from warehouse.ingest import pipeline
from warehouse.store import catalog, database

TW = (sys.executable, "-c", "from warehouse.cli import main; main()")
LIMITED = (
    sys.executable,
    "-c",
    "import resource, sys; n = int(sys.argv.pop(1));"
    "resource.setrlimit(resource.RLIMIT_FSIZE, (n, n)); from warehouse.cli import main; main()",
)


def write_trace(path: Path, n_events: int, *, seed: int = 0) -> int:
    """Writes slices, flows and counters; returns how many slices there are."""
    with path.open("w") as file:
        file.write('{"schemaVersion":1,"traceEvents":[\n')
        for n in range(n_events):
            file.write(
                f'{{"ph":"X","cat":"cpu_op","name":"op {n % 90}","pid":{seed},"tid":{n % 7},'
                f'"ts":{n}.125,"dur":{n % 5}.5,"args":{{"External id":{n}}}}},\n'
            )
        file.write('{"ph":"C","name":"memory","pid":1,"ts":1,"args":{"bytes":5}}]}')
    return n_events


def environment() -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("TW_")}
    return {**kept, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}


def start(*arguments: str | Path, program: tuple[str, ...] = TW) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*program, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, env=environment(),
    )  # fmt: skip


def n_slices(db: Path) -> dict[int, int]:
    """Trace -> slices; fails when any table has rows of a trace that is not there."""
    if not db.exists():
        return {}
    with database.Reader(db) as reader:
        run = reader.connection.execute
        known = {t for (t,) in run("SELECT id FROM trace").fetchall()}
        for table in catalog.trace_tables(reader.connection):
            named = {t for (t,) in run(f"SELECT DISTINCT trace_id FROM {table}").fetchall()}
            assert named <= known, table
        counts = dict(run("SELECT trace_id, count(*) FROM slice GROUP BY 1").fetchall())
    assert counts.keys() == known
    return counts


def kill_at_random_moments(folder: Path, n_kills: int, n_events: int, seed: int) -> None:
    db, trace, moments = folder / "w.duckdb", folder / "t.json", random.Random(seed)
    expected = write_trace(trace, n_events)
    began = time.perf_counter()
    assert start("import", "-q", "--db", db, trace).wait() == 0
    whole_s = time.perf_counter() - began
    db.unlink()

    for _ in range(n_kills):
        process = start("import", "-q", "--db", db, "--on-duplicate", "replace", trace)
        time.sleep(moments.uniform(0.2, 1.1) * whole_s)
        process.kill()
        process.communicate()
        assert set(n_slices(db).values()) <= {expected}
        if moments.random() < 0.3 and db.exists():  # a new warehouse has its own dangers
            db.unlink()
            db.with_name("w.duckdb.wal").unlink(missing_ok=True)

    (outcome,) = pipeline.import_paths(
        [trace], db=db, options=pipeline.Options(on_duplicate="replace")
    )
    assert outcome.status == "imported"
    assert list(n_slices(db).values()) == [expected]
    assert not db.with_name("w.duckdb.scratch").exists()


def test_a_killed_import_leaves_all_or_nothing(tmp_path: Path) -> None:
    kill_at_random_moments(tmp_path, 1, 10_000, seed=1)


@pytest.mark.slow
def test_fifty_killed_imports_leave_all_or_nothing(tmp_path: Path) -> None:
    kill_at_random_moments(tmp_path, 50, 300_000, seed=2)


@pytest.mark.parametrize("moment", [1, integration(5), *map(slow, (3, 7, 9, 11))])
def test_a_warehouse_is_never_half_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: int
) -> None:
    """Stopped before any of its statements, making a warehouse leaves none."""
    from warehouse.store import migrate, template

    calls = iter(range(moment))

    def comment(*_: object, **__: object) -> None:
        if next(calls, None) is None:
            raise KeyboardInterrupt

    monkeypatch.setattr(migrate, "write_comments", comment)
    monkeypatch.setenv("XDG_CACHE_HOME", os.devnull)  # where nothing is kept
    template.forget()  # made once a process, so perhaps already
    db = tmp_path / "w.duckdb"
    n_calls = len(migrate.migrations()) + 1
    if moment >= n_calls:
        pytest.skip("there are fewer migrations")

    with pytest.raises(KeyboardInterrupt):
        database.create_empty(db)

    assert list(tmp_path.iterdir()) == []


def wait_for(condition: object, seconds: float = 10) -> bool:
    assert callable(condition)
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def children(pid: int) -> list[int]:
    """Processes whose parent is `pid`, from /proc."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if fields[1] == str(pid) and fields[0] != "Z":
                found.append(int(entry.name))
    return found


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.integration
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
@pytest.mark.parametrize("stop", [signal.SIGKILL, slow(signal.SIGINT)])
def test_worker_processes_end_with_the_import(tmp_path: Path, stop: signal.Signals) -> None:
    traces = [tmp_path / f"rank{n}.json" for n in range(2)]
    for n, trace in enumerate(traces):
        write_trace(trace, 60_000, seed=n)
    db = tmp_path / "w.duckdb"
    process = start("import", "-q", "--db", db, "--jobs", "2", *traces)
    assert wait_for(lambda: len(children(process.pid)) >= 3)  # two workers, one tracker
    time.sleep(0.3)
    workers = children(process.pid)

    process.send_signal(stop)
    process.communicate(timeout=15)

    assert process.returncode == (130 if stop == signal.SIGINT else -signal.SIGKILL)
    assert wait_for(lambda: not any(map(is_running, workers)))
    assert set(n_slices(db).values()) <= {60_000}


def interrupt_decoding(folder: Path, n_events: int) -> tuple[int, str]:
    """Sends SIGINT to an import that has begun to decode; returns its exit code and stderr."""
    folder.mkdir()
    write_trace(folder / "t.json", n_events)
    process = start("import", "--db", folder / "w.duckdb", folder / "t.json")
    has_begun = wait_for(
        lambda: list(folder.glob("w.duckdb.scratch/*/0/event*")) or process.poll() is not None,
        seconds=60,
    )
    assert has_begun
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    return process.returncode, err


@pytest.mark.integration
def test_ctrl_c_ends_with_130_and_leaves_no_trace(tmp_path: Path) -> None:
    # On a busy machine the signal may come when the import already commits; a longer one has time.
    for n_events in (200_000, 800_000, 3_200_000):
        folder = tmp_path / f"{n_events}"
        code, err = interrupt_decoding(folder, n_events)
        if not (folder / "w.duckdb").exists():
            break
        assert set(n_slices(folder / "w.duckdb").values()) <= {n_events}

    assert code == 130, err
    assert "Traceback" not in err
    assert [path.name for path in folder.iterdir()] == ["t.json"]


@pytest.mark.parametrize("n_bytes", [0, *map(slow, (100_000, 3_000_000)), integration(1_000_000)])
def test_a_full_disk_is_one_sentence_and_nothing_half(tmp_path: Path, n_bytes: int) -> None:
    trace, db = tmp_path / "t.json", tmp_path / "w.duckdb"
    expected = write_trace(trace, 30_000)

    process = start(str(n_bytes), "import", "--db", db, trace, program=LIMITED)
    _, err = process.communicate(timeout=30)

    assert "Traceback" not in err
    counts = list(n_slices(db).values())
    assert (process.returncode, counts) in ((0, [expected]), (1, []), (3, []))
    assert process.returncode == 0 or err.startswith("Error: ")
    assert not db.with_name("w.duckdb.scratch").exists()


@pytest.mark.integration
def test_scratch_of_the_dead_is_swept_and_of_the_living_kept(tmp_path: Path) -> None:
    trace, db = tmp_path / "t.json", tmp_path / "w.duckdb"
    write_trace(trace, 5)
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        pass
    scratch = tmp_path / "w.duckdb.scratch"
    no_process = "9" * 30
    for name in (
        str(ended.pid), f"{ended.pid}-1f", f"{os.getpid()}-1f", f"{no_process}-1f", "1-aa", "notes"
    ):  # fmt: skip
        (scratch / name).mkdir(parents=True)

    pipeline.import_paths([trace], db=db)

    assert sorted(path.name for path in scratch.iterdir()) == ["1-aa", "notes"]


def test_a_generated_trace_is_as_the_tests_suppose(tmp_path: Path) -> None:
    assert write_trace(tmp_path / "t.json", 3) == 3
    assert len(json.loads((tmp_path / "t.json").read_text())["traceEvents"]) == 4
