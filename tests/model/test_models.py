"""Cost models: optimal fits, honest errors, refusals, and predictions in SQL."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import Tw
from tests.support.sharing import WarehouseCache, slow
from warehouse.errors import UsageError
from warehouse.model.fitting import Samples, fit, usable
from warehouse.model.least_squares import nonnegative
from warehouse.store import database

OURS = Path(__file__).parents[1] / "data"
CASES = Path(__file__).parents[1] / "queries" / "cases"


@pytest.mark.parametrize("seed", [*range(6), *(slow(n) for n in range(6, 100))])
def test_coefficients_are_those_of_the_best_fit_without_negative_ones(seed: int) -> None:
    """By the conditions of Karush, Kuhn and Tucker, which only the optimum meets."""
    source = np.random.default_rng(seed)
    n_features = 1 + seed % 6
    features = source.lognormal(3, 2, (30, n_features)) * source.choice([1, 1e6], n_features)
    true = source.choice([0, 1e-3, 5.0, -0.5], n_features)
    times = np.abs(features @ true) * source.uniform(0.7, 1.4, 30) + 1

    found = nonnegative(features, times)

    relative = features / times[:, None]
    slope = relative.T @ (relative @ found - 1) / np.linalg.norm(relative, axis=0)
    assert (found >= 0).all()
    assert (slope >= -1e-6).all()  # no coefficient of 0 would improve the fit by growing
    assert np.abs(slope[found > 0]).max(initial=0) <= 1e-6


def test_more_than_six_features_are_refused() -> None:
    with pytest.raises(UsageError, match="7 features are more than the 6"):
        nonnegative(np.ones((9, 7)), np.ones(9))


def samples(rows: list[tuple[str, float, float, bool]]) -> Samples:
    """Groups with times of one feature, bytes."""
    groups, sizes, times, held_out = zip(*rows, strict=True)
    return Samples(
        groups, np.array(times), np.array(sizes)[:, None], ("bytes",), np.array(held_out)
    )


def test_each_group_has_a_line_that_is_tested_with_what_it_did_not_see() -> None:
    """300 + 2 x; the held-out sample takes 25 % longer than that, so the error is 0.2."""
    line = [("a", x, 300 + 2 * x, False) for x in (10.0, 100.0, 1000.0)]
    held_out = ("a", 50.0, 400 * 1.25, True)
    one_size = [("b", 64.0, time, False) for time in (90.0, 110.0)]
    close = [("c", size, 70.0, False) for size in (100.0, 199.0)]

    a, b, c = fit(samples([*line, held_out, *one_size, *close]))

    assert [term.feature for term in a.terms] == ["bytes", "constant"]
    assert [term.coefficient for term in a.terms] == pytest.approx([2, 300])
    assert (a.n_fitted, a.n_held_out) == (3, 1) and a.error == pytest.approx(0.2)
    assert (a.terms[0].least, a.terms[0].most) == (10, 1000)
    assert a.problem is None and a.predict(np.array([[5000.0]])) == pytest.approx(10300)
    assert b.problem == "all samples have one size, which gives no rate"
    assert c.problem == "no two of 2 sizes are a factor of 2 apart, so they give no rate"
    # least squares of relative errors: sum(1 / y) / sum(1 / y²)
    assert b.predict(np.array([[64.0]])) == pytest.approx(98.0198, rel=1e-5)
    assert np.isnan(b.predict(np.array([[65.0]])))


def test_rows_without_a_time_or_a_feature_are_left_out() -> None:
    times = np.array([5, np.nan, 0, 5, 5, np.inf])
    features = np.array([[1, 1], [1, 1], [1, 1], [np.nan, 1], [-1, 1], [1, 1]])

    assert usable(times, features).tolist() == [True, False, False, False, False, False]


#: Features of the spec, of each operator of dPRO's measurements, and the largest error.
MEASURED = {
    "Conv2D": (("S_mul", "S_bias", "S_in", "S_out", "S_wei"), 0.10),
    "MatMul": (("S_mul", "S_in", "S_out", "S_wei"), 0.10),
    "CastToFp16": (("S_in",), 0.17),
    "CastToFp32": (("S_in",), 0.40),
}


@pytest.mark.integration
@pytest.mark.parametrize("operator", MEASURED)
def test_measured_operators_are_predicted_from_others(data_dir: Path, operator: str) -> None:
    """All rows marked test; upstream's stored coefficients err by 12.4, 14.3, 25.4 and 224.8 %."""
    names, most = MEASURED[operator]
    rows: list[dict[str, Any]] = list(
        csv.DictReader((data_dir / "dpro" / "cost_model" / f"{operator}.csv").open())
    )
    for row in rows:
        row["S_bias"] = float(row["S_out"]) * float(row.get("use_bias") or 0)
    measured = Samples(
        [f"{row['group']} {row['G']}" for row in rows],
        np.array([float(row["avg"]) for row in rows]),
        np.array([[float(row[name]) for name in names] for row in rows]),
        names,
        np.array([row["split"] == "test" for row in rows]),
    )

    groups = fit(measured)

    n_test = Counter(row["split"] for row in rows)["test"]
    assert sum(group.n_held_out for group in groups) == n_test  # all are predicted
    total = sum(group.error * group.n_held_out for group in groups if group.error is not None)
    assert total / n_test <= most


