"""Models of folders by GPU, made by hand: 1 µs, and 2 of the operations, 3 of the bytes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Tw
from tw_importers.dpro.gpu_folders import fitted
from warehouse.errors import TwError
from warehouse.store import database

#: Operations/s and bytes/s of data sheets.
RATES = {"v100": (15.7e12, 900e9), "t4": (8.1e12, 320e9)}
#: Channels of 3 x 3 kernels over images of 8 x 8.
CHANNELS = {"small/Conv2D": (16, 32), "large/Conv2D": (64, 256)}


def measured(root: Path, gpu: str, batches: tuple[int, ...] = (8, 32), factor: float = 1) -> None:
    folder = root / gpu / "resnet50"
    (folder / ".metadata").mkdir(parents=True)
    operators = {
        name: {
            "op": "Conv2D",
            "input": [{"shape": [1, 8, 8, c]}, {"shape": [3, 3, c, k]}],
            "output": [{"shape": [1, 8, 8, k]}],
        }
        for name, (c, k) in CHANNELS.items()
    }
    (folder / ".metadata" / "metadata.json").write_text(json.dumps(operators))
    (folder / "name.txt").write_text(f"fp32:{list(CHANNELS)}\n")
    lines = []
    flops_per_s, bytes_per_s = RATES[gpu]
    for batch in batches:
        flops = [2 * batch * 64 * k * 9 * c for c, k in CHANNELS.values()]
        n_bytes = [4 * (batch * 64 * (c + k) + 9 * c * k) for c, k in CHANNELS.values()]
        times = [
            (1e-6 + 2 * f / flops_per_s + 3 * b / bytes_per_s) * 1e3 * factor
            for f, b in zip(flops, n_bytes, strict=True)
        ]
        lines += [f"dPRO: BS={batch}: fp32", str(times), str([0.0] * len(times))]
    (folder / "avg.txt").write_text("\n".join(lines))


def test_folders_by_gpu_give_the_line_of_their_times(tmp_path: Path) -> None:
    for gpu in RATES:
        measured(tmp_path / "gpus", gpu)

    (line,) = fitted(tmp_path / "gpus", "device").groups

    assert line.group == "Conv2D float32" and line.problem is None
    coefficients = {term.feature: term.coefficient for term in line.terms}
    assert coefficients == pytest.approx({"flops_ns": 2, "bytes_ns": 3, "constant": 1000})


@pytest.mark.integration
def test_a_model_of_folders_is_stored_and_used(tw: Tw, tmp_path: Path) -> None:
    for gpu in RATES:
        measured(tmp_path / "gpus", gpu)
    db = tmp_path / "w.duckdb"
    database.create_empty(db)

    made = tw("model", "fit", "device", tmp_path / "gpus", "--db", db, "--format", "json")
    statement = (
        "FROM model_prediction(p_model := 'device', "
        """p_features := '{"flops_ns": 1e6, "bytes_ns": 1e5}')"""
    )
    (row,) = json.loads(tw("query", statement, "--db", db, "--format", "json").out)

    assert made.code == 0 and row["predicted_ns"] == pytest.approx(1000 + 2e6 + 3e5)
    other = tw("model", "fit", "operator", tmp_path / "gpus", "--db", db)
    assert other.errors[0] == "Error: a model of kind operator takes no path"


def test_folders_and_runs_are_not_combined(tw: Tw, tmp_path: Path) -> None:
    chosen = tw("model", "fit", "device", tmp_path, "--run", "x", "--db", tmp_path / "w.duckdb")
    of_files = tw("model", "fit", "operator", tmp_path, "--db", tmp_path / "w.duckdb")

    assert (chosen.code, of_files.code) == (2, 2)
    assert chosen.errors == ["Error: PATH cannot be combined with a choice of runs"]
    assert of_files.errors == ["Error: a model of kind operator takes no path"]


def test_folders_that_give_no_model_are_one_sentence(tmp_path: Path) -> None:
    one, unknown, times = (tmp_path / name for name in ("one", "unknown", "nan"))
    measured(one, "v100")
    measured(times, "v100", factor=float("nan"))
    measured(times, "t4", factor=float("nan"))
    measured(unknown, "v100")
    (unknown / "v100").rename(unknown / "gpu")

    for path, problem in {
        tmp_path / "none": "is not a folder",
        one / "v100" / "resnet50": "has no folder of a GPU with name.txt",
        one: r"has operators of one GPU only \(v100\)",
        times: "no Conv2D or MatMul in .* has a time and known sizes",
        unknown: "names no GPU of known peak rates",
    }.items():
        with pytest.raises(TwError, match=problem) as raised:
            fitted(path, "device")
        assert raised.value.hint


@pytest.mark.parametrize(
    ("file", "text", "problem"),
    [
        ("avg.txt", "dPRO: BS=8: fp32\n[0.1, x]", "is not a list of numbers"),
        ("avg.txt", "dPRO: BS=8: fp32\n[0.1]", "has 1 times of batch 8 in fp32, name.txt 2 names"),
        (".metadata/metadata.json", "[]", "is not a JSON object of operators"),
    ],
)
def test_damaged_files_are_one_sentence(tmp_path: Path, file: str, text: str, problem: str) -> None:
    for gpu in RATES:
        measured(tmp_path, gpu)
    (tmp_path / "t4" / "resnet50" / file).write_text(text)

    with pytest.raises(TwError, match=problem):
        fitted(tmp_path, "device")
