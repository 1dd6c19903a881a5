"""Changes between the steps of two sides: exact figures, and false alarms under known noise."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

import duckdb
import numpy as np
import pytest

from tests.support import compare_noise as noise
from tests.support import compare_power
from tests.support.databases import attached
from tests.support.sharing import integration, slow
from warehouse.library import library

Row = dict[str, Any]
Side = Sequence[Sequence[noise.Series]]
LISTS = ("row_numbers", "sides", "run_ids", "trace_ids", "positions", "amounts")
N_ROWS = 40  # rows of a simulated report
#: Figures by scipy and statsmodels, from oracle.py beside them.
EXPECTED = json.loads(
    (Path(__file__).parent.parent / "data" / "significance" / "expected.json").read_text()
)


def install(connection: duckdb.DuckDBPyConnection, *names: str) -> None:
    queries = library.load()
    connection.execute("SET disabled_optimizers = 'statistics_propagation'")
    for name in names:
        connection.execute(queries.find(name).macro(temp=True))


def changed(rows: Sequence[tuple[Side, Side]]) -> list[Row]:
    """Rows of step_change; all rows have the same runs, ranks and numbers of steps."""
    with attached() as connection:
        install(connection, "quadrature_node", "student_t", "step_amount", "step_change")
        columns = [list(each) for each in zip(*noise.samples(rows), strict=True)]
        types = ("BIGINT[]", "VARCHAR[]", "BIGINT[]", "BIGINT[]", "BIGINT[]", "DOUBLE[]")
        declared = ", ".join(f"{name} {kind}" for name, kind in zip(LISTS, types, strict=True))
        connection.execute(f"CREATE TABLE given ({declared})")
        arrays = [np.array(each) for each in columns]
        connection.register("sample", dict(zip(LISTS, arrays, strict=True)))
        connection.execute(
            f"INSERT INTO given SELECT {', '.join(f'list({n})' for n in LISTS)} FROM sample"
        )
        given = ", ".join(f"(SELECT {name} FROM given)" for name in LISTS)
        found = connection.sql(f'FROM "step_change@1"({given}) ORDER BY row_number')
        return list(found.to_arrow_table().to_pylist())


def alone(runs: Sequence[noise.Series]) -> Side:
    """Runs of one rank each."""
    return [[run] for run in runs]


def check(found: Row, a: Sequence[noise.Series], b: Sequence[noise.Series]) -> None:
    expected = noise.expected(a, b)

    def near(value: float | None) -> Any:
        return None if value is None else pytest.approx(value, rel=1e-9, abs=1e-12)

    assert found["typical_a"] == near(expected.typical_a)
    assert found["typical_b"] == near(expected.typical_b)
    assert found["change_low"] == near(expected.low)
    assert found["change_high"] == near(expected.high)
    assert found["t"] == near(expected.t)
    assert found["degrees_of_freedom"] == expected.freedom
    assert found["p"] == near(expected.p)


SIZES = [(5, 5), (2, 3), (10, 4), (24, 25), (61, 130)]


@pytest.mark.parametrize(("n_a", "n_b"), [SIZES[0], *(slow(*each) for each in SIZES[1:])])
def test_steps_of_one_run_a_side_equal_the_plain_test(n_a: int, n_b: int) -> None:
    random = Random(f"{n_a} {n_b}")
    pairs = [
        ([make(random, n_a)], [[x * factor for x in make(random, n_b)]])
        for make in noise.STEPS.values()
        for factor in (1, 1.02, 1.5)
        for _ in range(4)
    ]

    rows = changed([(alone(a), alone(b)) for a, b in pairs])

    for row, (a, b) in zip(rows, pairs, strict=True):
        check(row, a, b)
    known = [row["p"] for row in rows]
    assert [row["q"] for row in rows] == pytest.approx(noise.corrected(known), rel=1e-12)


RUNS = [(3, 3), (1, 4), (5, 1), (2, 9)]


@pytest.mark.parametrize(("n_a", "n_b"), [RUNS[0], *(slow(*each) for each in RUNS[1:])])
def test_several_runs_on_a_side_are_compared_by_their_spread(n_a: int, n_b: int) -> None:
    random = Random(f"{n_a} runs {n_b}")
    pairs = [(noise.runs(random, 7, n_a), noise.runs(random, 7, n_b)) for _ in range(20)]

    rows = changed([(alone(a), alone(b)) for a, b in pairs])

    assert {row["basis"] for row in rows} == {"runs"}
    for row, (a, b) in zip(rows, pairs, strict=True):
        check(row, a, b)


def test_ranks_are_averaged_within_a_step() -> None:
    random = Random(8)
    a, b = noise.ranks(random, 6, 8), noise.ranks(random, 9, 3)

    (row,) = changed([([a], [b])])

    means = [[fmean(step) for step in zip(*each, strict=True)] for each in (a, b)]
    check(row, means[:1], means[1:])
    assert (row["n_steps_a"], row["n_steps_b"]) == (6, 9)


def test_warm_up_is_left_out_and_outliers_are_listed() -> None:
    a = [3.0, 2.0, 1.01, 1.0, 0.99, 1.0, 5.0]
    b = [1.0, 1.0, 1.01, 1.0, 0.99, 1.0]

    (row,) = changed([(alone([a]), alone([b]))])

    assert (row["n_warm_up_a"], row["n_warm_up_b"]) == (2, 0)
    assert (row["outliers_a"], row["outliers_b"]) == ("0, 1, 6", None)
    assert row["typical_a"] == pytest.approx((1.01 + 1 + 1) / 3)


def test_too_few_steps_and_constant_steps_have_no_p() -> None:
    short = changed([(alone([[1.0]]), alone([[2.0, 2.1]]))])
    constant = changed([(alone([[1.0, 1.0]]), alone([[2.0, 2.0]]))])

    assert (short[0]["p"], short[0]["change_low"], short[0]["reason"]) == (None, None, "steps")
    assert (constant[0]["p"], constant[0]["reason"]) == (None, "constant")
    assert (constant[0]["change_low"], constant[0]["change_high"]) == (1, 1)


# --- figures by scipy and statsmodels


def near(value: float) -> Any:
    return pytest.approx(value, rel=1e-9, abs=1e-13)


@pytest.mark.parametrize("n_steps", ["5", "10", "24"])
def test_steps_have_the_figures_of_scipy(n_steps: str) -> None:
    """Yuen's test with the error of correlated steps; q as by statsmodels."""
    cases = EXPECTED["steps"][n_steps]

    rows = changed([(alone([case["a"]]), alone([case["b"]])) for case in cases])

    for row, case in zip(rows, cases, strict=True):
        same = ("typical_a", "typical_b", "autocorrelation", "t", "degrees_of_freedom", "p", "q")
        assert [row[name] for name in same] == [near(case[name]) for name in same]
        assert [row["n_effective_a"], row["n_effective_b"]] == [near(case["n_effective"])] * 2
        assert [row["change_low"], row["change_high"]] == [near(x) for x in case["interval"]]
        inflation = float(n_steps) / row["n_effective_a"]
        factor = inflation * (float(n_steps) - 1) / (float(n_steps) - inflation)
        assert row["t"] * factor**0.5 == near(case["yuen_t"])


