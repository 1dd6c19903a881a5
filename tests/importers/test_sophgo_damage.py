"""Damaged captures of Sophgo TPUs: one sentence with file and offset, or what is whole."""

from __future__ import annotations

import json
import random
import shutil
import struct
from pathlib import Path

import duckdb
import pytest

from tests.fuzz.family import Files, families
from tests.fuzz.readers import MemoryParts
from tests.support import sophgo_capture as capture
from tests.support.sharing import integration
from tw_importers.sophgo import blocks
from tw_importers.sophgo.defects import Defects
from tw_importers.sophgo.read import understand
from warehouse.errors import TraceError
from warehouse.ingest import pipeline
from warehouse.ingest.decode import Settings
from warehouse.ingest.importer import Part
from warehouse.ingest.pipeline import Options, Outcome

SOUND = {Path(name).name: text for name, text in families()["sophgo"].seeds()[0].items()}
CORE = "cdmlib0_0.profile"


def import_one(path: Path, tmp_path: Path, *, is_lenient: bool = False) -> Outcome:
    options = Options(jobs=1, settings=Settings(is_lenient=is_lenient))
    (outcome,) = pipeline.import_paths([path], db=tmp_path / "w.duckdb", options=options)
    return outcome


def in_memory(files: Files) -> MemoryParts:
    return MemoryParts(files, [Part(name, "core") for name in sorted(files)])


def refusal(files: Files) -> TraceError:
    with pytest.raises(TraceError) as found:
        understand(in_memory(files), {}, Defects())
    return found.value


def leniently(files: Files) -> dict[str, int]:
    """The problems that are counted instead."""
    defects = Defects(is_lenient=True)
    understand(in_memory(files), {}, defects)
    return {problem.kind: problem.count for problem in defects.problems}


def with_core(data: bytes) -> Files:
    return {**SOUND, CORE: data}


def with_profile(text: str) -> Files:
    return {**SOUND, "global.profile": text.encode()}


@pytest.mark.parametrize(
    ("case", "says"),
    [
        (
            "err_overflow",
            "global.profile, byte 41: core0_tiu_record=8 has reached max_record_num=8",
        ),
        ("err_single_record", "global.profile, byte 30: core0_tiu_record=1"),
        ("err_truncated", "cdmlib0_0.profile, byte 0: the block MONITOR_BD declares 64 bytes"),
    ],
)
def test_refused_captures_say_what_file_and_where(
    data_dir: Path, tmp_path: Path, case: str, says: str
) -> None:
    outcome = import_one(data_dir / "bigtpu" / case / "input", tmp_path)

    assert outcome.status == "failed"
    assert outcome.error
    assert says in outcome.error.message
    assert "--lenient" in (outcome.error.hint or "")


@pytest.mark.parametrize(
    "case", ["err_overflow", *map(integration, ("err_single_record", "err_truncated"))]
)
def test_leniently_they_are_imported_and_the_defect_is_counted(
    data_dir: Path, tmp_path: Path, case: str
) -> None:
    outcome = import_one(data_dir / "bigtpu" / case / "input", tmp_path, is_lenient=True)

    assert outcome.status == "imported", outcome.error
    assert outcome.committed
    assert set(outcome.committed.problems) & {"buffer_full", "single_record", "cut_block"}


def block_ends(data: bytes) -> list[int]:
    ends, at = [], 0
    while at < len(data):
        at += 8 + struct.unpack_from("<I", data, at + 4)[0]
        ends.append(at)
    return ends


def test_a_file_cut_within_a_block_is_refused_with_the_blocks_offset() -> None:
    data, begin = SOUND[CORE], 0
    for end in block_ends(data):
        for cut in (begin + 4, begin + 8, end - 1):
            if begin + 4 <= cut < end:
                error = refusal(with_core(data[:cut]))
                assert f"{CORE}, byte {begin:,}: " in error.message
                assert leniently(with_core(data[:cut]))["cut_block"] == 1
        begin = end


def test_a_file_cut_between_two_blocks_is_refused_where_records_were_counted() -> None:
    data = SOUND[CORE]
    n_records = {4: "gdma", 3: "tiu", 11: "sdma"}
    counted = ["arch=8800", "max_record_num=100000"]
    begin = 0
    for end in block_ends(data):
        kind, length = struct.unpack_from("<II", data, begin)
        if kind in n_records:
            size = 16 if kind == 3 else 64
            counted.append(f"core0_{n_records[kind]}_record={length // size}")
        begin = end
    profile = "\n".join(counted).encode()
    for end in [0, *block_ends(data)][:3]:
        error = refusal({**SOUND, "global.profile": profile, CORE: data[:end]})
        assert f"{CORE}, byte {end:,}: the file ends with 0 of the" in error.message
    assert "missing_records" in leniently({**SOUND, "global.profile": profile, CORE: b""})


