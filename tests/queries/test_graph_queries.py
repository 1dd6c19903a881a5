"""Nodes as printed, differences of graphs, and what lies around a node, against plain Python."""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter, defaultdict
from hashlib import md5
from pathlib import Path
from typing import Any

import pytest

from tests.support.graphs import Graphs, io, run, tensor
from warehouse.ingest import pipeline

Row = dict[str, Any]


def test_every_node_of_a_recording_is_printed_with_all_it_says(
    data_dir: Path, tmp_path: Path
) -> None:
    source = data_dir / "chakra" / "own_gpu_ddp_r0" / "host_et.json.gz"
    (outcome,) = pipeline.import_paths([source], db=tmp_path / "w.duckdb")
    assert outcome.error is None

    found = run(tmp_path / "w.duckdb", "chakra_nodes")

    nodes = json.loads(gzip.decompress(source.read_bytes()))["nodes"]
    assert len(found) == len(nodes)
    for row, node in zip(found, nodes, strict=True):
        assert (row["id"], row["name"]) == (node["id"], node["name"])
        assert row["ctrl_deps"] == [node["ctrl_deps"]] * (node["ctrl_deps"] != node["id"])
        assert json.loads(row["inputs"]) == node["inputs"]
        assert json.loads(row["outputs"]) == node["outputs"]
        attributes = {each["name"]: each["value"] for each in node["attrs"]}
        assert json.loads(row["attributes"]) == attributes


@pytest.mark.integration
def test_a_graph_does_not_differ_from_one_of_the_same_program(
    data_dir: Path, tmp_path: Path
) -> None:
    """The nodes of one are those of the other in another order, with other ids."""
    db = tmp_path / "w.duckdb"
    source = data_dir / "chakra" / "own_gpu_ddp_r0" / "host_et.json.gz"
    trace = json.loads(gzip.decompress(source.read_bytes()))
    for node in trace["nodes"]:
        node["id"], node["ctrl_deps"] = node["id"] * 3 + 7, node["ctrl_deps"] * 3 + 7
    trace["nodes"].reverse()
    other = tmp_path / "other.json"
    other.write_text(json.dumps(trace))
    for path, name in ((source, "one"), (other, "same")):
        (outcome,) = pipeline.import_paths([path], db=db, options=pipeline.Options(run=name))
        assert outcome.error is None

    found = run(db, "graph_difference", a="one", b="same", with_same=True)

    assert {row["status"] for row in found} == {"same"}
    assert all(row["is_same_structure"] for row in found)
    assert sum(row["n_a"] for row in found) == sum(row["n_b"] for row in found) == 425


class Tree:
    """A random call tree: name and shape of each node, and its parent's place."""

    def __init__(self, rng: random.Random, n: int) -> None:
        self.nodes = [("root", 1, -1)]
        for place in range(1, n):
            self.nodes.append((rng.choice("abc"), rng.randrange(1, 3), rng.randrange(place)))

    def changed(self, rng: random.Random) -> Tree:
        made = Tree(rng, 1)
        made.nodes = [
            (name, shape, parent)
            if rng.random() < 0.9
            else (rng.choice("abcd"), shape, rng.randrange(place) if place else parent)
            for place, (name, shape, parent) in enumerate(self.nodes)
        ]
        return made

    def write(self, made: Graphs, graph: int, rng: random.Random) -> None:
        ids: dict[int, int] = {}
        for place, (name, shape, parent) in enumerate(self.nodes):
            ids[place] = made.node(graph, name, parent=ids.get(parent), inputs=io(tensor([shape])))

    def counts(self) -> Counter[tuple[str, str, str | None]]:
        return Counter(
            (name, f"[[{shape}]]", self.nodes[parent][0] if parent >= 0 else None)
            for name, shape, parent in self.nodes
        )

    def paths(self) -> dict[tuple[str, str, str | None], Counter[tuple[Any, ...]]]:
        def path(place: int) -> tuple[Any, ...]:
            name, shape, parent = self.nodes[place]
            return (*path(parent), (name, shape)) if parent >= 0 else ((name, shape),)

        found: dict[tuple[str, str, str | None], Counter[tuple[Any, ...]]] = defaultdict(Counter)
        for place, (name, shape, parent) in enumerate(self.nodes):
            key = (name, f"[[{shape}]]", self.nodes[parent][0] if parent >= 0 else None)
            found[key][path(place)] += 1
        return found


