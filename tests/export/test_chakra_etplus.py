"""ET+ files: equal to what Chakra's linker made of the same traces, or all that a user needs."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support import chakra_cases
from tests.support.chakra_cases import GOLDEN, LEGACY, PAIRS
from tests.support.sharing import GPU, WarehouseCache
from tw_importers.chakra_et.export.etplus import WrittenRank, export_etplus
from warehouse.errors import UsageError
from warehouse.query import session
from warehouse.query.selection import Selection

if TYPE_CHECKING:
    from tests.conftest import Tw

_TIMES = ("ts", "inclusive_dur", "exclusive_dur")
#: Chakra writes microseconds as doubles: they are off by this at most.
_TOLERANCE_US = 0.002
Node = dict[str, Any]


Pairs = Callable[[str], Path]


@pytest.fixture(scope="module")
def pairs(shared_place: Path, data_dir: Path) -> Pairs:
    """The warehouse of a case."""
    return lambda case: chakra_cases.import_case(shared_place, data_dir, case)


@pytest.fixture(scope="module")
def written(
    pairs: Pairs, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str, str], dict[str, Any]]:
    """The file of a case and a set, written once."""

    @cache
    def write(case: str, link_set: str) -> dict[str, Any]:
        path = tmp_path_factory.mktemp("etplus") / "et.json"
        export(pairs(case), case, path, link_set)
        return dict(chakra_cases.read(path))

    return write


Written = Callable[[str, str], dict[str, Any]]


def export(
    db: Path, run: str, output: Path, link_set: str = "default", orders: tuple[str, ...] = ()
) -> list[WrittenRank]:
    place = session.Place(db)
    with session.opened(place, Selection(runs=(run,))) as opened:
        return export_etplus(opened, output, link_set, orders)


def nodes(path: Path) -> list[Node]:
    return list(chakra_cases.read(path)["nodes"])


def differences(expected: Node, found: Node) -> list[str]:
    """Keys in which a node differs from Chakra's; it may know more waits of the device."""
    odd = [
        key
        for key in (expected.keys() | found.keys()) - {*_TIMES, "sync_dep"}
        if expected.get(key) != found.get(key)
    ]
    odd += [
        key
        for key in _TIMES
        if (key in expected) != (key in found)
        or abs(expected.get(key, 0) - found.get(key, 0)) > _TOLERANCE_US
    ]
    if not set(expected.get("sync_dep", ())) <= set(found.get("sync_dep", ())):
        odd.append("sync_dep")
    return odd


@pytest.mark.parametrize("case", GOLDEN)
def test_the_set_of_chakra_gives_what_its_linker_gives(
    written: Written, data_dir: Path, case: str
) -> None:
    expected, found = chakra_cases.golden(data_dir, case), written(case, "chakra-1.0")

    assert {k: v for k, v in found.items() if k != "nodes"} == {
        k: v for k, v in expected.items() if k != "nodes"
    }
    assert [node["id"] for node in found["nodes"]] == [node["id"] for node in expected["nodes"]]
    assert [
        (theirs["id"], odd)
        for theirs, node in zip(expected["nodes"], found["nodes"], strict=True)
        if (odd := differences(theirs, node))
    ] == []
    # Its converter cuts these to whole microseconds: the last bit may decide.
    assert [node.get("exclusive_dur") for node in found["nodes"]] == [
        node.get("exclusive_dur") for node in expected["nodes"]
    ]


@pytest.mark.parametrize("case", PAIRS)
def test_all_device_work_is_in_the_default_set(written: Written, data_dir: Path, case: str) -> None:
    kineto = chakra_cases.read(data_dir / "chakra" / case / "kineto.json.gz")["traceEvents"]

    work = ("kernel", "gpu_memcpy", "gpu_memset")
    assert sorted(
        (node["name"], node["ts"], node["inclusive_dur"])
        for node in written(case, "default")["nodes"]
        if "cat" in node
    ) == sorted(
        (event["name"], event["ts"], event["dur"]) for event in kineto if event.get("cat") in work
    )


@pytest.mark.parametrize("case", PAIRS)
def test_what_a_node_of_the_execution_trace_says_is_not_touched(
    written: Written, data_dir: Path, case: str
) -> None:
    host = chakra_cases.read(data_dir / "chakra" / case / "host_et.json.gz")["nodes"]
    host.sort(key=lambda node: node["id"])
    found = [node for node in written(case, "default")["nodes"] if "cat" not in node]

    if case in LEGACY:  # of schema 1.0.1: every attribute is a key
        assert [node["inputs"]["values"] for node in found] == [node["inputs"] for node in host]
        assert [
            {each["name"]: each["value"] for each in node["attrs"]}["rf_id"] for node in found
        ] == [node["rf_id"] for node in host]
    else:
        keys = ("name", "inputs", "outputs", "attrs")
        assert [[node[key] for key in keys] for node in found] == [
            [node[key] for key in keys] for node in host
        ]


