"""Computes due times."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from cronsim import CronSim

from warehouse.schedule.definition import Definition

#: Limit of recorded skips: a machine that was off for a year must not write half a million rows.
RECORDED = 500
#: With `catch_up` none, a time this old is missed; ticks are more frequent.
NOT_LATE = timedelta(minutes=15)


@dataclass(frozen=True)
class Due:
    """Due times in UTC, oldest first: those to run, and those to record as skipped."""

    made: tuple[datetime, ...] = ()
    skipped: tuple[datetime, ...] = ()
    n_unrecorded: int = 0  # before the oldest of these


def due(definition: Definition, last: datetime | None, now: datetime) -> Due:
    """Returns what is due of a schedule whose last recorded time is `last` (or None), in UTC."""
    after = max(definition.start, last) if last else definition.start
    come: deque[datetime] = deque(maxlen=RECORDED)
    n = 0
    for moment in CronSim(definition.cron, after.astimezone(definition.zone)):
        moment = moment.astimezone(UTC)
        if moment > now:
            break
        if moment > after:  # of a repeated hour, the second is not after the first
            come.append(moment)
            n += 1
    if not definition.is_enabled:
        return Due()
    return _split(definition, tuple(come), n - len(come), now)


def next_due(definition: Definition, now: datetime) -> datetime:
    """Returns the first due time after `now`, UTC."""
    for moment in CronSim(definition.cron, max(now, definition.start).astimezone(definition.zone)):
        if moment.astimezone(UTC) > now:
            return moment.astimezone(UTC)
    raise AssertionError("a checked schedule has a next time")


def _split(
    definition: Definition, come: tuple[datetime, ...], n_unrecorded: int, now: datetime
) -> Due:
    if definition.catch_up == "all":
        return Due(come, (), n_unrecorded)
    latest = come[-1:]
    if definition.catch_up == "none" and latest and now - latest[0] > NOT_LATE:
        latest = ()
    return Due(latest, come[: len(come) - len(latest)], n_unrecorded)
