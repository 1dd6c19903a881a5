"""`tw config`: settings and their sources."""

from __future__ import annotations

import click

from warehouse import config


@click.group("config")
def config_() -> None:
    """Show the settings and their sources.

    \b
    Example:
      tw config show
    """


@config_.command()
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
def show(as_json: bool) -> None:
    """Show each setting with its value and source.

    Settings are read from the environment, from `tw.toml` in the current folder or a parent, and
    from `$XDG_CONFIG_HOME/tw/config.toml`, in this order.

    \b
    Example:
      tw config show
    """
    import json

    from warehouse.library import describe

    settings = config.settings()
    if as_json:
        rows = {each.key: {"value": each.value, "source": each.source} for each in settings}
        click.echo(json.dumps(rows, indent=2))
        return
    table = [[each.key, config.as_text(each.value), each.source] for each in settings]
    click.echo("\n".join(describe.aligned(table)))
