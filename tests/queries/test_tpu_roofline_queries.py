"""tpu_roofline and tpu_layer_summary on random commands, against loops over them in Python."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from warehouse.query import execute
from warehouse.store import database

N_COMMANDS, N_LAYERS = 120, 9
DDR_BYTES_PER_S, TIU_HZ = 60e9, 0.8e9
Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Command:
    """A command, as its row says it."""

    slice_id: int
    trace_id: int
    ts: int
    dur: int
    core: int | None
    engine: str
    kind: str | None
    kernel_name: str | None
    kernel_scope: int | None
    layer_id: int | None
    bytes: int | None
    alg_ops: int | None
    uarch_ops: int | None
    alg_cycles: int | None
    direction: str | None
    source_memory: str | None
    destination_memory: str | None
    ddr_bytes: int | None

    @property
    def ns(self) -> int:
        return max(self.dur, 0)

    @property
    def read(self) -> int:
        return (self.bytes or 0) if self.source_memory == "DDR" else 0

    @property
    def written(self) -> int:
        return (self.bytes or 0) if self.destination_memory == "DDR" else 0

    @property
    def work(self) -> str:
        return self.kind or ("compute" if self.engine == "TIU" else "transfer")


def command(draw: random.Random, n: int) -> Command:
    trace = draw.choice([1, 1, 2])
    layers = range((trace - 1) * N_LAYERS, trace * N_LAYERS - 1)  # the last has no commands
    engine = draw.choice(["TIU", "TIU", "GDMA", "SDMA", "CDMA"])
    kind = draw.choice([None, "sync", "transfer" if engine != "TIU" else "compute"])
    scope = draw.choice([None, 0, 1, 2, 3])
    is_known = engine == "TIU" and draw.random() < 0.9
    is_moved = engine in ("GDMA", "SDMA") and draw.random() < 0.8
    way = draw.choice([None, "DDR->LMEM", "LMEM->DDR", "DDR->DDR", "L2M->LMEM"])
    n_bytes = draw.randrange(1000) if is_moved else None
    return Command(
        n,
        trace,
        draw.randrange(10_000),
        draw.choice([-1, 0, draw.randrange(1, 2000)]),
        None if engine == "CDMA" else draw.randrange(3),
        engine,
        kind,
        None if scope is None else f"k{scope % 3}",
        scope,
        None if engine == "CDMA" else draw.choice([None, *layers]),
        n_bytes,
        draw.randrange(10_000) if is_known else None,
        draw.randrange(1, 20_000) if is_known else None,
        draw.randrange(100) if is_known else None,
        way,
        way and way.split("->")[0],
        way and way.split("->")[1],
        draw.choice([0, n_bytes]) if is_moved else None,
    )


@pytest.fixture(scope="module", params=range(3))
def given(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[list[Command], Callable[[str], Rows]]]:
    """Random commands, and what runs a query on them."""
    draw = random.Random(request.param)
    commands = [command(draw, n) for n in range(N_COMMANDS)]
    path = tmp_path_factory.mktemp("tpu") / "w.duckdb"
    database.create_empty(path)
    with duckdb.connect(str(path)) as connection:
        _insert(connection, commands)
    with database.Reader(path) as reader:
        yield commands, lambda name: execute.run(reader.connection, name, {}).table().to_pylist()


def _insert(connection: duckdb.DuckDBPyConnection, commands: list[Command]) -> None:
    chip = {"DDR Max BW(GB/s/Core)": DDR_BYTES_PER_S / 1e9, "TIU Frequency(MHz)": TIU_HZ / 1e6}
    connection.execute("INSERT INTO run (id, name, kind, created_at) VALUES (1, 'r', 'x', now())")
    connection.execute(
        "INSERT INTO trace (id, run_id, name, format, importer, importer_version, tw_version,"
        " imported_at, base_ns, source_base_ns)"
        " SELECT n, 1, 't', 'sophgo', 'sophgo', 1, '0', now(), 0, 0 FROM range(1, 3) AS r(n)"
    )
    connection.execute(
        "INSERT INTO device (id, trace_id, kind, ordinal, name, properties_json)"
        " SELECT n, n, 'tpu', 0, 'AKS', ? FROM range(1, 3) AS r(n)",
        [json.dumps(chip)],
    )
    connection.execute(
        "INSERT INTO tpu_layer (id, trace_id, ordinal, core)"
        " SELECT n, 1 + n // ?, 1 + n % ?, 0 FROM range(2 * ?) AS r(n)",
        [N_LAYERS, N_LAYERS, N_LAYERS],
    )
    connection.register("rows", pa.Table.from_pylist([asdict(c) for c in commands]))
    connection.execute(
        "INSERT INTO tpu_operation BY NAME SELECT slice_id AS id, trace_id, 0 AS track_id, core,"
        " engine, kind, kernel_name, kernel_scope, layer_id, direction, source_memory,"
        " destination_memory, CASE WHEN ddr_bytes IS NOT NULL THEN ddr_bytes = bytes END AS is_ddr"
        " FROM rows"
    )
    for table, engines, own in (
        ("tiu", "engine = 'TIU'", "alg_ops, uarch_ops, alg_cycles"),
        ("dma", "engine IN ('GDMA', 'SDMA')", "bytes"),
        ("cdma", "engine = 'CDMA'", "bytes"),
    ):
        connection.execute(
            f"INSERT INTO tpu_{table}_record BY NAME SELECT slice_id, trace_id,"
            f" slice_id AS operation_id, ts, dur, {own} FROM rows WHERE {engines}"
        )


def _sum(commands: list[Command], kind: str) -> int:
    return sum(c.ns for c in commands if c.work == kind)


def test_roofline_adds_up_launches_and_compares_them_with_both_peaks(
    given: tuple[list[Command], Callable[[str], Rows]],
) -> None:
    commands, run = given
    kernels: dict[tuple[int, str | None], list[Command]] = {}
    for c in commands:
        if c.engine != "CDMA":
            kernels.setdefault((c.trace_id, c.kernel_name), []).append(c)

    rows = run("tpu_roofline")

    assert {(r["trace_id"], r["kernel_name"]) for r in rows} == set(kernels)
    for row in rows:
        mine = kernels[row["trace_id"], row["kernel_name"]]
        launches: dict[object, list[Command]] = {}
        for c in mine:
            launches.setdefault((c.core, c.kernel_scope), []).append(c)
        elapsed = sum(
            max(c.ts + c.ns for c in launch) - min(c.ts for c in launch)
            for launch in launches.values()
        )
        compute = [c for c in mine if c.work == "compute"]
        is_known = all(c.alg_ops is not None for c in compute)
        n_bytes = sum(c.read + c.written if c.direction else c.ddr_bytes or 0 for c in mine)
        assert (row["n_launches"], row["elapsed_ns"]) == (len(launches), elapsed)
        assert row["ddr_bytes"] == n_bytes
        assert row["alg_ops"] == (sum(c.alg_ops or 0 for c in compute) if is_known else None)
        if is_known:
            cycles = sum(c.alg_cycles or 0 for c in compute)
            limits = {"compute": cycles / TIU_HZ * 1e9, "ddr": n_bytes / DDR_BYTES_PER_S * 1e9}
            assert row["least_ns"] == pytest.approx(max(limits.values()))
            assert row["bound"] is None or limits[row["bound"]] == max(limits.values())
            share = max(limits.values()) / elapsed if elapsed else None
            assert row["roof_share"] == pytest.approx(share)
        else:
            assert row["least_ns"] is None


def test_layers_have_the_commands_that_name_them_and_no_others(
    given: tuple[list[Command], Callable[[str], Rows]],
) -> None:
    commands, run = given

    rows = run("tpu_layer_summary")

    assert [r["layer_id"] for r in rows] == list(range(2 * N_LAYERS))
    all_work = {
        trace: sum(
            _sum([c for c in commands if c.layer_id is not None and c.trace_id == trace], kind)
            for kind in ("compute", "transfer")
        )
        for trace in (1, 2)
    }
    for row in rows:
        mine = [
            c for c in commands if (c.layer_id, c.trace_id) == (row["layer_id"], row["trace_id"])
        ]
        assert row["n_tiu_commands"] == sum(c.engine == "TIU" for c in mine)
        assert row["n_dma_commands"] == sum(c.engine != "TIU" for c in mine)
        for kind in ("compute", "transfer", "sync"):
            assert row[f"{kind}_ns"] == _sum(mine, kind)
        assert row["bytes"] == sum(c.bytes or 0 for c in mine)
        assert row["ddr_read_bytes"] == sum(c.read for c in mine)
        assert row["ddr_write_bytes"] == sum(c.written for c in mine)
        work = row["compute_ns"] + row["transfer_ns"]
        assert row["work_share"] == pytest.approx(work / all_work[row["trace_id"]])
        if mine:
            end = max(c.ts + c.ns for c in mine)
            assert row["elapsed_ns"] == end - min(c.ts for c in mine)
        else:
            assert row["elapsed_ns"] is None
