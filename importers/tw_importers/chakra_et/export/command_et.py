"""`tw export chakra-et`: Chakra execution traces as protobuf."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from warehouse.cli.export_options import output_option, say, scoped
from warehouse.cli.memory_options import memory_limit
from warehouse.cli.options import database
from warehouse.cli.scope_options import scope
from warehouse.wording import counted

if TYPE_CHECKING:
    from warehouse.query.selection import Selection


@click.command("chakra-et", short_help="Write Chakra execution traces (.et).")
@database
@memory_limit
@scope
@output_option("A file.et, or a folder.  [default: RUN.<rank>.et in the working folder]")
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
    with scoped(db, wait_s, selection, whole="an execution graph") as opened:
        files = registry.export(opened, "chakra-et", output or Path(), asdict(options))
    for file in files:
        say(
            f"Wrote {file.path}: {counted(file.n_nodes, 'node')}, "
            f"{counted(file.n_data_deps, 'dependency', 'dependencies')}."
        )
        for remark in file.remarks:
            say(f"  {remark}")
