"""Writes json_cases.json: the rows trace_processor has for the statements of json_cases.py.

    TW_TRACE_PROCESSOR_SHELL=trace_processor_shell python tests/dialect/make_json_golden.py

The rows here are those of trace_processor v55.3.
"""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
_spec = importlib.util.spec_from_file_location("json_cases", HERE / "json_cases.py")
assert _spec is not None and _spec.loader is not None
cases: Any = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(cases)


def ask(document: str, sql: str) -> list[list[Any]]:
    """The rows of the last statement; all numbers are floats."""
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace.json"
        trace.write_text(document)
        command = [os.environ["TW_TRACE_PROCESSOR_SHELL"], "-Q", sql, str(trace)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    printed = done.stdout.strip().split("\n\n")[-1]
    _, *rows = csv.reader(io.StringIO(printed), quoting=csv.QUOTE_NONNUMERIC)
    return [[None if value == "[NULL]" else value for value in row] for row in rows]


def main() -> None:
    lines = (
        f"{json.dumps(title)}: {json.dumps(ask(*case))}" for title, case in cases.CASES.items()
    )
    (HERE / "json_cases.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
