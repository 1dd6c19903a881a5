"""One program as host execution trace, linked graph and .et file: what all three say is equal."""

from __future__ import annotations

import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.chakra_cases import import_pair
from tests.support.graphs import run
from tests.support.sharing import kept_open
from tw_importers.chakra_et.export.et import Options, export_chakra_et
from warehouse.query import session
from warehouse.query.selection import Selection

Row = dict[str, Any]
DATA = Path(__file__).parents[1] / "data" / "execution_trace"
CASES = ("gpu_cnn", "cpu_ddp_r0")


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Both pairs, linked at the import, and what they are exported as, imported again."""
    folder = tmp_path_factory.mktemp("kinds")
    db = folder / "w.duckdb"
    for case in CASES:
        import_pair(db, case, DATA / case / "host_et.json.gz", DATA / case / "kineto.json.gz")
        with session.opened(session.Place(db), Selection(runs=(case,))) as opened:
            export_chakra_et(opened, folder / f"{case}.et", Options(orders=("stream",)))
        import_pair(db, f"{case} again", folder / f"{case}.et")
    with kept_open(db) as path:
        yield path


def by_case(db: Path, query: str, **parameters: object) -> dict[tuple[str, str], list[Row]]:
    """The rows of a query by case and kind of graph."""
    names = {row["id"]: row["name"] for row in run(db, "SELECT id, name FROM run")}
    found: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in run(db, query, **parameters):
        found[names[row["run_id"]].removesuffix(" again"), row["graph_kind"]].append(row)
    return found


def test_each_kind_of_graph_is_there(kinds: Path) -> None:
    found = by_case(kinds, "graph_summary")

    assert set(found) == {
        (case, kind) for case in CASES for kind in ("execution_trace", "linked", "chakra")
    }
    for case in CASES:
        (host,), (linked,), (file,) = (
            found[case, kind] for kind in ("execution_trace", "linked", "chakra")
        )
        assert linked["n_host_nodes"] == host["n_host_nodes"]
        assert linked["linked_share"] == 1
        assert linked["n_tensors"] == host["n_tensors"] > 0
        assert file["n_device_nodes"] == linked["n_device_nodes"]
        assert host["device_ns"] is host["host_ns"] is None


def test_device_time_is_that_of_the_recording(kinds: Path) -> None:
    found = by_case(kinds, "graph_summary")

    for case in CASES:
        events = json.loads(gzip.decompress((DATA / case / "kineto.json.gz").read_bytes()))
        work = [
            round(event["dur"] * 1000)
            for event in events["traceEvents"]
            if event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")
        ]
        (linked,) = found[case, "linked"]
        assert (linked["n_device_nodes"], linked["device_ns"] or 0) == (len(work), sum(work))


def test_work_is_the_same_in_every_kind(kinds: Path) -> None:
    found = by_case(kinds, "graph_op_work")

    for case in CASES:
        counted = {
            kind: Counter((row["name"], row["flops"], row["bytes"]) for row in found[case, kind]
                          if row["model"] != "recorded")
            for kind in ("execution_trace", "linked", "chakra")
        }  # fmt: skip
        assert counted["execution_trace"] == counted["linked"] == counted["chakra"]
        assert counted["linked"].total() > 50
        work = {
            kind: (sum(row["n_device_ops"] for row in found[case, kind]),
                   sum(row["device_ns"] for row in found[case, kind]))
            for kind in ("linked", "chakra")
        }  # fmt: skip
        assert work["linked"][0] == work["chakra"][0]
        # a file has whole microseconds
        assert abs(work["linked"][1] - work["chakra"][1]) <= 1000 * work["linked"][0]


def test_communication_is_the_same_in_every_kind(kinds: Path) -> None:
    found = by_case(kinds, "communication_volume")

    volume = {
        kind: Counter({(row["kind"], row["peer_rank"]): row["message_bytes"] or 0
                       for row in found["cpu_ddp_r0", kind]})
        for kind in ("execution_trace", "linked", "chakra")
    }  # fmt: skip
    assert volume["execution_trace"] == volume["linked"] == volume["chakra"]
    assert volume["linked"]["all_reduce", None] > 0


def test_lives_of_storages_are_the_same_in_every_kind(kinds: Path) -> None:
    found = by_case(kinds, "memory_by_tensor_lifetime")

    for case in CASES:
        lives = {
            kind: Counter((row["device"], row["storage_id"], row["is_produced"], row["n_uses"])
                          for row in found[case, kind])
            for kind in ("execution_trace", "linked", "chakra")
        }  # fmt: skip
        assert lives["execution_trace"] == lives["linked"] == lives["chakra"]
        assert all(row["start_ns"] is not None for row in found[case, "linked"])


def test_the_path_of_a_linked_graph_stays_near_the_clock(kinds: Path) -> None:
    """Waits and overlaps do not count twice, so it is no longer than the recording, by much."""
    found = by_case(kinds, "graph_critical_path")
    spans = by_case(
        kinds,
        "SELECT t.run_id, g.kind AS graph_kind, max(n.start_ns + n.dur_ns) - min(n.start_ns) AS ns "
        "FROM graph_node AS n JOIN graph AS g ON g.id = n.graph_id "
        "JOIN trace AS t ON t.id = g.trace_id GROUP BY t.run_id, g.kind",
    )

    for case in CASES:
        path, ((span,)) = found[case, "linked"], spans[case, "linked"]
        assert path[-1]["path_ns"] == sum(row["self_ns"] for row in path)
        assert 0.5 * span["ns"] < path[-1]["path_ns"] < 1.5 * span["ns"]
        assert {row["path_ns"] for row in found[case, "execution_trace"]} == {None}


def test_a_linked_graph_differs_from_its_host_trace_by_the_device_work_alone(kinds: Path) -> None:
    (again,) = {row["name"] for row in run(kinds, "SELECT name FROM run WHERE name = 'gpu_cnn'")}
    found = run(kinds, "graph_difference", a=again, b=again, graph_kind="linked", with_same=True)

    device = {row["name"] for row in found if row["side"] == "device"}
    nodes = run(kinds, "chakra_nodes")
    assert device == {
        row["name"] for row in nodes if not row["is_cpu_op"] and row["graph_kind"] == "linked"
    }
    assert {row["status"] for row in found} == {"same"}
