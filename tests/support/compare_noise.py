"""Step times under known noise, and the test between two sides in plain Python.

Noise is relative to 1: `STEPS[kind](random, n)` gives the n steps of one run. `expected` computes
what the query step_change documents, from its text and the textbook: exact sums (fsum), the finite
series of Student's t for whole degrees of freedom, and bisection.
"""

from __future__ import annotations

import math
from bisect import insort
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from statistics import fmean, median

Series = list[float]
SPREAD = 0.02  # relative standard deviation of a step


def independent(random: Random, n: int) -> Series:
    return [1 + random.gauss(0, SPREAD) for _ in range(n)]


def heavy_tailed(random: Random, n: int) -> Series:
    """Mostly quiet; excess times follow a Pareto distribution without variance."""
    return [1 + SPREAD * (random.paretovariate(1.5) - 1) for _ in range(n)]


def log_normal(random: Random, n: int) -> Series:
    return [math.exp(random.gauss(0, 5 * SPREAD)) for _ in range(n)]


def interrupted(random: Random, n: int) -> Series:
    """One step in ten is interrupted for half a step on average."""
    return [
        1 + random.gauss(0, SPREAD) + (random.expovariate(2) if random.random() < 0.1 else 0)
        for _ in range(n)
    ]


def autocorrelated(random: Random, n: int, correlation: float = 0.8) -> Series:
    state, found = random.gauss(0, 1), []
    for _ in range(n):
        found.append(1 + SPREAD * state)
        state = correlation * state + math.sqrt(1 - correlation**2) * random.gauss(0, 1)
    return found


