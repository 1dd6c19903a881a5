"""`tw record lttng`."""

from __future__ import annotations

import shlex
import sys
import tempfile
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tw_importers.ctf.record.presets import PRESETS
from warehouse.cli.options import database
from warehouse.errors import TwError, UsageError

if TYPE_CHECKING:
    from tw_importers.ctf.record.session import Plan

_BY_HAND = "tw-by-hand"
_LINES = Path(__file__).with_name("lines.py")


@click.command(
    "lttng",
    short_help="Record a program with LTTng.",
    context_settings={"ignore_unknown_options": False},
)
@database
@click.option("--run", help="Name of the run.  [default: of the session]")
@click.option("--preset", "presets", type=click.Choice(list(PRESETS)), multiple=True,
              help="Events and variables of instrumented TensorFlow; repeatable.")  # fmt: skip
@click.option("--event", "events", multiple=True, metavar="GLOB",
              help="Events of user space to enable; repeatable.")  # fmt: skip
@click.option("--logger", "loggers", multiple=True, metavar="NAME",
              help="Logger of Python to enable; repeatable.")  # fmt: skip
@click.option("--context", "contexts", multiple=True, default=("vpid", "vtid", "procname"),
              show_default=True, help="Context of every event; repeatable.")  # fmt: skip
@click.option("--buffers", type=click.Choice(["uid", "pid"]), default="uid", show_default=True,
              help="Buffers per user or per process.")  # fmt: skip
@click.option("--subbuf-size", type=click.IntRange(min=4096), default=131072, show_default=True,
              help="Bytes of a buffer.")  # fmt: skip
@click.option("--num-subbuf", type=click.IntRange(min=2), default=100, show_default=True,
              help="Number of buffers.")  # fmt: skip
@click.option("--kernel", "is_kernel", is_flag=True, help="Record all events of the kernel, too.")
@click.option("--python-lines", is_flag=True,
              help="Log the statements of a Python script, without changing it.")  # fmt: skip
@click.option("--preload", "preloads", multiple=True, metavar="LIB",
              help="Library to load into the program; repeatable.")  # fmt: skip
@click.option("--archive", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="Pack the trace into a .tar.gz file, for another host.")  # fmt: skip
@click.option("--print", "is_print", is_flag=True, help="Print the commands of lttng, run nothing.")
@click.argument("program", nargs=-1, required=True)
def lttng(
    db: Path | None,
    wait_s: float,
    run: str | None,
    presets: tuple[str, ...],
    events: tuple[str, ...],
    loggers: tuple[str, ...],
    contexts: tuple[str, ...],
    buffers: str,
    subbuf_size: int,
    num_subbuf: int,
    is_kernel: bool,
    python_lines: bool,
    preloads: tuple[str, ...],
    archive: Path | None,
    is_print: bool,
    program: tuple[str, ...],
) -> None:
    """Record PROGRAM with LTTng, and import the trace.

    Without --preset, --event and loggers all events of user space are recorded. `start` in place of
    PROGRAM only starts a session, `stop` ends and imports it. A session daemon is started if none
    runs.

    \b
    Examples:
      tw record lttng -- ./program
      tw record lttng --preset hip --preset hc2 -- python train.py
      tw record lttng --python-lines --event 'tensorflowTracer:*' -- python train.py
      tw record lttng start
    """
    from tw_importers.ctf.record import session
    from tw_importers.ctf.record.lines import LOGGER
    from tw_importers.ctf.record.presets import events as of_presets

    by_hand = program[0] if program in (("start",), ("stop",)) else None
    name = _BY_HAND if by_hand else f"tw-{datetime.now():%Y%m%d-%H%M%S}"
    folder = _folder(by_hand, name)
    chosen = [*of_presets(presets), *events]
    named = [*loggers, *([LOGGER] if python_lines else [])]
    if not chosen and not named:  # all events would hold those of Python a second time
        chosen = ["*"]
    plan = session.Plan(
        name, folder, chosen, contexts, named, buffers, subbuf_size, num_subbuf, is_kernel
    )
    command, variables, log = _program(program, presets, preloads, python_lines, folder)
    if is_print:
        _print(plan, by_hand, variables, command)
        return
    target = (db, wait_s, run or name, folder)
    if by_hand == "stop":
        session.require()
        click.echo(session.stop(name), err=True)
        _conclude(*target, None, archive)
    _record(plan, is_kernel)
    if by_hand == "start":
        click.echo(f"Recording into {folder}; `tw record lttng stop` imports it.", err=True)
        return
    _run_program(name, command, variables, log)
    _conclude(*target, log, archive)


