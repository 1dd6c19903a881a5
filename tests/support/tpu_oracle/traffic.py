"""What went through memories and links."""

from __future__ import annotations

from collections import Counter

from tests.support.tpu_captures import Capture, Command
from tests.support.tpu_oracle.base import MEMORIES, PEAKS, Row, covered, named, ratio


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
