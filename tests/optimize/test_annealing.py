"""Simulated annealing: never worse than a sweep, the same for a seed, and ended at any time."""

from __future__ import annotations

import itertools
import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Tw
from tests.support.nccl_jobs import Jobs
from tests.support.reductions import all_groupings, random_reduction
from tests.support.sharing import WarehouseCache, slow
from warehouse.optimize import annealing, chains, gradients, groupings
from warehouse.optimize.annealing import Chain, Job
from warehouse.optimize.reduction import Grouping, Reduction, Stages
from warehouse.optimize.search import Annealing
from warehouse.query import session
from warehouse.replay import engines, prediction

OURS = Path(__file__).parents[1] / "data" / "dpro"


def best_of_sweep(reduction: Reduction) -> tuple[float, tuple[int, ...]]:
    return min(
        (reduction.evaluate(groupings.grouping_of(ends)), ends)
        for ends in groupings.sweep(reduction.bytes)
    )


def annealed(reduction: Reduction, start: tuple[int, ...], **options: Any) -> list[Chain]:
    recorded_ns = reduction.evaluate(reduction.grouping)
    return chains.run(reduction, start, recorded_ns, Annealing(**options))


def best_of(found: list[Chain]) -> float:
    return min(each.evaluated_ns for chain in found for each in chain.attempts)


@pytest.mark.parametrize(("n_jobs", "n_steps"), [(6, 60), slow(200, 400)], ids=["few", "many"])
def test_annealing_is_never_worse_than_the_sweep_it_starts_from(n_jobs: int, n_steps: int) -> None:
    """In 95 % of the jobs it finds the best of all contiguous groups, and never 1 % worse."""
    n_best = 0
    for seed in range(n_jobs):
        reduction = random_reduction(seed, 2 + seed % 7)
        swept, start = best_of_sweep(reduction)
        least = min(map(reduction.evaluate, all_groupings(len(reduction.tensor_ids))))

        found = min(swept, best_of(annealed(reduction, start, n_candidates=n_steps)))

        assert found <= swept and found <= least * 1.01
        n_best += found <= least * (1 + 1e-9)
    assert n_best >= 0.95 * n_jobs


def test_candidates_follow_from_the_seed_alone() -> None:
    reduction = random_reduction(5, 7)
    _, start = best_of_sweep(reduction)

    first, second, other = (
        annealed(reduction, start, n_candidates=80, seed=seed) for seed in (3, 3, 4)
    )

    assert first == second and first != other
    assert len({chain.attempts for chain in first}) > 1
    for each in itertools.chain(*(chain.attempts for chain in first)):
        assert sorted(set(each.ends)) == list(each.ends) and each.ends[-1] == 7
        assert each.evaluated_ns == reduction.evaluate(groupings.grouping_of(each.ends))


def test_a_number_of_groups_is_kept() -> None:
    reduction = random_reduction(4, 7)

    found = chains.run(reduction, (2, 4, 7), 1e3, Annealing(n_candidates=40), keeps_count=True)

    assert {len(each.ends) for chain in found for each in chain.attempts} == {3}
    assert len({each.ends for chain in found for each in chain.attempts}) > 5


def sped_up(reduction: Reduction, grouping: Grouping, groups: set[int]) -> float:
    """The step time if the stages of these groups took a tenth less."""

    def less(stages: Stages) -> Stages:
        times = ("queue", "copy_in", "send", "behind", "copy_out")
        return replace(stages, **{name: getattr(stages, name) * 0.9 for name in times})

    faster = {
        group: less(reduction.stages(group)) if n in groups else reduction.stages(group)
        for n, group in enumerate(grouping)
    }
    return replace(reduction, recorded=faster).evaluate(grouping)


@pytest.mark.parametrize("n_jobs", [12, slow(300)])
def test_critical_groups_are_those_whose_speed_matters(n_jobs: int) -> None:
    n_critical = 0
    for seed in range(n_jobs):
        reduction = random_reduction(seed, 4 + seed % 5)
        grouping = groupings.grouping_of(groupings.equal_groups(4 + seed % 5, 1 + seed % 4))
        before = reduction.evaluate(grouping)

        critical = set(reduction.critical(grouping))

        others = set(range(len(grouping))) - critical
        assert sped_up(reduction, grouping, others) == before
        assert not critical or sped_up(reduction, grouping, critical) < before
        n_critical += bool(critical)
    assert n_critical > 0


class Interrupted(Reduction):
    """A job whose search is interrupted at the tenth candidate."""

    def evaluate(self, grouping: Grouping) -> float:
        self.n_evaluated = getattr(self, "n_evaluated", 0) + 1
        if self.n_evaluated > 10:
            raise KeyboardInterrupt
        return super().evaluate(grouping)


def test_an_interrupted_chain_keeps_what_it_has_tried() -> None:
    plain = random_reduction(1, 7)
    reduction = Interrupted(**{name: getattr(plain, name) for name in vars(plain)})

    chain = annealing.run_chain(
        Job(reduction, (3, 7), 1e3, Annealing(), keeps_count=False, number=0)
    )

    assert chain.is_stopped and 9 <= len(chain.attempts) < 40
    told = annealing.run_chain(
        Job(plain, (3, 7), 1e3, Annealing(), keeps_count=False, number=0), lambda: True
    )
    short = annealing.run_chain(
        Job(plain, (3, 7), 1e3, Annealing(budget_s=1e-9), keeps_count=False, number=0)
    )
    assert told == short == Chain((), is_stopped=True)


