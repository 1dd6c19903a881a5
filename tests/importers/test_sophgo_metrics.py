"""What commands of Sophgo chips cost and what they are called, against the vendor's tool.

tests/data/sophgo/image_costs.csv is what that tool counted for random images; the recordings are
captures it printed record by record, command words and register images alike.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path

import duckdb
import pytest

from tests.support.databases import attached
from tw_importers.sophgo.decode import by_arch, chips, decode_streams, has_rvt_codes, name_table

SQL = (files("tw_importers.sophgo.decode") / "metrics.sql").read_text(encoding="utf-8")
COSTS = Path(__file__).parents[1] / "data" / "sophgo" / "image_costs.csv"
CASES = ["aks_bmodel", "aks_deskv", "aks_m2_8core", "aksv_m2_4core_cdma"]
WORDS = ["aks_m1_1core", "aks_m0_1core", "aks_m1_8core_cdma", "aksv_m1_rvt", "bm1688_m1_2core"]


@contextmanager
def scratch(chip_name: str, images: bytes = b"") -> Iterator[duckdb.DuckDBPyConnection]:
    """A database with the chip's tables and macros, and the TIU images of a stream."""
    chip = chips()[chip_name]
    decoded = decode_streams(images, chip, "TIU", [(0, len(images))])
    assert not decoded.defects
    with attached() as connection:
        connection.register("tiu_image", decoded.table)
        connection.register("chip", chip.row())
        connection.register("command_name", name_table(chip))
        connection.execute(SQL)
        yield connection


@pytest.mark.parametrize("chip", list(chips()))
def test_operations_and_cycles_are_what_the_vendors_tool_counts(chip: str) -> None:
    with COSTS.open(encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["chip"] == chip]
    with scratch(chip, b"".join(bytes.fromhex(row["image"]) for row in rows)) as connection:
        counted = connection.execute(
            "SELECT command, image_name, alg_ops, uarch_ops, alg_cycles"
            " FROM tiu_cost ORDER BY number"
        ).fetchall()

    # Where a count does not fit in 64 bits it is not known.
    assert counted == [
        (
            row["command"],
            row["image_name"],
            *(
                int(row[k]) if int(row[k]) < 1 << 63 else None
                for k in ("alg_ops", "uarch_ops", "alg_cycles")
            ),
        )
        for row in rows
    ]


def test_a_product_is_counted_by_its_three_sizes() -> None:
    # 100 × 256 by 256 × 384 in FP16: 2 · 100 · 256 · 384 operations. The hardware rounds 100 rows
    # up to two times 64 lanes; 32 columns a lane and 4 of the inner size are whole already. In a
    # cycle it does 2 · 64 lanes · 32 · 4 of them.
    image = 1 | 2 << 41 | 4 << 45 | 1 << 52 | 100 << 64 | 384 << 80 | 256 << 96 | 384 << 112
    image |= 1 << 128
    with scratch("AKS", image.to_bytes(32, "little")) as connection:
        row = connection.execute("SELECT alg_ops, uarch_ops, alg_cycles FROM tiu_cost").fetchone()
    assert row == (2 * 100 * 256 * 384, 2 * 128 * 256 * 384, 1200)


def test_a_vector_correlation_is_counted_though_the_vendors_tool_fails_on_it() -> None:
    # sVC: 3 values of FP16 (opd0 1 × 3) with 100 channels of 20: every pair is an operation.
    image = 1 | 14 << 41 | 2 << 45 | 1 << 64 | 1 << 67 | 1 << 70 | 100 << 176 | 20 << 192
    image |= 1 << 208 | 3 << 224 | 3 << 240
    with scratch("AKS", image.to_bytes(48, "little")) as connection:
        row = connection.execute("SELECT alg_ops, uarch_ops, alg_cycles FROM tiu_cost").fetchone()
    # Lanes 100 → 128, width 20 → 24 by the 8 FP16 of 16 bytes; 8 · 64 in a cycle.
    assert row == (3 * 100 * 20, 3 * 128 * 24, 12)


