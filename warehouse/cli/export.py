"""`tw export`: trace files, graph files, workbooks and pages of what the scope options choose."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tw_importers.chakra_et.export.command_etplus import chakra_etplus
from tw_importers.sophgo.export.commands import tpu_registers, tpu_summary
from warehouse.cli.completion import query_names, run_names
from warehouse.cli.export_dot import dot
from warehouse.cli.options import database, pairs
from warehouse.cli.scope_options import announce, scope

if TYPE_CHECKING:
    from warehouse.export.page.page import Written as Page
    from warehouse.export.perfetto.trace import Written
    from warehouse.query.scope import Scope
    from warehouse.query.selection import Selection
    from warehouse.query.session import Session


@click.group()
def export() -> None:
    """Write Perfetto, Chrome, Chakra and Parquet files, workbooks, pages.

    A file appears whole or not at all, and replaces an older one of its name. Without -o it is
    called after the run and lands in the working folder. What was written, and what is not as the
    warehouse has it, is told on stderr.

    \b
    Example:
      tw export perfetto --rank 0,1 -o ranks.pftrace
      tw export chrome --rank 0 -o rank0.json.gz
      tw export parquet -o lake
    """


export.add_command(chakra_etplus)
export.add_command(dot)
export.add_command(tpu_summary)
export.add_command(tpu_registers)

_QUERY_PATH = click.option(
    "--query-path",
    "query_path",
    type=click.Path(path_type=Path, file_okay=False),
    multiple=True,
    help="Folder of your own queries and reports; repeatable.",
)
Command = TypeVar("Command", bound=Callable[..., Any])


def _output(help_text: str) -> Callable[[Command], Command]:
    return click.option("-o", "--output", type=click.Path(path_type=Path), help=help_text)


@export.command()
@database
@scope
@_output("The file to write.  [default: RUN.pftrace]")
@click.option("--no-args", is_flag=True, help="Leave the slices' arguments out.")
@click.option("--no-flows", is_flag=True, help="Leave the arrows between slices out.")
@click.option(
    "--interned/--plain",
    "interned",
    default=None,
    help="Write names once, or in every packet, for simple readers.  [default: plain for TPUs]",
)
def perfetto(
    db: Path | None,
    wait_s: float,
    selection: Selection,
    output: Path | None,
    no_args: bool,
    no_flows: bool,
    interned: bool | None,
) -> None:
    """Write a trace for ui.perfetto.dev and trace_processor.

    Slices that overlap without nesting go on lanes of their own; none is lost.

    \b
    Example:
      tw export perfetto -o run.pftrace
    """
    from warehouse.export import registry

    with _scoped(db, wait_s, selection) as opened:
        path = output or Path(f"{_run_stem(opened.seen)}.pftrace")
        wanted = {
            "with_args": not no_args,
            "with_flows": not no_flows,
            "with_interning": interned,
        }
        written: Written = registry.export(opened, "perfetto", path, wanted)
    _say(f"Wrote {path}: {_perfetto_summary(written)}.")
    for line in _perfetto_remarks(written, no_args=no_args, no_flows=no_flows):
        _say(f"  {line}")


@export.command()
@database
@scope
@_output("A .json or .json.gz file; a folder/ for several traces.  [default: RUN.json.gz]")
def chrome(db: Path | None, wait_s: float, selection: Selection, output: Path | None) -> None:
    """Write Trace Event JSON: the file that was imported, event for event.

    One file holds one trace: with several, choose one by --rank or --trace, or name a folder.

    \b
    Example:
      tw export chrome --rank 0 -o rank0.json.gz
    """
    from warehouse.export import registry

    with _scoped(db, wait_s, selection) as opened:
        path = output or Path(f"{_run_stem(opened.seen)}.json.gz")
        files = registry.export(opened, "chrome", path, {"is_folder": _names_folder(path, output)})
    for file in files:
        how = "as imported" if file.is_restored else "made from the timeline"
        _say(f"Wrote {file.path}: {file.n_events:,} events, {how}.")
    if opened.seen.has_window:
        _say("  Only events of the time window were written.")


@export.command("execution-trace")
@database
@scope
@_output("A .json or .json.gz file; a folder/ for several.  [default: RUN_et.json.gz]")
def execution_trace(
    db: Path | None, wait_s: float, selection: Selection, output: Path | None
) -> None:
    """Write PyTorch execution traces as imported: et_replay reads them.

    The same header and nodes again, linked ones with all the linker had added. One file holds one
    trace: with several, choose one by --rank or --trace, or name a folder.

    \b
    Example:
      tw export execution-trace --rank 0 -o rank0_et.json.gz
    """
    from warehouse.export import registry

    with _scoped(db, wait_s, selection) as opened:
        path = output or Path(f"{_run_stem(opened.seen)}_et.json.gz")
        wanted = {"is_folder": _names_folder(path, output)}
        files = registry.export(opened, "execution-trace", path, wanted)
    for file in files:
        _say(f"Wrote {file.path}: {file.n_nodes:,} nodes.")


@export.command()
@database
@scope
@_output("The folder to make; it must be absent or empty.  [default: RUN.lake]")
def parquet(db: Path | None, wait_s: float, selection: Selection, output: Path | None) -> None:
    """Write every table as Parquet, in Hive's folder layout by trace.

    \b
    Example:
      tw export parquet -o lake
      duckdb -c "FROM read_parquet('lake/slice/**', hive_partitioning := true) LIMIT 5"
    """
    from warehouse.export import registry

    with _scoped(db, wait_s, selection) as opened:
        path = output or Path(f"{_run_stem(opened.seen)}.lake")
        tables = registry.export(opened, "parquet lake", path)
    n_rows = sum(table.n_rows for table in tables)
    n_files = sum(table.n_files for table in tables)
    _say(f"Wrote {path}: {n_rows:,} rows of {len(tables)} tables in {n_files:,} files.")


@export.command("chakra-et")
@database
@scope
@_output("A file.et, or a folder.  [default: RUN.<rank>.et in the working folder]")
@click.option(
    "--set",
    "link_set",
    type=click.Choice(["default", "chakra-1.0"]),
    default="default",
    show_default=True,
    help="By which rules graphs were linked and are converted; chakra-1.0: as Chakra 1.0 does.",
)
@click.option("--start-times", is_flag=True, help="Write when nodes began, too.")
@click.option(
    "--order",
    "orders",
    type=click.Choice(["stream", "group"]),
    multiple=True,
    help="Let device work wait for that before it on its stream, or in its process group.",
)
@click.option("--unchecked", is_flag=True, help="Write imported graphs though they are cyclic.")
def chakra_et(
    db: Path | None,
    wait_s: float,
    selection: Selection,
    output: Path | None,
    link_set: str,
    start_times: bool,
    orders: tuple[str, ...],
    unchecked: bool,
) -> None:
    """Write execution graphs for ASTRA-sim and Chakra's tools: one .et file a rank.

    Of an execution trace linked with a timeline, of an ET+ file, of a host trace, or of an
    imported .et file, which is written as it was. Graphs that are cyclic, or depend on what is not
    there, are refused with the nodes named.

    \b
    Example:
      tw export chakra-et -o workload
      tw export chakra-et --set chakra-1.0 --rank 0 -o rank0.et
    """
    from dataclasses import asdict

    from tw_importers.chakra_et.export.et import Options
    from warehouse.export import registry

    options = Options(link_set, start_times, orders, is_checked=not unchecked)
    with _scoped(db, wait_s, selection) as opened:
        files = registry.export(opened, "chakra-et", output or Path(), asdict(options))
    for file in files:
        _say(f"Wrote {file.path}: {file.n_nodes:,} nodes, {file.n_data_deps:,} dependencies.")
        for remark in file.remarks:
            _say(f"  {remark}")


@export.command()
@click.argument("queries", nargs=-1, shell_complete=query_names)
@database
@scope
@_output("The file to write.  [default: RUN.xlsx]")
@click.option("--report", "name", metavar="NAME", help="A report.  [default: pytorch, or gpu]")
@click.option("-p", "parameters", multiple=True, metavar="NAME=VALUE", help="Of the QUERIES.")
@_QUERY_PATH
def xlsx(
    queries: tuple[str, ...],
    db: Path | None,
    wait_s: float,
    selection: Selection,
    output: Path | None,
    name: str | None,
    parameters: tuple[str, ...],
    query_path: tuple[Path, ...],
) -> None:
    """Write a workbook: a report, or the QUERIES named.

    One sheet a query, with units, filters and bars; an overview with charts; what every column
    means, and where the numbers come from.

    \b
    Example:
      tw export xlsx --run latest
      tw export xlsx utilization top_kernels -o devices.xlsx
    """
    from warehouse.export import report
    from warehouse.export.workbook.workbook import export_xlsx
    from warehouse.query import session

    place = session.Place.of(db, wait_s=wait_s, query_path=query_path)
    with session.opened(place, selection) as opened:
        announce(opened.seen, quiet=False)
        chosen = report.choose(opened, queries, pairs(parameters), name)
        path = output or Path(f"{_run_stem(opened.seen)}.xlsx")
        written = export_xlsx(chosen.title, report.fill(opened, chosen, "workbook"), path)
    _say(f"Wrote {path}: {written.n_rows:,} rows on {len(written.sheets)} sheets.")
    for count, what in (
        (written.n_split, "queries have more rows than a sheet: on several."),
        (written.n_cut_texts, "texts are longer than a cell holds: cut."),
        (written.n_integers_as_text, "integers are greater than 2^53: written as text."),
    ):
        if count:
            _say(f"  {count:,} {what}")


@export.command()
@click.argument("queries", nargs=-1, shell_complete=query_names)
@database
@scope
@_output("The file to write.  [default: RUN.html]")
@click.option("--report", "name", metavar="NAME", help="A report.  [default: pytorch, or gpu]")
@click.option(
    "--compare",
    nargs=2,
    metavar="A B",
    shell_complete=run_names,
    help="Two runs side by side, and what differs.",
)
@click.option(
    "--slices",
    "max_slices",
    type=click.IntRange(min=1),
    default=30_000,
    show_default=True,
    help="How many slices the timeline draws one by one; the others are summed up.",
)
@click.option("-p", "parameters", multiple=True, metavar="NAME=VALUE", help="Of the QUERIES.")
@_QUERY_PATH
def html(
    queries: tuple[str, ...],
    db: Path | None,
    wait_s: float,
    selection: Selection,
    output: Path | None,
    name: str | None,
    compare: tuple[str, str] | None,
    max_slices: int,
    parameters: tuple[str, ...],
    query_path: tuple[Path, ...],
) -> None:
    """Write a page: a report, or the QUERIES named, and the timeline.

    One file that needs no network: tables with units and meanings, charts, and a timeline that
    zooms. Every browser opens it.

    \b
    Example:
      tw export html --run latest
      tw export html --rank 0 --from 1.2s --to 1.3s -o part.html
      tw export html --compare before after
    """
    from warehouse.export import report
    from warehouse.export.page import page as pages
    from warehouse.query import session

    place = session.Place.of(db, wait_s=wait_s, query_path=query_path)
    given = (queries, pairs(parameters), name)
    if compare:
        values = pages.of_two(place, selection, compare, given, max_slices)
        path = output or Path("-".join(_stem(each) for each in compare) + ".html")
    else:
        with session.opened(place, selection) as opened:
            announce(opened.seen, quiet=False)
            values = pages.of_session(opened, report.choose(opened, *given), max_slices)
            path = output or Path(f"{_run_stem(opened.seen)}.html")
    for line in _page_summary(pages.write(values, path)):
        _say(line)


def _page_summary(written: Page) -> Iterator[str]:
    size = f"{written.n_bytes / 1e6:.1f} MB"
    yield f"Wrote {written.path}: {written.n_sections} sections, {size}."
    if written.n_rows_shown < written.n_rows:
        yield f"  {written.n_rows_shown:,} of {written.n_rows:,} rows are in its tables."
    if written.n_slices_shown < written.n_slices:
        yield (
            f"  {written.n_slices_shown:,} of {written.n_slices:,} slices are drawn one by one; "
            "the others are summed up."
        )


@contextmanager
def _scoped(db: Path | None, wait_s: float, selection: Selection) -> Iterator[Session]:
    """A session that sees the selection's rows; what it resolved to is said."""
    from warehouse.query import session

    with session.opened(session.Place.of(db, wait_s=wait_s), selection) as opened:
        announce(opened.seen, quiet=False)
        yield opened


