"""Lives of the storages a graph names, against a sweep over every moment in plain Python."""

from __future__ import annotations

import gzip
import json
import random
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support.graphs import Graphs, run
from tests.support.sharing import slow
from warehouse.ingest import pipeline

EXPANDING = ("aten::expand", "aten::expand_as", "aten::broadcast_tensors", "aten::as_strided")


class Node(NamedTuple):
    """A host node: what it takes and gives, as (storage, device) and where each ends in bytes."""

    id: int
    parent: int
    name: str
    taken: list[tuple[Any, int]]
    given: list[tuple[Any, int]]


class Life(NamedTuple):
    storage: tuple[int, str]
    first: int
    last: int
    bytes: int
    is_produced: bool


def tensors(part: dict[str, Any]) -> Iterator[tuple[tuple[int, str], int, bool]]:
    """Storage, end in bytes, and whether that is by strides, of every tensor of a node's side."""

    def of(value: Any, shape: Any, stride: Any) -> Iterator[tuple[tuple[int, str], int, bool]]:
        if not isinstance(value, list) or not value:
            return
        if len(value) == 6 and isinstance(value[5], str) and isinstance(value[0], int):
            _, storage, offset, n, size, device = value
            if not device:  # an undefined tensor
                return
            end = offset + n
            if stride is not None and n:
                end = offset + 1 + sum((d - 1) * s for d, s in zip(shape, stride, strict=True))
            yield (storage, device), (end if n else 0) * size, stride is not None
            return
        for place, each in enumerate(value):
            yield from of(each, shape[place], stride[place] if stride is not None else None)

    strides = part.get("strides")
    for place, value in enumerate(part["values"]):
        if "Tensor" in part["types"][place]:
            yield from of(value, part["shapes"][place], strides[place] if strides else None)


def node(number: int, parent: int, name: str, inputs: Any, outputs: Any) -> Node:
    def sized(part: Any, is_output: bool) -> list[tuple[Any, int]]:
        return [
            (storage, end if is_strided or not (is_output and name in EXPANDING) else 0)
            for storage, end, is_strided in tensors(part)
        ]

    return Node(number, parent, name, sized(inputs, False), sized(outputs, True))


def lives(nodes: list[Node]) -> list[Life]:
    ordered = sorted(nodes, key=lambda each: each.id)
    births = {(n.id, s) for n in nodes for s in {k for k, _ in n.given} - {k for k, _ in n.taken}}
    around = {(n.parent, s) for n in nodes for s in {k for k, _ in n.given} if (n.id, s) in births}
    found: dict[Any, list[list[tuple[int, int, bool]]]] = defaultdict(list)
    for place, each in enumerate(ordered):
        for storage in dict.fromkeys(key for key, _ in [*each.taken, *each.given]):
            is_birth = (each.id, storage) in births
            if is_birth and (each.id, storage) in around:
                continue
            if is_birth or not found[storage]:
                found[storage].append([])
            end = max(end for key, end in [*each.taken, *each.given] if key == storage)
            found[storage][-1].append((place, end, is_birth))
    return [
        Life(
            storage,
            uses[0][0] if uses[0][2] else 0,
            uses[-1][0],
            max(end for _, end, _ in uses),
            uses[0][2],
        )
        for storage, each in found.items()
        for uses in each
    ]


def check(rows: list[dict[str, Any]], nodes: list[Node]) -> None:
    expected = lives(nodes)
    columns = ("first_order", "last_order", "bytes", "is_produced")
    found = [
        Life((row["storage_id"], row["device"]), *[row[column] or 0 for column in columns])  # type: ignore[arg-type]
        for row in rows
    ]
    assert sorted(found) == sorted(expected)
    for device in {life.storage[1] for life in expected}:
        mine = [life for life in expected if life.storage[1] == device]
        live = [
            sum(life.bytes for life in mine if life.first <= place <= life.last)
            for place in range(len(nodes))
        ]
        peak = live.index(max(live))
        for row in (row for row in rows if row["device"] == device):
            assert row["peak_bytes"] == max(live)
            assert row["live_bytes"] == live[row["first_order"]]
            assert row["is_live_at_peak"] == (row["first_order"] <= peak <= row["last_order"])


def test_lives_of_random_programs_are_those_of_a_sweep(tmp_path: Path) -> None:
    rng = random.Random(3)

    def values(n: int) -> str:
        chosen = [
            [rng.randrange(9), rng.randrange(12), rng.choice([0, 0, 5]), rng.randrange(20), 4,
             rng.choice(["cpu", "cuda:0", "cuda:0"])]
            for _ in range(n)
        ]  # fmt: skip
        return json.dumps(
            {"values": [*chosen[:1], chosen[1:], 7], "shapes": [[1], [[1]] * len(chosen[1:]), []],
             "types": ["Tensor(float)", "GenericList[Tensor(float)]", "Int"]}
        )  # fmt: skip

    graphs: dict[int, list[Node]] = {}
    with Graphs(tmp_path / "w.duckdb") as made:
        for n_nodes in (1, 5, 60, 200):
            graph = made.graph("chakra")
            mine = graphs[graph] = []
            for n in range(n_nodes):
                name = rng.choice(["aten::empty", "aten::mm", "aten::expand"])
                parent = rng.choice(mine[-4:]).id if mine and rng.random() < 0.7 else -1
                inputs, outputs = values(rng.randrange(1, 3)), values(rng.randrange(1, 3))
                made.node(graph, name, parent=graph | parent if parent >= 0 else None,
                          inputs=inputs, outputs=outputs)  # fmt: skip
                mine.append(node(n, parent, name, json.loads(inputs), json.loads(outputs)))
            made.node(graph, "kernel", device_kind="gpu", inputs=values(2), outputs=values(2))

    found = run(tmp_path / "w.duckdb", "memory_by_tensor_lifetime")

    for graph, nodes in graphs.items():
        check([row for row in found if row["graph_id"] == graph], nodes)


@pytest.mark.parametrize("case", ["own_gpu_ddp_r0", slow("inputs_only_dlrm_r0")])
def test_lives_of_a_recorded_program_are_those_of_a_sweep(
    data_dir: Path, tmp_path: Path, case: str
) -> None:
    source = data_dir / "chakra" / case / "host_et.json.gz"
    (outcome,) = pipeline.import_paths([source], db=tmp_path / "w.duckdb")
    assert outcome.error is None
    nodes = []
    for each in json.loads(gzip.decompress(source.read_bytes()))["nodes"]:
        if "attrs" in each:
            inputs, outputs, parent = each["inputs"], each["outputs"], each["ctrl_deps"]
        else:
            inputs, outputs = (
                {"values": each[f"{side}s"], "shapes": each[f"{side}_shapes"],
                 "types": each[f"{side}_types"]}
                for side in ("input", "output")
            )  # fmt: skip
            parent = each["parent"]
        nodes.append(node(each["id"], parent, each["name"], inputs, outputs))

    check(run(tmp_path / "w.duckdb", "memory_by_tensor_lifetime"), nodes)
