"""Operations, bytes and hardware counters of operators, against PyTorch, HTA and plain Python."""

from __future__ import annotations

import gzip
import json
import math
import random
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from tests.support.sharing import WarehouseCache
from warehouse.ingest import pipeline
from warehouse.query import execute
from warehouse.store import database

FLOPS = Path(__file__).parents[1] / "data" / "kineto" / "flops"
Row = dict[str, Any]


def imported(source: Path, db: Path) -> Path:
    (outcome,) = pipeline.import_paths([source], db=db)
    assert outcome.error is None
    return db


def rows(path: Path, query: str, **parameters: object) -> list[Row]:
    with database.Reader(path) as reader:
        found: list[Row] = execute.run(reader.connection, query, parameters).table().to_pylist()
    return found


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return imported(FLOPS / "trace.json.gz", tmp_path_factory.mktemp("flops") / "w.duckdb")


#: Operations in the ranges of a recording; those of operators that are no product, PyTorch does not
#: count.
IN_RANGES = """
    SELECT a.name, sum(w.flops)::BIGINT AS flops
    FROM op_work() AS w
    JOIN annotation AS a ON w.ts BETWEEN a.ts AND a.ts + a.dur
    WHERE w.model IN ('matmul', 'convolution', 'convolution_backward', 'attention',
      'attention_backward')
    GROUP BY a.name
"""


def test_operations_are_those_pytorch_counts(recorded: Path) -> None:
    """The backward of a range runs within it, on a thread of its own."""
    found = rows(recorded, IN_RANGES)

    expected = json.loads((FLOPS / "expected.json").read_text())
    assert {row["name"]: row["flops"] for row in found} == expected


@pytest.mark.integration
def test_operations_of_models_are_those_pytorch_counts(tmp_path: Path) -> None:
    """Sixteen models, forward and backward: `FlopCounterMode` counted them without a profiler."""
    found = rows(imported(FLOPS / "models.json.gz", tmp_path / "w.duckdb"), IN_RANGES)

    expected = json.loads((FLOPS / "models_expected.json").read_text())
    assert {row["name"]: row["flops"] for row in found} == expected


def test_no_operator_counts_inside_another(recorded: Path) -> None:
    found = rows(recorded, "SELECT * FROM op_work()")

    for one in found:
        for other in found:
            if one is not other and one["track_id"] == other["track_id"]:
                assert not one["ts"] <= other["ts"] < one["ts"] + one["dur"]


SIZES = {"float": 4, "double": 8, "c10::Half": 2, "c10::BFloat16": 2, "long int": 8, "bool": 1}


def random_call(choice: random.Random) -> tuple[str, list[list[int]], list[str], int, int]:
    """An operator, its shapes and types, its operations, and its bytes."""
    b, m, n, k = (choice.randrange(1, 9) for _ in range(4))
    kind = choice.choice(["float", "double", "c10::Half", "c10::BFloat16"])
    shapes: dict[str, tuple[list[list[int]], list[int], int]] = {
        "mm": ([[m, k], [k, n]], [m, n], m * n * k),
        "addmm": ([[n], [m, k], [k, n]], [m, n], m * n * k),
        "bmm": ([[b, m, k], [b, k, n]], [b, m, n], b * m * n * k),
        "baddbmm": ([[b, m, n], [b, m, k], [b, k, n]], [b, m, n], b * m * n * k),
        "linear": ([[b, m, k], [n, k], [n]], [b, m, n], b * m * n * k),
    }
    if choice.random() < 0.4:
        name = choice.choice(["add", "mul", "div", "sub"])
        dims = [[b, m, n][-choice.randrange(4) :][: choice.randrange(1, 4)] for _ in range(2)]
        dims = [[choice.choice([size, 1]) for size in [b, m, n][3 - len(d) :]] for d in dims]
        made = [1] * max(map(len, dims))
        for d in dims:
            for at, size in enumerate(reversed(d), 1):
                made[-at] = max(made[-at], size)
        flops = math.prod(made)
    else:
        name = choice.choice(list(shapes))
        dims, made, product = shapes[name]
        flops = 2 * product
    size = sum(math.prod(d) for d in [*dims, made]) * SIZES[kind]
    return f"aten::{name}", dims, [kind] * len(dims), flops, size


