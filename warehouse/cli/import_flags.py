"""Options of `tw import` that packages add: each passes a value to the importers that have it.

A package registers a function under `trace_warehouse.import_flags`. The name of the entry point is
that of the option; the function gets its text, and returns the value of the importers' option of
that name. The first line of its docstring is the help.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any, Final

import click

from warehouse import plugin_source, plugins

GROUP: Final = "trace_warehouse.import_flags"
_START: Final = "flag_"  # of the parameters, so that none has the name of another


class ImportCommand(click.Command):
    """A command with the options that packages add; their values become values of --option."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        own = super().get_params(ctx)
        taken = {name for each in own for name in each.opts}
        added = [_flag(name) for name in plugins.names(GROUP) if f"--{name}" not in taken]
        return [*own[:-1], *added, *own[-1:]]  # --help is the last

    def invoke(self, ctx: click.Context) -> Any:
        names = [name for name in ctx.params if name.startswith(_START)]
        given = {name.removeprefix(_START): ctx.params.pop(name) for name in names}
        values = [
            f"{name}={_value(name, text)}" for name, text in given.items() if text is not None
        ]
        ctx.params["options"] = (*ctx.params["options"], *values)
        return super().invoke(ctx)


def _flag(name: str) -> click.Option:
    point = next(each for each in plugins.registered(GROUP) if each.name == name)
    line = plugin_source.docstring_line(point) or f"Added by {plugins.package(point)}."
    parameter = f"{_START}{name.replace('-', '_')}"
    return click.Option([parameter, f"--{name}"], metavar=name.upper().replace("-", "_"), help=line)


def _value(name: str, text: str) -> str:
    registered = {each.replace("-", "_"): each for each in plugins.names(GROUP)}
    function = plugins.load(GROUP, registered[name], FunctionType)
    assert function is not None  # its name is registered
    return str(function(text))
