"""Every figure that the vendor's tool printed of a record is that of its row of tpu_command."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from tests.support.sharing import slow
from tests.support.sophgo_blocks import (
    DES_BDC,
    DES_GDMA,
    DYN_DATA,
    MONITOR_GDMA,
    MONITOR_TIU,
    block,
    cases,
    dma_record,
    name,
    node,
    tiu_record,
)
from tw_importers.sophgo import placed
from tw_importers.sophgo.decode import chips, engine
from warehouse.ingest import pipeline

pytestmark = pytest.mark.integration  # all of it on recordings

Row = dict[str, Any]
ENGINES = {"0": "TIU", "1": "GDMA", "3": "SDMA", "4": "CDMA"}
#: Our column, and the tool's line; what it does not print is NULL or 0 with us.
FIGURES = {
    "category": "Function Type",
    "shown_id": "Cmd Id",
    "cycles": "Asic Cycle",
    "mode": "mode",
    "kernel_name": "kernel_func",
    "kernel_scope": "func_scope_id",
    "batch": "batch_launch",
}
TRANSFERS = {
    "bytes": "DMA data size(B)",
    "stall_cycles": "Stall Cycle",
    "n_memory_transactions": "gmem_xact_cnt",
}
COSTS = {"alg_ops": "Alg Ops", "uarch_ops": "uArch Ops", "alg_cycles": "Alg Cycle"}
#: The tool takes a counter's wrap for a lapped ring and loses the records before it.
LOST = {"aks_m1_timewrap"}
#: It adds up what BM1688 counts of one transfer at each interface it passes.
COUNTED_THREEFOLD = {"bm1688_m1_2core"}


def printed(folder: Path) -> Iterator[tuple[str, int, dict[str, str]]]:
    """(engine, core or port, lines) of every record in the tool's texts."""
    for path in sorted(folder.glob("*RegInfo_*.txt")):
        n = int(path.stem.rsplit("_")[1])
        for text in re.split(r"^__\w+_REG_INFO__\n", path.read_text(), flags=re.M)[1:]:
            lines = (line.strip().partition(": ") for line in text.splitlines())
            record = {key: value for key, _, value in lines}
            yield (
                {"0": "TIU", "1": "GDMA", "3": "SDMA", "4": "CDMA"}[record["Engine Id"]],
                n,
                record,
            )


def rows_of(connection: duckdb.DuckDBPyConnection, case: str) -> dict[object, Row]:
    """Rows of tpu_command by engine, core or port, and place in its stream."""
    found = connection.execute(
        "SELECT c.* FROM tpu_command AS c WHERE c.trace_id IN"
        " (SELECT trace_id FROM source_file WHERE contains(path, ?))",
        [f"/{case}/"],
    )
    names = [column[0] for column in found.description or []]
    rows = [dict(zip(names, row, strict=True)) for row in found.fetchall()]
    return {
        (r["engine"], r["core"] if r["port"] is None else r["port"], r["stream_n"]): r for r in rows
    }


@pytest.mark.parametrize("case", cases(without=LOST))
def test_what_was_printed_of_a_record_is_in_its_row(
    captures: duckdb.DuckDBPyConnection, data_dir: Path, case: str
) -> None:
    rows = rows_of(captures, case)
    records = list(printed(data_dir / "bigtpu" / case / "out37"))
    assert len(rows) == len(records)

    for engine_name, n, record in records:
        row = rows[engine_name, n, int(record["Global Idx"])]
        figures = dict(FIGURES)
        if engine_name != "TIU":
            figures |= TRANSFERS
        elif "extra_info" not in record:
            figures |= COSTS  # of words it counts one operation each, which says nothing
        if case in COUNTED_THREEFOLD:
            figures.pop("bytes", None)
        ours = {line: _text(row[column]) for column, line in figures.items()}
        assert ours == {line: record.get(line, "0").strip() for line in figures.values()}


def _text(value: object) -> str:
    return str(value or 0)


@pytest.mark.parametrize(
    "case", ["aks_bmodel", "aks_m2_8core", "aksv_m2_4core_cdma", slow("aks_deskv")]
)
def test_the_fields_of_an_image_are_kept_in_the_order_the_tool_prints_them_in(
    captures: duckdb.DuckDBPyConnection, data_dir: Path, case: str
) -> None:
    rows = rows_of(captures, case)
    for engine_name, n, record in printed(data_dir / "bigtpu" / case / "out37"):
        if engine_name != "TIU" or "extra_info" in record:
            continue
        fields = json.loads(rows[engine_name, n, int(record["Global Idx"])]["registers_json"])
        assert [(f"des_{key}", str(value)) for key, value in fields.items()] == [
            (key, value) for key, value in record.items() if key.startswith("des_")
        ]


def test_layers_have_the_bytes_of_their_transfers(
    captures: duckdb.DuckDBPyConnection, data_dir: Path
) -> None:
    # The generator's layers: ten of a load, a convolution or an addition, and a store. The vendor's
    # tool shows no bytes for any of them.
    query = Path(__file__).parents[2] / "queries" / "tpu" / "tpu_layer_summary.sql"
    found = captures.execute(
        "SELECT operation, n_tiu_commands, n_dma_commands, ddr_read_bytes, ddr_write_bytes,"
        f" elapsed_ns, alg_ops FROM ({query.read_text()}) ORDER BY ordinal"
    ).fetchall()

    moved = 64 * 32 * 32 * 2
    expected: list[tuple[object, ...]] = []
    for n in range(10):
        work = ("Conv2D", 1, 0, 0, 0, 790, 1166400) if n % 3 == 0 else (
            "Add", 1, 0, 0, 0, 790, 65536
        )  # fmt: skip
        expected += [
            ("Load", 0, 1, moved, 0, 600, None),
            work,
            ("Store", 0, 1, 0, moved, 590, None),
        ]
    assert found == expected


