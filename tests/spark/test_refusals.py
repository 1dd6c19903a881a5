"""What Spark does not run is refused before it starts, in one sentence with a remedy."""

from __future__ import annotations

import importlib.util
import pickle
import socket
from pathlib import Path

import pytest

from tests.conftest import Tw
from tests.support.sharing import GPU, WarehouseCache, integration
from warehouse.errors import QueryError, UsageError
from warehouse.lake.sync import sync
from warehouse.library import library
from warehouse.spark import cluster, run


@pytest.fixture
def lake(imported_files: WarehouseCache, tmp_path: Path) -> Path:
    sync(imported_files(GPU), tmp_path / "lake")
    return tmp_path / "lake"


@pytest.fixture
def none_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(*_: object) -> None:
        pytest.fail("Spark starts")

    monkeypatch.setattr(cluster, "_context", start)
    monkeypatch.setattr(cluster, "require", lambda: None)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["compare_kernels", "-p", "a=x", "-p", "b=y"], "it compares the rows of several runs"),
        integration(["predicted_path"], "not those of each run alone"),
        integration(["-c", "SELECT 1"], "not statements"),
        integration(
            ["utilization", "-o", "page.html"],
            "page.html: --engine spark cannot write workbooks and pages",
        ),
        (["utilization", "--master", "spark://127.0.0.1:1"], "127.0.0.1:1 cannot be reached"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("none_starts")
def test_a_query_without_a_route_is_refused(
    tw: Tw, lake: Path, arguments: list[str], sentence: str
) -> None:
    found = tw("query", *arguments, "--lake", lake, "--engine", "spark")
    assert (found.code, found.out, len(found.errors)) == (2, "", 1)
    assert sentence in found.err
    assert "engine" in found.err


@pytest.mark.usefixtures("none_starts")
def test_spark_reads_lakes(tw: Tw, imported_files: WarehouseCache) -> None:
    found = tw("query", "utilization", "--db", imported_files(GPU), "--engine", "spark")
    assert found.code == 2
    assert "--engine spark requires a lake" in found.err


def test_a_master_is_of_spark(tw: Tw, lake: Path) -> None:
    found = tw("query", "utilization", "--lake", lake, "--master", "local[2]")
    assert (found.code, found.errors) == (2, ["Error: --master requires --engine spark"])


def test_a_missing_package_is_named(tw: Tw, lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "pyspark" else there(name)
    )
    found = tw("query", "utilization", "--lake", lake, "--engine", "spark")
    assert (found.code, found.errors) == (2, ["Error: pyspark is not installed"])
    assert "trace-warehouse[spark]" in found.err


def test_missing_java_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(UsageError, match="Spark requires Java: program java not found") as error:
        cluster.require()
    assert "--engine duckdb" in str(error.value.hint)


def test_one_of_several_masters_answers() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        cluster.must_be_reachable(f"spark://127.0.0.1:1,127.0.0.1:{port}")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Job aborted due to stage failure: Task 0 in stage 0.0 failed 4 times, most recent "
         "failure: Lost task 0.3 in stage 0.0: ExecutorLostFailure (executor 1 exited) "
         "Reason: Command exited with code 137\nDriver stacktrace:",
         "a task of Spark failed: Command exited with code 137"),
        ("PythonException: Traceback (most recent call last):\n  File x\nMemoryError: no room\n",
         "a task of Spark failed: MemoryError: no room"),
        ("Traceback\nModuleNotFoundError: No module named 'warehouse'\n",
         "a node of Spark has no trace-warehouse"),
    ],
)  # fmt: skip
def test_a_task_that_is_given_up_is_one_sentence(text: str, sentence: str) -> None:
    error = cluster.explained(RuntimeError(text))
    assert sentence in error.message
    assert "\n" not in error.message


def test_an_error_of_a_task_is_raised() -> None:
    class Context:
        def parallelize(self, items: list[int], _: int) -> Context:
            self.items = items
            return self

        def map(self, work: object) -> Context:
            self.work = work
            return self

        def collect(self) -> list[object]:
            sent = pickle.dumps(QueryError("trace b: cut", hint="h"))
            return [b"rows", pickle.loads(sent)]  # noqa: S301 - made here

    with pytest.raises(QueryError, match="trace b: cut"):
        cluster.Cluster("local", Context()).run(lambda _: b"", [1, 2])


def test_every_query_without_a_scale_has_a_reason() -> None:
    public = [q for q in library.load().newest.values() if q.layer not in ("lib", "link")]
    refused = [query for query in public if run.refusal(query)]
    assert 0 < len(refused) < len(public) / 10
