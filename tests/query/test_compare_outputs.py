"""Terminal, page, workbook, JSON, Python and both gates show one comparison's figures."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest

import warehouse
from tests.support.compare_programs import CHANGES, Recorder, imported, random_program

if TYPE_CHECKING:
    from tests.conftest import Tw

Row = dict[str, Any]
MEASURES = ("makespan", "step_time", "device_time")
SUMMARY = ("basis_a", "basis_b", "change", "change_ratio", "change_low", "change_high", "p", "q")
KERNELS = (
    "name_a",
    "name_b",
    "change_ns",
    "change_ratio",
    "change_low_ns",
    "change_high_ns",
    "p",
    "q",
)
JUDGED = "x.total_ns > 0 AND baseline.total_ns > 0"  # true of all, so that all rows are printed
CELL = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


@pytest.fixture
def db(tmp_path: Path) -> Path:
    base = random_program(1, n_steps=4, noise=0.01)
    after = CHANGES["20-percent"](base).program
    return imported(tmp_path / "w.duckdb", {"a": (base, Recorder()), "b": (after, Recorder())})


def chosen(rows: list[Row]) -> dict[str, list[Any]]:
    """Figures of three measures, or of the kernels in their order."""
    if "measure" in rows[0]:
        return {r["measure"]: [r[n] for n in SUMMARY] for r in rows if r["measure"] in MEASURES}
    return {str(place): [r[n] for n in KERNELS] for place, r in enumerate(rows)}


def test_json_has_the_figures_of_python(tw: Tw, db: Path) -> None:
    summary = chosen(list(warehouse.open(db).compare("a", "b", by="summary")))
    printed = tw("compare", "a", "b", "--by", "summary", "--format", "json", "--db", db).out
    assert chosen(json.loads(printed)) == summary


@pytest.mark.slow
def test_all_outputs_have_the_figures_of_the_queries(tw: Tw, tmp_path: Path, db: Path) -> None:
    opened = warehouse.open(db)
    rows = {name: list(opened.compare("a", "b", by=name)) for name in ("summary", "kernels")}
    queried = {name: chosen(each) for name, each in rows.items()}
    assert set(queried["summary"]) == set(MEASURES)

    assert as_json(tw, db) == queried
    assert page(tw, tmp_path / "page.html", db) == queried
    for name, written in workbook(tw, tmp_path, db).items():
        assert written == {key: near(values) for key, values in queried[name].items()}
    check_terminal(tw("compare", "a", "b", "--db", db).out, queried)
    check_gates(tw, db, rows["summary"], rows["kernels"])


def near(values: list[Any]) -> list[Any]:
    """A workbook has 15 digits."""
    return [pytest.approx(v, rel=1e-14) if isinstance(v, float) else v for v in values]


def as_json(tw: Tw, db: Path) -> dict[str, Any]:
    printed = {
        name: tw("compare", "a", "b", "--by", by, "--format", "json", "--db", db).out
        for name, by in (("summary", "summary"), ("kernels", "kernel"))
    }
    return {name: chosen(json.loads(text)) for name, text in printed.items()}


def page(tw: Tw, path: Path, db: Path) -> dict[str, Any]:
    tw("export", "html", "--compare", "a", "b", "-o", path, "--db", db)
    text = re.search(r'id="report-data">(.*?)</script>', path.read_text(), re.DOTALL)
    assert text
    found = {}
    for section in json.loads(text[1])["sections"]:
        for name in ("summary", "kernels"):
            if section["query"].startswith(f"compare_{name}@"):
                names = [column["name"] for column in section["columns"]]
                (side,) = section["sides"]
                rows = [
                    dict(zip(names, row, strict=True)) for row in zip(*side["values"], strict=True)
                ]
                found[name] = chosen(rows)
    return found


REPORT = """
name = "changes"
title = "Comparison"
[[section]]
title = "summary"
query = "compare_summary"
parameters = { a = "a", b = "b" }
[[section]]
title = "kernels"
query = "compare_kernels"
parameters = { a = "a", b = "b" }
"""


def workbook(tw: Tw, folder: Path, db: Path) -> dict[str, Any]:
    """Rows of the sheets of a report of one's own with two comparisons."""
    (folder / "reports").mkdir()
    (folder / "reports" / "changes.toml").write_text(REPORT)
    path = folder / "book.xlsx"
    ran = tw(
        "export",
        "xlsx",
        "--report",
        "changes",
        "--query-path",
        folder,
        "--run",
        "all",
        "-o",
        path,
        "--db",
        db,
    )
    assert ran.code == 0, ran.err
    found = {}
    with zipfile.ZipFile(path) as archive:
        names = ElementTree.fromstring(archive.read("xl/workbook.xml")).iter(f"{CELL}sheet")
        for number, sheet in enumerate(names, 1):
            if sheet.attrib["name"] in ("summary", "kernels"):
                root = ElementTree.fromstring(archive.read(f"xl/worksheets/sheet{number}.xml"))
                found[sheet.attrib["name"]] = chosen(table(root))
    return found


