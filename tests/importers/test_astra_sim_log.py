"""ASTRA-sim's logs: every issued node is a slice as long as the simulator had it."""

from __future__ import annotations

import io
import random
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.support.graphs import run
from tw_importers import astra_sim_log
from warehouse.errors import TwError
from warehouse.ingest import pipeline
from warehouse.ingest.decode import Settings
from warehouse.ingest.importer import Scratch

Row = dict[str, Any]
LANES = {
    2: "local memory",
    4: "compute",
    5: "communication",
    6: "communication",
    7: "communication",
}


def imported(tmp_path: Path, text: str, **options: str) -> list[Row]:
    source = tmp_path / "log.txt"
    source.write_text(text)
    (outcome,) = pipeline.import_paths(
        [source],
        db=tmp_path / "w.duckdb",
        options=pipeline.Options(settings=Settings(options=tuple(options.items()))),
    )
    assert outcome.error is None, outcome.error
    return run(
        tmp_path / "w.duckdb",
        "SELECT p.rank, k.name AS lane, s.name, s.ts + t.base_ns AS start_ns, s.dur "
        "FROM slice AS s "
        "JOIN track AS k ON k.id = s.track_id JOIN process AS p ON p.id = k.process_id "
        "JOIN trace AS t ON t.id = s.trace_id ORDER BY start_ns, p.rank, s.name",
    )


def test_nodes_of_a_log_are_slices_of_their_npu(tmp_path: Path) -> None:
    rng = random.Random(2)
    lines, expected = [], []
    for node in range(300):
        npu, kind, start = rng.randrange(4), rng.choice(list(LANES)), rng.randrange(10**6)
        dur, name = rng.choice([0, 5, rng.randrange(10**5)]), f"void f<{node}, int>(x)"
        for word, tick in (("issue", start), ("callback", start + dur)):
            lines.append(
                (tick, f"[2026-11-20 10:00:00.001] [workload] [debug] {word},sys->id={npu}, "
                f"tick={tick}, node->id={node}, node->name={name}, node->type={kind}")
            )  # fmt: skip
        expected.append((npu, LANES[kind], name, start, dur))
    lines.sort(key=lambda line: line[0])
    text = "\n".join(["[info] sys[0] begins", *(line for _, line in lines), "sys[0] finished, 9"])

    found = imported(tmp_path, text)

    assert [tuple(row.values()) for row in found] == sorted(
        expected, key=lambda each: (each[3], each[0], each[2])
    )
    shares = run(tmp_path / "w.duckdb", "utilization")
    assert [row["device"] for row in shares] == [0, 1, 2, 3]


def test_the_older_form_tells_lanes_by_name(tmp_path: Path) -> None:
    names = [
        "COMP_NODE_a",
        "COMM_COLL_NODE_b",
        "MEM_LOAD_NODE_REMOTE_MEMORY",
        "MEM_STORE_NODE_LOCAL_MEMORY",
    ]
    lines = [f"issue,npu=1,cycle=10,node={n},name={name}" for n, name in enumerate(names)]
    lines += [f"callback,npu=1,cycle={20 + n},node={n},name={name}" for n, name in enumerate(names)]

    found = imported(tmp_path, "\n".join(lines))

    assert {row["name"]: (row["lane"], row["start_ns"], row["dur"]) for row in found} == {
        "COMP_NODE_a": ("compute", 10, 10),
        "COMM_COLL_NODE_b": ("communication", 10, 11),
        "MEM_LOAD_NODE_REMOTE_MEMORY": ("remote memory", 10, 12),
        "MEM_STORE_NODE_LOCAL_MEMORY": ("local memory", 10, 13),
    }


def test_cycles_of_an_npu_are_times_by_its_frequency(tmp_path: Path) -> None:
    """1500 cycles of 1.5 GHz are a microsecond."""
    text = "issue,npu=0,cycle=3000,node=1,name=a\ncallback,npu=0,cycle=4500,node=1,name=a"

    (row,) = imported(tmp_path, text, frequency_mhz="1500")

    assert (row["start_ns"], row["dur"]) == (2000, 1000)


def test_a_log_that_was_cut_keeps_what_never_ended(tmp_path: Path) -> None:
    lines = [
        "issue,npu=0,cycle=5,node=1,name=COMP_NODE",
        "callback,npu=0,cycle=7,node=1,name=COMP_NODE",
        "issue,npu=0,cycle=8,node=1,name=COMP_NODE",
        "callback,npu=0,cycle=9,node=2,name=COMP_NODE",
        "issue,npu=0,cycle=99999999999999999999999,node=3,name=COMP_NODE",
        "issue,npu=0,cy",
    ]

    found = imported(tmp_path, "\n".join(lines))

    assert [(row["start_ns"], row["dur"]) for row in found] == [(5, 2), (8, -1)]
    problems = run(tmp_path / "w.duckdb", "SELECT kind, count FROM import_problem ORDER BY kind")
    assert [tuple(row.values()) for row in problems] == [
        ("end_without_issue", 1),
        ("number_out_of_range", 1),
        ("truncated", 1),
        ("unfinished_node", 1),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "[debug] callback,sys->id=0, tick=10, node->id=3, node->name=f<3, int>(x), node->type=4",
        "callback,npu=0,cycle=4500,node=1,name=COMP_NODE",
    ],
)
def test_a_log_that_ends_in_mid_line_is_reported(line: str, tmp_path: Path) -> None:
    before = line.replace("callback", "issue")

    def problems(text: str) -> list[tuple[str, str]]:
        with duckdb.connect(str(tmp_path / f"{len(text)}.duckdb")) as connection:
            scratch = Scratch(tmp_path, connection)
            facts = astra_sim_log.read(io.BytesIO(text.encode()), scratch)
            return [(each.kind, each.severity) for each in facts.problems]

    cut_before = line.index("type=") + 5 if "type=" in line else line.index("name=") + 5
    for n in (1, 12, cut_before // 2, cut_before):
        assert problems(f"{before}\n{line[:n]}") == [("truncated", "error")], line[:n]
    assert problems(f"{before}\n{line}") == [("no_line_end", "warning")]
    assert problems(f"{before}\n{line}\n") == []


@pytest.mark.parametrize("text", ["issue, of the day\n", "callback\nissue,a,b,c\n", ""])
def test_other_texts_are_none(tmp_path: Path, text: str) -> None:
    source = tmp_path / "notes.txt"
    source.write_text(text)

    (outcome,) = pipeline.import_paths([source], db=tmp_path / "w.duckdb")

    assert isinstance(outcome.error, TwError)
