"""Key figures of a report: computed from the rows of its sections, first on pages and workbooks."""

from __future__ import annotations

import gzip
import json
import re
import statistics
from collections import Counter
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from tests.export.test_xlsx import Book
from tests.support.random_faults import LOADER, faulty, makespan_ns
from tests.support.randomtrace import import_jobs
from tests.support.sharing import DDP, WarehouseCache
from warehouse.diagnose import diagnosis
from warehouse.errors import ContractError
from warehouse.export import report
from warehouse.export.key_figures import KeyFigures
from warehouse.export.sections import Figure, Report, Section
from warehouse.query import session
from warehouse.query.selection import Selection

if TYPE_CHECKING:
    from tests.conftest import Tw

DATA = Path(__file__).parents[1] / "data" / "kineto"
DEVICE_WORK = ("kernel", "gpu_memcpy", "gpu_memset")


def events(path: Path) -> list[dict[str, Any]]:
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    found: list[dict[str, Any]] = json.loads(text)["traceEvents"]
    return found


def busy_share(work: list[dict[str, Any]]) -> float:
    """The union of the device's operations by the time from the first start to the last end."""
    edges: Counter[float] = Counter()
    for each in work:
        edges[each["ts"]] += 1
        edges[each["ts"] + each["dur"]] -= 1
    depth, busy = 0, 0.0
    for here, there in pairwise(sorted(edges)):
        depth += edges[here]
        busy += (there - here) if depth else 0
    return busy / (max(edges) - min(edges))


def figures(page: str) -> dict[str, tuple[float, str]]:
    (found,) = re.findall(r'"figures":(\[.*?\]),"traces"', page)
    return {each["title"]: (each["value"], each["note"]) for each in json.loads(found)}


def findings(page: str) -> list[dict[str, str]]:
    (found,) = re.findall(r'"findings":(\{.*?\}),"figures"', page)
    rows: list[dict[str, str]] = json.loads(found)["rows"]
    return rows


@pytest.mark.slow
def test_steps_are_those_of_all_ranks(tw: Tw, imported_files: WarehouseCache) -> None:
    steps = [
        (each["dur"], rank, int(each["name"].split("#")[1]))
        for rank, path in enumerate(DDP[1])
        for each in events(path)
        if each.get("cat") == "user_annotation" and each["name"].startswith("ProfilerStep#")
    ]
    medians = [statistics.median(d for d, r, _ in steps if r == rank) for rank in (0, 1)]
    longest, rank, step = max(steps)

    assert tw("export", "html", "--db", imported_files(DDP), "-o", "x.html").code == 0

    found = figures(Path("x.html").read_text())
    assert found["Step time"][0] == pytest.approx(statistics.median(medians) * 1000, abs=2)
    assert found["Slowest step"][0] == pytest.approx(longest * 1000, abs=2)
    assert found["Slowest step"][1] == f"step {step} of rank {rank}"
    costs = [each["cost"] for each in findings(Path("x.html").read_text())]
    shares = [float(re.findall(r"^(?:estimated |at most )?([0-9.]+) %", cost)[0]) for cost in costs]
    assert shares and shares == sorted(shares, reverse=True)


@pytest.mark.slow
def test_a_page_and_a_workbook_begin_with_what_makes_the_run_slow(tw: Tw, tmp_path: Path) -> None:
    """The bound of a slow loader is between what it costs and the time spent in it."""
    without, job = faulty(0, "loader")
    waited = sum(each.dur for each in job[0].slices if each.name == LOADER)
    db = import_jobs(tmp_path / "w.duckdb", {"slow": job}).path

    assert tw("export", "html", "--db", db, "-o", "x.html").code == 0
    assert tw("export", "xlsx", "--db", db, "-o", "x.xlsx").code == 0

    first = next(
        each for each in findings(Path("x.html").read_text()) if each["finding"] == "data loading"
    )
    (bound,) = re.findall(r"^at most [0-9.]+ %, ([0-9.]+) ms$", first["cost"])
    cost = makespan_ns(job) - makespan_ns(without)
    assert cost / 1e6 <= float(bound) <= waited / 1e6
    assert first["severity"] == "high"
    overview = Book(Path("x.xlsx")).texts("Overview")
    assert overview[1][:2] == ["Finding", "Estimate"]
    places = {row[0]: n for n, row in enumerate(overview) if row}
    assert 1 < places["data loading"] < places["Key figure"] < places["Sheet"]
    about = overview[places["data loading"]][2]
    assert about.startswith(f"Steps wait for the next batch: 3 × {LOADER}. Try: ")
    assert "tw diagnose --run slow replays" in Path("x.html").read_text()


