"""Schedules: when they are due, that each due time has one outcome, and what the outcome is."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
import zipfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.sharing import build_once, integration, slow
from warehouse.errors import LockedDatabase
from warehouse.export import manifest
from warehouse.ingest import pipeline
from warehouse.query import session
from warehouse.schedule import records, tick
from warehouse.schedule.definition import Definition
from warehouse.store import database

if TYPE_CHECKING:
    from tests.conftest import Tw

KINETO = Path(__file__).parents[1] / "data" / "kineto"
START = datetime(2026, 11, 20, tzinfo=UTC)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


DAILY = Definition("nightly", "0 6 * * *", query="utilization", output="{due}.csv", format="csv")


@pytest.fixture(scope="module")
def imported(shared_place: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("schedule")

    def make(path: Path) -> None:
        for run in ("first", "second"):
            trace = folder / f"{run}.json"
            trace.write_bytes((KINETO / "gpu_handwritten" / "trace.json").read_bytes())
            with trace.open("ab") as file:
                file.write(b"\n" * len(run))
            pipeline.import_paths([trace], db=path, options=pipeline.Options(run=run, jobs=1))

    return build_once(shared_place / "schedule.duckdb", make)


@pytest.fixture
def db(imported: Path, tmp_path: Path) -> Path:
    path = tmp_path / "traces.duckdb"
    path.write_bytes(imported.read_bytes())
    return path


def put(db: Path, **values: Any) -> Definition:
    """Adds a daily schedule that counts from 20 November 2026."""
    made = replace(DAILY, **{"created_at": START.replace(tzinfo=None), **values}).counting_from(
        START
    )
    with database.writer(db) as connection:
        records.save(connection, made)
    return made


def run_due(db: Path, moment: str) -> list[tuple[str, str]]:
    """Ticks; the due times and their outcomes."""
    done = tick.run_due(session.Place(db), at(moment))
    return [(f"{each.due_at:%m-%d %H:%M}", each.made.status) for each in done]


def history(db: Path) -> list[records.Run]:
    with database.Reader(db) as reader:
        return records.history(reader.connection)[::-1]


def outcomes(db: Path) -> list[tuple[str, str]]:
    return [(f"{run.due_at:%m-%d %H:%M}", run.status) for run in history(db)]


def files(db: Path) -> list[str]:
    """What lies beside the warehouse, without what says where it comes from."""
    names = (path.name for path in db.parent.iterdir() if path.suffix != ".duckdb")
    return sorted(name for name in names if not name.endswith(manifest.SUFFIX))


def test_what_is_due_is_made_and_recorded(db: Path) -> None:
    put(db)
    assert run_due(db, "2026-11-20T06:05") == [("11-20 06:00", "ok")]

    (run,) = history(db)
    output = db.parent / "2026-11-20T0600.csv"
    assert output.read_text().startswith('"run_id",')
    assert run.n_rows == len(output.read_text().splitlines()) - 1 > 0
    assert (run.output, run.n_bytes) == (str(output), output.stat().st_size)
    assert run.sha256 == subprocess.check_output(["sha256sum", output], text=True).split()[0]
    assert run.claimed_at <= run.started_at <= run.finished_at  # type: ignore[operator]


@pytest.mark.slow
def test_a_second_tick_at_the_same_minute_makes_nothing(db: Path) -> None:
    put(db)
    run_due(db, "2026-11-20T06:05")

    assert run_due(db, "2026-11-20T06:05") == []
    assert outcomes(db) == [("11-20 06:00", "ok")]


@pytest.mark.slow
def test_a_clock_that_was_wrong_for_a_while_stops_and_doubles_nothing(db: Path) -> None:
    """Set to next week and back: what was then recorded as missed is made when it comes."""
    put(db)
    run_due(db, "2026-11-20T06:05")
    assert run_due(db, "2026-11-27T06:05")[-1] == ("11-27 06:00", "ok")
    assert ("11-24 06:00", "skipped") in outcomes(db)

    assert run_due(db, "2026-11-20T05:00") == []  # also before what was made
    assert run_due(db, "2026-11-20T06:10") == []
    assert run_due(db, "2026-11-21T06:05") == [("11-21 06:00", "ok")]
    assert run_due(db, "2026-11-22T06:05") == [("11-22 06:00", "ok")]
    made = ["11-20 06:00", "11-21 06:00", "11-22 06:00", "11-27 06:00"]
    assert outcomes(db) == [(each, "ok") for each in made]


@pytest.mark.slow
def test_runs_that_overlap_make_each_time_once(db: Path) -> None:
    """A tick starts while another is still writing: it makes what is left, and nothing twice."""
    for name in ("nightly", "second", "third"):
        put(db, name=name, output=f"{name}-{{due}}.csv", catch_up="all")
    processes = [ticking(db, f"2026-11-2{n}T06:05+00:00") for n in (2, 1, 2)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
        time.sleep(0.1)
    results = [process.communicate() for process in processes]

    assert [err for _, err in results] == ["", "", ""]
    assert "".join(out for out, _ in results) == "ok\n" * 9
    with database.Reader(db) as reader:
        counts = reader.connection.execute(
            "SELECT schedule_name, due_at, status, count(*) FROM schedule_run GROUP BY ALL"
        ).fetchall()
    assert len(counts) == 9
    assert {(status, n) for *_, status, n in counts} == {("ok", 1)}


@pytest.mark.slow
def test_missed_times_are_recorded_as_skipped(db: Path) -> None:
    put(db)
    run_due(db, "2026-11-22T09:00")

    assert outcomes(db) == [
        ("11-20 06:00", "skipped"),
        ("11-21 06:00", "skipped"),
        ("11-22 06:00", "ok"),
    ]
    assert history(db)[0].error == "missed: run-due was not called in time"


@pytest.mark.parametrize("runs", [("tag:none",), slow(("since:1min",))])
def test_nothing_in_scope_is_a_skipped_run_with_its_reason(db: Path, runs: tuple[str, ...]) -> None:
    put(db, runs=runs)
    with database.writer(db) as connection:
        connection.execute("UPDATE trace SET imported_at = imported_at - INTERVAL 1 HOUR")
        connection.execute("UPDATE run SET created_at = created_at - INTERVAL 1 HOUR")
    run_due(db, "2026-11-20T06:05")

    (run,) = history(db)
    assert run.status == "skipped"
    assert "tag 'none' not found" in str(run.error) or "no run was imported" in str(run.error)
    assert files(db) == []


def test_the_run_meant_is_the_one_there_is_when_it_is_due(db: Path) -> None:
    put(db, output="{schedule}-{run}-{due:%Y-%m-%d}.csv")
    run_due(db, "2026-11-20T06:05")

    assert files(db) == ["nightly-second-2026-11-20.csv"]


@pytest.mark.parametrize(
    ("format", "values"),
    [
        slow("xlsx", {"query": None, "report": "pytorch"}),
        slow("html", {"query": None, "report": "tpu"}),
        slow("xlsx", {}),
        slow("parquet", {}),
        slow("text", {"query": None, "diagnoses": True}),
        slow("json", {"query": None, "diagnoses": True}),
        slow("html", {"query": None, "diagnoses": True}),
        integration("json", {"trend": "busy_ns", "only": "busy_ns > 0", "aggregate": "max"}),
        slow("xlsx", {"trend": "busy_ns"}),
        ("jsonl", {"query": "utilization_over_time", "parameters": {"bucket_ns": "1ms"}}),
    ],
)
def test_reports_and_queries_are_written_in_every_format(
    db: Path, format: str, values: dict[str, Any]
) -> None:
    put(db, format=format, output="new/folder/out." + format, **values)

    assert run_due(db, "2026-11-20T06:05") == [("11-20 06:00", "ok")]
    assert (db.parent / "new" / "folder" / f"out.{format}").stat().st_size > 0


@pytest.mark.integration
def test_a_failure_is_recorded_and_told_and_the_next_time_is_tried(tw: Tw, db: Path) -> None:
    put(db, output="folder/{due}.csv")
    (db.parent / "folder").write_text("in the way")
    ran = tw("schedule", "run-due", "--at", "2026-11-20T06:05Z")

    assert ran.code == 1
    assert "nightly, due 2026-11-20 06:00 UTC: failed: the folder" in ran.err
    (db.parent / "folder").unlink()
    assert run_due(db, "2026-11-21T06:05") == [("11-21 06:00", "ok")]
    assert [status for _, status in outcomes(db)] == ["failed", "ok"]


@pytest.mark.slow
def test_a_failure_leaves_the_other_schedules_alone(db: Path) -> None:
    put(db, name="bad", output="folder/x.csv")
    put(db, name="good", output="{schedule}.csv")
    (db.parent / "folder").write_text("in the way")

    assert sorted(status for _, status in run_due(db, "2026-11-20T06:05")) == ["failed", "ok"]


@pytest.mark.slow
def test_only_the_last_outputs_are_kept(db: Path) -> None:
    put(db, keep_last=2)
    for day in range(20, 23):
        run_due(db, f"2026-11-{day}T06:05")

    assert files(db) == ["2026-11-21T0600.csv", "2026-11-22T0600.csv"]
    assert [run.removed_at is not None for run in history(db)] == [True, False, False]
    assert len(list(db.parent.glob("*" + manifest.SUFFIX))) == 2


@pytest.mark.slow
def test_an_output_that_somebody_changed_is_not_removed(db: Path) -> None:
    put(db, keep_last=1)
    run_due(db, "2026-11-20T06:05")
    (db.parent / "2026-11-20T0600.csv").write_text("my notes")
    run_due(db, "2026-11-21T06:05")

    assert files(db) == ["2026-11-20T0600.csv", "2026-11-21T0600.csv"]


# Killed, twice at once, in use


def claim_of_another(db: Path, claimed_by: str, age: timedelta) -> None:
    put(db)
    with database.writer(db) as connection:
        connection.execute(
            "INSERT INTO schedule_run (schedule_name, due_at, status, claimed_by, claimed_at) "
            "VALUES ('nightly', '2026-11-20 06:00', 'running', ?, ?)",
            [claimed_by, (datetime.now(UTC) - age).replace(tzinfo=None)],
        )


@pytest.mark.integration
def test_what_a_killed_process_began_is_made_by_the_next_tick(db: Path) -> None:
    with subprocess.Popen(["true"]) as process:
        process.wait()
    host = records.me().split(":")[0]
    claim_of_another(db, f"{host}:{process.pid}:1", timedelta(seconds=1))

    assert run_due(db, "2026-11-20T06:10") == [("11-20 06:00", "ok")]
    assert outcomes(db) == [("11-20 06:00", "ok")]


@pytest.mark.integration
def test_a_number_that_another_process_has_now_is_not_the_same_process(db: Path) -> None:
    claim_of_another(db, f"{records.me()}0", timedelta(seconds=1))

    assert run_due(db, "2026-11-20T06:10") == [("11-20 06:00", "ok")]


def test_what_another_process_is_making_is_left_to_it(db: Path) -> None:
    claim_of_another(db, records.me(), timedelta(seconds=1))
    assert run_due(db, "2026-11-20T06:10") == []

    assert outcomes(db) == [("11-20 06:00", "running")]


@pytest.mark.integration
def test_what_another_machine_began_is_taken_over_after_the_grace(db: Path) -> None:
    claim_of_another(db, "elsewhere:1:1", timedelta(hours=23))
    assert run_due(db, "2026-11-20T06:10") == []
    with database.writer(db) as connection:
        connection.execute("UPDATE schedule_run SET claimed_at = claimed_at - INTERVAL 2 HOUR")

    assert run_due(db, "2026-11-20T06:10") == [("11-20 06:00", "ok")]


def test_who_was_taken_over_does_not_write_its_result(db: Path) -> None:
    definition = put(db)
    with database.writer(db) as connection:
        records.claim(connection, "nightly", at("2026-11-20T06:00"))
        connection.execute("UPDATE schedule_run SET claimed_by = 'elsewhere:1:1'")

        assert not records.finish(
            connection, definition.name, at("2026-11-20T06:00"), START, records.RunResult("ok")
        )


@pytest.mark.integration
def test_a_warehouse_in_use_leaves_the_time_due(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def in_use(*_: object) -> None:
        raise LockedDatabase("in use")

    put(db)
    monkeypatch.setattr(tick, "produce", in_use)
    with pytest.raises(LockedDatabase):
        run_due(db, "2026-11-20T06:05")
    assert outcomes(db) == []
    monkeypatch.undo()

    assert run_due(db, "2026-11-20T06:10") == [("11-20 06:00", "ok")]


TICK = """
import sys
from datetime import datetime
from pathlib import Path
from warehouse.query import session
from warehouse.schedule import tick
place = session.Place(Path(sys.argv[1]), wait_s=30)
print("ready", flush=True)
sys.stdin.readline()
for each in tick.run_due(place, datetime.fromisoformat(sys.argv[2])):
    print(each.made.status, flush=True)
