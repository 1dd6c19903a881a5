"""Memory: peaks of plans against a simulation that runs every call, and plans within a budget."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.conftest import Tw
from tests.support.graphs import Graphs, run
from warehouse.optimize.lifetimes import Life, Lifetimes, Part

PART = re.compile(r"(\d+)-(\d+)@(\d+)")


class Simulated:
    """Calls one after another, with the storages that exist; parts run again, call by call."""

    def __init__(self, lives: Sequence[Life], n_places: int, parts: Sequence[Part]) -> None:
        self.lives, self.parts = lives, sorted(parts)
        self.live = {n for n, each in enumerate(lives) if not each.is_produced}
        self.peak = 0
        for place in range(n_places):
            for part in self.parts:
                if part.again == place:
                    self._run_again(part)
            self.live |= {n for n, each in enumerate(lives) if each.first == place}
            self._measure(())
            self.live = {n for n in self.live if self._is_needed(n, place)}

    def _measure(self, extra: Sequence[int]) -> None:
        size = sum(self.lives[n].bytes for n in [*self.live, *extra])
        self.peak = max(self.peak, size)

    def _makes(self, part: Part, n: int) -> bool:
        each = self.lives[n]
        return each.is_produced and part.start <= each.first < part.end

    def _is_needed(self, n: int, place: int) -> bool:
        uses = self.lives[n].uses
        for part in self.parts:
            if self._makes(part, n):
                is_gap = not any(part.end <= use < part.again for use in uses)
                if is_gap and place < part.again and uses[-1] >= part.again:
                    return any(place < use < part.end for use in uses)
            elif any(part.start <= use < part.end for use in uses) and place < part.again:
                return True
        return any(use > place for use in uses)

    def _run_again(self, part: Part) -> None:
        mine: list[int] = []
        for place in range(part.start, part.end):
            mine += [n for n, each in enumerate(self.lives)
                     if each.is_produced and each.first == place]  # fmt: skip
            self._measure(mine)
            mine = [n for n in mine if self.lives[n].uses[-1] > place
                    or self.lives[n].uses[-1] >= part.end]  # fmt: skip
        self.live |= {n for n in mine if n not in self.live
                      and self.lives[n].uses[-1] >= part.again}  # fmt: skip


def random_lives(rng: random.Random, n_places: int) -> list[Life]:
    found = []
    for _ in range(rng.randint(3, 25)):
        uses = sorted(rng.sample(range(n_places), min(n_places, rng.randint(1, 4))))
        found.append(Life(rng.randint(1, 100), rng.random() < 0.8, tuple(uses)))
    return found


def random_parts(rng: random.Random, n_places: int) -> list[Part]:
    ends = sorted(rng.sample(range(n_places), 2 * rng.randint(0, min(4, n_places // 2))))
    return [
        Part(start, end, rng.randint(end, n_places - 1))
        for start, end in zip(ends[::2], ends[1::2], strict=True)
    ]


def test_peaks_of_random_plans_are_those_of_a_simulation() -> None:
    rng = random.Random(5)
    n_lower = 0
    for _ in range(300):
        n_places = rng.randint(4, 30)
        lives = random_lives(rng, n_places)
        parts = random_parts(rng, n_places)
        lifetimes = Lifetimes(lives, n_places)

        found = lifetimes.plan(parts).peak

        assert found == Simulated(lives, n_places, parts).peak, (lives, parts)
        assert found >= lifetimes.floor()
        n_lower += found < lifetimes.plan().peak
    assert n_lower > 10


@pytest.mark.integration
def test_the_query_gives_the_peaks_of_a_simulation(tmp_path: Path) -> None:
    rng = random.Random(8)
    programs: dict[int, list[Life]] = {}
    n_places = 24
    with Graphs(tmp_path / "w.duckdb") as made:
        for _ in range(3):
            graph = made.graph("chakra")
            lives = programs[graph] = random_lives(rng, n_places)
            for place in range(n_places):
                taken: list[Any] = []
                given: list[Any] = []
                for n, each in enumerate(lives):
                    value = [n, n, 0, each.bytes, 1, "cuda:0"]
                    if place in each.uses:
                        is_birth = each.is_produced and place == each.first
                        (given if is_birth else taken).append(value)
                made.node(graph, "op", inputs=_values(taken), outputs=_values(given))
    for _ in range(4):
        parts = random_parts(rng, n_places)

        rows = run(tmp_path / "w.duckdb", "memory_recomputed", parts=",".join(map(str, parts)))

        for row in rows:
            lives = programs[row["graph_id"]]
            assert row["peak_bytes"] == Simulated(lives, n_places, parts).peak
            assert row["recorded_bytes"] == Simulated(lives, n_places, ()).peak


@pytest.fixture(scope="module")
def step(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six layers and their gradients, each of what its layer gave: at most 800 bytes."""
    path = tmp_path_factory.mktemp("step") / "w.duckdb"
    layers = range(6)
    with Graphs(path) as made:
        graph = made.graph("chakra")
        uses = [([n], [n + 1]) for n in layers]
        uses += [([21 + n, n + 1], [20 + n]) for n in reversed(layers)]
        before = None
        for taken, given in uses:
            node = made.node(graph, "aten::op", dur_ns=1000, inputs=_values(map(_tensor, taken)),
                             outputs=_values(map(_tensor, given)))  # fmt: skip
            if before is not None:
                made.edge(graph, before, node, "data")
            before = node
    with duckdb.connect(path) as connection:
        connection.execute("UPDATE trace SET kind = 'graph'")
    return path


