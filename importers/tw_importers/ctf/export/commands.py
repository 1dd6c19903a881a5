"""`tw export tensorflow-csv` and `tw export ctf`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from warehouse.cli.export_options import output_option, run_stem, say, scoped
from warehouse.cli.memory_options import memory_limit
from warehouse.cli.options import database
from warehouse.cli.scope_options import scope
from warehouse.wording import counted

if TYPE_CHECKING:
    from warehouse.query.selection import Selection


@click.command("tensorflow-csv", short_help="Write the CSV files of tensorflow-profiler.")
@database
@memory_limit
@scope
@output_option("The folder to create; it must be absent or empty.  [default: RUN_csv]")
@click.option(
    "--graph",
    type=click.Path(exists=True, dir_okay=False),
    help="GraphDef in text format, for latencies.csv.",
)
def tensorflow_csv(
    db: Path | None, wait_s: float, selection: Selection, output: Path | None, graph: str | None
) -> None:
    """Write the CSV files of tensorflow-profiler from an LTTng trace.

    stats.csv: durations of sessions, operations and CUDA kernels; latencies.csv, with --graph: how
    long operations waited after their inputs; perfcounters_rcp.csv, if counters were imported with
    --option rcp; pc_stats.csv, if the run has a trace with interception counters.

    \b
    Example:
      tw export tensorflow-csv --run hip -o csv --graph graph.pbtxt
    """
    from warehouse.export import registry

    with scoped(db, wait_s, selection) as opened:
        path = output or Path(f"{run_stem(opened.seen)}_csv")
        files = registry.export(opened, "tensorflow-csv", path, {"graph": graph})
    for file in files:
        say(f"Wrote {path / file.name}: {counted(file.n_rows, 'line')}.")


@click.command("ctf", short_help="Write CTF 1.8 traces.")
@database
@memory_limit
@scope
@output_option("The folder to create; it must be absent or empty.  [default: RUN_ctf]")
def ctf(db: Path | None, wait_s: float, selection: Selection, output: Path | None) -> None:
    """Write traces that were imported from CTF as CTF 1.8, for Trace Compass and babeltrace2.

    Device events are at the time of the device, and kernels have the name of their operation. Each
    trace is a folder inside of the folder.

    \b
    Example:
      tw export ctf --run hip -o placed
      babeltrace2 placed
    """
    from warehouse.export import registry

    with scoped(db, wait_s, selection) as opened:
        path = output or Path(f"{run_stem(opened.seen)}_ctf")
        traces = registry.export(opened, "ctf", path)
    for trace in traces:
        streams = counted(trace.n_streams, "stream")
        say(f"Wrote {trace.path}: {counted(trace.n_events, 'event')} in {streams}.")
