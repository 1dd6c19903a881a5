"""Runs of logs are found however their lines are mixed, against the runs that were printed."""

from __future__ import annotations

import importlib.util
import io
import random
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

from tw_importers.disc import log
from tw_importers.disc.runs import NO_THREAD

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


def benchmark(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, BENCHMARKS / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_a_long_log_takes_little_memory_and_time(tmp_path: Path) -> None:
    """1 GB with 1,000 dumps: 15 s, here of processor time, and 400 MB."""
    paired, generator = benchmark("paired"), benchmark("import_disc")
    generator.generate(tmp_path / "job", 1000, 10**9)
    command = [sys.executable, "-m", "warehouse", "import", "--db", str(tmp_path / "w.duckdb")]
    used = paired.run([*command, str(tmp_path / "job")])
    assert used.peak_mb <= 400
    assert used.cpu_s <= 15
