"""`tw compare` and its queries: exact sums, plain counts, and what must hold by symmetry."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter, defaultdict
from decimal import Decimal
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import pytest

from tests.support import compare_noise as noise
from tests.support.launching import operators
from tests.support.randomtrace import import_jobs, make
from tests.support.sharing import slow
from warehouse.errors import ScopeError
from warehouse.ingest import pipeline
from warehouse.library import library
from warehouse.query import comparison, session
from warehouse.query.selection import Selection
from warehouse.store import database

if TYPE_CHECKING:
    from tests.conftest import Tw
    from tests.support.randomtrace import RandomTrace, Runs

Row = dict[str, Any]
LIBRARY = library.load()
COMPARISONS = (
    "compare_collectives", "compare_kernels", "compare_ops", "compare_steps", "compare_summary"
)  # fmt: skip
ONE_OR_ALL = [COMPARISONS[0], *map(slow, COMPARISONS[1:])]
KERNELS_OR_ALL = [each if each == "compare_kernels" else slow(each) for each in COMPARISONS]
WORK = ("kernel", "gpu_memcpy", "gpu_memset")


def compared(path: Path, query: str, a: str, b: str, **limits: Any) -> list[Row]:
    with session.opened(session.Place(path)) as opened:
        found: list[Row] = opened.run(query, {"a": a, "b": b, **limits}).table().to_pylist()
    return found


# --- random traces against plain counts


def device_time(trace: RandomTrace) -> dict[str, int]:
    total: Counter[str] = Counter()
    for each in trace.device_work:
        total[each.name] += max(each.dur, 0)
    return total


def per_step(trace: RandomTrace, name: str) -> list[int]:
    times = {step.mark: 0 for step in trace.steps}
    for each in trace.device_work:
        step = trace.step_of(each)
        if each.name == name and step is not None:
            times[step.mark] += max(each.dur, 0)
    return list(times.values())


def is_caused(a: RandomTrace, b: RandomTrace, name: str) -> bool:
    """Whether the step of all work of that name is known from its launch, not from its time."""
    work = [(trace, each) for trace in (a, b) for each in trace.device_work if each.name == name]
    return all(trace.cause(each) is not None for trace, each in work)


def test_kernels_equal_a_plain_count(random_runs: Runs) -> None:
    (a,), (b,) = random_runs.jobs["seed-0"], random_runs.jobs["seed-1"]
    before, after = device_time(a), device_time(b)

    rows = compared(random_runs.path, "compare_kernels", "seed-0", "seed-1")

    assert sum(row["total_a_ns"] for row in rows) == sum(before.values())
    assert sum(row["total_b_ns"] for row in rows) == sum(after.values())
    compared_rows = [row for row in rows if row["status"] != "outside"]
    assert sum(row["share_of_change"] for row in compared_rows) == pytest.approx(1)
    for side, trace, total in (("a", a, before), ("b", b, after)):
        for row in compared_rows:
            assert row["basis"] == "step"
            name = row[f"name_{side}"]
            assert row[f"total_{side}_ns"] <= sum(total[each] for each in split(name))
            assert row[f"per_unit_{side}_ns"] == pytest.approx(
                row[f"total_{side}_ns"] / len(trace.steps)
            )
    sizes = [abs(row["change_ns"]) for row in compared_rows]
    assert sizes == sorted(sizes, reverse=True)


def split(name: str | None) -> list[str]:
    return name.split(" + ") if name else []


@pytest.mark.integration
def test_spread_between_steps_is_that_of_the_plain_test(random_runs: Runs) -> None:
    (a,), (b,) = random_runs.jobs["seed-0"], random_runs.jobs["seed-1"]
    rows = compared(random_runs.path, "compare_kernels", "seed-0", "seed-1")
    names = Counter(row["name_a"] for row in rows)
    checked = 0

    for row in rows:
        name = row["name_a"]
        if row["match_rule"] != "name" or names[name] > 1 or not is_caused(a, b, name):
            continue
        x, y = per_step(a, row["name_a"]), per_step(b, row["name_b"])
        assert (row["n_steps_a"], row["n_steps_b"]) == (len(x), len(y))
        assert row["per_unit_a_ns"] == pytest.approx(fmean(x))
        assert row["per_unit_b_ns"] == pytest.approx(fmean(y))
        expected = noise.expected([list(map(float, x))], [list(map(float, y))])
        assert row["typical_change_ns"] == pytest.approx(expected.typical_b - expected.typical_a)
        assert row["t"] == near(expected.t)
        assert row["degrees_of_freedom"] == near(expected.freedom)
        assert row["p"] == near(expected.p)
        assert (row["change_low_ns"], row["change_high_ns"]) == (
            near(expected.low), near(expected.high),
        )  # fmt: skip
        checked += row["p"] is not None
    assert checked > 3
    known = [row["p"] for row in rows if row["p"] is not None]
    assert [row["q"] for row in rows if row["p"] is not None] == near(noise.corrected(known))
    assert {row["n_tested"] for row in rows if row["status"] != "outside"} == {len(known)}


def near(value: Any) -> Any:
    return None if value is None else pytest.approx(value, abs=1e-9)


@pytest.mark.integration
def test_operators_equal_a_plain_count(random_runs: Runs) -> None:
    (a,), (b,) = random_runs.jobs["seed-2"], random_runs.jobs["seed-3"]

    rows = {
        row["name"]: row for row in compared(random_runs.path, "compare_ops", "seed-2", "seed-3")
    }

    for side, trace in (("a", a), ("b", b)):
        marks = {each.mark for each in trace.operators}
        below: Counter[int] = Counter()
        for each in trace.operators:
            parent = trace.parent(each)
            while parent is not None and parent.mark not in marks:
                parent = trace.parent(parent)
            if parent is not None:
                below[parent.mark] += max(each.dur, 0)
        calls, own, device = Counter[str](), Counter[str](), Counter[str]()
        for each in trace.operators:
            calls[each.name] += 1
            own[each.name] += max(max(each.dur, 0) - below[each.mark], 0)
        for each in trace.device_work:
            call = trace.cause(each)
            around = operators(trace, call) if call else []
            device[around[0].name if around else "(no operator)"] += max(each.dur, 0)
        for column, count in (("n_calls_{}", calls), ("self_{}_ns", own), ("device_{}_ns", device)):
            assert sum(row[column.format(side)] for row in rows.values()) == count.total()
            for name, row in rows.items():
                assert row[column.format(side)] <= count[name] or row["status"] == "outside", name


# --- what must hold whatever the traces


@pytest.mark.parametrize("query", ONE_OR_ALL)
def test_a_run_compared_with_itself_has_not_changed(random_runs: Runs, query: str) -> None:
    rows = compared(random_runs.path, query, "two-ranks", "two-ranks")

    assert rows
    for row in rows:
        assert row.get("status") in (None, "same", "both", "outside")
        for name, value in row.items():
            if name.endswith(("change_low", "change_low_ns")):
                assert value is None or value == -row[name.replace("_low", "_high")] <= 0, name
            elif "change" in name and "_high" not in name:
                assert value in (0, None), name
            if name == "p" or name.endswith("_p"):
                assert value is None or value == pytest.approx(1)


OPPOSITE = {"added": "removed", "removed": "added"}


def turned(row: Row) -> Row:
    """What a row must be with the sides exchanged."""

    def other(name: str) -> str:
        exchanged = {"a": "b", "b": "a", "low": "high", "high": "low"}
        return "_".join(exchanged.get(part, part) for part in name.split("_"))

    found = {other(name): value for name, value in row.items()}
    for name, value in found.items():
        is_change = name in ("t", "self_t", "device_t") or re.search(
            "^(?!share).*change(_low|_high)?(_ns)?$", name
        )
        if is_change and value is not None:
            found[name] = -value
    found["status"] = OPPOSITE.get(row.get("status", ""), row.get("status"))
    # A share of what it was is another one from the other side; these names are those of side b.
    of_b = ("op_name", "kernel_name", "kernel_category")
    return {k: v for k, v in found.items() if not k.endswith("change_ratio") and k not in of_b}


@pytest.mark.slow
@pytest.mark.parametrize("query", KERNELS_OR_ALL)
@pytest.mark.parametrize(("a", "b"), [slow("seed-0", "seed-1"), ("two-ranks", "three-ranks")])
def test_exchanged_sides_turn_every_change_round(
    random_runs: Runs, query: str, a: str, b: str
) -> None:
    forward = [turned(row) for row in compared(random_runs.path, query, a, b)]
    back = [{**row, "status": row.get("status")} for row in compared(random_runs.path, query, b, a)]

    expected = {key_of(row): row for row in forward}
    assert len(back) == len(forward)
    for row in back:
        assert {k: row[k] for k in expected[key_of(row)]} == pytest.approx(expected[key_of(row)])


def key_of(row: Row) -> tuple[Any, ...]:
    names = ("pair", "position", "measure", "kind", "class", "name", "name_a", "name_b",
             "group_size", "data_type", "message_bytes")  # fmt: skip
    return tuple(row.get(name) for name in names)


@pytest.mark.slow
def test_tenfold_times_are_a_tenfold_run(tmp_path: Path) -> None:
    trace = make(5, odd=False, steps=3)
    slow = [
        {**each, **{key: each[key] * 10 for key in ("ts", "dur") if key in each}}
        for each in trace.events
    ]
    runs = import_jobs(tmp_path / "w.duckdb", {"one": [trace], "ten": [trace.changed(slow)]})

    rows = compared(runs.path, "compare_kernels", "one", "ten")
    summary = {row["measure"]: row for row in compared(runs.path, "compare_summary", "one", "ten")}

    assert {row["match_rule"] for row in rows} == {"name"}
    assert {row["total_b_ns"] for row in rows} == {row["total_a_ns"] * 10 for row in rows}
    for measure in ("step_time", "device_time", "device_busy", "operator_time"):
        assert summary[measure]["change_ratio"] == pytest.approx(9)
    assert summary["n_device_ops"]["change"] == 0


@pytest.mark.integration
def test_other_numbers_of_traces_are_compared_a_step(random_runs: Runs) -> None:
    rows = compared(random_runs.path, "compare_summary", "two-ranks", "three-ranks")

    for row in rows:
        if row["not_compared"] is None:
            assert row["basis"] == "step"
        if row["basis_a"]:
            assert row["change_ratio"] == pytest.approx(row["basis_b"] / row["basis_a"] - 1)


@pytest.mark.slow
def test_limits_leave_out_rows_and_not_the_whole(random_runs: Runs) -> None:
    everything = compared(random_runs.path, "compare_kernels", "seed-0", "seed-1")
    first = compared(random_runs.path, "compare_kernels", "seed-0", "seed-1", top=2)
    much = compared(random_runs.path, "compare_kernels", "seed-0", "seed-1", threshold=0.5)

    assert first == [*everything[:2], *(r for r in everything[2:] if r["status"] == "outside")]
    assert much == [
        row for row in everything
        if row["status"] in ("added", "removed", "outside")
        or abs(row["change_ns"]) >= 0.5 * row["per_unit_a_ns"]
    ]  # fmt: skip


# --- which traces are compared


@pytest.mark.slow
def test_a_comparison_sees_its_sides_and_nothing_else(random_runs: Runs) -> None:
    with session.opened(session.Place(random_runs.path)) as opened:
        before = opened.seen
        opened.run("compare_summary", {"a": "seed-0", "b": "two-ranks"}).table()
        during = opened.seen.run_names
        opened.run("runs").table()
        after = opened.seen

    assert during == ("seed-0", "two-ranks")
    assert after == before


def test_after_a_side_that_is_nothing_a_statement_sees_what_was_chosen(random_runs: Runs) -> None:
    count = "SELECT count(DISTINCT run_id) AS n FROM trace"
    with session.opened(session.Place(random_runs.path), Selection(runs=("seed-0",))) as opened:
        before = opened.run(count).rows()
        with pytest.raises(ScopeError):
            opened.run("compare_summary", {"a": "seed-0", "b": "seed-99"})
        after = opened.run(count).rows()

    assert before == after == [(1,)]


@pytest.mark.integration
def test_ranks_limit_both_sides(random_runs: Runs) -> None:
    chosen = Selection(runs=("all",), ranks=(1,))

    with session.opened(session.Place(random_runs.path), chosen) as opened:
        result = opened.run("compare_size", {"a": "two-ranks", "b": "three-ranks"})
        (row,) = result.table().to_pylist()

    assert (row["n_traces_a"], row["n_traces_b"]) == (1, 1)


def test_a_side_that_is_nothing_is_named(random_runs: Runs) -> None:
    with database.Reader(random_runs.path) as reader:
        for texts, message in (
            ({"a": "seed-0", "b": "seed-99"}, "side b: no run, trace or tag is named 'seed-99'"),
            ({"a": "tag:none", "b": "seed-0"}, "side a: no run, trace or tag is named 'tag:none'"),
        ):
            with pytest.raises(ScopeError, match=message):
                comparison.widened(reader.connection, LIBRARY, texts, Selection())
        with pytest.raises(ScopeError, match="side b, 'seed-1', has no trace in scope"):
            comparison.widened(
                reader.connection, LIBRARY, {"a": "seed-0", "b": "seed-1"},
                Selection(runs=("seed-0",)),
            )  # fmt: skip


# --- a real pair


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory, data_dir: Path) -> Path:
    path = tmp_path_factory.mktemp("pair") / "w.duckdb"
    for run in ("control", "test"):
        file = data_dir / "kineto" / "diff_pair" / f"{run}.json.gz"
        (outcome,) = pipeline.import_paths(
            [file], db=path, options=pipeline.Options(run=run, jobs=1)
        )
        assert outcome.error is None
    return path


def events(data_dir: Path, run: str) -> list[Row]:
    with gzip.open(data_dir / "kineto" / "diff_pair" / f"{run}.json.gz") as file:
        found = json.load(file, parse_float=Decimal)["traceEvents"]
    return [each for each in found if each["ph"] == "X" and "cat" in each]


@pytest.mark.slow
def test_changes_of_a_real_pair_add_up_to_the_nanosecond(pair: Path, data_dir: Path) -> None:
    totals: dict[str, dict[str, int]] = {}
    for run in ("control", "test"):
        total: dict[str, int] = defaultdict(int)
        for each in events(data_dir, run):
            if each["cat"] in WORK:
                total[each["name"]] += int(Decimal(str(each["dur"])) * 1000)
        totals[run] = total
    expected = sum(totals["test"].values()) - sum(totals["control"].values())

    kernels = compared(pair, "compare_kernels", "control", "test")
    ops = compared(pair, "compare_ops", "control", "test")
    summary = {row["measure"]: row for row in compared(pair, "compare_summary", "control", "test")}

    assert expected == 462_195_000
    assert sum(row["total_b_ns"] - row["total_a_ns"] for row in kernels) == expected
    assert sum(row["device_b_ns"] - row["device_a_ns"] for row in ops) == expected
    change = summary["device_time"]["change"]
    assert sum(row["change_ns"] or 0 for row in kernels) == pytest.approx(change)
    assert sum(row["device_change_ns"] or 0 for row in ops) == pytest.approx(change)


@pytest.mark.slow
def test_the_operators_of_a_real_pair_are_those_of_the_files(pair: Path, data_dir: Path) -> None:
    """Holistic Trace Analysis 0.5.0 finds the same: 72 deleted and 3 added operators (it adds two
    calls of the runtime, cudaDriverGetVersion and cudaGraphLaunch), 66 deleted and 27 added names
    of device work, with those that were renamed counted as both; two are added outside of steps."""
    counts = {
        run: Counter(each["name"] for each in events(data_dir, run) if each["cat"] == "cpu_op")
        for run in ("control", "test")
    }

    rows = {row["name"]: row for row in compared(pair, "compare_ops", "control", "test")}

    before, after = counts["control"], counts["test"]
    assert (len(set(before) - set(after)), len(set(after) - set(before))) == (72, 3)
    kernels = compared(pair, "compare_kernels", "control", "test")
    lone = [row for row in kernels if row["name_a"] != row["name_b"]]
    assert sum(len(split(row["name_a"])) for row in lone) == 66
    assert sum(len(split(row["name_b"])) for row in lone) == 27
    assert {n for n, row in rows.items() if row["status"] == "added"} == set(after) - set(before)
    assert {n for n, row in rows.items() if row["status"] == "removed"} == set(before) - set(after)
    outside = rows.pop("(outside of steps)")
    for side, count in (("a", before), ("b", after)):
        missing = {name: n - rows[name][f"n_calls_{side}"] for name, n in count.items()}
        assert min(missing.values()) >= 0
        assert sum(missing.values()) == outside[f"n_calls_{side}"]


@pytest.mark.slow
def test_the_device_time_of_a_real_pair_equals_the_exact_count(pair: Path, data_dir: Path) -> None:
    summary = {row["measure"]: row for row in compared(pair, "compare_summary", "control", "test")}

    for side, run in (("a", "control"), ("b", "test")):
        path = data_dir / "kineto" / "diff_pair" / f"expected_exact_{run}.json"
        exact = json.loads(path.read_text())
        parts = [summary[name][f"total_{side}"] for name in ("device_time", "device_time_outside")]
        assert f'"sum_dur_ns": {sum(parts)}' in json.dumps(exact)


# --- the command

REPORT = """\
A: {} (1 trace, {})
B: {} (1 trace, {})
Changes are B minus A, of means per step.
"""


@pytest.mark.integration
def test_the_report_names_both_sides_and_their_steps(tw: Tw, tmp_path: Path) -> None:
    make_pair(tmp_path / "traces.duckdb", 110)

    ran = tw("compare", "a", "b")

    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(REPORT.format("a", "1 step", "b", "1 step"))
    assert "\nSteps, by number and time" in ran.out


@pytest.mark.slow
def test_the_report_says_what_is_compared(tw: Tw, random_runs: Runs) -> None:
    ran = tw("compare", "seed-0", "seed-0", "--db", random_runs.path)

    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(REPORT.format(*["seed-0", "3 steps"] * 2))
    for title in ("measure", "Device work that", "Operators that", "Steps, by number and time"):
        assert f"\n{title}" in ran.out


@pytest.mark.integration
@pytest.mark.parametrize("by", ["step", *map(slow, ("summary", "kernel", "collective", "op"))])
def test_each_table_is_its_query(tw: Tw, random_runs: Runs, by: str) -> None:
    query = {
        "kernel": "compare_kernels", "op": "compare_ops", "collective": "compare_collectives",
        "step": "compare_steps",
    }.get(by, "compare_summary")  # fmt: skip

    ran = tw(
        "compare", "seed-0", "seed-1", "--by", by, "--format", "json", "--db", random_runs.path
    )
    asked = tw("query", query, "-p", "a=seed-0", "-p", "b=seed-1", "--format", "json", "--db",
               random_runs.path)  # fmt: skip

    assert ran.out == asked.out
    assert json.loads(ran.out)
    assert (ran.err, asked.err) == ("", "")


@pytest.mark.slow
def test_slower_fails_where_asked_to(tw: Tw, tmp_path: Path) -> None:
    make_pair(tmp_path / "traces.duckdb", 110)

    slower = tw("compare", "a", "b", "--fail-if-slower", "5%", "--by", "summary")
    within = tw("compare", "a", "b", "--fail-if-slower", "0.1", "--by", "summary")
    faster = tw("compare", "b", "a", "--fail-if-slower", "0%", "--by", "summary")

    assert (slower.code, within.code, faster.code) == (1, 0, 0)
    reservation = "Judged without an interval: a side has fewer than two steps.\n"
    judged = "step_time (mean a step): B is 10.00% slower;"
    assert slower.err == f"{judged} more than the limit of 5.00%.\n{reservation}"
    assert within.err == f"{judged} within the limit of 10.00%.\n{reservation}"
    assert "B is 9.09% faster" in faster.err


@pytest.mark.slow
def test_nothing_to_judge_is_a_failure(tw: Tw, tmp_path: Path) -> None:
    make_pair(tmp_path / "traces.duckdb", None)

    ran = tw("compare", "a", "b", "--fail-if-slower", "5%")

    assert ran.code == 1
    assert ran.errors[0].startswith("Error: no measure to compare")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("a", "q"), "side b: no run, trace or tag is named 'q'"),
        (
            ("a", "b", "--by", "op", "--format", "report"),
            "--by cannot be combined with --format report",
        ),
    ],
)
def test_a_wrong_comparison_is_one_sentence(
    tw: Tw, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    make_pair(tmp_path / "traces.duckdb", 110)

    ran = tw("compare", *arguments)

    assert (ran.code, ran.out) == (2, "")
    assert ran.errors == [f"Error: {message}"]


@pytest.mark.integration
def test_a_trace_that_a_run_lacks_is_answered_by_those_it_has(tw: Tw, tmp_path: Path) -> None:
    make_pair(tmp_path / "traces.duckdb", 110)
    statement = "SELECT name FROM trace WHERE run_id = 1"
    (trace,) = json.loads(tw("query", statement, "--run", "all", "--format", "json").out)

    ran = tw("compare", "a/7", "b")

    assert ran.err.startswith("Error: side a: no run, trace or tag is named 'a/7'")
    assert f"Hint: Traces of a: {trace['name']}. Use" in ran.err


def test_a_share_is_written_with_or_without_percent(tw: Tw, tmp_path: Path) -> None:
    make_pair(tmp_path / "traces.duckdb", 110)

    ran = tw("compare", "a", "b", "--threshold", "five")

    assert ran.code == 2
    assert "expected e.g. 5% or 0.05" in ran.err


def make_pair(path: Path, step_ns: int | None) -> None:
    """Runs `a` and `b` with a step of 100 ns and of `step_ns`; None: both without steps."""
    import duckdb

    database.create_empty(path)
    with duckdb.connect(str(path)) as connection:
        for number, name, length in ((1, "a", 100), (2, "b", step_ns)):
            connection.execute(
                "INSERT INTO run (id, name, kind, created_at) "
                "VALUES (?, ?, 'measured', TIMESTAMP '2024-01-01')",
                [number, name],
            )
            connection.execute(
                "INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, "
                "tw_version, imported_at, base_ns, source_base_ns) "
                "VALUES (?, ?, 't', 0, 'kineto', 'k', 1, '0', TIMESTAMP '2024-01-01', 0, 0)",
                [number, number],
            )
            if step_ns is not None:
                connection.execute(
                    "INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number) "
                    "VALUES (?, ?, 0, 0, ?, 's', 1)",
                    [number, number, length],
                )
