"""A standalone cluster of Spark on this machine."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

import warehouse
from warehouse.spark import cluster


@dataclass(frozen=True)
class Standalone:
    """A running master, and workers of one core each."""

    url: str
    master: subprocess.Popen[bytes]


@contextmanager
def standalone(folder: Path, n_workers: int = 2) -> Iterator[Standalone]:
    """Starts a cluster whose workers write below a folder, and stops it when left."""
    skip_without_spark()
    port = str(_free_port())
    url = f"spark://127.0.0.1:{port}"
    with ExitStack() as stack:
        master = _started(
            stack, "master.Master", "--host", "127.0.0.1", "--port", port, "--webui-port", "0"
        )
        _wait_for(url)
        for number in range(n_workers):
            _started(
                stack, "worker.Worker", "--cores", "1", "--memory", "1500m", "--webui-port", "0",
                "-d", str(folder / str(number)), url,
            )  # fmt: skip
        yield Standalone(url, master)


def skip_without_spark() -> None:
    """Skips a test by name of what it lacks."""
    for name, there in (("pyspark", find_spec("pyspark")), ("java", shutil.which("java"))):
        if there is None:
            pytest.skip(f"{name} is not installed")


def _started(stack: ExitStack, kind: str, *options: str) -> subprocess.Popen[bytes]:
    import pyspark

    home = Path(pyspark.__file__).parent
    environment = {
        **os.environ, "SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
    }  # fmt: skip
    process = subprocess.Popen(
        [home / "bin" / "spark-class", f"org.apache.spark.deploy.{kind}", *options],
        env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    stack.callback(process.wait)
    stack.callback(process.terminate)
    return process


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(url: str) -> None:
    for _ in range(120):
        with suppress(warehouse.TwError):
            return cluster.must_be_reachable(url)
        time.sleep(0.5)
    pytest.fail(f"{url} does not answer")
