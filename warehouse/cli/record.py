"""`tw record`: the group of commands that record traces."""

from __future__ import annotations

import click

from warehouse.cli.plugin_group import PluginGroup


@click.group(cls=PluginGroup)
def record() -> None:
    """Record a program and import the trace.

    \b
    Example:
      tw record lttng -- python train.py
    """
