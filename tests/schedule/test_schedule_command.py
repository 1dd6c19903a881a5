"""`tw schedule`: what the commands do and refuse, and what lets cron and systemd tick."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.schedule.test_schedule import db, history, imported, put, run_due
from warehouse.schedule import install
from warehouse.store import database

if TYPE_CHECKING:
    from tests.conftest import Tw

__all__ = ["db", "imported"]

ADD = ("schedule", "add", "nightly", "--cron", "0 6 * * *", "--query", "utilization")


def test_a_schedule_is_added_listed_shown_paused_resumed_and_removed(tw: Tw, db: Path) -> None:
    added = tw(*ADD, "--tz", "Europe/Berlin", "-o", "{due}.csv", "--run", "all", "--rank", "0-2")
    assert "Schedule nightly is next due at 2" in added.err

    listed = json.loads(tw("schedule", "list", "--json").out)[0]
    assert listed["what"] == "utilization of all as csv"
    assert listed["last"] == "never ran"
    shown = json.loads(tw("schedule", "show", "nightly").out)
    assert (shown["ranks"], len(shown["next"])) == ([0, 1, 2], 5)
    tw("schedule", "pause", "nightly")
    assert "paused" in tw("schedule", "list").out
    tw("schedule", "resume", "nightly")
    assert "paused" not in tw("schedule", "list").out
    tw("schedule", "remove", "nightly")
    assert tw("schedule", "list").out == ""


@pytest.mark.slow
def test_a_schedule_is_made_at_once_when_asked_for_and_is_still_due_later(tw: Tw, db: Path) -> None:
    put(db)
    assert tw("schedule", "run", "nightly").code == 0

    assert [run.origin for run in history(db)] == ["manual"]
    assert run_due(db, "2027-01-01T06:05")[-1] == ("01-01 06:00", "ok")
    assert "(manual)" in tw("schedule", "history", "nightly", "--limit", "1000").out


@pytest.mark.slow
def test_a_schedule_writes_csv_that_is_safe_in_spreadsheets(tw: Tw, db: Path) -> None:
    with database.writer(db) as connection:
        connection.execute("UPDATE run SET name = '=1+1'")

    for name, safe in (("plain", ()), ("safe", ("--csv-safe",))):
        query = ("--query", "runs", "--run", "all", "-o", f"{name}.csv")
        tw("schedule", "add", name, "--cron", "0 6 * * *", *query, *safe)
        tw("schedule", "run", name)

    assert ',"=1+1",' in (db.parent / "plain.csv").read_text()
    assert ',"\'=1+1",' in (db.parent / "safe.csv").read_text()


def test_times_that_passed_while_it_was_paused_are_not_made_later(tw: Tw, db: Path) -> None:
    put(db, is_enabled=False)
    tw("schedule", "resume", "nightly")

    assert run_due(db, f"{datetime.now(UTC):%Y-%m-%dT%H:%M}") == []


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((*ADD[:4], "0 6 * *", *ADD[5:], "-o", "a.csv"), "has 4 fields, not 5"),
        (
            (*ADD[:4], "61 6 * * *", *ADD[5:], "-o", "a.csv"),
            "invalid --cron '61 6 * * *': bad minute",
        ),
        (
            (*ADD[:4], "0 0 31 2 *", *ADD[5:], "-o", "a.csv"),
            "invalid --cron '0 0 31 2 *': bad day-of-month",
        ),
        ((*ADD, "--tz", "Europe/Berln", "-o", "a.csv"), "Did you mean Europe/Berlin?"),
        ((*ADD[:2], "a/b", *ADD[3:], "-o", "a.csv"), "invalid schedule name"),
        ((*ADD, "-o", "a"), "cannot infer the format"),
        ((*ADD[:5], "--report", "pytorch", "-o", "a.pdf"), "Add --format, one of xlsx, html."),
        ((*ADD, "-o", "{dew}.csv"), "invalid --output '{dew}.csv': unknown field {dew}"),
        ((*ADD, "-o", "{due.csv"), "invalid --output"),
        ((*ADD, "-o", "\udcff.csv"), "invalid --output '\\udcff.csv'"),
        ((*ADD, "-o", "a.csv", "--keep-last", "3"), "requires a path that differs"),
        ((*ADD, "-o", "a.csv", "--report", "pytorch"), "exactly one of --query, --report and"),
        ((*ADD, "-o", "a.xlsx", "--diagnose"), "exactly one of --query, --report and"),
        ((*ADD[:5], "--report", "pytorch", "-o", "a.csv"), "a report cannot be written as csv"),
        ((*ADD, "--format", "text", "-o", "a.txt"), "--format text requires --diagnose"),
        ((*ADD[:5], "--diagnose", "--trend", "x", "-o", "a.csv"), "--trend requires --query"),
        ((*ADD, "--trend", "price", "-o", "a.csv"), "has no column 'price' of numbers"),
        ((*ADD, "--by", "build", "-o", "a.xlsx"), "--by requires --trend"),
        ((*ADD, "--where", "model=a", "-o", "a.xlsx"), "--where requires --trend"),
        ((*ADD[:5], "--report", "pytorsch", "-o", "a.xlsx"), "Did you mean 'pytorch'?"),
        ((*ADD[:6], "utilisation", "-o", "a.csv"), "utilization"),
        ((*ADD, "-p", "bucket=1", "-o", "a.csv"), "bucket"),
        ((*ADD, "--grace", "soon", "-o", "a.csv"), "'soon' is not an age"),
        (("schedule", "run", "nightly"), "schedule 'nightly' not found"),
        (("schedule", "history", "nightly"), "There are no schedules."),
        (("schedule", "run-due", "--at", "noon"), "invalid time 'noon'"),
        (("schedule", "install", "--every", "7"), "does not divide an hour"),
    ],
)
def test_what_makes_no_sense_is_refused_when_it_is_added(
    tw: Tw, db: Path, arguments: tuple[str, ...], error: str
) -> None:
    ran = tw(*arguments)

    assert ran.code == 2
    assert error in ran.err


@pytest.mark.slow
def test_a_schedule_is_replaced_only_when_asked_and_keeps_its_record(tw: Tw, db: Path) -> None:
    put(db)
    run_due(db, "2026-11-20T06:05")
    assert "--replace" in tw(*ADD, "-o", "other.csv").err
    assert tw(*ADD, "-o", "other.csv", "--replace").code == 0

    assert len(history(db)) == 1


def test_two_schedules_do_not_write_the_same_file(tw: Tw, db: Path) -> None:
    tw(*ADD, "-o", "{due}.csv")
    ran = tw("schedule", "add", "other", *ADD[3:], "-o", "{due}.csv")

    assert "'nightly' also writes to {due}.csv" in ran.err


# What ticks


@pytest.fixture
def odd_tick(tmp_path: Path) -> install.Tick:
    folder = tmp_path / "a b%c"
    folder.mkdir()
    return install.tick(folder / "w $1.duckdb", folder, 5)


def test_the_line_for_cron_is_one_command_even_for_odd_paths(odd_tick: install.Tick) -> None:
    line = install.crontab(odd_tick)
    minutes, _, _, _, _, command = line.split(maxsplit=5)
    bare = command.replace(r"\%", "%").removesuffix("--quiet\n")

    assert minutes == "*/5"
    assert line.count("%") == line.count(r"\%") > 0
    script = f"set -- {bare.split('&& ')[1]}; printf '%s\\n' \"$@\""
    words = subprocess.check_output(["sh", "-c", script], text=True)
    assert words.splitlines() == list(odd_tick.command)


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
def test_systemd_accepts_the_units(odd_tick: install.Tick, tmp_path: Path) -> None:
    written = install.write_units(odd_tick, tmp_path / "units")
    ran = subprocess.run(
        ["systemd-analyze", "verify", "--user", *written],
        capture_output=True, text=True, env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)},
    )  # fmt: skip

    assert (ran.returncode, ran.stderr) == (0, "")


def test_a_timer_has_the_wait_that_was_given_and_the_same_name(tmp_path: Path) -> None:
    usual = install.tick(tmp_path / "w.duckdb", tmp_path, 5)
    short = install.tick(tmp_path / "w.duckdb", tmp_path, 5, wait_s=2.5)

    assert (usual.command[-2:], short.command[-2:]) == (("--wait", "60"), ("--wait", "2.5"))
    assert usual.unit == short.unit


def test_the_units_are_written_where_systemd_looks(
    tw: Tw, db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    ran = tw("schedule", "install", "--systemd", "--write")

    written = sorted((tmp_path / "config" / "systemd" / "user").iterdir())
    assert [path.suffix for path in written] == [".service", ".timer"]
    assert '--wait" "60"' in written[0].read_text()
    assert "Persistent=true" in written[1].read_text()
    assert "systemctl --user enable --now" in ran.err
