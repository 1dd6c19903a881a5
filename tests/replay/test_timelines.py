"""Replays of timelines: without changes they take as long as the recording; what-ifs and errors."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import duckdb
import pytest

from tests.conftest import Tw
from tests.queries.test_cases import CASES
from tests.support.sharing import WarehouseCache, integration, slow
from warehouse.store import database

#: Recording -> largest error of a step, or of the whole recording.
RECORDINGS = {
    "two_ranks": 0.01,
    "a100_nccl": 0.01,
    "h100_qwen": 0.01,
    "simple_add_sync": 0.01,
    "mi300_resnet_train": 0.015,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", RECORDINGS)
def test_replays_of_recordings_take_as_long_as_measured(
    tw: Tw, imported_files: WarehouseCache, data_dir: Path, name: str
) -> None:
    files = sorted((data_dir / "kineto" / name).glob("*.json.gz"))

    result = tw("replay", "--db", imported_files(("run", files)), "--format", "json")

    rows = json.loads(result.out)
    assert {row["rank"] for row in rows} == ({0, 1} if name == "two_ranks" else {rows[0]["rank"]})
    assert max(abs(row["replay_error"]) for row in rows) <= RECORDINGS[name]


@pytest.fixture(scope="module")
def data_parallel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One step of DistributedDataParallel: the input of the case of `replay_bucket`."""
    db = tmp_path_factory.mktemp("ddp") / "w.duckdb"
    (case,) = (each for each in CASES if (each.query, each.name) == ("replay_bucket", "one_rank"))
    database.create_empty(db)
    with database.writer(db) as connection:
        for part in case.inputs():
            connection.execute(part.read_text())
    return db


@pytest.mark.parametrize(
    ("change", "step_ns"),
    [
        # Reduced from 12 to 40 and to 54; the thread goes on at 40 + 5, copies (2), spends 2 after
        # the second reduction, copies (1) and spends 25.
        ("buckets(bytes = 20)", 82),
        # 10, then 8, and the 25 after the copies.
        pytest.param("no_sync()", 43, marks=pytest.mark.slow),
        # The reduction takes 42 / 2 from 23, and 5 + 2 + 2 + 1 + 25 follow.
        pytest.param("link(bandwidth_ratio = 2)", 79, marks=pytest.mark.slow),
        # As if of two ranks, each of which sends 48 bytes: they take 24.
        slow("link(bits_per_s = 16e9)", 82),
        # As recorded: of as many ranks as collectives have at least.
        integration("world_size(ranks = 2)", 100),
        # 10 and 8 more; then as before from the call on.
        slow("batch(ratio = 2)", 118),
    ],
)
def test_what_ifs_of_data_parallel_training(
    tw: Tw, data_parallel: Path, change: str, step_ns: int
) -> None:
    result = tw("replay", "--db", data_parallel, "--what-if", change, "--format", "json")

    step, whole = json.loads(result.out)
    assert step["step"] == 3
    assert step["replayed_ns"] == step["measured_ns"] == whole["measured_ns"] == 100
    assert step["predicted_ns"] == step_ns
    assert step["is_extrapolated"] == change.startswith(("batch", "world"))


@pytest.mark.parametrize(
    "changes",
    [
        ("link(bandwidth_ratio = 2)", "buckets(bytes = 20)"),
        slow(("buckets(bytes = 20)", "link(bandwidth_ratio = 2)")),
    ],
)
def test_buckets_and_the_link_change_in_any_order(
    tw: Tw, data_parallel: Path, changes: tuple[str, str]
) -> None:
    """Reduced from 12 to 26 and to 33; the thread goes on at 26 + 5, copies (2), and so on."""
    options = [part for change in changes for part in ("--what-if", change)]

    result = tw("replay", "--db", data_parallel, *options, "--format", "json")

    assert json.loads(result.out)[0]["predicted_ns"] == 61


def test_recorded_reductions_do_not_last_beyond_other_buckets(tw: Tw, data_parallel: Path) -> None:
    """A hundredth of 82; the recorded reduction began at 23."""
    options = ["--what-if", "buckets(bytes = 20)", "--what-if", "scale(ratio = 0.01)"]

    result = tw("replay", "--db", data_parallel, *options, "--format", "json")

    assert [row["predicted_ns"] for row in json.loads(result.out)] == pytest.approx([0.82, 0.82])


