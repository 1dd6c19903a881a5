"""What a replay says of dPRO trials from which ranks, files or logs were removed.

The trials are whole recordings of `tests/data`, which warn of nothing; each case removes one part.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.conftest import Tw
from tests.support.sharing import integration, slow
from warehouse.ingest import pipeline
from warehouse.ingest.decode import Settings
from warehouse.ingest.pipeline import Options

DATA = Path(__file__).parents[1] / "data" / "dpro"
NCCL, BYTEPS = "nccl_ring_2x1_tiny", "bps_zmq_2w2s"
TRANSFERS = "recorded reductions, but no sends and receives of NCCL"
NO_MESSAGES = "reduces gradients, but no communication of it was recorded"
#: Trial, patterns of what is removed, how each warning begins.
CASES = [
    pytest.param(NCCL, ["host0"], ["no recording of rank 0 is in scope"], id="first rank"),
    slow(NCCL, ["host1"], ["no recording of rank 1 is in scope"]),
    slow(NCCL, ["host1/0/comm_detail.json"], [f"host1.rank0 {TRANSFERS}"]),
    slow(NCCL, ["host*/0/comm_detail.json"], [f"host0.rank0, host1.rank0 {TRANSFERS}"]),
    slow(NCCL, ["host*/0/comm*.json"], [f"the graph of host0.rank0, host1.rank0 {NO_MESSAGES}"]),
    integration(
        BYTEPS, ["zmq/zmq_worker_1.log"],
        ["no log of node 11 was imported", f"the graph of traces_1.rank0 {NO_MESSAGES}"],
        id="log of a worker",
    ),
    slow(BYTEPS, ["zmq"], [f"the graph of traces_0.rank0, traces_1.rank0 {NO_MESSAGES}"]),
    slow(BYTEPS, ["zmq", "server"], [f"the graph of traces_0.rank0, traces_1.rank0 {NO_MESSAGES}"]),
    slow(BYTEPS, ["zmq/zmq_server_0.log"], ["no log of node 8 was imported"]),
    slow(BYTEPS, ["server"], ["no operations of server_0, server_1 were recorded"]),
    slow(BYTEPS, ["server/server_0.txt"], ["no operations of server_0 were recorded"]),
    slow(BYTEPS, ["traces_1"], ["no recording of worker_1 is in scope"]),
    slow(BYTEPS, ["key_dict.txt"], ["490 messages and operations have keys without a tensor"]),
]  # fmt: skip
STEPS = (("profile_start_step", "0"), ("profile_duration", "5"))  # those of the trial of BytePS


def imported(folder: Path, trial: str, removed: list[str]) -> Path:
    """A warehouse with a trial, from which what matches was removed."""
    copy = shutil.copytree(DATA / trial, folder / "t", ignore=shutil.ignore_patterns("expected"))
    for pattern in removed:
        found = list(copy.glob(pattern))
        assert found, pattern
        for path in found:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    settings = Settings(options=STEPS if trial == BYTEPS else ())
    db = folder / "w.duckdb"
    pipeline.import_paths([copy], db=db, options=Options(jobs=1, settings=settings))
    return db


@pytest.mark.parametrize(("trial", "removed", "expected"), CASES)
def test_what_is_missing_is_a_warning_and_with_strict_an_error(
    tw: Tw, tmp_path: Path, trial: str, removed: list[str], expected: list[str]
) -> None:
    db = imported(tmp_path, trial, removed)

    result = tw("replay", "--db", db, "--format", "json")
    refused = tw("replay", "--db", db, "--strict")

    warnings = [line for line in result.err.splitlines() if line.startswith("Warning: ")]
    assert result.code == 0
    assert len(warnings) == len(expected)
    for line, start in zip(warnings, expected, strict=True):
        assert line.startswith(f"Warning: {start}") and ". Import the trial with " in line
    for row in json.loads(result.out):
        assert all(start in row["missing"] for start in expected)
    assert (refused.code, refused.out) == (1, "")
    assert (
        refused.err.startswith(f"Error: {expected[0]}") and "Hint: Import the trial" in refused.err
    )


@pytest.mark.slow
@pytest.mark.parametrize("trial", [NCCL, slow(BYTEPS)])
def test_a_whole_trial_warns_of_nothing(tw: Tw, tmp_path: Path, trial: str) -> None:
    db = imported(tmp_path, trial, [])

    result = tw("replay", "--db", db, "--strict", "--format", "json")

    assert result.code == 0 and "Warning" not in result.err
    assert {row["missing"] for row in json.loads(result.out)} == {None}


@pytest.mark.slow
def test_no_sync_of_a_trial_is_an_error(tw: Tw, tmp_path: Path) -> None:
    """It would leave the stages of communication, and let updates run before them."""
    result = tw("replay", "--db", imported(tmp_path, BYTEPS, []), "--what-if", "no_sync()")

    assert result.code != 0 and result.out == ""
    assert "no_sync() changes nothing" in result.err and "It applies to timelines" in result.err


@pytest.mark.integration
def test_a_search_refuses_a_trial_without_a_rank(tw: Tw, tmp_path: Path) -> None:
    db = imported(tmp_path, NCCL, ["host0"])

    result = tw("optimize", "buckets", "--db", db)

    assert result.code == 1
    assert result.err.splitlines()[-2].startswith("Error: no recording of rank 0 is in scope")
