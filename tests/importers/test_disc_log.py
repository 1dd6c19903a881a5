"""Runs of logs are found however their lines are mixed, against the runs that were printed."""

from __future__ import annotations

import importlib.util
import io
import random
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import duckdb
import pytest

from tests.conftest import Tw
from tw_importers.disc import log
from tw_importers.disc.runs import NO_THREAD

DUMPS = Path(__file__).parents[1] / "data" / "bladedisc" / "ok"
BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
STAMP = "2024-03-01 12:00:{:02d}.{:06d}"
START_US = 1_709_294_400_000_000  # 2024-03-01 12:00 UTC
TYPES = ("float", "half", "int64", "bool")


@dataclass
class Run:
    """What a run prints; `lines` are its records, each perhaps of several lines."""

    at_us: int
    thread: int
    shapes: tuple[tuple[int, ...], ...]
    types: tuple[str, ...]

    def lines(self, end: str) -> list[str]:
        records = ["print ins/outs", f"num inputs #{len(self.shapes)}:"]
        for n, (shape, kind) in enumerate(zip(self.shapes, self.types, strict=True)):
            text = "[" + ",".join(map(str, shape)) + "]"
            records += [
                f">> input tensor #{n}@{text} [",
                f"\tTensor<type: {kind} shape: {text} values: 0.5 1...>{end}]",
            ]
        records += ["num outputs #1:", ">> output tensor #0@[] [",
                    f"\tTensor<type: float shape: [] values: 7...>{end}]"]  # fmt: skip
        seconds, micros = divmod(self.at_us, 1_000_000)
        thread = "" if self.thread == NO_THREAD else f"{self.thread:8d}"
        prefix = f"{STAMP.format(seconds, micros)}: I{thread} tao_bridge/kernels/a.cc:62] "
        return [prefix + record + end for record in records]


def runs(draw: random.Random, threads: list[int], n: int) -> list[Run]:
    made = []
    for k in range(n):
        n_inputs = draw.choice([0, 1, 2, 3])
        shapes = [
            tuple(draw.choices([0, 1, 48, -1], k=draw.randint(0, 3))) for _ in range(n_inputs)
        ]
        kinds = draw.choices(TYPES, k=n_inputs)
        made.append(Run(k * 1000 + 7, draw.choice(threads), tuple(shapes), tuple(kinds)))
    return made


def mixed(draw: random.Random, made: list[Run], end: str, *, is_mixed: bool) -> str:
    """The lines of all runs, those of one thread in order, with lines of other programs between."""
    queues: dict[int, list[str]] = {}
    for run in made:
        queue = queues.setdefault(run.thread if is_mixed else 0, [])
        queue += run.lines(end)
        if draw.random() < 0.3:
            queue.append(f"step {run.at_us} of [3]{end}")
    lines = []
    while queues:
        thread = draw.choice(list(queues))
        for _ in range(draw.choice([1, 1, 2, 9, 9])):  # whole runs, too
            if queues[thread]:
                lines.append(queues[thread].pop(0))
        if not queues[thread]:
            del queues[thread]
    return "".join(lines)


@pytest.mark.parametrize("seed", [*range(20), *(pytest.param(n, marks=pytest.mark.slow)
                                                for n in range(20, 2000))])  # fmt: skip
