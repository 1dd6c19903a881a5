"""Tables on a terminal: they fit, name units, and keep different names different."""

from __future__ import annotations

import json
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import Tw
from tests.support.randomtrace import Runs
from warehouse.library.header import Column
from warehouse.query.terminal import names, units
from warehouse.query.terminal.table import View, lay_out

RUN = Column("run_id", "BIGINT", "ref run.id")
TRACE = Column("trace_id", "BIGINT", "ref trace.id")
RANK = Column("rank", "BIGINT", "count", nullable=True)
NAME = Column("name", "VARCHAR", "text")
TOTAL = Column("total_ns", "BIGINT", "ns", help="Sum of the durations")
SHARE = Column("share", "DOUBLE", "ratio")


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        (660_600_000, "ns", "660.6 ms"),
        (0, "ns", "0 ns"),
        (999, "ns", "999 ns"),
        (999_999, "ns", "1.000 ms"),
        (12_345.6, "ns", "12.35 µs"),
        (90_000_000_000, "ns", "90 s"),
        (-1_500, "ns", "-1.500 µs"),
        (2.5, "us", "2.500 µs"),
        (0.238, "ratio", "23.8 %"),
        (1.04, "ratio", "104.0 %"),
        (0.000456, "ratio", "0.046 %"),
        (0.0, "ratio", "0.0 %"),
        (412, "byte", "412 B"),
        (3_006_477_107, "byte", "2.8 GiB"),
        (1_048_575, "byte", "1.0 MiB"),
        (1.555e12, "byte/s", "1.555 TB/s"),
        (1_234_567, "count", "1,234,567"),
        (5.91297e6, "count", "5,912,970"),
        (1234567, "source id", "1234567"),
        (1234567, None, "1234567"),
        (float("nan"), "ns", "nan"),
        (None, "ns", "-"),
        ("gemm", "text", "gemm"),
        (True, "bool", "true"),
    ],
)
def test_values_have_the_units_that_people_read(
    value: object, unit: str | None, expected: str
) -> None:
    assert units.shown(value, unit) == expected


def test_places_on_the_time_axis_keep_their_digits() -> None:
    assert units.shown(855_481_000, "ns", "start_ns") == "855.481 ms"
    assert units.shown(2_078_328_125, "ns", "end_ns") == "2,078.328 ms"
    assert units.shown(2_078_328_125, "ns", "extend_ns") == "2.078 s"


@settings(deadline=None)
@given(st.lists(st.text("ab", min_size=1, max_size=40), max_size=30), st.integers(8, 30))
def test_shortened_names_fit_and_stay_different(texts: list[str], width: int) -> None:
    found = names.shortened(texts, width)

    assert set(found) == set(texts)
    assert all(len(short) <= width for short in found.values())
    assert len(set(found.values())) == len(found)
    assert all(found[text] == text for text in texts if len(text) <= width and "#" not in text)


def test_names_that_differ_in_the_middle_are_shown_around_the_difference() -> None:
    texts = [f"void kernel<float, {n}, float, float, float>" for n in (128, 256)]

    found = names.shortened(texts, 20)

    assert [found[text][:5] for text in texts] == ["void …"[:5]] * 2
    assert "128" in found[texts[0]] and "256" in found[texts[1]]


def wide() -> tuple[list[Column], list[list[object]]]:
    columns = [RUN, TRACE, RANK, NAME, TOTAL, SHARE]
    columns += [Column(f"exposed_communication_{n}_ns", "BIGINT", "ns") for n in range(4)]
    rows: list[list[object]] = [
        [1, 1, 0, f"kernel<{'x' * 60}{n}>", 10**n, 0.5, *[10**n] * 4] for n in range(1, 5)
    ]
    return columns, rows


@pytest.mark.parametrize("width", [40, 60, 100, 200])
def test_a_table_fits_the_terminal(width: int) -> None:
    columns, rows = wide()

    layout = lay_out(columns, rows, View(width))

    lines = layout.text.splitlines()
    assert max(map(len, lines)) <= width
    headings = "".join(lines)
    shown = [c.name for c in columns[2:] if c.name not in layout.left_out]
    assert shown[:2] == ["rank", "name"] and "rank" in headings
    assert bool(layout.left_out) == (width < 200)
    assert all(name in layout.note("--raw", width).replace("\n  ", " ") for name in layout.left_out)