def test_products_and_broadcasts_equal_plain_python(tmp_path: Path) -> None:
    choice = random.Random(3)
    calls = [random_call(choice) for _ in range(300)]
    events = [
        {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": n * 10, "dur": 5,
         "args": {"Input Dims": dims, "Input type": kinds}}
        for n, (name, dims, kinds, _, _) in enumerate(calls)
    ]  # fmt: skip
    path = tmp_path / "trace.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))

    found = rows(imported(path, tmp_path / "w.duckdb"), "SELECT * FROM op_work() ORDER BY ts")

    assert [(row["name"], row["flops"], row["bytes"]) for row in found] == [
        (name, flops, size) for name, _, _, flops, size in calls
    ]


def counted(tmp_path: Path, calls: list[tuple[Any, ...]]) -> list[tuple[Any, Any]]:
    """Operations and bytes of calls of (name, shapes, types[, values])."""
    keys = ("Input Dims", "Input type", "Concrete Inputs")
    events = [
        {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": n * 10, "dur": 5,
         "args": dict(zip(keys, given, strict=False))}
        for n, (name, *given) in enumerate(calls)
    ]  # fmt: skip
    path = tmp_path / "trace.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    found = rows(
        imported(path, tmp_path / "w.duckdb"),
        "SELECT s.ts // 10000 AS n, w.flops, w.bytes FROM slice AS s LEFT JOIN op_work() AS w"
        " ON w.slice_id = s.id ORDER BY n",
    )
    return [(row["flops"], row["bytes"]) for row in found]


def test_outputs_given_as_arguments_are_written_and_not_read(tmp_path: Path) -> None:
    m, k, n, b16 = 8192, 2432, 9728, "c10::BFloat16"
    calls = [
        ("aten::mm", [[m, k], [k, n], [m, n]], [b16] * 3),
        ("aten::addmm", [[n], [m, k], [k, n], [], [], [m, n]], [b16] * 3 + ["Scalar"] * 2 + [b16]),
        ("aten::add", [[m, k], [m, k], [], [m, k]], ["float", "float", "Scalar", "float"]),
        ("aten::sum", [[m, k], [1], [], [], [m]], ["float", "ScalarList", "Scalar", "", "float"]),
    ]

    assert counted(tmp_path, calls) == [
        (2 * m * k * n, 2 * (m * k + k * n + m * n)),
        (2 * m * k * n, 2 * (n + m * k + k * n + m * n)),
        (m * k, 4 * 3 * m * k),
        (m * k, 4 * (m * k + m)),
    ]


def test_types_of_elementwise_results_are_those_of_pytorch(tmp_path: Path) -> None:
    """result_types.json: operator, type and whether it has no dimensions of each input, and
    element_size() of the result of torch 2.13."""
    cases = json.loads((FLOPS / "result_types.json").read_text())
    calls, inputs = [], []
    for name, one, one_is_scalar, other, other_is_scalar, _ in cases:
        given = [(one, one_is_scalar), (other, other_is_scalar)][: 1 if other is None else 2]
        dims = [[] if is_scalar else [2, 3] for _, is_scalar in given]
        calls.append((f"aten::{name}", dims, [kind for kind, _ in given]))
        sizes = {**SIZES, "unsigned char": 1, "short int": 2, "int": 4, "c10::complex<float>": 8}
        inputs.append(
            sum(sizes[kind] * math.prod(d) for (kind, _), d in zip(given, dims, strict=True))
        )

    found = counted(tmp_path, calls)

    written = [(got - read) / 6 for (_, got), read in zip(found, inputs, strict=True)]
    assert written == [size for *_, size in cases]


