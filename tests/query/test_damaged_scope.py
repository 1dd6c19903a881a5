"""Everything read from a damaged trace says so; a time window that holds nothing is an error."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

import warehouse
from tests.conftest import Tw
from tests.ingest.test_damage import EVENT, WHOLE
from warehouse.errors import DamageWarning
from warehouse.times import parse_time, shown_time

LOST = f"1 of 1 trace damaged: cut (the file ends early at byte {WHOLE.rindex('{')})"
WARNING = f"WARNING: {LOST}"


def test_queries_and_files_over_a_damaged_trace_say_so_once(tw: Tw, tmp_path: Path) -> None:
    (tmp_path / "cut.json").write_text(WHOLE[:-30])
    assert tw("import", "cut.json").code == 6

    for command in (
        ("runs",), ("query", "-c", "SELECT 1"), ("check",), ("compare", "cut", "cut"),
        ("export", "perfetto", "-o", "a.pftrace"), ("export", "html", "runs", "-o", "a.html"),
        ("export", "xlsx", "runs", "-o", "a.xlsx"),
    ):  # fmt: skip
        ran = tw(*command)
        said = [line for line in ran.err.splitlines() if line.startswith("WARNING")]
        assert said == [WARNING], (command, ran.err)

    with pytest.warns(DamageWarning) as given:
        warehouse.open(tmp_path / "traces.duckdb").sql("SELECT 1")
    assert [str(each.message) for each in given] == [LOST]
    assert LOST in (tmp_path / "a.html").read_text()
    with zipfile.ZipFile(tmp_path / "a.xlsx") as book:
        assert any(LOST.encode() in book.read(name) for name in book.namelist())
    (trace,) = json.loads((tmp_path / "a.pftrace.origin.json").read_text())["traces"]
    assert trace["damage"] in LOST
    assert tw("verify", "a.pftrace").code == 0


def test_a_window_that_holds_nothing_names_the_span(tw: Tw, tmp_path: Path) -> None:
    events = ",".join(EVENT % n for n in (0, 1, 1000))  # slices of 1 µs
    (tmp_path / "gap.json").write_text(f'{{"traceEvents":[{events}]}}')
    assert tw("import", "gap.json").code == 0

    for window in (("--from", "2ms", "--to", "3ms"), ("--from", "5us", "--to", "900us"),
                   ("--to", "0"), ("--from", "1001us")):  # fmt: skip
        ran = tw("query", "-c", "SELECT 1", *window)
        assert (ran.code, ran.out) == (2, "")
        assert "holds nothing: 'gap' spans 0ns to 1.001ms" in ran.err
    for window in (("--from", "1us", "--to", "900us"), ("--from", "1000us"), ("--to", "1")):
        assert tw("query", "-c", "SELECT 1", *window).code == 0
    assert tw("export", "perfetto", "--from", "2ms", "-o", "b.pftrace").code == 2
    assert not (tmp_path / "b.pftrace").exists()


@pytest.mark.parametrize(
    ("ns", "text"),
    [(0, "0ns"), (999, "999ns"), (1500, "1.5us"), (-2_000_000, "-2ms"), (660551005, "660.551005ms"),
     (3_600_000_000_000, "3600s")],
)  # fmt: skip
def test_times_are_shown_as_they_are_read(ns: int, text: str) -> None:
    assert shown_time(ns) == text
    assert parse_time(text) == ns
