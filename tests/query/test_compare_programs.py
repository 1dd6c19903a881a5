"""Comparisons of simulated programs: a known change is first, with its true difference per step.

What the profiler recorded otherwise of the same program is no change: it counts as 0, or is named
and not compared.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.compare_programs import (
    CHANGES,
    RANK_CHANGES,
    SETTINGS,
    Change,
    Operator,
    Program,
    Recorder,
    all_events,
    imported,
    random_program,
    work,
)
from tests.support.compare_rows import TABLES as WRITTEN
from tests.support.compare_rows import Pairs, pairs
from tests.support.sharing import build_once, chosen, slow
from warehouse.query import session

if TYPE_CHECKING:
    from tests.conftest import Tw

Row = dict[str, Any]
#: Noise of the length of each kernel, by seed; without any, figures are exact.
NOISE = (0.0, 0.002)
FIRST_SLOW, LAST = 1, 20
#: A length, a count, a match by name and one that lacks.
FIRST_CHANGES = ("2-percent", "called-twice", "other-tiles", "split")
#: Steps that lack on one side, frames within operators, and times from another base.
FIRST_SETTINGS = ("warm-up", "frames")


@pytest.fixture(scope="module")
def written() -> Iterator[Pairs]:
    with pairs() as opened:
        yield opened


def program(seed: int, **fields: Any) -> Program:
    return random_program(seed, noise=NOISE[seed % 2], **fields)


def compared(db: Path, a: str, b: str, *names: str) -> dict[str, list[Row]]:
    with session.opened(session.Place(db)) as opened:
        return {
            name: opened.run(f"compare_{name}", {"a": a, "b": b}).table().to_pylist()
            for name in names
        }


def ranks_of(place: Path, seed: int) -> Path:
    """A warehouse of a program of two ranks, and its changes."""

    def make(path: Path) -> None:
        several = program(seed, n_ranks=2, n_steps=4)
        changed = {name: (make(several).program, Recorder()) for name, make in RANK_CHANGES.items()}
        imported(path, {"ranks": (several, Recorder()), **changed})

    return build_once(place / f"ranks-{seed}.duckdb", make)


def settings_of(place: Path, names: set[Any]) -> Path:
    """A warehouse of one program, recorded with these settings of the profiler."""

    def make(path: Path) -> None:
        base = random_program(1, n_steps=5)
        fewer = replace(base, n_steps=4)
        others = {
            name: (fewer if name in ("no-calls", "warm-up") else base, recorder)
            for name, recorder in SETTINGS.items()
            if name in names
        }
        imported(path, {"base": (base, Recorder()), **others})

    return build_once(place / f"settings-{'-'.join(sorted(names))}.duckdb", make)


def check_change(rows: list[Row], summary: list[Row], change: Change, noise: float) -> None:
    first = rows[0]
    assert change.may_be_first(first)
    assert first["basis"] == "step"
    # Within 10 %, and within the noise of means over some steps of the kernels in the row.
    spread = 3 * noise * max(first["per_unit_a_ns"], first["per_unit_b_ns"])
    assert first["change_ns"] == pytest.approx(
        change.difference_ns, abs=0.1 * change.difference_ns + spread
    )
    (device_time,) = [row for row in summary if row["measure"] == "device_time"]
    total = sum(row["change_ns"] for row in rows if row["change_ns"] is not None)
    assert total == pytest.approx(device_time["change"])
    if device_time["change"]:
        assert sum(row["share_of_change"] or 0 for row in rows) == pytest.approx(1)


@pytest.mark.slow
def test_one_change_is_first_though_the_numbers_of_steps_differ(tmp_path: Path) -> None:
    """Ten steps against nine: kernels that did not change have no difference."""
    before = random_program(0, n_steps=10)
    change = CHANGES["20-percent"](before)
    after = replace(change.program, n_steps=9)
    db = imported(tmp_path / "w.duckdb", {"a": (before, Recorder()), "b": (after, Recorder())})

    found = compared(db, "a", "b", "kernels", "summary")

    first, *others = found["kernels"]
    assert first["change_ratio"] == pytest.approx(0.2)
    assert {row["change_ns"] for row in others} == {0}
    assert {row["status"] for row in others} == {"same"}
    check_change(found["kernels"], found["summary"], change, 0)


@pytest.mark.slow
def test_rows_written_directly_compare_as_those_of_an_import(
    written: Pairs, tmp_path: Path
) -> None:
    """Their times are exact in the documents, too: they count from a base."""
    base = random_program(1, n_steps=5, noise=0.01)
    after, recorder = CHANGES["20-percent"](base).program, Recorder(has_base=True)
    db = imported(tmp_path / "w.duckdb", {"a": (base, recorder), "b": (after, recorder)})
    a, b = all_events(base, recorder, 0)[0], all_events(after, recorder, 1)[0]

    assert written.compared(a, b, *WRITTEN) == compared(db, "a", "b", *WRITTEN)


SEEDS = [*range(FIRST_SLOW), *(slow(seed) for seed in range(FIRST_SLOW, LAST))]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [name if name in FIRST_CHANGES else slow(name) for name in CHANGES]
)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_known_change_is_first_with_its_difference(written: Pairs, seed: int, name: str) -> None:
    base = program(seed)
    change = CHANGES[name](base)
    a, b = all_events(base, Recorder(), 0)[0], all_events(change.program, Recorder(), 1)[0]

    found = written.compared(a, b, "kernels", "summary")

    if name == "2-percent" and base.noise:
        assert found["kernels"]  # within the noise
        return
    check_change(found["kernels"], found["summary"], change, base.noise)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_ranks_are_averaged(shared_place: Path, seed: int) -> None:
    several = program(seed, n_ranks=2, n_steps=4)
    change = RANK_CHANGES["other-ranks"](several)

    found = compared(ranks_of(shared_place, seed), "ranks", "other-ranks", "kernels", "summary")

    rows = [row for row in found["kernels"] if row["class"] != "communication"]
    assert change.first in rows[0]["name_a"]
    assert rows[0]["change_ns"] == pytest.approx(
        change.difference_ns, rel=0.1, abs=3 * several.noise * rows[0]["per_unit_b_ns"]
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "tables", [("kernels", "summary"), slow(("ops", "steps", "collectives"), id="others")]
)
@pytest.mark.parametrize(
    "setting", [name if name in FIRST_SETTINGS else slow(name) for name in SETTINGS]
)
def test_settings_of_the_profiler_are_not_changes(
    request: pytest.FixtureRequest, shared_place: Path, setting: str, tables: tuple[str, ...]
) -> None:
    db = settings_of(shared_place, chosen(request, "setting"))

    for name, rows in compared(db, "base", setting, *tables).items():
        for row in rows:
            check_nothing(name, row)


def test_a_recording_has_no_difference_from_itself(written: Pairs) -> None:
    events = all_events(program(1), Recorder(), 0)[0]

    for name, rows in written.compared(events, events, "kernels", "summary").items():
        for row in rows:
            check_nothing(name, row)


def check_nothing(table: str, row: Row) -> None:
    ends = {
        name: value for name, value in row.items() if "change_low" in name or "change_high" in name
    }
    changes = {value for name, value in row.items() if "change" in name and name not in ends}
    assert changes <= {0, None}, (table, row)
    assert all((value or 0) * (1 if "high" in name else -1) >= 0 for name, value in ends.items())
    allowed = {"same", "outside", "not_compared", None}
    allowed |= {"both", "added", "removed"} if table == "steps" else set()
    assert row.get("status") in allowed, (table, row)
    if table == "summary" and row["change"] is None:
        assert row["not_compared"]


BARE = Recorder(has_steps=False, has_operators=False, has_device=False)
#: Recorders of both sides, and what the report must name.
POOR = [
    (Recorder(), Recorder(has_steps=False), ["B has no steps: not compared.", "per recording"]),
    slow(Recorder(has_operators=False), Recorder(), ["A has no operators: not compared."]),
    slow(Recorder(), Recorder(has_device=False), ["B has no device work: not compared."]),
    slow(BARE, replace(BARE, is_shuffled=True), ["Nothing is compared."]),
    slow(Recorder(), Recorder(negative=3), ["B has 3 records of device work with a negative"]),
]


@pytest.mark.slow
@pytest.mark.parametrize(("before", "after", "named"), POOR)
def test_the_report_names_what_a_side_lacks(
    tw: Tw, tmp_path: Path, before: Recorder, after: Recorder, named: list[str]
) -> None:
    base = random_program(1, n_steps=3)
    db = imported(tmp_path / "w.duckdb", {"a": (base, before), "b": (base, after)})

    ran = tw("compare", "a", "b", "--db", db)

    assert (ran.code, ran.err) == (0, "")
    for text in named:
        assert text in ran.out


@pytest.mark.slow
def test_one_step_on_a_side_has_figures_without_a_probability(written: Pairs) -> None:
    base = random_program(1)
    change = CHANGES["20-percent"](base)
    one = replace(change.program, n_steps=1)
    a, b = all_events(base, Recorder(), 0)[0], all_events(one, Recorder(), 1)[0]

    found = written.compared(a, b, "kernels", "summary")

    check_change(found["kernels"], found["summary"], change, 0)
    assert {row["p"] for row in found["kernels"]} == {None}


@pytest.mark.integration
def test_programs_without_a_common_kernel_are_added_and_removed(written: Pairs) -> None:
    base = random_program(1, n_steps=3)
    (kernel,) = random.Random(1).sample([each for _, each in work(base)], 1)
    before = Program((Operator("one", (replace(kernel, name="before"),)),), n_steps=3)
    after = Program((Operator("two", (replace(kernel, name="after"),)),), n_steps=3)
    a, b = (all_events(each, Recorder(), 0)[0] for each in (before, after))

    rows = written.compared(a, b, "kernels")["kernels"]

    assert {(row["status"], row["name_a"], row["name_b"], row["change_ns"]) for row in rows} == {
        ("removed", "before", None, -kernel.ns),
        ("added", None, "after", kernel.ns),
    }
    assert {row["change_ratio"] for row in rows} == {-1, None}


@pytest.mark.slow
def test_the_rank_that_the_others_wait_for_is_first(tmp_path: Path) -> None:
    base = random_program(1, n_steps=4, n_ranks=3)
    slowed = replace(base, slow_ranks={1: 1.5})
    db = imported(tmp_path / "w.duckdb", {"a": (base, Recorder()), "b": (slowed, Recorder())})

    first, *others = compared(db, "a", "b", "ranks")["ranks"]

    own = sum(kernel.ns for _, kernel in work(base) if kernel.kind == "kernel") / 2
    assert (first["rank_a"], first["rank_b"]) == (1, 1)
    assert first["work_change_ns"] == pytest.approx(own)
    assert first["caused_wait_change_ns"] == pytest.approx(2 * own, rel=0.1)
    for row in others:
        assert row["work_change_ns"] == 0
        assert row["caused_wait_change_ns"] == 0
        assert row["wait_change_ns"] == pytest.approx(own, rel=0.1)
