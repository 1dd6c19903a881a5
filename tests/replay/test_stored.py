"""Predictions stored as runs: the measured timeline, moved to the times of a replay."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

import warehouse
from tests.conftest import Tw
from tests.support.predicted_trial import SLOWER, TRIAL, predicted_trial
from tests.support.sharing import BuildCache, WarehouseCache
from warehouse.errors import TwError, UsageError
from warehouse.query import session
from warehouse.query.selection import Selection
from warehouse.replay import stored
from warehouse.store import catalog

STEP_NS = 3_461_224  # from the first step's begin to the second's, as recorded
MEASURED_NS, SAME_NS, SLOWER_NS = 3_060_224, 3_057_224, 3_181_224


@pytest.fixture(scope="module")
def db(shared_place: Path, imported_files: WarehouseCache, kept_builds: BuildCache | None) -> Path:
    return predicted_trial(shared_place, imported_files, kept_builds)


@pytest.fixture
def copy(tmp_path: Path, imported_files: WarehouseCache) -> Path:
    return imported_files.copy(tmp_path / "w.duckdb", ("trial", [TRIAL]))


@pytest.fixture
def reader(db: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(str(db), read_only=True) as connection:
        yield connection


def n_rows(path: Path) -> dict[str, int]:
    with duckdb.connect(str(path), read_only=True) as connection:
        return {
            table.name: connection.sql(f"SELECT count(*) FROM {table.name}").fetchall()[0][0]
            for table in catalog.tables(connection)
            if table.kind == "table"
        }


def steps_of(connection: duckdb.DuckDBPyConnection, run: str) -> list[tuple[int, int, int]]:
    """Trace, begin and length of each step, by its operators."""
    return connection.execute(
        "SELECT t.rank, min(o.ts), max(o.ts + o.dur) - min(o.ts) FROM cpu_op AS o "
        "JOIN trace AS t ON t.id = o.trace_id JOIN run AS r ON r.id = t.run_id "
        "WHERE r.name = ? GROUP BY t.rank, o.step_number ORDER BY 1, 2",
        [run],
    ).fetchall()


def test_operators_of_a_prediction_take_the_time_of_the_replay(
    reader: duckdb.DuckDBPyConnection,
) -> None:
    """The second step follows the first as late as recorded, and as much longer as the first."""
    assert steps_of(reader, "trial")[:2] == [(0, 0, MEASURED_NS), (0, STEP_NS, MEASURED_NS)]
    for run, step_ns in (("same", SAME_NS), ("slower", SLOWER_NS)):
        second = STEP_NS + step_ns - MEASURED_NS
        assert steps_of(reader, run) == [
            (rank, begin, step_ns) for rank in (0, 1) for begin in (0, second)
        ]


def test_stages_of_communication_last_as_measured_without_a_change(
    reader: duckdb.DuckDBPyConnection,
) -> None:
    """Sends twice as long with half the bandwidth; receives end as long after them as before."""
    rows = reader.execute(
        "SELECT r.name, c.stage, sum(c.dur) FROM collective AS c "
        "JOIN trace AS t ON t.id = c.trace_id JOIN run AS r ON r.id = t.run_id GROUP BY ALL"
    ).fetchall()
    total = {(run, stage): n for run, stage, n in rows}

    for stage in ("QUEUE", "MEMCPY_IN_FUSION_BUFFER", "SEND", "RECV", "MEMCPY_OUT_FUSION_BUFFER"):
        assert total["same", stage] == total["trial", stage]
    longer = total["trial", "SEND"]
    assert total["slower", "SEND"] == total["trial", "SEND"] + longer
    assert total["slower", "RECV"] == total["trial", "RECV"] + longer


def test_a_prediction_is_described_with_the_measured_run(
    reader: duckdb.DuckDBPyConnection,
) -> None:
    row = reader.sql(
        "SELECT r.kind, m.name, p.engine, p.what_ifs_json, p.measured_ns, p.predicted_ns, "
        "p.queries_json LIKE '%replay_node@%' AND p.queries_json LIKE '%what_if_link@%' "
        "FROM prediction AS p JOIN run AS r ON r.id = p.run_id "
        "JOIN run AS m ON m.id = p.parent_run_id WHERE r.name = 'slower'"
    ).fetchall()

    assert row == [
        ("predicted", "trial", "default", '["link(bandwidth_ratio = 0.5)"]',
         MEASURED_NS, SLOWER_NS, True),
    ]  # fmt: skip


@pytest.mark.slow
def test_rows_of_a_prediction_refer_to_each_other_like_the_measured_ones(db: Path) -> None:
    rows = warehouse.open(db).scope(run="same").check("id_unique", "reference")

    assert len(rows) == 0


def test_the_default_scope_is_a_measured_run(db: Path) -> None:
    with session.opened(session.Place(db)) as opened:
        assert opened.seen.run_names == ("trial",)


@pytest.mark.integration
def test_a_prediction_is_compared_with_the_measured_run(db: Path) -> None:
    rows = warehouse.open(db).compare("trial", "same")

    compared = {r["measure"]: (r["total_a"], r["total_b"]) for r in rows}
    assert compared["n_operator_calls"] == (112, 112)
    assert compared["operator_time"][0] == compared["operator_time"][1]


@pytest.mark.slow
def test_removing_a_prediction_leaves_what_was_before(copy: Path, tw: Tw) -> None:
    before = n_rows(copy)

    assert tw("replay", "--db", copy, "--as", "same").code == 0
    assert n_rows(copy)["slice"] == 2 * before["slice"]
    assert tw("drop", "--db", copy, "--run", "same", "--yes").code == 0

    assert n_rows(copy) == before


@pytest.mark.slow
def test_a_prediction_of_the_same_name_is_only_replaced_on_request(copy: Path, tw: Tw) -> None:
    arguments = ("replay", "--db", copy, "--as", "p", "-q")
    assert tw(*arguments).code == 0
    once = n_rows(copy)

    assert tw(*arguments).errors == ["Error: run 'p' exists"]
    assert tw(*arguments, "--replace", "--what-if", "equal_ranks()").code == 0
    assert n_rows(copy) == once
    own = tw(*arguments, "--replace", "--run", "p")
    assert own.errors == ["Error: run 'p' is the one that was replayed"]
    measured = tw("replay", "--db", copy, "--as", "trial", "--replace")
    assert measured.errors == ["Error: run 'trial' is measured, not predicted"]
    swept = tw("replay", "--db", copy, "--as", "q", "--sweep", "link(latency_ns = 1,2)")
    assert swept.errors == ["Error: --as stores one prediction, --sweep makes several"]
    assert tw("replay", "--db", copy, "--replace").errors == ["Error: --replace requires --as"]


def test_a_prediction_that_is_replaced_keeps_its_tags(copy: Path, tw: Tw) -> None:
    tw("replay", "--db", copy, "--as", "p", "-q")
    tw("tag", "candidate", "--db", copy, "--run", "p")
    assert tw("replay", "--db", copy, "--as", "p", "-q", "--run", "trial", "--replace").code == 0

    tagged = tw("query", "-c", "SELECT name, kind FROM run", "--db", copy, "--run", "tag:candidate",
                "--format", "csv")  # fmt: skip
    assert tagged.out.splitlines() == ['"name","kind"', '"p","predicted"']


@pytest.mark.slow
def test_a_prediction_that_fails_halfway_leaves_nothing(
    copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = n_rows(copy)
    monkeypatch.setattr(stored, "_POINT", " JOIN nothing")  # of flow points: slices are copied

    with pytest.raises((duckdb.Error, TwError)):
        warehouse.open(copy).replay(name="p")

    assert n_rows(copy) == before


def test_a_held_warehouse_stores_no_prediction(copy: Path) -> None:
    with warehouse.open(copy) as held, pytest.raises(UsageError, match="open for reading"):
        held.replay(name="p")


@pytest.mark.slow
def test_an_export_of_a_prediction_is_made_again_from_files_and_changes(
    db: Path, copy: Path, tw: Tw, tmp_path: Path
) -> None:
    """By another warehouse with the same prediction of the same files, and by no other."""
    rows, trace = tmp_path / "rows.csv", tmp_path / "same.pftrace"
    assert tw("query", "op_summary", "--db", db, "--run", "same", "-o", rows).code == 0
    assert tw("export", "perfetto", "--db", db, "--run", "same", "-o", trace).code == 0

    def is_verified() -> list[bool]:
        return [tw("verify", "--db", copy, target).code == 0 for target in (rows, trace)]

    trial = warehouse.open(copy)
    trial.replay([SLOWER], name="same")
    assert is_verified() == [False, False]
    trial.replay(name="same", replace=True)
    assert is_verified() == [True, True]


@pytest.mark.slow
def test_every_query_has_as_many_rows_for_a_prediction(db: Path) -> None:
    def counts(run: str) -> dict[str, int | str]:
        found: dict[str, int | str] = {}
        with session.opened(session.Place(db), Selection(runs=(run,))) as opened:
            for name, query in opened.queries.newest.items():
                if query.layer == "link" or not all(p.has_default for p in query.parameters):
                    continue
                found[name] = opened.run(query).table().num_rows
        return found

    found, reference = counts("same"), counts("trial")
    for name in ("prediction_summary", "replay_error"):  # of predicted runs only
        assert found.pop(name) == 1 and not reference.pop(name)
    assert found.pop("predicted_path") and not reference.pop("predicted_path")
    assert found == reference


@pytest.mark.slow
def test_a_killed_replay_leaves_all_or_nothing(copy: Path) -> None:
    before = n_rows(copy)
    command = [sys.executable, "-m", "warehouse", "replay", "--db", str(copy), "--as", "p"]
    seeds = random.Random(7)
    for _ in range(25):
        started = subprocess.Popen(
            [*command, "--replace"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
        time.sleep(seeds.uniform(0.5, 3))
        os.killpg(started.pid, signal.SIGKILL)
        started.wait()

        after = n_rows(copy)
        assert after["run"] in (before["run"], before["run"] + 1)
        times = after["run"] / before["run"]
        assert after["slice"] == times * before["slice"]
        assert after["prediction"] == after["run"] - before["run"]
