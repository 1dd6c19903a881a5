"""Peaks of devices that tw.toml declares, and what queries say of devices that nobody declares."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Tw
from tests.support.sharing import GPU, WarehouseCache

QUERY = (
    "SELECT DISTINCT device_name, data_type, flops_per_s, bytes_per_s, source "
    "FROM device_peak() ORDER BY ALL"
)


@pytest.fixture(autouse=True)
def warehouse(imported_files: WarehouseCache, tmp_path: Path) -> Path:
    """In the folder that commands run in, where they look for it."""
    return imported_files.copy(tmp_path / "traces.duckdb", GPU)


def test_tw_toml_declares_the_peaks_of_a_device(tw: Tw) -> None:
    unknown = json.loads(tw("query", QUERY, "--format", "json").out)
    Path("tw.toml").write_text('[device."handwritten GPU"]\nbytes_per_s = 2e12\nbfloat16 = 3e14\n')
    declared = json.loads(tw("query", QUERY, "--format", "json").out)

    name = {"device_name": "Handwritten GPU"}
    nothing = {"data_type": None, "flops_per_s": None, "bytes_per_s": None, "source": None}
    assert unknown == [name | nothing]
    assert declared == [
        name
        | {"data_type": "bfloat16", "flops_per_s": 3e14, "bytes_per_s": 2e12, "source": "tw.toml"}
    ]


@pytest.mark.integration
def test_a_device_without_peaks_has_the_remedy(tw: Tw) -> None:
    statement = "SELECT DISTINCT peak_flops_per_s, peak_source FROM roofline() WHERE device = 0"
    (row,) = json.loads(tw("query", statement, "--format", "json").out)

    assert row["peak_flops_per_s"] is None
    assert row["peak_source"].startswith(
        'unknown: add [device."Handwritten GPU"] with bytes_per_s and '
    )
