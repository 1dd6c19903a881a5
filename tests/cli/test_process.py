"""The process ends without freeing its objects, but completes what the interpreter would."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import atexit, sys, threading, time
from warehouse.cli import process

class Freed:
    def __del__(self):
        print("freed")

def work():
    time.sleep(0.2)
    print("thread")

kept = Freed()
atexit.register(print, "exit function")
threading.Thread(target=work).start()
sys.stdout.write("unflushed ")
sys.stderr.write("error")
process.leave(6)
"""


def test_threads_exit_functions_and_streams_are_completed() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False, timeout=60
    )

    assert (ran.returncode, ran.stderr) == (6, "error")
    assert ran.stdout == "unflushed thread\nexit function\n"
