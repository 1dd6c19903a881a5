"""`tw schedule run`, `run-due`, `loop` and `install`: run schedules, and install a timer."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from warehouse.cli import options
from warehouse.errors import ExitCode, UsageError
from warehouse.wording import counted

if TYPE_CHECKING:
    from warehouse.schedule.tick import Outcome


@click.command()
@click.argument("name")
@options.database
def run(name: str, db: Path | None, wait_s: float) -> None:
    """Run a schedule now, whether or not it is due.

    \b
    Example:
      tw schedule run nightly
    """
    from warehouse.query import session
    from warehouse.schedule import tick

    _report([tick.run_now(session.Place.of(db, wait_s=wait_s), name)], as_json=False, quiet=False)


@click.command(name="run-due")
@click.option(
    "--at", "at", metavar="TIME", help="Time to use as the current time, e.g. 2026-11-20T06:00Z."
)
@click.option("--json", "as_json", is_flag=True, help="Print the outcomes as a JSON array.")
@click.option("-q", "--quiet", is_flag=True, help="Print only failures.")
@options.database
def run_due(at: str | None, as_json: bool, quiet: bool, db: Path | None, wait_s: float) -> None:
    """Run all schedules that are due; to be called every few minutes by cron or systemd.

    Concurrent calls, also from several machines, run each due time once. The exit code is 1 if a
    run failed, 3 if the warehouse stayed locked (the next call retries).

    \b
    Example:
      tw schedule run-due --wait 60
    """
    from warehouse.query import session
    from warehouse.schedule import tick

    done = tick.run_due(session.Place.of(db, wait_s=wait_s), _moment(at) if at else None)
    _report(done, as_json=as_json, quiet=quiet)


@click.command()
@click.option(
    "--every",
    "every_s",
    type=click.IntRange(min=1),
    default=60,
    show_default=True,
    metavar="SECONDS",
    help="Interval between checks.",
)
@options.database
def loop(every_s: int, db: Path | None, wait_s: float) -> None:
    """Run due schedules in a loop, for containers without cron; stop it with Ctrl-C.

    The warehouse is locked only while a schedule runs.

    \b
    Example:
      tw schedule loop --every 60
    """
    import time

    from warehouse.errors import TwError
    from warehouse.query import session
    from warehouse.schedule import tick

    place = session.Place.of(db, wait_s=wait_s)
    while True:
        began = time.monotonic()
        try:
            for outcome in tick.run_due(place):
                _say(outcome)
        except TwError as error:
            click.echo(f"Error: {error.message}", err=True)
        time.sleep(max(0.0, every_s - (time.monotonic() - began)))


@click.command()
@click.option(
    "--systemd/--cron",
    "is_systemd",
    default=None,
    help="Print a systemd user timer or a crontab line.  [default: systemd if available]",
)
@click.option(
    "--every",
    "every_min",
    type=click.IntRange(1, 60),
    default=5,
    show_default=True,
    metavar="MINUTES",
    help="Interval between checks.",
)
@click.option(
    "--write", "writes", is_flag=True, help="Write the units to the user's systemd folder."
)
@options.wait(60.0, "Time that run-due waits")
@options.database_file
def install(
    is_systemd: bool | None, every_min: int, writes: bool, db: Path | None, wait_s: float
) -> None:
    """Print, or write, a systemd timer or crontab line that calls run-due.

    \b
    Example:
      tw schedule install --systemd --write
      (crontab -l; tw schedule install --cron) | crontab -
    """
    import shutil

    from warehouse import config
    from warehouse.schedule import install as units

    source = config.load().source
    folder = source.parent if source else Path.cwd()
    made = units.tick(config.database_path(db), folder, every_min, wait_s)
    chosen = is_systemd if is_systemd is not None else shutil.which("systemctl") is not None
    if not chosen:
        if writes:
            raise UsageError(
                "--write does not apply to --cron",
                hint="(crontab -l; tw schedule install --cron) | crontab -",
            )
        click.echo(units.crontab(made), nl=False)
        return
    if not writes:
        for name, text in units.units(made).items():
            click.echo(f"# {name}\n{text}")
        return
    for path in units.write_units(made, units.unit_folder()):
        click.echo(f"Wrote {path}.", err=True)
    click.echo(
        "Start it: systemctl --user daemon-reload && "
        f"systemctl --user enable --now {made.unit}.timer",
        err=True,
    )
    click.echo("To run while nobody is logged in: loginctl enable-linger", err=True)


def _report(done: Iterable[Outcome], *, as_json: bool, quiet: bool) -> None:
    """Prints each outcome; returns exit code 1 if a run failed."""
    rows: list[dict[str, Any]] = []
    for each in done:
        rows.append(
            {
                "schedule": each.schedule,
                "due_at": each.due_at.isoformat(),
                "n_times": each.n_times,
                **vars(each.made),
            }
        )
        if not as_json and (not quiet or each.made.status == "failed"):
            _say(each)
    if as_json:
        click.echo(json.dumps(rows, indent=2))
    if any(row["status"] == "failed" for row in rows):
        sys.exit(ExitCode.FAILURE)


def _say(outcome: Outcome) -> None:
    made = outcome.made
    text = made.error or f"{counted(made.n_rows or 0, 'row')} in {made.output}"
    times = f"{outcome.n_times:,} times to " if outcome.n_times > 1 else "due "
    due_at = f"{outcome.due_at:%Y-%m-%d %H:%M} UTC"
    click.echo(f"{outcome.schedule}, {times}{due_at}: {made.status}: {text}", err=True)


def _moment(text: str) -> datetime:
    from datetime import UTC

    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(f"invalid time {text!r}", hint="As 2026-11-20T06:00Z.") from None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