def imported(folder: Path, core: bytes, text: str) -> list[Row]:
    """The commands of a capture of one core, by engine and time."""
    capture = folder / "cdm_profile_data_dev0"
    capture.mkdir()
    (capture / "global.profile").write_text(text)
    (capture / "cdmlib0_0.profile").write_bytes(core)
    outcomes = pipeline.import_paths([capture], db=folder / "w.duckdb")
    assert [outcome.error for outcome in outcomes] == [None]
    with duckdb.connect(str(folder / "w.duckdb"), read_only=True) as connection:
        found = connection.execute("SELECT * FROM tpu_command ORDER BY engine, ts")
        names = [column[0] for column in found.description or []]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def test_rvt_commands_of_cv84x6_are_called_by_their_own_table_and_say_their_way_by_name(
    tmp_path: Path,
) -> None:
    rvt = 13
    core = b"".join(
        [
            # One stray record at each end.
            block(
                MONITOR_TIU,
                tiu_record(1000, 1005, 40000),
                tiu_record(1100, 1115, 0),
                tiu_record(1200, 1230, 1),
                tiu_record(2400, 2900, 2, conflicts=17),
                tiu_record(3000, 3004, 2),
            ),
            block(MONITOR_GDMA, dma_record(1300, 1700, 0, 65536), dma_record(1800, 2200, 1, 65536)),
            block(
                DYN_DATA,
                name("kernel"),
                node(0, 24, 1, record=rvt),
                node(0, 24, 2, record=rvt),
                node(1, 7, 2, record=rvt),
                node(1, 7, 7, record=rvt),
                node(0, 8, 0, info=1, record=rvt),  # variant 32 of sar
            ),
        ]
    )

    rows = imported(tmp_path, core, "arch=7\n")

    columns = ("engine", "source_name", "category", "type", "kind", "direction", "data_type")
    assert [tuple(row[c] for c in columns) for row in rows] == [
        ("GDMA", "rvt_dma_ld", "dma_tensor", "dma_tensor", "transfer", "DDR->LMEM", None),
        ("GDMA", "rvt_dma_st", "dma_tensor", "dma_tensor", "transfer", "LMEM->DDR", None),
        ("TIU", "rvt_msgsend", "sys", "sys", "sync", None, None),
        ("TIU", "rvt_msgwait", "sys", "sys", "sync", None, None),
        ("TIU", "rvt_rshr", "sar", "arith", "compute", None, None),
    ]
    assert [row["n_bank_conflicts"] for row in rows if row["kind"] == "compute"] == [17]


def image(chip: str, engine_name: str, command: str, **fields: int) -> bytes:
    """A register image; its first bits must be among the fields."""
    images = engine(chips()[chip], engine_name)
    assert images
    layout = next(c.layout for c in images.commands if c.name == command)
    value = sum(n << layout.fields[key].offset for key, n in fields.items())
    return value.to_bytes(layout.n_bytes, "little")


def test_images_of_bm1688_are_read_and_say_the_memories_by_one_bit_of_the_address(
    tmp_path: Path,
) -> None:
    add = {"cmd_short": 1, "tsk_typ": 3, "tsk_eu_typ": 2, "tsk_opd_num": 2}
    add |= {f"opt_{operand}_prec": 1 for operand in ("res0", "opd0", "opd1")}
    add |= {"res0_n": 1, "res0_c": 40, "res0_h": 7, "res0_w": 33}
    load = {"src_data_format": 1, "src_start_addr_h8": 1 << 7, "src_start_addr_l32": 64}
    words = np.zeros(64, "<u4")
    words[[0, 1, 5, 9, 10, 28]] = 750, 1050, 4096, 4096, 4096, 7  # 400 ns; 7 stalled
    record = np.zeros(8, "<u4")
    record[:4] = 1800, 2250, 0, 3 << 16
    core = b"".join(
        [
            block(MONITOR_TIU, record.tobytes()),
            block(MONITOR_GDMA, words.tobytes()),
            block(DES_BDC, image("BM1688", "TIU", "sAR", **add)),
            block(DES_GDMA, image("BM1688", "GDMA", "DMA_tensor", **load)),
        ]
    )

    gdma, tiu = imported(tmp_path, core, "bmodel\narch=4\n")

    # 40 channels on 32 lanes, 7 × 33 values by the 8 units that a lane has for FP16.
    assert [tiu[c] for c in ("source_name", "category", *COSTS)] == [
        "arith.add", "sAR", 40 * 7 * 33, 64 * 232, 37,
    ]  # fmt: skip
    expected = ("tensorLd", "DDR->LMEM", 4096, 4096, 7, 256, 64 + (1 << 39), "FP16")
    assert expected == tuple(
        gdma[c]
        for c in (
            "source_name", "direction", "bytes", "ddr_bytes", "stall_cycles",
            "n_memory_transactions", "source_address", "data_type",
        )
    )  # fmt: skip


def test_commands_of_a_port_are_on_the_track_of_the_direction_they_use() -> None:
    """As the vendor's tool shows words and images of CDMA alike."""
    kinds = np.array([0, 7, 7, 8, 1, 4, 7, 7, 9, 2, 3, 7])
    functions = np.array([0, 3, 4, 0, 0, 0, 5, 6, 0, 0, 0, 0])

    assert placed.direction(kinds, functions).tolist() == [1] * 4 + [2] * 5 + [3] * 3
