"""Communication of graphs: each counted once, with the size its tensors or the recorder say."""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.support.graphs import Graphs, io, run
from warehouse.ingest import pipeline

Row = dict[str, Any]
FLOAT = "Tensor(float)"


def buffer(n: int) -> tuple[list[int], str, list[Any]]:
    """A tensor of n floats."""
    return [n], FLOAT, [1, 2, 0, n, 4, "cuda:0"]


def buffers(*sizes: int) -> tuple[list[list[int]], str, list[Any]]:
    kinds = ",".join([FLOAT] * len(sizes))
    return [[n] for n in sizes], f"GenericList[{kinds}]", [buffer(n)[2] for n in sizes]


def attributes(**values: object) -> str:
    return json.dumps([{"name": key, "type": "x", "value": value} for key, value in values.items()])


OBJECT: tuple[Any, str, str] = ([], "Object", "<Object>")


def number(n: int) -> tuple[list[int], str, int]:
    return [], "Int", n


#: Call, inputs, outputs; common kind, peer, message in elements for a group of 4.
CALLS: dict[str, tuple[list[Any], list[Any], str, int | None, int]] = {
    "allreduce_": ([buffers(3, 5), OBJECT], [buffers(3, 5)], "all_reduce", None, 8),
    "_allgather_base_": ([buffer(32), buffer(8)], [buffer(32)], "all_gather", None, 32),
    "allgather_": ([buffers(8, 8, 8, 8), buffers(8)], [], "all_gather", None, 32),
    "_reduce_scatter_base_": ([buffer(6), buffer(24)], [buffer(6)], "reduce_scatter", None, 24),
    "alltoall_base_": ([buffer(9), buffer(7)], [], "all_to_all", None, 7),
    "broadcast_": ([buffers(5), OBJECT, number(2)], [buffers(5)], "broadcast", 2, 5),
    "gather_": ([buffers(4, 4, 4, 4), buffers(4), number(3)], [], "gather", 3, 16),
    "scatter_": ([buffers(4), buffers(4, 4, 4, 4), number(1)], [], "scatter", 1, 16),
    "send": ([buffers(11), OBJECT, number(3), number(0)], [], "send", 3, 11),
    "recv_": ([buffers(11), OBJECT, number(1), number(0)], [], "recv", 1, 11),
}
FACTORS = {"all_reduce": 1.5, "broadcast": 1, "send": 1, "recv": 1}


def test_each_kind_of_call_is_sized_as_the_nccl_tests_do(tmp_path: Path) -> None:
    with Graphs(tmp_path / "w.duckdb") as made:
        for name, (inputs, outputs, *_) in CALLS.items():
            graph = made.graph()
            made.group(graph, "7", 4)
            made.node(graph, f"c10d::{name}", inputs=io(*inputs), outputs=io(*outputs))

    found = run(tmp_path / "w.duckdb", "communication_volume")

    assert len(found) == len(CALLS)
    for row, (_, _, kind, peer, n_elements) in zip(found, CALLS.values(), strict=True):
        assert (row["kind"], row["peer_rank"], row["data_type"]) == (kind, peer, "float")
        assert (row["group_name"], row["group_size"]) == ("7", 4)
        assert row["message_bytes"] == 4 * n_elements
        assert row["bus_bytes"] == round(4 * n_elements * FACTORS.get(kind, 0.75))


