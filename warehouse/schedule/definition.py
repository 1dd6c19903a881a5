"""Definitions of schedules: what to write, when, and to which path; checked when added."""

from __future__ import annotations

import difflib
import json
import string
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo, available_timezones

from cronsim import CronSim, CronSimError

from warehouse.errors import UsageError
from warehouse.files import file_stem
from warehouse.query import encoding
from warehouse.query.selection import Selection
from warehouse.trend.change_point import LEVEL

if TYPE_CHECKING:
    from warehouse.library.library import Library

BOOKS = ("xlsx", "html")
TEXT = "text"  # of a diagnosis
FORMATS = (*BOOKS, TEXT, *(each for each in encoding.FORMATS if each != "table"))
DAY_S = 86_400
_OF_TRENDS = ("only", "aggregate", "by", "where", "level")


@dataclass(frozen=True)
class Definition:
    """What a schedule writes: a query, its trend, a report or a diagnosis.

    `runs` and `ranks` are like `--run` and `--rank`.
    """

    name: str
    cron: str  # minute hour day month weekday
    time_zone: str = "UTC"
    query: str | None = None
    report: str | None = None
    diagnoses: bool = False
    trend: str | None = None  # a column of the query, followed over the runs
    only: str | None = None  # rows that count in the trend
    aggregate: str = "mean"
    by: str | None = None  # a tag that orders the runs
    where: Mapping[str, str] = field(default_factory=dict)  # tags of the runs
    level: float = LEVEL
    parameters: Mapping[str, str] = field(default_factory=dict)
    runs: tuple[str, ...] = ("latest",)
    ranks: tuple[int, ...] = ()
    format: str = "xlsx"
    is_csv_safe: bool = False
    output: str = ""  # relative to the warehouse's folder
    catch_up: str = "latest"
    grace_s: int = DAY_S  # time after which another machine's unfinished run is taken over
    keep_last: int | None = None
    counts_from: str = ""  # UTC, ISO 8601; earlier due times are ignored
    is_enabled: bool = True
    created_at: datetime | None = None

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.time_zone)

    @property
    def start(self) -> datetime:
        """The start of the schedule, UTC."""
        return datetime.fromisoformat(self.counts_from)

    @property
    def selection(self) -> Selection:
        return Selection(runs=self.runs, ranks=self.ranks)

    def to_json(self) -> str:
        """The settings without a column in the table `schedule`, as JSON."""
        values = asdict(self)
        for key in _COLUMNS:
            del values[key]
        return json.dumps(values)

    @classmethod
    def from_row(
        cls, name: str, cron: str, zone: str, text: str, is_enabled: bool, created_at: datetime
    ) -> Definition:
        """Creates a definition from a row of `schedule`; ignores settings of newer versions."""
        values: dict[str, Any] = json.loads(text)
        known = {key: values[key] for key in cls.__dataclass_fields__ if key in values}
        for key in ("runs", "ranks"):
            known[key] = tuple(known.get(key, ()))
        return cls(
            name=name, cron=cron, time_zone=zone, is_enabled=is_enabled, created_at=created_at,
            **known,
        )  # fmt: skip

    def counting_from(self, moment: datetime) -> Definition:
        """Returns the schedule with another start."""
        return replace(self, counts_from=moment.astimezone(UTC).isoformat(timespec="seconds"))


_COLUMNS = ("name", "cron", "time_zone", "is_enabled", "created_at")


def check(definition: Definition, library: Library, query_path: tuple[Path, ...]) -> None:
    """Raises UsageError for the first invalid setting of a definition."""
    if not definition.name or file_stem(definition.name) != definition.name:
        raise UsageError(
            f"invalid schedule name {definition.name!r}",
            hint="Letters, digits, -, + and . only: it becomes part of file names.",
        )
    check_cron(definition.cron)
    _check_zone(definition.time_zone)
    _check_content(definition, library, query_path)
    _check_output(definition)


