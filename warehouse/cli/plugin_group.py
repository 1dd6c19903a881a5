"""A group of commands that installed packages can add to."""

from __future__ import annotations

import click

from warehouse import plugins

COMMANDS = "trace_warehouse.commands"


class PluginGroup(click.Group):
    """Has the commands registered as `GROUP.NAME`; imports one only to show or run it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        prefix = f"{self.name}."
        registered = [name for name in plugins.names(COMMANDS) if name.startswith(prefix)]
        return sorted({*super().list_commands(ctx), *(n.removeprefix(prefix) for n in registered)})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        own = super().get_command(ctx, cmd_name)
        return own or plugins.load(COMMANDS, f"{self.name}.{cmd_name}", click.Command)