def test_a_communication_counts_once_however_often_it_shows_itself(tmp_path: Path) -> None:
    """functional call > c10d call > record_param_comms > range of the library > kernel."""
    rng = random.Random(1)
    expected: Counter[str] = Counter()
    with Graphs(tmp_path / "w.duckdb") as made:
        graph = made.graph("chakra")
        root = made.node(graph, "root")
        for _ in range(60):
            parent, has_record = root, rng.random() < 0.6
            if rng.random() < 0.5:
                parent = made.node(graph, "_c10d_functional::all_reduce", parent=parent,
                                   inputs=io(buffer(1)))  # fmt: skip
            parent = made.node(graph, "c10d::allreduce_", parent=parent, inputs=io(buffers(10)))
            if has_record:
                parent = made.node(
                    graph, "record_param_comms", parent=parent, inputs=io(),
                    attributes=attributes(collective_name="allreduce", dtype="BFloat16",
                                          in_msg_nelems=30, out_msg_nelems=30, pg_name="tp",
                                          pg_size=2),
                )  # fmt: skip
            if rng.random() < 0.5:
                parent = made.node(graph, "nccl:all_reduce", parent=parent, inputs=io(buffer(10)))
            for _ in range(n_kernels := rng.randrange(3)):
                made.node(graph, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", parent=parent,
                          device_kind="gpu", dur_ns=100)  # fmt: skip
            made.node(graph, "record_param_comms", parent=root, inputs=io(([], "String", "wait")))
            key = "tp" if has_record else "-"
            expected.update({f"{key} calls": 1, f"{key} kernels": n_kernels})

    found = {
        row["group_name"] or "-": row for row in run(tmp_path / "w.duckdb", "communication_volume")
    }

    assert set(found) == {"tp", "-"}
    for key, size in (("tp", 60), ("-", 40)):
        row = found[key]
        assert row["n_calls"] == expected[f"{key} calls"]
        assert row["message_bytes"] == size * row["n_calls"]
        assert row["n_device_ops"] == expected[f"{key} kernels"]
        assert row["device_ns"] == 100 * row["n_device_ops"]
    assert found["tp"]["bus_bytes"] == found["tp"]["message_bytes"]


def test_nodes_of_chakra_that_no_call_is_above_say_kind_size_and_group_themselves(
    tmp_path: Path,
) -> None:
    with Graphs(tmp_path / "w.duckdb") as made:
        graph = made.graph("chakra")
        for kind, more in [
            ("COMM_COLL_NODE", {"comm_type": 0, "comm_size": 100}),
            ("COMM_COLL_NODE", {"comm_type": 7, "comm_size": 200}),
            ("COMM_SEND_NODE", {"comm_size": 30, "comm_dst": 5, "comm_src": 1}),
            ("COMM_RECV_NODE", {"comm_size": 40, "comm_dst": 1, "comm_src": 6}),
        ]:
            made.node(graph, "x", type=kind, device_kind="gpu", dur_ns=10,
                      attributes=attributes(pg_name="3", **more))  # fmt: skip

    found = run(tmp_path / "w.duckdb", "communication_volume")

    columns = ("kind", "peer_rank", "message_bytes", "algorithm_gb_per_s")
    assert [tuple(row[column] for column in columns) for row in found] == [
        ("reduce_scatter", None, 200, 20.0),
        ("all_reduce", None, 100, 10.0),
        ("recv", 6, 40, 4.0),
        ("send", 5, 30, 3.0),
    ]
    assert {row["group_name"] for row in found} == {"3"}


def test_ranges_of_gloo_count_only_where_no_call_was_recorded(tmp_path: Path) -> None:
    with Graphs(tmp_path / "w.duckdb") as made:
        bare, full = made.graph(), made.graph()
        for graph in (bare, full):
            made.node(graph, "gloo:all_reduce", inputs=io(buffer(6)))
        made.node(full, "c10d::allreduce_", inputs=io(buffers(6)))

    found = run(tmp_path / "w.duckdb", "SELECT * FROM graph_communication()")

    assert [(row["graph_id"], row["message_bytes"]) for row in found] == [(bare, 24), (full, 24)]


@pytest.mark.integration
def test_a_recorded_training_equals_its_calls_of_record_param_comms(
    data_dir: Path, tmp_path: Path
) -> None:
    source = data_dir / "chakra" / "inputs_only_dlrm_r0" / "host_et.json.gz"
    (outcome,) = pipeline.import_paths([source], db=tmp_path / "w.duckdb")
    assert outcome.error is None

    found = run(tmp_path / "w.duckdb", "communication_volume")

    # Oracle: the name is the only text among the inputs, the message the first of them.
    expected: Counter[tuple[str, str]] = Counter()
    for node in json.loads(gzip.decompress(source.read_bytes()))["nodes"]:
        if node["name"] == "record_param_comms":
            (name,) = (value for value in node["inputs"] if isinstance(value, str))
            first = node["inputs"][0]
            if name != "wait":
                tensors = [first] if isinstance(first[0], int) else first
                kind = {"allreduce": "all_reduce"}.get(name, "all_to_all")
                expected[kind, "bytes"] += sum(t[3] * t[4] for t in tensors)
                expected[kind, "calls"] += 1
    total: Counter[tuple[str, str]] = Counter()
    for row in found:
        total.update(
            {(row["kind"], "bytes"): row["message_bytes"], (row["kind"], "calls"): row["n_calls"]}
        )
    assert total == expected
    assert sum(row["n_calls"] for row in found) == 8
