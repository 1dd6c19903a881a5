"""The timeline of a page in a real browser: arguments of slices, totals of areas, counters.

Expected values are computed from the warehouse, in plain Python.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from tests.conftest import CHROMIUM
from tests.support.browser import Browser, Page, program
from tests.support.randomtrace import RandomTrace, import_jobs, make_job
from warehouse.export import report
from warehouse.export.page import arguments, counters, timeline
from warehouse.export.page import page as html
from warehouse.query import session
from warehouse.query.selection import Selection

HOSTILE = '</script><img src=x onerror="document.title=1"><svg onload=alert(1)>'
SHIFT = 8  # the key, in the protocol of the browser
Values = dict[str, Any]


def test_values_that_all_slices_share_are_stored_once() -> None:
    found = arguments._set(["a", "b"], np.array([7, 3]), ["1", '"x"', "2", '"x"'])

    assert found == {"keys": ["a", "b"], "of": [3, 4], "values": [["2", "1"], '"x"']}


def test_a_bucket_that_no_other_follows_ends_at_zero() -> None:
    start, value = counters._ended(np.array([0, 10, 40]), np.array([1.0, 2.0, 3.0]), 10)

    assert start.tolist() == [0, 10, 20, 40, 50]
    assert value.tolist() == [1, 2, 0, 3, 0]


def hostile(trace: RandomTrace) -> RandomTrace:
    """The same trace, with an argument of every kernel that would take over a careless page, and
    bytes and names of copies, of which some take no time."""
    directions = (
        "Memcpy HtoD (Pinned -> Device)",
        "Memcpy DtoH (Device -> Pageable)",
        "Memset (Device)",
    )

    def changed(place: int, event: dict[str, Any]) -> dict[str, Any]:
        args = event.get("args", {})
        if event.get("cat") == "kernel":
            return {**event, "args": {**args, "note": HOSTILE, HOSTILE: [1, {"x": None}]}}
        if event.get("cat") not in ("gpu_memcpy", "gpu_memset"):
            return event
        name = directions[2 if event["cat"] == "gpu_memset" else place % 2]
        dur = 0 if place % 5 == 0 else event["dur"]
        return {**event, "name": name, "dur": dur, "args": {**args, "bytes": 1_000 + 977 * place}}

    return trace.changed([changed(*each) for each in enumerate(trace.events)])


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("timeline")
    return import_jobs(folder / "w.duckdb", {"a": [hostile(each) for each in make_job(5)]}).path


@pytest.fixture(scope="module")
def page(warehouse: Path) -> Iterator[Page]:
    command = program()
    if command is None:
        pytest.skip(f"no Chromium: none is on the path and {CHROMIUM} is not set")
    path = warehouse.with_suffix(".html")
    with session.opened(session.Place(warehouse), Selection(runs=("a",))) as opened:
        chosen = report.choose(opened, ("utilization",), {}, None)
        html.write(html.of_session(opened, chosen, 30_000), path)
    with Browser(command) as browser:
        opened_page = browser.page(path)
        opened_page.value("document.getElementById('timeline-canvas').focus()")
        yield opened_page
        assert opened_page.complaints == []
        assert opened_page.value("document.images.length") == 0
        assert opened_page.value("document.title") == "Queries"


def data(page: Page) -> Values:
    found: Values = json.loads(page.text("#timeline-data"))
    return found


def fetch(warehouse: Path, statement: str) -> list[Any]:
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        return connection.execute(statement).fetchall()


def by_id(given: Values) -> dict[int, dict[str, Any]]:
    """The arguments of a timeline by slice."""
    ids = [(t["trace_id"] << 32) + each for t in given["tracks"] for each in t["slices"]["id"]]
    found = {}
    for each in given["arguments"]:
        for row, number in enumerate(accumulate(each["of"])):
            columns = each["values"]
            values = [json.loads(c if isinstance(c, str) else c[row]) for c in columns]
            found[ids[number]] = dict(zip(each["keys"], values, strict=True))
    return found


@pytest.mark.integration
def test_arguments_are_those_of_the_warehouse(page: Page, warehouse: Path) -> None:
    stored = fetch(warehouse, "SELECT id, args_json FROM slice WHERE args_json IS NOT NULL")
    expected = {id: json.loads(text) for id, text in stored}

    assert by_id(data(page)) == {id: each for id, each in expected.items() if each}
    assert data(page)["n_arguments_left_out"] == 0


@pytest.mark.integration
def test_arguments_of_the_longest_slices_are_kept_within_a_budget(warehouse: Path) -> None:
    budget = 2_000
    with session.opened(session.Place(warehouse), Selection(runs=("a",))) as opened:
        found = timeline.timeline(opened)
        arguments.add(opened, found, budget)
    stored = fetch(
        warehouse,
        "SELECT id, args_json FROM slice WHERE args_json LIKE '{_%' AND args_json <> '{}' "
        "ORDER BY greatest(dur, 0) DESC, id",
    )
    expected, n_bytes = {}, 0
    for id, text in stored:
        values = json.loads(text)
        lengths = [len(json.dumps(each, separators=(",", ":"))) for each in values.values()]
        n_bytes += sum(lengths) + 3 * len(lengths)
        if n_bytes <= budget:
            expected[id] = values

    assert 0 < len(expected) < len(stored)
    assert by_id(found) == expected
    assert found["n_arguments_left_out"] == len(stored) - len(expected)


@pytest.mark.integration
def test_a_selected_slice_shows_its_arguments_as_text(page: Page, warehouse: Path) -> None:
    kept = (
        "(({row, level, at}) => row.track.info.trace_id * 2 ** 32 + level.id[at])"
        "(tw.timeline.kept())"
    )
    page.key("Escape")
    page.key("0")
    page.value("tw.timeline.search('')")
    kernel = fetch(warehouse, "SELECT name FROM slice WHERE category = 'kernel'")[0][0]
    assert page.value(f"tw.timeline.search({json.dumps(kernel.lower())})") > 0
    page.key("n")
    ((text,),) = fetch(warehouse, f"SELECT args_json FROM slice WHERE id = {int(page.value(kept))}")
    shown = page.value(
        "Object.fromEntries([...document.querySelectorAll('#kept .arguments dt')].map("
        "(e) => [e.textContent, e.nextSibling.textContent]))"
    )

    stored = json.loads(text)
    assert shown.keys() == stored.keys()
    assert shown["note"] == stored["note"] == HOSTILE
    assert json.loads(shown[HOSTILE]) == [1, {"x": None}]
    page.value("tw.timeline.search('')")


def area(page: Page) -> Values:
    """The selected area, with its totals."""
    found: Values = page.value(
        "(({from, to, rows, names, categories, tracks, n}) => ({from, to, n, "
        "names: [...names], categories: [...categories], sums: [...tracks], "
        "tracks: rows.map((row) => row.track.info.track_id)}))(tw.timeline.area())"
    )
    return found


def totals(page: Page, found: Values) -> tuple[Any, ...]:
    """Number and time of slices in an area by name and category, and of outermost ones by track."""
    given = data(page)
    by_name: dict[str, list[float]] = defaultdict(lambda: [0, 0])
    by_category: dict[str, list[float]] = defaultdict(lambda: [0, 0])
    by_track = []
    for track in given["tracks"]:
        if track["track_id"] not in found["tracks"]:
            continue
        mine, slices = [0.0, 0.0], track["slices"]
        for n, start in enumerate(accumulate(slices["start"])):
            first = start + (track["shift_ns"] or 0) + round((track["drift"] or 0) * start)
            last = first + max(0, slices["dur"][n])
            if first >= found["to"] or (last <= found["from"] and first < found["from"]):
                continue
            ns = max(0, min(last, found["to"]) - max(first, found["from"]))
            for sums in (
                by_name[given["names"][slices["name"][n]] or "(no name)"],
                by_category[given["categories"][slices["category"][n]] or "none"],
            ):
                sums[0] += 1
                sums[1] += ns
            mine[0] += 1
            mine[1] += 0 if slices["depth"][n] else ns
        by_track.append(mine)
    return dict(by_name), dict(by_category), [each for each in by_track if each[0]]


def check(page: Page) -> Values:
    found = area(page)
    names, categories, tracks = totals(page, found)
    for given, expected in ((found["names"], names), (found["categories"], categories)):
        assert {key: [sum["n"], sum["ns"]] for key, sum in given} == {
            key: [n, pytest.approx(ns, abs=1e-3)] for key, (n, ns) in expected.items()
        }
    assert sorted([sum["n"], sum["ns"]] for _, sum in found["sums"]) == [
        [n, pytest.approx(ns, abs=1e-3)] for n, ns in sorted(tracks)
    ]
    return found


@pytest.mark.integration
def test_a_dragged_area_has_totals_by_name_category_and_track(page: Page) -> None:
    page.key("Escape")
    page.key("0")
    box = page.value(
        "(() => { const {x, y, width, height} = document.getElementById('timeline-canvas')"
        ".getBoundingClientRect(); return [x, y, width, height]; })()"
    )
    x, y, width, height = box
    left, right = x + 210 + (width - 210) * 0.3, x + 210 + (width - 210) * 0.6
    bottom = y + height - 5
    page.mouse("mousePressed", left, y + 60, button="left", clickCount=1)
    for place in (left + 20, right):
        page.mouse("mouseMoved", place, bottom, button="left", buttons=1)
    page.mouse("mouseReleased", right, bottom, button="left", clickCount=1)

    found = check(page)
    assert found["n"] > 20 and len(found["tracks"]) > 1
    captions = page.value(
        "[...document.querySelectorAll('#kept caption')].map((e) => e.textContent)"
    )
    assert captions == ["By name", "By category", "By track"]
    longest = max(found["names"], key=lambda each: each[1]["ns"])[0]
    assert page.text("#kept table td") == longest

    page.key("Escape")
    assert page.value("tw.timeline.area()") is None
    assert page.text("#kept") == ""


@pytest.mark.integration
def test_keys_mark_the_selected_slice_and_extend_the_area(page: Page) -> None:
    page.key("Escape")
    page.key("0")
    page.key(".")
    start, dur = page.value(
        "(({level, at}) => [level.start[at], level.dur[at]])(tw.timeline.kept())"
    )
    page.key("m")

    found = check(page)
    assert (found["from"], found["to"]) == (start, start + max(1, dur))
    page.key("ArrowRight", SHIFT)
    view = page.value("tw.timeline.view()")
    longer = check(page)
    assert longer["from"] == start
    assert longer["to"] - found["to"] == pytest.approx((view["end"] - view["start"]) * 0.05)
    page.key("ArrowLeft", SHIFT)
    assert check(page)["to"] == pytest.approx(found["to"])


@pytest.mark.integration
def test_counters_are_shares_of_the_time_between_their_values(page: Page, warehouse: Path) -> None:
    given = data(page)
    busy = [each for each in given["counters"] if each["name"].startswith("busy")]
    ops = fetch(
        warehouse,
        "SELECT o.trace_id, 'busy device ' || d.ordinal, o.ts, o.ts + greatest(o.dur, 0) "
        "FROM gpu_op AS o JOIN device AS d ON d.id = o.device_id "
        "WHERE o.kind IN ('kernel', 'memcpy', 'memset') ORDER BY o.ts",
    )
    assert {(each["trace_id"], each["name"]) for each in busy} == {each[:2] for each in ops}
    for each in busy:
        mine = [op[2:] for op in ops if op[:2] == (each["trace_id"], each["name"])]
        first, last = mine[0][0], max(end for _, end in mine)
        times = list(accumulate(each["start"]))
        assert times[0] <= first and times[-1] >= last
        for (start, end), value in zip(pairwise(times), each["value"], strict=False):
            begin, reach = max(start, first), 0
            covered, n_busy = min(end, last) - begin, 0
            for op_start, op_end in mine:  # in order of start
                begin = max(start, first, op_start, reach)
                n_busy += max(0, min(op_end, end) - begin)
                reach = max(reach, op_end)
            assert value == pytest.approx(n_busy / covered, rel=1e-3, abs=1e-9)


def held(spans: list[tuple[int, int]], start: int, end: int) -> int:
    """Time of all spans together within an interval; those that overlap count once each."""
    return sum(max(0, min(stop, end) - max(begin, start)) for begin, stop in spans)


def without(spans: list[tuple[int, int]], others: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The times at which one of some spans runs and none of others."""
    edges = sorted({at for span in spans + others for at in span})
    return [
        (start, end)
        for start, end in pairwise(edges)
        if held(spans, start, end) and not held(others, start, end)
    ]