@pytest.fixture(scope="module")
def trial(imported_files: WarehouseCache) -> Path:
    return imported_files(("trial", [OURS / "dpro" / "nccl_ring_2x1_tiny"]))


@pytest.fixture
def copied(trial: Path, tmp_path: Path) -> Path:
    path = tmp_path / "w.duckdb"
    path.write_bytes(trial.read_bytes())
    return path


@pytest.mark.slow
def test_a_fitted_model_predicts_in_sql(tw: Tw, copied: Path) -> None:
    """In the generator of the trial a send takes 6 µs, and its bytes at a rate in bytes/µs."""
    truth = json.loads((OURS / "dpro" / "nccl_ring_2x1_tiny" / "truth.json").read_text())
    slope_ns = 1000 / truth["args"]["bw"]
    made = tw("model", "fit", "communication", "--db", copied, "--format", "json")

    assert made.code == 0, made.err
    lines = {row["feature"]: row for row in json.loads(made.out)}
    assert lines["bytes"]["coefficient"] == pytest.approx(slope_ns, rel=0.01)
    assert lines["constant"]["coefficient"] == pytest.approx(6000, rel=0.1)
    statement = (
        """FROM model_prediction(p_model := 'communication', p_features := '{"bytes": 12e6}')"""
    )
    (row,) = json.loads(tw("query", statement, "--db", copied, "--format", "json").out)
    assert row["predicted_ns"] == pytest.approx(6000 + 12e6 * slope_ns, rel=0.01)
    assert row["is_extrapolated"] and row["problem"] is None
    unknown = statement.replace("12e6", '"nan"')
    (row,) = json.loads(tw("query", unknown, "--db", copied, "--format", "json").out)
    assert row["predicted_ns"] is None
    assert row["problem"] == "the feature bytes is negative or not finite"


@pytest.mark.slow
def test_a_model_is_replaced_only_when_asked(tw: Tw, copied: Path) -> None:
    assert tw("model", "fit", "communication", "-q", "--db", copied).code == 0
    again = tw("model", "fit", "communication", "--db", copied)
    assert again.errors[0] == "Error: model 'communication' exists"
    assert tw("model", "fit", "communication", "--replace", "-q", "--db", copied).code == 0
    listed = json.loads(tw("model", "list", "--db", copied, "--format", "json").out)
    assert [(each["model"], each["n_groups"]) for each in listed] == [("communication", 1)]


