"""`tw open`: opens a timeline in the Perfetto UI."""

from __future__ import annotations

import os
import shlex
import socket
import sys
import tempfile
from pathlib import Path

import click

from warehouse.cli.options import database
from warehouse.cli.scope_options import announce, scope
from warehouse.query.selection import Selection
from warehouse.wording import counted


@click.command("open")
@click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False))
@click.option("--no-browser", is_flag=True, help="Print the address instead of opening a browser.")
@click.option(
    "--patience",
    "patience_s",
    type=click.FloatRange(min=0, min_open=True),
    default=300.0,
    show_default=True,
    metavar="SECONDS",
    help="Time to wait for the browser to fetch the trace.",
)
@scope
@database
def open_(
    file: Path | None,
    no_browser: bool,
    patience_s: float,
    selection: Selection,
    db: Path | None,
    wait_s: float,
) -> None:
    """Open a timeline in the Perfetto UI, in the browser.

    FILE is any trace the UI can read; without it, the selected scope is exported first. The trace
    is sent only to the browser on this machine. The command ends once the browser has fetched it.
    Without a display it prints the address, and the ssh command for a browser elsewhere.

    \b
    Example:
      tw open --run latest --rank 0
      tw open run.pftrace
    """
    if file is not None:
        _show(file, no_browser, patience_s)
        return
    from warehouse.export.perfetto.trace import export_perfetto
    from warehouse.files import file_stem
    from warehouse.query import session

    with tempfile.TemporaryDirectory(prefix="tw-open-") as folder:
        with session.opened(session.Place.of(db, wait_s=wait_s), selection) as opened:
            announce(opened.seen, quiet=False)
            names = opened.seen.run_names
            path = Path(folder) / f"{file_stem(names[0]) if len(names) == 1 else 'traces'}.pftrace"
            written = export_perfetto(opened.connection, path)
        click.echo(
            f"{counted(written.n_slices, 'slice')} on {counted(written.n_tracks, 'track')}.",
            err=True,
        )
        _show(path, no_browser, patience_s)


def _show(path: Path, no_browser: bool, patience_s: float) -> None:
    from warehouse.cli.serve import PORT, serve
    from warehouse.errors import ExportError

    def ready(address: str) -> None:
        if not no_browser and _has_display() and click.launch(address) == 0:
            return
        click.echo(address)
        click.echo(
            "To open it on another machine, run there: "
            f"ssh -L {PORT}:127.0.0.1:{PORT} {shlex.quote(socket.gethostname())}",
            err=True,
        )

    if not serve(path, ready, patience_s=patience_s):
        raise ExportError(
            f"the trace was not fetched within {patience_s:g} s",
            hint="Open the printed address in a browser on this machine; --no-browser prints it.",
        )


def _has_display() -> bool:
    """Whether a browser could open; without a display xdg-open may start one in the terminal."""
    if sys.platform in ("darwin", "win32"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
