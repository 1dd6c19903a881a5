"""Options shared by several commands."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from warehouse import files
from warehouse.errors import UsageError
from warehouse.query import encoding

Command = TypeVar("Command", bound=Callable[..., Any])


def database(command: Command) -> Command:
    """Adds --db and --wait."""
    return database_file(wait(10.0, "Time to wait")(command))


def wait(default_s: float, time: str) -> Callable[[Command], Command]:
    """Adds --wait, whose help begins with what its time is."""
    return click.option(
        "--wait",
        "wait_s",
        type=click.FloatRange(min=0),
        default=default_s,
        show_default=True,
        metavar="SECONDS",
        help=f"{time} for another process to release the warehouse.",
    )


def database_file(command: Command) -> Command:
    """Adds --db."""
    return click.option(
        "--db",
        "db",
        type=click.Path(path_type=Path, readable=False),  # whoever opens it says what is wrong
        metavar="FILE",
        default=None,
        envvar="TW_DB",
        show_envvar=True,
        help="Warehouse file.  [default: ./traces.duckdb, or `db` in tw.toml]",
    )(command)


def lake(command: Command) -> Command:
    """Adds --lake; `chosen_lake` returns its value."""
    return click.option(
        "--lake",
        type=click.Path(path_type=Path, file_okay=False),
        metavar="DIR",
        callback=_keep_lake,
        expose_value=False,
        help="Read this lake (`tw lake`) in place of a warehouse.",
    )(command)


def _keep_lake(context: click.Context, _: click.Parameter, folder: Path | None) -> None:
    context.meta[_LAKE] = folder


def _seconds(_: click.Context, __: click.Parameter, text: str) -> float:
    from warehouse.times import parse_age

    return parse_age(text).total_seconds()


#: The option --age of commands that meet claims and files of other processes in a lake.
age = click.option(
    "--age",
    default="60min",
    show_default=True,
    callback=_seconds,
    metavar="AGE",
    help="Age from which what an import left without a commit may be taken over or removed: a "
    "number and min, h, d or w.",
)


def chosen_lake() -> Path | None:
    """The lake given with --lake. Raises UsageError if a warehouse is given, too."""
    context = click.get_current_context()
    folder: Path | None = context.meta.get(_LAKE)
    if folder is not None and context.get_parameter_source("db") is ParameterSource.COMMANDLINE:
        raise UsageError("--db and --lake cannot be combined")
    return folder


_LAKE = "warehouse.lake"


def _not_stdout(_: click.Context, __: click.Parameter, path: Path | None) -> Path | None:
    return None if path is not None and files.is_stdout(path) else path


_DOCUMENTS = (".xlsx", ".html", ".htm")

#: The option -o of commands that print rows, which is None for stdout.
output = click.option(
    "-o",
    "--output",
    "target",
    type=click.Path(path_type=Path, dir_okay=False),
    callback=_not_stdout,
    help="Write to a file instead of stdout (-).",
)
csv_safe = click.option(
    "--csv-safe",
    "is_csv_safe",
    is_flag=True,
    help="In CSV and TSV, write ' before texts that begin with =, +, -, @: spreadsheets would run "
    "them as formulas.",
)


def is_document(target: Path | None, format: str | None) -> bool:
    """Whether a workbook or a page is written: the suffix says so, and no format is given."""
    return format is None and target is not None and target.suffix.lower() in _DOCUMENTS


def refuse_binary_on_terminal(format: str, target: Path | None) -> None:
    """Raises UsageError if a binary format would be written to a terminal."""
    if format in encoding.BINARY and target is None and sys.stdout.isatty():
        raise UsageError(
            f"{format} is a binary format and cannot be printed to a terminal",
            hint=f"Write it to a file: -o FILE.{format}, or redirect stdout.",
        )


def pairs(parameters: tuple[str, ...], form: str = "-p NAME=VALUE") -> dict[str, str]:
    """Parses values of an option of this form; raises UsageError."""
    option = form.split()[0]
    values = {}
    for text in parameters:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise UsageError(f"{option} {text} has no value", hint=f"Write {form}.")
        if name in values:
            what = "parameter" if option == "-p" else option
            raise UsageError(f"{what} {name} is given twice")
        values[name] = value
    return values
