"""The page as text: what is in it, what can never be in it, and what it leaves out."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import random
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

from tests.support.sharing import DDP, GPU, WarehouseCache
from warehouse.export import report, sections
from warehouse.export.page import compared as differences
from warehouse.export.page import data as page_data
from warehouse.export.page import page as html
from warehouse.library import library
from warehouse.library.header import Column
from warehouse.query import session
from warehouse.query.result import QueryResult
from warehouse.query.selection import Selection
from warehouse.query.slower import MEASURES

if TYPE_CHECKING:
    from tests.conftest import Tw

DATA = Path(__file__).parent.parent / "data/kineto"
HOSTILE = "</script><img src=x onerror=alert(1)><!--<script>{{report}}\u2028"


def answer(**columns: list[Any]) -> QueryResult:
    described = tuple(Column(name, "VARCHAR", "ns", f"what {name} is") for name in columns)
    return QueryResult(pa.table(columns), described, {"query": "made_up@3", "title": HOSTILE})


def section(given: QueryResult, **chart: Any) -> dict[str, Any]:
    drawn = sections.Chart(**chart) if chart else None
    return page_data.section(
        sections.FilledSection(sections.Section("made_up", "Made up", chart=drawn), given)
    )


def values(*sections: dict[str, Any], title: str = HOSTILE) -> dict[str, Any]:
    return {
        "title": title,
        "sides": [],
        "made": {},
        "sections": [html.joined([each]) for each in sections],
        "timeline": {"tracks": []},
    }


class Elements(HTMLParser):
    """Every element of a page with its text, as a browser finds them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None], str]] = []
        self._is_open = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._is_open = True
        self.found.append((tag, dict(attrs), ""))

    def handle_data(self, data: str) -> None:
        if self._is_open:
            tag, attributes, text = self.found[-1]
            self.found[-1] = (tag, attributes, text + data)

    def handle_endtag(self, tag: str) -> None:
        self._is_open = False

    def of(self, tag: str) -> list[tuple[dict[str, str | None], str]]:
        return [(attributes, text) for name, attributes, text in self.found if name == tag]


def test_text_of_a_trace_ends_no_element_and_makes_none() -> None:
    page = html.page(values(section(answer(name=[HOSTILE] * 3))))
    elements = Elements(page)

    assert not elements.of("img")
    (title,) = [text for _, text in elements.of("title")]
    assert title == HOSTILE
    (data,) = [text for given, text in elements.of("script") if given.get("id") == "report-data"]
    assert json.loads(data)["sections"][0]["sides"][0]["values"] == [[HOSTILE] * 3]


def test_the_policy_names_the_sum_of_every_script_and_allows_nothing_else() -> None:
    elements = Elements(html.page(values()))
    (policy,) = [
        given["content"]
        for given, _ in elements.of("meta")
        if given.get("http-equiv") == "Content-Security-Policy"
    ]
    scripts = [text for given, text in elements.of("script") if "type" not in given]
    sums = [base64.b64encode(hashlib.sha256(each.encode()).digest()).decode() for each in scripts]

    assert len(scripts) == len(html.SCRIPTS)
    assert policy is not None
    directives = dict(each.strip().split(" ", 1) for each in policy.split(";"))
    assert directives["default-src"] == "'none'"
    assert directives["script-src"].split() == [f"'sha256-{each}'" for each in sums]
    assert not any(word in policy for word in ("unsafe-eval", "http:", "https:", "*"))


def test_no_address_of_another_place_is_in_the_page() -> None:
    """Licences and names of XML vocabularies excepted."""
    page = html.page(values(title="a report"))
    licences = re.search(r"<pre>.*?</pre>", page, re.DOTALL)
    assert licences is not None
    addresses = set(
        re.findall(r"(?:https?:|[\"'(=])//\w[^\s\"'<>)]*", page.replace(licences[0], ""))
    )
    known = (
        "http://www.w3.org/",
        "http://www.apache.org/licenses/LICENSE-2.0",
        "https://github.com/ecomfe/zrender/blob/master/LICENSE",
    )
    assert {each for each in addresses if not each.startswith(known)} == set()


