"""Perfetto's own trace_processor reads what is written, where TW_TRACE_PROCESSOR names one."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from warehouse.export.perfetto.trace import export_perfetto

T = 1 << 32


@pytest.fixture
def trace_processor() -> Callable[..., list[list[dict[str, Any]]]]:
    """Runs SQL over a trace file in Perfetto's own trace_processor.

    TW_TRACE_PROCESSOR is a command that takes FILE SQL... and prints a JSON object with `rows` for
    each statement.
    """
    command = os.environ.get("TW_TRACE_PROCESSOR")
    if not command:
        pytest.skip("TW_TRACE_PROCESSOR names no trace_processor")

    def ask(path: Path, *queries: str) -> list[list[dict[str, Any]]]:
        words = [*shlex.split(command), str(path), *queries]
        output = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        answers = [json.loads(line) for line in output.splitlines()]
        return [answer["rows"] for answer in answers if "sql" in answer]

    return ask


def test_trace_processor_sees_what_the_warehouse_holds(
    warehouse: Any, slices: Any, tmp_path: Path, trace_processor: Any
) -> None:
    connection = warehouse(
        slices(
            (0, 0, 0, 100, "call", 0, "X", '{"id": 9007199254740993, "dims": [[1, 2]]}'),
            (1, 1, 10, 20, "kernel"),
            (2, 1, 20, 30, "overlapping"),
            (3, 1, 20, 0, "short", 1),
            (4, 0, 30, 0, "mark", 1, "i"),
            (5, 0, 150, -1, "open"),
        ),
        f"INSERT INTO link VALUES ({T}, 1, 1, {T}, {T + 1}, 'x', 'r', 1, 'default', 'q', 1)",
        f"INSERT INTO counter VALUES ({T}, 1, {T + 3}, 5, 1.5)",
    )

    export_perfetto(connection, tmp_path / "x.pftrace")

    totals, faults, args, names = trace_processor(
        tmp_path / "x.pftrace",
        "SELECT count(*) AS n, sum(dur) AS dur, (SELECT count(*) FROM flow) AS flows,"
        " (SELECT sum(value) FROM counter) AS value FROM slice",
        "SELECT name, value FROM stats WHERE value > 0 AND severity != 'info'",
        "SELECT key, display_value FROM args JOIN slice USING (arg_set_id) ORDER BY key",
        "SELECT name, pid FROM process WHERE pid = 4242",
    )
    assert totals == [{"n": 6, "dur": 149, "flows": 1, "value": 1.5}]
    assert faults == []
    assert args == [
        {"key": "debug.dims[0][0]", "display_value": "1"},
        {"key": "debug.dims[0][1]", "display_value": "2"},
        {"key": "debug.id", "display_value": "9007199254740993"},
    ]
    assert names == [{"name": "python", "pid": 4242}]
