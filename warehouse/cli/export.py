"""`tw export`: the group of commands that write files."""

from __future__ import annotations

import click

from warehouse.cli.plugin_group import PluginGroup


@click.group(cls=PluginGroup)
def export() -> None:
    """Write traces, graphs, workbooks, pages and Parquet files.

    A file is written completely or not at all, and replaces an existing one. Without -o it is named
    after the run and written to the current directory. A summary, including anything lost in
    conversion, is printed to stderr.

    \b
    Example:
      tw export perfetto --rank 0,1 -o ranks.pftrace
      tw export chrome --rank 0 -o rank0.json.gz
      tw export parquet -o lake
    """
