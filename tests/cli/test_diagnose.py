"""`tw diagnose`: the text, rows for programs, conditions, and what cannot be judged."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from tests.conftest import Tw
from tests.export.test_key_figures import findings as findings_of_page
from tests.export.test_xlsx import Book
from tests.support.random_faults import LOADER, faulty
from tests.support.randomtrace import RandomTrace, import_jobs
from warehouse.diagnose import diagnosis, findings
from warehouse.diagnose.diagnosis import COLUMNS, Diagnosis
from warehouse.errors import UsageError
from warehouse.export.key_figures import Findings, KeyFigures
from warehouse.export.workbook.workbook import export_xlsx
from warehouse.query import alarm
from warehouse.query.result import QueryResult
from warehouse.query.session import Session

JOB = faulty(0, "loader")[1]
KINETO = Path(__file__).parents[1] / "data" / "kineto"


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program of three steps that waits for its loader."""
    return import_jobs(tmp_path_factory.mktemp("loader") / "w.duckdb", {"slow": JOB}).path


def busy_percent(trace: RandomTrace) -> float:
    """The share of the time from the first to the last work in which any runs."""
    busy = reached = 0
    work = sorted(trace.device_work, key=lambda each: each.ts)
    for each in work:
        busy += max(each.end - max(each.ts, reached), 0)
        reached = max(reached, each.end)
    return 100 * busy / (reached - work[0].ts)


@pytest.mark.integration
def test_the_text_says_what_costs_most_first(db: Path, tw: Tw) -> None:
    ran = tw("diagnose", "--db", db)

    assert ran.code == 0
    headline, _, first, about, *_ = ran.out.splitlines()
    assert headline.startswith(f"Run slow: 11.48 ms, devices busy {busy_percent(JOB[0]):.1f} %.")
    assert headline.endswith("Costs by replay, which without changes is off by 0.0 %.")
    assert first == " 1.  data_loading: 48.6 %, 5.575 ms (high)"
    assert about.startswith("     Steps wait for the next batch: 3 × enumerate(DataLoader)#")
    assert "\nNot judged:\n" in ran.out
    named = tw("diagnose", "--db", db, "--run", "slow")
    assert "     See: tw query annotation_summary@1 --run slow\n" in named.out
    assert max(map(len, ran.out.splitlines())) <= 100
    assert tw("diagnose", "--db", db, "-o", db.parent / "slow.txt").code == 0
    assert (db.parent / "slow.txt").read_text() == ran.out


@pytest.fixture
def diagnosed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """All commands of a test print the diagnosis that the first one makes."""
    diagnose, made = diagnosis.diagnose, list[Diagnosis]()

    def once(opened: Session, step: int | None) -> Diagnosis:
        if not made:
            made.append(diagnose(opened, step))
        return made[0]

    monkeypatch.setattr(diagnosis, "diagnose", once)


@pytest.mark.integration
@pytest.mark.usefixtures("diagnosed_once")
def test_severities_are_coloured_on_a_terminal_only(
    db: Path, tw: Tw, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_file = tw("diagnose", "--db", db).out
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("NO_COLOR", raising=False)
    on_terminal = tw("diagnose", "--db", db).out
    monkeypatch.setenv("NO_COLOR", "1")

    assert tw("diagnose", "--db", db).out == in_file
    assert re.search(r" 1\.  data_loading: .* \(\x1b\[[0-9;]+mhigh\x1b\[0m\)\n", on_terminal)
    assert re.sub(r"\x1b\[[0-9;]*m", "", on_terminal) == in_file


@pytest.mark.slow
def test_a_page_and_a_workbook_hold_the_priced_findings(db: Path, tw: Tw) -> None:
    rows = json.loads(tw("diagnose", "--db", db, "--format", "json").out)

    assert tw("diagnose", "--db", db, "-o", "slow.html").code == 0
    assert tw("diagnose", "--db", db, "-o", "slow.xlsx").code == 0

    first, *_ = findings_of_page(Path("slow.html").read_text())
    assert (first["finding"], first["cost"]) == ("data loading", "48.6 %, 5.575 ms")
    book = Book(Path("slow.xlsx"))
    assert book.texts("Overview")[1][:2] == ["Finding", "Cost"]
    assert float(book.texts("Overview")[2][1]) == pytest.approx(rows[0]["cost_share"])
    assert [row[0] for row in book.texts("Findings")[1:]] == [row["finding"] for row in rows]


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["txt", "html", "xlsx", "json", "parquet"])
def test_a_file_is_verified_by_another_diagnosis(suffix: str, db: Path, tw: Tw) -> None:
    file = f"slow.{suffix}"
    assert tw("diagnose", "--db", db, "--step", 8, "-o", file).code == 0

    same = tw("verify", file, "--db", db)

    assert (same.code, same.out.splitlines()[1:]) == (0, ["  tw diagnose  stands", "Match."])


