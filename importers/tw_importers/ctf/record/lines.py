"""Runs a Python script and logs the begin and end of each of its statements, for LTTng.

`python lines.py SCRIPT ARGUMENTS`, with Python's agent of LTTng (`lttngust`) installed. The script
is not changed: log calls are added while it is compiled. Messages are `begin:` and `end:` with the
source of the statement, blanks as underscores, of the logger `my-logger`, as tensorflow-profiler
writes them.
"""

from __future__ import annotations

import ast
import importlib
import importlib.machinery
import importlib.util
import logging
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import CodeType
from typing import Any

LOGGER = "my-logger"
_SIMPLE = (ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Delete, ast.Assert)
_LOG = "_log_statement"


class _Logged(ast.NodeTransformer):
    """Puts each simple statement of modules and functions between two log calls."""

    def __init__(self, source: str) -> None:
        self._source = source

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list) and not isinstance(node, ast.ClassDef):
                setattr(node, field, [each for part in block for each in self._around(part)])
        return node

    def _around(self, statement: ast.stmt) -> Sequence[ast.stmt]:
        is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        if not isinstance(statement, _SIMPLE) or is_text:
            return [statement]
        text = ast.get_source_segment(self._source, statement) or ""
        line = "_".join(text.split())
        calls = [_call(f"{step}:{line}", statement) for step in ("begin", "end")]
        return [calls[0], statement, calls[1]]


def _call(message: str, at: ast.stmt) -> ast.stmt:
    call = ast.Call(ast.Name(_LOG, ast.Load()), [ast.Constant(message)], [])
    return ast.fix_missing_locations(ast.copy_location(ast.Expr(call), at))


class Loader(importlib.machinery.SourceFileLoader):
    """Compiles a script with log calls."""

    def source_to_code(  # type: ignore[override]
        self, data: Any, path: Any, *, _optimize: int = -1
    ) -> CodeType:
        source = importlib.util.decode_source(data)
        tree = _Logged(source).visit(ast.parse(source, path))
        return compile(tree, path, "exec", optimize=_optimize, dont_inherit=True)

    def get_code(self, fullname: str) -> CodeType | None:
        return self.source_to_code(self.get_data(self.path), self.path)


def run(path: str, arguments: Sequence[str]) -> None:
    """Runs a script as `__main__`."""
    with suppress(ImportError):  # without the agent the script runs, and nothing is recorded
        importlib.import_module("lttngust")
    logger = logging.getLogger(LOGGER)
    logger.setLevel(logging.INFO)
    sys.argv, sys.path[0] = [path, *arguments], str(Path(path).resolve().parent)
    loader = Loader("__main__", path)
    spec = importlib.util.spec_from_loader("__main__", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    setattr(module, _LOG, logger.info)
    sys.modules["__main__"] = module
    loader.exec_module(module)


if __name__ == "__main__":
    run(sys.argv[1], sys.argv[2:])
