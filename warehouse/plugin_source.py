"""Texts that describe what packages add, read from their source: importing it takes longer."""

from __future__ import annotations

import ast
import importlib.util
from importlib.metadata import EntryPoint
from pathlib import Path

_UNREADABLE = (OSError, ValueError, SyntaxError, TypeError, ImportError)


def docstring_line(point: EntryPoint) -> str | None:
    """The first line of the docstring of a function; None where it is not found."""
    for each in _statements(point):
        if isinstance(each, ast.FunctionDef) and each.name == point.attr:
            text = ast.get_docstring(each)
            return text.splitlines()[0] if text else None
    return None


def keyword(point: EntryPoint, name: str) -> str | None:
    """The text passed as `name` where an object is created; None where it is not found."""
    for each in _statements(point):
        targets = each.targets if isinstance(each, ast.Assign) else []
        names = [target.id for target in targets if isinstance(target, ast.Name)]
        if (
            isinstance(each, ast.Assign)
            and point.attr in names
            and isinstance(each.value, ast.Call)
        ):
            passed = {word.arg: word.value for word in each.value.keywords}
            value = passed.get(name)
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                return value.value
    return None


def _statements(point: EntryPoint) -> list[ast.stmt]:
    top, *rest = point.module.split(".")
    try:
        found = importlib.util.find_spec(top)
        origin = Path(str(found and found.origin))
        place = origin.parent.joinpath(*rest)
        path = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
        return ast.parse((path if rest else origin).read_bytes()).body
    except _UNREADABLE:
        return []
