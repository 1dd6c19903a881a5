"""An execution trace belongs to the timeline of its process: what decides, and what is refused."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from warehouse.ingest import pipeline
from warehouse.ingest.pairing import Graph, Pair, Timeline, decide
from warehouse.store import database

OWN = Path(__file__).parents[1] / "data" / "execution_trace" / "cpu_ddp_r0"


def timeline(
    n: int, rank: int | None = None, pid: int | None = None, folder: str = "a"
) -> Timeline:
    return Timeline(n, 1, f"t{n}", rank, folder, frozenset([pid] if pid is not None else []))


def chosen(pair: Pair) -> tuple[int | None, str | None, str | None]:
    """Trace, rule and kind of problem."""
    return (
        pair.timeline.trace_id if pair.timeline else None,
        pair.rule,
        pair.problem.kind if pair.problem else None,
    )


def graph(
    pid: int | None = 7,
    rank: int | None = None,
    rule: str = "file_name",
    ranks: tuple[int, ...] = (),
) -> Graph:
    return Graph(pid, rank, rule if rank is not None else None, "a", frozenset(ranks))


ONE_OF_EACH = [timeline(1, rank=0, pid=7), timeline(2, rank=1, pid=8)]
SAME_PID = [timeline(1, rank=0, pid=7, folder="a"), timeline(2, rank=1, pid=7, folder="b")]
SAME_PLACE = [timeline(1, rank=0, pid=7), timeline(2, rank=1, pid=7)]


@pytest.mark.parametrize(
    ("of", "among", "share_run", "expected"),
    [
        pytest.param(graph(8), ONE_OF_EACH, False, (2, "process", None), id="its process decides"),
        pytest.param(graph(7), SAME_PID, False, (1, "process", None), id="then its folder"),
        pytest.param(
            graph(7), SAME_PLACE, True, (None, None, "ambiguous_timeline"), id="two are too many"
        ),
        pytest.param(
            graph(7, ranks=(1, 3)), SAME_PLACE, False, (2, "process", None),
            id="its process groups decide between several",
        ),
        pytest.param(
            graph(7, ranks=(0, 1)), SAME_PLACE, False, (None, None, "ambiguous_timeline"),
            id="groups of both decide nothing",
        ),
        pytest.param(
            graph(8, ranks=(0,)), ONE_OF_EACH, False, (2, "process", None),
            id="groups decide nothing against its process",
        ),
        pytest.param(
            graph(None, ranks=(1,)), ONE_OF_EACH, True, (2, "rank", None),
            id="its groups decide where no process is known",
        ),
        pytest.param(
            graph(9, ranks=(1,)), ONE_OF_EACH, True, (None, None, None),
            id="a stranger in the same groups has none",
        ),
        pytest.param(graph(9), ONE_OF_EACH, True, (None, None, None), id="a stranger has none"),
        pytest.param(graph(7, 1), SAME_PLACE, False, (2, "rank", None), id="its name decides"),
        pytest.param(
            graph(7, 1), ONE_OF_EACH, True, (None, None, "other_process"),
            id="its name is not believed against its process",
        ),
        pytest.param(
            graph(7, 1, "option"), ONE_OF_EACH, True, (2, "rank", "other_process"),
            id="the user is believed, and warned",
        ),
        pytest.param(
            graph(9), [timeline(1, pid=7)], True, (1, "run", "other_process"),
            id="put into a run with one timeline, it is of that one",
        ),
        pytest.param(
            graph(9), [timeline(1, pid=7)], False, (None, None, None),
            id="nobody put them into one run",
        ),
        pytest.param(graph(7, 3), [timeline(1, pid=7)], False, (1, "process", None),
                     id="a timeline without rank"),
        pytest.param(graph(None), [timeline(1)], True, (1, "run", None), id="no process known"),
    ],
)  # fmt: skip
def test_the_timeline_is_found_or_refused(
    of: Graph,
    among: list[Timeline],
    share_run: bool,
    expected: tuple[int | None, str | None, str | None],
) -> None:
    assert chosen(decide(of, among, share_run=share_run)) == expected


def job(folder: Path, n_ranks: int) -> Path:
    """A folder with a host trace and a timeline of each rank; the host traces name no rank."""
    host = json.loads(gzip.decompress((OWN / "host_et.json.gz").read_bytes()))
    kineto = json.loads(gzip.decompress((OWN / "kineto.json.gz").read_bytes()))
    pid, folder_of_job = host["pid"], folder / "job"
    folder_of_job.mkdir()
    for rank in range(n_ranks):
        kineto["distributedInfo"].update(rank=rank, world_size=n_ranks)
        text = json.dumps(kineto).replace(f'"pid": {pid}', f'"pid": {pid + rank}')
        (folder_of_job / f"k{rank}.json").write_text(text)
        names = "abcdefgh"[::-1]  # in another order than the ranks
        (folder_of_job / f"{names[rank]}.json").write_text(json.dumps(host | {"pid": pid + rank}))
    return folder_of_job


def traces(db: Path) -> list[dict[str, Any]]:
    with database.Reader(db) as reader:
        found: list[dict[str, Any]] = (
            reader.connection.sql(
                "SELECT t.run_id, t.rank, t.kind, t.rank_rule, t.pair_rule, p.rank AS pair_rank "
                "FROM trace AS t LEFT JOIN trace AS p ON p.id = t.timeline_trace_id ORDER BY t.id"
            )
            .to_arrow_table()
            .to_pylist()
        )
    return found


@pytest.mark.slow
def test_all_ranks_of_a_job_are_paired_by_one_command(tmp_path: Path) -> None:
    db = tmp_path / "w.duckdb"
    pipeline.import_paths([job(tmp_path, 3)], db=db)
    graphs = [row for row in traces(db) if row["kind"] == "graph"]
    assert sorted(row["rank"] for row in graphs) == [0, 1, 2]
    assert all(row["rank"] == row["pair_rank"] for row in graphs)
    assert {(row["run_id"], row["rank_rule"], row["pair_rule"]) for row in graphs} == {
        (1, "timeline", "process")
    }


@pytest.mark.slow
def test_ranks_whose_processes_have_one_number_are_paired_by_their_groups(tmp_path: Path) -> None:
    folder = job(tmp_path, 4)
    pid = json.loads((folder / "h.json").read_text())["pid"]
    for rank in range(4):  # as in containers: two pairs, and two that cross them
        crossing = [[0, 1], [2, 3]][rank // 2], [[0, 2], [1, 3]][rank % 2]
        for name in (f"k{rank}", "hgfe"[rank]):
            path = folder / f"{name}.json"
            path.write_text(_as_in_a_container(path.read_text(), pid + rank, crossing))

    pipeline.import_paths([folder], db=tmp_path / "w.duckdb")

    graphs = [trace for trace in traces(tmp_path / "w.duckdb") if trace["kind"] == "graph"]
    assert sorted((g["rank"], g["pair_rank"], g["pair_rule"]) for g in graphs) == [
        (rank, rank, "process") for rank in range(4)
    ]


def _as_in_a_container(text: str, pid: int, groups: tuple[list[int], list[int]]) -> str:
    """The process is number 1, and in two more groups than that of all ranks."""
    names = "".join(
        f', {{\\"pg_name\\": \\"{n}\\", \\"ranks\\": {ranks}, \\"group_size\\": 2}}'
        for n, ranks in enumerate(groups, 1)
    )
    return text.replace(f'"pid": {pid}', '"pid": 1').replace('}]"]', "}" + names + ']"]')


@pytest.mark.slow
def test_a_graph_that_came_first_is_paired_when_its_timeline_comes(tmp_path: Path) -> None:
    db = tmp_path / "w.duckdb"
    options = pipeline.Options(run="mine")
    for name in ("host_et.json.gz", "kineto.json.gz"):
        pipeline.import_paths([OWN / name], db=db, options=options)
    (first, _) = traces(db)
    assert first == {
        "run_id": 1,
        "rank": 0,
        "kind": "graph",
        "rank_rule": "timeline",
        "pair_rule": "process",
        "pair_rank": 0,
    }


@pytest.mark.slow
def test_a_timeline_that_is_replaced_is_paired_again(tmp_path: Path) -> None:
    db = tmp_path / "w.duckdb"
    pipeline.import_paths([OWN], db=db)
    replace = pipeline.Options(on_duplicate="replace")
    pipeline.import_paths([OWN / "kineto.json.gz"], db=db, options=replace)
    assert {row["run_id"] for row in traces(db)} == {1}
    assert [row["pair_rank"] for row in traces(db) if row["kind"] == "graph"] == [0]
