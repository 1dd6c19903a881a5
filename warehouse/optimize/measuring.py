"""Measures candidates with a program of the user, and keeps what it measured as a cost model.

The program runs once without any change, and once for each file of changes. The time of the
program with a file is the constant of a line of the model; that without is the line `without`.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from warehouse.errors import QueryError, UsageError
from warehouse.model import models
from warehouse.model.fitting import CONSTANT, GroupFit, Term
from warehouse.store import database
from warehouse.times import shown_time

if TYPE_CHECKING:
    from warehouse.query.session import Place

#: The variable of the environment that has the path of the file.
VARIABLE = "TW_CLUSTERS"
#: The line of the program without a file.
WITHOUT = "without"
#: What `cost_model.query` says of models that no query of samples led to.
QUERY = "measured"
DEFAULT_LIMIT_S = 600.0
_TAIL = 64 << 10  # bytes of the output that are read


@dataclass(frozen=True)
class Program:
    """A command as the user wrote it, and how long it may take."""

    command: str
    limit_s: float = DEFAULT_LIMIT_S

    @property
    def digest(self) -> str:
        """SHA-256 of the command."""
        return hashlib.sha256(self.command.encode()).hexdigest()

    @property
    def model(self) -> str:
        """The name of the model of what it measured."""
        return f"{QUERY} {self.digest[:12]}"


def arguments(command: str) -> list[str]:
    """The program and its arguments; raises UsageError if there is none."""
    try:
        found = shlex.split(command)
    except ValueError as error:
        raise UsageError(
            f"--measure {command!r} is not a command: {str(error).lower()}",
            hint="Quote it as in a shell: 'python train.py --steps 20'.",
        ) from None
    if not found:
        raise UsageError(
            "--measure names no program", hint="Write a command: 'python train.py --steps 20'."
        )
    return found


def run(program: Program, text: str | None) -> float:
    """Runs the program with a file of this text, or without; returns the time it prints, in ns.

    What it starts ends with it on the time limit and on Ctrl-C. Raises UsageError if it cannot be
    started, QueryError if it fails, does not end, or prints no time.
    """
    environment = {key: value for key, value in os.environ.items() if key != VARIABLE}
    with tempfile.TemporaryDirectory(prefix="tw-measure-") as folder:
        if text is not None:
            path = Path(folder) / "cluster_mapping.txt"
            path.write_text(text, "utf-8")
            environment[VARIABLE] = str(path)
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            code = _execute(program, environment, out, err)
            if code != 0:
                last = _last_line(err) or _last_line(out)
                raise QueryError(
                    f"{_name(program, text)} failed (exit code {code})"
                    + (f": {last[:200]}" if last else ""),
                    hint="Nothing was stored; run the command to see all of its output.",
                )
            return _time_ns(program, text, _last_line(out))


def measure(place: Place, program: Program, texts: Mapping[str, str]) -> int:
    """Measures the files that the model of the program lacks; returns how many.

    `texts` are the files by the names of their lines. All are stored together, none if one fails.
    """
    known = _known(place, program)
    missing: dict[str, str | None] = {} if WITHOUT in known else {WITHOUT: None}
    missing |= {name: text for name, text in texts.items() if name not in known}
    found = {name: run(program, text) for name, text in missing.items()}
    if found:
        _store(place, program, known | found)
    return len(found)


def _known(place: Place, program: Program) -> dict[str, float]:
    """Earlier measurements of the program, by the names of lines."""
    with database.Reader(place.path, wait_s=place.wait_s) as reader:
        rows = reader.connection.execute(
            "SELECT t.model_group, t.coefficient FROM cost_model AS m "
            "JOIN cost_model_term AS t ON t.model_id = m.id WHERE m.name = ?",
            [program.model],
        ).fetchall()
    return dict(rows)


def _store(place: Place, program: Program, times: Mapping[str, float]) -> None:
    lines = tuple(
        GroupFit(name, 1, 0, None, None, (Term(CONSTANT, ns, 1.0, 1.0),))
        for name, ns in sorted(times.items())
    )
    made = models.Model(
        program.model, QUERY, program.digest, (), json.dumps([]), len(lines), 0, lines
    )
    models.store(place, made, replace=True)


def _execute(program: Program, environment: dict[str, str], out: IO[bytes], err: IO[bytes]) -> int:
    """The exit code of the program, which is a session of its own."""
    command = arguments(program.command)
    try:
        process = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
            start_new_session=True,
        )  # fmt: skip
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(
            f"--measure: {command[0]} cannot be started: {reason}", hint="Name a program."
        ) from None
    try:
        return process.wait(program.limit_s)
    except subprocess.TimeoutExpired:
        raise QueryError(
            f"{program.command!r} did not end within {shown_time(int(program.limit_s * 1e9))}",
            hint="Nothing was stored; raise --measure-limit.",
        ) from None
    finally:
        if process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _last_line(file: IO[bytes]) -> str:
    file.seek(0, os.SEEK_END)
    file.seek(max(0, file.tell() - _TAIL))
    lines = file.read().decode(errors="replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "")


def _time_ns(program: Program, text: str | None, line: str) -> float:
    try:
        seconds = float(line)
    except ValueError:
        seconds = math.nan
    if not (math.isfinite(seconds) and seconds > 0):
        end = f"ends with {line[:80]!r}" if line else "is empty"
        raise QueryError(
            f"the output of {_name(program, text)} {end}, which is not a time",
            hint="Print the time of a step in seconds as the last line, such as 0.0125.",
        )
    return seconds * 1e9


def _name(program: Program, text: str | None) -> str:
    return f"{program.command!r} {'without' if text is None else 'with'} fused operators"