def test_a_file_of_the_oldest_schema_is_written_as_the_next_has_it(
    pairs: Pairs, tmp_path: Path
) -> None:
    (rank,) = export(
        pairs("inputs_only_hta_simple_add"), "inputs_only_hta_simple_add", tmp_path / "et.json"
    )

    assert rank.old_schema == "1.0.1"
    assert chakra_cases.read(tmp_path / "et.json")["schema"] == "1.0.2-chakra.0.0.4"


def test_the_order_of_streams_is_written_on_request(pairs: Pairs, tmp_path: Path) -> None:
    export(pairs("own_gpu_ddp_r0"), "own_gpu_ddp_r0", tmp_path / "plain.json")
    export(pairs("own_gpu_ddp_r0"), "own_gpu_ddp_r0", tmp_path / "et.json", orders=("stream",))
    streams: dict[int, list[Node]] = {}
    for node in nodes(tmp_path / "et.json"):
        if "cat" in node:
            streams.setdefault(node["stream"], []).append(node)

    assert all("order_dep" not in node for node in nodes(tmp_path / "plain.json"))
    for work in streams.values():
        work.sort(key=lambda node: node["ts"])
        assert [node.get("order_dep") for node in work] == [
            None, *([node["id"]] for node in work[:-1])
        ]  # fmt: skip


@pytest.mark.slow
def test_all_ranks_of_a_run_are_written_by_one_command(
    tw: Tw, tmp_path: Path, data_dir: Path
) -> None:
    for rank in (0, 1):
        folder = data_dir / "chakra" / f"own_cpu_ddp_r{rank}"
        files = (folder / "host_et.json.gz", folder / "kineto.json.gz")
        assert tw("import", "-q", "--run", "job", "--rank", str(rank), *files).code == 0

    ran = tw("export", "chakra-etplus", "--set", "chakra-1.0", "-o", "ranks")

    assert ran.code == 0, ran.err
    assert sorted(path.name for path in (tmp_path / "ranks").glob("etplus.*")) == [
        "etplus.0.json", "etplus.1.json"
    ]  # fmt: skip
    for rank in (0, 1):
        expected = chakra_cases.golden(data_dir, f"own_cpu_ddp_r{rank}")["nodes"]
        found = nodes(tmp_path / "ranks" / f"etplus.{rank}.json")
        assert [(n["id"], n["ctrl_deps"]) for n in found] == [
            (n["id"], n["ctrl_deps"]) for n in expected
        ]
    two = tw("export", "chakra-etplus", "-o", "one.json")
    assert two.errors == ["Error: one.json is one file, and 2 execution traces are chosen"]
    assert not (tmp_path / "one.json").exists()


def test_a_run_without_a_pair_is_refused_in_one_sentence(
    tw: Tw, tmp_path: Path, imported_files: WarehouseCache
) -> None:
    imported_files.copy(tmp_path / "traces.duckdb", GPU)

    ran = tw("export", "chakra-etplus")

    assert ran.code == 2
    assert ran.errors == [
        "Error: no execution trace in scope has a timeline of its rank in its run"
    ]


@pytest.mark.slow
def test_a_set_that_is_not_stored_is_made_for_the_file_alone(pairs: Pairs, tmp_path: Path) -> None:
    export(pairs("own_gpu_cnn"), "own_gpu_cnn", tmp_path / "et.json", "chakra-1.0")

    with session.opened(session.Place(pairs("own_gpu_cnn")), Selection(runs=("all",))) as opened:
        stored = opened.connection.execute("SELECT DISTINCT link_set FROM graph").fetchall()
    assert ("chakra-1.0",) not in stored


def test_a_set_nobody_knows_is_refused(pairs: Pairs, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="link set 'other' not found"):
        export(pairs("own_gpu_ddp_r0"), "own_gpu_ddp_r0", tmp_path / "et.json", "other")


def test_a_file_is_whole_json_with_a_node_a_line(pairs: Pairs, tmp_path: Path) -> None:
    export(pairs("own_gpu_ddp_r0"), "own_gpu_ddp_r0", tmp_path / "et.json")

    first, *lines, last = (tmp_path / "et.json").read_text().splitlines()
    assert json.loads(first + last) == {**json.loads(first + last), "nodes": []}
    n_nodes = 425 + 95  # of the process, and its device work
    assert [json.loads(line.rstrip(","))["id"] for line in lines] == list(range(n_nodes))
