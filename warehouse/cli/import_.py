"""`tw import`: imports trace files."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from warehouse.cli import import_options
from warehouse.cli import options as shared
from warehouse.cli.import_flags import ImportCommand
from warehouse.errors import ExitCode, UnsupportedFormat, UsageError
from warehouse.wording import counted

if TYPE_CHECKING:
    from warehouse.cli.import_options import Inbox, IntoLake, Reporting
    from warehouse.ingest.decode import Settings
    from warehouse.ingest.inbox import InboxScan
    from warehouse.ingest.pipeline import Options, Outcome


@click.command("import", cls=ImportCommand)
@click.argument("paths", nargs=-1, metavar="PATH...")
@shared.database
@click.option(
    "--run", metavar="NAME", help="Add all traces to this run; created if it does not exist."
)
@click.option("--trace-file", metavar="FILE",
              help="Host trace to import into the run of PATH, on the same clock.")  # fmt: skip
@click.option(
    "--rank", type=click.IntRange(min=0), help="Rank of the traces, if the files do not contain it."
)
@click.option(
    "--format",
    "format_",
    metavar="NAME",
    help="Importer to use instead of detecting the format (`tw formats`).",
)
@click.option(
    "--on-duplicate",
    type=click.Choice(["skip", "replace", "error"]),
    default="skip",
    show_default=True,
    help="What to do with a file that has already been imported.",
)
@import_options.lake
@import_options.inbox
@import_options.decoding
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    help="Number of worker processes.  [default: one per core]",
)
@import_options.reporting
def import_(
    paths: tuple[str, ...],
    db: Path | None,
    wait_s: float,
    run: str | None,
    trace_file: str | None,
    rank: int | None,
    format_: str | None,
    on_duplicate: str,
    lake: IntoLake | None,
    inbox: Inbox | None,
    settings: Settings,
    jobs: int | None,
    reporting: Reporting,
) -> None:
    """Import trace files into the warehouse.

    PATH is a file, a folder, a glob, an archive (.zip, .tar, .gz) or - for standard input. The
    format is detected from the content; captures of several files are detected by file names. Ranks
    of the same job are added to one run. Each trace is imported completely or not at all.
    Re-importing the same file is a no-op; with --strict its damage is an error then, too. Ranks are
    linked to each other at the end; if an import is interrupted before that, the next import links
    them.

    If parts of a file cannot be read, for example because it ends early, the rest is imported, the
    trace is marked as damaged, a warning is printed, and the exit code is 6 (0 with --allow-damage
    or --inbox). --strict rejects such files. A file without events is an error; in a folder, it is
    a warning.

    --lake DIR imports into a lake (`tw lake`) in place of a warehouse, from many machines at once.
    The same file from two of them gives one trace.

    --inbox scans DIR recursively once and imports new files that are no longer being written. Files
    are not moved; their state is recorded (`tw query inbox`). Run it repeatedly, e.g. from cron.

    \b
    Examples:
      tw import trace.json.gz
      tw import --run baseline 'profiles/rank*.json.gz'
      tw import cdm_profile_data_dev0 --trace-file host_trace.json
      zcat trace.json.gz | tw import -
      tw import --inbox /data/traces
      tw import --lake /mnt/lake 'profiles/rank*.json.gz'
    """
    from warehouse import config
    from warehouse.ingest import pipeline

    database = config.database_path(db)
    options = pipeline.Options(
        run=run, rank=rank, format=format_, wait_s=wait_s, jobs=jobs, settings=settings,
        on_duplicate=on_duplicate,  # type: ignore[arg-type]
        is_one_run=trace_file is not None,
        debug_log=reporting.debug_log(database),
    )  # fmt: skip
    if (inbox is None) != bool(paths) or (inbox and trace_file):
        raise UsageError("nothing to import", hint="Give files or folders, or --inbox DIR.")
    if inbox is not None:
        sys.exit(_import_inbox(inbox, database, options, reporting))
    given = (*paths, trace_file) if trace_file else paths
    sys.exit(reporting.exit_code(_import_paths(given, database, options, reporting, lake)))


def _import_paths(
    paths: Sequence[str],
    db: Path,
    options: Options,
    reporting: Reporting,
    lake: IntoLake | None,
) -> ExitCode:
    from warehouse.cli.import_progress import Bar
    from warehouse.ingest.pipeline import import_paths

    stdin = sys.stdin.buffer
    with Bar(reporting.quiet) as bar:
        if lake is None:
            outcomes = import_paths(paths, db=db, options=options, progress=bar, stdin=stdin)
        else:
            from warehouse.lake import importing

            outcomes = importing.import_paths(
                paths, lake.folder, options=options, progress=bar, stdin=stdin, age_s=lake.age_s,
                say=lambda sentence: click.echo(sentence, err=True),
            )  # fmt: skip
    return conclude(outcomes, quiet=reporting.quiet)


def _import_inbox(inbox: Inbox, db: Path, options: Options, reporting: Reporting) -> ExitCode:
    from warehouse.cli.import_progress import Bar
    from warehouse.ingest.inbox import import_new

    with Bar(reporting.quiet) as bar:
        found = import_new(
            inbox.folder, db=db, options=options, progress=bar, settle_s=inbox.settle_s,
            retries_failed=inbox.retries_failed,
        )  # fmt: skip
    return _conclude_inbox(found, quiet=reporting.quiet)


def _conclude_inbox(found: InboxScan, *, quiet: bool) -> ExitCode:
    """Prints the result of an inbox scan; files that failed before are not new failures."""
    new = [each for each in found.outcomes if each.status != "ignored"]
    n_failed = sum(each.status == "failed" for each in new)
    counts = (
        (len(new) - n_failed, "new"),
        (sum(bool(each.damage) for each in new), "of them damaged"),
        (n_failed, "failed"),
        (found.n_known, "known"),
        (len(found.unsettled), "still being written"),
    )
    summary = ", ".join(f"{count:,} {what}" for count, what in counts if count)
    if not quiet:
        click.echo(f"{summary or 'The inbox is empty'}.", err=True)
        if found.n_failed_before:
            files = counted(found.n_failed_before, "recorded file")
            click.echo(f"{files} failed earlier: `tw query inbox`.", err=True)
    if not n_failed:
        return ExitCode.OK
    return ExitCode.PARTIAL if len(new) > n_failed else ExitCode.FAILURE


def _explain_first(outcomes: list[Outcome]) -> None:
    """Prints the error of the first file in an unsupported format."""
    for outcome in outcomes:
        if isinstance(outcome.error, UnsupportedFormat):
            click.echo(f"{outcome.error.message}\nHint: {outcome.error.hint}", err=True)
            return


def conclude(outcomes: list[Outcome], *, quiet: bool) -> ExitCode:
    """Prints how many sources were imported, and returns the exit code."""
    recognised = [o for o in outcomes if o.status != "ignored"]
    done = [o for o in recognised if o.status in ("imported", "present")]
    n_ignored = len(outcomes) - len(recognised)
    if n_ignored and not quiet:
        files = "file is" if n_ignored == 1 else "files are"
        click.echo(f"{n_ignored} other {files} not in a supported format.", err=True)
    if len(recognised) > 1 and not (quiet and len(done) == len(recognised)):
        click.echo(f"{len(done)} of {len(recognised)} imported or already present.", err=True)
    if not recognised:
        click.echo("Error: no file is a trace.", err=True)
        _explain_first(outcomes)
        return ExitCode.FAILURE
    if len(done) == len(recognised):
        is_damaged = any(outcome.damage for outcome in done)
        return ExitCode.DAMAGED if is_damaged else ExitCode.OK
    return ExitCode.PARTIAL if done else ExitCode.FAILURE
