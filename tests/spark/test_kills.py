"""A process of Spark that is killed while it runs a task: one sentence, and no rows."""

from __future__ import annotations

import os
import shutil
import signal
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from warehouse.errors import QueryError
from warehouse.spark import cluster

MASTERS = {
    "local[2]": 1,  # gives up at once
    "local-cluster[1,2,1024]": 4,  # a master, and a worker with a process for tasks
}


@pytest.mark.spark
@pytest.mark.parametrize("master", MASTERS)
def test_a_killed_task_gives_no_rows(master: str, tmp_path: Path) -> None:
    for name, there in (("pyspark", find_spec("pyspark")), ("java", shutil.which("java"))):
        if there is None:
            pytest.skip(f"{name} is not installed")
    folder = str(tmp_path)

    # Functions within a function are sent to nodes by value; those of a test are not there.
    def killed(number: int) -> bytes:
        if number == 2:
            Path(folder, f"{time.time_ns()}").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return b"rows"

    def whole(number: int) -> bytes:
        return b"%d" % number

    with cluster.started(master) as spark:
        with pytest.raises(
            QueryError, match="Spark gave up a task, and there are no rows: "
        ) as error:
            spark.run(killed, [1, 2])
        assert "\n" not in error.value.message
        assert "Traceback" not in error.value.message
        assert "--engine duckdb" in str(error.value.hint)
        assert len(list(tmp_path.iterdir())) == MASTERS[master]
        assert spark.run(whole, [1, 2]) == [b"1", b"2"]


@pytest.mark.spark
def test_a_task_that_is_killed_once_is_repeated(tmp_path: Path) -> None:
    for name, there in (("pyspark", find_spec("pyspark")), ("java", shutil.which("java"))):
        if there is None:
            pytest.skip(f"{name} is not installed")
    mark = str(tmp_path / "killed")

    def killed_once(number: int) -> bytes:
        if number == 2 and not os.path.exists(mark):
            Path(mark).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return b"%d" % number

    with cluster.started("local-cluster[1,2,1024]") as spark:
        assert spark.run(killed_once, [1, 2]) == [b"1", b"2"]
    assert Path(mark).exists()