@pytest.mark.slow
def test_pages_of_several_runs_or_of_named_queries_have_no_findings(tw: Tw, tmp_path: Path) -> None:
    jobs = dict(zip("ab", faulty(0, "loader"), strict=True))
    db = import_jobs(tmp_path / "w.duckdb", jobs).path

    for more in (("--run", "all"), ("--run", "a", "utilization")):
        assert tw("export", "html", "--db", db, *more, "-o", "x.html").code == 0
        assert '"findings":null' in Path("x.html").read_text()


@pytest.mark.slow
def test_a_page_and_a_workbook_begin_with_the_same_figures(
    tw: Tw, data_dir: Path, tmp_path: Path
) -> None:
    trace = data_dir / "kineto" / "h100_qwen" / "trace.json.gz"
    recorded = events(trace)
    work = [each for each in recorded if each.get("cat") in DEVICE_WORK]
    kernels: Counter[str] = Counter()
    for each in work:
        if each["cat"] == "kernel":
            kernels[each["name"]] += each["dur"]
    peak = max(
        each["args"]["Total Allocated"]
        for each in recorded
        if each["name"] == "[memory]" and each["args"]["Device Type"] == 1
    )
    assert tw("import", "-q", trace).code == 0
    assert tw("export", "html", "-o", tmp_path / "x.html").code == 0
    assert tw("export", "xlsx", "-o", tmp_path / "x.xlsx").code == 0

    found = figures((tmp_path / "x.html").read_text())
    assert found["Device busy"][0] == pytest.approx(busy_share(work), rel=1e-6)
    assert found["Top kernel"][0] == pytest.approx(
        max(kernels.values()) / kernels.total(), rel=1e-6
    )
    assert found["Peak memory allocated"] == (peak, "in aten::mul")
    overview = Book(tmp_path / "x.xlsx").texts("Overview")
    first = next(place for place, row in enumerate(overview) if row[:1] == ["Key figure"]) + 1
    shown = {row[0]: row[1:] for row in overview[first : first + len(found)]}
    assert list(shown) == list(found)
    assert shown["Peak memory allocated"] == [str(peak), "in aten::mul"]


def test_findings_name_the_command_that_prices_the_same_scope(
    imported_files: WarehouseCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = {"subject": "a", "cost_share": 0.5, "evidence": "overlap@1"}
    monkeypatch.setattr(diagnosis, "diagnose", lambda *_, **__: SimpleNamespace(rows=[row]))
    chosen = Selection(ranks=(0,), from_ns=1000, to_ns=10**12)
    with session.opened(session.Place.of(imported_files(DDP)), chosen) as opened:
        (run,) = opened.seen.run_names
        found = KeyFigures.of(opened, Report("r", "r", (), findings=True)).findings

    assert found is not None
    scope = f"--run {run} --rank 0 --from 1000 --to 1000000000000"
    assert f" tw diagnose {scope} replays the run without each " in found.note
    assert found.evidence(found.rows[0]) == f"overlap@1 {scope}"


def filled(db: Path, *given: Figure) -> KeyFigures:
    chosen = Report("r", "r", (Section("runs", "Runs"),), figures=given)
    with session.opened(session.Place(db), Selection()) as opened:
        found = KeyFigures.of(opened, chosen)
        list(found.collected(report.fill(opened, chosen)))
    return found


def test_a_figure_without_a_value_is_not_shown(imported_files: WarehouseCache) -> None:
    sql = "SELECT run_id, {} AS value, NULL AS note FROM section"
    none = Figure("None", "runs", "count", sql.format("NULL"))
    ranks = Figure("Ranks", "runs", "count", sql.format("n_ranks"))

    found = filled(imported_files(DDP), none, ranks).in_order()

    assert [(each.figure.title, each.value) for each in found] == [("Ranks", 2)]


def test_sql_of_a_figure_reads_nothing_but_its_section(imported_files: WarehouseCache) -> None:
    for sql, expected in (
        ("SELECT nothing FROM section", "nothing"),
        ("SELECT 1 AS run_id, 1 AS value, content AS note FROM read_text('/etc/hostname')", "file"),
    ):
        with pytest.raises(ContractError, match=f"(?i)figure 'F' of the report: .*{expected}"):
            filled(imported_files(DDP), Figure("F", "runs", "count", sql))
