"""A process of Spark that is killed while it runs a task: one sentence, and no rows."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest

from tests.support.standalone import skip_without_spark, standalone
from warehouse.errors import QueryError, UsageError
from warehouse.spark import cluster

MASTERS = {
    "local[2]": 1,  # gives up at once
    "local-cluster[1,2,1024]": 4,  # a master, and a worker with a process for tasks
}


@pytest.mark.spark
@pytest.mark.parametrize("master", MASTERS)
def test_a_killed_task_gives_no_rows(master: str, tmp_path: Path) -> None:
    skip_without_spark()
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
        with pytest.raises(QueryError, match="a task of Spark failed: ") as error:
            spark.run(killed, [1, 2])
        assert "\n" not in error.value.message
        assert "Traceback" not in error.value.message
        assert "--engine duckdb" in str(error.value.hint)
        assert len(list(tmp_path.iterdir())) == MASTERS[master]
        assert spark.run(whole, [1, 2]) == [b"1", b"2"]


@pytest.mark.spark
def test_a_task_that_is_killed_once_is_repeated(tmp_path: Path) -> None:
    skip_without_spark()
    mark = str(tmp_path / "killed")

    def killed_once(number: int) -> bytes:
        if number == 2 and not os.path.exists(mark):
            Path(mark).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return b"%d" % number

    with cluster.started("local-cluster[1,2,1024]") as spark:
        assert spark.run(killed_once, [1, 2]) == [b"1", b"2"]
    assert Path(mark).exists()


@pytest.mark.spark
def test_a_killed_executor_is_replaced_and_a_killed_master_is_not_needed(tmp_path: Path) -> None:
    folder = str(tmp_path)

    def kills_its_executor(number: int) -> bytes:
        mark = Path(folder, "executor")
        if number == 2 and not mark.exists():
            mark.touch()
            # The executor is the parent of the daemon that this process was forked from.
            of_daemon = Path(f"/proc/{os.getppid()}/stat").read_text().rpartition(")")[2].split()
            os.kill(int(of_daemon[1]), signal.SIGKILL)
            time.sleep(60)
            return b"survived"
        return b"%d" % number

    def waits_for_the_kill(number: int) -> bytes:
        Path(folder, f"task {number}").touch()
        while not Path(folder, "killed").exists():
            time.sleep(0.1)
        return b"%d" % number

    with standalone(tmp_path) as found:
        with cluster.started(found.url) as spark:
            assert spark.run(kills_its_executor, [1, 2]) == [b"1", b"2"]
            assert Path(folder, "executor").exists()

            killer = threading.Thread(target=_kill_while_tasks_run, args=(found.master, tmp_path))
            killer.start()
            try:
                assert spark.run(waits_for_the_kill, [1, 2]) == [b"1", b"2"]
            finally:
                killer.join()
        with (
            pytest.raises(UsageError, match=r"the master spark://.* cannot be reached: ") as error,
            cluster.started(found.url),
        ):
            pass
        assert "\n" not in error.value.message


def _kill_while_tasks_run(master: subprocess.Popen[bytes], folder: Path) -> None:
    while not Path(folder, "task 1").exists():
        time.sleep(0.1)
    master.kill()
    master.wait()
    Path(folder, "killed").touch()
