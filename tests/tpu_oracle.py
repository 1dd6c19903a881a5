"""The figures of queries about TPU captures, found by looking at every nanosecond and command.

Each function takes a capture and gives the rows of the query of its name, `tpu_` left out, as
dictionaries without run_id, trace_id and rank, in the order of the query.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from tests.tpu_captures import DDR_GB_PER_S, L2_GB_PER_S, Capture, Command, last

Row = dict[str, Any]
MEMORIES = {"DDR": "ddr", "L2M": "l2", "LMEM": "lmem"}
PEAKS = {"DDR": DDR_GB_PER_S * 1e9, "L2M": L2_GB_PER_S * 1e9, "LMEM": None}


def covered(commands: Iterable[Command]) -> set[int]:
    """The nanoseconds in which some of the commands runs."""
    return {ns for command in commands for ns in command.ns}


def ratio(a: float | None, b: float | None) -> float | None:
    """a / b, or nothing where there is nothing to divide by."""
    return None if a is None or not b else a / b


def total(values: Iterable[int | None]) -> int | None:
    """The sum of what is known; None where nothing is."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def named(unit: tuple[str, int | None, int | None]) -> Row:
    return dict(zip(("engine", "core", "port"), unit, strict=True))


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


def traffic(command: Command) -> dict[str, tuple[int, int]]:
    """Bytes read and written in each memory; nothing without counters."""
    n = command.counters
    if command.engine == "TIU" or not n:
        return {}
    if command.engine == "CDMA":
        sends = command.function in ("send", "write", "tcp_send")
        takes = command.function in ("receive", "read", "tcp_receive")
        if not sends and not takes and command.type_code is None:
            takes, sends = n["thread"] == 1, n["thread"] != 1
        if not sends and not takes:
            sends = takes = True
        return {"DDR": (n["m0_aw_bytes"] * sends, n["m0_aw_bytes"] * takes)}
    outside_read = max(n["gif_write_bytes"] + n["axi_write_bytes"] - n["gif_read_bytes"], 0)
    found = {"DDR": [0, 0], "L2M": [0, 0], "LMEM": [n["gif_read_bytes"], n["gif_write_bytes"]]}
    found["L2M" if command.source_memory == "L2M" else "DDR"][0] += outside_read
    found["L2M" if command.destination_memory == "L2M" else "DDR"][1] += n["axi_write_bytes"]
    return {memory: (read, written) for memory, (read, written) in found.items()}


def bandwidth(capture: Capture) -> list[Row]:
    span = capture.end - capture.start
    rows: list[Row] = []
    for unit in capture.units():
        mine = capture.of(unit)
        work = len(covered(c for c in mine if not c.is_sync))
        for memory in MEMORIES:
            moved = [traffic(c).get(memory, (0, 0)) for c in mine]
            n = sum(read + written > 0 for read, written in moved)
            if not n:
                continue
            read, written = (sum(each[side] for each in moved) for side in (0, 1))
            both = read + written
            peak = None if unit[0] == "CDMA" else PEAKS[memory]
            rate, mean = ratio(both * 1e9, work), ratio(both * 1e9, span)
            rows.append(
                named(unit)
                | {
                    "memory": memory, "n_transfers": n, "read_bytes": read, "write_bytes": written,
                    "total_bytes": both, "work_ns": work, "span_ns": span,
                    "read_bytes_per_s": ratio(read * 1e9, work),
                    "write_bytes_per_s": ratio(written * 1e9, work), "total_bytes_per_s": rate,
                    "mean_bytes_per_s": mean, "peak_bytes_per_s": peak,
                    "peak_share": ratio(rate, peak), "mean_peak_share": ratio(mean, peak),
                }
            )  # fmt: skip
    return rows