def add_rank(connection: duckdb.DuckDBPyConnection, n: int) -> None:
    """Repeats the rows of trace 1 as those of another rank."""
    numbers = {
        "trace": ("id",),
        "track": ("id", "trace_id"),
        "slice": ("id", "trace_id", "track_id", "parent_id"),
        "step": ("slice_id", "trace_id", "track_id"),
        "cpu_op": ("slice_id", "trace_id", "track_id"),
        "collective": ("slice_id", "trace_id", "track_id"),
        "link": ("id", "trace_id", "from_id", "to_id"),
    }
    for table, columns in numbers.items():
        added = [f"{each} + {1000 * n} AS {each}" for each in columns]
        if table == "trace":
            added += [f"{n} AS rank", f"'t{n}' AS name"]
        key = "id" if table == "trace" else "trace_id"
        connection.execute(
            f"INSERT INTO {table} BY NAME "
            f"SELECT * REPLACE ({', '.join(added)}) FROM {table} WHERE {key} = 1"
        )


def test_buckets_of_four_ranks_move_what_an_all_reduce_of_four_ranks_moves(
    tw: Tw, data_parallel: Path, tmp_path: Path
) -> None:
    """48 bytes are 72 at 2 bytes/ns: reduced from 22 to 58; 5 + 2 + 2 + 1 + 25 follow."""
    db = Path(shutil.copy(data_parallel, tmp_path))
    with database.writer(db) as connection:
        for n in (1, 2, 3):
            add_rank(connection, n)
    options = ["--what-if", "buckets(bytes = 48)", "--what-if", "link(bits_per_s = 16e9)"]

    result = tw("replay", "--db", db, *options, "--format", "json")

    assert [row["predicted_ns"] for row in json.loads(result.out)] == [93] * 8


@pytest.mark.integration
def test_nothing_is_reduced_in_other_buckets_either(
    tw: Tw, data_parallel: Path, tmp_path: Path
) -> None:
    """Of a trace that begins later than at time 0."""
    db = Path(shutil.copy(data_parallel, tmp_path))
    with database.writer(db) as connection:
        for table in ("slice", "step", "cpu_op", "collective"):
            connection.execute(f"UPDATE {table} SET ts = ts + 1000")
    options = ["--what-if", "buckets(bytes = 20)", "--what-if", "no_sync()"]

    result = tw("replay", "--db", db, *options, "--format", "json")

    assert [row["predicted_ns"] for row in json.loads(result.out)] == [43, 43]


@pytest.mark.integration
def test_buckets_are_changed_once(tw: Tw, data_parallel: Path) -> None:
    options = ["--what-if", "buckets(bytes = 20)", "--what-if", "buckets(bytes = 1)"]

    result = tw("replay", "--db", data_parallel, *options)

    assert result.errors == ["Error: an earlier change put the gradients into other buckets"]