@pytest.mark.parametrize(
    ("tail", "says", "kind"),
    [
        (struct.pack("<II", 99, 4) + b"abcd", "unknown block type 99", "unknown_block"),
        (b"\x03\0\0", "the file ends after 3 bytes of a block header", "cut_block"),
        (
            capture.block(5, struct.pack("<I", 50)),
            "unknown kind of command word: 50",
            "unknown_command",
        ),
        (capture.block(5, capture.word(0, 400)), "runs 400 bytes past its block", "cut_command"),
        (capture.block(17, b"1234"), "too few for its key", "cut_block"),
    ],
)
def test_what_is_not_understood_is_refused_or_passed_over(
    tail: bytes, says: str, kind: str
) -> None:
    damaged = with_core(SOUND[CORE] + tail)

    assert says in refusal(damaged).message
    assert leniently(damaged)[kind] == 1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("tpu_freq=1000\n", "missing arch=, which names the chip"),
        ("arch=99\n", "arch=99 is not a supported chip"),
        ("arch=5\ntpu_freq=0\n", "byte 7: tpu_freq=0 is invalid: expected a frequency in MHz"),
        ("arch=5\nmax_record_num=lots\n", "max_record_num=lots is invalid: expected an integer"),
    ],
)
def test_a_profile_that_cannot_be_meant_is_refused(text: str, says: str) -> None:
    assert says in refusal(with_profile(text)).message


@pytest.mark.parametrize(
    "arch", ["5", "8800", "AKS", "aks", "6", "140814", "AKSV", "7", "BM1684X2"]
)
def test_all_names_of_a_chip_are_known(arch: str) -> None:
    capture, _, _, _ = understand(
        in_memory(with_profile(f"arch={arch}\n")), {}, Defects(is_lenient=True)
    )

    assert capture.profile.chip.name in ("AKS", "AKSV", "CV84X6")


def test_a_missing_profile_is_reported() -> None:
    files = {name: data for name, data in SOUND.items() if name != "global.profile"}

    assert "global.profile not found beside" in refusal(files).message


def test_a_piece_of_a_record_at_the_end_is_left_out_and_counted() -> None:
    files = {**SOUND, CORE: capture.block(3, capture.tiu_record(1, 2, 0) * 3 + b"12345")}

    assert leniently(files)["cut_record"] == 1


# --- one capture, many files


def written(tmp_path: Path, name: str = "cdm_profile_data_dev3-1") -> Path:
    return capture.write(tmp_path / name, capture.program(random.Random(3), 2, [5_000, 70_000]))


def test_a_part_stands_for_its_capture(tmp_path: Path) -> None:
    folder = written(tmp_path)

    outcome = import_one(folder / CORE, tmp_path)

    assert outcome.status == "imported", outcome.error
    assert outcome.source.stands_for == str(folder / CORE)
    with duckdb.connect(str(tmp_path / "w.duckdb"), read_only=True) as connection:
        rows = connection.execute(
            "SELECT path, role FROM source_file ORDER BY role, path"
        ).fetchall()
        rank = connection.execute("SELECT rank FROM trace").fetchall()
    assert [(Path(path).name, role) for path, role in rows] == [
        (CORE, "core"), ("cdmlib0_1.profile", "core"), ("global.profile", "profile"),
    ]  # fmt: skip
    assert rank == [(3,)]


def test_a_capture_in_an_archive_is_the_same_capture(tmp_path: Path) -> None:
    import shutil

    folder = written(tmp_path)
    archive = shutil.make_archive(str(tmp_path / "all"), "zip", tmp_path, folder.name)

    assert import_one(Path(archive), tmp_path).status == "imported"
    assert import_one(folder, tmp_path).status == "present"


@pytest.mark.integration
def test_a_capture_with_one_file_changed_is_another_one(tmp_path: Path) -> None:
    folder = written(tmp_path)
    assert import_one(folder, tmp_path).status == "imported"
    assert import_one(folder, tmp_path).status == "present"
    (folder / "global.profile").write_text("arch=5\n")

    assert import_one(folder, tmp_path).status == "imported"


def test_the_frequency_is_that_of_the_counter_all_engines_share(tmp_path: Path) -> None:
    folder = written(tmp_path)
    options = Options(jobs=1, settings=Settings(options=(("tiu_freq", "500"),)))

    (outcome,) = pipeline.import_paths([folder], db=tmp_path / "w.duckdb", options=options)

    assert outcome.status == "imported", outcome.error
    with duckdb.connect(str(tmp_path / "w.duckdb"), read_only=True) as connection:
        found = connection.execute("SELECT count(*) FROM tpu_command WHERE dur <> 2 * (cycles - 1)")
        assert found.fetchall() == [(0,)]


