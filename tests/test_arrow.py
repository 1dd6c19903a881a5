"""Commands do not load pandas, which pyarrow imports where it is installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ARRAYS = "import sys, pyarrow; pyarrow.array([1]); print('pandas' in sys.modules)"
TRACE = Path(__file__).parent / "data" / "kineto" / "gpu_handwritten" / "trace.json"
COMMAND = """
import sys
from warehouse.cli import run
sys.argv[0] = "tw"
assert run() == 0
print(f"pandas: {'pandas' in sys.modules}")
"""


def run_with_pandas(folder: Path, program: str, *arguments: object) -> str:
    """What a program prints where importing pandas succeeds."""
    (folder / "pandas.py").write_text('__version__ = "3.0.0"\n')
    command = [sys.executable, "-c", program, *map(str, arguments)]
    environment = {"PYTHONPATH": str(folder), "PATH": "", "HOME": str(folder)}
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return ran.stdout.strip()


@pytest.mark.slow
def test_commands_do_not_load_pandas(tmp_path: Path) -> None:
    db = tmp_path / "traces.duckdb"
    for command in (
        ("import", "--jobs", "1", TRACE),
        ("export", "perfetto", "-o", tmp_path / "x.pftrace"),
        ("export", "html", "-o", tmp_path / "x.html"),
        ("replay",),
        ("diagnose",),
        ("trend", "utilization", "busy_ns"),
    ):
        assert run_with_pandas(tmp_path, COMMAND, *command, "--db", db).endswith("pandas: False")


def test_the_first_array_does_not_load_pandas(tmp_path: Path) -> None:
    without = f"from warehouse import arrow; arrow.leave_pandas_unloaded(); {ARRAYS}"
    after = "import pandas; print('pandas' in sys.modules)"

    assert run_with_pandas(tmp_path, f"{without}; {after}") == "False\nTrue"
