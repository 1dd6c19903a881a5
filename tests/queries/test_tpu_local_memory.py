"""Accesses to the local memory of TPUs: the vendor's page, and every byte of random images.

The vendor's page shows the addresses of an engine less the least of them, puts both operands at one
address in the lanes of the result, and shows transfers without an address at 0; none of this is
repeated here. Its texts have the address as captured, which is compared.
"""

from __future__ import annotations

import json
import math
import random
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.support.sharing import WarehouseCache, slow
from tests.support.tpu_captures import Capture, Command, statements
from warehouse.query import execute, session
from warehouse.query.selection import Selection
from warehouse.store import database

CASES = ("v030_aks_bmodel", "v030_aks_bmodel_layers", "v030_aks_deskv", "v030_aks_m2_8core")
N_LANES, LANE_WIDTH, BANK_WIDTH = 4, 8, 4  # of random captures, small enough to list every byte
BITS = (8, 16, 32, 16, 32, 16, 4, 8, None, 32)  # of an element, by the code of its type
LOCAL_TAG = 31 << 40


@pytest.mark.integration
@pytest.mark.parametrize("case", [CASES[0], *map(slow, CASES[1:3]), CASES[3]])
def test_results_and_transfers_are_those_of_the_vendors_page(
    data_dir: Path, imported_files: WarehouseCache, case: str
) -> None:
    folder = data_dir / "bigtpu" / case
    theirs = sorted(each for each in vendor(folder) if each[1] != "TIU" or each[2] == "write")

    assert len(theirs) > 5
    rows = accesses(imported_files((case, [folder / "input"])), case)
    ours = [row for row in rows if row["engine"] != "TIU" or row["access"] == "write"]
    assert sorted(shown(row) for row in ours) == theirs


@pytest.mark.integration
def test_commands_without_an_image_have_no_address(
    data_dir: Path, imported_files: WarehouseCache
) -> None:
    folder = data_dir / "bigtpu/v030_aks_m1_1core"

    assert {each[5] for each in vendor(folder)} == {0}  # addresses that nothing recorded
    assert not accesses(imported_files(("v030_aks_m1_1core", [folder / "input"])), folder.name)


def accesses(path: Path, run: str) -> list[dict[str, Any]]:
    with session.opened(session.Place(path), Selection(runs=(run,))) as opened:
        rows: list[dict[str, Any]] = opened.run("tpu_local_memory", {}).table().to_pylist()
    return rows


def shown(row: dict[str, Any]) -> tuple[Any, ...]:
    """A row as a record of the vendor's page says it."""
    kind = "TIU" if row["engine"] == "TIU" else "DMA"
    mean = row["bytes"] / row["n_lanes"]
    return row["core"], kind, row["access"], row["start_ns"], row["end_ns"], row["address"], mean


def vendor(folder: Path) -> list[tuple[Any, ...]]:
    """Records of the page: core, engine, access, start, end, address in a lane, bytes per lane."""
    found = []
    for path in (folder / "out30/PerfWeb").glob("lmem_op_record*.js"):
        core = int(path.stem.removeprefix("lmem_op_record"))
        text = path.read_text(encoding="utf-8").split("=", 1)[1].rstrip().removesuffix(",]") + "]"
        for start, end, is_read, _, size, about in json.loads(text):
            address = int(re.search(r"addr:0x([0-9a-f]+)", about)[1], 16) % (1 << 18)  # type: ignore[index]
            kind = "DMA" if "->" in about else "TIU"
            found.append((core, kind, ("write", "read")[is_read], start, end, address, size))
    return found


@dataclass(frozen=True)
class Image:
    """A command with the fields of its register image."""

    command: Command
    fields: dict[str, int]
    source: int | None = None
    destination: int | None = None


def random_image(rng: random.Random, slice_id: int, stream_n: int) -> Image:
    start, dur = rng.randrange(100), rng.randrange(1, 9)
    common: dict[str, Any] = {"core": rng.randrange(2), "cycles": dur + 1, "stream_n": stream_n}
    if rng.random() < 0.5:
        return _random_transfer(rng, Command(slice_id, "GDMA", start, dur, **common))
    kind, type_ = rng.choice((("compute", "conv"), ("compute", "arith"), ("sync", "sys")))
    command = Command(slice_id, "TIU", start, dur, kind=kind, type=type_, source_name="f", **common)
    fields = {"tsk_opd_num": rng.choice((1, 2, 3))} if rng.random() < 0.7 else {}
    for name in ("res0", "opd0", "opd1"):
        fields[f"{name}_addr"] = rng.randrange(N_LANES << LANE_WIDTH)
        fields[f"opt_{name}_prec"] = rng.randrange(len(BITS))
        fields |= _random_shape(rng, f"{name}_", name == "res0")
    fields |= {f"opt_opd{n}_const": rng.randrange(2) for n in range(2) if rng.random() < 0.5}
    return Image(command, fields)


