"""Shows the rows of many ranks on a terminal as a distribution; elsewhere all rows are written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from warehouse.query.selection import LISTED_RANKS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from warehouse.query.encoding import Rows
    from warehouse.query.rank_distribution import Layout

all_ranks_option = click.option(
    "--all-ranks",
    is_flag=True,
    help="On a terminal, list the rows of all ranks; by default, more than "
    f"{LISTED_RANKS} ranks are shown as a distribution with its outliers.",
)


def distribution(
    rows: Rows, layout: Layout, about: Mapping[str, str], *, quiet: bool, more: str = ""
) -> Rows:
    """Returns how rows are distributed over the ranks, if these are many; else the rows.

    Prints how to list the ranks, and `more`.
    """
    import pyarrow as pa

    from warehouse.query.rank_distribution import of_rows
    from warehouse.query.result import QueryResult

    table = pa.Table.from_batches(list(rows.batches()), rows.schema)
    result = QueryResult(table, rows.columns, about)
    found = of_rows(result, layout)
    if found is None:
        return result
    if not quiet:
        click.echo(f"{found.title}; --all-ranks{more} lists ranks:", err=True)
    return found.rows
