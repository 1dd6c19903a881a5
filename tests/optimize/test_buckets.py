"""Groups of gradients: what a search finds is as good as promised; its times are those of replays.

`truth` is the step time that the generator of a trial gives for other groups.
"""

from __future__ import annotations

import itertools
import json
import random
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import Tw
from tests.support.nccl_jobs import Jobs, random_arguments
from tests.support.reductions import all_groupings, random_reduction
from tests.support.sharing import WarehouseCache, slow
from tw_importers.dpro import strategy as dpro_files
from warehouse.optimize import gradients, groupings
from warehouse.optimize.reduction import Stages
from warehouse.query import session
from warehouse.replay import engines, prediction
from warehouse.replay.what_if import WhatIf

OURS = Path(__file__).parents[1] / "data" / "dpro"
TINY = "nccl_ring_2x1_tiny"


@pytest.fixture(scope="module")
def tiny(imported_files: WarehouseCache) -> Path:
    return imported_files(("trial", [OURS / TINY]))


@pytest.mark.parametrize(("n_jobs", "largest"), [(12, 5), slow(200, 8)], ids=["few", "many"])
def test_dynamic_programming_finds_the_best_contiguous_groups(n_jobs: int, largest: int) -> None:
    """In 95 % of the jobs the best of all, and never more than 1 % worse."""
    n_best = 0
    for seed in range(n_jobs):
        reduction = random_reduction(seed, 2 + seed % (largest - 1))
        least = min(map(reduction.evaluate, all_groupings(len(reduction.tensor_ids))))

        ends = groupings.programme(groupings.closed_form(reduction))

        found = min(reduction.evaluate(groupings.grouping_of(each)) for each in ends)
        assert found <= least * 1.01
        n_best += found <= least * (1 + 1e-9)
    assert n_best >= 0.95 * n_jobs


def test_a_number_of_groups_is_kept() -> None:
    form = groupings.closed_form(random_reduction(3, 6))

    for n in (1, 2, 6):
        assert {len(ends) for ends in groupings.programme(form, n)} == {n}


def test_a_sweep_has_every_uniform_size_by_both_rules() -> None:
    """Of 3, 1 and 2 bytes: a group closes before it exceeds the size, or once it reaches it."""
    found = groupings.sweep(np.array([3, 1, 2]))

    exceeding = {1: (1, 2, 3), 2: (1, 2, 3), 3: (1, 3), 4: (2, 3), 6: (3,)}
    reaching = {1: (1, 2, 3), 2: (1, 3), 3: (1, 3), 4: (2, 3), 6: (3,)}
    by_number = {(3,), (2, 3), (1, 2, 3)}
    assert set(found) == by_number | set(exceeding.values()) | set(reaching.values())


def random_groupings(n: int, count: int) -> list[list[list[int]]]:
    """Groups of places, half of them contiguous."""
    source = random.Random(n)
    found = []
    for each in range(count):
        places = list(range(n))
        if each % 2:
            source.shuffle(places)
        cuts = sorted(source.sample(range(1, n), source.randint(0, n - 1)))
        found.append([places[a:b] for a, b in itertools.pairwise([0, *cuts, n])])
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("case", "count"), [(TINY, 2), slow("nccl_ring_2x2_manysmall", 10), slow("nccl_ring_2x2", 5)]
)
def test_times_without_a_graph_are_those_of_a_replay(
    case: str, count: int, request: pytest.FixtureRequest, imported_files: WarehouseCache
) -> None:
    folder = OURS / case
    if not folder.exists():
        folder = request.getfixturevalue("data_dir") / "dpro" / case
    engine = engines.find("default")
    with session.opened(session.Place(imported_files(("trial", [folder])))) as opened:
        graph = prediction.replayed(opened, engine)
        reduction = gradients.read(graph)
        names = [str(each) for each in reduction.tensor_ids]

        for groups in random_groupings(len(names), count):
            text = ",".join("+".join(names[place] for place in group) for group in groups)
            rows = prediction.scenario(graph, engine, [WhatIf("groups", {"groups": text})])

            replayed = max(row["predicted_ns"] for row in rows.to_pylist())
            grouping = tuple(tuple(sorted(group)) for group in groups)
            assert reduction.evaluate(grouping) == pytest.approx(replayed, rel=1e-9)


