"""Several strategies together: the best combination, never worse than the best strategy alone."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pytest

from tests.conftest import Tw
from tests.support.graphs import Graphs
from tests.support.sharing import WarehouseCache
from warehouse.errors import UsageError
from warehouse.optimize import search, together
from warehouse.optimize.search import COLUMNS, STEPS, Noise, Options, Outcome, Strategies
from warehouse.optimize.strategy import Strategy
from warehouse.query import session
from warehouse.query.selection import Selection
from warehouse.query.session import Place, Session
from warehouse.replay import engines
from warehouse.replay.graph import TABLES
from warehouse.replay.what_if import WhatIf

if TYPE_CHECKING:
    from warehouse.replay.engines import Engine

TRIAL = Path(__file__).parents[1] / "data" / "dpro" / "nccl_ring_2x1_tiny"
FIRST = WhatIf("scale", {"name": "first", "ratio": "0.5"})
AGAIN = WhatIf("scale", {"name": "first", "ratio": "0.25"})
SECOND = WhatIf("scale", {"name": "second", "ratio": "0.5"})
WORSE = WhatIf("scale", {"name": "first", "ratio": "3"})


def kind(edit: WhatIf, later: WhatIf | None = None, place: int = 0) -> Strategies:
    """A strategy that finds a change, and another after changes of others; it has no --groups."""

    def found(session: Session, engine: Engine, options: Options) -> Outcome:
        options.refuse("a strategy", "n_groups")
        best = (later,) if later and options.before else (edit,)
        rows = [search.row("sweep", 1.0, Noise(None, 1.0, None), is_recommended=True, edits=best)]
        strategy = Strategy("a strategy", best, (), (), {}, {}, (), {"queries": {}})
        table = search.result(session, rows, TABLES["node"], COLUMNS)
        steps = search.result(session, [], TABLES["node"], STEPS)
        return Outcome(table, strategy, steps, best=best)

    return Strategies(found, place=place)


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two calls one after the other, of 1,000 ns each."""
    path = tmp_path_factory.mktemp("calls") / "w.duckdb"
    with Graphs(path) as made:
        graph = made.graph("chakra")
        first = made.node(graph, "first", dur_ns=1000)
        made.edge(graph, first, made.node(graph, "second", dur_ns=1000), "data")
    with duckdb.connect(path) as connection:
        connection.execute("UPDATE trace SET kind = 'graph'")
    return path


def searched(
    monkeypatch: pytest.MonkeyPatch, db: Path, kinds: dict[str, Strategies], options: Options
) -> Outcome:
    monkeypatch.setattr(together, "find", kinds.__getitem__)
    with session.opened(Place.of(db), Selection()) as opened:
        return together.search(opened, engines.find(engines.DEFAULT), list(kinds), options)


@pytest.mark.integration
def test_the_fastest_combination_is_recommended(
    monkeypatch: pytest.MonkeyPatch, calls: Path
) -> None:
    kinds = {
        "second": kind(SECOND, place=0),
        "first": kind(FIRST, AGAIN, place=1),  # better still after the changes of second
        "worse": kind(WORSE, place=2),
    }

    outcome = searched(monkeypatch, calls, kinds, Options())

    rows = {row["search"]: row for row in outcome.rows.arrow().to_pylist()}
    times = {name: row["predicted_ns"] for name, row in rows.items()}
    assert times == {
        "recorded": 2000, "second": 1500, "first": 1500, "worse": 4000, "second + first": 1000,
        "second + worse": 3500, "first + worse": 2500, "second + first + worse": 1250,
    }  # fmt: skip
    assert rows["second + first"]["is_recommended"]
    assert outcome.strategy.edits == (SECOND, FIRST)
    assert outcome.strategy.prediction["predicted_ns"] == 1000


@pytest.mark.slow
def test_a_search_after_others_can_be_the_best(
    monkeypatch: pytest.MonkeyPatch, calls: Path
) -> None:
    kinds = {"second": kind(SECOND), "first": kind(FIRST, AGAIN, place=1)}

    outcome = searched(monkeypatch, calls, kinds, Options())

    assert outcome.strategy.edits == (SECOND, AGAIN)
    assert outcome.strategy.prediction["predicted_ns"] == 750


