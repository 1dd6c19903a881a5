"""What an import makes of several files: runs, ranks, duplicates, replacements, the same ids."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

from tests.support.sharing import GPU, WarehouseCache, slow
from warehouse.ingest import decode as decoding
from warehouse.ingest import pipeline, workers
from warehouse.ingest.pipeline import Options
from warehouse.store import catalog

if TYPE_CHECKING:
    from tests.conftest import Tw

KINETO = Path(__file__).parents[1] / "data" / "kineto"
RANKS = [KINETO / "ddp_two_ranks" / f"rank{n}.json.gz" for n in (0, 1)]


def rows(db: Path, sql: str) -> list[tuple[Any, ...]]:
    with duckdb.connect(str(db), read_only=True) as connection:
        return connection.execute(sql).fetchall()


def write_trace(path: Path, **metadata: object) -> Path:
    event = {"ph": "X", "cat": "cpu_op", "name": path.stem, "pid": 1, "tid": 1, "ts": 5, "dur": 2}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"schemaVersion": 1, **metadata, "traceEvents": [event]}))
    return path


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "traces.duckdb"


@pytest.mark.integration
def test_ranks_of_one_job_become_one_run_named_after_their_folder(db: Path) -> None:
    pipeline.import_paths(RANKS, db=db)

    assert rows(db, "SELECT name, world_size, backend FROM run") == [("ddp_two_ranks", 2, "gloo")]
    assert rows(db, "SELECT id, run_id, rank FROM trace ORDER BY id") == [(1, 1, 0), (2, 1, 1)]


def test_the_same_rank_twice_is_two_runs(db: Path, tmp_path: Path) -> None:
    job = {"distributedInfo": {"rank": 0, "world_size": 1}}
    control = write_trace(tmp_path / "pair" / "control.json", **job)
    test = write_trace(tmp_path / "pair" / "test.json", **job)

    pipeline.import_paths([control, test], db=db)

    assert rows(db, "SELECT name FROM run ORDER BY id") == [("control",), ("test",)]


@pytest.mark.integration
def test_a_rank_that_comes_later_joins_the_run_of_its_job(db: Path, tmp_path: Path) -> None:
    for rank in (0, 1):
        path = write_trace(
            tmp_path / f"rank{rank}.json",
            group_trace_id="job-7",
            distributedInfo={"rank": rank, "world_size": 2},
        )
        pipeline.import_paths([path], db=db)

    assert rows(db, "SELECT count(*), any_value(job_id) FROM run") == [(1, "job-7")]


@pytest.mark.slow
def test_run_and_rank_given_by_the_user_win(db: Path, tmp_path: Path) -> None:
    path = write_trace(tmp_path / "anything.json")

    pipeline.import_paths([path], db=db, options=Options(run="baseline", rank=3))
    pipeline.import_paths(RANKS, db=db, options=Options(run="baseline"))

    assert rows(db, "SELECT name FROM run") == [("baseline",)]
    assert rows(db, "SELECT rank FROM trace ORDER BY id") == [(3,), (0,), (1,)]


@pytest.mark.integration
def test_the_rank_in_a_file_name_counts_where_the_file_says_none(db: Path, tmp_path: Path) -> None:
    paths = [write_trace(tmp_path / "job" / f"rank-{n}.json") for n in (0, 1)]

    pipeline.import_paths(paths, db=db)

    assert rows(db, "SELECT r.name, t.rank FROM trace t JOIN run r ON r.id = t.run_id") == [
        ("job", 0),
        ("job", 1),
    ]


@pytest.fixture
def of_rank_0(imported_files: WarehouseCache, db: Path) -> Path:
    """A warehouse of the file of rank 0."""
    return imported_files.copy(db, (None, RANKS[:1]))


def test_the_same_bytes_again_change_nothing(of_rank_0: Path, tmp_path: Path) -> None:
    db, copy = of_rank_0, tmp_path / "renamed.json.gz"
    shutil.copy(RANKS[0], copy)
    before = db.read_bytes()

    (outcome,) = pipeline.import_paths([copy], db=db)

    assert outcome.status == "present"
    assert db.read_bytes() == before


@pytest.mark.integration
def test_the_same_bytes_can_be_refused_or_replaced(of_rank_0: Path) -> None:
    db = of_rank_0

    (refused,) = pipeline.import_paths([RANKS[0]], db=db, options=Options(on_duplicate="error"))
    (replaced,) = pipeline.import_paths([RANKS[0]], db=db, options=Options(on_duplicate="replace"))

    assert refused.status == "failed"
    assert replaced.status == "imported"
    assert rows(db, "SELECT count(*) FROM trace") == [(1,)]
    assert rows(db, "SELECT count(DISTINCT trace_id) FROM slice") == [(1,)]


def test_what_replaces_the_only_trace_of_a_run_stays_in_it(
    tw: Tw, db: Path, tmp_path: Path
) -> None:
    trace = write_trace(tmp_path / "a.json")
    pipeline.import_paths([trace], db=db, options=Options(run="nightly"))
    tw("tag", "baseline", "--run", "nightly", "--db", db)
    tagged = "SELECT r.id, r.name, t.name FROM run AS r LEFT JOIN tag AS t ON t.run_id = r.id"

    pipeline.import_paths([trace], db=db, options=Options(on_duplicate="replace"))
    assert rows(db, tagged) == [(1, "nightly", "baseline")]

    pipeline.import_paths([trace], db=db, options=Options(run="other", on_duplicate="replace"))
    assert rows(db, tagged) == [(2, "other", None)]


def test_what_replaces_a_trace_stays_beside_the_others_of_its_run(db: Path, tmp_path: Path) -> None:
    first = write_trace(tmp_path / "a.json")
    second = tmp_path / "b.json"
    second.write_bytes(first.read_bytes() + b"\n")
    pipeline.import_paths([first, second], db=db, options=Options(run="nightly"))

    pipeline.import_paths([first], db=db, options=Options(on_duplicate="replace"))

    found = "SELECT r.name, t.name FROM trace AS t JOIN run AS r ON r.id = t.run_id ORDER BY ALL"
    assert rows(db, found) == [("nightly", "a"), ("nightly", "b")]


@pytest.mark.integration
def test_copies_bad_files_and_other_files_do_not_stop_the_others(db: Path, tmp_path: Path) -> None:
    first = write_trace(tmp_path / "in" / "a.json")
    shutil.copy(first, tmp_path / "in" / "copy.json")
    (tmp_path / "in" / "notes.txt").write_text("what I changed")
    bad = tmp_path / "bad.json"
    bad.write_text('{"traceEvents": "none"}')
    last = write_trace(tmp_path / "last.json")

    outcomes = pipeline.import_paths([tmp_path / "in", bad, last], db=db)

    assert {o.source.file_name: o.status for o in outcomes} == {
        "a.json": "imported",
        "copy.json": "present",
        "notes.txt": "ignored",
        "bad.json": "failed",
        "last.json": "imported",
    }
    (error,) = [o.error for o in outcomes if o.status == "failed"]
    assert error is not None
    assert str(bad) in error.message


def table_contents(db: Path, table: str) -> list[tuple[Any, ...]]:
    return rows(db, f"SELECT * FROM {table} ORDER BY ALL")


@pytest.mark.slow
def test_ids_and_rows_do_not_depend_on_workers_or_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone, together = tmp_path / "alone.duckdb", tmp_path / "together.duckdb"
    in_threads = tmp_path / "in_threads.duckdb"
    monkeypatch.setattr(workers, "WORTH_SHARING", 0)  # alone, a file has all threads
    monkeypatch.setattr(workers, "_WORTH_ALL_THREADS", 0)
    monkeypatch.setattr(decoding, "available_cores", lambda: 2)
    for path in RANKS:
        pipeline.import_paths([path], db=alone, options=Options(run="r"))

    pipeline.import_paths(RANKS, db=together, options=Options(run="r", jobs=2))
    pipeline.import_paths(RANKS, db=in_threads, options=Options(run="r"))

    with duckdb.connect(str(alone), read_only=True), duckdb.connect(str(together), read_only=True):
        with catalog.empty() as connection:
            tables = {*catalog.trace_tables(connection), "link"} - {"import_stat"}
        for table in tables:
            expected = table_contents(alone, table)
            assert table_contents(together, table) == expected, table
            assert table_contents(in_threads, table) == expected, table


def test_what_threads_decode_is_given_up_when_the_import_is(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "WORTH_SHARING", 0)
    monkeypatch.setattr(decoding, "available_cores", lambda: 2)

    def interrupts(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(pipeline, "commit", interrupts)
    with pytest.raises(KeyboardInterrupt):
        pipeline.import_paths(RANKS * 2, db=db, options=Options(on_duplicate="replace"))

    assert not db.with_name(db.name + ".scratch").exists()
    assert not [each for each in threading.enumerate() if "ThreadPool" in each.name]


def test_times_are_exact_nanoseconds_since_the_first_event(db: Path, tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text(
        '{"baseTimeNanoseconds": 1700000000000000000, "traceEvents": ['
        '{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":4326000000000.001,"dur":0.999},'
        '{"ph":"X","cat":"cpu_op","name":"b","pid":1,"tid":1,"ts":4326000000001.12,"dur":1e1}]}'
    )

    pipeline.import_paths([path], db=db)

    assert rows(db, "SELECT base_ns, source_base_ns FROM trace") == [
        (1704326000000000001, 1700000000000000000)
    ]
    assert rows(db, "SELECT name, ts, dur FROM slice ORDER BY ts") == [
        ("a", 0, 999),
        ("b", 1119, 10000),
    ]


def test_an_epoch_timestamp_keeps_its_last_digit(db: Path, tmp_path: Path) -> None:
    """A double would turn 1752829956515358.123 into .0 or .25."""
    path = tmp_path / "t.json"
    path.write_text(
        '[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1752829956515358.123,"dur":1},'
        '{"ph":"X","name":"b","pid":1,"tid":1,"ts":1752829956515358.124,"dur":1}]'
    )

    pipeline.import_paths([path], db=db)

    assert rows(db, "SELECT base_ns FROM trace") == [(1752829956515358123,)]
    assert rows(db, "SELECT name, ts FROM slice ORDER BY ts") == [("a", 0), ("b", 1)]


def test_arguments_are_kept_to_the_letter_and_none_are_made_up(db: Path, tmp_path: Path) -> None:
    """A merge with NULL once gave events without arguments made-up ones."""
    path = tmp_path / "t.json"
    args = '{"x": 1752829956515358.123,  "y": 1.50, "big": 18446744073709551616, "x": 2}'
    event = '{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1'
    path.write_text(f'[{event},"args":{args}}},{event}}}]')

    pipeline.import_paths([path], db=db)

    assert rows(db, "SELECT args_json, extra_json FROM slice ORDER BY id") == [
        (args, None),
        (None, None),
    ]


def test_an_id_beyond_64_bits_is_untyped_and_counted(db: Path, tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text(
        '{"schemaVersion": 1, "traceEvents": [{"ph":"X","cat":"cuda_runtime","name":"launch",'
        '"pid":1,"tid":1,"ts":1,"dur":1,"args":{"correlation": 18446744073709551616}}]}'
    )

    pipeline.import_paths([path], db=db)

    assert rows(db, "SELECT correlation_id FROM launch") == [(None,)]
    assert rows(db, "SELECT kind, count FROM import_problem") == [("inexact_value", 1)]


def test_the_last_call_before_the_work_is_its_cause_where_ids_repeat(
    db: Path, tmp_path: Path
) -> None:
    def call(ts: int, name: str) -> dict[str, object]:
        return {"ph": "X", "cat": "cuda_runtime", "name": name, "pid": 1, "tid": 1, "ts": ts,
                "dur": 1, "args": {"correlation": 7}}  # fmt: skip

    kernel = {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 25, "dur": 1,
              "args": {"correlation": 7, "device": 0, "stream": 7}}  # fmt: skip
    path = tmp_path / "t.json"
    path.write_text(json.dumps([call(10, "first"), call(20, "second"), call(30, "late"), kernel]))

    pipeline.import_paths([path], db=db)

    assert rows(
        db,
        "SELECT s.name, l.confidence FROM link l JOIN slice s ON s.id = l.from_id "
        "WHERE l.kind = 'launch'",
    ) == [("second", 0.9)]


def test_device_work_without_a_call_is_kept_and_flagged(
    imported_files: WarehouseCache, db: Path
) -> None:
    imported_files.copy(db, GPU)
    expected = json.loads((KINETO / "gpu_handwritten" / "expected.json").read_text())

    orphans = rows(db, "SELECT count(*) FROM gpu_op_cause WHERE is_orphan")

    assert orphans == [(len(expected["orphans"]["ops_without_launch"]),)]


@pytest.mark.integration
def test_compressed_and_plain_content_import_alike(tmp_path: Path) -> None:
    plain, packed = tmp_path / "plain.json", tmp_path / "packed.json.gz"
    plain.write_bytes(gzip.decompress(RANKS[0].read_bytes()))
    shutil.copy(RANKS[0], packed)
    for path in (plain, packed):
        pipeline.import_paths([path], db=path.with_suffix(".duckdb"), options=Options(run="r"))

    for table in ("slice", "link", "cpu_op"):
        assert table_contents(plain.with_suffix(".duckdb"), table) == table_contents(
            packed.with_suffix(".duckdb"), table
        )


@pytest.mark.slow
def test_other_duckdb_clients_find_the_queries_as_macros_once_stored(tw: Tw, db: Path) -> None:
    pipeline.import_paths([KINETO / "gpu_handwritten" / "trace.json"], db=db)
    named = "SELECT count(*) FROM duckdb_functions() WHERE function_name = 'utilization'"
    assert rows(db, named) == [(0,)]
    assert tw("queries", "install", "--db", db).err == "Stored.\n"
    assert tw("queries", "install", "--db", db).err == "Already stored.\n"
    expected = json.loads((KINETO / "gpu_handwritten" / "expected.json").read_text())

    found = rows(db, "SELECT device, busy_ns FROM utilization() ORDER BY device")
    pinned = rows(db, 'SELECT device, busy_ns FROM "utilization@2"() ORDER BY device')

    assert found == pinned
    assert found == [
        (int(device), facts["busy_ns"]) for device, facts in sorted(expected["devices"].items())
    ]


@pytest.mark.slow
@pytest.mark.parametrize("n_times", [1, slow(10)])
def test_a_command_with_workers_ends_when_its_work_is_done(db: Path, n_times: int) -> None:
    """It once waited for ever, at its very end, for a worker that had already gone."""
    for _ in range(n_times):
        db.unlink(missing_ok=True)
        done = subprocess.run(
            [sys.executable, "-c", "from warehouse.cli import main; main()", "import", "-q",
             "--jobs", "2", "--db", str(db), *map(str, RANKS)],
            timeout=60,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0
