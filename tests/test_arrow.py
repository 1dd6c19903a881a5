"""Commands do not load pandas, which pyarrow imports where it is installed; threads read rows."""

from __future__ import annotations

import subprocess
import sys
import threading
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path

import duckdb
import pytest

from warehouse import arrow

ARRAYS = "import sys, pyarrow; pyarrow.array([1]); print('pandas' in sys.modules)"
TRACE = Path(__file__).parent / "data" / "kineto" / "gpu_handwritten" / "trace.json"
COMMAND = """
import sys
from warehouse.cli import run
sys.argv[0] = "tw"
assert run() == 0
print(f"pandas: {'pandas' in sys.modules}")
"""
UNUSED_MODULE = "this"  # of the standard library; `find_spec` does not load it


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


def test_other_threads_find_their_modules_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    searching, is_over = threading.Event(), threading.Event()

    class Waiting:
        """A finder that is in use until pandas can be imported again."""

        @staticmethod
        def find_spec(name: str, path: object = None, target: object = None) -> None:
            if name == UNUSED_MODULE:
                searching.set()
                is_over.wait(10)

    def first_array(_: object) -> None:
        finding.start()
        searching.wait(10)

    found: list[ModuleSpec | None] = []
    finding = threading.Thread(target=lambda: found.append(find_spec(UNUSED_MODULE)))
    finders = [*sys.meta_path[:-1], Waiting, sys.meta_path[-1]]
    monkeypatch.setattr(sys, "meta_path", list(finders))
    monkeypatch.delitem(sys.modules, "pandas", raising=False)
    monkeypatch.setattr("pyarrow.array", first_array)

    arrow.leave_pandas_unloaded.__wrapped__()
    is_over.set()
    finding.join()

    assert [each and each.name for each in found] == [UNUSED_MODULE]
    assert sys.meta_path == finders


def test_threads_get_no_warnings_of_copies(recwarn: pytest.WarningsRecorder) -> None:
    def read() -> None:
        with duckdb.connect() as connection:
            for _ in range(20):
                arrow.rows_of(connection, "FROM range(3)")

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()

    assert [each for each in recwarn if "copy" in str(each.message)] == []