"""


def ticking(db: Path, moment: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", TICK, str(db), moment],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.slow
def test_two_ticks_at_once_make_it_once(db: Path) -> None:
    put(db)
    processes = [ticking(db, "2026-11-20T06:05+00:00") for _ in range(2)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    results = [process.communicate() for process in processes]

    assert sorted(out for out, _ in results) == ["", "ok\n"], results
    assert outcomes(db) == [("11-20 06:00", "ok")]


@pytest.mark.slow
def test_a_tick_killed_at_any_moment_leaves_no_half_file_and_doubles_nothing(db: Path) -> None:
    """40 kills at random moments of making a workbook, a tick after each."""
    rng = random.Random(0)
    put(db, query=None, report="pytorch", format="xlsx", output="{due:%Y-%m-%d}.xlsx")
    n_killed = 0
    for n in range(40):
        moment = START + timedelta(days=n, hours=6, minutes=5)
        process = ticking(db, moment.isoformat())
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
        time.sleep(rng.uniform(0, 0.6))
        n_killed += process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.communicate()
        for path in db.parent.glob("*.xlsx"):
            with zipfile.ZipFile(path) as book:
                assert book.testzip() is None
        list(tick.run_due(session.Place(db), moment))
        name = f"{moment:%Y-%m-%d}.xlsx"
        assert (db.parent / name).is_file()
        assert len(outcomes(db)) == n + 1
    assert n_killed >= 30
    assert {status for _, status in outcomes(db)} == {"ok"}
    assert len(list(db.parent.glob("*.xlsx"))) == 40
