"""Small sources are imported in groups: rows, failures and kills are those of single imports."""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import shutil
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

from tests.ingest.test_import_atomic import n_slices, start, write_trace
from tests.support.equal_warehouses import differing_rows
from tests.support.randomtrace import JOBS, make_job
from tests.support.sharing import slow
from warehouse.ingest import commit_together, pipeline, together
from warehouse.ingest.pipeline import Outcome
from warehouse.ingest.sources import Source
from warehouse.ingest.streams import GZIP_MAGIC
from warehouse.store import database

if TYPE_CHECKING:
    from tests.conftest import Tw

KINETO = Path(__file__).parents[1] / "data" / "kineto"
DATA = os.environ.get("TW_TEST_DATA")

#: Ends without begins, begins without ends, async groups, counters, arrows and metadata, with the
#: same processes, threads, ids and names in each document.
EVENTS: list[dict[str, Any]] = [
    {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "program"}},
    {"ph": "M", "name": "thread_name", "pid": 1, "tid": 2, "args": {"name": "worker"}},
    {"ph": "B", "name": "outer", "cat": "a", "pid": 1, "tid": 2, "ts": 1},
    {"ph": "B", "name": "inner", "cat": "a", "pid": 1, "tid": 2, "ts": 2, "args": {"x": 1}},
    {"ph": "E", "name": "outer", "cat": "a", "pid": 1, "tid": 2, "ts": 9, "args": {"y": 2}},
    {"ph": "E", "pid": 1, "tid": 2, "ts": 10},
    {"ph": "B", "name": "open", "pid": 1, "tid": 3, "ts": 4},
    {"ph": "X", "name": "call", "cat": "b", "pid": 1, "tid": 2, "ts": 3, "dur": 4.5},
    {"ph": "X", "name": "endless", "cat": "b", "pid": 1, "tid": 3, "ts": 5},
    {"ph": "X", "name": "far", "pid": 2, "tid": 2, "ts": 6, "dur": -1, "args": {"z": [1, 2.50]}},
    {"ph": "b", "name": "task", "cat": "c", "id": "0x1", "pid": 1, "tid": 2, "ts": 2},
    {"ph": "n", "name": "task", "cat": "c", "id": "0x1", "pid": 1, "tid": 2, "ts": 3},
    {"ph": "e", "name": "task", "cat": "c", "id": "0x1", "pid": 1, "tid": 2, "ts": 7},
    {"ph": "b", "name": "local", "cat": "c", "id2": {"local": 3}, "pid": 2, "ts": 2},
    {"ph": "C", "name": "memory", "pid": 1, "ts": 1, "args": {"used": 5, "free": "none"}},
    {"ph": "C", "name": "memory", "pid": 1, "ts": 4, "args": {"used": 6, "free": 2}},
    {"ph": "s", "name": "arrow", "cat": "d", "id": 7, "pid": 1, "tid": 2, "ts": 3},
    {"ph": "f", "name": "arrow", "cat": "d", "id": 7, "pid": 2, "tid": 2, "ts": 5},
    {"ph": "i", "name": "mark", "pid": 1, "tid": 2, "ts": 8, "s": "g"},
    {"ph": "X", "name": "", "pid": 1, "tid": 2, "ts": 11, "dur": 1, "bind_id": 9, "flow_out": True},
    {"ph": "X", "name": "", "pid": 2, "tid": 2, "ts": 12, "dur": 1, "bind_id": 9, "flow_in": True},
    {"ph": "O", "name": "object", "id": 1, "pid": 1, "ts": 5, "args": {}},
    {"name": "no phase", "pid": 1},
    {"ph": "X", "name": "late", "pid": "2", "tid": 2, "ts": "no time", "dur": 1},
]  # fmt: skip


def write_events(path: Path, seed: int) -> Path:
    """Writes some of the events, at other times, with three decimals or as short as can be."""
    choice = random.Random(seed)
    events: list[str] = []
    for event in EVENTS:
        if choice.random() < 0.8:
            events.append(json.dumps(event))
            if isinstance(ts := event.get("ts"), int):
                text = f"{ts + seed}.{choice.randrange(10)}" + ("00" if seed % 2 else "")
                events[-1] = events[-1].replace(f'"ts": {ts}', f'"ts": {text}')
    path.write_text(f'{{"traceEvents": [{",".join(events)}], "of": {seed}}}')
    return path