@pytest.mark.slow
def test_a_file_of_costs_that_were_changed_does_not_match(db: Path, tw: Tw) -> None:
    assert tw("diagnose", "--db", db, "-o", "slow.json").code == 0
    origin = Path("slow.json.origin.json")
    origin.write_text(re.sub(r'"digest": "[^"]{4}', '"digest": "0000', origin.read_text()))

    changed = tw("verify", "slow.json", "--db", db)

    assert changed.code == 1
    assert re.search(r"tw diagnose  differs  \d+ rows then, \d+ now; written by", changed.out)
    origin.write_text(origin.read_text().replace('"findings=', '"findings=0'))
    assert "the finding queries have changed" in tw("verify", "slow.json", "--db", db).out
    origin.write_text(re.sub(r'"parameters": {}', '"parameters": {"step": 99}', origin.read_text()))
    assert "no rank has a step 99" in tw("verify", "slow.json", "--db", db).out


def test_what_is_estimated_or_unknown_is_so_in_a_workbook(tmp_path: Path) -> None:
    row = {**dict.fromkeys(column.name for column in COLUMNS), "finding": "copy", "remedy": "it",
           "subject": "a", "sentence": "Found", "evidence": "copy_summary@1"}  # fmt: skip
    rows = [{**row, "is_replayed": share == 0.5, "cost_share": share, "cost_ns": share,
             "most_ns": most} for share, most in ((0.5, 0.6), (0.25, 0.3), (0.2, 0.2), (None, None))
            ]  # fmt: skip
    figures = KeyFigures((), {}, findings=Findings(rows, "All", heading="Cost"))

    export_xlsx("Diagnosis", (), tmp_path / "d.xlsx", figures)

    book = Book(tmp_path / "d.xlsx")
    costs = [row[1] for row in book.texts("Overview")[2:6]]
    assert costs == ["0.5", "0.25", "0.2", "unknown cost"]
    for form in ("est. ", "at most "):
        assert book.parts["xl/styles.xml"].count(f"&quot;{form}&quot;0.0%") == 1


@pytest.mark.slow
def test_rows_are_for_programs(db: Path, tw: Tw) -> None:
    rows = json.loads(tw("diagnose", "--db", db, "--format", "json").out)

    assert list(rows[0]) == [column.name for column in COLUMNS]
    assert (rows[0]["finding"], rows[0]["subject"]) == ("data_loading", LOADER)
    assert rows[0]["what_if"] == f'skip(within = "{LOADER}")'
    assert rows[0]["evidence"] == "annotation_summary@1"
    costs = [row["cost_ns"] for row in rows if row["severity"] != "not judged"]
    assert costs == sorted(costs, reverse=True)
    reasons = {row["finding"]: row["sentence"] for row in rows if row["severity"] == "not judged"}
    assert "collectives of several ranks" in reasons["straggler"]


@pytest.mark.slow
def test_a_step_has_a_price_of_its_own(db: Path, tw: Tw) -> None:
    whole, step = (
        json.loads(tw("diagnose", "--db", db, "--format", "json", *more).out)[0]
        for more in ((), ("--step", 8))
    )

    assert step["finding"] == "data_loading"
    assert 0 < step["cost_ns"] < whole["cost_ns"]
    missing = tw("diagnose", "--db", db, "--step", 99)
    assert missing.code == 1
    assert missing.errors == ["Error: no rank has a step 99"]


@pytest.mark.slow
def test_a_condition_that_is_true_of_a_finding_fails(db: Path, tw: Tw) -> None:
    ran = tw("diagnose", "--db", db, "--fail-if", "severity = 'high' -- serious")

    assert ran.code == 1
    assert f"FAIL: severity = 'high' -- serious: data_loading: {LOADER}" in ran.err
    assert tw("diagnose", "--db", db, "--fail-if", "cost_share > 0.9").code == 0
    wrong = tw("diagnose", "--db", db, "--fail-if", "price > 1")
    assert wrong.code == 2
    assert wrong.errors[0].startswith("Error: --fail-if: invalid condition: ")


def test_a_condition_reads_findings_alone(tmp_path: Path) -> None:
    import pyarrow as pa

    rows = QueryResult(pa.table({"finding": ["a"], "subject": ["b"]}), (), {})
    secret = tmp_path / "x.csv"
    secret.write_text("a\n1\n")

    with pytest.raises(UsageError, match="invalid condition"):
        alarm.matching(rows, f"(SELECT count(*) FROM read_csv('{secret}')) = 1", ("finding",))


@pytest.mark.slow
def test_what_a_recording_lacks_is_not_judged(tw: Tw) -> None:
    assert tw("import", KINETO / "cpu_run" / "trace.json.gz").code == 0

    ran = tw("diagnose")

    assert ran.code == 0, ran.err
    assert "launch_bound: The scope has no device work (PyTorch records it with" in ran.out


def test_a_name_with_characters_of_patterns_stands_for_itself() -> None:
    call = findings.change("skip(within = $subject)", 'a*[b]?"c', None)

    assert call == 'skip(within = "a[*][[]b][?]\\"c")'
    assert findings.change("equal_ranks(rank = $rank)", "rank 3", 3) == "equal_ranks(rank = 3)"
