"""The critical path through threads of gloo against programs that know what they waited for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.support.reducing_program import Part, Program, joined
from tests.support.sharing import slow
from warehouse.ingest import pipeline
from warehouse.library import library
from warehouse.query import execute
from warehouse.store import database

#: Seeds of programs, and their steps whose paths are compared.
CASES = [([15], [1]), slow(range(40), range(3))]


def path(reader: database.Reader, step: int) -> list[dict[str, Any]]:
    found = execute.run(reader.connection, "critical_path", {"step": step}, library=library.load())
    rows: list[dict[str, Any]] = found.table().to_pylist()
    return rows


@pytest.mark.parametrize(("seeds", "steps"), CASES, ids=["one", "all"])
def test_paths_and_links_are_those_of_the_program(
    tmp_path: Path, seeds: Sequence[int], steps: Sequence[int]
) -> None:
    programs = {seed: Program(seed) for seed in seeds}
    files = [program.write(tmp_path / f"{seed}.json") for seed, program in programs.items()]
    pipeline.import_paths(files, db=tmp_path / "w.duckdb", options=pipeline.Options(run="r"))

    with database.Reader(tmp_path / "w.duckdb") as reader:
        paths = {n: path(reader, n) for n in steps}
        links = reader.connection.execute(LINKS).fetchall()

    for seed, program in programs.items():
        assert [row[1:] for row in links if row[0] == seed] == links_of(program), seed
        for n in steps:
            step = program.steps[n]
            mine = [row for row in paths[n] if row["rank"] == seed]
            found = [Part(r["start_ns"], r["end_ns"], r["kind"], r["tid"]) for r in mine]
            base = step.start - found[0].start
            found = [part._replace(start=part.start + base, end=part.end + base) for part in found]
            assert joined(found) == step.path(), (seed, n)


LINKS = """
SELECT t.rank, l.kind, b.ts - c.ts, a.ts - c.ts
FROM link AS l
JOIN trace AS t ON t.id = l.trace_id
JOIN slice AS a ON a.id = l.from_id
JOIN slice AS b ON b.id = l.to_id
JOIN (SELECT trace_id, min(ts) AS ts FROM slice GROUP BY trace_id) AS c ON c.trace_id = l.trace_id
ORDER BY ALL
"""


def links_of(program: Program) -> list[tuple[str, int, int]]:
    base = program.steps[0].start
    found = []
    for step in program.steps:
        for reduction, copy in zip(step.reductions, step.copies, strict=True):
            found.append(("enqueue", reduction.start - base, reduction.call_ns - base))
            found.append(("wait", copy - base, reduction.start - base))
    return sorted(found)
