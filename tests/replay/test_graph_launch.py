"""What-if graph_launch, against programs that launch the work of each part of a step as a graph."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from tests.support.random_faults import CONSTANT, makespan_ns
from tests.support.random_program import COMPUTE, COPY, Program
from tests.support.randomtrace import RandomTrace, import_jobs, make_job
from tests.support.sharing import slow
from warehouse.diagnose import diagnosis
from warehouse.query import session

GRAPH_NS = 10_000  # the default of the what-if


class Part:
    """Launches until a wait: each on its own, or all of them by one call at the first."""

    def __init__(self, program: Any, thread: Any, draw: random.Random, is_graph: bool) -> None:
        self.program, self.thread, self.draw, self.is_graph = program, thread, draw, is_graph
        self.graph: Any = None

    def launch(self) -> None:
        program, thread, draw = self.program, self.thread, self.draw
        with program.operator(thread, "my::op"):
            thread.now += draw.randint(0, 20_000)
            call = program.call(thread, "cudaLaunchKernel", draw.randint(900, 9000), is_launch=True)
            if self.is_graph and self.graph is None:
                self.graph = call
                call["dur"] = GRAPH_NS
            if self.graph is not None:
                call = self.graph
                thread.now = call["ts"] + GRAPH_NS
            stream = draw.choice([COMPUTE, COMPUTE, COPY])
            program.work(call, "kernel", "k", 0, stream, draw.randint(500, 40_000))
            if draw.random() < 0.3:
                upto, waited = program.record_event(thread, 0, COMPUTE)
                program.stream_wait(thread, 0, COPY, upto, waited)

    def run(self) -> None:
        for _ in range(self.draw.randint(2, 8)):
            self.launch()
        program, thread = self.program, self.thread
        call = program.call(thread, "cudaStreamSynchronize", 1000)
        program.wait_until(thread, call, program.free[0, COMPUTE])
        program.record("Stream Sync", call, 0, COMPUTE)


def program(seed: int, *, is_graph: bool) -> list[RandomTrace]:
    def parts(made: Any, thread: Any, n: int, where: str) -> None:
        draw = random.Random(f"graphs {seed} {n}")
        for _ in range(draw.randint(1, 3) if where == "forward" else 0):
            Part(made, thread, draw, is_graph).run()

    return make_job(
        seed, ranks=1, **CONSTANT, operators=0, odd=False, loader=False, memory=False, python=False,
        backward=False, collectives=False, fault=parts,
    )  # fmt: skip


@pytest.mark.parametrize("seed", [0, *(slow(seed) for seed in range(1, 20))])
def test_launches_cost_what_a_program_with_graphs_saves(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for other in ("body", "some_call"):  # nothing else launches
        monkeypatch.setattr(Program, other, lambda *_: None)
    eager, graphs = program(seed, is_graph=False), program(seed, is_graph=True)
    runs = import_jobs(tmp_path / "w.duckdb", {"eager": eager})

    with session.opened(session.Place.of(runs.path)) as opened:
        rows = diagnosis.diagnose(opened).rows
        (row,) = (each for each in rows if each["what_if"] == "graph_launch()")

    saved = makespan_ns(eager) - makespan_ns(graphs)
    assert row["finding"] == "launch_bound"
    assert row["cost_ns"] == pytest.approx(max(saved, 0), abs=1)
    assert row["most_ns"] >= saved
