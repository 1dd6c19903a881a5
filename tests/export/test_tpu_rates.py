"""Rates of TPU transfers in exports: by direction, rounded and zero like the vendor's."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.sharing import integration
from tests.support.sophgo_blocks import (
    DES_GDMA,
    DYN_DATA,
    MONITOR_GDMA,
    MONITOR_TIU,
    block,
    dma_record,
    name,
    node,
    tiu_record,
)
from tests.support.tpu_cases import slices_of
from tw_importers.sophgo.decode import chips, engine
from tw_importers.sophgo.export import registers, summary
from warehouse.export.perfetto.trace import export_perfetto
from warehouse.ingest import pipeline
from warehouse.query.selection import Selection
from warehouse.query.session import Place, opened

DDR, L2M, LMEM = 0, 1, 2  # as words name them
BATCH, FUNC_END = 14, 15


def capture(folder: Path, core: bytes, text: str) -> Place:
    """A warehouse with one core's capture."""
    source = folder / "cdm_profile_data_dev0"
    source.mkdir()
    (source / "global.profile").write_text(text)
    (source / "cdmlib0_0.profile").write_bytes(core)
    outcomes = pipeline.import_paths([source], db=folder / "w.duckdb")
    assert [outcome.error for outcome in outcomes] == [None]
    return Place(folder / "w.duckdb")


def transfers(place: Place, folder: Path) -> list[dict[str, Any]]:
    """Arguments of the slices of GDMA in a Perfetto file."""
    with opened(place, Selection()) as session:
        export_perfetto(session.connection, folder / "t.pftrace")
    return [s["args"] for s in slices_of(folder / "t.pftrace") if s["track"] == "Core 0/GDMA"]


def rates(args: list[dict[str, Any]]) -> list[str]:
    """DDR and L2 rates, which repr tells apart by type."""
    return [f"{a['DDR Bandwidth(GB/s)']!r} {a['L2M Bandwidth(GB/s)']!r}" for a in args]


def registered(place: Place, folder: Path) -> list[str]:
    with opened(place, Selection()) as session:
        registers.export_registers(session.connection, folder / "out")
    text = (folder / "out" / "tdmaRegInfo_0.txt").read_text()
    found = re.findall(r"\tDDR Bandwidth.*: (.*)\n(?:\tgmem.*\n)?\tL2M Bandwidth.*: (.*)\n", text)
    return [" ".join(pair) for pair in found]


def cells(place: Place) -> dict[str, str]:
    """The row of core 0 in the summary."""
    with opened(place, Selection()) as session:
        lines = [line for line in summary.text(session).splitlines() if " | " in line]
    head, row = ([each.strip() for each in line.split("|")] for line in lines[:2])
    return dict(zip(head, row, strict=True))


def words(*nodes: bytes) -> bytes:
    return block(DYN_DATA, node(1, 6, 3), node(0, 15, 9), node(1, 6, 3), node(0, 15, 9), *nodes)


PREAMBLE_TIU = (tiu_record(1400, 1450, 0), tiu_record(1900, 1950, 1))
PREAMBLE_GDMA = (dma_record(1000, 1011, 0), dma_record(1500, 1511, 1))


def test_words_count_for_ddr_alone_each_but_in_the_summary_for_the_memory_of_their_direction(
    tmp_path: Path,
) -> None:
    core = (
        block(MONITOR_TIU, *PREAMBLE_TIU, tiu_record(2000, 2100, 2))
        + block(
            MONITOR_GDMA,
            *PREAMBLE_GDMA,
            dma_record(2000, 2032, 2, 1),  # 1 / 32 = 0.03125, a tie: to the even digit
            dma_record(3000, 3099, 3, 4000),
            dma_record(4000, 4199, 4, 6000),
        )
        + words(
            node(1, 0, 0, LMEM << 6 | DDR << 4),
            node(1, 0, 0, LMEM << 6 | L2M << 4),
            node(1, 0, 0, LMEM << 6 | LMEM << 4),
            node(0, 3, 2),
        )
    )
    place = capture(tmp_path, core, "arch=5\n")

    expected = ["0.0312 0", "40.404 0", "30.1508 0"]  # 4000 / 99, 6000 / 199
    assert rates(transfers(place, tmp_path)) == expected
    assert registered(place, tmp_path) == expected
    row = cells(place)
    # Cycles are one more than the difference: 1 / 33, 4000 / 100.
    assert (row["GdmaDdrAvgBW(GB/s)"], row["GdmaL2AvgBW(GB/s)"]) == ("0.03", "40.00")


