"""`tw config`: which settings hold here, and why."""

from __future__ import annotations

import click

from warehouse import config


@click.group("config")
def config_() -> None:
    """Show which settings hold here.

    \b
    Example:
      tw config show
    """


@config_.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def show(as_json: bool) -> None:
    """Show each setting, its value and where it comes from.

    Settings come from the environment, from `tw.toml` here or in a folder above, or from
    `$XDG_CONFIG_HOME/tw/config.toml`; else the program's own hold.

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
