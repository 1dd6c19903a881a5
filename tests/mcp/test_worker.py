"""The process that computes answers, and what becomes of calls as it ends."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from warehouse.errors import QueryError, QueryTimeout, UnexpectedFailure, UsageError
from warehouse.mcp import worker as module
from warehouse.mcp.answers import Answers, Limits
from warehouse.mcp.worker import Worker
from warehouse.query.session import Place


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[Worker]:
    made = Worker(Place.of(tmp_path / "none.duckdb"), Limits(timeout_s=60))
    yield made
    made.close()


def test_a_failure_that_nobody_expected_is_one_sentence(tmp_path: Path) -> None:
    answers = Answers(Place.of(tmp_path / "none.duckdb"), Limits())

    found = module._answer(answers, "find_queries", {"words": None})

    assert isinstance(found, UnexpectedFailure)
    assert found.message.startswith("find_queries failed: ")


@pytest.mark.integration
def test_errors_arrive_with_their_hint(worker: Worker) -> None:
    with pytest.raises(UsageError, match="group 'nope' not found") as error:
        worker.call("list_queries", {"group": "nope"})

    assert error.value.hint is not None and "summary" in error.value.hint


@pytest.mark.integration
def test_a_process_that_is_killed_is_replaced(worker: Worker) -> None:
    worker.call("list_queries", {"group": "summary"})
    assert worker._process is not None and worker._process.pid is not None
    os.kill(worker._process.pid, signal.SIGSTOP)  # as one that computes without end

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "GRACE_S", 0.1)
        patch.setattr(worker, "_limits", Limits(timeout_s=0.1))
        with pytest.raises(QueryTimeout):
            worker.call("list_queries", {"group": "summary"})

    assert "utilization" in worker.call("list_queries", {"group": "summary"})


@pytest.mark.integration
def test_a_process_that_dies_is_reported(worker: Worker) -> None:
    worker.call("list_queries", {"group": "summary"})
    process = worker._process
    assert process is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(process, "is_alive", lambda: True)  # it dies after it was looked at
        process.kill()
        process.join()
        with pytest.raises(QueryError, match="its process ended"):
            worker.call("list_queries", {"group": "summary"})