def _spread(commands: list[Command], memory: str, bucket_ns: int) -> dict[int, list[float]]:
    """Bytes read and written in each bucket: those of a command spread over its nanoseconds."""
    found: dict[int, list[float]] = {}
    for command in commands:
        ns = command.ns or range(command.ts, command.ts + 1)
        sides = traffic(command).get(memory, (0, 0))
        if not sum(sides):
            continue
        for bucket, n in Counter(t // bucket_ns * bucket_ns for t in ns).items():
            here = found.setdefault(bucket, [0.0, 0.0])
            for side in (0, 1):
                here[side] += sides[side] * n / len(ns)
    return found


def _bucket_rows(
    place: Row, commands: list[Command], bucket_ns: int, peaks: dict[str, float | None]
) -> list[Row]:
    rows: list[Row] = []
    for memory in MEMORIES:
        for start, (read, written) in sorted(_spread(commands, memory, bucket_ns).items()):
            rate = (read + written) * 1e9 / bucket_ns
            rows.append(
                place
                | {
                    "memory": memory, "bucket_start_ns": start, "read_bytes": read,
                    "write_bytes": written, "read_bytes_per_s": read * 1e9 / bucket_ns,
                    "write_bytes_per_s": written * 1e9 / bucket_ns, "total_bytes_per_s": rate,
                    "peak_bytes_per_s": peaks[memory], "peak_share": ratio(rate, peaks[memory]),
                }
            )  # fmt: skip
    return rows


def bandwidth_over_time(capture: Capture, bucket_ns: int = 100_000) -> list[Row]:
    unknown: dict[str, float | None] = dict.fromkeys(MEMORIES)
    return [
        row
        for unit in capture.units()
        for row in _bucket_rows(
            named(unit), capture.of(unit), bucket_ns, unknown if unit[0] == "CDMA" else PEAKS
        )
    ]


def device_bandwidth_over_time(capture: Capture, bucket_ns: int = 100_000) -> list[Row]:
    peaks = {m: None if p is None else p * capture.n_cores for m, p in PEAKS.items()}
    return _bucket_rows({}, capture.commands, bucket_ns, peaks)


def link(capture: Capture) -> list[Row]:
    rows: list[Row] = []
    ways: dict[tuple[int, str], list[Command]] = {}
    for command in capture.commands:
        if command.engine == "CDMA" and command.port is not None:
            ways.setdefault((command.port, _way(command)), []).append(command)
    for (port, way), mine in sorted(
        ways.items(), key=lambda item: (item[0][0], item[0][1] == "RX")
    ):
        moving = [c for c in mine if not c.is_sync]
        work = len(covered(moving))
        n_bytes = sum(c.bytes or 0 for c in mine)
        replays = sum(c.counters.get("n_replays", 0) for c in mine)
        memory = sum(_counter(c, "m0_write_stall_cycles", "m0_read_stall_cycles") for c in moving)
        stalled = sum(
            _counter(c, "ati_stall_cycles", "ari_stall_cycles", "ati_fifo_stall_cycles")
            for c in moving
        )
        cycles = sum(c.cycles or 0 for c in moving)
        rows.append(
            {
                "port": port, "direction": way, "n_commands": len(mine),
                "n_sync": len(mine) - len(moving), "bytes": n_bytes, "work_ns": work,
                "sync_ns": sum(len(c.ns) for c in mine if c.is_sync),
                "bytes_per_s": ratio(n_bytes * 1e9, work), "n_replays": replays,
                "replays_per_transfer": ratio(replays, len(moving)),
                "memory_stall_cycles": memory, "link_stall_cycles": stalled, "cycles": cycles,
                "stall_share": ratio(memory + stalled, cycles),
            }
        )  # fmt: skip
    return rows


def _counter(command: Command, *names: str) -> int:
    return sum(command.counters.get(name, 0) for name in names)


def _way(command: Command) -> str:
    if command.function in ("send", "write", "tcp_send", "tx_send", "tx_wait"):
        return "TX"
    if command.function in ("receive", "read", "tcp_receive", "rx_send", "rx_wait"):
        return "RX"
    return "RX" if command.counters.get("thread") == 1 else "TX"


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


def summary(capture: Capture) -> list[Row]:
    cores = sorted({c.core for c in capture.commands if c.core is not None})
    span = capture.end - capture.start
    per_core = {core: _core_figures(capture, core) for core in cores}
    rows = [_summary_row(core, 1, span, per_core[core]) for core in cores]
    if cores:
        whole = {
            key: (max if key.endswith("_cycles") else _sum)(each[key] for each in per_core.values())
            for key in per_core[cores[0]]
        }
        rows.append(_summary_row(None, len(cores), span, whole))
    return rows


def _sum(values: Iterable[int | None]) -> int | None:
    return total(values)


def _core_figures(capture: Capture, core: int) -> Row:
    mine = [c for c in capture.commands if c.core == core]
    found: Row = {}
    for engine in ("TIU", "GDMA", "SDMA"):
        name = engine.lower()
        own = [c for c in mine if c.engine == engine]
        work = [c for c in own if not c.is_sync]
        found[f"{name}_cycles"] = sum(c.cycles or 0 for c in work)
        found[f"{name}_ns"] = found[f"{name}_cycles"]  # at 1 GHz
        found[f"{name}_busy"] = len(covered(own))
        ddr = [c for c in work if c.ddr_bytes]
        found[f"{name}_ddr"] = sum(c.ddr_bytes or 0 for c in ddr)
        found[f"{name}_ddr_ns"] = sum(c.cycles or 0 for c in ddr)
        l2 = [c for c in work if not c.ddr_bytes and c.l2_bytes]
        found[f"{name}_l2"] = sum(c.l2_bytes or 0 for c in l2)
        found[f"{name}_l2_ns"] = sum(c.cycles or 0 for c in l2)
    compute = [c for c in mine if not c.is_sync]
    found["alg"] = total(c.alg_ops for c in compute)
    found["done"] = total(c.uarch_ops for c in compute)
    moved = [traffic(c).get("DDR", (0, 0)) for c in mine]
    found |= {
        name: _shares(compute, 0)[name] for name in ("compute_ns", "transfer_ns", "overlap_ns")
    }
    found["read"], found["written"] = (sum(each[side] for each in moved) for side in (0, 1))
    return found


def _summary_row(core: int | None, n: int, span: int, f: Row) -> Row:
    whole = span * n
    rate = {
        name: ratio(f[name] * 1e9, f[f"{name}_ns"]) or 0.0
        for name in ("gdma_ddr", "gdma_l2", "sdma_ddr")
    }
    return {
        "core": core, "n_cores": n,
        "parallelism": ratio(f["tiu_ns"] + f["gdma_ns"] + f["sdma_ns"], whole), "total_ns": span,
        "tiu_working_ratio": ratio(f["tiu_ns"], whole), "tiu_cycles": f["tiu_cycles"],
        "tiu_ns": f["tiu_ns"], "uarch_rate": ratio(f["alg"], f["done"]),
        "gdma_cycles": f["gdma_cycles"], "gdma_ns": f["gdma_ns"],
        "gdma_ddr_bytes_per_s": rate["gdma_ddr"], "gdma_l2_bytes_per_s": rate["gdma_l2"],
        "sdma_cycles": f["sdma_cycles"], "sdma_ns": f["sdma_ns"],
        "sdma_ddr_bytes_per_s": rate["sdma_ddr"],
        **{f"{e}_idle_ns": whole - f[f"{e}_busy"] for e in ("tiu", "gdma", "sdma")},
        "ddr_read_bytes": f["read"], "ddr_write_bytes": f["written"],
        "ddr_read_bytes_per_s": ratio(f["read"] * 1e9, span),
        "ddr_write_bytes_per_s": ratio(f["written"] * 1e9, span),
        "ddr_total_bytes_per_s": ratio((f["read"] + f["written"]) * 1e9, span),
        "compute_share": ratio(f["compute_ns"], whole),
        "transfer_share": ratio(f["transfer_ns"], whole),
        "overlap_share": ratio(f["overlap_ns"], min(f["compute_ns"], f["transfer_ns"])),
    }  # fmt: skip


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


def all_traffic(capture: Capture) -> list[Row]:
    """Of tpu_traffic: each command that has counters."""
    rows: list[Row] = []
    for c in capture.commands:
        if found := traffic(c):
            row: Row = {"slice_id": c.slice_id, "engine": c.engine, "core": c.core, "port": c.port}
            row |= {"start_ns": c.ts, "end_ns": c.end}
            for memory, name in MEMORIES.items():
                read, written = found.get(memory, (0, 0))
                row |= {f"{name}_read_bytes": read, f"{name}_write_bytes": written}
            rows.append(row)
    return rows
