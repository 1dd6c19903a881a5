"""Option groups of `tw import`: how files are read, and the inbox."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from warehouse.cli import options
from warehouse.errors import ExitCode, UsageError
from warehouse.times import parse_time

Command = TypeVar("Command", bound=Callable[..., Any])
_NANOSECONDS = 1e9
_ENVIRONMENT = ("with_environment", "1")  # an option of importers whose captures hold it


@dataclass(frozen=True)
class Inbox:
    """The inbox folder, and which of its files to import."""

    folder: Path
    settle_s: float  # files changed more recently are skipped
    retries_failed: bool


@dataclass(frozen=True)
class IntoLake:
    """The lake to import into, and when to take over a claim."""

    folder: Path
    age_s: float


@dataclass(frozen=True)
class Reporting:
    """What the command prints, and its exit code for damaged files."""

    allow_damage: bool
    quiet: bool
    debug: bool

    def debug_log(self, db: Path) -> Path | None:
        """The log file for tracebacks, if requested."""
        return db.with_name(f"{db.name}.debug.log") if self.debug else None

    def exit_code(self, code: ExitCode) -> ExitCode:
        """The exit code, with damage allowed if requested."""
        return ExitCode.OK if code == ExitCode.DAMAGED and self.allow_damage else code


def reporting(command: Command) -> Command:
    """Adds --allow-damage, --quiet and --debug; the command gets `reporting`, a Reporting."""

    @functools.wraps(command)
    def with_reporting(
        *args: Any, allow_damage: bool, quiet: bool, debug: bool, **kwargs: Any
    ) -> Any:
        return command(*args, reporting=Reporting(allow_damage, quiet, debug), **kwargs)

    return _with(with_reporting, _REPORTING)  # type: ignore[no-any-return]


def decoding(command: Command) -> Command:
    """Adds the options for reading files; the command gets `settings`, a decode.Settings."""

    @functools.wraps(command)
    def with_settings(
        *args: Any,
        strict: bool,
        lenient: bool,
        with_environment: bool,
        options: tuple[str, ...],
        memory_limit: str,
        max_size: int | None,
        **kwargs: Any,
    ) -> Any:
        from warehouse.ingest.decode import Settings
        from warehouse.ingest.streams import MAX_CONTENT_BYTES

        if strict and lenient:
            raise UsageError("--strict and --lenient cannot be combined")
        settings = Settings(
            memory_limit=memory_limit,
            is_strict=strict,
            is_lenient=lenient,
            max_bytes=max_size or MAX_CONTENT_BYTES,
            options=(*map(_option, options), *([_ENVIRONMENT] if with_environment else [])),
        )
        return command(*args, settings=settings, **kwargs)

    return _with(with_settings, _DECODING)  # type: ignore[no-any-return]


def inbox(command: Command) -> Command:
    """Adds --inbox and its options; the command gets `inbox`, an Inbox or None."""

    @functools.wraps(command)
    def with_inbox(
        *args: Any, inbox: Path | None, settle: str, retry_failed: bool, **kwargs: Any
    ) -> Any:
        seconds = parse_time(settle) / _NANOSECONDS
        requested = Inbox(inbox.resolve(), seconds, retry_failed) if inbox else None
        return command(*args, inbox=requested, **kwargs)

    return _with(with_inbox, _INBOX)  # type: ignore[no-any-return]


def lake(command: Command) -> Command:
    """Adds --lake and --age; the command gets `lake`, an IntoLake or None."""

    @functools.wraps(command)
    def with_lake(*args: Any, lake: Path | None, age: float, **kwargs: Any) -> Any:
        if lake is not None and kwargs.get("inbox") is not None:
            raise UsageError("--inbox and --lake cannot be combined")
        source = click.get_current_context().get_parameter_source("db")
        if lake is not None and source is ParameterSource.COMMANDLINE:
            raise UsageError("--db and --lake cannot be combined")
        return command(*args, lake=None if lake is None else IntoLake(lake, age), **kwargs)

    return _with(with_lake, _LAKE)  # type: ignore[no-any-return]


def _with(command: Any, options: tuple[Callable[[Any], Any], ...]) -> Any:
    for option in reversed(options):
        command = option(command)
    return command


def _option(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"--option {text} has no value", hint="Write --option NAME=VALUE.")
    return name.strip().replace("-", "_"), value.strip()


_INBOX = (
    click.option(
        "--inbox",
        type=click.Path(path_type=Path, file_okay=False, exists=True),
        metavar="DIR",
        help="Import the new files of this folder, and record their state.",
    ),
    click.option(
        "--settle",
        default="30s",
        show_default=True,
        metavar="TIME",
        help="Time since the last change before a file is imported.",
    ),
    click.option("--retry-failed", is_flag=True, help="Retry unchanged files that failed."),
)
_LAKE = (
    click.option(
        "--lake",
        type=click.Path(path_type=Path, file_okay=False),
        metavar="DIR",
        help="Import into this lake in place of a warehouse.",
    ),
    options.age,
)
_REPORTING = (
    click.option(
        "--allow-damage",
        is_flag=True,
        help="Exit with 0 if parts of a file could not be read, instead of 6.",
    ),
    click.option("--quiet", "-q", is_flag=True, help="Print nothing but errors and warnings."),
    click.option(
        "--debug",
        is_flag=True,
        help="Append the traceback of an unexpected failure to WAREHOUSE.debug.log.",
    ),
)
_DECODING = (
    click.option("--strict", is_flag=True, help="Reject damaged files instead of repairing them."),
    click.option(
        "--lenient",
        is_flag=True,
        help="Import the readable parts of captures that would be rejected.",
    ),
    click.option(
        "--with-environment",
        is_flag=True,
        help="Import command lines and environment variables, which may contain secrets.",
    ),
    click.option(
        "--option",
        "-o",
        "options",
        multiple=True,
        metavar="NAME=VALUE",
        help="Option of an importer (`tw formats NAME`); repeatable.",
    ),
    click.option(
        "--memory-limit",
        default="700MB",
        show_default=True,
        help="Memory limit for decoding and sorting.",
    ),
    click.option(
        "--max-size",
        type=click.IntRange(min=1),
        metavar="BYTES",
        help="Maximum decompressed size of a file.",
    ),
)
