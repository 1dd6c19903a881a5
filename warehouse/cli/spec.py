"""`tw --spec`: a JSON description of commands, options, exit codes and query contracts."""

from __future__ import annotations

import json
from typing import Any

import click

from warehouse import __version__
from warehouse.errors import ExitCode
from warehouse.library import library
from warehouse.library.library import Query
from warehouse.query import encoding


def text(program: click.Group) -> str:
    """Returns the description as JSON."""
    context = click.Context(program, info_name="tw")
    spec = {
        "program": "tw",
        "version": __version__,
        "exit_codes": {code.name.lower(): int(code) for code in ExitCode},
        "formats": list(encoding.FORMATS),
        "commands": [_command(context, program, name) for name in program.list_commands(context)],
        "queries": [_query(each) for each in library.load().newest.values()],
    }
    return json.dumps(spec, indent=2, ensure_ascii=False)


def _command(parent: click.Context, group: click.Group, name: str) -> dict[str, Any]:
    command = group.get_command(parent, name)
    assert command is not None
    context = click.Context(command, parent, name)
    spec: dict[str, Any] = {
        "name": context.command_path,
        "help": (command.help or "").partition("\n")[0],
        "parameters": [_parameter(context, each) for each in _parameters(context, command)],
    }
    if isinstance(command, click.Group):
        spec["commands"] = [_command(context, command, each) for each in command.commands]
    return spec


def _parameters(context: click.Context, command: click.Command) -> list[click.Parameter]:
    """All but --help, with those that packages add."""
    return [each for each in command.get_params(context) if "--help" not in each.opts]


def _parameter(context: click.Context, parameter: click.Parameter) -> dict[str, Any]:
    info = parameter.to_info_dict()
    kind = info["type"]
    spec = {
        "name": parameter.name,
        "kind": info["param_type_name"],
        "flags": [*parameter.opts, *parameter.secondary_opts],
        "type": kind["name"],
        "is_required": parameter.required,
        "is_repeatable": bool(getattr(parameter, "multiple", False) or parameter.nargs == -1),
        "help": getattr(parameter, "help", None),
    }
    if choices := kind.get("choices"):
        spec["choices"] = list(choices)
    default = parameter.get_default(context)
    if isinstance(default, str | int | float | bool):
        spec["default"] = default
    return spec


def _query(query: Query) -> dict[str, Any]:
    header = query.header
    assert header is not None
    return {
        "name": header.name,
        "version": header.version,
        "title": header.title,
        "help": header.help.strip(),
        "layer": query.layer,
        "grain": list(header.grain),
        "parameters": [
            {
                "name": each.name, "type": each.type, "unit": each.unit, "help": each.help,
                "is_required": not each.has_default, "default": each.default,
            }
            for each in header.parameters
        ],
        "columns": [
            {
                "name": each.name, "type": each.type, "unit": each.unit, "help": each.help,
                "is_nullable": each.nullable, "check": each.check,
            }
            for each in header.columns
        ],
    }  # fmt: skip