def test_operators_of_inference_libraries(tmp_path: Path) -> None:
    """Shapes as sglang and vLLM recorded them; figures by hand."""
    b16, rows_, width = "c10::BFloat16", 15360, 4096
    pool, packed = [835874, 8, 128], [b16] * 3 + ["int"] * 3 + ["Scalar"] * 3
    scalars = ["", "", "", "", "", "", "1024", "1024", "0."]
    calls = [
        ("aiter::gemm_a16w16", [[rows_, 12288], [4096, 12288]], [b16, b16]),
        ("aiter::rmsnorm", [[rows_, width]] * 2 + [[width], []], [b16] * 3 + ["Scalar"]),
        ("_C::fused_add_rms_norm", [[888, 2880]] * 2 + [[2880], []], [b16] * 3 + ["Scalar"]),
        ("aiter::add_rmsnorm", [[rows_, width]] * 4 + [[width], []], [b16] * 5 + ["Scalar"]),
        ("sgl_kernel::silu_and_mul", [[rows_, 12288], [rows_, 24576]], [b16] * 2),
        ("sgl_kernel::rotary_embedding",
         [[rows_], [rows_, 4096], [rows_, 1024], [], [41216, 128], []],
         ["long int", b16, b16, "Scalar", b16, "Scalar"], ["", "", "", "128", "", "True"]),
        ("aiter::mha_batch_prefill",
         [[rows_, 32, 128], pool, pool, [16], [16], [15616], [], [], []], packed, scalars),
        ("aiter::mha_batch_prefill",
         [[rows_ - 1, 32, 128], pool, pool, [16], [16], [15616], [], [], []], packed, scalars),
        ("flash_attn::_flash_attn_forward", [[2, 512, 8, 64]] * 3, [b16] * 3),
        ("aten::_grouped_mm", [[100, 64], [4, 64, 32], [4]], [b16, b16, "int"]),
        ("aiter::fused_moe_", [[10, 64], [8, 32, 64], [8, 64, 16], [10, 2], [10, 2]],
         [b16] * 3 + ["float", "int"]),
    ]  # fmt: skip

    found = counted(tmp_path, calls)

    assert [flops for flops, _ in found] == [
        2 * rows_ * 12288 * 4096,
        rows_ * width * (3 + 1),
        888 * 2880 * (4 + 1),
        rows_ * width * (4 + 1),
        rows_ * 12288 * 2,
        rows_ * (4096 + 1024) * 3,
        2 * 32 * rows_ * 1024 * (128 + 128),
        None,  # the lengths of the sequences are not known
        2 * 2 * 8 * 512 * 512 * (64 + 64),
        2 * 100 * 64 * 32,
        2 * 10 * 2 * (32 * 64 + 64 * 16),
    ]
    assert [size for _, size in found[:6]] == [
        2 * (rows_ * 12288 + 4096 * 12288 + rows_ * 4096),
        2 * (2 * rows_ * width + width),
        2 * (4 * 888 * 2880 + 2880),
        2 * (4 * rows_ * width + width),
        2 * (rows_ * 24576 + rows_ * 12288),
        8 * rows_ + 2 * (2 * rows_ * 5120 + rows_ * 128),
    ]


@pytest.mark.integration
def test_attention_of_a_recorded_prefill_is_twice_that_of_tracelens(
    data_dir: Path, imported_files: WarehouseCache
) -> None:
    """TraceLens halves it for the causal mask: 4,638 GFLOP."""
    (path,) = (data_dir / "kineto" / "sglang_prefill_decode").glob("*.json.gz")

    (found,) = rows(
        imported_files((None, [path])),
        "SELECT sum(flops) AS flops, count(*) AS n FROM op_work() WHERE model = 'packed_attention'",
    )

    assert found == {"flops": 36 * 2 * 32 * 15360 * 1024 * 256, "n": 36}
    assert float(found["flops"]) / 2e9 == pytest.approx(4638, abs=1)


@pytest.mark.integration
def test_nonsense_shapes_never_fail(tmp_path: Path) -> None:
    huge, odd = 10**18, [None, "x", -5, 0, 1.5, [3]]
    dims: list[Any] = [
        [[huge, huge], [huge, huge]], [odd, odd], [], [[2, 3]], "no list", [[[2, 2], [3]], [2]],
        [[1, huge, huge, huge], [huge, 1, 1, 1], [], [], [], [], [], [], []],
    ]  # fmt: skip
    values = ["", "", "", "[0, 0]", "[x]", "[99999999999999999999]", "maybe", "[]", "0"]
    names = ["mm", "addmm", "linear", "convolution", "convolution_backward", "add", "copy_",
             "_scaled_dot_product_flash_attention"]  # fmt: skip
    events = [
        {"ph": "X", "cat": "cpu_op", "name": f"aten::{name}", "pid": 1, "tid": 1, "ts": n * 10,
         "dur": 5, "args": {"Input Dims": each, "Input type": ["float"] * 9,
                            "Concrete Inputs": values}}
        for n, (name, each) in enumerate((name, each) for name in names for each in dims)
    ]  # fmt: skip
    path = tmp_path / "trace.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    db = imported(path, tmp_path / "w.duckdb")

    assert len(rows(db, "SELECT * FROM op_work()")) <= len(events)
    rows(db, "roofline", peak_flops_per_s=1e12, peak_bytes_per_s=1e12)


def test_a_roofline_without_peaks_has_rates_and_no_shares(recorded: Path) -> None:
    found = rows(recorded, "roofline")

    assert {row["bound"] for row in found} == {row["roof_share"] for row in found} == {None}
    for row in found:
        if row["flops"] and row["busy_ns"]:
            assert row["flops_per_s"] == pytest.approx(row["flops"] * 1e9 / row["busy_ns"])
            assert row["intensity"] == pytest.approx(row["flops"] / row["bytes"])