def test_runs_are_those_that_were_printed(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without ids of threads, only of threads that do not write at the same time."""
    draw = random.Random(seed)
    monkeypatch.setattr(log, "_BLOCK", draw.choice([1, 90, 1000, 1 << 20]))
    has_ids = draw.random() < 0.6
    made = runs(draw, [40001, 7, 123456] if has_ids else [NO_THREAD], draw.randint(0, 12))
    text = mixed(draw, made, draw.choice(["\n", "\r\n"]), is_mixed=has_ids)

    found = log.read(io.BytesIO(text.encode())).runs

    inputs = list(found.distinct)
    listed = [
        Run(at - START_US, thread, *inputs[n])
        for at, thread, n in zip(found.at, found.thread, found.inputs, strict=True)
    ]
    assert sorted(listed, key=lambda run: run.at_us) == made


def test_a_run_without_its_outputs_has_the_inputs_that_are_there() -> None:
    run = Run(7, NO_THREAD, ((2,), (3, 4)), ("float", "half"))
    cut_off = "".join(run.lines("\n")[:4])
    found = log.read(io.BytesIO((cut_off + "".join(run.lines("\n")) + cut_off).encode())).runs
    first, whole = (((2,),), ("float",)), (run.shapes, run.types)
    assert [list(found.distinct)[n] for n in found.inputs] == [first, whole, first]


VERBOSE = """\
2024-03-01 12:00:00.000001: I a/b.cc:1015] tao_compiler exits with errcode 0 in \
1.250000 seconds to compile cluster_0:
============= stderr ===============
[DISC] LowerHLOToLLVM takes: 0.500000 s.
[DISC] LowerLLVMToBinary takes: 2.5e-01 s.
2024-03-01 12:00:02.000001: I   4711 a/b.cc:1015] tao_compiler exits with errcode \
256 in 0.5 seconds to compile cluster_1:
[DISC] LowerHLOToLLVM takes: 0.125 s.
2024-03-01 12:00:03.000001: E a/disc_launch.cc:9] failed to launch: CUDA_ERROR
2024-03-01 12:00:03.000002: E a/disc_launch.cc:9] [[ ERROR ]]: no kernel
2024-03-01 12:00:03.000003: W a/disc_launch.cc:9] cluster: cluster_1 fallbacks to TF as it failed
"""


def test_what_the_compiler_and_failed_runs_print_is_read() -> None:
    found = log.read(io.BytesIO(VERBOSE.encode()))
    assert found.compilations == [("cluster_0", 0, 1.25), ("cluster_1", 256, 0.5)]
    assert found.phases == {"LowerHLOToLLVM": 0.625, "LowerLLVMToBinary": 0.25}
    assert found.failures == ["CUDA_ERROR", "no kernel"]
    assert found.fallbacks == [("cluster_1", "it failed")]


def test_failures_of_the_log_are_problems(tw: Tw) -> None:
    """The clusters themselves were not dumped; times of the compiler are statistics."""
    run = "".join(Run(7, NO_THREAD, (), ()).lines("\n"))
    Path("train.log").write_text("print\n" * 20_000 + VERBOSE + run)  # the first line comes late
    assert tw("import", "train.log", "--db", "w.duckdb").code != 0
    assert tw("import", "train.log", "--format", "disc", "--db", "w.duckdb").code == 0
    with duckdb.connect("w.duckdb", read_only=True) as db:
        problems = "SELECT kind, count, example FROM import_problem ORDER BY kind"
        assert db.execute(problems).fetchall() == [
            ("compile_failed", 1, "cluster_1: exit code 256"),
            ("fallback", 1, "cluster_1: it failed"),
            ("launch_failed", 2, "CUDA_ERROR"),
        ]
        assert db.execute(
            "SELECT detail, value FROM import_stat WHERE name LIKE 'compile%' ORDER BY ALL"
        ).fetchall() == [
            ("LowerHLOToLLVM", 0.625), ("LowerLLVMToBinary", 0.25), ("cluster_0", 1.25),
            ("cluster_1", 0.5),
        ]  # fmt: skip


def test_dumps_beside_it_mark_a_log_whose_first_line_comes_late(tw: Tw) -> None:
    shutil.copytree(DUMPS, "job")
    log_path = Path("job/train.log")
    log_path.write_text("print\n" * 20_000 + log_path.read_text())
    ran = tw("import", "job/train.log", "--db", "w.duckdb")
    assert ran.code == 0 and "3 clusters (3 graphs), 3 replayable" in ran.err


def benchmark(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, BENCHMARKS / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_a_long_log_takes_little_memory(tmp_path: Path) -> None:
    """1 GB with 1,000 dumps: 400 MB. The benchmark `import_disc` prints its time."""
    paired, generator = benchmark("paired"), benchmark("import_disc")
    generator.generate(tmp_path / "job", 1000, 10**9)
    command = [sys.executable, "-m", "warehouse", "import", "--db", str(tmp_path / "w.duckdb")]
    used = paired.run([*command, str(tmp_path / "job")])
    assert used.peak_mb <= 400
