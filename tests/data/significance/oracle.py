"""Writes expected.json beside this file: statistics of series by scipy and statsmodels.

`python3 -m venv V && V/bin/pip install scipy==1.17.1 statsmodels==0.15.0`, then
`V/bin/python oracle.py`. Only these give figures: scipy.stats.trim_mean, mstats.winsorize,
ttest_ind (Welch's test, and Yuen's with trim=0.2), t.sf and t.ppf; statsmodels acf and
multipletests. What docs/compare.md adds to them is the bound of the autocorrelation, for which the
variance of the mean is summed over all pairs of steps, and the limits of the degrees of freedom.
"""

import json
from pathlib import Path

import numpy as np
from scipy import stats
from scipy.stats import mstats
from statsmodels.stats.multitest import multipletests
from statsmodels.tsa.stattools import acf

CUT = 0.2


def series(random, n, correlation, outlier):
    """An autoregression around 100 with 2 % noise; an interrupted step late in it."""
    state, found = random.normal(), []
    for _ in range(n):
        found.append(round(100 + 2 * state, 3))
        state = correlation * state + (1 - correlation**2) ** 0.5 * random.normal()
    if outlier:
        found[-2] = round(found[-2] + 60, 3)
    return found


def neighbours(values):
    return acf(np.asarray(values), nlags=1, adjusted=False, fft=False)[1]


def bound(a, b):
    """The upper bound of the autocorrelation that docs/compare.md describes."""
    n = len(a) + len(b)
    forms = [[mstats.winsorize(np.array(x), (CUT, CUT)).data for x in (a, b)], [a, b]]
    found = max(sum(len(x) * neighbours(x) for x in form) / n for form in forms)
    found = min(max(found + (1 + 3 * max(found, 0)) / (n / 2), 0), 0.95)
    return min(found + 1.9 * ((1 - found**2) / n) ** 0.5, 0.9)


def inflation(n, correlation):
    """Variance of a mean of n correlated terms by that of independent ones."""
    places = np.arange(n)
    return (correlation ** np.abs(places[:, None] - places)).sum() / n


def interval(change, error, freedom):
    margin = stats.t.ppf(0.975, freedom) * error
    return [change - margin, change + margin]


def steps(a, b):
    """One run a side with equally many steps, at most 24: Yuen's test with a greater error."""
    yuen = stats.ttest_ind(b, a, equal_var=False, trim=CUT)
    typical_a, typical_b = (stats.trim_mean(x, CUT) for x in (a, b))
    n, correlation = len(a), bound(a, b)
    factor = inflation(n, correlation)
    # A variance with n - 1 below assumes independent steps; with correlated ones it is too small.
    error = (typical_b - typical_a) / yuen.statistic * (factor * (n - 1) / (n - factor)) ** 0.5
    freedom = int(min(yuen.df, max(n / 4, 3)) + 1e-9)
    t = (typical_b - typical_a) / error
    return {
        "a": a, "b": b, "typical_a": typical_a, "typical_b": typical_b,
        "autocorrelation": correlation, "n_effective": n / factor,
        "t": t, "degrees_of_freedom": freedom, "p": 2 * stats.t.sf(abs(t), freedom),
        "interval": interval(typical_b - typical_a, error, freedom), "yuen_t": yuen.statistic,
        "yuen_df": yuen.df,
    }  # fmt: skip


def runs(a, b):
    """Welch's test of the typical steps of several runs a side, with whole degrees of freedom."""
    welch = stats.ttest_ind(b, a, equal_var=False)
    freedom = int(welch.df + 1e-9)
    change = np.mean(b) - np.mean(a)
    return {
        "a": a, "b": b, "t": welch.statistic, "degrees_of_freedom": freedom,
        "p": 2 * stats.t.sf(abs(welch.statistic), freedom),
        "interval": interval(change, change / welch.statistic, freedom),
    }  # fmt: skip


def corrected(rows):
    raised = multipletests([row["p"] for row in rows], method="fdr_bh")[1]
    return [{**row, "q": q} for row, q in zip(rows, raised, strict=True)]


def expected():
    random = np.random.default_rng(27)
    cases = [(r, o, shift) for r in (0, 0.8) for o in (False, True) for shift in (0, 10)]

    def pair(n, correlation, outlier, shift):
        a, b = (series(random, n, correlation, outlier) for _ in "ab")
        return steps(a, [round(x + shift, 3) for x in b])

    def levels(shift):
        return [round(100 + random.normal() + shift, 3) for _ in range(6)]

    by_t = [(t, f) for f in (1, 2, 3, 5, 8, 30, 100, 1000) for t in (0.0, 0.3, -2.5, 12.0, 60.0)]
    return {
        "steps": {n: corrected([pair(n, *case) for case in cases]) for n in (5, 10, 24)},
        "runs": corrected([runs(levels(0), levels(shift)) for shift in (0, 1, 5)]),
        "student_t": [[t, f, 2 * stats.t.sf(abs(t), f), stats.t.ppf(0.975, f)] for t, f in by_t],
    }


def plain(value):
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [plain(each) for each in value]
    return float(value) if isinstance(value, np.floating) else value


if __name__ == "__main__":
    path = Path(__file__).with_name("expected.json")
    path.write_text(json.dumps(plain(expected()), separators=(",", ":")) + "\n")
