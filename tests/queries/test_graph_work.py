"""Operations and bytes of the nodes of graphs, against formulas in plain Python."""

from __future__ import annotations

import random
from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import Any

import pytest

from tests.support.graphs import Graphs, io, run, scalar, tensor, tensors

BYTES = {"float": 4, "double": 8, "c10::Half": 2, "c10::BFloat16": 2}
#: Inputs, outputs, operations, elements read, elements written; all of one type.
Call = tuple[str, list[Any], list[Any], int, int, int]
Maker = Callable[[random.Random, str], Call]


def size(rng: random.Random, n: int = 1) -> list[int]:
    return [rng.randrange(1, 7) for _ in range(n)]


def products(rng: random.Random, kind: str) -> Call:
    b, m, n, k = size(rng, 4)
    name, shapes, made = rng.choice(
        [
            ("mm", [[m, k], [k, n]], [m, n]),
            ("addmm", [[n], [m, k], [k, n]], [m, n]),
            ("bmm", [[b, m, k], [b, k, n]], [b, m, n]),
            ("baddbmm", [[b, m, n], [b, m, k], [b, k, n]], [b, m, n]),
            ("linear", [[b, m, k], [n, k], [n]], [b, m, n]),
            ("mv", [[m, k], [k]], [m]),
            ("dot", [[k], [k]], []),
        ]
    )
    read = sum(map(prod, shapes))
    flops = 2 * prod(made) * k
    return (
        f"aten::{name}",
        [tensor(s, kind) for s in shapes],
        [tensor(made, kind)],
        flops,
        read,
        prod(made),
    )


