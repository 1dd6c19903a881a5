"""Everything read from a damaged trace says so; a time window that holds nothing is an error."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

import warehouse
from tests.conftest import Tw
from tests.ingest.test_damage import EVENT, WHOLE
from warehouse.errors import DamageWarning, ScopeError
from warehouse.query.scope import resolve
from warehouse.query.selection import Selection
from warehouse.store import database
from warehouse.times import parse_time, shown_time

LOST = f"1 of 1 trace damaged: cut (the file ends early at byte {WHOLE.rindex('{')})"
WARNING = f"WARNING: {LOST}"


def import_damaged(tw: Tw, folder: Path) -> None:
    (folder / "cut.json").write_text(WHOLE[:-30])
    assert tw("import", "cut.json").code == 6


def warnings_of(tw: Tw, *command: str) -> list[str]:
    return [line for line in tw(*command).err.splitlines() if line.startswith("WARNING")]


@pytest.mark.integration
def test_queries_and_pages_over_a_damaged_trace_say_so_once(tw: Tw, tmp_path: Path) -> None:
    import_damaged(tw, tmp_path)

    assert warnings_of(tw, "query", "-c", "SELECT 1") == [WARNING]
    assert warnings_of(tw, "export", "html", "runs", "-o", "a.html") == [WARNING]
    assert LOST in (tmp_path / "a.html").read_text()
    with pytest.warns(DamageWarning) as given:
        warehouse.open(tmp_path / "traces.duckdb").sql("SELECT 1")
    assert [str(each.message) for each in given] == [LOST]


@pytest.mark.slow
def test_checks_comparisons_and_exports_over_a_damaged_trace_say_so_once(
    tw: Tw, tmp_path: Path
) -> None:
    import_damaged(tw, tmp_path)

    for command in (
        ("runs",), ("check",), ("compare", "cut", "cut"),
        ("export", "perfetto", "-o", "a.pftrace"), ("export", "xlsx", "runs", "-o", "a.xlsx"),
    ):  # fmt: skip
        assert warnings_of(tw, *command) == [WARNING], command
    with zipfile.ZipFile(tmp_path / "a.xlsx") as book:
        assert any(LOST.encode() in book.read(name) for name in book.namelist())
    (trace,) = json.loads((tmp_path / "a.pftrace.origin.json").read_text())["traces"]
    assert trace["damage"] in LOST
    assert tw("verify", "a.pftrace").code == 0


def test_a_window_that_holds_nothing_names_the_span(tw: Tw, tmp_path: Path) -> None:
    events = ",".join(EVENT % n for n in (0, 1, 1000))  # slices of 1 µs
    (tmp_path / "gap.json").write_text(f'{{"traceEvents":[{events}]}}')
    assert tw("import", "gap.json").code == 0

    with database.Reader(tmp_path / "traces.duckdb") as reader:
        for from_ns, to_ns in (
            (2_000_000, 3_000_000),
            (5000, 900_000),
            (None, 0),
            (1_001_000, None),
        ):
            with pytest.raises(ScopeError, match=r"holds nothing: .gap. spans 0ns to 1\.001ms"):
                resolve(reader.connection, Selection(from_ns=from_ns, to_ns=to_ns))
        for from_ns, to_ns in ((1000, 900_000), (1_000_000, None), (None, 1)):
            resolve(reader.connection, Selection(from_ns=from_ns, to_ns=to_ns))
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
