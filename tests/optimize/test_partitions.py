"""Parts of gradients that servers reduce: predictions match simulated jobs; files are read back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Tw
from tests.support.byteps_jobs import BytePSJobs
from tests.support.sharing import slow
from tw_importers.dpro import strategy
from warehouse.errors import UsageError
from warehouse.optimize.partitions import part_size

TRIAL = Path(__file__).parents[1] / "data" / "dpro" / "bps_zmq_2w2s"
STEPS = ("--option", "profile_start_step=0", "--option", "profile_duration=5")
OTHERS = [
    [1] * 8, [2] * 8, [1, 1, 1, 2, 2, 2, 2, 2], [2, 4, 6, 8, 10, 12, 14, 16],
    [1, 2, 3, 4, 5, 6, 7, 8], [1, 1, 2, 2, 3, 3, 4, 4],
]  # fmt: skip


def predicted_ns(tw: Tw, db: Path, sizes: str) -> float:
    """What a replay with parts of these sizes predicts, of the slowest worker."""
    change = f'partitions(sizes = "{sizes}")'
    replay = tw("replay", "--db", db, "--what-if", change, "--format", "json")
    return float(max(row["predicted_ns"] for row in json.loads(replay.out)))


def replayed_ns(tw: Tw, db: Path) -> float:
    """What a replay of the recorded run takes, of the slowest worker."""
    replay = tw("replay", "--db", db, "--format", "json")
    return float(max(row["predicted_ns"] for row in json.loads(replay.out)))


def sizes_of(n_bytes: list[int], counts: list[int]) -> str:
    return ",".join(f"{k}={-(-n_bytes[k] // n)}" for k, n in enumerate(counts))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "recorded", "others"),
    [
        ({"bw": 60}, [1, 1, 1, 1, 1, 1, 1, 2], OTHERS),
        ({}, [1, 1, 1, 1, 1, 2], [[2, 4, 6, 8, 10, 12], [1] * 6, [2] * 6]),
        ({"bw": 100, "workers": 3, "servers": 3, "seed": 8}, [1, 1, 2, 1, 2, 1, 1, 2], OTHERS),
    ],
    ids=["slow_links", "fast_links", "three_servers"],
)
def test_predictions_match_the_true_times_of_other_parts(
    tw: Tw,
    data_dir: Path,
    tmp_path: Path,
    arguments: dict[str, Any],
    recorded: list[int],
    others: list[list[int]],
) -> None:
    jobs = BytePSJobs(data_dir, tmp_path)
    trial, recorded_ns, n_bytes = jobs.record(arguments, recorded)
    db = tmp_path / "trial.duckdb"
    assert tw("import", trial, "--run", "trial", "--db", db, *STEPS).code == 0

    assert replayed_ns(tw, db) == pytest.approx(recorded_ns, rel=0.005)
    for counts in others:
        _, true_ns, _ = jobs.record(arguments, counts)

        predicted = predicted_ns(tw, db, sizes_of(n_bytes, counts))
        assert predicted == pytest.approx(true_ns, rel=0.02), counts


@pytest.mark.slow
def test_the_recommended_parts_are_truly_faster_and_read_back(
    tw: Tw, data_dir: Path, tmp_path: Path
) -> None:
    jobs = BytePSJobs(data_dir, tmp_path)
    arguments, recorded = {"bw": 60}, [1, 1, 1, 1, 1, 1, 1, 2]
    trial, recorded_ns, n_bytes = jobs.record(arguments, recorded)
    db, folder = tmp_path / "trial.duckdb", tmp_path / "parts"
    assert tw("import", trial, "--run", "trial", "--db", db, *STEPS).code == 0

    result = tw("optimize", "buckets", "--db", db, "-o", folder, "--format", "json")

    (row,) = (row for row in json.loads(result.out) if row["is_recommended"])
    parts = strategy.parse_partitions((folder / "tensor_partition_spec.txt").read_text())
    counts = [-(-n_bytes[int(name)] // size) for name, size in parts]
    _, true_ns, _ = jobs.record(arguments, counts)
    assert true_ns < 0.9 * recorded_ns
    assert row["predicted_ns"] == pytest.approx(true_ns, rel=0.02)
    for name in ("tensor_partition_spec.txt", "strategy.json"):
        change = f"strategy(file = {folder / name})"
        replay = tw("replay", "--what-if", change, "--db", db, "--format", "json")
        read = max(row["predicted_ns"] for row in json.loads(replay.out))
        assert read == pytest.approx(row["predicted_ns"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--search", "anneal"), "servers reduce the gradients of the run, whose parts have no"),
        slow(("--groups", "2"), "--groups is for groups of gradients, but servers reduce those"),
        slow(("--ratio", "0.3"), "buckets has no option --ratio"),
    ],
    ids=["anneal", "groups", "ratio"],
)
def test_options_of_other_runs_are_refused(
    tw: Tw, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    db = tmp_path / "trial.duckdb"
    assert tw("import", TRIAL, "--run", "trial", "--db", db, *STEPS).code == 0

    result = tw("optimize", "buckets", *arguments, "--db", db, "-o", tmp_path / "out")

    assert result.code != 0 and message in result.errors[0]
    assert not (tmp_path / "out").exists()


def test_files_of_parts_are_those_of_dpro() -> None:
    text = (
        "Distributed_Push_Pull/BytePSPushPull.0 16384\nDistributed_Push_Pull/BytePSPushPull.3_4 9\n"
    )

    parts = strategy.parse_partitions(text)

    assert parts == [("0", 16384), ("3+4", 9)]
    assert strategy.format_partitions(parts) == text
    with pytest.raises(UsageError, match=r"line 2 of tensor_partition_spec.txt is not a tensor"):
        strategy.parse_partitions(text.partition("\n")[0] + "\nBytePSPushPull.1 many\n")


@pytest.mark.parametrize(("total", "n", "size"), [(98304, 5, 19664), (10, 4, 3), (8, 8, 1)])
def test_sizes_of_parts_are_whole_words_if_they_lead_to_as_many(
    total: int, n: int, size: int
) -> None:
    assert part_size(total, n) == size and -(-total // size) == n
