"""16 bits: sets that a search tries are the best of all by their closed form, and are replayed."""

from __future__ import annotations

import itertools
import json
import random
import shutil
from pathlib import Path

import duckdb
import pytest

from tests.conftest import Tw
from tests.support.sharing import WarehouseCache, slow
from tw_importers.dpro import precision
from tw_importers.dpro.labels import Operator, Program, Tensor
from warehouse.errors import UsageError

TINY = Path(__file__).parents[1] / "data" / "dpro" / "nccl_ring_2x1_tiny"
VARIABLE = "TF_AUTO_MIXED_PRECISION_GRAPH_REWRITE_"


@pytest.fixture(scope="module")
def tiny(imported_files: WarehouseCache) -> Path:
    return imported_files(("trial", [TINY]))


def random_program(seed: int, n: int) -> Program:
    """Operators of which most are able, tensors among them, and weights."""
    source = random.Random(seed)
    names = [f"op{k}" for k in range(n)]
    operators = [
        Operator(name, ns := source.randint(1, 100), ns // source.choice([1, 2, 4]),
                 source.random() < 0.8, source.choice([0, 0, 40]))
        for name in names
    ]  # fmt: skip
    tensors = []
    for k, name in enumerate(names[:-1]):
        takers = source.sample(names[k + 1 :], source.randint(0, min(3, n - k - 1)))
        if takers:
            tensors.append(Tensor(name, tuple(takers), source.randint(0, 60)))
    for name in source.sample(names, n // 2):
        tensors.append(Tensor(None, (name,), source.randint(0, 20)))
    return Program(operators, tensors)


def brute_cost(program: Program, half: frozenset[str], weight: float) -> float:
    """The cost as the documentation describes it, tensor by tensor."""
    cost = sum(
        each.half_ns if each.name in half else each.ns + round(weight * each.communication_ns)
        for each in program.operators
    )
    for tensor in program.tensors:
        takers_half = [each for each in tensor.consumers if each in half]
        takers_single = [each for each in tensor.consumers if each not in half]
        if tensor.producer in half and takers_single:
            cost += tensor.cast_ns
        if tensor.producer not in half and takers_half:
            cost += tensor.cast_ns
    return cost


@pytest.mark.parametrize(("n_programs", "largest"), [(20, 6), slow(300, 10)], ids=["few", "many"])
def test_a_minimum_cut_is_the_best_of_all_sets(n_programs: int, largest: int) -> None:
    for seed in range(n_programs):
        program = random_program(seed, 2 + seed % (largest - 1))
        able = [each.name for each in program.operators if each.is_able]
        sets = [
            frozenset(names)
            for size in range(len(able) + 1)
            for names in itertools.combinations(able, size)
        ]
        for weight in (0.0, 0.5, 1.0):
            found = program.best(weight)

            assert found <= set(able)
            least = min(brute_cost(program, each, weight) for each in sets)
            assert brute_cost(program, found, weight) == least == program.cost(found, weight)


@pytest.mark.slow
def test_the_recommended_operators_are_written_and_replayed(
    tw: Tw, tiny: Path, tmp_path: Path
) -> None:
    """With slow casts not all able operators are worth it; the list is read back."""
    folder = tmp_path / "mixed"
    result = tw(
        "optimize", "precision", "--cast-bytes-per-s", "1GB/s", "-o", folder, "--db", tiny,
        "--format", "json",
    )  # fmt: skip

    rows = {row["search"]: row for row in json.loads(result.out)}
    assert list(rows) == ["recorded", "sweep", "dp"]
    assert rows["dp"]["predicted_ns"] < rows["sweep"]["predicted_ns"]
    assert rows["dp"]["is_recommended"] and rows["dp"]["extrapolated"] == 1
    names = (folder / "amp_list.txt").read_text().split()
    assert 0 < len(names) == rows["dp"]["n_edits"] < 16
    (edit,) = json.loads((folder / "strategy.json").read_text())["edits"]
    assert edit["arguments"] == {
        "operators": ",".join(names), "cast_bytes_per_s": "1000000000.0",
    }  # fmt: skip
    replay = tw(
        "replay", "--what-if", f"strategy(file = {folder})", "--db", tiny, "--format", "json"
    )
    predicted = max(row["predicted_ns"] for row in json.loads(replay.out))
    assert predicted == pytest.approx(rows["dp"]["predicted_ns"])


@pytest.mark.slow
def test_a_list_of_operators_is_a_strategy(tw: Tw, tiny: Path, tmp_path: Path) -> None:
    path = tmp_path / "amp_list.txt"
    path.write_text("resnet50/conv1_conv/Conv2D\nresnet50/conv2_conv/Conv2D\n")

    read = tw("replay", "--what-if", f"strategy(file = {path})", "--db", tiny, "--format", "json")
    given = tw(
        "replay", "--what-if", 'precision(operators = "*v?_conv/Conv2D")', "--db", tiny,
        "--format", "json",
    )  # fmt: skip
    path.write_text("resnet50/conv1_conv/Conv2D\nnowhere/MatMul\n")
    unknown = tw("replay", "--what-if", f"strategy(file = {path})", "--db", tiny)

    times = [[row["predicted_ns"] for row in json.loads(each.out)] for each in (read, given)]
    assert times[0] == times[1]
    assert unknown.code == 2 and unknown.errors[0] == (
        f"Error: 1 of 2 operators in {path} are not in the run in 32 bits, such as nowhere/MatMul"
    )


@pytest.mark.slow
def test_variables_of_the_environment_add_operators(
    tw: Tw, tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A black type only if it is forced; unknown names are counted."""
    path = tmp_path / "list"
    path.write_text("resnet50/predictions/Softmax\nnowhere/MatMul\n")
    monkeypatch.setenv(f"{VARIABLE}PRIORLIST_FILE", str(path))
    arguments = ("optimize", "precision", "--search", "sweep", "--db", tiny, "--format", "json")
    plain = tw(*arguments)
    monkeypatch.setenv(f"{VARIABLE}FORCE", "1")

    forced = tw(*arguments)

    assert "Softmax" not in json.loads(plain.out)[-1]["edits"].replace("SoftmaxGrad", "")
    edits = json.loads(forced.out)[-1]["edits"]
    names = edits.removeprefix('precision(operators = "').removesuffix('")').split(",")
    assert "resnet50/predictions/Softmax" in names
    assert (
        f"Warning: 1 of 2 operators in {VARIABLE}PRIORLIST are not in the run, "
        "such as nowhere/MatMul" in plain.err.splitlines()
    )


@pytest.mark.integration
@pytest.mark.parametrize(
    ("device", "code", "message"),
    [
        ("host", 1, "but the run was recorded on a GPU"),
        slow("A100", 0, "the run does not record its device"),
    ],
)
def test_a_model_of_another_device_is_refused_or_named(
    tw: Tw, tiny: Path, tmp_path: Path, device: str, code: int, message: str
) -> None:
    path = tmp_path / "warehouse.duckdb"
    shutil.copy(tiny, path)
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "INSERT INTO cost_model SELECT 1, 'half', 'precision_sample@1', 'x', "
            "'[\"float32_ns\"]', '[]', 3, 0, '0', TIMESTAMP '2026-01-01'"
        )
        connection.execute(
            "INSERT INTO cost_model_term VALUES (1, ?, 'float32_ns', 0.25, 10, 1000)",
            [f"Conv2D float16 on {device}"],
        )

    result = tw("optimize", "precision", "--search", "sweep", "--model", "half", "--db", path)

    assert result.code == code
    assert f"cost model half was fitted on {device}" in result.err and message in result.err


def test_lists_of_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "list").write_text("a\nb\n")
    monkeypatch.setenv(f"{VARIABLE}PRIORLIST_FILE", str(tmp_path / "list"))
    monkeypatch.setenv(f"{VARIABLE}PRIORLIST_ADD", "c,d")
    monkeypatch.setenv(f"{VARIABLE}FORCE", "0")

    assert precision.lists() == precision.Lists(frozenset("abcd"), is_forced=False)

    monkeypatch.setenv(f"{VARIABLE}PRIORLIST_FILE", str(tmp_path / "missing"))
    with pytest.raises(UsageError, match=r"cannot read .*PRIORLIST_FILE .*missing: No such file"):
        precision.lists()


@pytest.mark.integration
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("precision", "--search", "anneal"), "precision has no search anneal"),
        (("precision", "--groups", "2"), "precision has no option --groups"),
        (("buckets", "--model", "m"), "buckets has no option --model"),
        (("precision", "--model", "m"), "no cost model m says how long operators take in 16 bits"),
    ],
    ids=["search", "groups", "model", "unknown"],
)
@pytest.mark.integration
def test_options_of_other_strategies_are_refused(
    tw: Tw, tiny: Path, arguments: tuple[str, ...], message: str
) -> None:
    result = tw("optimize", *arguments, "--db", tiny)

    assert result.code in (1, 2) and result.errors[0] == f"Error: {message}"
