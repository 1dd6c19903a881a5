"""The building blocks that other queries call."""

from __future__ import annotations

from tests.support.tpu_captures import Capture, Command
from tests.support.tpu_oracle.base import PEAKS, Row, covered, named
from tests.support.tpu_oracle.engines import overlap


def chip(capture: Capture) -> list[Row]:
    return [
        {
            "device_id": capture.trace_id << 32, "chip": "AKS", "n_cores": capture.n_cores,
            "ddr_bytes_per_s": PEAKS["DDR"], "l2_bytes_per_s": PEAKS["L2M"], "tiu_hz": 1e9,
            "dma_hz": 1e9,
        }
    ]  # fmt: skip


def work(capture: Capture) -> list[Row]:
    return [
        {"slice_id": c.slice_id}
        | named(c.unit)
        | {
            "start_ns": c.ts, "end_ns": c.end, "kind": c.work, "is_sync": c.is_sync,
            "cycles": c.cycles,
        }
        for c in capture.commands
    ]  # fmt: skip


def engine_step(capture: Capture) -> list[Row]:
    rows: list[Row] = []
    for unit in capture.units():
        before: list[Command] = []
        for c in sorted(capture.of(unit), key=lambda c: (c.ts, c.end, c.slice_id)):
            worked = covered(b for b in before if not b.is_sync)
            until = max((b.end for b in before), default=None)
            done = max((b.end for b in before if not b.is_sync), default=c.ts)
            rows.append(
                {"slice_id": c.slice_id}
                | named(unit)
                | {
                    "start_ns": c.ts, "end_ns": c.end, "is_sync": c.is_sync, "cycles": c.cycles,
                    "busy_ns": len(set(c.ns) - covered(before)),
                    "work_ns": 0 if c.is_sync else len(set(c.ns) - worked),
                    "work_from_ns": None if c.is_sync else max(c.ts, done),
                    "gap_ns": None if until is None else max(c.ts - until, 0), "gap_from_ns": until,
                }
            )  # fmt: skip
            before.append(c)
    return rows


def core_overlap(capture: Capture) -> list[Row]:
    rows: list[Row] = []
    for row in overlap(capture):
        both = row["compute_ns"] + row["transfer_ns"] - row["overlap_ns"]
        rows.append(
            {
                "core": row["core"], "either_ns": both, "compute_ns": row["compute_ns"],
                "transfer_ns": row["transfer_ns"],
            }
        )  # fmt: skip
    return rows
