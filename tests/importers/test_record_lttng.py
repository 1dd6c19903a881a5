"""`tw record lttng`: what it runs, and recordings of real programs where LTTng is installed."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from tests.conftest import Tw
from tw_importers.ctf.record import lines

HAS_LTTNG = shutil.which("lttng") is not None and hasattr(os, "getuid") and os.getuid() == 0
AGENT = Path("/usr/lib/python3/dist-packages/lttngust")
SCRIPT = "def f(n):\n    total = n + 1\n    return total\nfor k in range(2):\n    x = f(k)\n"
needs_lttng = pytest.mark.skipif(not HAS_LTTNG, reason="LTTng is not installed")


def test_the_commands_of_a_preset_are_printed(tw: Tw) -> None:
    result = tw("record", "lttng", "--print", "--preset", "hip", "--preset", "hc2",
                "--buffers", "pid", "--", "python", "train.py")  # fmt: skip
    printed = result.out.splitlines()
    assert result.code == 0
    assert "--buffers-pid" in printed[1] and "--subbuf-size=131072" in printed[1]
    enabled = [line.split()[-1].strip("'") for line in printed if "enable-event" in line]
    assert {"tensorflowTracer:session*", "hipTracer:*", "hcTracer:*"} <= set(enabled)
    assert "HIP_PROFILE_API=2 HCC_PROFILE=2 python train.py" in printed
    assert printed[-1].startswith("lttng destroy")


def test_the_preset_for_sycl_enables_the_callback(tw: Tw) -> None:
    found = tw("record", "lttng", "--print", "--preset", "sycl", "--preload", "c.so", "--", "x").out
    assert "openclTracer:callback" in found
    assert "LD_PRELOAD=c.so x" in found
    refused = tw("record", "lttng", "--print", "--preset", "sycl", "--", "x")
    assert (refused.code, "--preload" in refused.err) == (2, True)


def test_without_lttng_the_packages_are_named(tw: Tw, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    result = tw("record", "lttng", "--", "x")
    assert result.code == 1
    assert "lttng-tools" in result.err


def test_statements_of_a_script_are_logged_without_changing_it(tmp_path: Path) -> None:
    script = tmp_path / "s.py"
    script.write_text(SCRIPT)
    code = lines.Loader("__main__", str(script)).get_code("__main__")
    assert code is not None
    logged: list[str] = []
    spec = importlib.util.spec_from_loader("s", lines.Loader("s", str(script)))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    vars(module)["_log_statement"] = logged.append
    spec.loader.exec_module(module)
    body = ["begin:x_=_f(k)", "begin:total_=_n_+_1", "end:total_=_n_+_1", "end:x_=_f(k)"]
    assert logged == body * 2
    assert script.read_text() == SCRIPT


@pytest.mark.slow
@needs_lttng
@pytest.mark.skipif(not AGENT.is_dir(), reason="lttngust is not installed")
def test_python_logs_are_recorded_and_imported(tmp_path: Path) -> None:
    shutil.copytree(AGENT, tmp_path / "agent" / "lttngust")
    (tmp_path / "s.py").write_text(SCRIPT + "import time\ntime.sleep(0.1)\n")
    command = [sys.executable, "-m", "warehouse", "record", "lttng", "--db", "w.duckdb",
               "--python-lines", "--", sys.executable, "s.py"]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "agent")}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with duckdb.connect(str(tmp_path / "w.duckdb"), read_only=True) as db:
        rows = db.execute("SELECT name, count(*) FROM annotation GROUP BY 1 ORDER BY 1").fetchall()
    assert rows == [("time.sleep(0.1)", 1), ("total_=_n_+_1", 2), ("x_=_f(k)", 2)]


PROGRAM = """#define TRACEPOINT_CREATE_PROBES
#define TRACEPOINT_DEFINE
#include "tp.h"
int main() { for (int k = 0; k < 5; k++) {
  tracepoint(ours, work_entry, k); tracepoint(ours, work_exit, k); } return 0; }
"""
PROVIDER = """#undef TRACEPOINT_PROVIDER
#define TRACEPOINT_PROVIDER ours
#undef TRACEPOINT_INCLUDE
#define TRACEPOINT_INCLUDE "./tp.h"
#if !defined(TP_H) || defined(TRACEPOINT_HEADER_MULTI_READ)
#define TP_H
#include <lttng/tracepoint.h>
TRACEPOINT_EVENT(ours, work_entry, TP_ARGS(int, n), TP_FIELDS(ctf_integer(int, n, n)))
TRACEPOINT_EVENT(ours, work_exit, TP_ARGS(int, n), TP_FIELDS(ctf_integer(int, n, n)))
#endif
#include <lttng/tracepoint-event.h>
"""


@pytest.mark.slow
@needs_lttng
@pytest.mark.skipif(not shutil.which("gcc"), reason="gcc is not installed")
def test_a_program_in_c_is_recorded_and_imported(tmp_path: Path) -> None:
    (tmp_path / "tp.h").write_text(PROVIDER)
    (tmp_path / "p.c").write_text(PROGRAM)
    build = ["gcc", "-I.", "p.c", "-o", "p", "-llttng-ust", "-ldl"]
    subprocess.run(build, cwd=tmp_path, check=True)
    command = [sys.executable, "-m", "warehouse", "record", "lttng", "--db", "w.duckdb",
               "--event", "ours:*", "--", "./p"]  # fmt: skip
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with duckdb.connect(str(tmp_path / "w.duckdb"), read_only=True) as db:
        rows = db.execute("SELECT name, args_json FROM slice ORDER BY ts").fetchall()
    assert rows == [("ours:work", f'{{"n":{n}}}') for n in range(5)]
