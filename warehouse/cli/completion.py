"""`tw completion`: shell completion scripts, and the values they complete."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem, get_completion_class

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print a shell completion script.

    It completes commands, options, queries with their parameters, and runs.

    \b
    Example:
      tw completion bash >> ~/.bashrc
      tw completion fish > ~/.config/fish/completions/tw.fish
    """
    from warehouse.cli import tw

    found = get_completion_class(shell)
    assert found is not None
    click.echo(found(tw, {}, "tw", "_TW_COMPLETE").source())


def query_names(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Completes names of library queries."""
    from warehouse.library import library

    queries = library.load().newest
    return [
        CompletionItem(name, help=query.header.title if query.header else None)
        for name, query in queries.items()
        if name.startswith(incomplete)
    ]


def query_parameters(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Completes parameters of the query named before, as NAME=."""
    from warehouse.errors import TwError
    from warehouse.library import library

    # While an option lacks its value, click leaves the arguments unparsed.
    words = [str(context.params.get("name") or ""), *context.args]
    try:
        query = library.load().find(next((word for word in words if word), ""))
    except TwError:
        return []
    return [
        CompletionItem(f"{each.name}=", help=each.help)
        for each in query.parameters
        if each.name.startswith(incomplete)
    ]


def run_names(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Completes names of runs; none while another process writes to the warehouse."""
    from warehouse import config
    from warehouse.errors import TwError
    from warehouse.store import database

    names = ["latest", "all"]
    try:
        with database.Reader(config.database_path(context.params.get("db")), wait_s=0.2) as reader:
            rows = reader.connection.execute("SELECT name FROM run ORDER BY id DESC").fetchall()
    except TwError:
        rows = []
    names += [str(name) for (name,) in rows]
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]
