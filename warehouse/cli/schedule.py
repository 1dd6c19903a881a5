"""`tw schedule`: manages scheduled exports; schedule_run.py has the commands that run them."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from warehouse.cli import options, schedule_run
from warehouse.cli.completion import query_names, run_names
from warehouse.cli.trend_options import TrendOptions, trend_options
from warehouse.errors import UsageError

if TYPE_CHECKING:
    from warehouse.query.session import Place
    from warehouse.schedule.definition import Definition
    from warehouse.schedule.records import Run


@click.group()
def schedule() -> None:
    """Run exports on a schedule.

    Schedules and the history of their runs are stored in the warehouse. They run when `tw schedule
    run-due` is called: `tw schedule install` prints a systemd timer or crontab line for it.

    \b
    Example:
      tw schedule add nightly --cron '0 6 * * *' --report pytorch --format xlsx \\
        --output 'reports/{schedule}-{run}-{due:%Y-%m-%d}.xlsx'
      tw schedule install --systemd --write
      tw schedule history nightly
    """


@schedule.command()
@click.argument("name")
@click.option(
    "--cron",
    required=True,
    metavar="FIELDS",
    help="Cron expression: minute hour day month weekday.",
)
@click.option(
    "--tz",
    "zone",
    default="UTC",
    show_default=True,
    help="IANA time zone of the cron expression, e.g. Europe/Berlin.",
)
@click.option("--query", metavar="NAME", shell_complete=query_names, help="Query to export.")
@click.option(
    "--report", metavar="NAME", help="Report to export, as with `tw export xlsx --report`."
)
@click.option(
    "--diagnose", "diagnoses", is_flag=True, help="Diagnose the run, as `tw diagnose` does."
)
@click.option(
    "--trend",
    metavar="COLUMN",
    help="Follow this column of the query over the runs, as `tw trend` does.",
)
@trend_options("With --trend: ")
@click.option(
    "-p",
    "parameters",
    multiple=True,
    metavar="NAME=VALUE",
    help="Parameter of the query; repeatable.",
)
@click.option(
    "--run",
    "runs",
    multiple=True,
    metavar="RUN",
    shell_complete=run_names,
    help="latest, all, NAME, ID, tag:NAME or since:24h, resolved when due.  [default: latest; with "
    "--trend, all]",
)
@click.option("--rank", "ranks", multiple=True, metavar="RANKS", help="As 3 or 0,2-5; repeatable.")
@click.option(
    "--format",
    "format",
    metavar="FORMAT",
    help="xlsx, html, csv, json, parquet, ...  [default: by --output]",
)
@options.csv_safe
@click.option(
    "--output",
    "-o",
    "template",
    required=True,
    metavar="NAME",
    help="Output path, relative to the warehouse; may contain {schedule}, {run}, {format} and "
    "{due:%Y-%m-%d}.",
)
@click.option(
    "--catch-up",
    type=click.Choice(("latest", "all", "none")),
    default="latest",
    show_default=True,
    help="Which missed due times to run; the others are recorded as skipped.",
)
@click.option(
    "--grace",
    "grace",
    default="1d",
    show_default=True,
    metavar="AGE",
    help="Time after which another machine's unfinished run is taken over.",
)
@click.option(
    "--keep-last", type=click.IntRange(min=1), metavar="N", help="Keep only the last N outputs."
)
@click.option(
    "--replace", "replaces", is_flag=True, help="Replace an existing schedule of this name."
)
@options.database
def add(
    name: str,
    cron: str,
    zone: str,
    query: str | None,
    report: str | None,
    diagnoses: bool,
    trend: str | None,
    rules: TrendOptions,
    parameters: tuple[str, ...],
    runs: tuple[str, ...],
    ranks: tuple[str, ...],
    format: str | None,
    is_csv_safe: bool,
    template: str,
    catch_up: str,
    grace: str,
    keep_last: int | None,
    replaces: bool,
    db: Path | None,
    wait_s: float,
) -> None:
    """Add or replace a schedule.

    A due time in an hour skipped by daylight saving time runs at the end of that hour; one in a
    repeated hour runs the first time. A due time with an empty scope is recorded as skipped.

    \b
    Example:
      tw schedule add nightly --cron '0 6 * * *' --tz Europe/Berlin --report pytorch \\
        --output 'reports/{schedule}-{run}-{due:%Y-%m-%d}.html' --keep-last 30
      tw schedule add hourly --cron '0 * * * *' --query utilization --run since:1h \\
        --output 'hourly/{due:%Y-%m-%dT%H}.csv'
      tw schedule add slower --cron '0 7 * * *' --query step_summary --trend device_span_ns \\
        --where branch=main --by build --output 'trends/{due:%Y-%m-%d}.html'
    """
    from warehouse.library import library
    from warehouse.query import session
    from warehouse.query.selection import parse_ranks
    from warehouse.schedule import definition, due
    from warehouse.times import parse_age

    place = session.Place.of(db, wait_s=wait_s)
    made = definition.Definition(
        name=name, cron=cron, time_zone=zone, query=query, report=report, diagnoses=diagnoses,
        trend=trend, only=rules.only, aggregate=rules.aggregate, by=rules.by, where=rules.where,
        level=rules.level, parameters=options.pairs(parameters),
        runs=runs or (("all",) if trend else ("latest",)),
        ranks=tuple(sorted({n for text in ranks for n in parse_ranks(text)})),
        format=format or _format(template, report), is_csv_safe=is_csv_safe, output=template,
        catch_up=catch_up, grace_s=int(parse_age(grace).total_seconds()), keep_last=keep_last,
    )  # fmt: skip
    definition.check(made, library.load(place.query_path), place.query_path)
    _store(place, made, replaces=replaces)
    coming = due.next_due(made.counting_from(_now()), _now())
    click.echo(f"Schedule {name} is next due at {_local(coming, made)}.", err=True)


def _format(template: str, report: str | None) -> str:
    from warehouse.query import encoding
    from warehouse.schedule.definition import BOOKS, FORMATS, TEXT

    suffix = Path(template).suffix.lower().lstrip(".")
    if suffix in BOOKS:
        return suffix
    if suffix == "txt":
        return TEXT
    known = FORMATS if report is None else BOOKS
    with suppress(UsageError):
        found = encoding.format_of(Path(template), None)
        if found in FORMATS:
            return found
    raise UsageError(
        f"cannot infer the format from {template!r}",
        hint=f"Add --format, one of {', '.join(known)}.",
    )


def _store(place: Place, made: Definition, *, replaces: bool) -> None:
    """Saves a schedule; an existing one of the same name keeps its creation time."""
    from dataclasses import replace

    from warehouse.schedule import records
    from warehouse.store import database

    now = _now()
    with database.writer(place.path, wait_s=place.wait_s) as connection:
        known = {each.name: each for each in records.schedules(connection)}
        before = known.pop(made.name, None)
        if before and not replaces:
            raise UsageError(f"schedule {made.name!r} already exists", hint="Add --replace.")
        for other in known.values():
            if other.output == made.output and "{schedule}" not in made.output:
                raise UsageError(
                    f"schedule {other.name!r} also writes to {made.output}",
                    hint="Include {schedule} in the path.",
                )
        created = before.created_at if before else now.replace(tzinfo=None)
        records.save(connection, replace(made.counting_from(now), created_at=created))


@schedule.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")
@options.database
def list_(as_json: bool, db: Path | None, wait_s: float) -> None:
    """List schedules with their next due time and the status of their last run.

    \b
    Example:
      tw schedule list --json
    """
    from warehouse.library import describe
    from warehouse.schedule.due import next_due

    found, last = _read(db, wait_s)
    rows = []
    for each in found:
        coming = _local(next_due(each, _now()), each) if each.is_enabled else "paused"
        before = last.get(each.name)
        state = f"{before.status} at {before.due_at:%Y-%m-%d %H:%M} UTC" if before else "never ran"
        rows.append([each.name, each.cron, each.time_zone, _what(each), coming, state])
    if as_json:
        keys = ("name", "cron", "time_zone", "what", "next", "last")
        click.echo(json.dumps([dict(zip(keys, row, strict=True)) for row in rows], indent=2))
    elif rows:
        head = ["schedule", "cron", "zone", "what", "next due", "last run"]
        click.echo("\n".join(describe.aligned([head, *rows])))
    else:
        click.echo("No schedules; add one with `tw schedule add`.", err=True)


@schedule.command()
@click.argument("name")
@options.database
def show(name: str, db: Path | None, wait_s: float) -> None:
    """Show a schedule and its next due times as JSON.

    \b
    Example:
      tw schedule show nightly
    """
    from dataclasses import asdict

    from warehouse.schedule.due import next_due

    found, _ = _read(db, wait_s, name)
    coming, times = _now(), []
    for _ in range(5):
        coming = next_due(found[0], coming)
        times.append(_local(coming, found[0]))
    values = asdict(found[0]) | {"next": times if found[0].is_enabled else []}
    click.echo(json.dumps(values, indent=2, default=str))


@schedule.command()
@click.argument("name", required=False)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="Maximum number of runs.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")
@options.database
def history(name: str | None, limit: int, as_json: bool, db: Path | None, wait_s: float) -> None:
    """Show past runs, latest first. Times are UTC.

    \b
    Example:
      tw schedule history nightly --limit 5
    """
    from dataclasses import asdict

    from warehouse.library import describe
    from warehouse.schedule import records
    from warehouse.store import database

    with database.Reader(_path(db), wait_s=wait_s) as reader:
        if name:
            records.find(reader.connection, name)
        rows = records.history(reader.connection, name, limit)
    if as_json:
        click.echo(json.dumps([asdict(row) for row in rows], indent=2, default=str))
    elif rows:
        head = ["due (UTC)", "schedule", "status", "rows", "output or reason"]
        click.echo("\n".join(describe.aligned([head, *map(_run_row, rows)])))
    else:
        click.echo("Nothing has run yet.", err=True)


def _run_row(run: Run) -> list[str]:
    rows = "" if run.n_rows is None else f"{run.n_rows:,}"
    manual = " (manual)" if run.origin == "manual" else ""
    text = run.error or run.output or ""
    text += " (removed)" if run.removed_at else ""
    return [f"{run.due_at:%Y-%m-%d %H:%M}", run.schedule, run.status + manual, rows, text]


@schedule.command()
@click.argument("name")
@options.database
def pause(name: str, db: Path | None, wait_s: float) -> None:
    """Pause a schedule; due times that pass meanwhile are not run later.

    \b
    Example:
      tw schedule pause nightly
    """
    _change(db, wait_s, name, is_enabled=False)
    click.echo(f"Schedule {name} is paused.", err=True)


@schedule.command()
@click.argument("name")
@options.database
def resume(name: str, db: Path | None, wait_s: float) -> None:
    """Resume a paused schedule.

    \b
    Example:
      tw schedule resume nightly
    """
    from warehouse.schedule.due import next_due

    resumed = _change(db, wait_s, name, is_enabled=True)
    click.echo(
        f"Schedule {name} is next due at {_local(next_due(resumed, _now()), resumed)}.", err=True
    )


def _change(db: Path | None, wait_s: float, name: str, *, is_enabled: bool) -> Definition:
    from dataclasses import replace

    from warehouse.schedule import records
    from warehouse.store import database

    with database.writer(_path(db), wait_s=wait_s) as connection:
        found = records.find(connection, name)
        changed = replace(found, is_enabled=is_enabled)
        if is_enabled and not found.is_enabled:
            changed = changed.counting_from(_now())
        records.save(connection, changed)
    return changed


@schedule.command()
@click.argument("name")
@options.database
def remove(name: str, db: Path | None, wait_s: float) -> None:
    """Remove a schedule and its history; its output files are kept.

    \b
    Example:
      tw schedule remove nightly
    """
    from warehouse.schedule import records
    from warehouse.store import database

    with database.writer(_path(db), wait_s=wait_s) as connection:
        records.find(connection, name)
        records.remove(connection, name)
    click.echo(f"Removed schedule {name}.", err=True)


for each in (schedule_run.run, schedule_run.run_due, schedule_run.loop, schedule_run.install):
    schedule.add_command(each)


def _read(
    db: Path | None, wait_s: float, name: str | None = None
) -> tuple[list[Definition], dict[str, Run]]:
    """Returns all schedules, or the named one, each with its last run."""
    from warehouse.schedule import records
    from warehouse.store import database

    with database.Reader(_path(db), wait_s=wait_s) as reader:
        connection = reader.connection
        found = [records.find(connection, name)] if name else records.schedules(connection)
        runs = records.history(connection)
    return found, {run.schedule: run for run in reversed(runs)}


def _what(definition: Definition) -> str:
    what = definition.query or f"report {definition.report}"
    if definition.diagnoses:
        what = "diagnosis"
    if definition.trend is not None:
        what = f"trend of {definition.trend} of {definition.query}"
    return f"{what} of {', '.join(definition.runs)} as {definition.format}"


def _path(db: Path | None) -> Path:
    from warehouse import config

    return config.database_path(db)


def _now() -> datetime:
    from datetime import UTC

    return datetime.now(UTC)


def _local(moment: datetime, definition: Definition) -> str:
    return moment.astimezone(definition.zone).strftime("%Y-%m-%d %H:%M %Z")
