"""The rows of a run are those of its traces alone, for queries of that scale; without Spark."""

from __future__ import annotations

import pickle
import random
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

import warehouse
from tests.support.engines import difference
from tests.support.sharing import DDP, GPU, WarehouseCache, integration, slow
from warehouse.lake.sync import sync
from warehouse.library import library
from warehouse.library.library import Query
from warehouse.query import kept, reference, session
from warehouse.query.selection import Selection
from warehouse.spark import run, task
from warehouse.spark.task import Unit

QUERIES = library.load()
VALUES = tomllib.loads((reference.folder() / "parameters.toml").read_text())


@dataclass
class Here:
    """Runs tasks in this process, with what a node would be sent."""

    n_cores: int
    n_tasks: int = 0  # of the last query

    def run(
        self, work: Callable[[Unit], Any], items: Sequence[Unit], _: float | None = None
    ) -> list[bytes]:
        sent, units = pickle.loads(pickle.dumps((work, items)))  # noqa: S301 - made here
        self.n_tasks = len(units)
        found = [sent(unit) for unit in units]
        assert all(isinstance(each, bytes) for each in found), found
        return found


@pytest.fixture
def lake(imported_files: WarehouseCache, tmp_path: Path) -> Path:
    sync(imported_files(GPU, DDP), tmp_path / "lake")
    return tmp_path / "lake"


@pytest.mark.parametrize(
    ("name", "n_cores", "values"),
    [
        ("kernel_summary", 2, {}),
        slow("op_summary", 100, {}),
        integration("timeline_slice", 2, {"max_slices": 200}),  # over all tracks of the scope
    ],
)
def test_tasks_of_traces_give_the_rows_of_all(
    lake: Path, name: str, n_cores: int, values: dict[str, Any]
) -> None:
    with session.opened(session.Place.of(None, lake=lake), Selection(runs=("all",))) as opened:
        here, query = Here(n_cores), QUERIES.find(name)
        assert query.header and query.header.scale == "trace"

        found = run.run(opened, query, values, here)  # type: ignore[arg-type]

        assert here.n_tasks == min(n_cores, len(opened.chosen.trace_ids)) > 1
        expected = opened.run(query, values).table()
        assert expected.num_rows > 1
        assert difference(expected, found.arrow()) is None


def test_a_node_of_another_version_is_refused(lake: Path) -> None:
    with session.opened(session.Place.of(None, lake=lake)) as opened:
        work, _ = run.prepared(opened, QUERIES.find("utilization"), {})
        unit = next(run._units(opened, "trace", 1))

    found = task.run(replace(work, version="0.0.1"), unit)

    assert isinstance(found, warehouse.TwError)
    assert "and this is 0.0.1" in found.message


Traces = list[list[int]]


def splits(opened: session.Session, scale: str) -> Iterator[Traces]:
    """The traces of all runs in two parts; of scale run, those of a run are in one of them."""
    rng = random.Random(7)
    traces = opened.connection.execute(
        "SELECT run_id, id FROM trace WHERE id NOT IN "
        "(SELECT trace_id FROM source_file WHERE role = 'capture') ORDER BY id"
    ).fetchall()
    yield [[trace_id for _, trace_id in traces]]
    seen: Counter[int] = Counter()
    alternate = rng.random() < 0.5
    parts: Traces = [[], []]
    of_run = {run_id: rng.random() < 0.5 for run_id, _ in traces}
    for run_id, trace_id in traces:
        is_first = of_run[run_id] if scale == "run" else (seen[run_id] + alternate) % 2
        parts[bool(is_first)].append(trace_id)
        seen[run_id] += 1
    yield parts


def rows(
    opened: session.Session, query: Query, given: dict[str, Any]
) -> Counter[tuple[object, ...]]:
    assert query.header is not None
    kept.give(opened.connection, given, QUERIES, opened.installed, opened.kept)
    table = opened.run(query, VALUES.get(query.header.name, {}).get("required")).table()
    columns = [[_plain(each) for each in column.to_pylist()] for column in table.columns]
    return Counter(zip(*columns, strict=True))


def _plain(value: object) -> object:
    return f"{value:.10g}" if isinstance(value, float) else repr(value)


@pytest.mark.slow
@pytest.mark.parametrize("scale", ["trace", "run"])
def test_rows_are_those_of_the_parts(scale: str) -> None:
    chosen = [
        each
        for each in QUERIES.newest.values()
        if each.header and each.header.scale == scale and each.header.alias_of is None
    ]
    assert len(chosen) > 100
    found: dict[str, list[Counter[Any]]] = {str(each.key): [] for each in chosen}
    with reference.opened(QUERIES) as opened:
        opened.choose(Selection(runs=("all",)))
        blocks = [q for q in QUERIES.newest.values() if q.header and q.header.scale == "once"]
        given = {str(block.key): opened.run(block).table() for block in blocks}
        assert "work_category@1" in given
        for parts in splits(opened, scale):
            for place, part in enumerate(parts):
                with opened.on_traces(part, (None, None)):
                    for query in chosen:
                        of_parts = found[str(query.key)]
                        part_rows = rows(opened, query, given)
                        if place == 0:
                            of_parts.append(part_rows)
                        else:
                            of_parts[-1] += part_rows

    assert [key for key, (whole, parts) in found.items() if whole != parts] == []
    assert sum(bool(whole) for whole, _ in found.values()) > len(chosen) // 2
