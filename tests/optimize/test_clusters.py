"""Groups of gradients from fused operators: a partition of all tensors, or one sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Tw
from tests.support.sharing import WarehouseCache
from tw_importers.dpro import clusters
from warehouse.errors import UsageError

TINY = Path(__file__).parents[1] / "data" / "dpro" / "nccl_ring_2x1_tiny"
NET = "gradient_tape/resnet50/"
#: Operators that compute the gradients of tensors 7, 6, 3 and 0, a forward one, and one of no run.
FUSED = f"""{NET}predictions/BiasAddGrad 4
BW.{NET}predictions/MatMul_1 4
{NET}conv2_conv/Conv2D/Conv2DBackpropFilter 9
resnet50/conv1_conv/Conv2D 9
{NET}conv1_conv/Conv2D/Conv2DBackpropFilter 9
nowhere/MatMul 9
"""


@pytest.fixture(scope="module")
def tiny(imported_files: WarehouseCache) -> Path:
    return imported_files(("trial", [TINY]))


@pytest.fixture
def fused(tmp_path: Path) -> Path:
    path = tmp_path / "cluster_mapping.txt"
    path.write_text(FUSED)
    return path


@pytest.mark.slow
def test_gradients_of_one_cluster_are_a_group_and_others_alone(
    tw: Tw, tiny: Path, fused: Path
) -> None:
    result = tw(
        "optimize", "buckets", "--search", "sweep", "--from-clusters", fused, "--db", tiny,
        "--format", "json",
    )  # fmt: skip

    (row,) = (row for row in json.loads(result.out) if row["search"] == "clusters")
    groups = row["edits"].removeprefix('groups(groups = "').removesuffix('")')
    assert set(groups.split(",")) == {"6+7", "0+3", "1", "2", "4", "5"}
    assert (
        f"Warning: 1 of 6 operators in {fused} are not in the run, such as nowhere/MatMul"
        in result.err.splitlines()
    )
    replay = tw("replay", "--what-if", row["edits"], "--db", tiny, "--format", "json")
    predicted = max(each["predicted_ns"] for each in json.loads(replay.out))
    assert row["predicted_ns"] == pytest.approx(predicted)


@pytest.mark.slow
def test_the_clusters_of_a_fusion_give_a_partition_of_all_tensors(
    tw: Tw, tiny: Path, tmp_path: Path
) -> None:
    """Of many operators of the backward pass in each cluster, which compute several gradients."""
    n_tensors = len(json.loads((TINY / "truth.json").read_text())["tensors"])
    fused = tw(
        "optimize", "fusion", "--by-layer", "--layers", "2", "--db", tiny, "-o", tmp_path / "out"
    )
    clusters_file = tmp_path / "out" / "cluster_mapping.txt"
    assert fused.code == 0 and NET in clusters_file.read_text()

    result = tw(
        "optimize", "buckets", "--search", "sweep", "--from-clusters", clusters_file, "--strict",
        "--db", tiny, "--format", "json",
    )  # fmt: skip

    (row,) = (row for row in json.loads(result.out) if row["search"] == "clusters")
    groups = row["edits"].removeprefix('groups(groups = "').removesuffix('")').split(",")
    assert len(groups) < n_tensors
    ids = [int(each) for group in groups for each in group.split("+")]
    assert sorted(ids) == list(range(n_tensors))


def test_unknown_operators_are_refused_if_strict(tw: Tw, tiny: Path, fused: Path) -> None:
    result = tw("optimize", "buckets", "--from-clusters", fused, "--strict", "--db", tiny)

    assert result.code == 2 and result.errors[0] == (
        f"Error: 1 of 6 operators in {fused} are not in the run, such as nowhere/MatMul"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a 1\nb\n", "line 2 of F is not an operator and the number of its cluster"),
        ("a 1\nb 1\na 2\n", "line 3 of F puts a into a second cluster"),
        ("", "F names no operators"),
    ],
)
def test_a_file_that_lists_no_clusters_is_one_sentence(text: str, message: str) -> None:
    with pytest.raises(UsageError) as raised:
        clusters.parse(Path("F"), text)

    assert str(raised.value) == message
    assert clusters.parse(Path("F"), "a 1\nb 1\na 1\n") == {"a": 1, "b": 1}