@pytest.mark.integration
def test_the_ratio_of_two_precisions_is_a_model(tw: Tw, tmp_path: Path) -> None:
    """Rectifiers of 10 and 40 elements take 100 and 300 ns in float32, 50 and 90 in float16."""
    db = tmp_path / "w.duckdb"
    database.create_empty(db)
    case = Path(__file__).parents[1] / "queries" / "cases" / "precision_sample" / "two_precisions"
    with database.writer(db) as connection:
        connection.execute((case / "input.sql").read_text())

    made = tw("model", "fit", "precision", "--db", db, "--format", "json")

    lines = {row["feature"]: row["coefficient"] for row in json.loads(made.out)}
    assert lines == {"float32_ns": pytest.approx(0.2), "constant": pytest.approx(30)}


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("operator", "nothing to fit: operator_sample has no rows for the runs in scope"),
        slow("nope", "model 'nope' not found"),
        slow("iteration_time", "query iteration_time has no column model_group of type VARCHAR"),
    ],
)
def test_what_cannot_be_fitted_is_one_sentence(
    tw: Tw, trial: Path, kind: str, message: str
) -> None:
    result = tw("model", "fit", kind, "--db", trial)

    assert result.code != 0 and result.errors[0] == f"Error: {message}"


def test_an_unknown_model_is_one_sentence(tw: Tw, trial: Path) -> None:
    result = tw("model", "show", "nope", "--db", trial)

    assert result.errors[0] == "Error: model 'nope' not found"


@pytest.mark.integration
def test_operators_beside_communication_have_lines_of_their_own(
    tw: Tw, imported_files: WarehouseCache, tmp_path: Path
) -> None:
    ranks = [OURS / "kineto" / "ddp_two_ranks" / f"rank{n}.json.gz" for n in (0, 1)]
    db = tmp_path / "w.duckdb"
    db.write_bytes(imported_files(("ddp", ranks)).read_bytes())

    made = tw("model", "fit", "operator", "--as", "ours", "--db", db, "--format", "json")

    groups = {row["model_group"] for row in json.loads(made.out)}
    assert "aten::copy_ float32 on host" in groups
    assert "aten::copy_ float32 on host, beside communication" in groups
    assert "cannot extrapolate: see the column problem." in made.err
    shown = tw("model", "show", "ours", "--db", db, "--format", "json")
    assert json.loads(shown.out) == json.loads(made.out)


@pytest.mark.slow
def test_operators_are_predicted_on_a_device_that_no_run_has(tw: Tw, tmp_path: Path) -> None:
    """Rectifiers that take 100 ns and 1.25 of their traffic on two devices, and so on a third."""
    db = tmp_path / "w.duckdb"
    database.create_empty(db)
    rates = {1: 900e9, 2: 2039e9}
    with database.writer(db) as connection:
        connection.execute((CASES / "shared" / "rectifiers_on_two_devices.sql").read_text())
        for slice_id, device, elements in ((21, 1, 1e6), (22, 1, 3e6), (23, 2, 1e6)):
            dur = round(100 + 1.25 * elements * 8e9 / rates[device])
            connection.execute("UPDATE gpu_op SET dur = ? WHERE slice_id = ?", [dur, slice_id])
        connection.execute("DELETE FROM cpu_op WHERE slice_id > 3")

    fitted = tw("model", "fit", "device", "--db", db, "--format", "json")
    parameters = ("-p", "model=device", "-p", "flops_per_s=1e13", "-p", "bytes_per_s=1e12")
    found = tw("query", "device_prediction", *parameters, "--db", db, "--format", "json")

    lines = {each["feature"]: each["coefficient"] for each in json.loads(fitted.out)}
    assert lines == {
        "flops_ns": 0,
        "bytes_ns": pytest.approx(1.25, rel=1e-3),
        "constant": pytest.approx(100, rel=0.01),
    }
    assert [each["predicted_ns"] for each in json.loads(found.out)] == pytest.approx(
        [10_100, 30_100], rel=1e-3
    )