def table(root: ElementTree.Element) -> list[Row]:
    """Rows below the names of columns; an absent or empty cell is None."""
    rows = [
        {re.sub(r"\d", "", cell.attrib["r"]): cell for cell in row}
        for row in root.iter(f"{CELL}row")
    ]
    texts = [{place: "".join(cell.itertext()) for place, cell in row.items()} for row in rows]
    names = {place: text.split("\n")[0] for place, text in texts[0].items()}  # without units
    return [{name: value(row.get(place)) for place, name in names.items()} for row in rows[1:]]


def value(cell: ElementTree.Element | None) -> Any:
    text = "" if cell is None else "".join(cell.itertext())
    if cell is None or not text:
        return None
    return text if cell.get("t") in ("inlineStr", "str", "s") else float(text)


def check_terminal(text: str, queried: dict[str, dict[str, list[Any]]]) -> None:
    """Rounded as shown, in the order of the rows."""
    for measure, (_, _, _, ratio, *_, p, q) in queried["summary"].items():
        line = next(line for line in text.splitlines() if line.split()[:1] == [measure])
        assert f"{ratio:+.1%}" in line
        assert [shown(each) for each in (p, q) if each is not None] == line.split()[
            -2:
        ] or p is None
    shown_names = re.findall(r"kernel_\d_\d", text)
    names = [str(row[1]) for row in queried["kernels"].values()]
    expected = [found[0] for name in names if (found := re.search(r"kernel_\d_\d", name))]
    assert shown_names[: len(expected[:5])] == expected[:5]


def shown(p: float) -> str:
    return f"{p:.3f}" if p >= 0.001 else "<0.001"


def check_gates(tw: Tw, db: Path, summary: list[Row], kernels: list[Row]) -> None:
    for row in summary:
        if row["measure"] in MEASURES:
            by = ("--by", row["measure"], "--fail-if-slower", "90%")
            ran = tw("compare", "a", "b", *by, "-q", "--db", db)
            assert ran.code == 0
            assert ran.err.startswith(verdict(row))
    condition = ("--query", "kernel_summary", "--fail-if", JUDGED, "--format", "json")
    ran = tw("compare", "--baseline", "a", "--run", "b", *condition, "--db", db)
    judged = {row["name"]: (row["baseline.total_ns"], row["x.total_ns"])
              for row in json.loads(ran.out)["rows"]}  # fmt: skip
    assert judged == {row["name_b"]: (row["total_a_ns"], row["total_b_ns"])
                      for row in kernels if row["kind"] == "kernel"}  # fmt: skip


def verdict(row: Row) -> str:
    """The figures of compare_summary by those of A, as the gate prints them."""
    change, *ends = (row[f"{name}"] / row["typical_a"]
                     for name in ("typical_change", "change_low", "change_high"))  # fmt: skip
    word = "slower" if change > 0 else "faster"
    return (f"{row['measure']} (typical step): B is {abs(change):.2%} {word}, "
            f"95 % interval {ends[0]:+.2%} to {ends[1]:+.2%}; within the limit")  # fmt: skip