def test_runs_have_the_figures_of_scipy() -> None:
    """Welch's test."""
    cases = EXPECTED["runs"]

    rows = changed(
        [
            (alone([[x, x] for x in case["a"]]), alone([[x, x, x] for x in case["b"]]))
            for case in cases
        ]
    )

    for row, case in zip(rows, cases, strict=True):
        same = ("t", "degrees_of_freedom", "p", "q")
        assert [row[name] for name in same] == [near(case[name]) for name in same]
        assert [row["change_low"], row["change_high"]] == [near(x) for x in case["interval"]]


def test_probabilities_are_those_of_scipy() -> None:
    ts, freedoms, p_values, quantiles = zip(*EXPECTED["student_t"], strict=True)

    with attached() as connection:
        install(connection, "quadrature_node", "student_t")
        found = connection.execute(
            'SELECT p, quantile FROM "student_t@1"(?, ?) ORDER BY place', [list(ts), list(freedoms)]
        ).fetchall()

    assert [p for p, _ in found] == [pytest.approx(p, rel=1e-9) for p in p_values]
    assert [q for _, q in found] == [near(q) for q in quantiles]


# --- bad input


def test_steps_without_a_number_are_left_out() -> None:
    """NaN and infinite amounts, as of a broken counter."""
    a, b = [1.0, 1.02, 0.99, 1.01], [1.1, 1.12, 1.08, 1.11]
    broken = [1.1, float("nan"), 1.12, float("inf"), 1.08, 1.11]

    (expected,) = changed([(alone([a]), alone([b]))])
    (found,) = changed([(alone([a]), alone([broken]))])

    assert found == expected


def test_a_side_without_a_number_is_not_tested() -> None:
    (row,) = changed([(alone([[1.0, 1.1]]), alone([[float("nan"), float("nan")]]))])

    assert (row["n_steps_b"], row["typical_b"], row["p"]) == (0, None, None)
    assert (row["change_low"], row["reason"]) == (None, "steps")


# --- false alarms and power