def check_means(
    counters: dict[tuple[int, str], Values],
    key: tuple[int, str],
    counted: list[tuple[int, int]],
    first: int,
    last: int,
) -> None:
    """The values of a counter are means over time, within the time that counts."""
    times = list(accumulate(counters[key]["start"]))
    for (start, end), value in zip(pairwise(times), counters[key]["value"], strict=False):
        covered = min(end, last) - max(start, first)
        mean = held(counted, start, end) / covered if covered > 0 else 0
        assert value == pytest.approx(mean, rel=1e-3, abs=1e-9), (key, start)


@pytest.mark.integration
def test_counters_of_exposed_communication_and_queues_are_means(
    page: Page, warehouse: Path
) -> None:
    counters = {(each["trace_id"], each["name"]): each for each in data(page)["counters"]}
    ops = fetch(
        warehouse,
        "SELECT o.trace_id, d.ordinal, o.stream, o.name, o.kind, o.ts, o.ts + o.dur, c.ts "
        "FROM gpu_op AS o JOIN device AS d ON d.id = o.device_id "
        "LEFT JOIN link AS l ON l.to_id = o.slice_id AND l.kind = 'launch' "
        "LEFT JOIN slice AS c ON c.id = l.from_id WHERE o.kind <> 'sync' ORDER BY o.ts",
    )
    seen = set()
    for trace_id, device in {op[:2] for op in ops}:
        spans = defaultdict(list)
        for _, _, _, name, kind, start, end, _ in (o for o in ops if o[:2] == (trace_id, device)):
            if kind == "kernel" and end > start:
                spans["nccl" if name.startswith("nccl") else "compute"].append((start, end))
        mine = [(op[5], max(op[5], op[6])) for op in ops if op[:2] == (trace_id, device)]
        key = (trace_id, f"exposed comm. device {device}")
        assert (key in counters) == bool(spans["nccl"])
        if spans["nccl"]:
            alone = without(spans["nccl"], spans["compute"])
            first, last = min(start for start, _ in mine), max(end for _, end in mine)
            check_means(counters, key, alone, first, last)
            seen.add("exposed")
    for trace_id, device, stream in {op[:3] for op in ops}:
        launched = [op for op in ops if op[:3] == (trace_id, device, stream) and op[7] is not None]
        key = (trace_id, f"queue device {device} stream {stream}")
        if key not in counters:  # only the longest queues have one
            continue
        queued = [(op[7], op[5]) for op in launched if op[7] < op[5]]
        first = min(min(op[7], op[5]) for op in launched)
        check_means(counters, key, queued, first, max(max(op[5], op[6]) for op in launched))
        seen.add("queue")
    assert seen == {"exposed", "queue"}


