"""Captures of Sophgo TPUs (AKS, AKSV, BM1688, CV84X6): counter records and command streams.

A folder `cdm_profile_data_dev*` is one capture of one device: `global.profile`, a file for each
core, one for each CDMA port that was in use, and of a compiled model the compiler's side files.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

from tw_importers.sophgo.names import CDMA_FILE, CORE_FILE, PROFILE_FILE
from warehouse.ingest import captures
from warehouse.ingest.importer import (
    NESTING,
    Capture,
    CaptureImporter,
    Captures,
    Listing,
    Parts,
    Scratch,
    TraceFacts,
)

_FOLDER = files(__package__)
_ROLES = {PROFILE_FILE: "profile", "tensor_location.json": "layers", "final.mlir": "model"}
_OPTIONS = {"tiu_freq": "frequency of the TIU's counter in MHz, overriding the one in the capture"}


def _read(parts: Parts, scratch: Scratch) -> TraceFacts:
    # Loading the decoders takes longer than importing a small file of another format, and every
    # import asks each importer what it recognises.
    from tw_importers.sophgo.read import read

    return read(parts, scratch)


def _role(name: str) -> str | None:
    if CORE_FILE.fullmatch(name):
        return "core"
    return "cdma" if CDMA_FILE.fullmatch(name) else _ROLES.get(name)


def _is_capture(names: Sequence[str]) -> bool:
    return any(_role(name) in ("core", "cdma") for name in names)


_by_folder = captures.by_folder(_role, _is_capture)


def find(listing: Listing) -> list[Capture]:
    """A folder with files cdmlib<i>_<core>.profile or cdma<i>_<port>.profile."""
    return _by_folder(listing)


SOPHGO = CaptureImporter(
    name="sophgo",
    title="Captures of Sophgo TPUs: cdm_profile_data folders of AKS, AKSV, BM1688, CV84X6",
    version=2,
    prepare=(
        _FOLDER / "decode" / "metrics.sql",
        _FOLDER / "meaning.sql",
        _FOLDER / "prepare.sql",
        NESTING,
    ),
    normalize=(_FOLDER / "normalize.sql",),
    captures=Captures(find, _read),
    options=_OPTIONS,
    record_tables=(
        "tpu_tiu_record",
        "tpu_dma_record",
        "tpu_dma_bm1688_record",
        "tpu_cdma_record",
    ),
)
