"""`tw queries`: lists, cases of users and the reference."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.sharing import slow
from warehouse.library import library
from warehouse.query import reference

if TYPE_CHECKING:
    from tests.conftest import Tw

QUERY = """/* ---
name = "long_slices"
version = 1
title = "Slices <longer> than a limit"
grain = ["name"]
[param.limit_ns]
type = "BIGINT"
unit = "ns"
default = 5
[[column]]
name = "name"
type = "VARCHAR"
[[column]]
name = "dur"
type = "BIGINT"
unit = "ns"
[changes]
1 = "first version"
--- */
SELECT name, dur
FROM slice
WHERE dur > $limit_ns::BIGINT
ORDER BY name
"""
INPUT = """-- parameters: limit_ns=7
INSERT INTO slice (id, trace_id, track_id, ts, dur, name, depth)
VALUES (0, 0, 0, 0, 9, 'a', 0), (1, 0, 0, 0, 7, 'b', 0);
"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A folder with a query in `own`, and a case of it in `cases`."""
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "long_slices.sql").write_text(QUERY)
    case = tmp_path / "cases" / "long_slices" / "two"
    case.mkdir(parents=True)
    (case / "input.sql").write_text(INPUT)
    (case / "expected.csv").write_text('"name","dur"\n"a",9\n')
    return tmp_path


def test_cases_of_users_pass(tw: Tw, own: Path) -> None:
    ran = tw("queries", "test", "cases", "--query-path", "own")

    assert (ran.code, ran.out, ran.err) == (0, "", "1 case passed\n")


@pytest.mark.integration
def test_a_case_that_differs_is_shown_as_a_diff(tw: Tw, own: Path) -> None:
    (own / "cases" / "long_slices" / "two" / "expected.csv").write_text('"name","dur"\n"b",7\n')

    ran = tw("queries", "test", "cases", "--query-path", "own")

    assert ran.code == 1
    assert ran.out.splitlines()[-2:] == ["-b,7", "+a,9"]
    assert ran.errors == ["Error: 1 of 1 case failed"]


@pytest.mark.integration
def test_a_case_that_cannot_run_is_named_and_the_others_run(tw: Tw, own: Path) -> None:
    broken = own / "cases" / "long_slices" / "broken"
    broken.mkdir()
    (broken / "input.sql").write_text("INSERT INTO nothing VALUES (1);")
    (broken / "expected.csv").write_text('"name","dur"\n')

    ran = tw("queries", "test", "cases", "--query-path", "own")

    assert ran.code == 1
    assert ran.out.startswith("long_slices/broken: ")
    assert ran.errors == ["Error: 1 of 2 cases failed"]


def test_a_folder_without_cases_is_an_error(tw: Tw, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()

    assert tw("queries", "test", "empty").errors == ["Error: empty has no cases"]


def _declared_scale(text: str) -> str:
    """The line of a header, read without the library; empty without one."""
    found = re.search(r'^scale = "(\w+)"$', text, re.MULTILINE)
    return found[1] if found else ""


def test_lists_are_printed_as_json_and_csv(tw: Tw) -> None:
    found = json.loads(tw("queries", "list", "--format", "json").out)
    rows = list(csv.DictReader(io.StringIO(tw("queries", "list", "--format", "csv").out)))
    group = json.loads(tw("queries", "list", "--group", "memory", "--format", "json").out)

    assert [each["name"] for each in found] == list(library.load().newest)
    assert [row["name"] for row in rows] == [each["name"] for each in found]
    assert {each["group"] for each in group} == {"memory"}
    scales = {name: _declared_scale(query.sql) for name, query in library.load().newest.items()}
    assert {each["name"]: each["scale"] for each in found if not each["alias_of"]} == {
        each["name"]: scales[each["name"]] for each in found if not each["alias_of"]
    }
    assert group == [each for each in found if each["group"] == "memory"]
    assert "group 'nothing' not found" in tw("queries", "list", "--group", "nothing").errors[0]


@pytest.fixture(scope="module", params=["some", slow("all")])
def pages(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The reference of some queries, or of all."""
    from warehouse.export import query_docs

    folder = tmp_path_factory.mktemp("docs")
    (folder / "own").mkdir()
    (folder / "own" / "long_slices.sql").write_text(QUERY)
    found = library.load([folder / "own"])
    if request.param == "some":
        named = [found.find(name) for name in ("utilization", "breakdown", "long_slices")]
        found.queries = {str(query.key): query for query in found.closure(named)}
    query_docs.write(found, folder / "pages")
    return folder / "pages"


@pytest.mark.integration
def test_every_query_has_a_page_and_all_links_lead_somewhere(pages: Path) -> None:
    names = {path.name for path in pages.iterdir()}

    listed = set(re.findall(r'<td><a href="([^"]+)', (pages / "index.html").read_text()))
    assert listed == {name for name in names if name.endswith(".html")} - {"index.html"}
    assert {"utilization.html", "device_activity.html", "style.css", "search.js"} < names
    for path in pages.glob("*.html"):
        text = path.read_text()
        links = re.findall(r'(?:href|src)="([^"#]+)', text)
        assert set(links) <= names, path.name
        assert "//" not in "".join(re.findall(r"<(?:link|script|img|a)[^>]*>", text))


def test_a_page_has_contract_callers_and_an_example(pages: Path) -> None:
    page = (pages / "device_activity.html").read_text()
    public = (pages / "utilization.html").read_text()

    assert 'href="utilization.html"' in page.partition("<h2>Called by</h2>")[2]
    assert 'href="device_activity.html"' in public.partition("<h2>Calls</h2>")[2]
    assert "<pre>tw query utilization</pre>" in public
    assert "of the reference set" in public
    assert all(f"<td>{name}</td>" in public for name in ("busy_ns", "BIGINT", "ns"))


def test_texts_of_queries_are_no_markup(pages: Path) -> None:
    page = (pages / "long_slices.html").read_text()

    assert "Slices &lt;longer&gt; than a limit" in page
    assert "<longer>" not in page + (pages / "index.html").read_text()


@pytest.mark.integration
def test_a_description_ends_with_an_example(
    tw: Tw, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is what the command prints for the reference tables of a recording."""
    monkeypatch.setenv("COLUMNS", "100")
    described = tw("queries", "show", "step_summary").out
    (name,) = re.findall(r"\nExample, \d of \d+ rows of the reference set (\w+):\n", described)
    _, shown = described.split(f" of the reference set {name}:\n")
    reference.build(tmp_path / "r.duckdb", only={name})

    monkeypatch.setenv("COLUMNS", "98")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    printed = tw("query", "step_summary", "--db", tmp_path / "r.duckdb", "--run", "all").out
    assert textwrap.dedent(shown) == "$ tw query step_summary\n" + printed


@pytest.mark.parametrize(
    "command", ["queries show utilization", "schema show gpu_op", "queries find idle", "formats"]
)
def test_descriptions_fit_a_terminal_between_words(
    tw: Tw, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    piped = tw(*command.split()).out
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "72")

    shown = tw(*command.split()).out

    described = shown.partition("\nFile: ")[0]
    assert [line for line in described.splitlines() if len(line) > 72] == []
    assert described.split() == piped.partition("\nFile: ")[0].split()
