"""Starts Spark, and runs tasks on it. Only this module imports pyspark."""

from __future__ import annotations

import os
import re
import shutil
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from warehouse.errors import QueryError, QueryTimeout, TwError, UsageError

if TYPE_CHECKING:
    import pyarrow as pa

    from warehouse.spark.statement import TableViews

Item = TypeVar("Item")
DEFAULT_MASTER: Final = "local[*]"
DUCKDB: Final = "use --engine duckdb"
_STANDALONE = re.compile(r"spark://(.+)")
_REACH_S = 5.0  # for a connection to a master
#: Overflow and division by zero are errors; timestamps have no time zone. The tables of queries of
#: scale `sql` are small: planning again between stages costs more than it saves.
_SQL_SETTINGS: Final = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.legacy.sizeOfNull": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.adaptive.enabled": "false",
}
_SILENT = "rootLogger.level = off\n"
_QUICK_START = "-XX:TieredStopAtLevel=1"  # of Java: a driver ends before more compilation pays
#: What an error of a job says is the reason, best first: how a task was lost, the last line of a
#: traceback of Python, what stage failed.
_REASONS = (
    re.compile(r"Reason: (.*)"),
    re.compile(r"^((?:\w+\.)*\w*(?:Error|Exception): (?!Traceback).*)", re.MULTILINE),
    re.compile(r"failure: (.*)"),
)


@dataclass(frozen=True)
class Cluster:
    """A running Spark."""

    master: str
    context: Any  # SparkContext

    @property
    def n_cores(self) -> int:
        """The cores that are known now: a cluster may add some later."""
        return int(self.context.defaultParallelism)

    def run(
        self,
        work: Callable[[Item], bytes | TwError],
        items: Sequence[Item],
        timeout_s: float | None = None,
    ) -> list[bytes]:
        """Runs a task for each item; returns their results in order.

        Raises the first error that a task returns, QueryError for one that Spark gives up, and
        QueryTimeout.
        """
        with self._within(timeout_s):
            found = self.context.parallelize(items, len(items)).map(work).collect()
        for each in found:
            if isinstance(each, TwError):
                raise each
        if len(found) != len(items):
            raise QueryError(f"Spark returned {len(found)} of {len(items)} results")
        return list(found)

    def sql(self, statement: str, views: TableViews, timeout_s: float | None = None) -> pa.Table:
        """Runs a statement of Spark SQL over tables of a lake. Raises as `run`."""
        from pyspark.logger import PySparkLogger
        from pyspark.sql import SparkSession

        PySparkLogger.getLogger("SQLQueryContextLogger").disabled = True  # errors are raised
        session = SparkSession(self.context).newSession()
        for name, value in _SQL_SETTINGS.items():
            session.conf.set(name, value)
        session.conf.set("spark.sql.shuffle.partitions", self.n_cores)
        with self._within(timeout_s):
            for name, files in views.files.items():
                reader = session.read.schema(files.columns)
                if files.folder is not None:
                    reader = reader.option("basePath", files.folder)
                reader.parquet(*files.paths).createOrReplaceTempView(f"`{name}`")
            for name, text in views.tables.items():
                session.sql(text).createOrReplaceTempView(f"`{name}`")
            return session.sql(statement).toArrow()

    @contextmanager
    def _within(self, timeout_s: float | None) -> Iterator[None]:
        """Raises QueryError for what Spark gives up, and QueryTimeout."""
        ended = threading.Event()
        timer = threading.Timer(timeout_s or 0, self._cancel, [ended])
        if timeout_s is not None:
            timer.start()
        try:
            yield
        except Exception as error:  # noqa: BLE001 - py4j and pyspark have no common class
            if ended.is_set():
                raise QueryTimeout(
                    f"the query did not end within {timeout_s:g} s",
                    hint="Raise --timeout, or reduce the scope with --run, --from and --to.",
                ) from None
            raise explained(error) from None
        finally:
            timer.cancel()

    def _cancel(self, ended: threading.Event) -> None:
        ended.set()
        self.context.cancelAllJobs()


