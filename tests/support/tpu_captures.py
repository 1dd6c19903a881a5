"""Made-up TPU captures as rows of the warehouse, and a slow second way to every figure of them.

    captures = [random_capture(seed) for seed in range(5)]
    insert(connection, captures)
    rows = engine_summary(captures[0])      # of tpu_oracle: what tpu_engine_summary must say

Times are small, so that a second computation may look at every nanosecond.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from typing import Any

DDR_GB_PER_S, L2_GB_PER_S = 100, 200


@dataclass
class Command:
    """A row of tpu_command, and the counters of its record."""

    slice_id: int
    engine: str
    ts: int
    dur: int
    core: int | None = None
    port: int | None = None
    kind: str | None = None
    cycles: int | None = None
    bytes: int | None = None
    ddr_bytes: int | None = None
    l2_bytes: int | None = None
    stall_cycles: int | None = None
    n_memory_transactions: int | None = None
    n_bank_conflicts: int | None = None
    alg_ops: int | None = None
    uarch_ops: int | None = None
    alg_cycles: int | None = None
    kernel_name: str | None = None
    kernel_scope: int | None = None
    batch: int | None = None
    type: str | None = None
    function: str | None = None
    category: str | None = None
    type_code: int | None = None
    source_name: str | None = None
    source_memory: str | None = None
    destination_memory: str | None = None
    direction: str | None = None
    shown_id: int | None = None
    stream_n: int | None = None
    layer: str | None = None
    counters: dict[str, int] = field(default_factory=dict)

    @property
    def end(self) -> int:
        return self.ts + max(self.dur, 0)

    @property
    def is_sync(self) -> bool:
        return self.kind == "sync"

    @property
    def work(self) -> str:
        """What it counts as where its kind is not known."""
        return self.kind or ("compute" if self.engine == "TIU" else "transfer")

    @property
    def unit(self) -> tuple[str, int | None, int | None]:
        return self.engine, self.core, self.port

    @property
    def ns(self) -> range:
        return range(self.ts, self.end)


@dataclass
class Capture:
    """One trace with its commands."""

    trace_id: int
    commands: list[Command]
    n_cores: int = 2

    def units(self) -> list[tuple[str, int | None, int | None]]:
        """Engines as queries order them: by core, port, name; none last."""
        found = {command.unit for command in self.commands}
        return sorted(found, key=lambda u: (last(u[1]), last(u[2]), u[0]))

    def of(self, unit: tuple[str, int | None, int | None]) -> list[Command]:
        return [command for command in self.commands if command.unit == unit]

    @property
    def start(self) -> int:
        return min(command.ts for command in self.commands)

    @property
    def end(self) -> int:
        return max(command.end for command in self.commands)


def last(value: Any) -> tuple[bool, Any]:
    """A key that sorts None behind all else."""
    return value is None, value or 0


_OF_OPERATION = (
    "engine", "core", "port", "kind", "kernel_name", "kernel_scope", "batch", "type", "function",
    "category", "type_code", "source_name", "source_memory", "destination_memory", "direction",
    "layer",
)  # fmt: skip
_OF_TIU = ("n_bank_conflicts", "alg_ops", "uarch_ops", "alg_cycles")
_OF_TRANSFER = ("bytes", "stall_cycles", "n_memory_transactions")
_TABLES = {"TIU": "tpu_tiu_record", "CDMA": "tpu_cdma_record"}


def statements(captures: list[Capture]) -> list[str]:
    """SQL that makes a run of these captures."""
    made = [
        "INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'measured', '2024-01-01');"
    ]
    for capture in captures:
        made += _of_capture(capture)
    return made


def _of_capture(capture: Capture) -> list[str]:
    trace_id = capture.trace_id
    constants = json.dumps(
        {
            "Core Num": capture.n_cores, "DDR Max BW(GB/s/Core)": DDR_GB_PER_S,
            "L2 Max BW(GB/s)": L2_GB_PER_S, "TIU Frequency(MHz)": 1000, "DMA Frequency(MHz)": 1000,
        }
    )  # fmt: skip
    lines = [
        "INSERT INTO trace (id, run_id, name, format, importer, importer_version, tw_version,",
        "  imported_at, base_ns, source_base_ns, start_ts, end_ts)",
        f"VALUES ({trace_id}, 1, 't{trace_id}', 'sophgo', 'sophgo', 1, '0', '2024-01-01', 0, 0,",
        f"  {capture.start}, {capture.end});",
        "INSERT INTO device (id, trace_id, kind, ordinal, name, properties_json)",
        f"VALUES ({trace_id << 32}, {trace_id}, 'tpu', 0, 'AKS', '{constants}');",
    ]
    for command in capture.commands:
        lines += _of_command(command, trace_id)
    return lines


def _of_command(command: Command, trace_id: int) -> list[str]:
    """An operation of its own and a record: what the two say together is the command."""
    own = {"id": command.slice_id, "trace_id": trace_id, "track_id": trace_id << 32,
           "name": command.source_name}  # fmt: skip
    values = {name: getattr(command, name) for name in _OF_OPERATION}
    values |= {"is_ddr": _counts(command, command.ddr_bytes),
             "is_l2": _counts(command, command.l2_bytes)}  # fmt: skip
    record = {
        "slice_id": command.slice_id, "trace_id": trace_id, "operation_id": command.slice_id,
        "ts": command.ts, "dur": command.dur, "stream_n": command.stream_n,
    }  # fmt: skip
    if command.shown_id is not None:
        record["command_id"] = command.shown_id - (command.port is None)
    if command.cycles is not None:
        record |= {"start_cycle": 0, "end_cycle": command.cycles - 1}
    more = _OF_TIU if command.engine == "TIU" else _OF_TRANSFER
    record |= {name: getattr(command, name) for name in more} | command.counters
    table = _TABLES.get(command.engine, "tpu_dma_record")
    return [_insert("tpu_operation", own | values), _insert(table, record)]


def _counts(command: Command, part: int | None) -> bool | None:
    """Whether bandwidth counts the bytes of a transfer: all of them, or none."""
    assert part in (None, 0, command.bytes)
    return None if part is None else part == command.bytes


def _insert(table: str, values: dict[str, Any]) -> str:
    given = {name: value for name, value in values.items() if value is not None}
    shown = ", ".join(_literal(value) for value in given.values())
    return f"INSERT INTO {table} ({', '.join(given)})\nVALUES ({shown});"


def _literal(value: Any) -> str:
    return f"'{value}'" if isinstance(value, str) else str(value)


def small_capture() -> Capture:
    """Two cores and a port, small enough to be counted by hand.

    core 0  GDMA  load 0-10, store 15-35     SDMA  copy 30-50     TIU  add 10-20, wait 20-25
    core 1  TIU   mm2 0-40
    port 0  send 40-60, receive 50-90, a wait 60-70
    """
    kernel: dict[str, Any] = {"kernel_name": "a", "kernel_scope": 0, "batch": 0}
    load: dict[str, Any] = {
        "type": "dma_tensor",
        "function": "copy",
        "type_code": 0,
        "kind": "transfer",
    }
    commands = [
        Command(1, "GDMA", 0, 10, 0, cycles=11, bytes=400, ddr_bytes=400, l2_bytes=0,
                stall_cycles=2, n_memory_transactions=4, source_name="tensorLd",
                direction="DDR->LMEM", source_memory="DDR", destination_memory="LMEM",
                stream_n=0, shown_id=1, counters={"gif_write_bytes": 400, "gif_read_bytes": 0,
                "axi_write_bytes": 0, "ar_latency_cycles": 90}, **load, **kernel),
        Command(2, "TIU", 10, 10, 0, kind="compute", cycles=11, n_bank_conflicts=3, alg_ops=50,
                uarch_ops=100, alg_cycles=5, type="arith", function="add", type_code=3,
                source_name="arith.add", stream_n=0, shown_id=1, counters={"n_bank_conflicts": 3},
                **kernel),
        Command(3, "TIU", 20, 5, 0, kind="sync", cycles=6, n_bank_conflicts=1, type="sys",
                function="wait", type_code=15, source_name="wait_msg", stream_n=1, shown_id=2,
                **kernel),
        Command(4, "GDMA", 15, 20, 0, cycles=21, bytes=800, ddr_bytes=800, l2_bytes=0,
                stall_cycles=4, n_memory_transactions=8, source_name="tensorSt",
                direction="LMEM->DDR", source_memory="LMEM", destination_memory="DDR",
                stream_n=1, shown_id=2, counters={"gif_write_bytes": 0, "gif_read_bytes": 800,
                "axi_write_bytes": 800, "ar_latency_cycles": 70}, **load, **kernel),
        Command(5, "SDMA", 30, 20, 0, cycles=21, bytes=1000, ddr_bytes=0, l2_bytes=1000,
                stall_cycles=0, n_memory_transactions=10, source_name="tensorLd",
                direction="L2M->LMEM", source_memory="L2M", destination_memory="LMEM", stream_n=0,
                shown_id=1, counters={"gif_write_bytes": 1000, "gif_read_bytes": 0,
                "axi_write_bytes": 0, "ar_latency_cycles": 10}, **load),
        Command(6, "TIU", 0, 40, 1, kind="compute", cycles=41, n_bank_conflicts=0, alg_ops=300,
                uarch_ops=300, alg_cycles=20, type="matmul", function="mm2_nn", type_code=2,
                source_name="mm2.nn", kernel_name="a", kernel_scope=1, batch=1, stream_n=0,
                shown_id=1),
        Command(7, "CDMA", 40, 20, port=0, kind="transfer", cycles=21, bytes=500, ddr_bytes=500,
                l2_bytes=0, stall_cycles=0, type="cdma_send", function="send", type_code=0,
                source_name="send", stream_n=0, shown_id=1,
                counters={"thread": 0, "m0_aw_bytes": 500, "n_replays": 1,
                          "m0_read_stall_cycles": 2, "ati_stall_cycles": 5}),
        Command(8, "CDMA", 50, 40, port=0, kind="transfer", cycles=41, bytes=2000, ddr_bytes=2000,
                l2_bytes=0, stall_cycles=0, type="cdma_receive", function="receive", type_code=4,
                source_name="receive", stream_n=1, shown_id=2,
                counters={"thread": 1, "m0_aw_bytes": 2000, "n_replays": 0}),
        Command(9, "CDMA", 60, 10, port=0, kind="sync", cycles=11, bytes=0, type="sys",
                function="tx_wait", type_code=7, source_name="sys_msg_tx_wait", stream_n=2,
                shown_id=3, counters={"thread": 0, "m0_aw_bytes": 0}),
    ]  # fmt: skip
    return Capture(1, commands)


def random_capture(seed: int, *, trace_id: int = 1) -> Capture:
    """A capture in which whatever a warehouse may hold happens: overlaps, empty and negative
    lengths, commands that are not known."""
    rng = random.Random(seed)
    engines: list[tuple[str, int | None, int | None]] = [
        (engine, core, None) for core in range(2) for engine in ("TIU", "GDMA", "SDMA")
    ]
    engines = rng.sample(engines, rng.randint(1, len(engines)))
    engines += [("CDMA", None, port) for port in range(rng.randint(0, 2))]
    commands: list[Command] = []
    for unit in engines:
        ts = rng.randint(0, 40)
        for n in range(rng.randint(1, 12)):
            slice_id = (trace_id << 32) + len(commands)
            commands.append(_random_command(rng, slice_id, unit, ts, n))
            ts = max(0, ts + rng.choice((0, 3, 10, 25)))
    return Capture(trace_id, commands)


def _random_command(
    rng: random.Random, slice_id: int, unit: tuple[str, int | None, int | None], ts: int, n: int
) -> Command:
    engine, core, port = unit
    kind = rng.choice((None, "sync", "work", "work", "work"))
    if kind == "work":
        kind = "compute" if engine == "TIU" else "transfer"
    dur = rng.choice((0, -1, 1, 8, 8, 15, 40))
    command = Command(
        slice_id, engine, ts, dur, core, port, kind=kind, cycles=max(dur, 0) + 1, stream_n=n,
        shown_id=n + 1, kernel_name=rng.choice((None, "k", "l")), batch=rng.choice((None, 0, 1)),
        type_code=None if kind is None else 3,
    )  # fmt: skip
    if command.kernel_name:
        command.kernel_scope = rng.randint(0, 2)
    if kind is not None:
        command.type, command.function = rng.choice((("x", "f"), ("x", "wait"), ("y", None)))
        command.category = command.type
        command.source_name = f"{command.type}.{command.function}"
    if engine == "TIU":
        command.n_bank_conflicts = rng.randint(0, 9)
        if kind == "compute" and rng.random() < 0.7:
            command.uarch_ops = rng.choice((0, 100, 200))
            command.alg_ops = rng.randint(0, command.uarch_ops)
            command.alg_cycles = rng.randint(0, 9)
    else:
        _random_transfer(rng, command)
    return command


def _random_transfer(rng: random.Random, command: Command) -> None:
    n_bytes = 0 if command.is_sync else rng.choice((0, 64, 1000))
    command.bytes, command.stall_cycles = n_bytes, rng.randint(0, 5)
    command.n_memory_transactions = rng.choice((0, 4))
    if not command.is_sync:
        command.ddr_bytes = rng.choice((0, n_bytes))
        command.l2_bytes = n_bytes - command.ddr_bytes
    if command.engine == "CDMA":
        command.function = rng.choice(("send", "receive", "tx_wait", "general", None))
        command.counters = {
            "thread": rng.randint(0, 1), "m0_aw_bytes": n_bytes, "n_replays": rng.randint(0, 2),
            "m0_write_stall_cycles": rng.randint(0, 3), "ari_stall_cycles": rng.randint(0, 3),
        }  # fmt: skip
        return
    command.source_memory = rng.choice((None, "DDR", "L2M", "LMEM"))
    command.destination_memory = rng.choice((None, "DDR", "L2M", "LMEM"))
    if command.source_memory and command.destination_memory:
        command.direction = f"{command.source_memory}->{command.destination_memory}"
    to_local = rng.random() < 0.5
    command.counters = {
        "gif_write_bytes": n_bytes if to_local else 0,
        "axi_write_bytes": 0 if to_local else n_bytes,
        "gif_read_bytes": rng.choice((0, n_bytes)),
        "ar_latency_cycles": rng.randint(0, 99),
        "gif_stall_cycles": rng.randint(0, 5), "axi_read_stall_cycles": rng.randint(0, 5),
        "axi_write_stall_cycles": rng.randint(0, 5),
    }  # fmt: skip