def test_what_is_not_recorded_follows_from_the_line_of_each_rank() -> None:
    reduction = random_reduction(1, 3)
    (queue, copy_in, *_), n_bytes = reduction.lines.values(), int(reduction.bytes[:2].sum())

    stages = reduction.stages((0, 1))

    part = n_bytes / reduction.counts[0].n_parts
    sends = reduction.lines["send"]
    assert stages.queue == pytest.approx(queue.fixed)
    assert stages.copy_in == pytest.approx(copy_in.fixed + copy_in.slope * n_bytes)
    assert stages.send[0, 0, :, 0] == pytest.approx(sends.fixed + sends.slope * part)
    assert isinstance(stages, Stages) and reduction.extrapolated_share(((0, 1), (2,))) == 0


def optimized(tw: Tw, db: Path, folder: Path, *arguments: str) -> tuple[list[Any], dict[str, Any]]:
    """The rows and the strategy of `tw optimize buckets`."""
    result = tw("optimize", "buckets", "--db", db, "-o", folder, "--format", "json", *arguments)
    assert result.code == 0, result.err
    return json.loads(result.out), json.loads((folder / "strategy.json").read_text())


@pytest.mark.slow
def test_a_search_prints_its_rows_and_writes_files_of_the_recommendation(
    tw: Tw, tiny: Path, tmp_path: Path
) -> None:
    rows, strategy = optimized(tw, tiny, tmp_path / "out")

    assert [row["search"] for row in rows] == ["recorded", "sweep", "dp"]
    (best,) = (row for row in rows if row["is_recommended"])
    recorded, _, contiguous = rows
    assert best["predicted_ns"] == contiguous["predicted_ns"]
    assert recorded["edits"] is None and recorded["change"] == 0
    # what the generator of the trial gives for the recommended groups is 2.910 ms
    assert best["predicted_ns"] == pytest.approx(2.910e6, rel=0.005)
    (edit,) = strategy["edits"]
    groups = edit["arguments"]["groups"].split(",")
    assert edit["what_if"] == "groups"
    assert best["edits"] == f'groups(groups = "{",".join(groups)}")'
    assert strategy["prediction"]["predicted_ns"] == best["predicted_ns"]
    mapping = dpro_files.parse_mapping((tmp_path / "out" / dpro_files.MAPPING).read_text())
    assert mapping == groups
    changes = dpro_files.parse_best((tmp_path / "out" / dpro_files.BEST).read_text())
    assert applied(["7", "6", "0+1+2+3+4+5"], changes) == set(groups)
    steps = dpro_files.parse_trajectory((tmp_path / "out" / dpro_files.TRAJECTORY).read_text())
    assert steps[-1].best == pytest.approx(-100 * best["change"])


def applied(groups: Sequence[str], changes: Sequence[dpro_files.Change]) -> set[str]:
    """What dPRO makes of groups: `--` splits before a place, `++` joins two."""
    current = set(groups)
    for token, node, other in changes:
        name = node.split(".")[2]
        current.remove(name)
        ids = [int(each) for each in name.split("+")]
        if token == "--":
            assert isinstance(other, int)
            parts = [ids[:other], ids[other:]]
        else:
            assert isinstance(other, str)
            current.remove(other.split(".")[2])
            parts = [sorted(ids + [int(each) for each in other.split(".")[2].split("+")])]
        current |= {"+".join(map(str, part)) for part in parts}
    return current


