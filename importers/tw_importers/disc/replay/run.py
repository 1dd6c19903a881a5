"""Executes the commands of a bundle: without a shell, with a time limit and without DISC_DEBUG."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from tw_importers.disc.replay import explain
from tw_importers.disc.replay.plan import BINARY, Plan
from warehouse.errors import TwError

OUTPUT: Final = "replay.log"
STATUS: Final = "replay.status"
_TAIL: Final = 64 << 10  # bytes of the output that are looked at
_SOURCES: Final = {
    BINARY: "BladeDISC's runtime image has it as /usr/bin/disc-replay-main; else build BladeDISC "
    "from source",
    "nsys": "Install Nsight Systems, or use --tool none",
    "nvprof": "Install the CUDA toolkit (nvprof profiles GPUs up to compute capability 7.x), "
    "or use --tool nsys",
}


def require(plan: Plan, folder: Path) -> None:
    """Raises TwError where a program is missing, with the command to run elsewhere."""
    for name in dict.fromkeys((plan.binary, *(command[0] for command in plan.commands()))):
        if shutil.which(name) is None:
            where = _SOURCES.get(name, _SOURCES[BINARY])
            raise TwError(
                f"{name} is not installed here",
                hint=f"{where}. Or copy the bundle to a machine that has it, and run: "
                f"sh {shlex.quote(str(folder / 'run.sh'))}",
            )


def run(plan: Plan, folder: Path, limit_s: float) -> Path | None:
    """Runs the commands in the folder of the bundle; returns the profile, if there is one.

    Output and exit codes are kept beside the bundle. Raises TwError for a command that fails or
    takes too long.
    """
    environment = {key: value for key, value in os.environ.items() if key != "DISC_DEBUG"}
    if plan.device is not None:
        environment["CUDA_VISIBLE_DEVICES"] = plan.device
    for command in plan.commands():
        code = _execute(command, folder, environment, limit_s)
        with (folder / STATUS).open("a", encoding="utf-8") as status:
            status.write(f"{code}\t{shlex.join(command)}\n")
        _check(command, code, folder)
    if plan.profile is None:
        return None
    profile = folder / plan.profile
    if not profile.is_file():
        raise TwError(
            f"{plan.tool} wrote no {plan.profile}", hint=f"Its output is in {folder / OUTPUT}."
        )
    return profile


def _execute(
    command: Sequence[str], folder: Path, environment: dict[str, str], limit_s: float
) -> int:
    """Returns the exit code. What it started ends with it: it is a session of its own."""
    with (folder / OUTPUT).open("ab") as output:
        try:
            process = subprocess.Popen(
                command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise TwError(f"{command[0]} cannot be started: {error.strerror}") from None
        try:
            return process.wait(limit_s)
        except subprocess.TimeoutExpired:
            raise TwError(
                f"{command[0]} did not end within {limit_s:g} s",
                hint=f"Raise --timeout; its output is in {folder / OUTPUT}.",
            ) from None
        finally:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _check(command: Sequence[str], code: int, folder: Path) -> None:
    with (folder / OUTPUT).open("rb") as output:
        output.seek(0, os.SEEK_END)
        output.seek(max(0, output.tell() - _TAIL))
        text = output.read().decode(errors="replace")
    if (found := explain.reason(code, text)) is not None:
        meaning, remedy = found
        raise TwError(
            f"{command[0]} failed (exit code {code}): {meaning}",
            hint=f"{remedy} The output is in {folder / OUTPUT}.",
        )