def test_differences_of_random_trees_are_those_counted_one_by_one(tmp_path: Path) -> None:
    rng = random.Random(8)
    a = Tree(rng, 80)
    b = a.changed(rng)
    db = tmp_path / "w.duckdb"
    with Graphs(db) as made:
        for tree in (a, b):
            tree.write(made, made.graph(), rng)

    found = run(db, "graph_difference", a="r/t1", b="r/t2", with_same=True)

    left, right, left_paths, right_paths = a.counts(), b.counts(), a.paths(), b.paths()
    assert len(found) == len(left | right)
    for row in found:
        key = row["name"], row["input_shapes"], row["parent_name"]
        both = (left_paths[key] & right_paths[key]).total()
        assert (row["n_a"], row["n_b"]) == (left[key], right[key])
        assert row["n_moved"] == min(left[key], right[key]) - both
        status = "added" if not left[key] else "removed" if not right[key] else None
        same = left_paths[key] == right_paths[key]
        assert row["status"] == (status or ("same" if same else "changed"))
        assert row["is_same_structure"] is False


def test_a_path_is_the_digest_of_all_that_is_above(tmp_path: Path) -> None:
    with Graphs(tmp_path / "w.duckdb") as made:
        graph = made.graph()
        step = made.node(graph, "ProfilerStep#7", inputs=io())
        made.node(graph, "aten::mm", parent=step, inputs=io(tensor([2, 3]), tensor([3])))

    found = run(tmp_path / "w.duckdb", "SELECT * FROM graph_structure() ORDER BY depth")

    def digest(*texts: str) -> str:
        return md5("\x1f".join(texts).encode()).hexdigest()

    shapes, types = "[[2,3],[3]]", '["Tensor(float)","Tensor(float)"]'
    top, below = (
        digest("host", "ProfilerStep", "[]", "[]"),
        digest("host", "aten::mm", shapes, types),
    )
    assert [row["signature"] for row in found] == [top, below]
    assert [row["path"] for row in found] == [digest(top), digest(digest(top) + below)]


def breadth_first(
    root: int, depth: int, edges: set[tuple[int, int]], *, is_down: bool
) -> tuple[dict[int, int], dict[int, set[int]]]:
    """Distances from the root, and where edges lead from each node."""
    follow: dict[int, set[int]] = defaultdict(set)
    for first, then in edges:
        follow[first if is_down else then].add(then if is_down else first)
    distance = {root: 0}
    for level in range(depth):
        for node in [each for each, away in distance.items() if away == level]:
            for each in follow[node]:
                distance.setdefault(each, level + 1)
    return distance, follow


@pytest.mark.integration
def test_what_lies_around_a_node_is_what_a_breadth_first_search_finds(tmp_path: Path) -> None:
    rng = random.Random(4)
    db = tmp_path / "w.duckdb"
    edges: set[tuple[int, int]] = set()
    with Graphs(db) as made:
        graph = made.graph("chakra")
        nodes = [made.node(graph, "n") for _ in range(60)]
        for _ in range(90):
            first, then = sorted(rng.sample(nodes, 2))
            made.edge(graph, first, then, rng.choice(["data", "control", "sync"]))
            edges.add((first, then))

    for direction in ("down", "up", "both"):
        for depth in (0, 1, 4):
            root = rng.choice(nodes)
            distance, beyond = {root: 0}, Counter[int]()
            reached = {
                way: breadth_first(root, depth, edges, is_down=way == "down")
                for way in ("down", "up")
                if direction in (way, "both")
            }
            for found_there, _ in reached.values():
                for node, away in found_there.items():
                    distance[node] = min(distance.get(node, away), away)
            for found_there, follow in reached.values():
                for node in found_there:
                    beyond[node] += len(follow[node] - set(distance))

            found = run(db, "graph_subgraph", root=root, depth=depth, direction=direction)

            assert {row["graph_node_id"]: row["distance"] for row in found} == distance
            for row in found:
                assert row["n_more"] == beyond[row["graph_node_id"]]
