"""Writes cli.md from the help texts of the program; a test compares the two.

python docs/make_cli.py
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

PAGE = Path(__file__).with_name("cli.md")
HEAD = """# Commands

Written by `docs/make_cli.py` from `--help`; do not edit.

Results go to stdout and everything else to stderr. Exit codes: 0 done, 1 failed, 2 wrong usage or
configuration, 3 the warehouse cannot be opened, 4 the time limit ran out, 5 some of several inputs
failed, 6 imported, but parts of an input could not be read, 130 interrupted. `TW_DB` names the
warehouse where `--db` does not; `TW_DEBUG=1` shows tracebacks.
"""


def commands(
    command: click.Command, parent: click.Context | None = None, name: str = "tw"
) -> Iterator[tuple[str, click.Context]]:
    """The command and all below it, as (full name, context)."""
    context = click.Context(command, parent, name, terminal_width=100, max_content_width=100)
    yield context.command_path, context
    if isinstance(command, click.Group):
        for each in command.list_commands(context):
            found = command.get_command(context, each)
            assert found is not None
            yield from commands(found, context, each)


def page(program: click.Command) -> str:
    """The whole page."""
    parts = [HEAD]
    for name, context in commands(program):
        parts.append(f"## {name}\n\n```text\n{context.get_help()}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    from warehouse.cli import tw

    PAGE.write_text(page(tw), encoding="utf-8")