@pytest.mark.slow
def test_a_number_of_groups_and_a_search_are_chosen(tw: Tw, tiny: Path, tmp_path: Path) -> None:
    rows, strategy = optimized(tw, tiny, tmp_path / "out", "--groups", "2", "--search", "sweep")

    assert [row["search"] for row in rows] == ["recorded", "sweep"]
    assert len(rows[1]["edits"].split("+")) == 8 - 2 + 1
    assert strategy["search"]["groups"] == 2


@pytest.mark.integration
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--groups", "9"], "9 groups are more than the 8 tensors of the run"),
        slow(["nope"], "strategy 'nope' not found"),
    ],
)
def test_a_search_that_is_impossible_is_one_sentence(
    tw: Tw, tiny: Path, tmp_path: Path, arguments: list[str], message: str
) -> None:
    name = arguments if len(arguments) == 1 else ["buckets", *arguments]

    result = tw("optimize", *name, "--db", tiny, "-o", tmp_path / "out")

    assert result.code != 0 and result.errors[0] == f"Error: {message}"
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_runs_whose_gradients_cannot_be_regrouped_are_one_sentence(
    tw: Tw, imported_files: WarehouseCache, data_dir: Path, tmp_path: Path
) -> None:
    servers = tmp_path / "servers.duckdb"
    window = ("--option", "profile_start_step=0", "--option", "profile_duration=5")
    assert tw("import", OURS / "bps_zmq_2w2s", "--db", servers, *window).code == 0
    change = "groups(groups = '0+1,2+3+4+5')"
    one_group = imported_files(("trial", [data_dir / "dpro" / "nccl_fail_first_fused"]))

    first = tw("replay", "--what-if", change, "--db", servers)
    second = tw("optimize", "buckets", "--db", one_group)
    with_rate = tw("optimize", "buckets", "--db", one_group, "--bytes-per-s", "1e9")

    assert first.errors[0] == ("Error: servers reduce the gradients of the run, tensor by tensor")
    assert second.errors[0] == (
        "Error: the run reduces all gradients in one group, and one size gives no rate"
    )
    assert with_rate.code == 0


@pytest.mark.integration
@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ("7,6", "groups lack 6 tensors of the run, such as 0"),
        slow("7,6,6,0+1+2+3+4+5", "groups name 1 tensors twice, such as 6"),
    ],
)
def test_groups_that_are_no_partition_are_one_sentence(
    tw: Tw, tiny: Path, groups: str, message: str
) -> None:
    result = tw("replay", "--db", tiny, "--what-if", f"groups(groups = '{groups}')")

    assert result.errors[0] == f"Error: {message}"


FILES_OF_DPRO = {
    "tensor_fusion_grp_mapping.json": '{"mapping":["12+13+14","27"]}',
    "best_strategy.txt": '{"best_strategy": [["++", "host0.rank0->Comm.52.Sync", '
    '"host0.rank0->Comm.51.Sync"], ["--", "host0.rank0->Comm.4+5.Sync", 1]]}',
    "search_trajectory.txt": "1795175209.6932974: 0,0.20409912386085885,0.20409912386085885\n",
}


def rewritten(name: str, text: str) -> str:
    """A file of dPRO, read and written again."""
    if name.startswith("tensor_fusion_grp_mapping"):
        return dpro_files.format_mapping(dpro_files.parse_mapping(text))
    if name.startswith("best_strategy"):
        return dpro_files.format_best(dpro_files.parse_best(text))
    return dpro_files.format_trajectory(dpro_files.parse_trajectory(text))


@pytest.mark.parametrize("name", FILES_OF_DPRO)
def test_files_of_dpro_are_written_as_they_were_read(name: str) -> None:
    text = FILES_OF_DPRO[name]

    assert rewritten(name, text) == text


@pytest.mark.slow
def test_the_files_that_dpro_wrote_are_written_as_they_were_read(data_dir: Path) -> None:
    paths = sorted((data_dir / "dpro").glob("*/expected_dp/*"))

    assert paths
    for path in paths:
        assert rewritten(path.name, path.read_text()) == path.read_text(), path