def _record(plan: Plan, is_kernel: bool) -> None:
    from tw_importers.ctf.record import session

    session.require()
    session.ensure_daemon(is_kernel=is_kernel)
    session.start(plan)


def _run_program(
    name: str, command: list[str], variables: dict[str, str], log: Path | None
) -> None:
    """Runs the program to its end, also after ^C; then ends the session."""
    from tw_importers.ctf.record import session

    try:
        code = session.run(command, variables, log, session.patiently)
    finally:
        lost = session.stop(name)
    if lost:
        click.echo(lost, err=True)
    if code:
        click.echo(f"{command[0]} ended with exit code {code}.", err=True)


def _folder(by_hand: str | None, name: str) -> Path:
    if by_hand:
        return Path.cwd() / name
    return Path(tempfile.mkdtemp(prefix="tw-record-")) / name


def _program(
    program: Sequence[str], presets: Sequence[str], preloads: Sequence[str], lines: bool,
    folder: Path,
) -> tuple[list[str], dict[str, str], Path | None]:  # fmt: skip
    """The command, its variables, and where its output goes if that is a part of the trace."""
    command, variables = list(program), dict[str, str]()
    for name in presets:
        variables.update(PRESETS[name].variables)
        if PRESETS[name].needs_preload and not preloads:
            raise UsageError(
                f"the preset {name} needs the library that emits its events",
                hint="Name it with --preload.",
            )
    if preloads:
        variables["LD_PRELOAD"] = ":".join(preloads)
    if "hc1" in presets:
        variables["HSA_TOOLS_LIB"] = preloads[0]
    if lines:
        if len(command) < 2 or not command[1].endswith(".py"):
            raise UsageError(
                "--python-lines needs an interpreter and a script",
                hint="Write -- python script.py.",
            )
        command.insert(1, str(_LINES))
    keeps_log = any(PRESETS[name].keeps_log for name in presets)
    return command, variables, folder.with_name("output.log") if keeps_log else None


def _print(plan: Plan, by_hand: str | None, variables: dict[str, str], command: list[str]) -> None:
    if by_hand != "stop":
        for each in [*plan.commands(), ["start", plan.name]]:
            click.echo(shlex.join(["lttng", *each]))
    if by_hand is None:
        click.echo(" ".join([*(f"{k}={shlex.quote(v)}" for k, v in variables.items()),
                             shlex.join(command)]))  # fmt: skip
    if by_hand != "start":
        click.echo(f"lttng stop {plan.name}\nlttng destroy {plan.name}")


def _conclude(
    db: Path | None, wait_s: float, run: str, folder: Path, log: Path | None, archive: Path | None
) -> None:
    """Packs or imports the trace, and ends the program."""
    from tw_importers.ctf.record import session
    from warehouse import config
    from warehouse.cli.import_ import conclude
    from warehouse.ingest.decode import Settings
    from warehouse.ingest.pipeline import Options, import_paths

    if not folder.exists():
        raise TwError(f"LTTng wrote no trace to {folder}", hint="Check the names of events.")
    if archive is not None:
        session.archive(folder, archive)
        click.echo(f"Wrote {archive}.", err=True)
        sys.exit(0)
    settings = Settings(options=(("hc_log", str(log)),)) if log is not None else Settings()
    options = Options(run=run, wait_s=wait_s, settings=settings)
    outcomes = import_paths([str(folder)], db=config.database_path(db), options=options)
    click.echo(f"The trace is in {folder}.", err=True)
    sys.exit(conclude(outcomes, quiet=False))