def test_an_option_no_importer_has_is_refused(tmp_path: Path) -> None:
    options = Options(settings=Settings(options=(("tiu_frequency", "500"),)))

    with pytest.raises(Exception, match="no importer has an option 'tiu_frequency'"):
        pipeline.import_paths([written(tmp_path)], db=tmp_path / "w.duckdb", options=options)


def test_words_no_counter_has_a_column_for_are_kept(tmp_path: Path) -> None:
    """Reserved words of a record are 0, or else all its words are stored as they are."""
    folder = written(tmp_path)
    words = [[100 * n, 100 * n + 50, n + 1, n, 64, *[7] * 27] for n in range(1, 5)]
    data = b"".join(struct.pack("<32I", *each) for each in words)
    (folder / "cdma0_2.profile").write_bytes(capture.block(12, data))

    assert import_one(folder, tmp_path).status == "imported"

    with duckdb.connect(str(tmp_path / "w.duckdb"), read_only=True) as connection:
        found = connection.execute(
            "SELECT raw_command_id, pmu FROM tpu_command WHERE engine = 'CDMA' ORDER BY record_n"
        ).fetchall()
    assert found == [(each[2], each) for each in words[2:]]  # the first two are the port's preamble


def test_a_capture_without_records_is_an_empty_timeline(tmp_path: Path) -> None:
    folder = tmp_path / "cdm_profile_data_dev0"
    folder.mkdir()
    (folder / "global.profile").write_text("arch=AKS\ncore_num=2\n")
    (folder / CORE).write_bytes(b"")

    outcome = import_one(folder, tmp_path)

    assert outcome.status == "imported", outcome.error
    with duckdb.connect(str(tmp_path / "w.duckdb"), read_only=True) as connection:
        counts = "(SELECT count(*) FROM slice), (SELECT count(*) FROM device WHERE kind = 'core')"
        assert connection.execute(f"SELECT {counts}").fetchall() == [(0, 2)]


def test_a_port_the_chip_does_not_have_is_refused_or_passed_over() -> None:
    files = {**SOUND, "cdma0_11.profile": b""}

    assert "port 11, but AKS has 11 CDMA ports" in refusal(files).message
    assert leniently(files)["unknown_port"] == 1


def test_layers_whose_numbers_overlap_make_no_command_two(tmp_path: Path) -> None:
    folder = written(tmp_path)
    layer = {
        "file-line": 3, "core_id": 0, "subnet_id": 0, "opcode": "tpu.Add", "is_local": True,
        "tiu_dma_id(before)": [0, 0], "tiu_dma_id(after)": [4, 4], "operands": [], "results": [],
        "buffers": [],
    }  # fmt: skip
    again = {**layer, "subnet_id": 1, "opcode": "tpu.MatMul"}
    (folder / "tensor_location.json").write_text(json.dumps([layer, again]))

    assert import_one(folder, tmp_path).status == "imported"

    with duckdb.connect(str(tmp_path / "w.duckdb"), read_only=True) as connection:
        found = connection.execute(
            "SELECT count(*) = count(DISTINCT slice_id), "
            "list(DISTINCT layer) FILTER (layer IS NOT NULL), "
            "count(*) FILTER (WHERE (layer IS NOT NULL) <> (core = 0 AND engine <> 'SDMA' "
            "AND shown_id <= 4)) FROM tpu_command"
        ).fetchall()
    assert found == [(True, ["Add"], 0)]


@pytest.mark.integration
def test_records_of_a_port_that_were_written_twice_are_counted(
    data_dir: Path, tmp_path: Path
) -> None:
    """The last record again: it is dropped, and accounted for."""
    source = data_dir / "bigtpu" / "aks_m1_8core_cdma" / "input"
    folder = tmp_path / "cdm_profile_data_dev0"
    shutil.copytree(source, folder)
    file = folder / "cdma0_0.profile"
    file.chmod(0o644)
    data = file.read_bytes()
    kind, length = struct.unpack_from("<II", data)
    assert (kind, len(data)) == (blocks.MONITOR_CDMA, 8 + length)
    file.write_bytes(struct.pack("<II", kind, length + 128) + data[8:] + data[-128:])

    for name in ("once", "twice"):
        (tmp_path / name).mkdir()
    once = import_one(source, tmp_path / "once")
    twice = import_one(folder, tmp_path / "twice")

    assert once.committed is not None and twice.committed is not None, twice.error
    assert twice.committed.counts["events"] == once.committed.counts["events"] + 1
    assert twice.committed.counts["slices"] == once.committed.counts["slices"]
    reason = "CDMA records before a launch or written twice"
    assert twice.committed.unused[reason] == once.committed.unused.get(reason, 0) + 1
