"""Runs two commands alternately and compares wall time, processor time and peak memory.

Alternating runs expose both commands to the same load of the machine. Medians are compared.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Usage:
    """Resources used by one run of a command; memory includes its largest child process."""

    wall_s: float
    cpu_s: float
    peak_mb: float  # 10^6 bytes


def run(command: Sequence[str], *, before: Callable[[], None] | None = None) -> Usage:
    """Runs a command, with stored bytecode; raises CalledProcessError with its output."""
    if before is not None:
        before()
    started = time.perf_counter()
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=_environment()
    ) as process:
        assert process.stdout is not None
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - started
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command, output)
    return Usage(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6)


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