@pytest.fixture(scope="module")
def tiny(imported_files: WarehouseCache) -> Path:
    return imported_files(("trial", [OURS / "nccl_ring_2x1_tiny"]))


def optimized(tw: Tw, db: Path, *arguments: str | Path) -> tuple[list[dict[str, Any]], list[str]]:
    """Rows of a search by annealing, and the lines it prints to stderr."""
    result = tw(
        "optimize", "buckets", "--search", "anneal", "--format", "json", "--db", db, *arguments
    )
    assert result.code == 0, result.err
    return json.loads(result.out), result.err.splitlines()


@pytest.mark.slow
def test_a_budget_ends_the_search_with_the_best_so_far(tw: Tw, tiny: Path) -> None:
    rows, lines = optimized(tw, tiny, "--budget", "4ns", "--steps", "100000")

    assert [row["search"] for row in rows] == ["recorded", "sweep", "anneal"]
    assert rows[2]["predicted_ns"] <= rows[1]["predicted_ns"]
    assert "The search was stopped after 0 candidates. The rows are the best so far." in lines


@pytest.mark.slow
def test_candidates_are_stored_with_the_predicted_run(tw: Tw, tiny: Path, tmp_path: Path) -> None:
    db = tmp_path / "w.duckdb"
    db.write_bytes(tiny.read_bytes())
    rows, _ = optimized(tw, db, "--steps", "40", "--as", "faster")

    stored = tw("query", "FROM search_step ORDER BY place", "--run", "faster", "--db", db,
                "--format", "json")  # fmt: skip
    steps = json.loads(stored.out)

    recorded = rows[0]["predicted_ns"]
    predicted = [step["predicted_ns"] for step in steps]
    assert [step["place"] for step in steps] == list(range(len(steps)))
    assert [step["search"] for step in steps[-40:]] == ["anneal"] * 40
    assert [step["best_ns"] for step in steps] == list(
        itertools.accumulate(predicted, min, initial=recorded)
    )[1:]
    assert tw("drop", "--run", "faster", "--yes", "--db", db).code == 0
    left = tw("query", "SELECT count(*) AS n FROM search_step", "--db", db, "--format", "json")
    assert json.loads(left.out) == [{"n": 0}]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--seed", "1"],
            "--seed, --beta, --steps, --budget and --processes require --search anneal",
        ),
        (["--search", "anneal", "--budget", "0"], "--budget 0 leaves no time to search"),
    ],
)
def test_options_that_contradict_are_one_sentence(
    tw: Tw, tiny: Path, arguments: list[str], message: str
) -> None:
    result = tw("optimize", "buckets", "--db", tiny, *arguments)

    assert result.code == 2 and result.errors[0] == f"Error: {message}"


@pytest.mark.slow
def test_files_do_not_depend_on_the_number_of_processes(tw: Tw, tiny: Path, tmp_path: Path) -> None:
    for n in ("1", "2"):
        optimized(tw, tiny, "--steps", "200", "--processes", n, "-o", tmp_path / n)

    texts = [{p.name: p.read_bytes() for p in (tmp_path / n).iterdir()} for n in ("1", "2")]
    assert texts[0] == texts[1] and len(texts[0]) == 4


@pytest.mark.slow
@pytest.mark.parametrize("n_processes", ["1", "2"])
def test_ctrl_c_ends_the_search_with_the_best_so_far(
    tiny: Path, n_processes: str, tmp_path: Path
) -> None:
    command = [
        sys.executable, "-m", "warehouse", "optimize", "buckets", "--search", "anneal", "--db",
        str(tiny), "--steps", "1000000000", "--processes", n_processes, "-o", str(tmp_path / "out"),
    ]  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(10)
    process.send_signal(signal.SIGINT)

    out, err = process.communicate(timeout=120)

    assert process.returncode == 0, err
    assert "anneal" in out and "The search was stopped after" in err
    assert not json.loads((tmp_path / "out/strategy.json").read_text())["search"]["is_complete"]


@pytest.mark.slow
def test_annealing_makes_many_small_groups_truly_faster(
    tw: Tw, data_dir: Path, imported_files: WarehouseCache, tmp_path: Path
) -> None:
    """As fast as the best uniform size by 2 %; 10,000 candidates in less than 60 s of CPU time."""
    folder = data_dir / "dpro" / "nccl_ring_2x2_manysmall"
    db = imported_files(("trial", [folder]))
    with session.opened(session.Place(db)) as opened:
        reduction = gradients.read(prediction.replayed(opened, engines.find("default")))
    began = time.process_time()
    found = annealed(reduction, best_of_sweep(reduction)[1], n_candidates=10_000)
    assert time.process_time() - began <= 60 and sum(len(each.attempts) for each in found) == 10_000

    optimized(tw, db, "-o", tmp_path / "out")

    strategy = json.loads((tmp_path / "out/strategy.json").read_text())
    arguments = json.loads((folder / "truth.json").read_text())["args"]
    groups = strategy["edits"][0]["arguments"]["groups"]
    _, truth, _ = Jobs(data_dir, tmp_path).record(arguments, groups)
    assert truth <= 8.58e6
    assert strategy["prediction"]["predicted_ns"] == pytest.approx(truth, rel=0.02)
