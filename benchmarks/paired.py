"""Runs two commands alternately and compares wall time, processor time and peak memory.

Alternating runs expose both commands to the same load of the machine. Medians are compared.
"""

from __future__ import annotations

import ast
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Usage:
    """Resources used by one run of a command; memory includes its largest child process."""

    wall_s: float
    cpu_s: float
    peak_mb: float  # 10^6 bytes


#: Starts a command from a small process: on Linux, the peak memory of a process is at least that of
#: the process that forked it.
_LAUNCHER = """
import os, sys, time
began = time.perf_counter()
pid = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ)
_, status, used = os.wait4(pid, 0)
values = time.perf_counter() - began, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024 / 1e6
os.write(int(sys.argv[1]), f"{os.waitstatus_to_exitcode(status)} {values}".encode())
"""


def run(command: Sequence[str], *, before: Callable[[], None] | None = None) -> Usage:
    """Runs a command, with stored bytecode; raises CalledProcessError with its output."""
    if before is not None:
        before()
    reading, writing = os.pipe()
    with open(reading) as figures:
        launched = subprocess.run(
            [sys.executable, "-c", _LAUNCHER, str(writing), *command],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=_environment(),
            pass_fds=[writing], check=False,
        )  # fmt: skip
        os.close(writing)
        returncode, _, values = figures.read().partition(" ")
    if returncode != "0":
        code = int(returncode or launched.returncode)
        raise subprocess.CalledProcessError(code, command, launched.stdout)
    return Usage(*ast.literal_eval(values))


def _environment() -> dict[str, str]:
    """The environment without the setting that compiles every module again: installed programs
    have stored bytecode."""
    return {k: value for k, value in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


def compare(
    title: str,
    ours: Callable[[], Usage],
    peer_name: str,
    peer: Callable[[], Usage],
    pairs: int,
) -> None:
    """Runs both alternately and prints medians and their ratios, ours divided by the peer's."""
    mine, theirs = [], []
    for _ in range(pairs):
        mine.append(ours())
        theirs.append(peer())
    say(f"{title} ({pairs} pairs, medians)")
    a, b = median(mine), median(theirs)
    line("tw", a)
    line(peer_name, b)
    say(
        f"  {'ratio':24s} wall {a.wall_s / b.wall_s:7.3f}    cpu {a.cpu_s / b.cpu_s:7.3f}    "
        f"memory {a.peak_mb / b.peak_mb:7.3f}"
    )


def median(usages: list[Usage]) -> Usage:
    return Usage(
        statistics.median(u.wall_s for u in usages),
        statistics.median(u.cpu_s for u in usages),
        statistics.median(u.peak_mb for u in usages),
    )


def line(name: str, usage: Usage) -> None:
    say(
        f"  {name:24s} wall {usage.wall_s:7.2f} s  cpu {usage.cpu_s:7.2f} s  "
        f"memory {usage.peak_mb:6.0f} MB"
    )


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
