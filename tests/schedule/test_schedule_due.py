"""When schedules are due: beginnings, missed times, changes of the clocks."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from warehouse.schedule.definition import Definition
from warehouse.schedule.due import RECORDED, due, next_due

BERLIN = ZoneInfo("Europe/Berlin")
START = datetime(2026, 11, 20, tzinfo=UTC)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def daily(*, start: datetime = START, **values: Any) -> Definition:
    return Definition(**{"name": "nightly", "cron": "0 6 * * *", **values}).counting_from(start)


def test_a_schedule_is_due_once_its_time_has_come_and_not_again() -> None:
    assert due(daily(), None, at("2026-11-20T05:59")).made == ()
    assert due(daily(), None, at("2026-11-20T06:00")).made == (at("2026-11-20T06:00"),)
    assert due(daily(), at("2026-11-20T06:00"), at("2026-11-20T23:00")).made == ()


def test_times_before_it_was_added_are_not_due() -> None:
    late = daily(start=at("2026-11-20T06:00"))

    assert due(late, None, at("2026-11-20T07:00")).made == ()


@pytest.mark.parametrize(
    ("catch_up", "made", "skipped"),
    [
        ("latest", ["22"], ["20", "21"]),
        ("all", ["20", "21", "22"], []),
        ("none", [], ["20", "21", "22"]),
    ],
)
def test_of_missed_times_the_latest_all_or_none_are_made(
    catch_up: str, made: list[str], skipped: list[str]
) -> None:
    found = due(daily(catch_up=catch_up), None, at("2026-11-22T09:00"))

    assert [f"{each:%d}" for each in found.made] == made
    assert [f"{each:%d}" for each in found.skipped] == skipped


def test_a_time_that_has_just_come_is_not_missed() -> None:
    found = due(daily(catch_up="none"), None, at("2026-11-20T06:04"))

    assert found.made == (at("2026-11-20T06:00"),)


def test_a_paused_schedule_is_never_due() -> None:
    assert due(daily(is_enabled=False), None, at("2026-12-20T06:00")).made == ()


def test_a_long_absence_is_recorded_in_few_rows() -> None:
    often = daily(cron="* * * * *")
    found = due(often, None, START + timedelta(days=30))

    assert len(found.made) + len(found.skipped) == RECORDED
    assert found.n_unrecorded == 30 * 24 * 60 - RECORDED


def month_of_ticks(cron: str, year_month: str) -> list[datetime]:
    """Every time made in a month in Berlin, by ticks five minutes apart; UTC."""
    first = datetime.fromisoformat(f"{year_month}-01").replace(tzinfo=BERLIN).astimezone(UTC)
    schedule, made = daily(cron=cron, time_zone="Europe/Berlin", start=first), list[datetime]()
    for n in range(31 * 24 * 12 + 12):
        found = due(schedule, made[-1] if made else None, first + timedelta(minutes=5 * n))
        assert not found.skipped
        made += found.made
    assert made == sorted(set(made))
    return made


@pytest.mark.integration
@pytest.mark.parametrize(
    ("year_month", "before", "change", "after"),
    [
        # Clocks go from 02:00 to 03:00: what was due at 02:30 is made at 03:00, summer time.
        ("2026-03", "2026-03-28T01:30", "2026-03-29T01:00", "2026-03-30T00:30"),
        # Clocks go from 03:00 back to 02:00: 02:30 comes twice and counts the first time.
        ("2026-10", "2026-10-24T00:30", "2026-10-25T00:30", "2026-10-26T01:30"),
    ],
)
def test_a_daily_schedule_runs_once_on_the_day_the_clocks_change(
    year_month: str, before: str, change: str, after: str
) -> None:
    made = month_of_ticks("30 2 * * *", year_month)
    place = made.index(at(change))

    assert [each.astimezone(BERLIN).day for each in made[:31]] == list(range(1, 32))
    assert made[place - 1 : place + 2] == [at(before), at(change), at(after)]


@pytest.mark.parametrize("year_month", ["2026-03", "2026-10"])
def test_an_hourly_schedule_follows_the_elapsed_time(year_month: str) -> None:
    made = month_of_ticks("0 */1 * * *", year_month)

    assert {b - a for a, b in itertools.pairwise(made)} == {timedelta(hours=1)}


def test_the_next_time_is_in_the_schedules_zone() -> None:
    summer = daily(time_zone="Europe/Berlin", start=at("2026-07-01T00:00"))

    assert next_due(summer, at("2026-07-01T00:00")) == at("2026-07-01T04:00")
    assert next_due(summer, at("2026-12-01T00:00")) == at("2026-12-01T05:00")
