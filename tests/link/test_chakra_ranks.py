"""All ranks of a job: one import pairs and links them, one export writes a file for each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support import random_execution
from tw_importers.chakra_et.export.et import export_chakra_et
from warehouse.ingest.pipeline import import_paths
from warehouse.query import session
from warehouse.query.selection import Selection

_PID = 7  # of every program random_execution makes


def _write_ranks(folder: Path, n_ranks: int) -> None:
    """Both recordings of each rank, as a job leaves them: only timelines say their rank."""
    folder.mkdir()
    for rank in range(n_ranks):
        made = random_execution.make(rank, n_threads=1)
        pid = 100 + rank
        made.host["pid"] = pid
        made.device["distributedInfo"] = {
            "backend": "nccl", "rank": rank, "world_size": n_ranks
        }  # fmt: skip
        for event in made.device["traceEvents"]:
            event["pid"] = pid if event["pid"] == _PID else event["pid"]
        # Names in the opposite order of ranks: they say nothing.
        for kind, document in (("host", made.host), ("device", made.device)):
            (folder / f"{kind}_{n_ranks - rank}.json").write_text(json.dumps(document))


@pytest.mark.parametrize("n_ranks", [2, pytest.param(8, marks=pytest.mark.slow)])
def test_a_folder_of_all_ranks_is_paired_by_process_and_written_a_file_a_rank(
    tmp_path: Path, n_ranks: int
) -> None:
    _write_ranks(tmp_path / "job", n_ranks)
    db, output = tmp_path / "w.duckdb", tmp_path / "workload"
    outcomes = import_paths([tmp_path / "job"], db=db)
    assert [outcome.error for outcome in outcomes] == [None] * 2 * n_ranks

    with session.opened(session.Place(db), Selection()) as opened:
        pairs = opened.connection.execute(
            "SELECT h.rank, h.pair_rule, d.rank FROM trace AS h "
            "JOIN trace AS d ON d.id = h.timeline_trace_id WHERE h.kind = 'graph' ORDER BY h.rank"
        ).fetchall()
        linked = opened.connection.execute(
            "SELECT count(*) FROM graph WHERE link_set = 'default'"
        ).fetchone()
        written = export_chakra_et(opened, output)

    assert pairs == [(rank, "process", rank) for rank in range(n_ranks)]
    assert linked == (n_ranks,)
    assert [each.path.suffixes[-2:] for each in written] == [
        [f".{rank}", ".et"] for rank in range(n_ranks)
    ]
    assert sorted(output.glob("*.et")) == sorted(each.path for each in written)