def import_both(files: list[Path], folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Imports files in groups, and one by one; returns the tables whose rows differ."""
    grouped, single = folder / "grouped.duckdb", folder / "single.duckdb"
    commits: list[int] = []
    commit = commit_together.commit_together

    def counted(group: together.DecodedTogether, *arguments: Any, **options: Any) -> Any:
        commits.append(len(group.decoded))
        return commit(group, *arguments, **options)

    monkeypatch.setattr(pipeline, "commit_together", counted)
    pipeline.import_paths(files, db=grouped)
    assert sum(commits) > len(files) / 2  # large recordings are imported on their own
    with monkeypatch.context() as limits:
        limits.setattr(together, "MAX_SOURCES", 1)
        commits.clear()
        pipeline.import_paths(files, db=single)
    assert not commits
    return differing_rows(grouped, single)


def job(path: Path, n_bytes: int, magic: bytes = b"{}", importer: str = "kineto") -> together.Job:
    """A job for a file of a size whose first bytes are given."""
    with path.open("wb") as file:
        file.write(magic)
        file.truncate(n_bytes)
    return together.Job(Source(path), importer, [], path.parent, n_bytes)


def test_groups_are_limited_by_the_size_of_content(tmp_path: Path) -> None:
    """Gzip is about an eighth of its content: 64 MiB make a group, 8 MiB a trace of its own."""
    mib, gzipped = 1 << 20, GZIP_MAGIC
    sizes = [
        *[(7 * mib, b"{}")] * 18, (9 * mib, b"{}"), (mib // 2, gzipped), (2 * mib, gzipped),
        (mib // 2, b"{}"),
    ]  # fmt: skip
    jobs = [job(tmp_path / f"{n}.json", *each) for n, each in enumerate(sizes)]
    assert [len(unit) for unit in together.units(jobs, 1)] == [9, 9, 1, 1, 1, 1]
    assert [len(unit) for unit in together.units(jobs[:8], 2)] == [2, 2, 2, 2]
    assert [len(unit) for unit in together.units(jobs[:2], 2)] == [1, 1]
    last = job(tmp_path / "last.json", mib, importer="chrome")
    assert [len(unit) for unit in together.units([jobs[-1], jobs[-3], last], 1)] == [2, 1]


@pytest.mark.slow
@pytest.mark.parametrize("n_files", [3, slow(64)])
def test_rows_of_a_group_are_those_of_single_imports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_files: int
) -> None:
    files = [write_events(tmp_path / f"{seed}.json", seed) for seed in range(n_files)]

    assert import_both(files, tmp_path, monkeypatch) == {}


@pytest.mark.slow
@pytest.mark.parametrize("job", ["default", *JOBS])
def test_links_of_a_group_are_those_of_single_imports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, job: str
) -> None:
    knobs = JOBS.get(job) or {"seed": 5, "ranks": 4}
    files = []
    for trace in make_job(**{**knobs, "ranks": max(3, int(knobs.get("ranks", 3)))}):
        files.append(tmp_path / f"rank{trace.rank}.json")
        files[-1].write_bytes(trace.document())

    assert import_both(files, tmp_path, monkeypatch) == {}


@pytest.mark.slow
def test_doubtful_ranks_become_the_same_runs_in_a_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rank that two files claim, one beyond the world size, and ranks of another job."""
    jobs = [make_job(seed, ranks=4, steps=1) for seed in (5, 6)]
    declared = {2: 1, 3: 9}  # of the first job
    files: list[Path] = []
    for trace in [each for ranks in zip(*jobs, strict=True) for each in ranks]:
        info = dict(trace.header()["distributedInfo"])
        if trace.seed == 5:
            info["rank"] = declared.get(trace.rank, trace.rank)
        files.append(tmp_path / f"{len(files)}.json")
        files[-1].write_bytes(trace.changed(trace.events, distributedInfo=info).document())

    assert import_both(files, tmp_path, monkeypatch) == {}

    with database.Reader(tmp_path / "grouped.duckdb") as reader:
        runs = reader.connection.execute(
            "SELECT list(rank ORDER BY id) FROM trace GROUP BY run_id ORDER BY min(id)"
        ).fetchall()
        outside = reader.connection.execute("SELECT rank FROM trace WHERE rank >= 4").fetchall()
    # The second file of rank 1 is of another execution of the job; rank 9 is in the first.
    assert runs == [([0, 1, 9],), ([0, 1, 2, 3],), ([1],)]
    assert outside == [(9,)]


@pytest.mark.slow
@pytest.mark.skipif(not DATA, reason="TW_TEST_DATA is not set")
def test_recordings_have_the_same_rows_in_a_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert DATA is not None
    files = [
        *sorted(Path(DATA).glob("kineto/*/*.json.gz")),
        *sorted(Path(DATA).glob("chakra/*/kineto.json.gz")),
        *sorted(Path(DATA).glob("tf/*/timeline.json")),
        *(
            Path(shutil.copy(file, tmp_path / f"{number}.json.gz"))  # beside no xplane.pb
            for number, file in enumerate(
                sorted(Path(DATA).glob("tf/*/plugins/profile/*/*.json.gz"))
            )
        ),
        *(Path(DATA, "dpro/nccl_ring_2x2/host0/0", f"{name}.json") for name in ("comm", "io")),
    ]
    monkeypatch.setattr(together, "MAX_SOURCE_BYTES", 1 << 30)
    monkeypatch.setattr(together, "MAX_BYTES", 1 << 30)
    kineto = [file for file in files if "kineto" in str(file).removeprefix(DATA)]
    others = [file for file in files if file not in kineto]
    for name, some in (("kineto", kineto), ("others", others)):
        (tmp_path / name).mkdir()
        assert import_both(some, tmp_path / name, monkeypatch) == {}


def names(outcomes: list[Outcome]) -> dict[str, str]:
    return {outcome.source.file_name: outcome.status for outcome in outcomes}


def test_a_bad_file_takes_no_others_with_it(tmp_path: Path, tw: Tw) -> None:
    files = [write_events(tmp_path / f"{seed}.json", seed) for seed in range(3)]
    packed = gzip.compress(files[1].read_bytes())
    (tmp_path / "cut.json.gz").write_bytes(packed[: len(packed) // 2])
    (tmp_path / "bad.json.gz").write_bytes(packed[:20] + b"\0\0\0\0" + packed[24:])
    (tmp_path / "text.json").write_text('{"traceEvents": 5}')
    shutil.copy(files[1], tmp_path / "twice.json")
    bad = [tmp_path / n for n in ("cut.json.gz", "bad.json.gz", "text.json", "twice.json")]
    alone = tw("import", bad[1], "--db", "alone.duckdb")

    result = tw("import", *files[:2], *bad, files[2], "--db", "w.duckdb")

    assert result.code == 5
    assert alone.err.splitlines()[0] in result.err.splitlines()
    lines = result.err.replace(f"{tmp_path}/", "").splitlines()
    assert [re.split(r" →| \d+ events| at byte", line)[0] for line in lines] == [
        "0.json",
        "1.json",
        "cut.json.gz",
        "WARNING: cut.json.gz is damaged:",
        "Error: bad.json.gz: the gzip stream is corrupt",
        "Hint: Copy or record it again.",
        "Error: text.json: traceEvents array not found",
        "Hint: The file may not be a trace.",
        "twice.json has already been imported; nothing to do.",
        "2.json",
        "5 of 7 imported or already present.",
    ]


@pytest.mark.slow
def test_a_group_that_cannot_be_stored_is_split(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [write_events(tmp_path / f"{seed}.json", seed) for seed in range(4)]
    normalize = commit_together._normalize
    sizes: list[int] = []

    def fail(connection: duckdb.DuckDBPyConnection, importer: Any) -> None:
        normalize(connection, importer)
        (n,) = connection.execute("SELECT count(*) FROM scratch.source_trace").fetchone() or (0,)
        sizes.append(n)
        if "3" in {name for (name,) in connection.execute("SELECT name FROM trace").fetchall()}:
            raise duckdb.OutOfMemoryException("Out of Memory Error: allocate data")

    monkeypatch.setattr(commit_together, "_normalize", fail)

    outcomes = pipeline.import_paths(files, db=tmp_path / "w.duckdb")

    assert sizes == [4, 2, 2]  # the last two are then imported one by one
    assert set(names(outcomes).values()) == {"imported"}
    assert [o.committed.trace_id for o in outcomes if o.committed] == [1, 2, 3, 4]
    assert not (tmp_path / "w.duckdb.scratch").exists()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_fifty_killed_imports_of_groups_leave_whole_traces(tmp_path: Path, seed: int) -> None:
    """Two hundred in all, of 64 traces of which one is damaged."""
    files = [tmp_path / f"rank{n}.json" for n in range(64)]
    for n, file in enumerate(files):
        write_trace(file, 200 + n, seed=n)
    damaged = files[40].read_bytes()
    files[40].write_bytes(damaged[: len(damaged) // 2])
    kill_groups(files, tmp_path, 50, seed)


@pytest.mark.slow
def test_a_killed_import_of_groups_leaves_whole_traces(tmp_path: Path) -> None:
    files = [tmp_path / f"rank{n}.json" for n in range(20)]
    for n, file in enumerate(files):
        write_trace(file, 20 + n, seed=n)
    kill_groups(files, tmp_path, 1, 7)


def kill_groups(files: list[Path], folder: Path, n_kills: int, seed: int) -> None:
    """Kills imports of files at random moments; each continues what the one before has left."""
    db, moments = folder / "w.duckdb", random.Random(seed)
    arguments: tuple[str | Path, ...] = ("import", "-q", "--db", db, "--jobs", "2", *files)
    began = time.perf_counter()
    start(*arguments).communicate()
    whole_s, whole = time.perf_counter() - began, n_slices(db)
    assert len(whole) == len(files)
    sizes = Counter(whole.values())
    db.unlink()
    n_partial = 0
    for _ in range(n_kills):
        process = start(*arguments)
        time.sleep(moments.uniform(0.2, 1.1) * whole_s)
        process.kill()
        process.communicate()
        found = n_slices(db)
        assert Counter(found.values()) <= sizes
        n_partial += 0 < len(found) < len(files)
        if len(found) == len(files):
            db.unlink()
            db.with_name("w.duckdb.wal").unlink(missing_ok=True)
    assert start(*arguments).wait() in (0, 6)  # 6: one is damaged
    assert Counter(n_slices(db).values()) == sizes
    assert not db.with_name("w.duckdb.scratch").exists()
    assert n_kills < 50 or n_partial > 5