def test_vendored_code_is_what_its_table_says() -> None:
    folder = Path(html.__file__).parent / "vendor"
    table = (folder / "README.md").read_text()
    rows = re.findall(
        r"^\| `([\w.]+)` \|.*\| ([\d.]+) \|.*\| `([0-9a-f]{64})` \|$", table, re.MULTILINE
    )

    assert [name for name, _, _ in rows] == [path.name for path in folder.glob("*.js")]
    for name, version, expected in rows:
        content = (folder / name).read_bytes()
        assert hashlib.sha256(content).hexdigest() == expected
        assert f'"{version}"'.encode() in content
    assert "Apache License" in (folder / "echarts-LICENSE").read_text()


def test_our_scripts_make_no_markup_from_text() -> None:
    folder = Path(html.__file__).parent
    for path in folder.glob("*.js"):
        found = re.findall(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", path.read_text()
        )
        assert not found, f"{path.name}: {found}"


def test_the_report_that_the_documentation_shows_is_one(tmp_path: Path) -> None:
    page = Path(__file__).parents[2] / "docs/reports.md"
    (shown,) = re.findall(r"```toml\n(.*?)```", page.read_text(), re.DOTALL)
    (tmp_path / "devices.toml").write_text(shown)
    found = report.read(tmp_path / "devices.toml")
    assert report.missing(found, library.load()) == []
    assert {each.chart.kind for each in found.sections if each.chart} == {"line", "bar"}


def test_a_table_holds_the_first_rows_and_knows_how_many_there_are() -> None:
    made = section(answer(n=list(range(2_500))))
    assert made["n_rows"] == 2_500
    assert made["values"] == [list(range(page_data.ROWS))]


def test_figures_that_a_script_cannot_hold_are_text() -> None:
    given = [2**53, 2**53 + 1, -(2**53) - 1, None]
    assert section(answer(n=given))["values"] == [[2**53, str(2**53 + 1), str(-(2**53) - 1), None]]
    odd = [float("nan"), float("inf"), 1.5]
    assert section(answer(n=odd))["values"] == [["nan", "inf", 1.5]]


def test_long_texts_are_cut_and_say_so() -> None:
    (((short, long),),) = [section(answer(name=["x" * 1_000, "x" * 1_001]))["values"]]
    assert short == "x" * 1_000
    assert long.endswith(" … [1,001 characters]")


def test_a_bar_is_drawn_for_each_of_the_first_rows() -> None:
    rows = answer(rank=[0, 1, None], name=["a", "b", "c"], busy_ns=[3, None, 1])
    chart = section(rows, kind="bar", label=("rank", "name"), values=("busy_ns",), rows=2)["chart"]
    assert chart["labels"] == ["rank 0 · a", "rank 1 · b"]
    assert [each["values"] for each in chart["series"]] == [[3, None]]
    assert chart["n_left_out"] == 1


def test_a_line_is_drawn_for_each_label_and_value() -> None:
    rows = answer(rank=[0, 0, 1], ts=[5, 6, 5], a=[1, None, 3], b=[7, 8, 9])
    chart = section(rows, kind="line", label=("rank",), x="ts", values=("a", "b"))["chart"]
    assert {each["name"]: each["points"] for each in chart["series"]} == {
        "rank 0: a": [[5, 1], [6, None]],
        "rank 0: b": [[5, 7], [6, 8]],
        "rank 1: a": [[5, 3]],
        "rank 1: b": [[5, 9]],
    }


