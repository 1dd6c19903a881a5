"""Gradient accumulation: its memory against a simulation of every part of the batch, and time."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.conftest import Tw
from tests.optimize.test_memory import random_parts
from tests.support.graphs import Graphs, run
from tests.support.sharing import integration, slow
from warehouse.optimize.lifetimes import Life, Lifetimes
from warehouse.query import session
from warehouse.query.selection import Selection
from warehouse.query.session import Place
from warehouse.replay import engines, prediction, what_if

BACKWARD = "autograd::engine::evaluate_function"


@dataclass
class Step:
    """A training step of some layers: sizes of activations and weights, in random order of use."""

    rng: random.Random
    n_layers: int
    bytes: dict[str, int] = field(default_factory=dict)
    forward: list[tuple[list[str], list[str]]] = field(default_factory=list)
    backward: list[tuple[list[str], list[str], str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        layers = range(self.n_layers)
        for n in layers:
            self.bytes |= {f"w{n}": self.rng.randint(1, 200), f"a{n}": self.rng.randint(1, 400)}
            self.bytes |= {f"d{n}": self.bytes[f"a{n}"], f"g{n}": self.bytes[f"w{n}"]}
        self.bytes["data"] = self.rng.randint(1, 100)
        for n in layers:
            taken = ["data" if n == 0 else f"a{n - 1}", f"w{n}"]
            self.forward.append((taken, [f"a{n}"]))
        for n in reversed(layers):
            given = [f"g{n}"] + ([f"d{n - 1}"] if n else [])
            first = [f"a{n}"] if n == self.n_layers - 1 else [f"d{n}"]
            kept = [f"a{self.rng.randint(0, n)}"]
            self.backward.append(([*first, *kept, f"w{n}"], given, f"g{n}"))

    def calls(self) -> Iterable[tuple[str, str | None, list[str], list[str]]]:
        """Name, name of the call around it, what it takes and gives."""
        for taken, given in self.forward:
            yield "aten::forward", None, taken, given
        for taken, given, gradient in self.backward:
            yield f"{BACKWARD}: Mm", None, [], []
            yield "aten::mm", f"{BACKWARD}: Mm", taken, given
            yield "torch::autograd::AccumulateGrad", None, [], []
            yield "detach", "torch::autograd::AccumulateGrad", [gradient], []
        yield "Optimizer.step#SGD.step", None, [], []
        for n in range(self.n_layers):
            yield "aten::add_", "Optimizer.step#SGD.step", [f"w{n}", f"g{n}"], []

    def peak(self, batches: int) -> int:
        """The peak of running the parts one after another, storage by storage."""
        uses: dict[str, list[int]] = {"data": [0]}
        uses |= {f"w{n}": [0] for n in range(self.n_layers)}
        clock = 0

        def use(part: int, names: Sequence[str]) -> None:
            for name in names:
                is_shared = name == "data" or name[0] == "w"
                uses.setdefault(name if is_shared else f"{name} {part}", []).append(clock)

        for part in range(batches):
            for taken, given in self.forward:
                clock += 1
                use(part, [*taken, *given])
            for taken, given, gradient in self.backward:
                clock += 1
                use(part, [*taken, *given])
                clock += 1
                use(part, [gradient])
                uses[f"{gradient} 0"].append(clock)  # that of the first part is the sum
        for n in range(self.n_layers):
            clock += 1
            uses[f"w{n}"].append(clock)
            uses[f"g{n} 0"].append(clock)
        return max(
            sum(self._size(name, batches) for name, places in uses.items()
                if min(places) <= now <= max(places))
            for now in range(clock + 1)
        )  # fmt: skip

    def _size(self, name: str, batches: int) -> int:
        storage = name.split(" ")[0]
        is_whole = storage == "data" or storage[0] in "wg"
        size = self.bytes[storage]
        return size if is_whole else -(-size // batches)


def write(made: Graphs, step: Step, **columns: Any) -> int:
    """The graph of a step; every call follows the one before."""
    graph = made.graph("chakra")
    number = {name: n for n, name in enumerate(step.bytes)}
    around: dict[str, int] = {}
    before = None
    for name, parent, taken, given in step.calls():
        node = made.node(
            graph, name, parent=around.get(parent or ""),
            inputs=_values(step, number, taken), outputs=_values(step, number, given), **columns,
        )  # fmt: skip
        around[name] = node
        if before is not None:
            made.edge(graph, before, node, "data")
        before = node
    return graph


def _values(step: Step, number: dict[str, int], names: Sequence[str]) -> str:
    tensors = [[number[n], number[n], 0, step.bytes[n], 1, "cuda:0"] for n in names]
    kinds = ["Tensor(float)"] * len(tensors)
    return json.dumps({"values": tensors, "shapes": [[]] * len(tensors), "types": kinds})


def _lives(rows: Iterable[dict[str, Any]]) -> list[Life]:
    found: dict[Any, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault((row["storage_id"], row["life"]), []).append(row)
    return [
        Life(max(row["bytes"] for row in each), any(row["is_birth"] for row in each),
             tuple(sorted(row["place"] for row in each)), is_sum=life < 0)
        for (_, life), each in found.items()
    ]  # fmt: skip


@pytest.mark.parametrize("batches", [3, integration(1), slow(2), slow(5)])
def test_peaks_of_divided_batches_are_those_of_a_simulation(tmp_path: Path, batches: int) -> None:
    rng = random.Random(4)
    db = tmp_path / "w.duckdb"
    with Graphs(db) as made:
        steps = {write(made, step): step for step in (Step(rng, n) for n in (1, 2, 4, 7, 9))}

    for row in run(db, "memory_recomputed", batches=batches):
        expected = steps[row["graph_id"]].peak(batches)
        assert row["recorded_bytes"] == steps[row["graph_id"]].peak(1)
        # of two parts, the first has no sum yet, and nothing is kept for a third
        assert row["peak_bytes"] == expected or (batches == 2 and row["peak_bytes"] > expected)


@pytest.mark.slow
def test_the_closed_form_of_divided_batches_has_the_peaks_of_the_query(tmp_path: Path) -> None:
    rng = random.Random(6)
    db = tmp_path / "w.duckdb"
    with Graphs(db) as made:
        graph = write(made, Step(rng, 5))
    lives = _lives(run(db, "memory_accumulated", batches=3))
    n_places = 5 + 4 * 5 + 6
    for _ in range(4):
        parts = random_parts(rng, n_places)

        rows = run(db, "memory_recomputed", parts=",".join(map(str, parts)), batches=3)

        (peak,) = (row["peak_bytes"] for row in rows if row["graph_id"] == graph)
        assert Lifetimes(lives, n_places).plan(parts).peak == peak


@pytest.fixture(scope="module")
def step(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One layer whose activation takes nearly all memory: computing it again saves nothing."""
    path = tmp_path_factory.mktemp("step") / "w.duckdb"
    made_of = Step(random.Random(1), 1)
    made_of.bytes |= {"w0": 100, "g0": 100, "a0": 1000, "data": 10}
    with Graphs(path) as made:
        write(made, made_of, dur_ns=1000)
    with duckdb.connect(path) as connection:
        connection.execute("UPDATE trace SET kind = 'graph'")
    return path


