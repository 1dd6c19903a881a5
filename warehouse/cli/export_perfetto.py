"""`tw export perfetto`: a trace for ui.perfetto.dev and trace_processor."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from warehouse.cli.export_options import (
    named,
    output_option,
    query_path_option,
    run_stem,
    say,
    scoped,
)
from warehouse.cli.memory_options import formulas, memory_limit
from warehouse.cli.options import database, lake, pairs
from warehouse.cli.scope_options import scope
from warehouse.errors import UsageError
from warehouse.query.selection import LISTED_RANKS, Selection
from warehouse.wording import counted

if TYPE_CHECKING:
    from warehouse.export.perfetto.trace import PerfettoSummary
    from warehouse.query.session import Session


@click.command(short_help="Write a Perfetto trace (.pftrace).")
@lake
@database
@memory_limit
@formulas
@scope
@output_option("The file to write.  [default: RUN.pftrace]")
@click.option("--no-args", is_flag=True, help="Omit the arguments of slices.")
@click.option("--no-flows", is_flag=True, help="Omit flows (arrows between slices).")
@click.option(
    "--interned/--plain",
    "interned",
    default=None,
    help="Write names once, or in every packet for readers of single packets.  "
    "[default: interned, unless the format says otherwise]",
)
@named
@click.option(
    "--track",
    "tracks",
    multiple=True,
    metavar="QUERY[:COLUMN]",
    help="Draw the rows of a query as slices, or a column of it as a counter; repeatable.",
)
@click.option(
    "--counters",
    is_flag=True,
    help="Draw the utilization of devices, queue lengths, memory, copy bandwidth and exposed "
    "communication.",
)
@click.option(
    "--findings",
    is_flag=True,
    help="Draw what makes the run slow as instants, with estimated cost and remedy.",
)
@click.option(
    "-p",
    "parameters",
    multiple=True,
    metavar="NAME=VALUE",
    help="Parameter of the queries that are drawn; repeatable.",
)
@query_path_option
def perfetto(
    db: Path | None,
    wait_s: float,
    selection: Selection,
    output: Path | None,
    no_args: bool,
    no_flows: bool,
    interned: bool | None,
    names: tuple[str, ...],
    tracks: tuple[str, ...],
    counters: bool,
    findings: bool,
    parameters: tuple[str, ...],
    query_path: tuple[Path, ...],
) -> None:
    """Write a trace for ui.perfetto.dev and trace_processor.

    Slices that overlap without nesting are written to extra lanes; none is lost.

    \b
    Example:
      tw export perfetto -o run.pftrace
      tw export perfetto --run MEASURED --run PREDICTED -o both.pftrace
      tw export perfetto --track idle_gap --track utilization_over_time:utilization
      tw export perfetto --counters --findings
    """
    from warehouse.export import registry
    from warehouse.export.perfetto.query_tracks import COUNTERS

    tracks += COUNTERS if counters else ()
    if parameters and not tracks:
        raise UsageError("-p is a parameter of queries that --track or --counters draw")
    with scoped(db, wait_s, selection, query_path=query_path) as opened:
        path = output or Path(f"{run_stem(opened.seen)}.pftrace")
        request = {
            "with_args": not no_args,
            "with_flows": not no_flows,
            "with_interning": interned,
            **({"names": names} if names else {}),
            **({"tracks": tracks, "parameters": pairs(parameters)} if tracks else {}),
            **({"findings": True} if findings else {}),
        }
        if not selection.ranks:
            _announce_size(opened, with_args=not no_args, with_flows=not no_flows)
        written: PerfettoSummary = registry.export(opened, "perfetto", path, request)
    say(f"Wrote {path}: {_perfetto_summary(written)}.")
    for line in _perfetto_remarks(written, no_args=no_args, no_flows=no_flows):
        say(f"  {line}")


def _announce_size(opened: Session, *, with_args: bool, with_flows: bool) -> None:
    """Prints the size to expect if there are many ranks, of which a viewer shows few at a time."""
    from warehouse.export.perfetto.size import expected_bytes

    n_ranks = len({trace["rank"] for trace in opened.traces} - {None})
    if n_ranks > LISTED_RANKS:
        size = expected_bytes(opened.connection, with_args=with_args, with_flows=with_flows)
        say(f"Writing {n_ranks:,} ranks, about {size / 1e6:,.0f} MB; --rank 0,8-11 writes some.")


def _perfetto_summary(written: PerfettoSummary) -> str:
    parts = [counted(written.n_slices, "slice"), counted(written.n_flows, "flow")]
    if written.n_counter_values:
        parts.append(counted(written.n_counter_values, "counter value"))
    if written.n_ranges:
        parts.append(counted(written.n_ranges, "range") + " projected onto streams")
    if written.n_added:
        parts.append(counted(written.n_added, "slice") + " added by the format")
    if n_rows := written.n_of_queries - written.n_findings:
        parts.append(counted(n_rows, "slice") + " of queries")
    if written.n_findings:
        parts.append(counted(written.n_findings, "finding"))
    if written.n_on_path:
        parts.append(counted(written.n_on_path, "slice") + " on critical paths")
    return ", ".join(parts) + f" on {counted(written.n_tracks, 'track')}"


def _perfetto_remarks(written: PerfettoSummary, *, no_args: bool, no_flows: bool) -> Iterator[str]:
    """Returns a line for each way in which the file differs from the warehouse."""
    remarks = [
        (written.n_on_extra_lanes, "slice", "overlapping without nesting: on lanes #2, #3, ..."),
        (written.n_unfinished, "slice", "without an end: written unfinished"),
        (written.n_negative, "slice", "with negative duration: written with duration 0"),
        (written.n_reversed_flows, "flow", "backward in time: written reversed"),
        (written.n_outside, "slice", "outside the time window: omitted"),
        (written.n_null_values, "counter value", "without a number: omitted"),
    ]
    yield from (f"{counted(count, noun)} {what}." for count, noun, what in remarks if count)
    if written.moved_ns:
        yield f"{written.moved_ns:,} ns added to all times: the earliest was negative."
    if no_args:
        yield "Arguments were omitted (--no-args)."
    if no_flows:
        yield "Flows were omitted (--no-flows)."
    if written.unaligned_traces:
        names = ", ".join(written.unaligned_traces[:5])
        more = ", ..." if len(written.unaligned_traces) > 5 else ""
        yield f"Clocks are not aligned: unknown offset of {names}{more}."