def test_a_waterfall_adds_up_and_leaves_out_what_is_not_compared() -> None:
    names = ["same", "much more", "less", "outside", "little", None]
    side_a = [5.0, 0.1, 40.0, None, 7.0, 0.0]
    side_b = [5.0, 30.3, 15.0, None, 7.5, 0.25]
    change = [0.0, 30.3 - 0.1, 15.0 - 40.0, None, 0.5, 0.25]
    given = answer(
        name=names, change=change, a=side_a, b=side_b, basis=["step"] * 3 + [None] + ["step"] * 2
    )
    drawn = {"kind": "waterfall", "label": ("name",), "values": ("change", "a", "b"), "rows": 2}
    chart = section(given, **drawn)["chart"]
    assert chart["labels"] == ["much more", "less"]
    assert (chart["n_rest"], chart["basis"], chart["unit"]) == (3, "step", "ns")
    assert chart["first"] == pytest.approx(52.1) and chart["last"] == pytest.approx(58.05)
    assert chart["changes"] == [30.3 - 0.1, 15.0 - 40.0]
    assert chart["rest"] == pytest.approx(0.5 + 0.25)
    assert math.fsum([chart["first"], *chart["changes"], chart["rest"]]) == chart["last"]

    nothing = answer(name=["x"], change=[None], a=[None], b=[None], basis=[None])
    assert section(nothing, **drawn)["chart"] is None


@pytest.mark.parametrize("n", [3, 4_000])
def test_areas_have_the_value_of_each_label_at_common_times(n: int) -> None:
    source = random.Random(n)
    steps = {
        name: sorted((source.randrange(2 * n), source.randrange(9)) for _ in range(n))
        for name in ("a", "b", "c")
    }
    steps = {name: list(dict(of).items()) for name, of in steps.items()}  # one value at a time
    rows = answer(
        name=[name for name, of in steps.items() for _ in of],
        ts=[ts for of in steps.values() for ts, _ in of],
        size=[size for of in steps.values() for _, size in of],
    )

    chart = section(rows, kind="area", label=("name",), x="ts", values=("size",))["chart"]

    times = [ts for ts, _ in chart["series"][0]["points"]]
    for each in chart["series"]:
        of, held, place = steps[each["name"]], 0, 0
        assert [ts for ts, _ in each["points"]] == times
        for ts, size in each["points"]:
            while place < len(of) and of[place][0] <= ts:
                held, place = of[place][1], place + 1
            assert size == held
    if n == 3:
        assert times == sorted({ts for of in steps.values() for ts, _ in of})
    assert len(times) <= 1_002


def verdict_of(**given: object) -> dict[str, Any]:
    """The verdict of a page on one row of compare_summary that both sides have."""
    names = ("total_a", "total_b", "change_ratio", "change_low", "change_high", "typical_a",
             "typical_change", "spread", "no_p", "basis", "basis_a", "basis_b", "unit",
             "not_compared")  # fmt: skip
    nothing = dict.fromkeys(names)
    rows = [
        {"measure": measure, **nothing, **(given if measure == "makespan" else {})}
        for measure in MEASURES
    ]
    columns = [{"name": name} for name in rows[0]]
    values = [[row[column["name"]] for row in rows] for column in columns]
    return differences.verdict(
        [{"query": "compare_summary@3", "columns": columns, "values": values}]
    )


@pytest.mark.parametrize(
    ("change", "low", "high", "kind", "ratio"),
    [
        (5.0, 4.0, 6.0, "slower", 0.05),
        (-5.0, -6.0, -4.0, "faster", -0.05),
        (5.0, -1.0, 11.0, "equal", 0.05),
        (5.0, None, None, "slower", 0.04),
        (0.0, None, None, "equal", 0.0),
    ],
)
def test_a_verdict_is_certain_only_where_the_interval_excludes_0(
    change: float, low: float | None, high: float | None, kind: str, ratio: float
) -> None:
    found = verdict_of(
        total_a=100, total_b=100 + change, change_ratio=0.04 if change else 0.0, change_low=low,
        change_high=high, typical_a=100, typical_change=change, basis="step", basis_a=100,
        basis_b=100 + change, unit="ns", spread="runs",
    )  # fmt: skip
    assert (found["kind"], found["measure"]) == (kind, "makespan")
    assert found["ratio"] == pytest.approx(ratio)
    assert found["interval"] == (None if low is None else [low / 100, (high or 0) / 100])


def test_a_verdict_gives_the_reason_why_nothing_is_compared() -> None:
    assert verdict_of(not_compared="B has no steps") == {
        "kind": "unknown",
        "reasons": ["B has no steps"],
    }


