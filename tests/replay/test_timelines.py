"""Replays of timelines: without changes they take as long as the recording."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Tw
from tests.support.sharing import WarehouseCache

#: Recording -> largest error of a step, or of the whole recording.
RECORDINGS = {
    "two_ranks": 0.01,
    "a100_nccl": 0.01,
    "h100_qwen": 0.01,
    "simple_add_sync": 0.01,
    "mi300_resnet_train": 0.015,
}


@pytest.mark.integration
@pytest.mark.parametrize("name", RECORDINGS)
def test_replays_of_recordings_take_as_long_as_measured(
    tw: Tw, imported_files: WarehouseCache, data_dir: Path, name: str
) -> None:
    files = sorted((data_dir / "kineto" / name).glob("*.json.gz"))

    result = tw("replay", "--db", imported_files(("run", files)), "--format", "json")

    rows = json.loads(result.out)
    assert {row["rank"] for row in rows} == ({0, 1} if name == "two_ranks" else {rows[0]["rank"]})
    assert max(abs(row["replay_error"]) for row in rows) <= RECORDINGS[name]
