"""`tw export chakra-etplus`: execution traces linked with timelines, as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from warehouse.cli.export_options import scoped
from warehouse.cli.memory_options import memory_limit
from warehouse.cli.options import database
from warehouse.cli.scope_options import scope

if TYPE_CHECKING:
    from tw_importers.chakra_et.export.etplus import WrittenRank
    from warehouse.query.selection import Selection


@click.command("chakra-etplus", short_help="Write linked execution traces (ET+).")
@database
@memory_limit
@scope
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="A .json or .json.gz file; a folder for several ranks.  [default: RUN.etplus.json, or "
    "RUN.etplus]",
)
@click.option(
    "--set",
    "link_set",
    type=click.Choice(["default", "chakra-1.0"]),
    default="default",
    show_default=True,
    help="Rules to link by: ours, or those of chakra_trace_link.",
)
@click.option(
    "--order",
    "orders",
    type=click.Choice(["stream", "group"]),
    multiple=True,
    help="Write the order of streams, or of process groups, too, as order_dep; repeatable.",
)
def chakra_etplus(
    db: Path | None,
    wait_s: float,
    selection: Selection,
    output: Path | None,
    link_set: str,
    orders: tuple[str, ...],
) -> None:
    """Write execution traces linked with timelines: ET+, what chakra_trace_link makes.

    One file a rank: etplus.RANK.json in a folder, or one file for one rank. A set of links that is
    not in the warehouse is made for this file alone; `tw link --graphs` stores it.

    \b
    Example:
      tw export chakra-etplus -o ranks
      tw export chakra-etplus --set chakra-1.0 --rank 0 -o et_plus.json
    """
    from tw_importers.chakra_et.export import etplus
    from warehouse.export import registry
    from warehouse.files import file_stem

    with scoped(db, wait_s, selection, whole="a linked graph") as opened:
        names = opened.seen.run_names
        stem = file_stem(names[0]) if len(names) == 1 else "traces"
        is_single = output is None and etplus.count(opened, link_set) == 1
        path = output or Path(f"{stem}.etplus.json" if is_single else f"{stem}.etplus")
        options = {"link_set": link_set, "orders": orders}
        written: list[WrittenRank] = registry.export(opened, "chakra-etplus", path, options)
    for each in written:
        for line in _summary(each):
            click.echo(line, err=True)


def _summary(written: WrittenRank) -> Iterator[str]:
    yield (
        f"Wrote {written.path}: {written.n_nodes:,} nodes, "
        f"{written.n_device_nodes:,} of them device work."
    )
    if written.n_unlinked:
        yield f"  {written.n_unlinked:,} host nodes are not on the timeline: without times."
    if written.n_flagged:
        yield (
            f"  {written.n_flagged:,} nodes of device work have no operator around their call: "
            "unlinked_reason says why."
        )
    if written.old_schema:
        yield f"  Nodes of schema {written.old_schema} are written as 1.0.2 has them."
