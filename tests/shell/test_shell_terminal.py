"""The shell in a terminal: a script types, and reads the screen as a person would."""

from __future__ import annotations

import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from fcntl import ioctl
from pathlib import Path

import pytest

pyte = pytest.importorskip("pyte")

from tests.support.sharing import GPU, WarehouseCache  # noqa: E402
from warehouse.ingest.pipeline import Options, import_paths  # noqa: E402

DATA = Path(__file__).parents[1] / "data/kineto"
LINES, COLUMNS = 80, 100
UP, CTRL_C, CTRL_D = "\x1b[A", "\x03", "\x04"
PATIENCE_S = 30.0
# The terminal must be the program's own for Ctrl-C to reach it.
PROGRAM = """
import fcntl, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
from warehouse.cli import main
main()
"""


class Terminal:
    """A program on a terminal of 80 lines."""

    def __init__(self, arguments: list[str], environment: dict[str, str]) -> None:
        self._screen = pyte.Screen(COLUMNS, LINES)
        self._stream = pyte.ByteStream(self._screen)
        self._master, slave = pty.openpty()
        ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *arguments],
            stdin=slave, stdout=slave, stderr=slave, env=environment, start_new_session=True,
        )  # fmt: skip
        os.close(slave)

    @property
    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self._screen.display).rstrip()

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def _read(self) -> None:
        ready, _, _ = select.select([self._master], [], [], 0.05)
        if not ready:
            return
        try:
            data = os.read(self._master, 65536)
        except OSError:  # the program is gone
            return
        if b"\x1b[6n" in data:  # where is the cursor? prompt_toolkit asks
            where = f"\x1b[{self._screen.cursor.y + 1};{self._screen.cursor.x + 1}R"
            os.write(self._master, where.encode())
        self._stream.feed(data)

    def wait(self, sees: str | Callable[[str], bool]) -> str:
        """The screen, as soon as it shows what is waited for."""
        shows = sees if callable(sees) else lambda text: str(sees) in text
        deadline = time.monotonic() + PATIENCE_S
        while not shows(self.text):
            assert time.monotonic() < deadline, f"waited for {sees}, saw:\n{self.text}"
            self._read()
        return self.text

    def sees_within(self, seconds: float, text: str) -> bool:
        """Whether the screen shows a text before the time is over."""
        deadline = time.monotonic() + seconds
        while text not in self.text and time.monotonic() < deadline:
            self._read()
        return text in self.text

    def end(self) -> int:
        """The exit code, once the program has ended."""
        deadline = time.monotonic() + PATIENCE_S
        while self.process.poll() is None:
            assert time.monotonic() < deadline, f"still running, showing:\n{self.text}"
            self._read()
        return int(self.process.returncode)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._master)


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory, imported_files: WarehouseCache) -> Path:
    return imported_files.copy(tmp_path_factory.mktemp("terminal") / "w.duckdb", GPU)


@pytest.fixture
def terminal(db: Path, tmp_path: Path) -> Iterator[Terminal]:
    environment = {
        "HOME": str(tmp_path), "PATH": os.environ["PATH"], "TERM": "xterm-256color",
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path), "PAGER": "cat",
        "LANG": "C.UTF-8",
    }  # fmt: skip
    started = Terminal(["shell", "--db", str(db)], environment)
    try:
        started.wait("tw>")
        yield started
    finally:
        started.close()


def ready(marker: str) -> Callable[[str], bool]:
    """The screen has shown something, and waits at a prompt again."""
    return lambda text: marker in text and text.endswith("tw>")


def test_a_session_at_the_prompt(terminal: Terminal, db: Path, tmp_path: Path) -> None:
    terminal.type("SELECT count(*) AS n\r")
    terminal.wait("..>")
    terminal.type("FROM slice;\r")
    terminal.wait(ready("85"))

    # While the prompt waits, somebody imports.
    import_paths([DATA / "cpu_run/trace.json.gz"], db=db, options=Options(run="cpu"))
    terminal.type("SELECT nonsense;\r")
    shown = terminal.wait(ready("Error:"))
    assert "Scope: run 'cpu', the last imported of 2" in shown
    assert "Traceback" not in shown

    terminal.type(UP)
    terminal.wait("SELECT nonsense;")
    terminal.type(CTRL_C)
    terminal.wait(ready("Error:"))
    terminal.type(".scope run=gpu\r")
    terminal.wait(ready("Traces: 1"))
    terminal.type(".format csv\r")
    terminal.wait(ready("Format: csv"))
    terminal.type(".run utilization\r")
    terminal.wait(ready('"busy_ns"'))

    terminal.type(CTRL_D)
    assert terminal.end() == 0
    history = tmp_path / ".local/state/tw/history"
    assert "FROM slice;" in history.read_text()
    assert history.stat().st_mode & 0o077 == 0


@pytest.mark.slow
def test_names_are_offered_while_one_types(terminal: Terminal) -> None:
    terminal.type("SELECT * FROM gpu_op_")
    terminal.wait("gpu_op_cause")
    terminal.type("\t")
    terminal.wait("SELECT * FROM gpu_op_cause")
    terminal.type(CTRL_C)
    terminal.wait(ready("gpu_op_cause"))
    terminal.type(".sch")
    terminal.wait("Show the columns of a table")


@pytest.mark.slow
def test_a_slow_statement_is_interrupted_and_the_shell_goes_on(terminal: Terminal) -> None:
    terminal.type("SELECT count(*) FROM range(100000) a, range(10000000) b;\r")
    # Until the statement runs, Ctrl-C is a key of the prompt; so press it again.
    for _ in range(int(PATIENCE_S)):
        terminal.type(CTRL_C)
        if terminal.sees_within(1.0, "Interrupted."):
            break
    terminal.type("SELECT 41 + 1 AS answer;\r")
    terminal.wait(ready("42"))
    terminal.type(".quit\r")
    assert terminal.end() == 0
