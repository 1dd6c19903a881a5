"""The page in a real browser: it opens, draws, zooms, tells, finds, and runs nothing of a trace's.

Skipped where no Chromium is found; `TW_CHROMIUM` names one that is not on the path.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.conftest import CHROMIUM
from tests.support.browser import Browser, Page, program
from tests.support.randomtrace import RandomTrace, import_jobs, make_job
from tests.support.sharing import has_tier, slow
from warehouse.export import report
from warehouse.export.page import page as html
from warehouse.query import session
from warehouse.query.selection import Selection

HOSTILE = "</script><img src=x onerror=\"document.title='owned'\"><svg onload=alert(1)>{{title}}"
SHIFT = 8  # the key, in the protocol of the browser
GIVEN: html.ReportChoice = ((), {}, "small")
REPORT = """
name = "small"
title = "A small report"
[[section]]
query = "utilization"
title = "Utilization"
chart = { kind = "bar", label = ["rank"], values = ["utilization"] }
[[section]]
query = "top_kernels"
title = "Top kernels"
chart = { kind = "bar", label = ["name"], values = ["total_ns"] }
[[section]]
query = "runtime_call_summary"
title = "Calls"
[[section]]
query = "rank_step"
title = "Ranks by step"
chart = { kind = "heat", label = ["rank"], x = "step", values = ["host_ns"] }
[[section]]
query = "tpu_top_commands"
title = "Commands"
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    command = program()
    if command is None:
        pytest.skip(f"no Chromium: none is on the path and {CHROMIUM} is not set")
    with Browser(command) as opened:
        yield opened


def hostile(trace: RandomTrace) -> RandomTrace:
    """The same trace, with a name that would take over a careless page on every kernel."""
    events = [
        {**event, "name": HOSTILE if event.get("cat") == "kernel" else event["name"]}
        for event in trace.events
    ]
    return trace.changed(events)