def warming_up(random: Random, n: int) -> Series:
    """The first two steps, but less than half of all, are 1.3 to 3 times as slow."""
    slow = min(2, (n - 1) // 2)
    return [
        time * (random.uniform(1.3, 3) if place < slow else 1)
        for place, time in enumerate(independent(random, n))
    ]


STEPS: dict[str, Callable[[Random, int], Series]] = {
    "independent": independent,
    "heavy_tailed": heavy_tailed,
    "log_normal": log_normal,
    "interrupted": interrupted,
    "autocorrelated": autocorrelated,
    "warming_up": warming_up,
}


def ranks(random: Random, n: int, n_ranks: int, kind: str = "independent") -> list[Series]:
    """One run of several ranks: a common noise of that kind, and a quarter of it by rank."""
    common = STEPS[kind](random, n)
    return [[time + random.gauss(0, SPREAD / 4) for time in common] for _ in range(n_ranks)]


def runs(random: Random, n: int, n_runs: int, spread: float = SPREAD) -> list[Series]:
    """Several runs of one program, each at a speed of its own."""
    return [
        [level * time for time in independent(random, n)]
        for level in (1 + random.gauss(0, spread) for _ in range(n_runs))
    ]


# --- the test of step_change in plain Python


@dataclass(frozen=True)
class Change:
    """What step_change reports of a row; None as NULL."""

    typical_a: float
    typical_b: float
    low: float | None = None
    high: float | None = None
    t: float | None = None
    freedom: int | None = None
    p: float | None = None


def expected(a: Sequence[Series], b: Sequence[Series]) -> Change:
    """Each side is a list of runs, whose ranks are averaged."""
    typical_a, typical_b = (fmean(_trimmed_mean(_kept(run)) for run in side) for side in (a, b))
    measured = (
        _between_runs(a, b) if len(a) > 1 or len(b) > 1 else _within(_kept(a[0]), _kept(b[0]))
    )
    if measured is None:
        return Change(typical_a, typical_b)
    error, freedom = measured
    change = typical_b - typical_a
    if error <= 1e-12 * abs(typical_a):
        return Change(typical_a, typical_b, change, change)
    margin = quantile(freedom) * error
    t = change / error
    return Change(
        typical_a, typical_b, change - margin, change + margin, t, freedom, two_sided(t, freedom)
    )


def is_far(run: Series) -> list[int]:
    """+1 for steps far above the median of their run, -1 for those far below, else 0."""
    middle = median(run)
    reach = max(6 * 1.4826 * median(abs(x - middle) for x in run), 0.05 * abs(middle))
    return [(x - middle > reach) - (middle - x > reach) for x in run]


def _kept(run: Series) -> Series:
    """The steps from the first that is not warm-up."""
    warm = [sign > 0 or place in _slow_starts(run) for place, sign in enumerate(is_far(run))]
    return run[warm.index(False) :]


def _slow_starts(run: Series) -> set[int]:
    """Steps of the first half far above the slowest step of the later half."""
    half = (len(run) - 1) // 2
    if half < 2:
        return set()
    late = run[half:]
    reach = max(max(late) - min(late), 0.05 * abs(max(late)))
    return {place for place in range(half) if run[place] - max(late) > reach}


def _trimmed_mean(run: Series) -> float:
    cut = len(run) // 5
    return fmean(sorted(run)[cut : len(run) - cut])


def _within(a: Series, b: Series) -> tuple[float, int] | None:
    """Standard error of the difference of trimmed means, and degrees of freedom."""
    if min(len(a), len(b)) < 2:
        return None
    blocks = [_blocks(_winsorized(each)) for each in (a, b)]
    varying = [n for n, each in enumerate(blocks) if not _is_constant(each)]
    bound = _autocorrelation_bound(
        [blocks[n] for n in varying], [_blocks((a, b)[n]) for n in varying]
    )
    variances, freedoms = [], []
    for run, means in zip((a, b), blocks, strict=True):
        n, kept, middle = len(means), len(run), len(run) - 2 * (len(run) // 5)
        inflation = 1 + 2 * math.fsum((1 - k / n) * bound**k for k in range(1, n))
        variance = 0.0 if _is_constant(means) else _squares(means) / (n - inflation) * inflation / n
        variances.append(variance * kept * (kept - 1) / (middle * (middle - 1)))
        freedoms.append(min(n, middle) - 1)
    most = max((len(blocks[0]) + len(blocks[1])) / 8, 3)
    return math.sqrt(sum(variances)), _whole(min(_welch(variances, freedoms), most))


def _between_runs(a: Sequence[Series], b: Sequence[Series]) -> tuple[float, int]:
    levels = [[_trimmed_mean(_kept(run)) for run in side] for side in (a, b)]
    n_a, n_b = len(a), len(b)
    if min(n_a, n_b) > 1:
        variances = [_squares(each) / (len(each) - 1) / len(each) for each in levels]
        return math.sqrt(sum(variances)), _whole(_welch(variances, [n_a - 1, n_b - 1]))
    pooled = (_squares(levels[0]) + _squares(levels[1])) / (n_a + n_b - 2)
    return math.sqrt(pooled * (1 / n_a + 1 / n_b)), n_a + n_b - 2


def _welch(variances: Sequence[float], freedoms: Sequence[int]) -> float:
    below = sum(v * v / f for v, f in zip(variances, freedoms, strict=True))
    return sum(variances) ** 2 / below if below else 1.0


def _whole(freedom: float) -> int:
    return max(1, math.floor(freedom + 1e-9))


def _winsorized(run: Series) -> Series:
    cut = len(run) // 5
    middle = sorted(run)[cut : len(run) - cut]
    return [min(max(x, middle[0]), middle[-1]) for x in run]


def _blocks(run: Series) -> Series:
    n = min(len(run), 24)
    members: list[Series] = [[] for _ in range(n)]
    for place, x in enumerate(run):
        members[place * n // len(run)].append(x)
    return [fmean(each) for each in members]


def _autocorrelation_bound(sides: Sequence[Series], whole: Sequence[Series]) -> float:
    if not sides:
        return 0.0
    n = sum(map(len, sides))
    estimate = max(
        sum(len(each) * _lag_correlation(each) for each in form) / n for form in (sides, whole)
    )
    estimate += (1 + 3 * max(estimate, 0)) / (n / len(sides))
    estimate = min(max(estimate, 0), 0.95)
    return min(estimate + 1.9 * math.sqrt((1 - estimate**2) / n), 0.9)


def _lag_correlation(values: Series) -> float:
    mean = fmean(values)
    pairs = pairwise(values)
    return math.fsum((x - mean) * (y - mean) for x, y in pairs) / _squares(values)


def _squares(values: Series) -> float:
    mean = fmean(values)
    return math.fsum((x - mean) ** 2 for x in values)


def _is_constant(values: Series) -> bool:
    return _squares(values) <= 1e-24 * fmean(values) ** 2


def two_sided(t: float, freedom: int) -> float:
    """Probability of a t at least this far from 0 (Abramowitz and Stegun 26.7.3 and 26.7.4).

    It is what the series leaves over of 1, and therefore exact to about 1e-15, not to 15 digits.
    """
    angle = math.atan(t / math.sqrt(freedom))
    cosine, sine = math.cos(angle), abs(math.sin(angle))
    if freedom % 2:
        term, total = cosine, 0.0
        for k in range(3, freedom + 1, 2):
            total += term
            term *= cosine**2 * (k - 1) / k
        return 1 - 2 / math.pi * (abs(angle) + sine * total)
    term, total = 1.0, 0.0
    for k in range(2, freedom + 1, 2):
        total += term
        term *= cosine**2 * (k - 1) / k
    return 1 - sine * total


def quantile(freedom: int, p: float = 0.05) -> float:
    low, high = 0.0, 1e6
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if two_sided(middle, freedom) > p else (low, middle)
    return low


def corrected(p_values: Sequence[float]) -> list[float]:
    """q by Benjamini and Hochberg: the least p' * n / place over all p' from p on."""
    ordered: list[float] = []
    for p in p_values:
        insort(ordered, p)
    raised = [p * len(ordered) / (place + 1) for place, p in enumerate(ordered)]
    best = {p: min(raised[ordered.index(p) :]) for p in ordered}
    return [best[p] for p in p_values]


def samples(
    rows: Sequence[tuple[Sequence[Sequence[Series]], Sequence[Sequence[Series]]]],
) -> Iterator[tuple[int, str, int, int, int, float]]:
    """Arguments of step_change for rows (a, b): lists of runs, which are lists of ranks."""
    for row, sides in enumerate(rows):
        for side, all_runs in zip("ab", sides, strict=True):
            for run, all_ranks in enumerate(all_runs):
                for rank, series in enumerate(all_ranks):
                    for position, time in enumerate(series):
                        yield row, side, run, 100 * run + rank, position, time


# --- recordings


def recording(random: Random, kind: str, n_steps: int, n_kernels: int = 12) -> dict[str, object]:
    """A Kineto document whose operators and kernels have noise of that kind, each its own.

    The host launches the kernels of a step and waits for them.
    """
    noises = [[STEPS[kind](random, n_steps) for _ in range(n_kernels)] for _ in range(2)]
    events: list[dict[str, object]] = []
    now, number = 0.0, 0

    def add(cat: str, name: str, ts: float, dur: float, **args: object) -> None:
        where = (0, 7) if cat == "kernel" else (42, 42)
        events.append({"ph": "X", "cat": cat, "name": name, "pid": where[0], "tid": where[1],
                       "ts": round(ts, 3), "dur": round(dur, 3), "args": args})  # fmt: skip

    for step in range(n_steps):
        begin, free = now, now
        for kernel in range(n_kernels):
            number += 1
            length = 50 * noises[0][kernel][step]
            add("cpu_op", f"aten::op_{kernel}", now, length)
            add("cuda_runtime", "cudaLaunchKernel", now + 10, 5, correlation=number)
            free = max(free, now + 20)
            work = 60 * (kernel + 1) * noises[1][kernel][step]
            add("kernel", f"kernel_{kernel}", free, work, device=0, context=1, stream=7,
                correlation=number)  # fmt: skip
            free, now = free + work, now + length + 1
        now = max(now, free) + 5
        add("user_annotation", f"ProfilerStep#{step + 3}", begin, now - begin)
        now += 3
    return {"schemaVersion": 1, "displayTimeUnit": "ms", "traceEvents": events}
