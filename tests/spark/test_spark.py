"""All public queries give the same rows on Spark as in DuckDB over the same lake.

    pytest -m spark -n 0

needs pyspark, Java and the recordings. A standalone master with two workers is started on this
machine; `TW_SPARK_MASTER` names another master, such as local[2]. `TW_SPARK_RESULTS` names a file
that gets a line for each query as it is compared; docs/spark_results.csv has these lines.

One lake is of recordings, the other of the reference tables (queries/reference), whose rows are few
and of all kinds: `-k reference` compares them alone.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lake.test_lake_queries import LOOKED_UP, PUBLIC, RECORDINGS, REQUIRED, occupy
from tests.support.engines import difference, record
from tests.support.standalone import skip_without_spark, standalone
from warehouse.lake.sync import sync
from warehouse.library.library import Query
from warehouse.query import reference, session
from warehouse.query.selection import Selection
from warehouse.spark import cluster, run

MASTER = "TW_SPARK_MASTER"
ROUTED = [query for query in PUBLIC if run.refusal(query) is None]


def test_each_public_query_has_a_route_or_a_reason() -> None:
    assert len(ROUTED) >= len(PUBLIC) * 0.95


@pytest.fixture(scope="module")
def master(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A standalone master with two workers, of one core each."""
    skip_without_spark()
    if MASTER in os.environ:
        yield os.environ[MASTER]
        return
    with standalone(tmp_path_factory.mktemp("spark")) as found:
        yield found.url


@pytest.fixture(scope="module", params=["recordings", "reference"])
def data(request: pytest.FixtureRequest) -> str:
    """What a lake is made of."""
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def lake(data: str, tmp_path_factory: pytest.TempPathFactory, data_dir: Path) -> Path:
    folder = tmp_path_factory.mktemp("lake")
    db = folder / "w.duckdb"
    if data == "reference":
        reference.build(db)
    else:
        paths = [data_dir / each for each in RECORDINGS]
        command = [sys.executable, "-m", "warehouse", "import", "-q", "--allow-damage"]
        subprocess.run([*command, "--db", db, *paths], check=True)
    occupy(folder / "lake", 5, 5)
    sync(db, folder / "lake")
    return folder / "lake"


def values_of(query: Query, opened: session.Session) -> dict[str, object]:
    assert query.header is not None
    known = {parameter.name for parameter in query.parameters}
    given = dict(REQUIRED.get(query.header.name, {}))
    for name, text in given.items():
        if text in LOOKED_UP:
            ((given[name],),) = opened.connection.execute(LOOKED_UP[text]).fetchall()
    return {name: value for name, value in given.items() if name in known}


Both = tuple[session.Session, cluster.Cluster]


@pytest.fixture(scope="module")
def both(master: str, lake: Path) -> Iterator[Both]:
    """The lake in DuckDB, and Spark."""
    place = session.Place.of(None, lake=lake)
    with (
        session.opened(place, Selection(runs=("all",))) as opened,
        cluster.started(master) as spark,
    ):
        yield opened, spark


@pytest.mark.spark
@pytest.mark.parametrize("query", ROUTED, ids=lambda query: query.header.name)
def test_rows_are_equal_on_both_engines(both: Both, data: str, query: Query) -> None:
    opened, spark = both
    values = values_of(query, opened)
    expected = opened.run(query, values).table()
    found = run.run(opened, query, values, spark).arrow()
    wrong = difference(expected, found)
    if wrong is not None:  # rows that are equal in the order of the query may be in any
        work, statement = run.prepared(opened, query, values)
        alike = statement.sorted(opened.run(work.query, work.parameters).table())
        wrong = difference(alike, found)
    record(str(query.key), expected.num_rows, wrong is None, data)
    assert wrong is None