@pytest.fixture(scope="module")
def pages(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> dict[str, Path]:
    """A page of the run `a` with room for 400 slices only; one of `a` beside `b`; an empty one.

    Tests of the last two are in the tier `integration`.
    """
    folder = tmp_path_factory.mktemp("pages")
    jobs = {"a": [hostile(each) for each in make_job(5)]}
    if has_more := has_tier(request, "integration"):
        jobs["b"] = make_job(6, ranks=1)
    (folder / "reports").mkdir()
    (folder / "reports/small.toml").write_text(REPORT)
    runs = import_jobs(folder / "w.duckdb", jobs)
    place = session.Place(runs.path, query_path=(folder,))
    with session.opened(place, Selection(runs=("a",))) as opened:
        chosen = report.choose(opened, *GIVEN)
        html.write(html.of_session(opened, chosen, 400), folder / "one.html")
    if has_more:
        compared = html.of_two(place, Selection(), ("a", "b"), GIVEN, 30_000)
        html.write(compared, folder / "two.html")
        html.write({**compared, "timeline": {"tracks": []}, "sections": []}, folder / "empty.html")
    return {path.stem: path for path in folder.glob("*.html")}


@pytest.fixture(scope="module")
def opened(browser: Browser, pages: dict[str, Path]) -> Page:
    return browser.page(pages["one"])


@pytest.fixture
def page(opened: Page) -> Iterator[Page]:
    """The page as it is after loading; a test may not leave a complaint behind."""
    for script in ("window.scrollTo(0, 0)", "document.getElementById('whole').click()"):
        opened.value(script)
    opened.settle()
    yield opened
    assert opened.complaints == []


def canvas(page: Page) -> dict[str, float]:
    box = "document.getElementById('timeline-canvas').getBoundingClientRect()"
    found: dict[str, float] = page.value(
        f"(() => {{ const b = {box}; return {{x: b.x, y: b.y, w: b.width, h: b.height}}; }})()"
    )
    return found


def view(page: Page) -> dict[str, float]:
    found: dict[str, float] = page.value("tw.timeline.view()")
    return found


def width(page: Page) -> float:
    return view(page)["end"] - view(page)["start"]


def a_slice(page: Page, depth: int = 0) -> tuple[float, float, dict[str, Any]]:
    """A place on the canvas where a slice is, found by looking at what was painted."""
    box = canvas(page)
    n_counters = page.value(
        "(({counters, tracks}) => counters.filter((e) => e.trace_id === tracks[0].trace_id).length)"
        "(JSON.parse(document.getElementById('timeline-data').textContent))"
    )
    top = int(box["y"]) + 64 + 28 * n_counters  # the rows of the first rank's tracks
    for y in range(top, int(box["y"] + box["h"]), 6):
        for x in range(int(box["x"]) + 230, int(box["x"] + box["w"]), 40):
            page.mouse("mouseMoved", x, y)
            if "category:" in page.text("#tip"):
                return x, y, {"tip": page.text("#tip")}
    raise AssertionError("no slice is painted")


def test_the_page_opens_and_complains_of_nothing(page: Page) -> None:
    assert page.value("document.querySelectorAll('#sections section').length") == 5
    assert page.text("#without-rows li").startswith(
        "Commands Of what the query reads, the scope has"
    )
    assert page.value("document.title") == "A small report"


@pytest.mark.slow
def test_names_of_a_trace_are_text_and_nothing_of_them_runs(page: Page) -> None:
    page.value("document.querySelector('#sections section:nth-child(2)').scrollIntoView()")
    page.wait("document.querySelectorAll('#section-1 canvas, #section-1 td').length > 3")
    cells = page.value(
        "[...document.querySelectorAll('#section-1 td')].map((cell) => cell.textContent)"
    )

    assert HOSTILE in cells
    assert page.value("document.images.length") == 0
    assert page.value("document.querySelectorAll('svg').length") == 0
    assert page.value("document.title") == "A small report"


@pytest.mark.integration
def test_the_wheel_zooms_at_the_pointer_and_a_drag_with_shift_pans(page: Page) -> None:
    box = canvas(page)
    x, y = box["x"] + 210 + (box["w"] - 210) * 0.25, box["y"] + 100
    before = view(page)
    at_pointer = before["start"] + 0.25 * (before["end"] - before["start"])

    page.mouse("mouseWheel", x, y, deltaX=0, deltaY=-400)
    near = view(page)
    assert near["end"] - near["start"] < 0.5 * (before["end"] - before["start"])
    assert near["start"] + 0.25 * (near["end"] - near["start"]) == pytest.approx(
        at_pointer, rel=0.01
    )

    page.mouse("mousePressed", x, y, button="left", clickCount=1, modifiers=SHIFT)
    page.mouse("mouseMoved", x + 100, y, button="left", buttons=1, modifiers=SHIFT)
    page.mouse("mouseReleased", x + 100, y, button="left", clickCount=1, modifiers=SHIFT)
    assert view(page)["start"] < near["start"]


@pytest.mark.integration
def test_keys_zoom_pan_and_go_from_slice_to_slice(page: Page) -> None:
    page.value("document.getElementById('timeline-canvas').focus()")
    whole = width(page)
    page.key("w")
    assert width(page) < whole
    left = view(page)["start"]
    page.key("d")
    assert view(page)["start"] > left
    page.key("ArrowLeft")
    assert view(page)["start"] == pytest.approx(left)
    page.key("0")
    assert width(page) == pytest.approx(whole)

    page.key(".")
    first = page.text("#kept")
    page.key(".")
    assert "slice_id" in first and page.text("#kept") not in ("", first)
    page.key("f")
    assert width(page) < whole
    page.key("Escape")
    assert page.text("#kept") == ""


@pytest.mark.integration
def test_hovering_tells_and_a_click_keeps(page: Page) -> None:
    x, y, found = a_slice(page)
    assert "duration:" in found["tip"] and "track: rank" in found["tip"]
    page.click(x, y)
    assert " ns)" in page.text("#kept")
    assert found["tip"].split("duration:")[0] in page.text("#kept")


@pytest.mark.integration
def test_what_is_only_summed_up_is_counted_with_the_way_to_see_it(page: Page) -> None:
    timeline = json.loads(page.text("#timeline-data"))
    n_slices, n_shown = timeline["n_slices"], timeline["n_shown"]
    assert n_shown <= 400 < n_slices
    assert f"{n_shown:,} of {n_slices:,} slices are drawn" in page.text("#timeline-notes")
    assert f"{n_slices - n_shown:,} slices in view are aggregated" in page.text("#in-view")
    assert "tw export html --run 1 --from" in page.text("#in-view")


@pytest.mark.integration
def test_a_click_on_a_group_folds_it(page: Page) -> None:
    box = canvas(page)
    page.mouse("mouseMoved", box["x"] + 60, box["y"] + 100)
    track = page.text("#tip")
    page.click(box["x"] + 60, box["y"] + 50)
    page.mouse("mouseMoved", box["x"] + 60, box["y"] + 100)
    assert page.text("#tip") != track
    page.click(box["x"] + 60, box["y"] + 50)


@pytest.mark.integration
def test_search_finds_rows_and_slices_and_slash_leads_to_it(page: Page) -> None:
    page.value("document.body.focus()")
    page.key("/")
    assert page.value("document.activeElement.id") == "search"
    for letter in "onerror":
        page.key(letter)
    page.wait("document.getElementById('found').textContent !== ''")

    n_rows, n_slices = (
        int(each.split()[0].replace(",", "")) for each in page.text("#found").split(", ")
    )
    assert n_rows >= 1 and n_slices >= 1
    assert page.value("getComputedStyle(document.getElementById('section-0')).display") == "none"
    page.key("Enter")
    assert "onerror" in page.text("#kept h3")
    page.key("Escape")
    page.wait("document.getElementById('found').textContent === ''")


@pytest.mark.integration
def test_a_table_is_sorted_by_its_headers(page: Page) -> None:
    page.value("document.querySelector('#section-2').scrollIntoView()")
    page.wait("document.querySelector('#section-2 td') !== null")
    names = page.value("[...document.querySelectorAll('#section-2 th')].map((th) => th.innerText)")
    place = [name.split()[0] for name in names].index("total_ns")
    rows = "[...document.querySelectorAll('#section-2 tbody tr')]"
    for direction in ("descending", "ascending"):
        page.value(f"document.querySelectorAll('#section-2 th button')[{place}].click()")
        titles = page.value(f"{rows}.map((row) => row.children[{place}].title)")
        figures = [int(text.split()[0].replace(",", "")) for text in titles]
        assert figures == sorted(figures, reverse=direction == "descending")
        expression = f"document.querySelectorAll('#section-2 th')[{place}].ariaSort"
        assert page.value(expression) == direction


@pytest.mark.integration
def test_heat_map_has_a_pixel_for_each_rank_and_step(page: Page) -> None:
    page.value("document.getElementById('section-3').scrollIntoView()")
    page.wait("document.querySelector('#section-3 canvas.heat') !== null")
    find = "document.querySelector('#section-3 canvas.heat')"
    columns, rows = page.value(f"[{find}.width, {find}.height]")
    names = page.value("[...document.querySelectorAll('#section-3 th')].map((th) => th.innerText)")
    cells = (
        "[...document.querySelectorAll('#section-3 tbody tr')]"
        ".map((row) => row.cells[{}].innerText)"
    )
    for size, name in ((columns, "step"), (rows, "rank")):
        assert size == len(set(page.value(cells.format(names.index(name)))))
    move = "new MouseEvent('mousemove', {clientX: b.x + 1, clientY: b.y + 1})"
    page.value(
        f"(() => {{ const b = {find}.getBoundingClientRect(); {find}.dispatchEvent({move}); }})()"
    )
    status = page.value(f"{find}.previousElementSibling.textContent")
    assert re.match(r"host_ns: rank 0, step \d+: ", status)


@pytest.mark.integration
def test_it_is_dark_where_the_reader_prefers_it_and_turns_light_at_a_click(
    browser: Browser, pages: dict[str, Path]
) -> None:
    page = browser.page(pages["one"], dark=True)
    background = "getComputedStyle(document.body).backgroundColor"
    assert page.value(background) == "rgb(15, 19, 24)"
    page.value("document.getElementById('theme').click()")
    assert page.value(background) == "rgb(255, 255, 255)"
    assert page.complaints == []


@pytest.mark.slow
def test_two_runs_stand_side_by_side(browser: Browser, pages: dict[str, Path]) -> None:
    page = browser.page(pages["two"])
    title = "[...document.querySelectorAll('h2')].find((e) => e.textContent === 'Top kernels')"
    page.value(f"{title}.scrollIntoView()")
    sides = f"[...{title}.parentElement.querySelectorAll('.side')]"
    page.wait(f"{sides}.filter((side) => side.querySelector('canvas')).length === 2")
    left, right = page.value(f"{sides}.map((side) => side.getBoundingClientRect().x)")
    assert left < right
    heads = page.value(f"{sides}.map((side) => side.querySelector('h3').textContent)")
    assert heads == ["a", "b"]
    assert "Comparison" in page.text("#contents")
    assert "Each run begins at zero." in page.text("#timeline-notes")
    assert page.complaints == []


@pytest.mark.integration
@pytest.mark.parametrize(
    ("title", "query", "change", "total"),
    [
        ("Kernels compared", "compare_kernels", "change_ns", "device_time"),
        slow("Operators compared", "compare_ops", "self_change_ns", "operator_time"),
    ],
)
def test_contributions_add_up_to_the_measured_change(
    browser: Browser, pages: dict[str, Path], title: str, query: str, change: str, total: str
) -> None:
    page = browser.page(pages["two"])
    headings = "[...document.querySelectorAll('h2')]"
    page.value(f"{headings}.find((e) => e.textContent === {title!r}).scrollIntoView()")
    is_this = f"({{given}}) => given.total === {total.replace('_', ' ')!r}"
    found = f"[...tw.charts.drawn.values()].find({is_this})"
    page.wait(f"Boolean({found})")
    steps = page.value(f"tw.charts.steps({found}.given)")
    place = session.Place(pages["two"].parent / "w.duckdb")
    with session.opened(place, Selection(runs=("a", "b"))) as opened:
        sides = {"a": "a", "b": "b"}
        rows = opened.run(opened.queries.find(query), sides).table().to_pylist()
        measured = opened.run(opened.queries.find("compare_summary"), sides).table().to_pylist()
    (whole,) = [each for each in measured if each["measure"] == total]
    largest = sorted((abs(row[change]) for row in rows if row[change] is not None), reverse=True)

    first, *changes, last = steps
    assert (first["name"], last["name"]) == ("a", "b")
    assert first["to"] == pytest.approx(whole["basis_a"])
    assert last["to"] == pytest.approx(whole["basis_b"])
    assert sum(each["change"] for each in changes) == pytest.approx(whole["change"])
    n_shown = len(changes) - changes[-1]["name"].endswith(" others")
    assert [abs(each["change"]) for each in changes[:n_shown]] == pytest.approx(largest[:n_shown])
    for before, after in zip(steps[:-2], changes, strict=True):
        assert after["from"] == before["to"]
    assert changes[-1]["to"] == last["to"]
    assert page.complaints == []


@pytest.mark.integration
def test_a_comparison_ends_with_the_timeline_and_a_jump_lands_on_it(
    browser: Browser, pages: dict[str, Path]
) -> None:
    page = browser.page(pages["two"])
    order = page.value("[...document.querySelectorAll('main h2')].map((e) => e.textContent)")
    expected = ("Verdict", "Comparison", "Kernels compared", "Overview", "Top kernels", "Timeline")
    places = [order.index(each) for each in expected]
    assert places == sorted(places)
    links = page.value("[...document.querySelectorAll('#contents a')].map((e) => e.innerText)")
    names = [each.split("\n")[0] for each in links]
    assert [each for each in names if each in expected] == list(expected)
    assert re.match(r"b is .* than a: makespan|b is .* than a: step time", page.text("#verdict p"))
    page.value("document.querySelector('#contents a[href=\"#timeline-section\"]').click()")
    section = "document.getElementById('timeline-section').getBoundingClientRect()"
    margin = (
        "parseFloat(getComputedStyle(document.getElementById('timeline-section')).scrollMarginTop)"
    )
    end = "scrollY + innerHeight >= document.documentElement.scrollHeight - 1"
    page.wait(f"Math.abs({section}.top - {margin}) < 2 || ({end} && {section}.top < innerHeight)")
    assert page.complaints == []


def drawn_and_linked(page: Page) -> tuple[set[int], set[tuple[str, int, int]], list[Any]]:
    """Ids of the slices that a page draws, its links, and (what it launched, start, name) of
    calls that it does not draw."""
    timeline = json.loads(page.text("#timeline-data"))
    ids = [
        (track["trace_id"] << 32) + each
        for track in timeline["tracks"]
        for each in track["slices"]["id"]
    ]
    links = {
        (each["kind"], ids[source], ids[target])
        for each in timeline["links"]
        for source, target in zip(accumulate(each["from"]), accumulate(each["to"]), strict=True)
    }
    ends = timeline.get("ends", {"to": [], "start": [], "name": []})
    names = [timeline["names"][each] for each in ends["name"]]
    launched = [ids[each] for each in ends["to"]]
    return set(ids), links, sorted(zip(launched, accumulate(ends["start"]), names, strict=True))


@pytest.mark.integration
@pytest.mark.parametrize("name", [slow("one"), "two"])
def test_links_of_drawn_slices_are_those_of_the_warehouse(
    browser: Browser, pages: dict[str, Path], name: str
) -> None:
    ids, links, ends = drawn_and_linked(browser.page(pages[name]))
    with duckdb.connect(str(pages[name].parent / "w.duckdb"), read_only=True) as connection:
        stored = connection.execute(
            "SELECT kind, from_id, to_id, rule FROM link WHERE link_set = 'default'"
        ).fetchall()
        calls = {
            id: (ts, text)
            for id, ts, text in connection.execute("SELECT id, ts, name FROM slice").fetchall()
        }
    nested = {"step", "annotation", "python", "module"}
    kept = [
        each[:3]
        for each in stored
        if each[0] not in nested and each[::3] != ("op_launch", "containment")
    ]
    assert links == {each for each in kept if each[1] in ids and each[2] in ids}
    assert {"launch"} <= {kind for kind, *_ in links}
    assert ends == sorted(
        (target, *calls[source])
        for kind, source, target in kept
        if kind == "launch" and source not in ids and target in ids
    )
    assert bool(ends) == (name == "one")


@pytest.mark.integration
def test_a_kernel_leads_to_its_call_and_the_call_to_the_kernel(
    browser: Browser, pages: dict[str, Path]
) -> None:
    page = browser.page(pages["two"])
    _, links, _ = drawn_and_linked(page)
    callers = {target: source for kind, source, target in links if kind == "launch"}
    kept_id = (
        "(({row, level, at}) => row.track.info.trace_id * 2 ** 32 + level.id[at])"
        "(tw.timeline.kept())"
    )
    relations = "tw.timeline.relations().map(([name, places]) => [name, places.length])"
    accent = """(() => {
      const canvas = document.getElementById("timeline-canvas");
      const { width, height } = canvas;
      const copy = Object.assign(document.createElement("canvas"), { width, height });
      const context = copy.getContext("2d", { willReadFrequently: true });
      context.fillStyle = tw.color("--accent");
      context.fillRect(0, 0, 1, 1);
      const color = context.getImageData(0, 0, 1, 1).data.join();
      context.drawImage(canvas, 0, 0);
      const { data } = context.getImageData(0, 60, width, height - 60);
      let n = 0;
      for (let i = 0; i < data.length; i += 4) n += data.slice(i, i + 4).join() === color;
      return n;
    })()"""
    page.value("document.getElementById('timeline-section').scrollIntoView({behavior: 'instant'})")
    page.value("document.getElementById('timeline-canvas').focus()")
    assert page.value("tw.timeline.search('owned')") > 0
    for _ in range(30):
        page.key("n")
        if int(page.value(kept_id)) in callers:
            break
    kernel = int(page.value(kept_id))
    assert ["launched by", 1] in page.value(relations)
    page.settle()
    assert page.value(accent) > 20
    page.key("l")
    assert page.value("document.getElementById('kept').contains(document.activeElement)")
    button = "[...document.querySelectorAll('#kept button')].at(-1)"
    launched_by = "[...document.querySelectorAll('#kept dl:not(.arguments) dt')].at(-1).textContent"
    assert page.value(launched_by) == "launched by"
    page.value(f"{button}.click()")
    assert int(page.value(kept_id)) == callers[kernel]
    assert any(name == "launched" for name, _ in page.value(relations))
    page.value(f"{button}.click()")
    assert int(page.value(kept_id)) == kernel
    page.value("document.getElementById('timeline-canvas').focus()")
    page.key("Escape")
    page.settle()
    assert page.value(accent) == 0
    assert page.complaints == []


@pytest.mark.slow
def test_without_sections_or_slices_there_is_still_a_page(
    browser: Browser, pages: dict[str, Path]
) -> None:
    page = browser.page(pages["empty"])
    assert "No slices in scope." in page.text("#timeline-section")
    assert page.complaints == []


@pytest.mark.slow
def test_it_prints_every_section_on_white(
    browser: Browser, pages: dict[str, Path], tmp_path: Path
) -> None:
    page = browser.page(pages["two"], dark=True)
    page.pdf(tmp_path / "page.pdf")
    assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")
    sections = "[...document.querySelectorAll('#sections section')]"
    texts = page.value(f"{sections}.map((each) => each.innerText)")
    tables = [text for text in texts if not text.startswith("Overview\n")]
    assert len(tables) == len(texts) - 1 and all("row" in text for text in tables)
    assert page.complaints == []


_SHIFTS = """new Promise((done) => {
  let sum = 0;
  new PerformanceObserver((list) => {
    for (const each of list.getEntries()) if (!each.hadRecentInput) sum += each.value;
  }).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => done(sum), 500);
})"""


@pytest.mark.integration
@pytest.mark.parametrize("name", [slow("one"), "two"])
def test_nothing_moves_after_the_first_paint(
    browser: Browser, pages: dict[str, Path], name: str
) -> None:
    page = browser.page(pages[name])
    page.settle()
    assert page.value(_SHIFTS) == 0
    page.value("const moved = document.createElement('p'); moved.textContent = 'x'; "
               "document.getElementById('content').prepend(moved); undefined")  # fmt: skip
    page.settle()
    assert page.value(_SHIFTS) > 0  # what it measures


@pytest.mark.integration
@pytest.mark.parametrize("name", [slow("one"), "two"])
def test_a_printed_page_has_whole_tables_and_charts(
    browser: Browser, pages: dict[str, Path], name: str
) -> None:
    a4_landscape = 1030  # pixels between margins
    page = browser.page(pages[name], width=a4_landscape)
    n_charts = "document.querySelectorAll('.chart canvas').length"
    expected = page.value(
        "JSON.parse(document.getElementById('report-data').textContent).sections"
        ".flatMap((each) => each.sides).filter((side) => side.chart && side.n_rows).length"
    )
    page.send("Emulation.setEmulatedMedia", media="print")
    page.value("dispatchEvent(new Event('beforeprint'))")
    page.settle()

    assert page.value(n_charts) >= expected > 0
    edges = page.value(
        "[...document.querySelectorAll('table')].map((e) => [e.getBoundingClientRect().right, "
        "e.parentElement.scrollHeight - e.parentElement.clientHeight])"
    )
    assert edges and all(right <= a4_landscape and hidden <= 1 for right, hidden in edges)
    blank = page.value("getComputedStyle(document.querySelector('#contents')).display")
    assert blank == "none"
    assert page.complaints == []


_TEXTS = ("values", "labels", "about", "remedy", "note", "reason", "finding", "cost", "title",
          "text", "reasons", "measure", "basis", "name", "names", "categories", "run", "trace",
          "process", "thread", "device_name", "keys", "evidence", "texts")  # fmt: skip


def with_hostile_texts(given: Any, *, is_text: bool = False) -> Any:
    """The values of a page, in which all texts that a trace or a user can choose are hostile."""
    if isinstance(given, dict):
        return {
            key: with_hostile_texts(value, is_text=key in _TEXTS and key != "columns")
            if key != "columns"
            else value
            for key, value in given.items()
        }
    if isinstance(given, list):
        return [with_hostile_texts(each, is_text=is_text) for each in given]
    return f"{HOSTILE}\x1b[31m\u202e{given}" if is_text and isinstance(given, str) else given


@pytest.mark.integration
def test_hostile_texts_are_inert_in_verdict_findings_areas_and_counters(
    browser: Browser, pages: dict[str, Path], tmp_path: Path
) -> None:
    source = pages["two"].read_text("utf-8")
    parts = {
        name: json.loads(found[1])
        for name in ("report-data", "timeline-data")
        if (found := re.search(rf'id="{name}">(.*?)</script>', source, re.DOTALL))
    }
    area = {
        "kind": "area", "unit": "byte", "x": "ts", "x_unit": "ns", "n_left_out": 0,
        "series": [{"name": "activation", "points": [[0, 1], [5, 9]], "n_points": 2}],
    }  # fmt: skip
    finding = {"finding": "idle", "severity": "high", "cost": "1 ms", "about": "a", "remedy": "b",
               "evidence": "c"}  # fmt: skip
    report = parts["report-data"]
    region = {
        "kind": "region", "unit": "byte", "x_unit": "ns", "height": 64, "n_left_out": 0,
        "labels": ["core 0"], "texts": ["add"], "series": [{"name": "write"}],
        "regions": [[0, 0, 0, 10, 20, 0, 64]],
    }  # fmt: skip
    for section, chart in zip(report["sections"], (area, region), strict=False):
        section["sides"][0]["chart"] = chart
    for side in report["sides"]:
        side["findings"] = {"note": "n", "rows": [finding]}
    assert parts["timeline-data"]["counters"]
    values = with_hostile_texts(report)
    made = {**values, "timeline": with_hostile_texts(parts["timeline-data"])}
    path = tmp_path / "hostile.html"
    path.write_text(html.page({**made, "origin": "{}"}), "utf-8")

    page = browser.page(path)
    page.value("document.getElementById('timeline-canvas').focus()")
    for key in ("m", ".", "l"):
        page.key(key)
    page.value("dispatchEvent(new Event('beforeprint'))")
    page.settle()
    page.value(
        "document.querySelector('canvas.regions').dispatchEvent("
        "new PointerEvent('pointermove', {clientX: innerWidth / 2, clientY: 0}))"
    )

    for place in ("#verdict", ".findings", "#kept", "#contents", "#sections"):
        assert "<svg onload" in page.text(place), place
    assert page.value("document.querySelectorAll('img, svg, [onerror], [onload]').length") == 0
    assert "owned" not in page.value("document.title").replace("title='owned'", "")
    assert page.complaints == []