@pytest.mark.parametrize(
    ("way", "tag", "memory"),
    [
        ("tag", 0, "DDR"),
        ("tag", 29 << 40, "DDR"),
        ("tag", 30 << 40 | 5, "L2M"),
        ("tag", 31 << 40 | 5, "LMEM"),
        ("high_bit", 1 << 39 | 5, "DDR"),
        ("high_bit", 5, "LMEM"),
        ("window", 1 << 40, "DDR"),
        ("window", 2 << 40 | 0x26D20000, "DDR"),
        ("window", 0x26D20000, "L2M"),
        ("window", 0x26D20000 + (1 << 20), "LMEM"),
        ("window", 0x26D1FFFF, "LMEM"),
        ("window", 30 << 40, "L2M"),
    ],
)
def test_an_address_says_its_memory_in_the_way_of_its_chip(way: str, tag: int, memory: str) -> None:
    with scratch("AKS") as connection:
        assert connection.execute("SELECT address_memory(?, ?)", [tag, way]).fetchone() == (memory,)


def _records(folder: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """(engine, what was printed) of every record the vendor's tool printed."""
    engines = {"tiu": "TIU", "tdma": "DMA", "cdma": "CDMA"}
    for path in sorted((folder / "out37").glob("*RegInfo_*.txt")):
        for record in re.split(r"^__\w+_REG_INFO__\n", path.read_text(), flags=re.M)[1:]:
            lines = (line.strip().partition(": ") for line in record.splitlines())
            yield engines[path.name.split("RegInfo")[0]], {key: text for key, _, text in lines}


def _chip_of(folder: Path) -> str:
    text = (folder / "input" / "global.profile").read_text()
    chip = by_arch(re.findall(r"^arch=(\w+)", text, re.M)[0])
    assert chip
    return chip.name


@pytest.mark.parametrize("case", [*CASES, *WORDS])
def test_words_and_transfers_are_called_what_the_vendors_tool_calls_them(
    case: str, data_dir: Path
) -> None:
    folder = data_dir / "bigtpu" / case
    seen: set[tuple[str, int, int, str, str, str, str]] = set()
    for engine, record in _records(folder):
        prefix = (
            ("des_tsk_typ", "des_tsk_eu_typ")
            if engine == "TIU"
            else (
                "cmd_type",
                "cmd_special_function",
            )
        )
        if engine == "TIU" and "extra_info" not in record:
            continue  # an image: called as its image_name
        source, _, destination = record.get("Direction", "").partition("->")
        kind, function = (int(record[key]) for key in prefix)
        names = record["Function Type"], record["Function Name"]
        seen.add((engine, kind, function, source, destination, *names))
    assert seen

    with scratch(_chip_of(folder)) as connection:
        for engine, kind, function, source, destination, category, name in sorted(seen):
            found = connection.execute(
                "SELECT source_type, directed_name(source_name, by_direction, ?, ?)"
                " FROM command_name WHERE code = 'word' AND engine = ?"
                " AND type_code = ? AND function_code = ?",
                [source, destination, engine, kind, function],
            ).fetchall()
            assert found == [(category, name)]


@pytest.mark.parametrize("case", CASES)
def test_images_are_called_and_counted_as_the_vendors_tool_does(case: str, data_dir: Path) -> None:
    folder = data_dir / "bigtpu" / case
    chip = _chip_of(folder)
    keys = ("Function Type", "Function Name", "Alg Ops", "uArch Ops", "Alg Cycle")
    records = [r for engine, r in _records(folder) if engine == "TIU" and "extra_info" not in r]
    assert records

    with scratch(chip, b"".join(_image(record, chip) for record in records)) as connection:
        rows = connection.execute(
            "SELECT command, image_name, alg_ops, uarch_ops, alg_cycles"
            " FROM tiu_cost ORDER BY number"
        ).fetchall()

    assert [[str(v) for v in row] for row in rows] == [[r[key] for key in keys] for r in records]


def _image(record: dict[str, str], chip_name: str) -> bytes:
    """The bytes of an image whose fields were printed."""
    from tw_importers.sophgo.decode import engine

    images = engine(chips()[chip_name], "TIU")
    assert images
    command = next(c for c in images.commands if c.name == record["Function Type"])
    value = sum(int(record[f"des_{f.name}"]) << f.offset for f in command.layout.fields.values())
    return value.to_bytes(command.layout.n_bytes, "little")


@pytest.mark.parametrize("chip", list(chips()))
def test_one_operation_has_one_name_in_words_and_images_and_on_all_chips(chip: str) -> None:
    with scratch(chip) as connection:
        rows = connection.execute(
            "SELECT engine, type_code, function_code, type, function, kind, sync"
            " FROM command_name WHERE code = 'word' AND (engine, type_code, function_code) IN"
            " (('TIU', 2, 4), ('TIU', 3, 2), ('TIU', 15, 9), ('DMA', 0, 0), ('DMA', 6, 3),"
            " ('DMA', 29, 3)) ORDER BY ALL"
        ).fetchall()
    assert rows == [
        ("DMA", 0, 0, "dma_tensor", "copy", "transfer", None),
        ("DMA", 6, 3, "sys", "send", "sync", "send"),
        ("DMA", 29, 3, "type_29", "function_3", None, None),
        ("TIU", 2, 4, "matmul", "mm2_nn", "compute", None),
        ("TIU", 3, 2, "arith", "add", "compute", None),
        ("TIU", 15, 9, "sys", "wait", "sync", "wait"),
    ]


def test_rvt_commands_of_cv84x6_have_names_of_their_own() -> None:
    assert [name for name, chip in chips().items() if has_rvt_codes(chip)] == ["CV84X6"]
    with scratch("CV84X6") as connection:
        found = connection.execute(
            "SELECT type, function, kind, sync, source_type, source_name FROM command_name"
            " WHERE code = 'rvt' AND engine = 'TIU' AND (type_code, function_code)"
            " IN ((15, 5), (24, 2), (7, 2), (8, 60), (30, 0)) ORDER BY type_code, function_code"
        ).fetchall()
    assert found == [
        ("dma_tensor", "dma_ld", "transfer", None, "dma_tensor", "rvt_dma_ld"),
        ("arith", "function_60", "compute", None, "sar", "unknown"),
        ("matmul", "fmm2_nt", "compute", None, "smm2", "rvt_fmm2_nt"),
        ("sys", "msgwait", "sync", "wait", "sys", "rvt_msgwait"),
        ("type_30", "function_0", None, None, "rvt", "unknown"),
    ]


def test_the_header_of_the_register_text_files_is_the_vendors_tools(data_dir: Path) -> None:
    for case, name in (("aks_m1_1core", "AKS"), ("bm1688_m1_2core", "BM1688")):
        text = (data_dir / "bigtpu" / case / "out37" / "tiuRegInfo_0.txt").read_text()
        printed = re.findall(r"^\t(.*?): (.*)$", text.split("__TIU_REG_INFO__")[0], re.M)
        assert [(key, str(value)) for key, value in chips()[name].header.items()] == printed


def test_the_constants_are_whole_for_every_chip() -> None:
    rows = {name: chip.row().to_pylist()[0] for name, chip in chips().items()}
    assert len({tuple(row) for row in rows.values()}) == 1
    assert json.loads(json.dumps(rows))["CV84X6"]["tiu_mhz"] == 1400
    assert [chip.name for word in ("8800", " aksv", "BM1684X2") if (chip := by_arch(word))] == [
        "AKS",
        "AKSV",
        "CV84X6",
    ]
    assert by_arch("3") is None
