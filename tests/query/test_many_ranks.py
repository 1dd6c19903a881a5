"""Tables, comparisons and heat maps of many ranks on a terminal."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import Tw
from tests.support import many_ranks
from tests.support.many_ranks import N_STEPS, Work
from tests.support.sharing import slow
from warehouse.cli import heat
from warehouse.export.heat import HeatMap

N_RANKS = 20
STATISTICS = ["min", "p10", "median", "p90", "max"]


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Work]]:
    """A job, and the same with kernels that take one nanosecond more for each rank."""
    path = tmp_path_factory.mktemp("ranks") / "w.duckdb"
    made = many_ranks.store(path, N_RANKS, seed=3)
    many_ranks.store_slower(path)
    return path, made


def use_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "100")


def cells(text: str) -> list[list[str]]:
    """The rows of a table, without its head."""
    lines = text.splitlines()
    (rule,) = (n for n, line in enumerate(lines) if line.startswith("─"))
    return [line.split() for line in lines[rule + 1 :]]


def column(text: str, name: str) -> list[str]:
    lines = text.splitlines()
    end = lines[0].index(name) + len(name)
    return [line[:end].split()[-1] for line in lines[2:]]


@pytest.mark.slow
def test_changes_of_ranks_are_a_distribution_with_outliers(
    jobs: tuple[Path, list[Work]], tw: Tw, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_terminal(monkeypatch)
    ran = tw("compare", "job", "slower", "--by", "rank", "--raw", "--db", jobs[0])

    assert f"Distribution over {N_RANKS} ranks; --all-ranks or --rank" in ran.err
    # Each step of rank N has three kernels that take N ns more.
    changes = [float(value) for value in column(ran.out, "work_change_ns")]
    assert (changes[0], changes[4]) == (0, 3 * (N_RANKS - 1))
    assert column(ran.out, "  rank")[5:] == ["0", "1", "2", "3", "4", "19", "18", "17", "16", "15"]
    assert changes[5:] == [0, 3, 6, 9, 12, 57, 54, 51, 48, 45]


@pytest.mark.parametrize("options", [("--all-ranks",), slow(("--rank", "0-18"))])
def test_changes_of_ranks_are_listed_on_request(
    jobs: tuple[Path, list[Work]],
    tw: Tw,
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[str, ...],
) -> None:
    use_terminal(monkeypatch)
    ran = tw("compare", "job", "slower", "--by", "rank", *options, "--db", jobs[0])
    assert len(cells(ran.out)) == (N_RANKS if "--all-ranks" in options else 19)


@pytest.mark.slow
def test_pipes_get_the_changes_of_all_ranks(jobs: tuple[Path, list[Work]], tw: Tw) -> None:
    ran = tw("compare", "job", "slower", "--by", "rank", "--format", "csv", "--db", jobs[0])
    assert len(ran.out.splitlines()) == 1 + N_RANKS


@pytest.mark.slow
def test_the_report_of_a_comparison_has_statistics_and_outliers(
    jobs: tuple[Path, list[Work]], tw: Tw
) -> None:
    lines = tw("compare", "job", "slower", "--db", jobs[0]).out.splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith("Ranks, by"))
    rows = [line.split() for line in lines[start + 2 : start + 18]]
    assert [row[0] for row in rows[:5]] == STATISTICS
    assert rows[4][-2:] == ["+57", "ns"]
    assert [row[2] for row in rows[5:15]] == [
        *map(str, range(5)), *map(str, range(19, 14, -1))
    ]  # fmt: skip
    assert rows[15] == ["--by", "rank", "--all-ranks", "lists", "all"]


def test_traces_of_many_ranks_are_a_distribution(
    jobs: tuple[Path, list[Work]], tw: Tw, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_terminal(monkeypatch)
    ran = tw("runs", "--traces", "--db", jobs[0])
    assert [row[:2] for row in cells(ran.out)] == [["1", f"{N_RANKS}"], ["2", f"{N_RANKS}"]]
    assert "--all-ranks lists ranks" in ran.err
    assert len(cells(tw("runs", "--traces", "--all-ranks", "--db", jobs[0]).out)) == 2 * N_RANKS


def test_pipes_get_all_traces(jobs: tuple[Path, list[Work]], tw: Tw) -> None:
    assert len(cells(tw("runs", "--traces", "--db", jobs[0]).out)) == 2 * N_RANKS


def drawn(out: str, name: str) -> list[str]:
    """The rows of a map, without labels."""
    lines = out.splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith(f"{name} [ns]: "))
    rows = lines[start + 1 :]
    return [line.split(" ")[-1] for line in rows[: rows.index("") - 1]]


def test_heat_map_has_darker_cells_for_greater_values(
    jobs: tuple[Path, list[Work]], tw: Tw, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    ran = tw("query", "rank_step", "--run", "job", "--format", "heat", "--db", jobs[0])

    # The steps of the host are equal.
    assert drawn(ran.out, "host_ns") == ["." * 4 * N_STEPS] * N_RANKS
    assert "step 0 to 2" in ran.out
    assert "wait_ns: no values of several ranks in several steps." in ran.out


def test_a_query_without_heat_map_is_one_sentence(jobs: tuple[Path, list[Work]], tw: Tw) -> None:
    ran = tw("query", "traces", "--format", "heat", "--db", jobs[0])
    assert (ran.code, ran.errors) == (2, ["Error: query 'traces' has no heat map"])
    assert "rank_step" in ran.err


def test_cells_are_levels_of_the_value_and_merged_ranks_show_the_greatest() -> None:
    n_ranks, n_levels = 3 * heat.ROWS, 9
    values = np.zeros((n_ranks, n_levels))
    values[1::3] = np.arange(n_levels)  # one of each three ranks
    values[4] = np.arange(n_levels)[::-1]
    values[2, 0] = np.nan
    labels = [f"rank {rank}" for rank in range(n_ranks)]
    given = HeatMap("wait_ns", "ns", labels, list(range(5, 5 + n_levels)), 1, values)

    title, first, second, *others = heat.drawn(given, "step", n_levels, str)

    assert title == "wait_ns [ns]: 0 012345678 8"
    assert first.split() == ["rank", "0", "to", "2", "012345678"]
    assert second.split() == ["rank", "3", "to", "5", "876543210"]
    assert others[-2:] == [" " * len("rank 93 to 95") + " step 5 to 13", ""]
    assert len(others) == heat.ROWS
    *_, axis, _ = heat.drawn(replace(given, x=[0, 2_500_000_000]), "start_ns", n_levels, str)
    assert axis.strip() == "start_ns 0.000 ms to 2,500.000 ms"
