"""Pairs of an execution trace and a timeline, kept outside, in a warehouse each."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Collection
from pathlib import Path
from typing import Any

from tests.support.sharing import build_once, slow
from warehouse.ingest.pipeline import Options, import_paths

#: Pairs with what Chakra's linker made of them, and pairs it links nothing of. Most are run
#: by `-m slow`.
GOLDEN = (
    "own_gpu_ddp_r0",
    *map(slow, (
        "own_cpu_cnn", "own_cpu_ddp_r0", "own_cpu_ddp_r1", "own_cpu_transformer", "own_gpu_cnn",
        "own_gpu_transformer", "real_a100_alexnet_sync", "real_h100_bert", "real_h100_vit",
        "real_mi250_train", "real_mi300_bert",
    )),
)  # fmt: skip
#: Of these, what Chakra's linker and converter wrote is imported, too.
WRITTEN = ("own_gpu_ddp_r0", "real_a100_alexnet_sync", "own_cpu_ddp_r1", "own_gpu_cnn")
OTHERS = (
    "own_cpu_cnn", "own_cpu_ddp_r0", "own_cpu_transformer", "own_gpu_transformer", "real_h100_bert",
    "real_h100_vit", "real_mi250_train", "real_mi300_bert",
)  # fmt: skip
LEGACY = ("inputs_only_dlrm_r0", "inputs_only_hta_simple_add")
PAIRS = (*GOLDEN, slow(LEGACY[0]), LEGACY[1])


def import_pair(db: Path, run: str, *files: Path) -> None:
    """Imports the files of one rank into a run of their own."""
    outcomes = import_paths(list(files), db=db, options=Options(run=run, jobs=1))
    assert all(outcome.error is None for outcome in outcomes), outcomes


def import_case(place: Path, data_dir: Path, case: str) -> Path:
    """A warehouse of one pair, imported by the first worker that asks; the others wait for it."""
    files = [data_dir / "chakra" / case / name for name in ("host_et.json.gz", "kineto.json.gz")]
    return build_once(place / f"chakra_{case}.duckdb", lambda part: import_pair(part, case, *files))


def import_written(db: Path, data_dir: Path, cases: Collection[str]) -> Path:
    """What Chakra's linker and converter wrote of cases; trace CASE is ET+, CASE_et .et."""

    def make(part: Path) -> None:
        folder = db.with_suffix("")
        folder.mkdir()
        for case in sorted(cases):
            here = data_dir / "chakra" / case
            shutil.copy(here / "etplus.json.gz", folder / f"{case}.json.gz")
            shutil.copy(here / "chakra.et.gz", folder / f"{case}_et.gz")
        outcomes = import_paths([folder], db=part, options=Options(jobs=1))
        assert all(outcome.error is None for outcome in outcomes), outcomes

    return build_once(db, make)


def golden(data_dir: Path, case: str) -> Any:
    """The ET+ document Chakra's linker made of a case."""
    return read(data_dir / "chakra" / case / "etplus.json.gz")


def read(path: Path) -> Any:
    """A JSON document, packed or not."""
    with (gzip.open if path.suffix == ".gz" else open)(path) as file:
        return json.load(file)
