"""Where process groups are stuck, by dumps whose faults are known."""

from __future__ import annotations

import json
import pickle  # to write, and to read our own file
import random
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.support.flight_recorder_dumps import FAULTS, SEEDS, program
from tests.support.sharing import integration, slow
from warehouse.ingest import pipeline
from warehouse.query import execute, scope
from warehouse.query.selection import Selection
from warehouse.store import database

DATA = Path(__file__).parents[1] / "data" / "flight_recorder"
N_FEW = 3  # the first faults: none, a missing rank, another operation
Row = dict[str, Any]


def rows(db: Path, query: str) -> list[Row]:
    """Returns the rows of a query of the library over all runs, with their names."""
    with database.Reader(db) as reader:
        scope.apply(reader.connection, scope.resolve(reader.connection, Selection(runs=("all",))))
        names = dict(reader.connection.execute("SELECT id, name FROM run").fetchall())
        found: list[Row] = execute.run(reader.connection, query).table().to_pylist()
    return [{**row, "run": names[row["run_id"]]} for row in found]


def imported(folder: Path, seeds: Sequence[int]) -> Path:
    for seed in seeds:
        made = program(seed)
        (folder / f"seed{seed}").mkdir()
        for rank in made.calls:
            (folder / f"seed{seed}" / f"nccl_trace_rank_{rank}").write_bytes(made.pickled(rank))
    pipeline.import_paths([folder], db=folder / "w.duckdb")
    return folder / "w.duckdb"


@pytest.mark.parametrize(
    "seeds",
    [SEEDS[:N_FEW], integration(SEEDS[N_FEW : len(FAULTS)]), slow(SEEDS[len(FAULTS) :])],
    ids=["some faults", "other faults", "others"],
)
def test_the_first_problem_of_a_group_is_that_of_the_analyzer_of_torch(
    seeds: Sequence[int], tmp_path: Path
) -> None:
    """It names a changed order by the operations that differ; here it has a name of its own."""
    findings = json.loads((DATA / "torch.json").read_text())["findings"]

    found: dict[int, dict[str, list[Any]]] = {seed: {} for seed in seeds}
    for row in rows(imported(tmp_path, seeds), "collective_hang"):
        if row["problem"] not in (None, "not completed"):
            found[int(row["run"].removeprefix("seed"))][row["group_name"]] = [
                row["sequence_number"], row["problem"], row["ranks"]
            ]  # fmt: skip

    for seed in seeds:
        made, of_torch = program(seed), findings[str(seed)]
        if made.fault == "order":
            assert made.group is not None
            of_torch = {made.group: [made.number, "order", [made.culprit]]}
            assert findings[str(seed)] == {made.group: [made.number, "operation", [made.culprit]]}
        assert found[seed] == of_torch, seed


@pytest.mark.integration
def test_recorded_dumps_say_who_is_missing(tmp_path: Path) -> None:
    """In one job rank 1 returned before the fifth collective. In the other all of them ended, but
    the dump of rank 1 does not say so of the last two."""
    pipeline.import_paths([DATA / "gloo_complete", DATA / "gloo_missing"], db=tmp_path / "w.duckdb")

    found = rows(tmp_path / "w.duckdb", "collective_hang")
    behind = rows(tmp_path / "w.duckdb", "collective_progress")

    assert [
        (r["run"], r["group_description"], r["problem"], r["ranks"], r["sequence_number"],
         r["last_common_number"]) for r in found
    ] == [
        ("gloo_complete", "default_pg", "not completed", [], 4, 5),
        ("gloo_complete", "pair", None, [], None, 1),
        ("gloo_missing", "default_pg", "missing", [1], 5, 4),
        ("gloo_missing", "pair", None, [], None, 1),
    ]  # fmt: skip
    assert found[0]["waiting_ranks"] == [1]
    assert found[2]["verdict"] == (
        "rank 1 has not called all_reduce number 5, called at train.py(23): train; "
        "last at train.py(17): train"
    )
    assert [(r["run"], r["rank"], r["n_behind"]) for r in behind if r["n_behind"]] == [
        ("gloo_missing", 1, 1)
    ]