def pairs_of(kind: str, n_a: int, n_b: int, count: int) -> list[tuple[Side, Side]]:
    random = Random(f"{kind} {n_a} {n_b} {count}")
    make = noise.STEPS[kind]
    return [(alone([make(random, n_a)]), alone([make(random, n_b)])) for _ in range(count)]


def shares(rows: Sequence[Row]) -> tuple[float, float, float]:
    """Shares of rows with p < 0.05, of reports with q < 0.05, and of gates of 1 % that fail."""
    p_values = [row["p"] for row in rows]
    reports = [p_values[k : k + N_ROWS] for k in range(0, len(p_values) - N_ROWS + 1, N_ROWS)]
    gates = [
        row["change_low"] > 0 and row["typical_change"] > 0.01 * row["typical_a"] for row in rows
    ]
    return (
        fmean(p < 0.05 for p in p_values),
        fmean(min(noise.corrected(report)) < 0.05 for report in reports),
        fmean(gates),
    )


CASES = [
    (kind, n_a, n_b)
    for kind in noise.STEPS
    for n_a, n_b in ((10, 10), (3, 3), (5, 5), (5, 12), (20, 20), (60, 60))
]
IN_CI = [case for case in CASES[1:] if case[1:] == (3, 3)][:2]  # the shortest of two kinds


@pytest.mark.parametrize(
    ("kind", "n_a", "n_b"),
    [CASES[0], *((integration if each in IN_CI else slow)(*each) for each in CASES[1:])],
)
def test_equal_programs_rarely_differ(kind: str, n_a: int, n_b: int, record_property: Any) -> None:
    count = 80 * N_ROWS if (kind, n_a, n_b) != CASES[0] else 10 * N_ROWS

    by_row, by_report, by_gate = shares(changed(pairs_of(kind, n_a, n_b, count)))

    record_property("figures", (by_row, by_report, by_gate))
    assert by_row <= 0.07
    assert by_report <= 0.07 + 2 * (0.07 * 0.93 / (count / N_ROWS)) ** 0.5
    assert by_gate <= 0.02 + 2 * (0.02 * 0.98 / count) ** 0.5


@pytest.mark.parametrize("n_steps", [5, *(slow(each) for each in (3, 10, 24))])
def test_the_test_of_many_pairs_is_the_plain_one(n_steps: int) -> None:
    """By compare_power, which states the figures of docs/compare.md."""
    random = np.random.default_rng(n_steps)
    a, b = (compare_power.series(random, 20, n_steps, 0.5) for _ in "ab")

    for change, reach, *pair in zip(*compare_power.tested(a, b), a, b, strict=True):
        expected = noise.expected(*([each.tolist()] for each in pair))
        assert expected.high is not None
        assert change == near((expected.typical_b - expected.typical_a) / expected.typical_a)
        assert change + reach == near(expected.high / expected.typical_a)


def test_common_noise_of_ranks_rarely_makes_a_difference() -> None:
    random = Random(5)
    rows = [
        tuple([noise.ranks(random, 10, 8, "autocorrelated")] for _ in "ab")
        for _ in range(3 * N_ROWS)
    ]

    by_row, by_report, _ = shares(changed([(a, b) for a, b in rows]))

    assert by_row <= 0.07
    assert by_report <= 0.07


@pytest.mark.integration
@pytest.mark.parametrize(("n_a", "n_b"), [(4, 4), slow(6, 1), slow(2, 3)])
def test_spread_between_runs_rarely_makes_a_difference(n_a: int, n_b: int) -> None:
    random = Random(f"spread {n_a} {n_b}")
    rows = [
        (alone(noise.runs(random, 5, n_a)), alone(noise.runs(random, 5, n_b))) for _ in range(1000)
    ]

    by_row, _, by_gate = shares(changed(rows))

    assert by_row <= 0.07
    assert by_gate <= 0.04


@pytest.mark.parametrize(
    ("kind", "n", "change", "least"),
    [
        ("warming_up", 5, 0.4, 0.9),  # twenty times the noise, as 20 % at 1 %
        integration("warming_up", 5, 0.2, 0.5),
        integration("independent", 5, 0.2, 0.75),
        slow("independent", 10, 0.2, 0.99),
        slow("warming_up", 10, 0.2, 0.95),
        slow("independent", 20, 0.05, 0.95),
        slow("autocorrelated", 60, 0.1, 0.95),
        slow("heavy_tailed", 20, 0.2, 0.95),
    ],
)
def test_real_changes_are_significant(kind: str, n: int, change: float, least: float) -> None:
    rows = changed([(a, [[[x + change for x in b[0][0]]]]) for a, b in pairs_of(kind, n, n, 300)])

    assert fmean(row["p"] < 0.05 and row["change_low"] > 0 for row in rows) >= least
    assert fmean(row["typical_change"] for row in rows) == pytest.approx(change, abs=0.02)