def require() -> None:
    """Raises UsageError if pyspark or Java is not there."""
    from importlib.util import find_spec

    if find_spec("pyspark") is None:
        raise UsageError(
            "pyspark is not installed",
            hint=f'pip install "trace-warehouse[spark]", or {DUCKDB}.',
        )
    if _java() is None:
        raise UsageError(
            "Spark requires Java: program java not found",
            hint=f"Install Java 17 or later, or set JAVA_HOME, or {DUCKDB}.",
        )


def _java() -> str | None:
    home = os.environ.get("JAVA_HOME")
    return shutil.which(os.path.join(home, "bin", "java") if home else "java")


def must_be_reachable(master: str) -> None:
    """Raises UsageError if no master of a standalone cluster answers: Spark would try for a minute.

    Several masters are separated by commas.
    """
    match = _STANDALONE.fullmatch(master)
    if match is None:
        return
    problem = ""
    for each in match[1].split(","):
        host, _, port = each.rpartition(":")
        try:
            with socket.create_connection((host, int(port)), timeout=_REACH_S):
                return
        except (OSError, ValueError) as error:
            problem = getattr(error, "strerror", None) or str(error)
    raise UsageError(
        f"the master {master} cannot be reached: {problem}",
        hint=f"Start it, or name another with --master, or {DUCKDB}.",
    )


@contextmanager
def started(master: str = DEFAULT_MASTER) -> Iterator[Cluster]:
    """Starts Spark's driver, and stops it when left. Raises UsageError for what is not there."""
    require()
    must_be_reachable(master)
    with tempfile.TemporaryDirectory(prefix="tw-spark-") as folder:
        context = _context(master, Path(folder))
        try:
            yield Cluster(master, context)
        finally:
            context.stop()


def _context(master: str, folder: Path) -> Any:
    from pyspark import SparkConf, SparkContext

    log = folder / "log4j2.properties"
    log.write_text(_SILENT)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    settings = {
        "spark.app.name": "tw query",
        "spark.driver.extraJavaOptions": (
            f"-Dlog4j2.configurationFile={log.as_uri()} {_QUICK_START}"
        ),
        "spark.driver.maxResultSize": "0",
        "spark.local.dir": str(folder),
        "spark.sql.warehouse.dir": str(folder),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    if master.startswith("local") or re.search(r"//(127\.|localhost|\[::1\])", master):
        settings |= {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
    conf = SparkConf().setMaster(master).setAll(list(settings.items()))
    with _messages(folder / "messages") as messages:
        try:
            return SparkContext(conf=conf)
        except Exception as error:  # noqa: BLE001 - py4j and pyspark have no common class
            lines = messages.read_text(errors="replace").splitlines()
            raise UsageError(
                f"Spark does not start: {_first(str(error), lines)}",
                hint=f"Check --master {master}, or {DUCKDB}.",
            ) from None


@contextmanager
def _messages(path: Path) -> Iterator[Path]:
    """Writes to a file what this process and Java, which it starts, say on standard error."""
    sys.stderr.flush()
    before = os.dup(2)
    with path.open("wb") as target:
        os.dup2(target.fileno(), 2)
    try:
        yield path
    finally:
        os.dup2(before, 2)
        os.close(before)


def explained(error: Exception) -> QueryError:
    """An error of a job of Spark in one sentence."""
    text = str(error)
    reasons = [found[1] for pattern in _REASONS if (found := pattern.search(text))]
    if "No module named 'warehouse" in text:
        return QueryError(
            "a node of Spark has no trace-warehouse",
            hint="Install it on all nodes, and name their Python in PYSPARK_PYTHON.",
        )
    return QueryError(
        f"a task of Spark failed: {_first(*reasons[:1], text)}",
        hint=f"Run it again, or {DUCKDB}.",
    )


def _first(*texts: str | Sequence[str]) -> str:
    """The first line of some texts that says something."""
    for text in texts:
        for line in text.splitlines() if isinstance(text, str) else text:
            if line.strip() and not line.startswith(("An error occurred", ":", "WARNING")):
                return line.strip().removesuffix(".")[:300]
    return "no reason is known"