def _run_stem(chosen: Scope) -> str:
    return _stem(chosen.run_names[0]) if len(chosen.run_names) == 1 else "traces"


def _stem(run_name: str) -> str:
    from warehouse.files import file_stem

    return file_stem(run_name)


def _names_folder(path: Path, given: Path | None) -> bool:
    """A folder that exists, or a name no JSON file would have."""
    if given is None:
        return False
    return path.is_dir() or not path.name.endswith((".json", ".json.gz"))


def _perfetto_summary(written: Written) -> str:
    parts = [f"{written.n_slices:,} slices", f"{written.n_flows:,} flows"]
    if written.n_counter_values:
        parts.append(f"{written.n_counter_values:,} counter values")
    if written.n_ranges:
        parts.append(f"{written.n_ranges:,} ranges projected onto streams")
    return ", ".join(parts) + f" on {written.n_tracks:,} tracks"


def _perfetto_remarks(written: Written, *, no_args: bool, no_flows: bool) -> Iterator[str]:
    """What is not in the file as it is in the warehouse; silent about what is."""
    counted = [
        (written.n_on_extra_lanes, "slices overlap others without nesting: on lanes #2, #3, ..."),
        (written.n_unfinished, "slices never ended: written without an end"),
        (written.n_negative, "slices end before they begin: written without length"),
        (written.n_reversed_flows, "arrows point back in time: drawn reversed"),
        (written.n_outside, "slices are outside the time window: left out"),
        (written.n_null_values, "counter values are no number: left out"),
        (written.moved_ns, "ns were added to all times: the earliest was below zero"),
    ]
    yield from (f"{count:,} {what}." for count, what in counted if count)
    if no_args:
        yield "Arguments were left out (--no-args)."
    if no_flows:
        yield "Arrows were left out (--no-flows)."
    if written.unaligned_traces:
        names = ", ".join(written.unaligned_traces[:5])
        more = ", ..." if len(written.unaligned_traces) > 5 else ""
        yield f"Clocks are not aligned: no offset is known for {names}{more}."


def _say(line: str) -> None:
    click.echo(line, err=True)
