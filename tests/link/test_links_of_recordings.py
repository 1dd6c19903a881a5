"""The links of real recordings against what the recordings themselves say of causes."""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from warehouse.ingest import pipeline
from warehouse.link.rebuild import relink
from warehouse.store import database

pytestmark = pytest.mark.integration  # all of it on recordings

#: CUDA, ROCm and MTIA; training and inference; with Python stacks, with waits, with graphs.
NAMES = (
    "a100_nccl", "mi300_resnet_train", "h100_qwen", "vllm_graph", "mtia_inference",
    "simple_add_sync", "event_sync", "triton",
)  # fmt: skip
WITH_ARROWS = [name for name in NAMES if name != "triton"]
#: Here calls carry the External id of their operator; in others they carry a number of their own.
NAMING_OPERATORS = ("a100_nccl", "mi300_resnet_train", "h100_qwen", "vllm_graph", "event_sync")

#: WarehouseCache by default; the others take most of a minute.
FAST = ("a100_nccl", "event_sync")


def marked(cases: Sequence[Any]) -> list[Any]:
    """The cases, those with another recording as slow tests."""
    return [
        case
        if (case if isinstance(case, str) else case[0]) in FAST
        else pytest.param(*([case] if isinstance(case, str) else case), marks=pytest.mark.slow)
        for case in cases
    ]


Rows = list[tuple[Any, ...]]
Pair = tuple[int, int]