def test_details_are_left_out_before_totals() -> None:
    details = ["start_ns", "kernel_category", "min_ns", "p99_ns", "host_stddev_ns", "is_folded"]
    names = ["rank", *details, "name", "total_ns", "share"]
    columns = [
        Column(name, "BIGINT", "ns") if name.endswith("_ns") else Column(name, "VARCHAR")
        for name in names
    ]
    rows: list[list[object]] = [
        [10**6 if column.unit else f"{column.name} {'x' * 16} {n}" for column in columns]
        for n in range(2)
    ]

    left_out = [set(lay_out(columns, rows, View(width)).left_out) for width in range(40, 250)]

    assert {*details, "name"} <= left_out[0] and not left_out[-1]
    assert all(out <= set(details) or out > set(details) for out in left_out)
    assert {len(out) for out in left_out} >= {0, 1, len(details)}


def test_a_figure_stays_where_names_can_be_left_out() -> None:
    names = ["top_op", "op", "kernel_name", "kind"]
    columns = [*(Column(name, "VARCHAR", "text") for name in names), TOTAL, SHARE]
    rows: list[list[object]] = [
        [*(f"{name} {'x' * 40} {n}" for name in names), 10**6, 0.5] for n in range(2)
    ]

    layouts = {width: lay_out(columns, rows, View(width)) for width in range(40, 140)}

    assert all("total_ns" not in layout.left_out for layout in layouts.values())
    assert {"op", "kind", "share"} <= set(layouts[60].left_out)


def test_headings_are_broken_at_underscores_above_narrow_values() -> None:
    columns = [NAME, Column("exposed_communication_ns", "BIGINT", "ns"), TOTAL]

    layout = lay_out(columns, [["a" * 20, 5, 6], ["b" * 20, 7, 8]], View(45))

    assert layout.text.splitlines()[:3] == [
        " " * 28 + "exposed_",
        " " * 22 + "communication_  total_",
        "name" + " " * 30 + "ns      ns",
    ]
    assert layout.left_out == ()


def test_columns_without_values_are_left_out_first() -> None:
    columns = [NAME, Column("nothing", "VARCHAR", "text", nullable=True), TOTAL, SHARE]

    layout = lay_out(columns, [["a" * 30, None, 1, 0.5], ["b" * 30, None, 2, 0.5]], View(45))

    assert layout.left_out == ("nothing",)


def test_ids_are_hidden_unless_asked_for_or_needed() -> None:
    columns = [RUN, TRACE, RANK, NAME]
    rows = [[1, 1, 0, "a"], [1, 2, 1, "b"]]

    def heading(rows: list[list[object]], view: View) -> list[str]:
        return lay_out(columns, rows, view).text.splitlines()[0].split()

    assert heading(rows, View(80)) == ["rank", "name"]
    assert heading(rows, View(80, has_ids=True)) == ["run_id", "trace_id", "rank", "name"]
    assert heading(rows, View(80, columns=("name", "run_id"))) == ["name", "run_id"]
    two_runs = [[1, 1, 0, "a"], [2, 2, 0, "b"]]
    assert heading(two_runs, View(80)) == ["run_id", "trace_id", "rank", "name"]
    assert lay_out([RUN, TRACE], rows[:0], View(80)).text.split() == [
        "run_id",
        "trace_id",
        "─" * 6,
        "─" * 8,
    ]


def test_kernels_are_shown_by_their_short_name() -> None:
    columns = [Column("kernel_name", "VARCHAR", "text"), NAME, TOTAL]

    layout = lay_out(columns, [["gemm", "void gemm<float>()", 1]] * 2, View(80))

    assert layout.text.splitlines()[0].split() == ["kernel_name", "total_ns"]


def test_texts_of_chosen_columns_are_whole_where_they_fit() -> None:
    rows = [["a" * 90], ["b" * 90]]

    assert lay_out([NAME], rows, View(100, columns=("name",))).text.splitlines()[2] == "a" * 90
    assert len(lay_out([NAME], rows, View(85, columns=("name",))).text.splitlines()[2]) <= 85
    assert len(lay_out([NAME], rows, View(100)).text.splitlines()[2]) == 80


def test_one_row_is_a_line_for_each_column_with_its_meaning() -> None:
    layout = lay_out([RUN, NAME, TOTAL], [[1, "a", 1_500]], View(60))

    assert layout.text.splitlines() == [
        "name      a",
        "total_ns  1.500 µs  Sum of the durations",
    ]


def test_units_in_another_column_are_those_of_the_row() -> None:
    columns = [Column("value", "DOUBLE", "see unit"), Column("unit", "VARCHAR", "text")]

    layout = lay_out(columns, [[1024.0, "byte"], [1e6, "ns"]], View(60))

    assert layout.text.splitlines()[2:] == ["1.0 KiB  byte", "   1 ms  ns"]


