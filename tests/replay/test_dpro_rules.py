"""Rules of dPRO that its recordings do not show, counted by hand on a trial of a few operators."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support import nccl_trial
from warehouse.ingest import pipeline
from warehouse.ingest.pipeline import Options
from warehouse.query import session

RANK0, RANK1 = "host0.rank0", "host1.rank0"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("nccl")


@pytest.fixture(scope="module")
def db(folder: Path) -> Path:
    return imported(folder, "bert_base")


def imported(folder: Path, model: str) -> Path:
    trial = nccl_trial.write(folder / model, model)
    found = pipeline.import_paths([trial], db=folder / f"{model}.duckdb", options=Options(jobs=1))
    assert [each.status for each in found] == ["imported", "imported"]
    return folder / f"{model}.duckdb"


def rows(db: Path, query: str) -> list[dict[str, Any]]:
    with session.opened(session.Place(db)) as open_session:
        found: list[dict[str, Any]] = open_session.run(query).table().to_pylist()
    return found


def gaps(db: Path, rank: str) -> dict[str, tuple[float, int]]:
    """Mean gap in us and number of gaps, by operator."""
    return {
        row["name"].removeprefix(f"{rank}->"): (row["gap_ns"] / 1e3, row["n_gaps"])
        for row in rows(db, "dpro_node")
        if row["n_gaps"] is not None and row["name"].startswith(f"{rank}->")
    }


def test_what_follows_an_update_by_name_is_no_update_and_renamed_nodes_come_last(db: Path) -> None:
    found = [row for row in rows(db, "dpro_operation") if row["trace_id"] == 1]

    # edges of gradients/b follow each other, though the file has one of them at its end
    names = [row["name"] for row in sorted(found, key=lambda row: int(row["position"]))]
    assert names == [
        "FW.IteratorGetNext", "FW.hvd_input_barrier/op", "FW.net/a", "UPDATE_.bn/AssignMovingAvg",
        "FW.net/e", "BW.gradients/b", "BW.gradients/d", "Comm.0", "UPDATE_.Adam/update_0", "Comm.1",
        "UPDATE_.Adam/update_1", "BW.clip/c",
    ]  # fmt: skip
    assert [row["name"] for row in found if row["is_renamed"]] == ["BW.clip/c"]


def test_edges_of_a_renamed_node_come_last(db: Path) -> None:
    found = [row for row in rows(db, "dpro_local_edge") if row["trace_id"] == 1]

    ends = [(row["from_name"], row["to_name"]) for row in found]
    assert ends[5:7] == [("BW.gradients/b", "BW.gradients/d"), ("BW.gradients/b", "BW.clip/c")]
    assert ends[-1] == ("BW.clip/c", "Comm.0")
    assert all(row["input_ordinal"] == 0 for row in found)


def test_an_iteration_begins_after_the_barrier_and_a_cut_one_does_not_count(db: Path) -> None:
    found = rows(db, "dpro_iteration")

    # net/a begins at 1030, Adam/update_0 ends at 1620; on the clock of the first host
    times = [(row["process"], row["step"], row["start_ns"], row["dur_ns"]) for row in found]
    base = times[0][2] - 1030e3
    assert times == [
        (rank, step, base + 1030e3 + step * 1e7, 590e3)
        for rank in (RANK0, RANK1)
        for step in (0, 1)
    ]
    assert {row["run_dur_ns"] for row in found} == {590e3}


def test_groups_are_those_of_the_typical_step(db: Path) -> None:
    found = {row["tensor_id"]: row["tensors"] for row in rows(db, "dpro_group")}
    assert found == {0: "0", 1: "1"}


def test_communication_counts_between_the_operators_of_a_rank(db: Path) -> None:
    found = {(row["process"], row["name"]): row for row in rows(db, "dpro_statistic")}

    # the send before the first operator and the queue until the end of the last are left out
    for rank in (RANK0, RANK1):
        send, queue = found[rank, "Comm.0.SEND~>0_0_0_0"], found[rank, "Comm.0.QUEUE"]
        assert (send["n_events"], send["mean_ns"]) == (1, 10e3)
        assert (queue["n_events"], queue["mean_ns"]) == (2, 10e3)


def test_gaps_are_those_to_the_next_operator_that_does_not_overlap(db: Path) -> None:
    # bn/AssignMovingAvg and net/e begin before net/a has ended, so that gradients/b follows it;
    # between gradients/d and the updates no gap is measured. A gap longer than its operator counts
    # as 10 us behind updates alone, as the model is a bert.
    assert gaps(db, RANK0) == {
        "FW.IteratorGetNext": (6, 2), "FW.hvd_input_barrier/op": (10, 2), "FW.net/a": (20, 2),
        "BW.gradients/b": (0, 2), "UPDATE_.Adam/update_1": (10, 2),
        "UPDATE_.Adam/update_0": (10, 1),
    }  # fmt: skip


def test_gaps_of_other_models_longer_than_their_operator_count_as_10_us(folder: Path) -> None:
    other = imported(folder, "resnet50")

    assert gaps(other, RANK0)["FW.IteratorGetNext"] == (10, 2)


def test_negotiation_counts_from_the_last_operator_that_took_time(db: Path) -> None:
    # clip/c, on which tensor 0 depends, was not recorded: gradients/b before it ends at 1200, QUEUE
    # begins at 1330
    found = {row["name"]: row["negotiation_ns"] for row in rows(db, "dpro_node")}
    assert found[f"{RANK0}->Comm.0.Sync"] == found[f"{RANK1}->Comm.1.Sync"] == 130e3
