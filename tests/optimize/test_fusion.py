"""Fused operators: clusters never make a cycle, are replayed, written, and read back."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from tests.conftest import Tw
from tests.support.sharing import WarehouseCache
from tw_importers.dpro import fusion
from tw_importers.dpro.contraction import Clusters, Graph, contracted, neighbouring
from tw_importers.dpro.layers import layers_of, places
from warehouse.errors import UsageError

TINY = Path(__file__).parents[1] / "data" / "dpro" / "nccl_ring_2x1_tiny"


@pytest.fixture(scope="module")
def tiny(imported_files: WarehouseCache) -> Path:
    return imported_files(("trial", [TINY]))


def has_cycle(edges: set[tuple[str, str]], cluster_of: dict[str, str]) -> bool:
    """Whether clusters cannot be put in order: some are left when none before them is."""
    left = set(cluster_of.values())
    between = {(cluster_of[a], cluster_of[b]) for a, b in edges if cluster_of[a] != cluster_of[b]}
    while left:
        first = {each for each in left if not any(b == each and a in left for a, b in between)}
        if not first:
            return True
        left -= first
    return False


def test_an_edge_is_contracted_unless_that_makes_a_cycle() -> None:
    rng = random.Random(4)
    n_refused = 0
    for _ in range(60):
        names = [f"op{n}" for n in range(rng.randint(3, 9))]
        edges = {(a, b) for i, a in enumerate(names) for b in names[i + 1 :] if rng.random() < 0.35}
        followers = {a: frozenset(y for x, y in edges if x == a) for a in names}
        clusters = Clusters(Graph(tuple(names), followers, {}))
        cluster_of = {name: name for name in names}
        for a, b in rng.sample(sorted(edges), len(edges)):
            if cluster_of[a] == cluster_of[b]:
                continue
            joined = {
                name: cluster_of[a] if each == cluster_of[b] else each
                for name, each in cluster_of.items()
            }
            is_cyclic = has_cycle(edges, joined)

            assert clusters.contract((a, b)) != is_cyclic

            n_refused += is_cyclic
            cluster_of = cluster_of if is_cyclic else joined
        expected = [
            tuple(name for name in names if cluster_of[name] == each)
            for each in dict.fromkeys(cluster_of.values())
        ]
        assert set(clusters.fused()) == {each for each in expected if len(each) > 1}
    assert n_refused > 10


def reached(name: str, followers: dict[str, frozenset[str]]) -> set[str]:
    """An operator and all that follow it."""
    return {name}.union(*(reached(each, followers) for each in followers[name]))


def test_layers_are_fused_wholly_and_no_more_than_allowed() -> None:
    rng = random.Random(9)
    n_fused = 0
    for _ in range(12):
        names = [f"op{n}" for n in range(rng.randint(4, 10))]
        edges = {(a, b) for i, a in enumerate(names) for b in names[i + 1 :] if rng.random() < 0.3}
        followers = {a: frozenset(y for x, y in edges if x == a) for a in names}
        place = places(names, followers)
        assert all(place[a] < place[b] for a, b in edges)
        gradients = sorted(rng.sample(names, 3), key=place.__getitem__)
        first = {a: [g for g in gradients if g in reached(a, followers)][:1] for a in names}
        layers = layers_of(names, followers, gradients)
        # the layer of an operator is the first gradient that depends on it
        assert layers.keys() == {a for a in names if first[a]}
        same = {(a, b): layers[a] == layers[b] for a in layers for b in layers}
        assert same == {(a, b): first[a] == first[b] for a in layers for b in layers}

        graph = Graph(tuple(names), followers, dict.fromkeys(sorted(edges), 1.0), layers, True)
        start = Clusters(graph)
        for most in (1, 2):
            free = contracted(start, rng.sample(sorted(edges), len(edges)), most_layers=most)
            for cluster in (*free.fused(), *neighbouring(start, graph, most).fused()):
                found = {layers[each] for each in cluster if each in layers}
                assert len(found) <= most
                assert {each for each in layers if layers[each] in found} <= set(cluster)
                n_fused += len(found) == most
    assert n_fused > 20


@pytest.mark.slow
def test_layers_restrict_the_search(tw: Tw, tiny: Path) -> None:
    arguments = ("optimize", "fusion", "--search", "sweep", "--layers", "1", "--by-layer")

    _, chosen = json.loads(tw(*arguments, "--db", tiny, "--format", "json").out)

    tape = "gradient_tape/resnet50/"
    fused = chosen["edits"].removeprefix('fuse(clusters = "').removesuffix('")').split(",")
    # what leads to each gradient, by the graph in the trial; filters are layers of one operator
    assert [each.replace(tape, "") for each in fused if tape in each] == [
        "predictions/SoftmaxGrad+predictions/BiasAddGrad",
        "predictions/MatMul+conv2_relu/ReluGrad+conv2_bn/FusedBatchNormGradV3",
        "conv2_conv/Conv2D/Conv2DBackpropInput+conv1_bn/FusedBatchNormGradV3+conv1_relu/ReluGrad",
    ]


@pytest.mark.slow
def test_clusters_are_written_and_read_back(tw: Tw, tiny: Path, tmp_path: Path) -> None:
    allowed = tmp_path / "candidates.txt"
    allowed.write_text(
        "resnet50/conv1_bn/FusedBatchNormV3\nresnet50/conv1_relu/Relu\nnowhere/MatMul\n"
    )
    arguments = ("optimize", "fusion", "--search", "sweep", "--candidates", allowed, "--db", tiny)

    done = tw(*arguments, "--format", "json", "-o", tmp_path / "out")

    recorded, chosen = json.loads(done.out)
    # 76 and 29 µs, less the traffic of the tensor between them, all of the 29 µs of the Relu
    assert chosen["predicted_ns"] == pytest.approx(recorded["predicted_ns"] - 29_000, abs=2_000)
    text = (tmp_path / "out" / "cluster_mapping.txt").read_text()
    assert text == "resnet50/conv1_bn/FusedBatchNormV3 0\nresnet50/conv1_relu/Relu 0\n"
    call = f"strategy(file = {tmp_path / 'out' / 'cluster_mapping.txt'})"
    again = json.loads(tw("replay", "--db", tiny, "--what-if", call, "--format", "json").out)
    assert max(row["predicted_ns"] for row in again) == pytest.approx(chosen["predicted_ns"])
    assert f"Warning: 1 of 3 operators in {allowed} are not in the run" in done.err


def test_files_of_candidates_have_two_forms() -> None:
    path = Path("candidates.txt")
    plain = fusion.parse_candidates(path, "a\nb\n")
    numbered = fusion.parse_candidates(path, "a 1\nb 2\nunsafe_resource_deps_\n1 2\n")

    assert plain.names == numbered.names == {"a", "b"}
    assert not plain.unsafe and numbered.unsafe == {("a", "b")}
    for text, problem in {
        "": "names no operators",
        "a b c": "line 1 of candidates.txt is not an operator",
        "a 1\nb 1": "line 2 of candidates.txt gives number 1 a second time",
        "a 1\nunsafe_resource_deps_\n1 2": "contains '1 2' after unsafe_resource_deps_",
    }.items():
        with pytest.raises(UsageError, match=problem):
            fusion.parse_candidates(path, text)