@pytest.mark.slow
def test_memory_stays_within_the_budget(tw: Tw, step: Path, tmp_path: Path) -> None:
    command = ("optimize", "memory", "--db", step, "--memory-budget")

    done = tw(*command, "600", "--format", "json", "-o", tmp_path / "out")

    rows = json.loads(done.out)
    (chosen,) = (row for row in rows if row["is_recommended"])
    assert rows[0]["peak_bytes"] == 800 and chosen["peak_bytes"] <= 600
    parts = [Part(*map(int, each)) for each in PART.findall(chosen["edits"])]
    n_again = sum(part.end - part.start for part in parts)
    assert chosen["predicted_ns"] == rows[0]["predicted_ns"] + 1000 * n_again
    stored = json.loads((tmp_path / "out" / "strategy.json").read_text())
    assert stored["prediction"]["peak_bytes"] == chosen["peak_bytes"]
    call = f"strategy(file = {tmp_path / 'out'})"
    again = json.loads(tw("replay", "--db", step, "--what-if", call, "--format", "json").out)
    assert again[0]["predicted_ns"] == chosen["predicted_ns"]


@pytest.mark.slow
def test_budgets_and_options_that_do_not_fit_are_one_sentence(tw: Tw, step: Path) -> None:
    command = ("optimize", "memory", "--db", step)
    said = {
        (): "memory requires --memory-budget",
        ("--memory-budget", "0"): "0 is not in the range",
        ("--memory-budget", "5", "--search", "anneal"): "memory has no search anneal",
        ("--memory-budget", "5", "--groups", "2"): "memory has no option --groups",
        ("--memory-budget", "250"): "is below the",
    }
    for options, problem in said.items():
        assert problem in tw(*command, *options).err
    assert "within the budget" in tw(*command, "--memory-budget", "1kB").err
    done = tw("optimize", "buckets", "--db", step, "--memory-budget", "1kB")
    assert "buckets has no option --memory-budget" in done.err


def _lives(rows: list[dict[str, Any]]) -> list[Life]:
    found: dict[Any, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault((row["device"], row["storage_id"], row["life"]), []).append(row)
    return [
        Life(max(row["bytes"] or 0 for row in each), any(row["is_birth"] for row in each),
             tuple(sorted(row["place"] for row in each)))
        for each in found.values()
    ]  # fmt: skip


def _tensor(storage: int) -> list[Any]:
    return [storage, storage, 0, 100, 1, "cuda:0"]


def _values(found: Iterable[Any]) -> str:
    tensors = list(found)
    kinds = ["Tensor(float)"] * len(tensors)
    return json.dumps({"values": tensors, "shapes": [[]] * len(tensors), "types": kinds})


@pytest.mark.slow
def test_a_recorded_step_computes_again_within_sixty_percent_of_its_memory(
    tw: Tw, data_dir: Path, tmp_path: Path
) -> None:
    """The transformer takes 670,448 bytes; 189,248 of them no operator makes."""
    db = tmp_path / "w.duckdb"
    source = data_dir / "chakra" / "own_gpu_transformer"
    tw("import", source / "kineto.json.gz", source / "host_et.json.gz", "--run", "t", "--db", db)

    done = tw("optimize", "memory", "--memory-budget", "402268", "--db", db, "--format", "json")

    recorded, *others = json.loads(done.out)
    (chosen,) = (row for row in others if row["is_recommended"])
    assert recorded["peak_bytes"] == 670448 and chosen["is_recommended"]
    assert chosen["change"] > 0 and chosen["peak_bytes"] <= 402268
    parts = [Part(*map(int, each)) for each in PART.findall(chosen["edits"])]
    uses = run(db, "memory_use")
    graph_id = max(row["graph_id"] for row in uses)
    n_places = 1 + max(row["place"] for row in run(db, "memory_call"))
    lives = _lives([row for row in uses if row["graph_id"] == graph_id])
    assert Simulated(lives, n_places, ()).peak == 670448
    assert Simulated(lives, n_places, parts).peak == chosen["peak_bytes"]


def test_a_search_without_success_does_not_claim_that_no_plan_exists(
    tw: Tw, tmp_path: Path
) -> None:
    """472 bytes; 446 if the first two calls run again before the fourth, which is not tried."""
    sizes = [32, 4, 62, 177, 164, 221, 25, 160, 299]
    uses = [([0, 1], [2, 3]), ([2], [4]), ([4], [5, 6]), ([4], [7]), ([2], [8])]
    path = tmp_path / "w.duckdb"
    with Graphs(path) as made:
        graph, before = made.graph("chakra"), None
        for taken, given in uses:
            values = [_values([n, n, 0, sizes[n], 1, "cuda:0"] for n in each)
                      for each in (taken, given)]  # fmt: skip
            node = made.node(graph, "aten::op", dur_ns=1000, inputs=values[0], outputs=values[1])
            if before is not None:
                made.edge(graph, before, node, "data")
            before = node
    with duckdb.connect(path) as connection:
        connection.execute("UPDATE trace SET kind = 'graph'")

    done = tw("optimize", "memory", "--memory-budget", "446", "--db", path)

    assert done.code == 0 and (
        "No plan within the budget of 446 bytes was found: the least takes 472, and none can "
        "take less than 410." in done.err.replace("\n", " ")
    )
    lives = [
        Life(size, any(n in given for _, given in uses),
             tuple(place for place, (taken, given) in enumerate(uses) if n in taken + given))
        for n, size in enumerate(sizes)
    ]  # fmt: skip
    assert Simulated(lives, len(uses), [Part(0, 2, 3)]).peak == 446