def test_tables_of_differences_begin_with_names_and_changes() -> None:
    rows = answer(status=["changed"], name=["aten::mm"], rate_a=[1], self_change_ns=[5],
                  self_change_ratio=[0.5], self_per_unit_a_ns=[10], self_per_unit_b_ns=[15],
                  share_of_self_change=[1.0])  # fmt: skip
    made = differences.changes_first({**section(rows), "query": "compare_ops@2"})
    names = [column["name"] for column in made["columns"]]
    assert names[:3] == ["name", "self_change_ns", "self_change_ratio"]
    assert dict(zip(names, made["values"], strict=True))["rate_a"] == [1]
    marked = {column["name"] for column in made["columns"] if column.get("change")}
    assert marked == {"self_change_ns", "self_change_ratio"}


def test_labels_name_the_run_where_there_are_several() -> None:
    rows = answer(run_id=[1, 1, 2], rank=[0, 0, 0], ts=[5, 6, 5], a=[1, 2, 3])
    line = section(rows, kind="line", label=("rank",), x="ts", values=("a",))["chart"]
    assert {each["name"]: each["points"] for each in line["series"]} == {
        "run 1 · rank 0": [[5, 1], [6, 2]],
        "run 2 · rank 0": [[5, 3]],
    }


def test_a_thinned_line_keeps_its_extremes_and_its_ends() -> None:
    source = random.Random(1)
    y = np.array([source.gauss(0, 1) for _ in range(50_000)])
    y[[123, 40_000]] = 99, -99
    kept = page_data.thinned(y)
    assert len(kept) <= 1_002
    assert {0, 123, 40_000, 49_999} <= set(kept.tolist())
    assert (np.diff(kept) > 0).all()


@pytest.fixture(scope="module")
def handmade(imported_files: WarehouseCache) -> Path:
    """A warehouse with one run."""
    return imported_files(("hand/made", GPU[1]))


@pytest.mark.integration
def test_a_report_becomes_one_file_named_after_the_run(
    tw: Tw, tmp_path: Path, handmade: Path
) -> None:
    ran = tw("export", "html", "--db", handmade, "utilization", "kernel_summary")

    assert ran.code == 0, ran.err
    (file,) = tmp_path.glob("*.html")
    assert file.name in ran.err and "2 sections" in ran.err
    elements = Elements(file.read_text())
    data = {given.get("id"): text for given, text in elements.of("script")}
    assert [each["query"] for each in json.loads(str(data["report-data"]))["sections"]] == [
        "utilization@2",
        "kernel_summary@3",
    ]
    assert json.loads(str(data["timeline-data"]))["n_slices"] > 0


@pytest.mark.integration
def test_two_traces_of_a_run_are_compared(imported_files: WarehouseCache) -> None:
    place, compared = session.Place(imported_files(DDP)), ("ddp/rank0", "ddp/rank1")

    page = html.of_two(place, Selection(), compared, (["traces"], {}, None), max_slices=100)

    (of_both,) = page["sections"][page["n_differences"] :]
    at = [column["name"] for column in of_both["columns"]].index("rank")
    assert [side["values"][at] for side in of_both["sides"]] == [[0], [1]]
    assert [side["name"] for side in page["sides"]] == list(compared)


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (
            ["--compare", "one", "two", "--run", "gpu"],
            "--run and --compare cannot be combined",
        ),
        (["--compare", "gpu", "none"], "none"),
        (["no_such_query"], "query 'no_such_query' not found"),
        (["--report", "pytorhc"], "pytorch"),
        (["-o", "missing/folder/a.html", "utilization"], "cannot be written"),
    ],
)
def test_what_cannot_be_written_is_said_and_leaves_no_file(
    tw: Tw, tmp_path: Path, imported_files: WarehouseCache, arguments: list[str], hint: str
) -> None:
    ran = tw("export", "html", "--db", imported_files(GPU), *arguments)
    assert ran.code in (1, 2)
    assert len(ran.errors) == 1 and hint in ran.err
    assert not list(tmp_path.glob("*.html*"))
