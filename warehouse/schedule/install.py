"""Creates what calls run-due: a systemd user service with a timer, or a crontab line."""

from __future__ import annotations

import hashlib
import shlex
import shutil
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from warehouse import config
from warehouse.errors import ExportError, UsageError

#: How long run-due waits by default for another process to release the warehouse.
WAIT_S = 60.0


@dataclass(frozen=True)
class Tick:
    """How run-due is called. Paths are absolute."""

    program: tuple[str, ...]
    db: Path
    folder: Path  # whose tw.toml applies
    every_min: int
    wait_s: float = WAIT_S

    @property
    def command(self) -> tuple[str, ...]:
        """The command line."""
        wait = f"{self.wait_s:g}"
        return (*self.program, "schedule", "run-due", "--db", str(self.db), "--wait", wait)

    @property
    def unit(self) -> str:
        """The name of the units, unique per warehouse; it does not depend on intervals."""
        command = replace(self, wait_s=WAIT_S).command
        digest = hashlib.sha256("\0".join(command).encode()).hexdigest()
        return f"tw-schedule-{digest[:8]}"


def tick(db: Path, folder: Path, every_min: int, wait_s: float = WAIT_S) -> Tick:
    """Returns the tick of a warehouse; raises UsageError for an interval that does not divide an
    hour, and for paths with line breaks."""
    if not 1 <= every_min <= 60 or 60 % every_min:
        raise UsageError(
            f"--every {every_min} does not divide an hour", hint="Give 1, 5, 10, 15, 30 or 60."
        )
    if any(not text.isprintable() for text in (str(db.resolve()), str(folder.resolve()))):
        raise UsageError("the path of the warehouse cannot be written in a unit or crontab")
    return Tick(_program(), db.resolve(), folder.resolve(), every_min, wait_s)


def _program() -> tuple[str, ...]:
    """Returns the absolute command of tw: units and crontabs have their own PATH."""
    beside = Path(sys.executable).with_name("tw")
    found = str(beside) if beside.is_file() else shutil.which("tw")
    return (found,) if found else (sys.executable, "-m", "warehouse")


def crontab(tick: Tick) -> str:
    """Returns a line for `crontab -e`, with % escaped: cron ends a command at a bare one."""
    minutes = {1: "*", 60: "0"}.get(tick.every_min, f"*/{tick.every_min}")
    command = f"cd {shlex.quote(str(tick.folder))} && {shlex.join(tick.command)} --quiet"
    return f"{minutes} * * * * {command}\n".replace("%", r"\%")


def units(tick: Tick) -> dict[str, str]:
    """Returns the unit files by name."""
    calendar = {1: "*:*", 60: "hourly"}.get(tick.every_min, f"*:0/{tick.every_min}")
    service = f"""\
[Unit]
Description=Scheduled exports of Trace Warehouse ({_specified(str(tick.db))})

[Service]
Type=oneshot
WorkingDirectory={_specified(str(tick.folder))}
ExecStart={" ".join(map(_quoted, tick.command))}
Nice=10
"""
    timer = f"""\
[Unit]
Description=Looks for scheduled exports of Trace Warehouse that are due

[Timer]
OnCalendar={calendar}
Persistent=true
Unit={tick.unit}.service

[Install]
WantedBy=timers.target
"""
    return {f"{tick.unit}.service": service, f"{tick.unit}.timer": timer}


def unit_folder() -> Path:
    """Returns the folder of the user's systemd units; raises ConfigError without home folder."""
    return config.user_folder("XDG_CONFIG_HOME", "~/.config") / "systemd" / "user"


def write_units(tick: Tick, folder: Path) -> list[Path]:
    """Writes the unit files; raises ExportError."""
    from warehouse import files

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ExportError(f"the folder {folder} cannot be created: {error.strerror}") from None
    written = []
    for name, text in units(tick).items():
        with files.whole_file(folder / name) as file:
            file.write(text.encode())
        written.append(folder / name)
    return written


def _specified(text: str) -> str:
    """Escapes text in a unit: % starts a specifier (systemd.unit(5))."""
    return text.replace("%", "%%")


def _quoted(text: str) -> str:
    """Quotes a word of a command line in a unit: $ starts a variable (systemd.service(5))."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("$", "$$")
    return f'"{_specified(escaped)}"'