@pytest.mark.integration
def test_a_second_dump_of_a_rank_accuses_nobody(tmp_path: Path) -> None:
    """The dump of rank 0, and one that it wrote two operations earlier: the ranks agree on more."""
    folder = tmp_path / "job"
    shutil.copytree(DATA / "gloo_missing", folder)
    dump = pickle.loads((folder / "nccl_trace_rank_0").read_bytes())  # noqa: S301
    del dump["entries"][-2:]
    (folder / "nccl_trace_rank_0.earlier").write_bytes(pickle.dumps(dump, 2))

    pipeline.import_paths([folder], db=tmp_path / "w.duckdb")

    found = rows(tmp_path / "w.duckdb", "collective_hang")
    assert {(r["run"], r["problem"], *r["ranks"]) for r in found if r["problem"]} == {
        ("job", "missing", 1)
    }
    told = rows(tmp_path / "w.duckdb", "check_import_problem")
    assert any("rank 0 has a trace in run 'job' already" in r["meaning"] for r in told)


def _messages(seed: int) -> tuple[dict[int, list[Row]], set[tuple[Any, ...]]]:
    """Returns random messages by rank, and those whose counterpart is missing or differs."""
    chance = random.Random(seed)
    n_ranks = chance.randint(2, 4)
    ranks: dict[int, list[Row]] = {rank: [] for rank in range(n_ranks)}
    wrong: set[tuple[Any, ...]] = set()
    position: dict[tuple[int, int], int] = {}
    cut: set[tuple[int, int]] = set()  # of which one side has stopped
    for _ in range(chance.randint(3, 12)):
        source, target = chance.sample(range(n_ranks), 2)
        if (source, target) in cut:
            continue
        n = position[source, target] = position.get((source, target), 0) + 1
        sizes = [[chance.randint(1, 9)]], [[0]]
        fault = chance.choice(["none"] * 6 + ["size", "type", "no send", "no recv"])
        received = [[10]] if fault == "size" else sizes[0]
        data_type = "Half" if fault == "type" else "Float"
        if fault != "no send":
            ranks[source].append(
                {"profiling_name": f"nccl:send {source}->{target}", "input_sizes": sizes[0],
                 "input_dtypes": ["Float"], "output_sizes": [], "output_dtypes": []}
            )  # fmt: skip
        if fault != "no recv":
            ranks[target].append(
                {"profiling_name": f"nccl:recv {target}<-{source}", "input_sizes": [],
                 "input_dtypes": [], "output_sizes": received, "output_dtypes": [data_type]}
            )  # fmt: skip
        if fault != "none":
            rank = source if fault == "no send" else target
            problem = fault if fault in ("size", "type") else "missing"
            wrong.add((source, target, n, rank, problem))
        if fault.startswith("no"):
            cut |= {(source, target)} if fault != "none" else set()
    return ranks, wrong


@pytest.mark.parametrize("seeds", [range(3), slow(range(3, 120))], ids=["few", "many"])
def test_messages_are_compared_in_their_order(seeds: Sequence[int], tmp_path: Path) -> None:
    expected = {}
    for seed in seeds:
        ranks, wrong = _messages(seed)
        expected[f"m{seed}"] = wrong
        (tmp_path / f"m{seed}").mkdir()
        for rank, calls in ranks.items():
            entries = [
                {"record_id": n, "pg_id": 0, "process_group": ("0", "default_pg"), "is_p2p": True,
                 "collective_seq_id": 0, "p2p_seq_id": n + 1, "op_id": n + 1, "state": "started",
                 "retired": False, "time_created_ns": 10**18 + seed * 100 + n, **call}
                for n, call in enumerate(calls)
            ]  # fmt: skip
            config = {"0": {"name": "0", "desc": "default_pg", "ranks": str(list(ranks))}}
            dump = {"version": "2.10", "pg_config": config, "pg_status": {}, "entries": entries,
                    "of": f"{seed} {rank}"}  # fmt: skip
            path = tmp_path / f"m{seed}" / f"nccl_trace_rank_{rank}"
            path.write_bytes(pickle.dumps(dump, 2))
    pipeline.import_paths([tmp_path], db=tmp_path / "w.duckdb")

    found: dict[str, set[tuple[Any, ...]]] = {name: set() for name in expected}
    for row in rows(tmp_path / "w.duckdb", "collective_mismatch"):
        found[row["run"]].add(
            (row["from_rank"], row["to_rank"], row["sequence_number"], row["rank"], row["problem"])
        )

    assert found == expected