@pytest.fixture(scope="module")
def recordings(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A warehouse in which each test finds the recording it names, as the run of that name."""
    return tmp_path_factory.mktemp("recordings") / "w.duckdb"


@pytest.fixture(autouse=True)
def _imported(request: pytest.FixtureRequest, recordings: Path, data_dir: Path) -> None:
    """Imports the recording a test names, if none before it did."""
    name = request.node.callspec.params.get("name", FAST[0])
    path = data_dir / "kineto" / name / "trace.json.gz"
    pipeline.import_paths([path], db=recordings, options=pipeline.Options(run=name))


def rows(db: Path, name: str, sql: str) -> Rows:
    """Of the run of that name; `sql` ends where a condition on x.trace_id can follow."""
    with database.Reader(db) as reader:
        found: Rows = reader.connection.execute(
            f"{sql} x.trace_id = (SELECT t.id FROM trace AS t JOIN run AS r ON r.id = t.run_id "
            "WHERE r.name = ?)",
            [name],
        ).fetchall()
    return found


def links(db: Path, name: str, *kinds: str) -> set[Pair]:
    listed = ", ".join(f"'{kind}'" for kind in kinds)
    sql = f"SELECT from_id, to_id FROM link AS x WHERE kind IN ({listed}) AND"
    return {(cause, effect) for cause, effect in rows(db, name, sql)}


def at_places(db: Path, name: str, table: str) -> dict[Pair, set[int]]:
    """(track, ts) -> the slices of a kind that begin there."""
    found = defaultdict(set)
    for slice_id, *place in rows(
        db, name, f"SELECT slice_id, track_id, ts FROM {table} AS x WHERE"
    ):
        found[tuple(place)].add(slice_id)
    return found


class Arrows:
    """The recorded arrows from calls to device work, found by where their ends are."""

    def __init__(self, db: Path, name: str) -> None:
        calls, work = at_places(db, name, "launch"), at_places(db, name, "gpu_op")
        starts: dict[str, set[int]] = {}
        ends: list[tuple[str, set[int], set[int]]] = []
        for phase, key, *place in rows(
            db, name,
            "SELECT phase, flow_key, track_id, ts FROM flow_point AS x "
            "WHERE category IN ('ac2g', 'async_cpu_to_gpu') AND",
        ):  # fmt: skip
            here = calls.get(tuple(place), set())
            if phase == "s":
                assert here
                starts[key] = here
            else:
                ends.append((key, here, work.get(tuple(place), set())))
        #: Each arrow as all pairs of slices it can mean: two may begin at one place.
        self.to_work = [(starts[key], there) for key, _, there in ends if key in starts and there]
        self.starting = {call for here in starts.values() for call in here}
        self.n_nowhere = sum(not here and not there for _, here, there in ends)


@pytest.mark.slow
@pytest.mark.parametrize("name", marked(WITH_ARROWS))
def test_every_recorded_arrow_from_a_call_to_device_work_is_a_link(
    recordings: Path, name: str
) -> None:
    arrows = Arrows(recordings, name)
    linked = links(recordings, name, "launch", "sync_call")

    assert arrows.to_work
    for calls, work in arrows.to_work:
        assert any((call, effect) in linked for call in calls for effect in work)


@pytest.mark.parametrize("name", marked(WITH_ARROWS))
def test_every_link_of_a_call_that_begins_an_arrow_is_recorded(recordings: Path, name: str) -> None:
    arrows = Arrows(recordings, name)
    recorded = {(c, w) for calls, work in arrows.to_work for c in calls for w in work}
    linked = links(recordings, name, "launch", "sync_call")

    assert {pair for pair in linked if pair[0] in arrows.starting} <= recorded


@pytest.mark.parametrize("name", marked(WITH_ARROWS))
def test_every_other_recorded_end_is_at_the_call_itself(recordings: Path, name: str) -> None:
    assert Arrows(recordings, name).n_nowhere == 0


@pytest.mark.parametrize(("name", "n"), marked([("a100_nccl", 543), ("mi300_resnet_train", 213)]))
def test_sequence_numbers_find_what_the_arrows_to_backward_operators_say(
    recordings: Path, tmp_path: Path, name: str, n: int
) -> None:
    recorded = links(recordings, name, "forward_backward")
    db = Path(shutil.copy(recordings, tmp_path / "w.duckdb"))
    with database.writer(db) as connection:
        connection.execute("DELETE FROM flow_point WHERE category = 'fwdbwd'")
        ((run_id,),) = connection.execute("SELECT id FROM run WHERE name = ?", [name]).fetchall()
    list(relink(db, [run_id]))

    rules = rows(db, name, "SELECT rule FROM link AS x WHERE kind = 'forward_backward' AND")
    assert len(recorded) == n
    assert links(db, name, "forward_backward") == recorded
    assert set(rules) == {("sequence_number",)}


@pytest.mark.parametrize("name", marked(NAMING_OPERATORS))
def test_the_operator_around_a_call_is_the_one_its_external_id_names(
    recordings: Path, name: str
) -> None:
    """Calls the profiler saw no operator around have their correlation id in its place."""
    pairs = rows(
        recordings, name,
        "SELECT o.external_id, l.external_id FROM link AS x "
        "JOIN cpu_op AS o ON o.slice_id = x.from_id JOIN launch AS l ON l.slice_id = x.to_id "
        "WHERE x.kind = 'op_launch' AND l.external_id <> l.correlation_id AND",
    )  # fmt: skip

    assert pairs
    assert all(operator == named for operator, named in pairs)


@pytest.mark.parametrize("name", marked(NAMES))
def test_no_call_waits_for_work_that_ends_after_it(recordings: Path, name: str) -> None:
    late = rows(
        recordings, name,
        "SELECT x.id FROM link AS x JOIN gpu_op AS g ON g.slice_id = x.from_id "
        "JOIN launch AS l ON l.slice_id = x.to_id "
        "WHERE x.kind = 'wait' AND g.ts + g.dur > l.ts + l.dur AND",
    )  # fmt: skip

    assert late == []


@pytest.mark.parametrize(("name", "n_waits"), [("simple_add_sync", 20), ("event_sync", 1)])
def test_waits_are_for_the_last_work_of_what_was_waited_for(
    recordings: Path, name: str, n_waits: int
) -> None:
    """Every record of a wait, by a search through all work launched before it."""
    work = rows(
        recordings, name,
        "SELECT g.slice_id, g.device_id, g.stream, g.ts + g.dur, l.ts FROM gpu_op AS g "
        "JOIN link AS x ON x.to_id = g.slice_id AND x.kind = 'launch' "
        "JOIN launch AS l ON l.slice_id = x.from_id WHERE",
    )  # fmt: skip
    expected = set()
    for record, device, kind, stream, waited_on, since, call, upto in rows(
        recordings, name,
        "SELECT g.slice_id, g.device_id, g.sync_kind, g.stream, g.wait_on_stream, l.ts, "
        "l.slice_id, coalesce(e.ts, l.ts) FROM gpu_op AS g "
        "JOIN link AS x ON x.to_id = g.slice_id AND x.kind = 'sync_call' "
        "JOIN launch AS l ON l.slice_id = x.from_id LEFT JOIN launch AS e "
        "ON e.trace_id = l.trace_id AND e.correlation_id = g.wait_on_correlation_id "
        "WHERE l.name <> 'cudaEventQuery' AND",
    ):  # fmt: skip
        on = {"Stream Sync": stream, "Context Sync": None}.get(kind, waited_on)
        done = [
            (end, work_id) for work_id, where, place, end, launched in work
            if where == device and on in (None, place) and launched <= upto and end > since
        ]  # fmt: skip
        if done:
            expected.add((max(done)[1], record if kind == "Stream Wait Event" else call))

    found = {
        (cause, effect) for cause, effect, rule in rows(
            recordings, name, "SELECT from_id, to_id, rule FROM link AS x WHERE kind = 'wait' AND"
        ) if rule == "sync_record"
    }  # fmt: skip
    assert found == expected
    assert len(found) == n_waits


@pytest.mark.slow  # tests/queries/cases/link_module has the rule by default
@pytest.mark.parametrize("name", ["h100_qwen", "vllm_graph"])
def test_the_module_of_an_operator_is_the_last_to_begin_around_it(
    recordings: Path, name: str
) -> None:
    modules = defaultdict(list)
    for slice_id, track, ts, end in rows(
        recordings, name,
        "SELECT slice_id, track_id, ts, ts + dur FROM python_call AS x "
        "WHERE name LIKE 'nn.Module: %' AND",
    ):  # fmt: skip
        modules[track].append((ts, -end, slice_id))
    expected = set()
    for slice_id, track, ts, end in rows(
        recordings, name, "SELECT slice_id, track_id, ts, ts + dur FROM cpu_op AS x WHERE"
    ):
        around = [m for m in modules[track] if m[0] <= ts and end <= -m[1]]
        if around:
            expected.add((max(around)[2], slice_id))

    assert links(recordings, name, "module") == expected
