"""A trial of dPRO with two predictions, stored once for all tests that only read them."""

from __future__ import annotations

from pathlib import Path

import warehouse
from tests.support.sharing import BuildCache, WarehouseCache, build_once

TRIAL = Path(__file__).parents[1] / "data" / "dpro" / "nccl_ring_2x1_tiny"
SLOWER = ("link", {"bandwidth_ratio": 0.5})


def predicted_trial(
    place: Path, imported_files: WarehouseCache, kept: BuildCache | None = None
) -> Path:
    """Run 1 is `trial`, run 2 is `slower`, with half the bandwidth; run 3, `same`, changes none."""

    def make(path: Path) -> None:
        imported_files.copy(path, ("trial", [TRIAL]))
        trial = warehouse.open(path).scope(run="trial")
        trial.replay([SLOWER], name="slower")
        trial.replay(name="same")

    return build_once(place / "predicted_trial.duckdb", make, kept)
