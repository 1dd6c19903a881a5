"""`tw trend`: the value of each run, its order, changes, conditions, and what is refused."""

from __future__ import annotations

import csv
import inspect
import io
import json
import random
import re
import zipfile
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import pytest

import warehouse
from tests.conftest import Tw
from tests.support.sharing import integration
from warehouse.errors import UsageError
from warehouse.schedule.definition import Definition
from warehouse.store import database

#: Durations of the steps of eight nightly runs, the last three 30 % slower, and of a run of another
#: model.
STEPS = {
    n: [round(1000 * (1.3 if n > 5 else 1) * random.Random(f"{n} {k}").gauss(1, 0.02))
        for k in range(6)]
    for n in range(1, 9)
}  # fmt: skip
OTHER = [50] * 6
_RUNS = """
INSERT INTO run (id, name, kind, created_at)
SELECT unnest($ids), unnest($names), 'measured', TIMESTAMP '2024-01-01';
INSERT INTO trace (id, run_id, name, rank, format, importer, importer_version, tw_version,
  imported_at, base_ns, source_base_ns, start_ts)
SELECT id, id, 't', 0, 'kineto', 'kineto', 1, '0', TIMESTAMP '2024-01-01',
  1704067200000000000 - id::BIGINT * 86400000000000, 0, 0
FROM (SELECT unnest($ids) AS id);
INSERT INTO tag (name, run_id, created_at)
SELECT unnest($tags), unnest($tagged), TIMESTAMP '2024-01-01';
INSERT INTO step (slice_id, trace_id, track_id, ts, dur, name, number)
SELECT trace * 4294967296 + number, trace, 0, number * 2000, dur, 's', number
FROM (SELECT unnest($traces) AS trace, unnest($numbers) AS number, unnest($durs) AS dur);
"""


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The later a run was imported, the earlier it was recorded; the tag `build` counts imports."""
    path = tmp_path_factory.mktemp("trend") / "w.duckdb"
    steps = [(n, k, dur) for n, durs in (STEPS | {9: OTHER}).items() for k, dur in enumerate(durs)]
    tags = [(f"build={n}", n) for n in STEPS]
    tags += [(f"model={'a' if n in STEPS else 'b'}", n) for n in (*STEPS, 9)]
    values = {
        "ids": list(range(1, 10)),
        "names": [f"run{n}" for n in range(1, 10)],
        "tags": [name for name, _ in tags],
        "tagged": [n for _, n in tags],
        "traces": [each[0] for each in steps],
        "numbers": [each[1] for each in steps],
        "durs": [each[2] for each in steps],
    }
    database.create_empty(path)
    with database.writer(path) as connection:
        for statement in connection.extract_statements(_RUNS):
            names = {name: values[name] for name in statement.named_parameters}
            connection.execute(statement, names)
    return path


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_a_run_with_which_the_mean_changes_begins_a_segment(db: Path, tw: Tw) -> None:
    ran = tw("trend", "step_summary", "host_ns", "--db", db, "--by", "build", "--format", "csv",
             "--where", "model=a", "--fail-if", "is_change AND n_later = 2 -- new")  # fmt: skip

    found = rows(ran.out)
    assert [row["run"] for row in found] == [f"run{n}" for n in STEPS]
    assert [float(row["value"]) for row in found] == pytest.approx(
        [mean(durs) for durs in STEPS.values()]
    )
    errors = [stdev(durs) / 6**0.5 for durs in STEPS.values()]
    assert [float(row["step_error"]) for row in found] == pytest.approx(errors)
    (change,) = [row for row in found if row["is_change"] == "true"]
    before, after = (mean(mean(STEPS[n]) for n in part) for part in ((1, 2, 3, 4, 5), (6, 7, 8)))
    assert (change["run"], change["segment"], change["n_later"]) == ("run6", "2", "2")
    assert float(change["change"]) == pytest.approx(after - before)
    assert float(change["change_ratio"]) == pytest.approx(after / before - 1)
    assert float(change["p"]) < 0.01 and float(change["p_steps"]) < 1e-6
    assert ran.code == 1
    assert "1 change of the mean of host_ns in 8 runs." in ran.err
    assert "FAIL: is_change AND n_later = 2 -- new: run6" in ran.err


@pytest.mark.slow
def test_runs_are_in_order_of_recording_and_may_lack_rows(db: Path) -> None:
    opened = warehouse.open(db)

    found = list(
        opened.trend("step_summary", "host_ns", only="step > 0 AND run_id < 9", aggregate="max")
    )

    assert [row["run_id"] for row in found] == list(range(9, 0, -1))
    assert found[0]["at"] == "2023-12-23 00:00:00"
    assert (found[0]["n_rows"], found[0]["value"], found[0]["segment"]) == (0, None, None)
    assert [row["value"] for row in found[1:]] == [max(STEPS[n][1:]) for n in range(8, 0, -1)]
    assert [row["run_id"] for row in found if row["is_change"]] == [5]
    assert {row["step_error"] for row in found} == {None}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("step_summary", "price"), "step_summary has no column 'price' of numbers"),
        (("step_summary", "host_ns", "--by", "commit"), "no run has a tag commit=VALUE"),
        (("step_summary", "host_ns", "--where", "model"), "--where model has no value"),
        (("compare_steps", "host_a_ns", "-p", "a=1", "-p", "b=2"), "compare_steps is itself a"),
        integration(("runs", "span_ns", "--only", "price > 1"), "--only: invalid condition: "),
        integration(("runs", "span_ns", "--fail-if", ""), "--fail-if: invalid condition: "),
    ],
)
def test_what_cannot_be_followed_is_one_sentence(
    arguments: tuple[str, ...], message: str, db: Path, tw: Tw
) -> None:
    ran = tw("trend", *arguments, "--db", db)

    assert ran.code != 0
    assert ran.errors[0].startswith(f"Error: {message}")


@pytest.mark.integration
def test_an_unknown_aggregate_is_refused(db: Path) -> None:
    with pytest.raises(UsageError, match="aggregate 'mode' not found"):
        warehouse.open(db).trend("step_summary", "host_ns", aggregate="mode")  # type: ignore[arg-type]


@pytest.mark.integration
def test_few_runs_are_not_judged(db: Path, tw: Tw) -> None:
    ran = tw("trend", "step_summary", "host_ns", "--db", db, "--run", "run1", "--run", "run6")

    assert ran.code == 0
    assert "too few to find changes; `tw compare`" in ran.err


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (("--where", "model=nosuch"), "No run in scope has these tags."),
        (("--only", "host_ns < 0"), "No run in scope has a value of host_ns."),
    ],
)
def test_why_there_is_nothing_to_follow_is_explained(
    db: Path, tw: Tw, given: tuple[str, str], sentence: str
) -> None:
    ran = tw("trend", "step_summary", "host_ns", "--db", db, *given)

    assert ran.code == 0
    assert ran.err.splitlines()[-1] == sentence


def _page_data(path: Path) -> Any:
    (text,) = re.findall(r'id="report-data">(.*?)</script>', path.read_text())
    return json.loads(text)


@pytest.mark.slow
def test_a_page_and_a_workbook_mark_the_changes(db: Path, tw: Tw, tmp_path: Path) -> None:
    given = ("trend", "step_summary", "host_ns", "--db", db, "--by", "build", "--where", "model=a")
    change = mean(mean(STEPS[n]) for n in (6, 7, 8)) / mean(mean(STEPS[n]) for n in range(1, 6))

    page, book = tmp_path / "t.html", tmp_path / "t.xlsx"
    assert tw(*given, "-o", page).code == tw(*given, "-o", book).code == 0

    (section,) = _page_data(page)["sections"]
    assert section["about"] == "1 change of the mean of host_ns in 8 runs"
    (side,) = section["sides"]
    value, typical = side["chart"]["series"]
    assert [y for _, y in value["points"]] == pytest.approx([mean(each) for each in STEPS.values()])
    assert [x for x, y in typical["points"] if y is None] == [6]
    (mark,) = side["chart"]["marks"]
    assert mark["x"] == 6 and mark["text"].startswith(f"+{change - 1:.1%}".replace("%", " %, p = "))
    assert side["chart"]["names"]["6"] == "run6"
    with zipfile.ZipFile(book) as opened:
        chart = opened.read("xl/charts/chart1.xml").decode()
    plain = chart.replace("\N{NO-BREAK SPACE}", " ").replace("\N{NON-BREAKING HYPHEN}", "-")
    assert mark["text"] in plain and mark["text"] not in chart
    assert chart.count('<c:dLblPos val="l"/>') > 0
    cells = re.findall(r"<c:yVal><c:numRef><c:f>'Trend of host_ns'!([^<]*)</c:f>", chart)
    assert cells == ["$E$2:$E$9", "$F$2:$F$6", "$F$7:$F$9", "$E$7"]


def test_the_level_is_the_documented_one_everywhere(tw: Tw) -> None:
    page = (Path(__file__).parents[2] / "docs/trend.md").read_text()
    (documented,) = re.findall(r"`--level`, ([0-9.]+) unless given", page)

    help_text = " ".join(tw("trend", "--help").out.split())
    assert f"[default: {documented};" in help_text[help_text.index("--level") :]
    given = inspect.signature(warehouse.Warehouse.trend).parameters["level"].default
    assert given == Definition("a", "0 0 * * *").level == float(documented)