def convolution(rng: random.Random, kind: str) -> Call:
    """By the definition: each output place sums the window of its group's channels."""
    batch, per_in, per_out, groups, kernel, stride, dilation = size(rng, 7)
    padding, places_in = rng.randrange(3), dilation * (kernel - 1) + rng.randrange(1, 9)
    transposed = rng.random() < 0.4
    if transposed:
        out = (places_in - 1) * stride - 2 * padding + dilation * (kernel - 1) + 1
        padding, out = (0, out + 2 * padding) if out < 1 else (padding, out)
        weight = [groups * per_in, per_out, kernel, kernel]
        flops = 2 * batch * groups * per_in * places_in**2 * per_out * kernel**2
    else:
        out = (places_in + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1
        weight = [groups * per_out, per_in, kernel, kernel]
        flops = 2 * batch * groups * per_out * out**2 * per_in * kernel**2
    x, y = [batch, groups * per_in, places_in, places_in], [batch, groups * per_out, out, out]
    rest = [scalar([stride] * 2), scalar([padding] * 2), scalar([dilation] * 2),
            scalar(transposed, "Bool"), scalar([0, 0]), scalar(groups)]  # fmt: skip
    if rng.random() < 0.5:
        inputs = [tensor(x, kind), tensor(weight, kind), scalar("<None>", "None"), *rest]
        outputs = [tensor(y, kind)] if rng.random() < 0.5 else []
        return "aten::convolution", inputs, outputs, flops, prod(x) + prod(weight), prod(y)
    mask = [rng.random() < 0.7, rng.random() < 0.7, False]
    inputs = [tensor(y, kind), tensor(x, kind), tensor(weight, kind), scalar([0]), *rest,
              scalar(mask, "Bool")]  # fmt: skip
    written = mask[0] * prod(x) + mask[1] * prod(weight)
    read = prod(x) + prod(y) + prod(weight)
    return "aten::convolution_backward", inputs, [], flops * sum(mask), read, written


def attention(rng: random.Random, kind: str) -> Call:
    b, h, queries, keys, depth, value = size(rng, 6)
    q, k, v = [b, h, queries, depth], [b, h, keys, depth], [b, h, keys, value]
    o = [b, h, queries, value]
    scores = b * h * queries * keys
    read = prod(q) + prod(k) + prod(v)
    if rng.random() < 0.4:
        inputs = [tensor(each, kind) for each in (o, q, k, v)]
        flops = scores * 2 * (3 * depth + 2 * value)
        name = "aten::_scaled_dot_product_flash_attention_backward"
        return name, inputs, [], flops, read + prod(o), read
    if rng.random() < 0.4:
        q, k, v, o = ([s[0], s[2], s[1], s[3]] for s in (q, k, v, o))
        name = "aten::_flash_attention_forward"
    else:
        name = "aten::_scaled_dot_product_efficient_attention"
    flops = scores * 2 * (depth + value)
    return name, [tensor(s, kind) for s in (q, k, v)], [tensor(o, kind)], flops, read, prod(o)


def normalisation(rng: random.Random, kind: str) -> Call:
    b, c, w = size(rng, 3)
    x, n = [b, c, w], b * c * w
    weight = [tensor([c], kind)] * 2 if rng.random() < 0.5 else [scalar("<None>", "None")] * 2
    extra = 2 * c if weight[0][0] else 0
    more = 1 if extra else 0
    which = rng.randrange(4)
    if which == 0:
        training = rng.random() < 0.5
        inputs = [
            tensor(x, kind),
            *weight,
            tensor([c], kind),
            tensor([c], kind),
            scalar(training, "Bool"),
        ]
        cost = (5 if training else 2) + 2 * more
        return "aten::native_batch_norm", inputs, [], n * cost, n + extra + 2 * c, n
    if which == 1:
        inputs = [tensor(x, kind), scalar([w]), *weight, scalar(1e-5, "Double")]
        return (
            "aten::native_layer_norm",
            inputs,
            [tensor(x, kind)],
            n * (5 + 2 * more),
            n + extra,
            n,
        )
    if which == 2:
        inputs = [tensor(x, kind), scalar([w]), weight[0], scalar(1e-5, "Double")]
        return "aten::rms_norm", inputs, [], n * (3 + more), n + extra // 2, n
    inputs = [
        tensor(x, kind),
        tensor(x, kind),
        scalar([w]),
        tensor([b], kind),
        tensor([b], kind),
        *weight,
    ]
    cost = 10 + 4 * more
    return "aten::native_layer_norm_backward", inputs, [], n * cost, 2 * n + 2 * b + extra, n


def elementwise(rng: random.Random, kind: str) -> Call:
    full = size(rng, 3)
    a = [rng.choice([each, 1]) for each in full][rng.randrange(3) :]
    n, m = prod(full), prod(a)
    x, y = tensor(full, kind), tensor(a, kind)
    calls: list[Call] = [
        ("aten::add", [x, y, scalar(1)], [x], n, n + m, n),
        ("aten::mul_", [x, y], [], n, n + m, n),
        ("aten::gelu", [x], [x], n, n, n),
        ("aten::copy_", [x, y, scalar(False, "Bool")], [x], 0, m, n),
        ("aten::zero_", [x], [x], 0, 0, n),
        ("aten::addcmul_", [x, x, x], [x], 2 * n, 3 * n, n),
        ("aten::lerp", [x, x, scalar(0.5, "Double")], [], 3 * n, 2 * n, n),
        ("aten::native_dropout", [x, scalar(0.1, "Double")], [x], 2 * n, n, n),
        ("aten::cat", [tensors(full, full, kind=kind), scalar(0)], [], 0, 2 * n, 2 * n),
    ]
    return rng.choice(calls)


def others(rng: random.Random, kind: str) -> Call:
    b, c, rows, window = size(rng, 4)
    x, pooled = [b, c, 4 * window, 4 * window], [b, c, 4, 4]
    n, p, many = prod(x), prod(pooled), [3, b, c]
    whole = tensor(x, kind)
    calls: list[Call] = [
            ("aten::_softmax", [whole, scalar(-1)], [whole], 5 * n, n, n),
            ("aten::_log_softmax_backward_data", [whole, whole], [], 4 * n, 2 * n, n),
            ("aten::sum", [whole], [tensor([], kind)], n, n, 1),
            ("aten::mean", [whole, scalar([1])], [], n, n, 0),
            ("aten::var", [whole], [tensor([b], kind)], 3 * n, n, b),
            ("aten::avg_pool2d", [whole, scalar([window, window])], [tensor(pooled, kind)],
             p * window**2, n, p),
            ("aten::max_pool2d_with_indices", [whole, scalar([window])],
             [tensor(pooled, kind), tensor(pooled, kind)], p * window**2, n, 2 * p),
            ("aten::avg_pool2d_backward", [tensor(pooled, kind), whole, scalar([window])], [],
             p * window**2, p, n),
            ("aten::embedding", [tensor([50, c], kind), tensor([b, rows], kind)], [], 0,
             b * rows * (c + 1), b * rows * c),
            ("aten::_embedding_bag",
             [tensor([50, c], kind), tensor([b], kind), tensor([rows], kind)],
             [tensor([rows, c], kind)], b * c, b + rows + b * c, rows * c),
            ("aten::embedding_dense_backward", [tensor([b, rows, c], kind), tensor([b, rows], kind),
             scalar(50)], [], b * rows * c, b * rows * (c + 1), 50 * c),
            ("aten::index_select", [tensor([50, c], kind), scalar(0), tensor([b], kind)],
             [tensor([b, c], kind)], 0, b + b * c, b * c),
            ("aten::_foreach_add_", [tensors(x, many, kind=kind), tensors(x, many, kind=kind)], [],
             n + 3 * b * c, 2 * (n + 3 * b * c), n + 3 * b * c),
            ("aten::_fused_adam_", [tensors(x, many, kind=kind)] * 4, [], 13 * (n + 3 * b * c),
             4 * (n + 3 * b * c), 3 * (n + 3 * b * c)),
            ("aten::_fused_sgd_", [tensors(x, kind=kind)] * 3, [], 4 * n, 3 * n, 2 * n),
    ]  # fmt: skip
    return rng.choice(calls)


MAKERS: list[Maker] = [products, convolution, attention, normalisation, elementwise, others]


def test_operations_and_bytes_equal_the_formulas_in_python(tmp_path: Path) -> None:
    rng = random.Random(11)
    calls = []
    with Graphs(tmp_path / "w.duckdb") as made:
        graph = made.graph()
        for n in range(900):
            kind = rng.choice(list(BYTES))
            name, inputs, outputs, *counts = MAKERS[n % len(MAKERS)](rng, kind)
            node = made.node(graph, name, inputs=io(*inputs), outputs=io(*outputs))
            calls.append((node, name, counts[0], *(each * BYTES[kind] for each in counts[1:])))

    found = run(tmp_path / "w.duckdb", "graph_op_work")

    assert [
        (row["graph_node_id"], row["name"], row["flops"], row["bytes_read"], row["bytes_written"])
        for row in found
    ] == calls


def test_types_that_are_not_known_leave_operations_and_no_bytes(tmp_path: Path) -> None:
    with Graphs(tmp_path / "w.duckdb") as made:
        a, b = tensor([2, 3], "c10::New"), tensor([3, 4], "c10::New")
        made.node(made.graph(), "aten::mm", inputs=io(a, b), outputs=io())

    (row,) = run(tmp_path / "w.duckdb", "graph_op_work")

    assert (row["flops"], row["bytes_read"], row["bytes"]) == (48, None, None)


@pytest.mark.integration
def test_damaged_shapes_never_fail(tmp_path: Path) -> None:
    odd = ['{"shapes": [[1, "x"], null, [[]]], "types": ["Tensor(float)", 3], "values": 7}', "[]",
           '{"shapes": "no list", "types": "x", "values": "y"}', "not JSON", "{}", "null",
           io(tensor([10**18, 10**18]), tensor([10**18, 10**18])), io(([-1], "Tensor(float)")),
           io(), io(([[]], "GenericList[]"))]  # fmt: skip
    names = ["mm", "linear", "addmm", "convolution", "convolution_backward", "native_batch_norm",
             "_flash_attention_forward", "embedding", "avg_pool2d", "copy_", "cat", "_fused_adam_",
             "max_pool2d_with_indices", "embedding_dense_backward", "sum"]  # fmt: skip
    with Graphs(tmp_path / "w.duckdb") as made:
        graph = made.graph()
        for name in names:
            for each in odd:
                made.node(graph, f"aten::{name}", inputs=each, outputs=each)

    for query in ("graph_op_work", "graph_roofline", "graph_summary"):
        run(tmp_path / "w.duckdb", query)


def test_work_inside_other_work_counts_once_and_its_device_time_above(tmp_path: Path) -> None:
    with Graphs(tmp_path / "w.duckdb") as made:
        host = made.graph()
        x, w = tensor([2, 3]), tensor([4, 3])
        root = made.node(host, "root")
        outer = made.node(host, "aten::linear", parent=root, inputs=io(x, w))
        inner = made.node(host, "aten::mm", parent=outer, inputs=io(x, tensor([3, 4])))
        graph = made.graph("linked", of=host)
        top = made.node(graph, "aten::linear", of_node_id=outer, dur_ns=500, exclusive_us=0.25)
        below = made.node(graph, "aten::mm", parent=top, of_node_id=inner, dur_ns=250)
        for dur in (70, 30, -1):
            made.node(
                graph, "kernel", parent=below, of_node_id=inner, dur_ns=dur, device_kind="gpu"
            )

    found = run(tmp_path / "w.duckdb", "graph_op_work")

    columns = ("graph_node_id", "flops", "n_device_ops", "device_ns", "host_ns")
    assert [tuple(row[column] for column in columns) for row in found] == [
        (outer, 48, 0, 0, None),
        (top, 48, 3, 100, 500),
    ]
    assert found[1]["tflops_per_s"] == pytest.approx(48 / 100e-9 / 1e12)
    assert found[1]["gb_per_s"] == pytest.approx((6 + 12 + 8) * 4 / 100)