@pytest.mark.integration
def test_counters_of_memory_are_the_recorded_totals(page: Page, warehouse: Path) -> None:
    events = fetch(
        warehouse,
        "SELECT trace_id, device_kind, device_ordinal, ts, total_allocated_bytes, "
        "total_reserved_bytes FROM memory_event ORDER BY ts, slice_id",
    )
    expected: dict[tuple[int, str], dict[int, int]] = defaultdict(dict)
    for trace_id, kind, device, ts, *totals in events:
        for name, total in zip(("allocated", "reserved"), totals, strict=True):
            expected[trace_id, f"{name} {kind} {device}"][ts] = total  # the last of a time
    found = {
        (each["trace_id"], each["name"]): dict(
            zip(accumulate(each["start"]), each["value"], strict=True)
        )
        for each in data(page)["counters"]
        if each["unit"] == "byte"
    }
    assert found == expected


@pytest.mark.integration
def test_counters_of_bandwidth_are_the_bytes_of_copies_spread_over_their_time(
    page: Page, warehouse: Path
) -> None:
    counters = {
        (each["trace_id"], each["name"]): each
        for each in data(page)["counters"]
        if each["name"].startswith("bandwidth")
    }
    copies = fetch(
        warehouse,
        "SELECT o.trace_id, d.ordinal, o.name, o.ts, o.ts + o.dur, o.bytes "
        "FROM gpu_op AS o JOIN device AS d ON d.id = o.device_id WHERE o.kind LIKE 'mem%'",
    )
    kinds = {"Memcpy HtoD": "HtoD", "Memcpy DtoH": "DtoH", "Memset (Dev": "memset"}
    mine: dict[tuple[int, str], list[tuple[int, int, int]]] = defaultdict(list)
    for trace_id, device, name, start, end, n_bytes in copies:
        mine[trace_id, f"bandwidth device {device} {kinds[name[:11]]}"].append(
            (start, end, n_bytes)
        )

    assert counters and set(counters) <= set(mine)  # of a trace only those with most
    assert any(start == end for each in counters for start, end, _ in mine[each])
    for key, counter in counters.items():
        times = list(accumulate(counter["start"]))
        for (start, end), value in zip(pairwise(times), counter["value"], strict=False):
            moved = sum(
                n_bytes * held([(begin, stop)], start, end) / (stop - begin)
                if stop > begin
                else n_bytes * (start <= begin < end)
                for begin, stop, n_bytes in mine[key]
            )
            assert value == pytest.approx(moved / (end - start), rel=1e-3, abs=1e-9), key
        assert times[0] <= min(each[0] for each in mine[key])
        assert times[-1] >= max(each[1] for each in mine[key])


@pytest.mark.integration
def test_axes_of_bytes_have_binary_steps_and_shares_end_at_100_percent(page: Page) -> None:
    def axis(unit: str, *values: float) -> Values:
        chart = {
            "kind": "line", "unit": unit, "x_unit": "ns",
            "series": [{"name": "a", "points": list(enumerate(values))}],
        }  # fmt: skip
        found: Values = page.value(
            f"(({{min, max, interval}}) => ({{min, max, interval}}))"
            f"(tw.charts.options.lines({json.dumps(chart)}, {{width: 600}}).yAxis)"
        )
        return found

    assert axis("byte", 0, 2.9 * 2**30) == {"min": 0, "max": 3 * 2**30, "interval": 2**30}
    assert axis("byte", -100, 900) == {"min": -256, "max": 1024, "interval": 256}
    assert axis("ratio", 0.01, 0.24) == {"min": 0, "max": 1}
    assert "max" not in axis("ratio", 0.5, 1.7)
