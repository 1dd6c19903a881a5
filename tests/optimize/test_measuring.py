"""Programs that measure candidates: their time, their failures, and what is kept of them."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from tests.conftest import Tw
from tests.support.sharing import WarehouseCache
from warehouse.errors import TwError
from warehouse.optimize import measuring
from warehouse.optimize.measuring import Program

TINY = Path(__file__).parents[1] / "data" / "dpro" / "nccl_ring_2x1_tiny"


def program(folder: Path, text: str, limit_s: float = 20) -> Program:
    path = folder / "program.sh"
    path.write_text(text)
    return Program(f"sh '{path}'", limit_s)


def test_the_last_line_is_the_time_in_seconds(tmp_path: Path) -> None:
    made = program(tmp_path, 'echo 7; cat "${TW_CLUSTERS:-/dev/null}"; echo 0.25; echo')

    assert measuring.run(made, "a 0\nb 0\n") == 0.25e9
    only_file = program(tmp_path, 'cat "$TW_CLUSTERS" || echo 2e-3')
    assert measuring.run(only_file, "1.5\n") == 1.5e9
    assert measuring.run(only_file, None) == 2e6


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("echo no memory >&2; exit 3", "without fused operators failed (exit code 3): no memory"),
        ("echo fast", "without fused operators ends with 'fast', which is not a time"),
        ("echo -1", "ends with '-1', which is not a time"),
        ("echo nan", "ends with 'nan', which is not a time"),
        ("true", "without fused operators is empty, which is not a time"),
    ],
)
def test_a_program_without_a_time_is_one_sentence(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(TwError) as raised:
        measuring.run(program(tmp_path, text), None)

    assert problem in raised.value.message and raised.value.hint


def test_what_a_program_started_ends_with_it_on_the_time_limit(tmp_path: Path) -> None:
    made = program(tmp_path, f"sleep 60 & echo $! > '{tmp_path}/child'; wait", limit_s=0.3)

    with pytest.raises(TwError, match=r"program.sh'\" did not end within 300ms"):
        measuring.run(made, None)

    child = int((tmp_path / "child").read_text())
    deadline = time.monotonic() + 5
    while is_running(child) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not is_running(child)


def is_running(pid: int) -> bool:
    """Whether a process exists and has not ended."""
    try:
        os.kill(pid, 0)
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("sh 'x", "is not a command: no closing quotation"),
        (" ", "--measure names no program"),
        ("/nowhere/program", "/nowhere/program cannot be started: No such file or directory"),
    ],
)
def test_commands_that_cannot_run_are_one_sentence(command: str, problem: str) -> None:
    with pytest.raises(TwError, match=problem):
        measuring.run(Program(command), None)


@pytest.mark.slow
def test_measured_clusters_are_recommended_by_their_times(
    tw: Tw, imported_files: WarehouseCache, tmp_path: Path
) -> None:
    """The program takes 20 µs less of 3 ms with the pair; a second search does not run it."""
    db = tmp_path / "w.duckdb"
    db.write_bytes(imported_files(("trial", [TINY])).read_bytes())
    allowed = tmp_path / "candidates.txt"
    pair = ("resnet50/conv1_bn/FusedBatchNormV3", "resnet50/conv1_relu/Relu")
    allowed.write_text("\n".join(pair))
    made = program(
        tmp_path,
        f'[ -z "$TW_CLUSTERS" ] && echo 0.003 && exit; cat "$TW_CLUSTERS" >> {tmp_path}/seen\n'
        "echo 0.00298",
    )
    arguments = ("optimize", "fusion", "--search", "sweep", "--candidates", allowed, "--db", db)

    done = tw(*arguments, "--measure", made.command, "--format", "json")
    again = tw(*arguments, "--measure", made.command, "--format", "json")

    recorded, chosen = json.loads(done.out)
    assert chosen["predicted_ns"] == pytest.approx(recorded["predicted_ns"] - 20_000)
    assert chosen["is_recommended"] and chosen["extrapolated"] == 0
    assert again.out == done.out
    assert (tmp_path / "seen").read_text() == "".join(f"{name} 0\n" for name in pair)
    fitted = tw("model", "fit", "fused", "--db", db)
    assert "all samples have one size" in fitted.out
    refused = tw(*arguments, "--model", "nothing")
    assert refused.errors[0] == ("Error: no cost model nothing says how long fused operators take")
    failing = program(tmp_path, "exit 1")
    failed = tw(*arguments, "--measure", failing.command + " now", "-o", tmp_path / "out")
    assert failed.code == 1 and not (tmp_path / "out").exists()