@pytest.mark.slow
def test_gradients_are_accumulated_where_parts_are_not_enough(tw: Tw, step: Path) -> None:
    command = ("optimize", "memory", "--db", step, "--format", "json", "--memory-budget")

    rows = json.loads(tw(*command, "900").out)

    (chosen,) = (row for row in rows if row["is_recommended"])
    assert chosen["edits"] == "accumulate(batches = 2)" and chosen["extrapolated"] == 1
    assert chosen["peak_bytes"] == 10 + 100 + 100 + 100 + 500
    # the calls before the update: no part takes less than the shortest, 1 µs
    assert chosen["predicted_ns"] - rows[0]["predicted_ns"] == 5 * 1000


TRIAL = Path(__file__).parents[1] / "data" / "dpro" / "nccl_ring_2x1_tiny"


@pytest.mark.slow
def test_the_memory_of_a_trial_is_estimated_from_its_shapes(tw: Tw, tmp_path: Path) -> None:
    """By dPRO's formula, in plain Python from metadata.json."""
    tw("import", TRIAL, "--db", tmp_path / "w.duckdb")
    described = json.loads((TRIAL / "host0" / "0" / "metadata.json").read_text())
    peak = live = 0
    for name, each in described.items():
        if not name.startswith(("gradient_tape", "SGD")):
            size = sum(4 * prod(output["shape"]) for output in each["output"])
            live += size
            peak = max(peak, live + size)
    weights = 4 * (3 * 3 * 3 * 16 + 2 * 16 + 3 * 3 * 16 * 16 + 2 * 16 + 16 * 1000 + 1000)
    expected = {n: weights * 8 // 3 + -(-peak // n) for n in (1, 4)}
    command = ("optimize", "memory", "--db", tmp_path / "w.duckdb", "--memory-budget")

    done = tw(*command, str(expected[4]), "--format", "json", "-o", tmp_path / "out")

    rows = json.loads(done.out)
    (chosen,) = (row for row in rows if row["is_recommended"])
    assert rows[0]["peak_bytes"] == expected[1] and chosen["peak_bytes"] == expected[4]
    assert chosen["edits"] == "accumulate(batches = 4)"
    assert "an estimate from shapes" in done.err
    assert json.loads((tmp_path / "out" / "strategy.json").read_text())["search"]["is_estimated"]
    assert "No plan saves these" in tw(*command, "1000").err


@pytest.mark.slow
def test_earlier_parts_of_a_trial_run_before_its_first_operator(tw: Tw, tmp_path: Path) -> None:
    """By hand: half as long, no less than the shortest, 12 µs; 2 µs between two."""
    db = tmp_path / "w.duckdb"
    tw("import", TRIAL, "--db", db)
    forward = (12, 324, 76, 29, 324, 76, 29, 140, 20)
    backward = (22, 18, 150, 140, 34, 114, 370, 360, 34, 114, 370)
    parts = [max(each / 2, 12) for each in (*forward, *backward)]

    with session.opened(Place.of(db), Selection()) as opened:
        graph = prediction.replayed(opened, engines.find(engines.DEFAULT))
        what_if.apply(graph, what_if.parse("accumulate(batches = 2)"))
        rows = graph.connection.execute(
            "SELECT dur_ns / 1e3 FROM node WHERE kind = 'operator' AND rank = 0 "
            "AND NOT contains(name, 'UPDATE') ORDER BY order_key"
        ).fetchall()

    first, *others = (dur for (dur,) in rows)
    assert first == pytest.approx(12 + sum(parts) + 2 * (len(parts) - 1), abs=0.01)
    assert sorted(others) == pytest.approx(sorted(parts)[1:], abs=0.01)


@pytest.mark.integration
def test_accumulation_requires_a_backward_pass(tw: Tw, tmp_path: Path) -> None:
    path = tmp_path / "w.duckdb"
    with Graphs(path) as made:
        made.node(made.graph("chakra"), "aten::mm", dur_ns=5)
    with duckdb.connect(path) as connection:
        connection.execute("UPDATE trace SET kind = 'graph'")

    done = tw("replay", "--db", path, "--what-if", "accumulate(batches = 2)")

    assert "no backward pass whose operators are recorded" in done.err