@pytest.mark.slow
def test_a_large_model_on_a_gpu_stays_below_its_roof(
    data_dir: Path, imported_files: WarehouseCache
) -> None:
    """H100 SXM by its data sheet: 989 TFLOP/s in bfloat16 without sparsity, 3.35 TB/s."""
    db = imported_files((None, [data_dir / "kineto" / "h100_qwen" / "trace.json.gz"]))

    found = rows(db, "roofline", peak_flops_per_s=989e12, peak_bytes_per_s=3.35e12)

    products = [row for row in found if row["model"] == "matmul" and row["flops"] > 1e9]
    assert sum(row["n_calls"] for row in products) == 168  # all aten::linear of the recording
    assert {row["bound"] for row in products} == {"compute"}
    assert all(0.4 < row["roof_share"] < 1 for row in products)
    (attention,) = [row for row in found if row["model"] == "attention"]
    assert attention["flops"] == 24 * 4 * 16 * 16 * 559 * 559 * 64
    assert attention["n_device_ops"] == 24
    assert all(row["roof_share"] <= 1 for row in found if row["roof_share"])


@pytest.mark.slow
def test_device_work_of_a_real_training_belongs_to_its_operators(
    data_dir: Path, tmp_path: Path
) -> None:
    source = data_dir / "kineto" / "mi300_resnet_train" / "trace.json.gz"
    db = imported(source, tmp_path / "w.duckdb")

    found = rows(db, "roofline")

    # Oracle: kernels by correlation, calls by containment in the time of the operator's slice.
    events = json.loads(gzip.decompress(source.read_bytes()))["traceEvents"]
    of_call = defaultdict[int, int](int)
    for event in events:
        if event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset"):
            of_call[event["args"]["correlation"]] += round(event["dur"] * 1000)
    calls = [e for e in events if e.get("cat") in ("cuda_runtime", "cuda_driver")]
    busy = 0
    for op in (e for e in events if e.get("name") == "aten::convolution_backward"):
        for call in calls:
            if call["tid"] == op["tid"] and op["ts"] <= call["ts"] < op["ts"] + op["dur"]:
                busy += of_call[call["args"].get("correlation", -1)]
    mine = [row for row in found if row["name"] == "aten::convolution_backward"]
    assert sum(row["busy_ns"] for row in mine if row["n_device_ops"]) == busy
    assert sum(row["n_calls"] for row in mine) == 60


COUNTER = "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"


@pytest.mark.integration
def test_counters_go_to_the_operators_that_launched_their_kernels(
    data_dir: Path, tmp_path: Path
) -> None:
    """Holistic Trace Analysis pairs the n-th range with the n-th launch, too; the sums were the
    same for all 77 ranges and both the outermost and the innermost operator."""
    source = data_dir / "kineto" / "cupti_counters" / "trace.json.gz"
    db = imported(source, tmp_path / "w.duckdb")
    events = json.loads(gzip.decompress(source.read_bytes()))["traceEvents"]
    ranges = sorted((e for e in events if e.get("cat") == "cuda_profiler_range"),
                    key=lambda e: e["ts"])  # fmt: skip
    calls = sorted((e for e in events if e.get("name") == "cudaLaunchKernel"),
                   key=lambda e: e["ts"])  # fmt: skip
    assert len(ranges) == len(calls) == 77
    inner: dict[str, list[float]] = defaultdict(list)
    outer: dict[str, float] = defaultdict(float)
    for measured, call in zip(ranges, calls, strict=True):
        around = [
            e for e in events
            if e.get("cat") == "cpu_op" and e["tid"] == call["tid"]
            and e["ts"] <= call["ts"] and call["ts"] + call["dur"] <= e["ts"] + e["dur"]
        ]  # fmt: skip
        value = measured["args"][COUNTER]
        inner[min(around, key=lambda e: e["dur"])["name"]].append(value)
        outer[max(around, key=lambda e: e["dur"])["name"]] += value

    by_op = [row for row in rows(db, "counter_by_op") if row["counter"] == COUNTER]
    ranges_found = [row for row in rows(db, "counter_range") if row["counter"] == COUNTER]

    assert {r["cpu_op"]: (r["n_kernels"], r["sum_value"], r["max_value"]) for r in by_op} == {
        name: (len(values), sum(values), max(values)) for name, values in inner.items()
    }
    sums: dict[str, float] = defaultdict(float)
    for row in ranges_found:
        sums[row["outer_op"]] += row["value"]
    assert sums == outer