def test_an_option_that_no_strategy_has_is_refused(
    monkeypatch: pytest.MonkeyPatch, calls: Path
) -> None:
    kinds = {"second": kind(SECOND), "first": kind(FIRST)}

    with pytest.raises(UsageError, match="has no option --groups"):
        searched(monkeypatch, calls, kinds, Options(n_groups=2))


@pytest.mark.parametrize(
    "options",
    [
        {"n_groups": 0}, {"n_groups": -1}, {"n_layers": 0}, {"memory_budget": 0},
        {"bytes_per_s": 0.0}, {"bytes_per_s": float("nan")}, {"cast_bytes_per_s": -1.0},
        {"ratio": float("nan")}, {"ratio": -0.5},
    ],
    ids=repr,
)  # fmt: skip
def test_numbers_that_no_search_can_use_are_refused(options: dict[str, float]) -> None:
    with pytest.raises(UsageError, match=r"^--[a-z-]+ must be "):
        Options(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "options",
    [{"n_candidates": 0}, {"n_processes": 0}, {"beta": float("nan")}, {"budget_s": 0.0}],
    ids=repr,
)
def test_annealing_without_candidates_is_refused(options: dict[str, float]) -> None:
    with pytest.raises(UsageError, match=r"^--[a-z]+ "):
        search.Annealing(**options)  # type: ignore[arg-type]


@pytest.mark.integration
def test_strategies_are_named_once(tw: Tw, calls: Path) -> None:
    assert "buckets is named twice" in tw("optimize", "buckets", "buckets", "--db", calls).err
    assert "'none' not found" in tw("optimize", "buckets", "none", "--db", calls).err


@pytest.mark.slow
def test_a_trial_without_shapes_fuses_nothing(tw: Tw, tmp_path: Path) -> None:
    shutil.copytree(TRIAL, tmp_path / "trial")
    for path in (tmp_path / "trial").rglob("metadata.json"):
        path.unlink()
    db, out = tmp_path / "w.duckdb", tmp_path / "out"
    tw("import", tmp_path / "trial", "--db", db)

    done = tw("optimize", "fusion", "--db", db, "-o", out)

    assert "records no tensors that operators take" in done.err and not out.exists()


@pytest.mark.slow
def test_files_of_a_combination_predict_the_same(
    tw: Tw, imported_files: WarehouseCache, tmp_path: Path
) -> None:
    db = imported_files(("trial", [TRIAL]))
    names = ("precision", "fusion", "buckets")
    out = tmp_path / "out"
    command = ("--db", db, "--format", "json")
    single = {}
    for name in names:
        rows = json.loads(tw("optimize", name, *command).out)
        single[name] = min(row["predicted_ns"] for row in rows)

    rows = json.loads(tw("optimize", *names, *command, "-o", out).out)

    found = {row["search"]: row["predicted_ns"] for row in rows}
    assert {name: found[name] for name in names} == pytest.approx(single, abs=0.5)
    (chosen,) = (row for row in rows if row["is_recommended"])
    assert chosen["predicted_ns"] <= min(single.values())
    assert {"amp_list.txt", "cluster_mapping.txt", "best_strategy.txt"} <= {
        each.name for each in out.iterdir()
    }
    call = f"strategy(file = {out})"
    again = json.loads(tw("replay", *command, "--what-if", call).out)
    assert max(row["predicted_ns"] for row in again) == chosen["predicted_ns"]
    # the files for other tools say the same, one after the other
    files = [f"strategy(file = {out / name})" for name in (
        "amp_list.txt", "cluster_mapping.txt", "tensor_fusion_grp_mapping.json")]  # fmt: skip
    calls = [part for each in files for part in ("--what-if", each)]
    again = json.loads(tw("replay", *command, *calls).out)
    assert max(row["predicted_ns"] for row in again) == chosen["predicted_ns"]
