"""The presentation of Sophgo TPU captures on timelines, equal to that of bigTpuProfile."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from warehouse.export.presentation import Arguments, Counter, Presentation
from warehouse.export.sql import SqlFolder

if TYPE_CHECKING:
    import duckdb

load = SqlFolder(Path(__file__).resolve().parent).load
#: Name and unit of an engine's counter; the values are those of counters.sql.
_COUNTERS = {"TIU": ("TIU Utilization", "%"), "GDMA": ("GDMA Bandwidth", "GB/s")}


def _arguments() -> Arguments:
    from tw_importers.sophgo.presentation.arguments import CommandArguments

    return CommandArguments()


def _counters(connection: duckdb.DuckDBPyConnection) -> list[Counter]:
    rows = connection.execute(load("counted")).fetchall()
    return [Counter(track_id, *_COUNTERS[engine]) for track_id, engine in rows]


PRESENTATION = Presentation(
    is_flat=True,
    starts_at_zero=True,
    is_interned=False,  # readers of bigTpuProfile's files process single packets
    listed_category="tpu_command",
    detail_views=(
        "tpu_command",
        "tpu_tiu_counter",
        "tpu_dma_counter",
        "tpu_dma_bm1688_counter",
        "tpu_cdma_counter",
    ),
    tracks=load("tracks"),
    arguments=_arguments,
    counters=_counters,
    counter_values=load("counters"),
)