def _random_transfer(rng: random.Random, command: Command) -> Image:
    memories = [rng.choice(("DDR", "L2M", "LMEM")) for _ in range(2)]
    command.source_memory, command.destination_memory = memories
    command.kind, command.bytes = "transfer", rng.randrange(1, 99)
    command.type = rng.choice(("dma_tensor", "dma_general"))
    command.source_name, command.direction = "move", "->".join(memories)
    fields = {"src_data_format": rng.randrange(len(BITS))}
    for side in ("src", "dst"):
        fields |= {f"{side}_{n}size": rng.randrange(1, 7) for n in "nchw"}
    source, destination = (LOCAL_TAG + rng.randrange(N_LANES << LANE_WIDTH) for _ in range(2))
    return Image(command, fields, source, destination)


def _random_shape(rng: random.Random, name: str, is_result: bool) -> dict[str, int]:
    """All dimensions, those of a matrix, or none."""
    names = "nchw" if is_result else rng.choice(("nchw", "cw", ""))
    return {name + each: rng.randrange(1, 11) for each in names}


def expected(image: Image) -> Iterator[tuple[Any, ...]]:
    """Tensors of a command: what, access, lanes used, bytes, and the bytes of the fullest lane."""
    command, fields = image.command, image.fields
    if command.engine != "TIU":
        sides = (
            ("source", "read", "src", image.source),
            ("destination", "write", "dst", image.destination),
        )
        for tensor, access, side, address in sides:
            if getattr(command, f"{tensor}_memory") == "LMEM":
                shape = [fields[f"{side}_{n}size"] for n in "nchw"]
                exact = layout(shape, BITS[fields["src_data_format"]])
                moved = (N_LANES, command.bytes, math.ceil((command.bytes or 0) / N_LANES))
                yield (tensor, access, address, *(exact if command.type == "dma_tensor" else moved))
    elif command.kind == "compute":
        yield ("result", "write", fields["res0_addr"], *_operand(fields, "res0", "res0"))
        for n in range(2):
            is_absent = n == 1 and fields.get("tsk_opd_num", 2) < 2
            own = f"opd{n}_c" in fields
            if fields.get(f"opt_opd{n}_const") or not (
                own or (command.type == "arith" and not is_absent)
            ):
                continue
            other = "res0" if command.type == "arith" else f"opd{n}"
            yield (
                f"operand {n}",
                "read",
                fields[f"opd{n}_addr"],
                *_operand(fields, f"opd{n}", other),
            )


def _operand(fields: dict[str, int], name: str, otherwise: str) -> tuple[Any, ...]:
    shape = [fields.get(f"{name}_{n}", fields.get(f"{otherwise}_{n}", 1)) for n in "nchw"]
    return layout(shape, BITS[fields[f"opt_{name}_prec"]])


def layout(shape: list[int], bits: int | None) -> tuple[int, int | None, int | None]:
    """Lanes used, bytes of all elements and of the fullest lane, element by element."""
    n, c, h, w = shape
    held: dict[int, int] = defaultdict(int)
    for channel in range(c):
        for _ in range(n * h * w):
            held[channel % N_LANES] += bits or 0
    if bits is None:
        return len(held), None, None
    return len(held), math.ceil(sum(held.values()) / 8), math.ceil(max(held.values()) / 8)


def test_every_byte_of_random_images_is_where_it_is_put(tmp_path: Path) -> None:
    rng = random.Random(5)
    images = [random_image(rng, (1 << 32) + n, n) for n in range(400)]
    database.create_empty(tmp_path / "w.duckdb")
    with duckdb.connect(str(tmp_path / "w.duckdb")) as connection:
        connection.execute("\n".join(statements([Capture(1, [each.command for each in images])])))
        connection.execute(
            "UPDATE device SET properties_json = ?",
            [json.dumps({"NPU Num": N_LANES, "Tpu Lmem Addr Width(bits)": LANE_WIDTH,
                         "Tpu Bank Addr Width(bits)": BANK_WIDTH})],
        )  # fmt: skip
        connection.executemany(
            "INSERT INTO tpu_command_extra"
            " (slice_id, trace_id, source_address, destination_address, registers_json)"
            " VALUES (?, 1, ?, ?, ?)",
            [[e.command.slice_id, e.source, e.destination, json.dumps(e.fields)] for e in images],
        )
    with database.Reader(tmp_path / "w.duckdb") as reader:
        rows = execute.run(reader.connection, "tpu_local_memory", {}).table().to_pylist()

    found = {
        (row["slice_id"], row["tensor"], row["access"], row["first_lane"], row["address"],
         row["bank"], row["n_lanes"], row["bytes"], row["bytes_per_lane"])
        for row in rows
    }  # fmt: skip
    places = {
        (each.command.slice_id, tensor, access, place % LOCAL_TAG >> LANE_WIDTH,
         place % (1 << LANE_WIDTH), place % (1 << LANE_WIDTH) >> BANK_WIDTH, *sizes)
        for each in images for tensor, access, place, *sizes in expected(each)
    }  # fmt: skip
    assert len(rows) == len(found) > 300
    assert found == places
    for row in rows:
        command = images[row["slice_id"] - (1 << 32)].command
        assert (row["start_ns"], row["end_ns"], row["core"]) == (
            command.ts,
            command.end,
            command.core,
        )
        size = row["bytes_per_lane"]
        assert row["end_address"] == (None if size is None else row["address"] + size)
