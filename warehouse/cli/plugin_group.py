"""A group of commands that installed packages can add to."""

from __future__ import annotations

from typing import Any

import click

from warehouse import plugin_source, plugins
from warehouse.errors import TwError

COMMANDS = "trace_warehouse.commands"


class PluginGroup(click.Group):
    """Has the commands registered as `GROUP.NAME`; imports one only to show or run it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        prefix = f"{self.name}."
        registered = [name for name in plugins.names(COMMANDS) if name.startswith(prefix)]
        return sorted({*super().list_commands(ctx), *(n.removeprefix(prefix) for n in registered)})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if own := super().get_command(ctx, cmd_name):
            return own
        return loaded(f"{self.name}.{cmd_name}", cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        refuse_unknown(self, ctx, args)
        return super().resolve_command(ctx, args)


def refuse_unknown(group: click.Group, ctx: click.Context, args: list[str]) -> None:
    """Raises UsageError if the first argument is no command of a group, with one named alike."""
    name = args[0] if args else "-"
    if name.startswith("-") or name in (known := group.list_commands(ctx)):
        return
    import difflib

    near = difflib.get_close_matches(name, known, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise click.UsageError(f"No such command {name!r}.{hint}", ctx)


def top_level() -> list[str]:
    """The names of commands that packages add to `tw` itself: those without a dot."""
    return [name for name in plugins.names(COMMANDS) if "." not in name]


def help_line(registered: str) -> str:
    """The first line of a command's docstring; the name of the package where it is not found."""
    point = next(each for each in plugins.registered(COMMANDS) if each.name == registered)
    text = plugin_source.docstring_line(point)
    return text or f"Added by the package {plugins.package(point)}."


def loaded(registered: str, name: str) -> click.Command | None:
    """The command registered under a name; None where there is none."""
    try:
        return plugins.load(COMMANDS, registered, click.Command)
    except TwError as error:
        return _Broken(name, error)


class _Broken(click.Command):
    """A command that cannot be loaded: it is listed, and fails when it is used."""

    def __init__(self, name: str, error: TwError) -> None:
        super().__init__(name, short_help="Cannot be loaded.")
        self._error = error

    def make_context(self, *_: Any, **__: Any) -> click.Context:
        raise self._error