def image(source: int, destination: int, **fields: int) -> bytes:
    """A tensor transfer of AKS between memories, by the tags of their addresses."""
    dma = engine(chips()["AKS"], "GDMA")
    assert dma
    layout = next(c.layout for c in dma.commands if c.name == "DMA_tensor")
    tag = {DDR: 1, L2M: 30, LMEM: 31}
    fields |= {"src_start_addr_h13": tag[source] << 8, "dst_start_addr_h13": tag[destination] << 8}
    value = sum(n << layout.fields[key].offset for key, n in fields.items())
    return value.to_bytes(layout.n_bytes, "little")


def test_images_have_a_rate_of_the_memory_of_their_direction_and_a_whole_zero_of_the_other(
    tmp_path: Path,
) -> None:
    core = (
        block(MONITOR_TIU, *PREAMBLE_TIU)
        + block(
            MONITOR_GDMA,
            *PREAMBLE_GDMA,
            dma_record(2000, 2100, 0, 500),
            dma_record(2200, 2300, 1, 0),
            dma_record(2400, 2500, 2, 700),
            dma_record(2600, 2700, 3, 900),
        )
        + block(DES_GDMA, image(DDR, L2M), image(L2M, LMEM), image(LMEM, L2M), image(LMEM, LMEM))
    )
    place = capture(tmp_path, core, "bmodel\narch=5\n")

    expected = ["5.0 0", "0 0.0", "0 7.0", "0 0"]
    assert rates(transfers(place, tmp_path)) == expected
    assert registered(place, tmp_path) == expected
    row = cells(place)
    # 101 cycles each.
    assert (row["GdmaDdrAvgBW(GB/s)"], row["GdmaL2AvgBW(GB/s)"]) == ("4.95", "6.93")


@pytest.mark.parametrize("n_before", [integration(0), 1])
def test_a_kernel_of_one_batch_has_its_number_though_the_batch_begins_inside(
    tmp_path: Path, n_before: int
) -> None:
    batch = (BATCH | 163 << 7).to_bytes(4, "little")
    load = node(1, 0, 0, LMEM << 6)
    loads = [dma_record(n * 1000, n * 1000 + 99, n) for n in (2, 3)]
    core = (
        block(MONITOR_TIU, *PREAMBLE_TIU, tiu_record(2000, 2100, 2))
        + block(MONITOR_GDMA, *PREAMBLE_GDMA, *loads)
        + words(
            name("k"), *[load] * n_before, batch, *[load] * (2 - n_before), node(0, 3, 2),
            FUNC_END.to_bytes(4, "little"),
        )
    )  # fmt: skip
    place = capture(tmp_path, core, "arch=5\n")
    with opened(place, Selection()) as session:
        export_perfetto(session.connection, tmp_path / "t.pftrace")

    (kernel,) = [s for s in slices_of(tmp_path / "t.pftrace") if s.get("name") == "k"]
    assert kernel["args"]["Batch Launch"] == 163


def test_a_matrix_of_bm1688_lies_at_the_address_of_its_image(tmp_path: Path) -> None:
    dma = engine(chips()["BM1688"], "GDMA")
    assert dma
    layout = next(c.layout for c in dma.commands if c.name == "DMA_matrix")
    value = 1 << 32 | 64 << 512 | (1 << 7) << 544 | 128 << 576  # from DDR to local memory
    record = b"".join(n.to_bytes(4, "little") for n in (750, 1050, *[0] * 62))
    core = (
        block(MONITOR_TIU, (1800).to_bytes(4, "little") + (2250).to_bytes(4, "little") + bytes(24))
        + block(MONITOR_GDMA, record)
        + block(DES_GDMA, value.to_bytes(layout.n_bytes, "little"))
    )
    place = capture(tmp_path, core, "bmodel\narch=4\n")

    (args,) = transfers(place, tmp_path)
    assert args["Direction"] == "DDR->LMEM"
    assert args["src_info"]["src_start_addr"] == 64 + (1 << 39)
    assert args["dst_info"]["dst_start_addr"] == 128