@pytest.fixture
def jobs(data_dir: Path, tmp_path: Path) -> Jobs:
    return Jobs(data_dir, tmp_path)


def recommended(tw: Tw, folder: Path, tmp_path: Path) -> tuple[str | None, dict[str, float]]:
    """The recommended groups of a trial, if any, and their prediction."""
    db = tmp_path / "w.duckdb"
    db.unlink(missing_ok=True)
    shutil.rmtree(tmp_path / "out", ignore_errors=True)
    assert tw("import", folder, "--db", db).code == 0
    _, strategy = optimized(tw, db, tmp_path / "out")
    edits = strategy["edits"]
    return (edits[0]["arguments"]["groups"] if edits else None), strategy["prediction"]


@pytest.mark.slow
def test_many_small_groups_become_truly_faster(
    tw: Tw, data_dir: Path, jobs: Jobs, tmp_path: Path
) -> None:
    """10.845 ms as recorded; dPRO's choice takes 10.213, the best uniform size 8.582."""
    folder = data_dir / "dpro" / "nccl_ring_2x2_manysmall"
    arguments = json.loads((folder / "truth.json").read_text())["args"]

    groups, predicted = recommended(tw, folder, tmp_path)
    assert groups is not None
    _, truth, _ = jobs.record(arguments, groups)

    assert truth <= 8.58e6
    assert predicted["predicted_ns"] == pytest.approx(truth, rel=0.02)


@pytest.mark.slow
def test_recommendations_for_generated_jobs_hold(tw: Tw, jobs: Jobs, tmp_path: Path) -> None:
    """Never slower by 0.5 %; at least 90 % of the gain of the best uniform size; 1 % error."""
    errors = []
    for seed in range(20):
        folder, before, recorded = jobs.record(random_arguments(seed))
        groups, predicted = recommended(tw, folder, tmp_path)
        chosen = groups or ",".join(recorded)
        _, truth, _ = jobs.record(random_arguments(seed), chosen)
        _, same, _ = jobs.record(random_arguments(seed), ",".join(recorded))
        sizes = [jobs.capped(folder, mb) for mb in (0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 12.8)]
        best = min(jobs.record(random_arguments(seed), each)[1] for each in sizes)

        assert same == pytest.approx(before)
        assert truth <= before * 1.005
        noise = max(abs(predicted["replay_error"]), predicted["step_spread"])
        assert before - truth >= 0.9 * (before - best) - noise * before, seed
        errors.append(abs(predicted["predicted_ns"] / truth - 1))
    assert float(np.median(errors)) <= 0.01


@pytest.mark.slow
def test_written_files_are_read_back_as_what_ifs(tw: Tw, tiny: Path, tmp_path: Path) -> None:
    rows, _ = optimized(tw, tiny, tmp_path / "out")
    (best,) = (row for row in rows if row["is_recommended"])

    for name in ("", dpro_files.MAPPING, dpro_files.BEST):
        call = f"strategy(file = {tmp_path / 'out' / name})"
        result = tw("replay", "--db", tiny, "--what-if", call, "--format", "json")
        predicted = max(row["predicted_ns"] for row in json.loads(result.out))
        assert predicted == pytest.approx(best["predicted_ns"])


def test_a_file_that_is_no_strategy_is_one_sentence(tw: Tw, tiny: Path, tmp_path: Path) -> None:
    path = tmp_path / "strategy.json"
    path.write_text('{"version": 7, "edits": []}')

    result = tw("replay", "--db", tiny, "--what-if", f"strategy(file = {path})")

    assert result.errors[0] == f"Error: {path} has version 7, not 1"


def test_changes_of_dpro_apply_one_after_another() -> None:
    changes = dpro_files.changes_between(["0+1+2", "3"], ["0+2+3", "1"], "host0.rank0")

    assert set(dpro_files.apply(["0+1+2", "3"], changes)) == {"0+2+3", "1"}
