"""Start-up stays quick: what a command does not need is not imported."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = ("duckdb", "numpy", "pandas", "perfetto", "pyarrow", "sqlglot", "tqdm", "tw_importers")
PROGRAM = """
import json, sys
from warehouse.cli import run
sys.argv = ["tw", *json.loads(sys.argv[1])]
run()
print(json.dumps([name for name in sys.modules if "." not in name]), file=sys.stderr)
"""


def modules_after(*arguments: str) -> set[str]:
    process = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(arguments)],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    return set(json.loads(process.stderr.splitlines()[-1]))


@pytest.mark.parametrize(
    "arguments", [("--help",), ("--version",), ("query", "--help"), ("import", "--help")]
)
def test_help_loads_no_database_and_no_format(arguments: tuple[str, ...]) -> None:
    assert modules_after(*arguments) & set(HEAVY) == set()


def test_the_list_of_importers_imports_none() -> None:
    assert "tw_importers" not in modules_after("formats")


def test_no_command_loads_pandas() -> None:
    """PyArrow imports pandas behind one's back where it is installed; that costs half a second."""
    assert "pandas" not in modules_after("schema", "show", "slice")
