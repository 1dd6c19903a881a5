"""Drives a session of LTTng by its command line."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from warehouse.errors import TwError

_MISSING = "LTTng is not installed: lttng was not found"
_PACKAGES = "Install lttng-tools; for programs in C liblttng-ust-dev, for Python python3-lttngust."
_CHANNEL = "ustchannel"
_DAEMON_S = 10.0  # to wait for a session daemon


@dataclass(frozen=True)
class Plan:
    """What to record."""

    name: str
    folder: Path
    events: Sequence[str]
    contexts: Sequence[str]
    loggers: Sequence[str]  # of Python
    buffers: str  # uid or pid
    subbuf_size: int
    num_subbuf: int
    is_kernel: bool

    def commands(self) -> list[list[str]]:
        """The commands of `lttng` that set the session up, without starting it."""
        user = ["--userspace", f"--channel={_CHANNEL}"]
        found = [
            ["create", self.name, f"--output={self.folder}"],
            ["enable-channel", "--userspace", _CHANNEL, f"--subbuf-size={self.subbuf_size}",
             f"--num-subbuf={self.num_subbuf}", f"--buffers-{self.buffers}"],
            *(["enable-event", *user, event] for event in self.events),
            ["add-context", *user, *(f"--type={each}" for each in self.contexts)],
            *(["enable-event", "--python", logger] for logger in self.loggers),
        ]  # fmt: skip
        if self.is_kernel:
            found.append(["enable-event", "--kernel", "--all"])
            found.append(["add-context", "--kernel", "--type=tid"])
        return found


def require() -> None:
    """Raises TwError that names the packages where LTTng is missing."""
    if shutil.which("lttng") is None or shutil.which("lttng-sessiond") is None:
        raise TwError(_MISSING, hint=_PACKAGES)


def ensure_daemon(*, is_kernel: bool) -> None:
    """Starts a session daemon unless one answers."""
    if _answers():
        return
    options = ["--daemonize"] if is_kernel else ["--daemonize", "--no-kernel"]
    _run(["lttng-sessiond", *options])
    until = time.monotonic() + _DAEMON_S
    while not _answers():
        if time.monotonic() > until:
            raise TwError("the session daemon of LTTng does not answer")
        time.sleep(0.1)


def _answers() -> bool:
    found = subprocess.run(["lttng", "--no-sessiond", "list"], capture_output=True, check=False)
    return found.returncode == 0


def lttng(*arguments: str) -> str:
    """Runs a command of `lttng`; raises TwError with what it prints."""
    return _run(["lttng", *arguments])


def _run(command: Sequence[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        printed = (done.stderr or done.stdout).strip().splitlines()
        reason = printed[-1] if printed else f"exit code {done.returncode}"
        raise TwError(f"{' '.join(command[:2])} failed: {reason}")
    return done.stdout


def start(plan: Plan) -> None:
    """Creates and starts a session; removes it again if that fails."""
    try:
        for command in plan.commands():
            lttng(*command)
        lttng("start", plan.name)
    except TwError:
        subprocess.run(["lttng", "destroy", plan.name], capture_output=True, check=False)
        raise


def stop(name: str) -> str:
    """Stops and destroys a session; returns what LTTng reports of lost events."""
    output = lttng("stop", name)
    lttng("destroy", name)
    lines = (line.strip() for line in output.splitlines())
    return " ".join(line for line in lines if line.startswith(("Warning", "Notice")))


def run(
    command: Sequence[str], variables: Mapping[str, str], log: Path | None, wait: Callable[..., int]
) -> int:
    """Runs the program and returns its exit code; its output goes to the log, if there is one."""
    environment = {**os.environ, **variables}
    try:
        if log is None:
            with subprocess.Popen(command, env=environment) as process:
                return wait(process)
        with (
            log.open("wb") as output,
            subprocess.Popen(
                command, env=environment, stdout=output, stderr=subprocess.STDOUT
            ) as process,
        ):
            return wait(process)
    except OSError as error:
        raise TwError(f"{command[0]} cannot be started: {error.strerror}") from None


def patiently(process: subprocess.Popen[bytes]) -> int:
    """Waits for a program, also after ^C, which the program gets as well."""
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            continue


def archive(folder: Path, path: Path) -> None:
    """Packs a session, for import on another host."""
    with tarfile.open(path, "w:gz") as target:
        target.add(folder, arcname=folder.name)