@pytest.fixture(scope="module")
def two_streams(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Kernels on streams 7 and 9: the input of the case of `replay_timeline_edge`."""
    db = tmp_path_factory.mktemp("streams") / "w.duckdb"
    (case,) = (case for case in CASES if case.query == "replay_timeline_edge")
    database.create_empty(db)
    with database.writer(db) as connection:
        for part in case.inputs():
            connection.execute(part.read_text())
    return db


@pytest.mark.integration
def test_work_is_scaled_by_class_and_stream(tw: Tw, two_streams: Path) -> None:
    def whole(change: str) -> float:
        result = tw("replay", "--db", two_streams, "--what-if", change, "--format", "json")
        return float(json.loads(result.out)[-1]["predicted_ns"])

    # k1 takes 30 and k2 8 more, and the thread waits for k2.
    assert whole("scale(name = k?, class = comp*, stream = 7, ratio = 2)") == 138


@pytest.mark.integration
def test_work_of_another_process_can_be_the_last_of_a_stream(
    tw: Tw, two_streams: Path, tmp_path: Path
) -> None:
    db = Path(shutil.copy(two_streams, tmp_path))
    with database.writer(db) as connection:
        connection.execute("""
            UPDATE track SET process_id = 0 WHERE id = 1;
            INSERT INTO track (id, trace_id, kind, process_id) VALUES (9, 1, 'thread', 1);
            INSERT INTO slice (id, trace_id, track_id, ts, dur, category, name, depth) VALUES
              (14, 1, 9, 40, 4, 'cuda_runtime', 'launch', 0), (15, 1, 3, 50, 8, 'kernel', 'k4', 0);
            INSERT INTO launch (slice_id, trace_id, track_id, ts, dur, name)
            VALUES (14, 1, 9, 40, 4, 'launch');
            INSERT INTO gpu_op
              (slice_id, trace_id, track_id, device_id, ts, dur, name, kind, class, stream)
            VALUES (15, 1, 3, 5, 50, 8, 'k4', 'kernel', 'compute', 7);
            INSERT INTO link (id, trace_id, run_id, from_id, to_id, kind, rule, confidence,
              link_set, query, query_version)
            VALUES (9, 1, 1, 14, 15, 'launch', 'correlation', 1, 'default', 'q', 1);
        """)

    result = tw(
        "replay", "--db", db, "--what-if", "scale(name = k4, ratio = 20)", "--format", "json"
    )

    whole = json.loads(result.out)[-1]
    assert whole["replayed_ns"] == 100
    assert whole["predicted_ns"] == 50 + 160


@pytest.mark.slow
def test_work_of_one_stream_is_scaled_or_none_is(tw: Tw, two_streams: Path) -> None:
    def whole(change: str) -> float:
        result = tw("replay", "--db", two_streams, "--what-if", change, "--format", "json")
        return float(json.loads(result.out)[-1]["predicted_ns"])

    assert whole("scale(stream = 9, ratio = 3)") == 110  # k3, which starts at 80
    none = tw("replay", "--db", two_streams, "--what-if", "scale(class = memory, ratio = 3)")
    assert none.errors == ["Error: what-if scale(class = memory, ratio = 3) changes nothing"]


KINDS = "This run has nodes of kinds call, collective, copy, end, gradient, host."


@pytest.mark.parametrize(
    ("change", "problem", "hint"),
    [
        (
            "merge_streams( )", " changes nothing",
            f"It applies to ranks with device work on several streams. {KINDS}",
        ),
        slow(
            "no_overlap()", " changes nothing",
            f"It applies to ranks with collectives and other work on devices. {KINDS}",
        ),
        slow(
            "scale(stream = 1, ratio=2)", " changes nothing", "The run has no device work."
        ),
        integration(
            'scale(name="*aleduce*", kind = gradien, ratio=2)', " matches no node",
            "Names are c10d::allreduce_, gloo:all_reduce, torch::distributed::reducer::mul_out, "
            "and others; kinds are call, collective, copy, end, gradient, host "
            "(`tw query replay_node`).",
        ),
        slow(
            "scale(rank = 7, ratio=2)", " matches no node", "Ranks are 0 (`tw query replay_node`)."
        ),
        integration("daydream()", "", "It requires a dPRO trial."),
        slow(
            "scale(ratio = NaN)", ": parameter ratio must be of type DOUBLE, not 'NaN'",
            "Write scale(ratio = 0.5).",
        ),
        (
            "scale(ns = -5)", ": parameter ns must be at least 0, not -5",
            "Write scale(ns = 0.5 or a time such as 1.5ms).",
        ),
        integration(
            "scale(ns = soon)", ": parameter ns must be of type DOUBLE, not 'soon'",
            "Write scale(ns = 0.5 or a time such as 1.5ms).",
        ),
    ],
)  # fmt: skip
def test_a_what_if_that_changes_nothing_says_what_it_would_change(
    tw: Tw, data_parallel: Path, change: str, problem: str, hint: str
) -> None:
    """The what-if is named as it was written."""
    result = tw("replay", "--db", data_parallel, "--what-if", change)

    assert result.code != 0 and result.out == ""
    assert not problem or result.errors == [f"Error: what-if {change}{problem}"]
    assert f"Hint: {hint}" in result.err.splitlines()
