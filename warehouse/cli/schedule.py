"""`tw schedule`: exports that are made again and again; schedule_run.py has what makes them."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from warehouse.cli import options, schedule_run
from warehouse.cli.completion import query_names, run_names
from warehouse.errors import UsageError

if TYPE_CHECKING:
    from warehouse.query.session import Place
    from warehouse.schedule.definition import Definition
    from warehouse.schedule.records import Run


@click.group()
def schedule() -> None:
    """Make the same export again and again.

    Schedules and the record of their runs are in the warehouse. They run when something calls
    `tw schedule run-due`: `tw schedule install` prints what lets systemd or cron do that.

    \b
    Example:
      tw schedule add nightly --cron '0 6 * * *' --report pytorch --format xlsx \\
        --output 'reports/{schedule}-{run}-{due:%Y-%m-%d}.xlsx'
      tw schedule install --systemd --write
      tw schedule history nightly
    """


@schedule.command()
@click.argument("name")
@click.option("--cron", required=True, metavar="FIELDS", help="minute hour day month weekday.")
@click.option("--tz", "zone", default="UTC", show_default=True, help="Whose clock; Europe/Berlin.")
@click.option("--query", metavar="NAME", shell_complete=query_names, help="A query to write.")
@click.option("--report", metavar="NAME", help="A report to write, as `tw export xlsx --report`.")
@click.option("-p", "parameters", multiple=True, metavar="NAME=VALUE", help="Of the query.")
@click.option(
    "--run",
    "runs",
    multiple=True,
    metavar="RUN",
    shell_complete=run_names,
    help="latest, all, NAME, ID, tag:NAME or since:24h, as it is when due.  [default: latest]",
)
@click.option("--rank", "ranks", multiple=True, metavar="RANKS", help="As 3 or 0,2-5; repeatable.")
@click.option(
    "--format",
    "format",
    metavar="FORMAT",
    help="xlsx, html, csv, json, parquet, ...  [default: by --output]",
)
@click.option(
    "--output",
    "-o",
    "template",
    required=True,
    metavar="NAME",
    help="May hold {schedule}, {run}, {due:%Y-%m-%d} and {format}; relative to the warehouse.",
)
@click.option(
    "--catch-up",
    type=click.Choice(("latest", "all", "none")),
    default="latest",
    show_default=True,
    help="What to make of times that were missed; the others are recorded as skipped.",
)
@click.option(
    "--grace",
    "grace",
    default="1d",
    show_default=True,
    metavar="AGE",
    help="When another machine's unfinished run is taken over.",
)
@click.option("--keep-last", type=click.IntRange(min=1), metavar="N", help="Remove older outputs.")
@click.option("--replace", "replaces", is_flag=True, help="Change a schedule of this name.")
@options.database
def add(
    name: str,
    cron: str,
    zone: str,
    query: str | None,
    report: str | None,
    parameters: tuple[str, ...],
    runs: tuple[str, ...],
    ranks: tuple[str, ...],
    format: str | None,
    template: str,
    catch_up: str,
    grace: str,
    keep_last: int | None,
    replaces: bool,
    db: Path | None,
    wait_s: float,
) -> None:
    """Add a schedule, or change one.

    In an hour that the clocks leave out, what is due then is made at its end; in one that comes
    twice, the first time. A due time without anything in scope is recorded as skipped.

    \b
    Example:
      tw schedule add nightly --cron '0 6 * * *' --tz Europe/Berlin --report pytorch \\
        --output 'reports/{schedule}-{run}-{due:%Y-%m-%d}.html' --keep-last 30
      tw schedule add hourly --cron '0 * * * *' --query utilization --run since:1h \\
        --output 'hourly/{due:%Y-%m-%dT%H}.csv'
    """
    from warehouse.library import library
    from warehouse.query import session
    from warehouse.query.selection import parse_ranks
    from warehouse.schedule import definition, due
    from warehouse.times import parse_age

    place = session.Place.of(db, wait_s=wait_s)
    made = definition.Definition(
        name=name,
        cron=cron,
        time_zone=zone,
        query=query,
        report=report,
        parameters=options.pairs(parameters),
        runs=runs or ("latest",),
        ranks=tuple(sorted({n for text in ranks for n in parse_ranks(text)})),
        format=format or _format(template),
        output=template,
        catch_up=catch_up,
        grace_s=int(parse_age(grace).total_seconds()),
        keep_last=keep_last,
    )
    definition.check(made, library.load(place.query_path), place.query_path)
    _store(place, made, replaces=replaces)
    coming = due.next_due(made.counting_from(_now()), _now())
    click.echo(f"Schedule {name} is next due at {_local(coming, made)}.", err=True)


def _format(template: str) -> str:
    from warehouse.query import encoding
    from warehouse.schedule.definition import BOOKS, FORMATS

    suffix = Path(template).suffix.lower().lstrip(".")
    if suffix in BOOKS:
        return suffix
    found = encoding.format_of(Path(template), None)
    if found not in FORMATS:
        raise UsageError(
            f"the name {template!r} says no format",
            hint=f"Add --format, one of {', '.join(FORMATS)}.",
        )
    return found


def _store(place: Place, made: Definition, *, replaces: bool) -> None:
    """Saves it; what is kept of an older one of its name is when that was added."""
    from dataclasses import replace

    from warehouse.schedule import records
    from warehouse.store import database

    now = _now()
    with database.writer(place.path, wait_s=place.wait_s) as connection:
        known = {each.name: each for each in records.schedules(connection)}
        before = known.pop(made.name, None)
        if before and not replaces:
            raise UsageError(f"there is a schedule {made.name} already", hint="Add --replace.")
        for other in known.values():
            if other.output == made.output and "{schedule}" not in made.output:
                raise UsageError(
                    f"{other.name} writes to {made.output} too",
                    hint="Put {schedule} into the name.",
                )
        created = before.created_at if before else now.replace(tzinfo=None)
        records.save(connection, replace(made.counting_from(now), created_at=created))


@schedule.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")
@options.database
def list_(as_json: bool, db: Path | None, wait_s: float) -> None:
    """List the schedules, when each is next due, and what became of its last run.

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
        click.echo("There is no schedule: `tw schedule add` makes one.", err=True)


