"""Damaged execution traces: what every import of them must do.

    python tests/importers/fuzz_execution_trace.py SEED COUNT

prints what came of COUNT files, and leaves each that broke a rule in the working folder. The
rules: an import ends in success, perhaps with problems, or in an error of ours with its place; its
rows refer to rows that are there; in ten seconds.
"""

from __future__ import annotations

import gzip
import json
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tests.importers.fuzz_trace_event import LIMIT_S, mutated
from tests.support.execution_traces import Memory
from tests.support.failures import keep_failures
from warehouse.errors import CorruptTrace

DATA = Path(__file__).parent.parent / "data" / "execution_trace"
DANGLING = """
    SELECT count(*) AS n FROM (
      SELECT from_node_id AS id FROM graph_edge
      UNION ALL SELECT to_node_id FROM graph_edge
      UNION ALL SELECT graph_node_id FROM tensor_use
    )
    WHERE id NOT IN (SELECT id FROM graph_node)
"""


def flat(node: dict[str, Any]) -> dict[str, Any]:
    """A node as schema 1.0.1 writes it."""
    found = {"name": node["name"], "id": node["id"], "parent": node["ctrl_deps"]}
    found |= {each["name"]: each["value"] for each in node["attrs"][:7]}
    for key, prefix in (("inputs", "input"), ("outputs", "output")):
        found[key] = node[key]["values"]
        found |= {f"{prefix}_{part}": node[key][part] for part in ("shapes", "types")}
    return found


def seeds() -> list[bytes]:
    """Small documents: a recorded one, cut short, the same linked, and the same flat."""
    host = json.loads(gzip.decompress((DATA / "gpu_cnn" / "host_et.json.gz").read_bytes()))
    nodes = host["nodes"][:40]
    linked = [
        node | {"ts": 1.5, "inclusive_dur": 2, "exclusive_dur": 1.25, "inter_thread_dep": None,
                "cat": "kernel", "ph": "X", "stream": 7, "sync_dep": [node["id"]]}
        for node in nodes
    ]  # fmt: skip
    return [
        json.dumps(host | {"nodes": nodes}).encode(),
        json.dumps(host | {"nodes": linked}, indent=1).encode(),
        json.dumps(host | {"schema": "1.0.1", "nodes": [flat(node) for node in nodes]}).encode(),
    ]


def run(data: bytes, memory: Memory) -> str:
    """Imports one file; says what came of it. Raises what must not be raised."""
    path, began = memory.folder / "t.json", time.perf_counter()
    path.write_bytes(data)
    try:
        with memory.imported(path) as facts:
            assert memory.rows(DANGLING) == [{"n": 0}], "a row refers to nothing"
            is_odd = bool(facts.problems or memory.problems())
            result = "with problems" if is_odd else "imported"
    except CorruptTrace as error:
        assert error.offset is not None
        result = type(error).__name__
    assert time.perf_counter() - began < LIMIT_S, "it took too long"
    return result


def fuzz(seed: int, count: int) -> tuple[Counter[str], list[bytes]]:
    """Runs `count` mutated files; returns what came of them, and those that broke a rule."""
    chosen, results, bad = random.Random(seed), Counter[str](), []
    documents = seeds()
    with tempfile.TemporaryDirectory() as folder:
        memory = Memory(Path(folder))
        for _ in range(count):
            data = mutated(chosen.choice(documents), chosen)
            try:
                results[run(data, memory)] += 1
            except Exception as error:  # noqa: BLE001 - whatever it is, it is what we look for
                results[f"{type(error).__name__}: {str(error)[:100]}"] += 1
                bad.append(data)
                memory = Memory(Path(folder))
    return results, bad


if __name__ == "__main__":
    outcome, files = fuzz(int(sys.argv[1]), int(sys.argv[2]))
    for what, n in outcome.most_common():
        sys.stdout.write(f"{n:8} {what}\n")
    keep_failures({f"{sys.argv[1]}-{n}.json": content for n, content in enumerate(files)})