def check_cron(cron: str) -> None:
    """Raises UsageError unless the text is a cron expression with a next time."""
    if len(cron.split()) != 5:
        raise UsageError(
            f"--cron {cron!r} has {len(cron.split())} fields, not 5",
            hint="minute hour day month weekday: '0 6 * * *' is every day at six.",
        )
    try:
        next(CronSim(cron, datetime(2026, 1, 1, tzinfo=UTC)))
    except CronSimError as error:
        raise UsageError(
            f"invalid --cron {cron!r}: {str(error).lower()}",
            hint="minute hour day month weekday: '0 6 * * 1-5' is at six on working days.",
        ) from None
    except StopIteration:
        raise UsageError(f"--cron {cron!r} is never due") from None


def _check_zone(name: str) -> None:
    known = available_timezones()
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = (
            f"Did you mean {near[0]}?"
            if near
            else "Use an IANA name such as Europe/Berlin, or UTC."
        )
        raise UsageError(f"time zone {name!r} not found", hint=hint)


def _check_content(definition: Definition, library: Library, query_path: tuple[Path, ...]) -> None:
    from warehouse.export import report
    from warehouse.library.arguments import arguments

    if sum(map(bool, (definition.query, definition.report, definition.diagnoses))) != 1:
        raise UsageError(
            "exactly one of --query, --report and --diagnose is required",
            hint="`tw queries list` names queries.",
        )
    if definition.format == TEXT and not definition.diagnoses:
        raise UsageError("--format text requires --diagnose")
    _check_trend(definition, library)
    if definition.query is not None:
        found = library.find(definition.query)
        arguments(found, definition.parameters)
        return
    if definition.parameters:
        raise UsageError("-p requires --query")
    if definition.diagnoses:
        return
    report.load(str(definition.report), query_path)
    if definition.format not in BOOKS:
        raise UsageError(
            f"a report cannot be written as {definition.format}",
            hint="Use --format xlsx or html, or a --query.",
        )


def _check_trend(definition: Definition, library: Library) -> None:
    from warehouse.trend.trend import column_of

    if definition.trend is None:
        for name in _OF_TRENDS:
            if getattr(definition, name) != getattr(Definition("", ""), name):
                raise UsageError(f"--{name} requires --trend", hint="--query NAME --trend COLUMN")
        return
    if definition.query is None:
        raise UsageError("--trend requires --query", hint="--query NAME --trend COLUMN")
    column_of(library.find(definition.query), str(definition.trend))


def _check_output(definition: Definition) -> None:
    try:
        definition.output.encode()  # the record of a run has the path
        fields = [name for _, name, _, _ in string.Formatter().parse(definition.output) if name]
        path_of(definition, datetime(2026, 1, 1, tzinfo=UTC), "run", Path("/"))
    except (ValueError, KeyError, IndexError, AttributeError, TypeError) as error:
        if isinstance(error, KeyError):
            error = ValueError(f"unknown field {{{error.args[0]}}}")
        raise UsageError(
            f"invalid --output {definition.output!r}: {error}", hint=_EXAMPLE
        ) from None
    if not definition.output or definition.output.endswith("/"):
        raise UsageError("--output names no file", hint=_EXAMPLE)
    if definition.keep_last is not None and "due" not in fields:
        raise UsageError(
            "--keep-last requires a path that differs between runs",
            hint="Include {due} in the path.",
        )


_EXAMPLE = (
    "Fields are {schedule}, {run}, {due:%Y-%m-%d} and {format}: "
    "'reports/{schedule}-{due:%Y-%m-%d}.xlsx'."
)


def path_of(definition: Definition, due: datetime, run: str, folder: Path) -> Path:
    """Returns the path of a due time; raises KeyError or ValueError for an invalid template.

    `{due}` is the due time in the schedule's zone, by default as 2026-11-20T0600; `{run}` the run's
    name without characters that file systems reject, or `runs` for several.
    """
    names = {
        "schedule": definition.name,
        "run": file_stem(run),
        "due": _Due(due.astimezone(definition.zone)),
        "format": definition.format,
    }
    return folder / definition.output.format_map(names)


class _Due:
    """A time whose default text is valid in file names; accepts strftime formats."""

    def __init__(self, moment: datetime) -> None:
        self._moment = moment

    def __format__(self, spec: str) -> str:
        return self._moment.strftime(spec or "%Y-%m-%dT%H%M")
