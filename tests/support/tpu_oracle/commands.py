"""What commands, kernels, batches and operations add up to."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tests.support.tpu_captures import Capture, Command, last
from tests.support.tpu_oracle.base import Row, named, ratio, total


def uarch_rate(capture: Capture) -> list[Row]:
    groups: dict[tuple[Any, ...], list[Command]] = {}
    for c in capture.commands:
        if c.engine == "TIU" and not c.is_sync:
            groups.setdefault((c.core, c.type, c.function), []).append(c)
    rows: list[Row] = []
    for (core, kind, function), mine in groups.items():
        counted = [c for c in mine if c.alg_ops is not None]
        cycles, alg_cycles = total(c.cycles for c in mine), total(c.alg_cycles for c in mine)
        alg, done = total(c.alg_ops for c in mine), total(c.uarch_ops for c in mine)
        rows.append(
            {
                "core": core, "type": kind, "function": function, "n_commands": len(mine),
                "n_counted": len(counted), "alg_ops": alg, "uarch_ops": done,
                "uarch_rate": ratio(alg, done), "alg_cycles": alg_cycles, "cycles": cycles,
                "peak_share": ratio(alg_cycles, total(c.cycles for c in counted)),
            }
        )  # fmt: skip
    rows.sort(
        key=lambda r: (last(r["core"]), -(r["cycles"] or 0), last(r["type"]), last(r["function"]))
    )
    return rows


def low_uarch_rate(capture: Capture, below: float = 0.4, top: int = 100) -> list[Row]:
    rows: list[Row] = []
    for c in capture.commands:
        if c.engine != "TIU" or c.is_sync or not c.uarch_ops or c.alg_ops is None:
            continue
        rate = c.alg_ops / c.uarch_ops
        if rate < below:
            rows.append(
                {
                    "core": c.core, "slice_id": c.slice_id, "ts": c.ts, "dur_ns": max(c.dur, 0),
                    "type": c.type, "function": c.function, "name": c.source_name,
                    "kernel_name": c.kernel_name, "alg_ops": c.alg_ops, "uarch_ops": c.uarch_ops,
                    "uarch_rate": rate, "wasted_cycles": (c.cycles or 0) * (1 - rate),
                }
            )  # fmt: skip
    rows.sort(key=lambda r: (-r["wasted_cycles"], r["slice_id"]))
    return rows[:top]


def stall(capture: Capture) -> list[Row]:
    rows: list[Row] = []
    for unit in capture.units():
        mine = [c for c in capture.of(unit) if not c.is_sync]
        if not mine:
            continue
        dma = [c.counters for c in mine if c.engine in ("GDMA", "SDMA") and c.counters]
        latency = [
            c.counters["ar_latency_cycles"]
            for c in mine
            if c.engine in ("GDMA", "SDMA") and c.counters and c.bytes
        ]
        cycles, stalled = total(c.cycles for c in mine), total(c.stall_cycles for c in mine)
        times = total(c.n_memory_transactions for c in mine)
        conflicts = total(c.n_bank_conflicts for c in mine)
        rows.append(
            named(unit)
            | {
                "n_commands": len(mine), "cycles": cycles, "stall_cycles": stalled,
                "stall_share": ratio(stalled, cycles),
                **{
                    name: total(n.get(name) for n in dma)
                    for name in (
                        "gif_stall_cycles", "axi_read_stall_cycles", "axi_write_stall_cycles"
                    )
                },
                "mean_read_latency_cycles": ratio(sum(latency), len(latency)),
                "n_memory_transactions": times,
                "bytes_per_transaction": ratio(total(c.bytes for c in mine), times),
                "n_bank_conflicts": conflicts, "bank_conflict_share": ratio(conflicts, cycles),
            }
        )  # fmt: skip
    return rows


def group_figures(mine: list[Command]) -> Row:
    """What kernels and batches are summed up by."""
    time = {
        work: sum(len(c.ns) for c in mine if c.work == work)
        for work in ("compute", "transfer", "sync")
    }
    ddr = sum(c.ddr_bytes or 0 for c in mine)
    ddr_ns = sum(len(c.ns) for c in mine if c.ddr_bytes)
    alg = total(c.alg_ops for c in mine if c.work == "compute")
    done = total(c.uarch_ops for c in mine if c.work == "compute")
    return {
        "n_commands": len(mine), "compute_ns": time["compute"], "transfer_ns": time["transfer"],
        "sync_ns": time["sync"], "bytes": sum(c.bytes or 0 for c in mine), "ddr_bytes": ddr,
        "l2_bytes": sum(c.l2_bytes or 0 for c in mine),
        "ddr_bytes_per_s": ratio(ddr * 1e9, ddr_ns), "alg_ops": alg,
        "uarch_rate": ratio(alg, done), "intensity": ratio(alg, ddr),
    }  # fmt: skip


def kernel_summary(capture: Capture) -> list[Row]:
    rows: list[Row] = []
    for name in {c.kernel_name for c in capture.commands}:
        mine = [c for c in capture.commands if c.kernel_name == name]
        launches: dict[tuple[Any, ...], list[Command]] = {}
        if name is not None:
            for c in mine:
                launches.setdefault((c.core, c.port, c.kernel_scope), []).append(c)
        times = [max(c.end for c in each) - min(c.ts for c in each) for each in launches.values()]
        rows.append(
            {
                "kernel_name": name, "n_launches": len(times),
                "n_cores": len({c.core for c in mine if c.core is not None}),
                "elapsed_ns": sum(times) if times else None,
                "mean_ns": ratio(sum(times), len(times)), "max_ns": max(times, default=None),
                **group_figures(mine),
            }
        )  # fmt: skip
    rows.sort(
        key=lambda r: (r["elapsed_ns"] is None, -(r["elapsed_ns"] or 0), last(r["kernel_name"]))
    )
    return rows


def batch_summary(capture: Capture) -> list[Row]:
    rows: list[Row] = []
    for batch in sorted({c.batch for c in capture.commands}, key=last):
        mine = [c for c in capture.commands if c.batch == batch]
        start, end = min(c.ts for c in mine), max(c.end for c in mine)
        rows.append(
            {"batch": batch, "start_ns": start, "end_ns": end, "elapsed_ns": end - start}
            | group_figures(mine)
        )
    return rows


def op_summary(capture: Capture) -> list[Row]:
    groups: dict[tuple[Any, ...], list[Command]] = {}
    for c in capture.commands:
        groups.setdefault((c.engine, c.type, c.function, c.is_sync), []).append(c)
    whole = Counter[str]()
    for c in capture.commands:
        whole[c.engine] += len(c.ns)
    rows: list[Row] = []
    for (engine, kind, function, is_sync), mine in groups.items():
        lengths = [len(c.ns) for c in mine]
        n_bytes, alg = sum(c.bytes or 0 for c in mine), total(c.alg_ops for c in mine)
        rows.append(
            {
                "engine": engine, "type": kind, "function": function,
                "source_name": min((c.source_name for c in mine if c.source_name), default=None),
                "is_sync": is_sync, "n_commands": len(mine), "total_ns": sum(lengths),
                "engine_share": ratio(sum(lengths), whole[engine]), "min_ns": min(lengths),
                "mean_ns": sum(lengths) / len(lengths), "max_ns": max(lengths),
                "cycles": total(c.cycles for c in mine),
                "stall_cycles": total(c.stall_cycles for c in mine), "bytes": n_bytes,
                "bytes_per_s": ratio(n_bytes * 1e9, sum(lengths)), "alg_ops": alg,
                "uarch_rate": ratio(alg, total(c.uarch_ops for c in mine)),
            }
        )  # fmt: skip
    rows.sort(
        key=lambda r: (
            r["engine"],
            -r["total_ns"],
            last(r["type"]),
            last(r["function"]),
            r["is_sync"],
        )
    )
    return rows


def function_summary(capture: Capture) -> list[Row]:
    rows: list[Row] = []
    for core in sorted({c.core for c in capture.commands if c.engine == "TIU"}, key=last):
        mine = sorted(capture.of(("TIU", core, None)), key=lambda c: c.stream_n or 0)
        whole = _function_figures([c for c in mine if c.function != "wait"], mine)
        for name in dict.fromkeys(c.category for c in mine):
            named_so = [c for c in mine if c.category == name]
            figures = _function_figures(named_so, named_so)
            rows.append(_function_row(core, False, name, figures, whole))
        rows.append(_function_row(core, True, None, whole, whole))
    return rows


def _function_figures(working: list[Command], mine: list[Command]) -> Row:
    """Sums; a command of unknown size counts as one operation."""
    return {
        "n_commands": len(mine), "n_unknown": sum(c.alg_ops is None for c in mine),
        "alg_ops": sum(1 if c.alg_ops is None else c.alg_ops for c in mine),
        "alg_cycles": sum(c.alg_cycles or 0 for c in mine),
        "uarch_ops": sum(1 if c.uarch_ops is None else c.uarch_ops for c in mine),
        "cycles": sum(c.cycles or 0 for c in working),
    }  # fmt: skip


def _function_row(core: int | None, is_total: bool, name: str | None, f: Row, whole: Row) -> Row:
    shares = {
        f"{n}_share": ratio(f[n], whole[n])
        for n in ("alg_ops", "alg_cycles", "uarch_ops", "cycles")
    }
    key = {"core": core, "is_total": is_total, "function_type": name}
    return key | f | shares | {"uarch_rate": ratio(f["alg_ops"], f["uarch_ops"])}


def top_commands(capture: Capture, top: int = 50, with_sync: bool = False) -> list[Row]:
    chosen = [c for c in capture.commands if with_sync or not c.is_sync]
    chosen.sort(key=lambda c: (-max(c.dur, 0), c.slice_id))
    return [
        named(c.unit)
        | {
            "place": place, "slice_id": c.slice_id, "ts": c.ts, "dur_ns": max(c.dur, 0),
            "cycles": c.cycles, "shown_id": c.shown_id, "stream_n": c.stream_n, "type": c.type,
            "function": c.function, "source_name": c.source_name, "kernel_name": c.kernel_name,
            "layer": c.layer, "direction": c.direction, "bytes": c.bytes,
            "bytes_per_s": None if c.bytes is None else ratio(c.bytes * 1e9, max(c.dur, 0)),
            "stall_cycles": c.stall_cycles, "n_bank_conflicts": c.n_bank_conflicts,
            "uarch_rate": ratio(c.alg_ops, c.uarch_ops),
        }
        for place, c in enumerate(chosen[:top], 1)
    ]  # fmt: skip
