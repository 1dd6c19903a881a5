"""The figures of queries about TPU captures, found by looking at every nanosecond and command.

Each function takes a capture and gives the rows of the query of its name, `tpu_` left out, as
dictionaries without run_id, trace_id and rank, in the order of the query.
"""

from __future__ import annotations

from tests.support.tpu_oracle.blocks import chip, core_overlap, engine_step, work
from tests.support.tpu_oracle.commands import (
    batch_summary,
    function_summary,
    group_figures,
    kernel_summary,
    low_uarch_rate,
    op_summary,
    stall,
    top_commands,
    uarch_rate,
)
from tests.support.tpu_oracle.engines import (
    buckets,
    core_imbalance,
    device_overlap,
    engine_summary,
    gap,
    overlap,
    sync_wait,
    utilization_over_time,
)
from tests.support.tpu_oracle.traffic import (
    all_traffic,
    bandwidth,
    bandwidth_over_time,
    device_bandwidth_over_time,
    link,
    traffic,
)
from tests.support.tpu_oracle.whole import summary

__all__ = [
    "all_traffic",
    "bandwidth",
    "bandwidth_over_time",
    "batch_summary",
    "buckets",
    "chip",
    "core_imbalance",
    "core_overlap",
    "device_bandwidth_over_time",
    "device_overlap",
    "engine_step",
    "engine_summary",
    "function_summary",
    "gap",
    "group_figures",
    "kernel_summary",
    "link",
    "low_uarch_rate",
    "op_summary",
    "overlap",
    "stall",
    "summary",
    "sync_wait",
    "top_commands",
    "traffic",
    "uarch_rate",
    "utilization_over_time",
    "work",
]
