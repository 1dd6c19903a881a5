"""The options of `tw import` that belong together: how files are read, and an inbox."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from warehouse.errors import UsageError
from warehouse.times import parse_time

Command = TypeVar("Command", bound=Callable[..., Any])
_NANOSECONDS = 1e9
_ENVIRONMENT = ("with_environment", "1")  # an option of the importers of such captures


@dataclass(frozen=True)
class Inbox:
    """The folder to look at, and what of it to read."""

    folder: Path
    settle_s: float  # files that changed within it wait
    retries_failed: bool


def decoding(command: Command) -> Command:
    """Adds what says how files are read; the command gets `settings`, a decode.Settings."""

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
            raise UsageError("--strict and --lenient contradict each other")
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
    """Adds --inbox and what goes with it; the command gets `inbox`, an Inbox or None."""

    @functools.wraps(command)
    def with_inbox(
        *args: Any, inbox: Path | None, settle: str, retry_failed: bool, **kwargs: Any
    ) -> Any:
        seconds = parse_time(settle) / _NANOSECONDS
        wanted = Inbox(inbox.resolve(), seconds, retry_failed) if inbox else None
        return command(*args, inbox=wanted, **kwargs)

    return _with(with_inbox, _INBOX)  # type: ignore[no-any-return]


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
        help="Import what is new in this folder, and remember what was seen.",
    ),
    click.option(
        "--settle",
        default="30s",
        show_default=True,
        metavar="TIME",
        help="How long a file of the inbox must not have changed.",
    ),
    click.option("--retry-failed", is_flag=True, help="Read unchanged files of the inbox again."),
)
_DECODING = (
    click.option("--strict", is_flag=True, help="Refuse damaged files instead of repairing them."),
    click.option(
        "--lenient", is_flag=True, help="Keep what is whole of captures refused otherwise."
    ),
    click.option(
        "--with-environment",
        is_flag=True,
        help="Keep command lines and environment variables of captures, which may hold secrets.",
    ),
    click.option(
        "--option",
        "-o",
        "options",
        multiple=True,
        metavar="NAME=VALUE",
        help="An option of an importer; `tw formats NAME` lists them.",
    ),
    click.option(
        "--memory-limit", default="800MB", show_default=True, help="To decode and sort in."
    ),
    click.option(
        "--max-size",
        type=click.IntRange(min=1),
        metavar="BYTES",
        help="Trust compressed files up to this content size.",
    ),
)
