"""When engines worked, waited and idled."""

from __future__ import annotations

from typing import Any

from tests.support.tpu_captures import Capture, Command, last
from tests.support.tpu_oracle.base import Row, covered, named, ratio, total


def engine_summary(capture: Capture) -> list[Row]:
    span = capture.end - capture.start
    rows: list[Row] = []
    for unit in capture.units():
        mine = capture.of(unit)
        busy, work = covered(mine), covered(c for c in mine if not c.is_sync)
        first, end = min(c.ts for c in mine), max(c.end for c in mine)
        gaps = [b - a for a, b in _gaps(mine)]
        rows.append(
            named(unit)
            | {
                "n_commands": len(mine), "n_sync": sum(c.is_sync for c in mine), "start_ns": first,
                "end_ns": end, "span_ns": span, "work_ns": len(work),
                "sync_ns": len(busy - work), "idle_ns": span - len(busy),
                "utilization": ratio(len(work), span), "idle_share": ratio(span - len(busy), span),
                "n_gaps": len(gaps), "longest_gap_ns": max(gaps, default=0),
                "cycles": total(c.cycles for c in mine),
                "work_cycles": sum(c.cycles or 0 for c in mine if not c.is_sync),
            }
        )  # fmt: skip
    return rows


def _gaps(commands: list[Command]) -> list[tuple[int, int]]:
    """Where nothing runs between the first start and the last; empty commands count."""
    gaps, until = [], None
    for command in sorted(commands, key=lambda c: (c.ts, c.end, c.slice_id)):
        if until is not None and command.ts > until:
            gaps.append((until, command.ts))
        until = max(command.end, until if until is not None else command.end)
    return gaps


def gap(capture: Capture, top: int = 50) -> list[Row]:
    rows: list[Row] = []
    for unit in capture.units():
        mine = capture.of(unit)
        for start, end in _gaps(mine):
            before = min((c for c in mine if c.end == start), key=lambda c: c.slice_id)
            after = min((c for c in mine if c.ts == end), key=lambda c: (c.end, c.slice_id))
            rows.append(
                named(unit)
                | {
                    "start_ns": start, "end_ns": end, "gap_ns": end - start,
                    "before_slice_id": before.slice_id, "before_name": before.source_name,
                    "after_slice_id": after.slice_id, "after_name": after.source_name,
                    "kernel_name": after.kernel_name,
                }
            )  # fmt: skip
    rows.sort(
        key=lambda r: (-r["gap_ns"], r["start_ns"], r["engine"], last(r["core"]), last(r["port"]))
    )
    return rows[:top]


def buckets(capture: Capture, bucket_ns: int) -> range:
    return range(capture.start // bucket_ns * bucket_ns, capture.end, bucket_ns)


def utilization_over_time(capture: Capture, bucket_ns: int = 100_000) -> list[Row]:
    if capture.end == capture.start:
        return []
    rows: list[Row] = []
    for unit in capture.units():
        work = covered(c for c in capture.of(unit) if not c.is_sync)
        for start in buckets(capture, bucket_ns):
            ends = min(start + bucket_ns, capture.end)
            span = range(max(start, capture.start), ends)
            n = sum(ns in work for ns in span)
            rows.append(
                named(unit)
                | {
                    "bucket_start_ns": start, "covered_ns": len(span), "work_ns": n,
                    "utilization": n / len(span),
                }
            )  # fmt: skip
    return rows


def _shares(work: list[Command], span: int) -> Row:
    compute = covered(c for c in work if c.engine == "TIU")
    transfer = covered(c for c in work if c.engine != "TIU")
    both = len(compute & transfer)
    return {
        "span_ns": span, "compute_ns": len(compute), "transfer_ns": len(transfer),
        "overlap_ns": both, "exposed_transfer_ns": len(transfer - compute),
        "neither_ns": span - len(compute | transfer), "compute_share": ratio(len(compute), span),
        "transfer_share": ratio(len(transfer), span),
        "overlap_share": ratio(both, min(len(compute), len(transfer))),
    }  # fmt: skip


def overlap(capture: Capture) -> list[Row]:
    work = [c for c in capture.commands if not c.is_sync]
    cores = sorted({c.core for c in work if c.core is not None})
    span = capture.end - capture.start
    return [{"core": core} | _shares([c for c in work if c.core == core], span) for core in cores]


def device_overlap(capture: Capture) -> list[Row]:
    work = [c for c in capture.commands if not c.is_sync]
    return [_shares(work, capture.end - capture.start)] if work else []


def core_imbalance(capture: Capture) -> list[Row]:
    cores = sorted({c.core for c in capture.commands if c.core is not None})
    rows: list[Row] = []
    for engine in sorted({c.engine for c in capture.commands if c.core is not None}):
        mine = {core: capture.of((engine, core, None)) for core in cores}
        work = {core: len(covered(c for c in mine[core] if not c.is_sync)) for core in cores}
        ends = [max(c.end for c in each) for each in mine.values() if each]
        mean = sum(work.values()) / len(work)
        slowest, fastest = (side(work.values()) for side in (max, min))
        rows.append(
            {
                "engine": engine, "n_cores": len(cores), "min_work_ns": fastest,
                "mean_work_ns": mean, "max_work_ns": slowest,
                "slowest_core": min(core for core in cores if work[core] == slowest),
                "fastest_core": min(core for core in cores if work[core] == fastest),
                "imbalance": max(slowest / mean - 1, 0.0) if mean else None,
                "first_end_ns": min(ends), "last_end_ns": max(ends),
            }
        )  # fmt: skip
    return rows


def sync_wait(capture: Capture) -> list[Row]:
    span = capture.end - capture.start
    groups: dict[tuple[Any, ...], list[Command]] = {}
    for c in capture.commands:
        if c.is_sync:
            groups.setdefault((*c.unit, c.kernel_name, c.function), []).append(c)
    rows: list[Row] = []
    for (engine, core, port, kernel, function), mine in groups.items():
        spent = sum(len(c.ns) for c in mine)
        rows.append(
            {
                "engine": engine, "core": core, "port": port, "kernel_name": kernel,
                "function": function, "n_commands": len(mine), "total_ns": spent,
                "max_ns": max(len(c.ns) for c in mine), "share": ratio(spent, span),
            }
        )  # fmt: skip
    rows.sort(
        key=lambda r: (
            -r["total_ns"],
            r["engine"],
            *(last(r[k]) for k in ("core", "port", "kernel_name", "function")),
        )
    )
    return rows