def test_severities_are_coloured_on_terminals_with_colour() -> None:
    columns = [Column("severity", "VARCHAR", "text"), NAME]
    rows = [["error", "error"], ["note", "b"]]

    assert "\x1b" not in lay_out(columns, rows, View(60)).text
    coloured = lay_out(columns, rows, View(60, is_coloured=True)).text.splitlines()
    assert coloured[2] == "\x1b[31merror   \x1b[0m  error"


def test_characters_that_control_terminals_are_shown_as_text() -> None:
    layout = lay_out([NAME, TOTAL], [["\x1b[2J", 1], ["b", 2]], View(60))

    assert "\x1b" not in layout.text and "\\x1b[2J" in layout.text


@pytest.mark.parametrize(
    "command",
    [
        "query kernel_summary --run seed-0",
        pytest.param("check all --format table", marks=pytest.mark.slow),
    ],
)
def test_tables_fit_the_terminal_and_raw_shows_all(
    tw: Tw, random_runs: Runs, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("NO_COLOR", "1")
    arguments = (*command.split(), "--db", random_runs.path)

    fitting, raw = tw(*arguments), tw(*arguments, "--raw")

    assert max(map(len, fitting.out.splitlines())) <= 100
    assert "Columns that do not fit: " in fitting.err
    assert raw.out.startswith("run_id  ") and max(map(len, raw.out.splitlines())) > 100


@pytest.mark.parametrize(
    "command", ["compare seed-0 seed-1", pytest.param("check all", marks=pytest.mark.slow)]
)
def test_reports_fit_a_terminal_of_80_columns(
    tw: Tw, random_runs: Runs, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "80")

    ran = tw(*command.split(), "--db", random_runs.path)

    assert len(ran.out.splitlines()) > 5
    assert [line for line in ran.out.splitlines() if len(line) > 80] == []


def test_columns_of_no_rows_are_not_listed(
    tw: Tw, random_runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "40")

    ran = tw("query", "tpu_overlap", "--db", random_runs.path, "--run", "seed-0")

    assert "0 rows. " in ran.err and "do not fit" not in ran.err


def test_columns_and_order_are_chosen(tw: Tw, random_runs: Runs) -> None:
    arguments = ("query", "utilization", "--db", random_runs.path, "--run", "seed-0")

    def rows(*options: str) -> list[dict[str, int]]:
        printed = tw(*arguments, "--format", "jsonl", *options).out
        return [json.loads(line) for line in printed.splitlines()]

    busy = sorted(row["busy_ns"] for row in rows())
    chosen = rows("--columns", "rank,busy_ns", "--sort", "busy_ns")
    assert list(chosen[0]) == ["rank", "busy_ns"]
    assert [row["busy_ns"] for row in chosen] == busy[::-1]
    ascending = rows("--columns", "busy_ns", "--sort", "busy_ns:asc")
    assert [row["busy_ns"] for row in ascending] == busy


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--columns", "nope"], "Error: the result has no column 'nope'"),
        (["--sort", "busy_ns:up"], "Error: 'up' is not an order of --sort"),
        (
            ["--sort", "busy_ns", "-o", "u.csv"],
            "Error: --columns, --sort and --rows apply to printed rows, not to files",
        ),
    ],
)
def test_columns_that_cannot_be_shown_are_one_sentence(
    tw: Tw, random_runs: Runs, arguments: list[str], message: str
) -> None:
    result = tw("query", "utilization", "--db", random_runs.path, "--run", "seed-0", *arguments)

    assert result.code != 0
    assert result.errors[0] == message


def test_columns_to_choose_from_are_in_the_order_of_the_result(tw: Tw, random_runs: Runs) -> None:
    result = tw("query", "SELECT 1 AS one, 2 AS two", "--columns", "tow", "--db", random_runs.path)

    assert result.err.endswith("Hint: Columns: one, two.\n")


def test_columns_of_equal_names_and_any_type_can_be_sorted_or_are_refused(
    tw: Tw, random_runs: Runs
) -> None:
    db = ("--db", random_runs.path)
    twice = tw("query", "SELECT 1 AS a, 2 AS a, 3 AS b", "--sort", "b", "--format", "csv", *db)
    nested = tw("query", "SELECT {'n': 1} AS s", "--sort", "s", *db)

    assert twice.out.splitlines()[1] == "1,2,3"
    assert len(nested.errors) == 1 and "column 's'" in nested.errors[0]