@schedule.command()
@click.argument("name")
@options.database
def show(name: str, db: Path | None, wait_s: float) -> None:
    """Show a schedule as JSON, with the times it comes next.

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
    "--limit", type=click.IntRange(min=1), default=20, show_default=True, help="Runs shown."
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON array.")
@options.database
def history(name: str | None, limit: int, as_json: bool, db: Path | None, wait_s: float) -> None:
    """Show what became of due times, the latest first; times are UTC.

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
    asked = " (asked for)" if run.origin == "manual" else ""
    said = run.error or run.output or ""
    said += " (removed)" if run.removed_at else ""
    return [f"{run.due_at:%Y-%m-%d %H:%M}", run.schedule, run.status + asked, rows, said]


@schedule.command()
@click.argument("name")
@options.database
def pause(name: str, db: Path | None, wait_s: float) -> None:
    """Stop a schedule for a while; times that pass meanwhile are not made later.

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
    """Let a paused schedule run again, from now on.

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
    """Remove a schedule and the record of its runs; the files it made stay.

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
    """Definitions, or the one named, and the last run of each."""
    from warehouse.schedule import records
    from warehouse.store import database

    with database.Reader(_path(db), wait_s=wait_s) as reader:
        connection = reader.connection
        found = [records.find(connection, name)] if name else records.schedules(connection)
        runs = records.history(connection)
    return found, {run.schedule: run for run in reversed(runs)}


def _what(definition: Definition) -> str:
    what = definition.query or f"report {definition.report}"
    return f"{what} of {', '.join(definition.runs)} as {definition.format}"


def _path(db: Path | None) -> Path:
    from warehouse import config

    return config.database_path(db)


def _now() -> datetime:
    from datetime import UTC

    return datetime.now(UTC)


def _local(moment: datetime, definition: Definition) -> str:
    return moment.astimezone(definition.zone).strftime("%Y-%m-%d %H:%M %Z")
