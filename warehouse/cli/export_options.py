"""What the commands of `tw export` share: options, the session, names of files."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from warehouse.cli.memory_options import place
from warehouse.cli.scope_options import announce
from warehouse.errors import UsageError
from warehouse.files import is_stdout, is_stream
from warehouse.query.selection import LISTED_RANKS

if TYPE_CHECKING:
    from warehouse.query.scope import Scope
    from warehouse.query.selection import Selection
    from warehouse.query.session import Session

Command = TypeVar("Command", bound=Callable[..., Any])

#: What files are named that a single command writes.
_SUFFIXES = {".xlsx": "xlsx", ".html": "html", ".pftrace": "perfetto"}

query_path_option = click.option(
    "--query-path",
    "query_path",
    type=click.Path(path_type=Path, file_okay=False),
    multiple=True,
    help="Folder of your own queries and reports; repeatable.",
)

all_ranks_option = click.option(
    "--all-ranks",
    is_flag=True,
    help=f"List the rows of all ranks; by default, more than {LISTED_RANKS} ranks are shown as a "
    "distribution with its outliers.",
)


def output_option(help_text: str) -> Callable[[Command], Command]:
    """The option `-o`, `--output`; `-` is stdout."""
    return click.option(
        "-o",
        "--output",
        type=click.Path(path_type=Path),
        callback=_writable,
        help=help_text,
    )


def named(command: Command) -> Command:
    """The option `--name`: slices whose names match."""
    return click.option(
        "--name",
        "names",
        multiple=True,
        metavar="GLOB",
        help="Write only slices whose name matches, as '*gemm*'; repeatable.",
    )(command)


def _writable(context: click.Context, _: click.Parameter, path: Path | None) -> Path | None:
    """Refuses terminals, and files that other programs would take for another format."""
    if path is None:
        return None
    if is_stdout(path) and sys.stdout.isatty():
        raise UsageError(
            "an export cannot be printed to a terminal", hint="Write it to a file, or a pipe."
        )
    of = _SUFFIXES.get(path.suffix.lower())
    if of not in (None, context.info_name) and not path.exists():
        raise UsageError(
            f"`tw export {context.info_name}` does not write {path.suffix} files",
            hint=f"Name another file, or use `tw export {of}`.",
        )
    return path


@contextmanager
def scoped(
    db: Path | None,
    wait_s: float,
    selection: Selection,
    query_path: tuple[Path, ...] = (),
    whole: str | None = None,
) -> Iterator[Session]:
    """Opens a session with the selected scope, which it prints where the user did not choose it.

    `whole` is what cannot be written in part: a time window is refused.
    """
    from warehouse.query import session

    with session.opened(
        place(db, wait_s, query_path=query_path, is_export=True), selection
    ) as opened:
        announce(opened.seen, quiet=False)
        if whole is not None and opened.seen.has_window:
            raise UsageError(
                f"{whole} is written whole, not between two times",
                hint="Leave out --from and --to.",
            )
        yield opened


def run_stem(chosen: Scope) -> str:
    """The default name of a file without its ending: the run's, or `traces` for several runs."""
    from warehouse.files import file_stem

    return file_stem(chosen.run_names[0]) if len(chosen.run_names) == 1 else "traces"


def names_folder(path: Path, given: Path | None) -> bool:
    """Whether a target is a folder: it exists as one, or is not named like a JSON file."""
    if given is None or is_stream(given):
        return False
    return path.is_dir() or not path.name.endswith((".json", ".json.gz"))


def say(text: str) -> None:
    """Prints a line of the summary to stderr."""
    click.echo(text, err=True)
