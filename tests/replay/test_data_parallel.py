"""What-ifs of DistributedDataParallel against runs of other configurations.

Predicted from the timelines of configuration A alone, with the rate of the link and the sizes of
buckets; the times of the other configurations are answers only. `pytest -rP` shows all errors.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import pytest

from tests.support.sharing import WarehouseCache
from warehouse.query import session
from warehouse.replay import engines, prediction, what_if

pytestmark = pytest.mark.integration  # all of it on recordings

#: What changes -> largest error of the lower quartile, by recording: over a real link of a quiet
#: machine, and of a noisy one over a link that is a pause after each reduction. None: only printed.
BARS: dict[str, dict[str, float | None]] = {
    "tclink_1g": {"": 0.015, "link": 0.03, "buckets": 0.04, "batch": 0.05, "no_sync": 0.10},
    "linkbound": {"": 0.015, "link": 0.03, "buckets": 0.05, "batch": 0.05, "no_sync": None},
}
#: Errors of a naive predictor on the noisy recording, A and B1 to B6.
NAIVE = "A -1.3, B1 +19.5, B2 +7.7, B3 -1.5, B4 +0.0, B5 +1.0, B6 +29.8 %"


def change_of(config: dict[str, Any], base: dict[str, Any]) -> str:
    """The what-if from one configuration to another; empty if there is none."""
    rate = f"recorded_bits_per_s = {base['link_gbps'] * 1e9}"
    if config["no_sync"]:
        return "no_sync()"
    if config["link_gbps"] != base["link_gbps"]:
        return f"link(bandwidth_ratio = {config['link_gbps'] / base['link_gbps']}, {rate})"
    if config["batch"] != base["batch"]:
        return f"batch(ratio = {config['batch'] / base['batch']})"
    if config["bucket_cap_mb"] != base["bucket_cap_mb"]:
        return f"buckets(bytes = {config['bucket_cap_mb']}MiB, {rate})"
    return ""


def errors(db: Path, folder: Path) -> dict[str, tuple[str, float, float]]:
    """By configuration: the what-if, and the errors of lower quartile and median."""
    times = [json.loads((folder / f"times_rank{rank}.json").read_text()) for rank in (0, 1)]
    configs = times[0]["configs"]
    changes = {name: change_of(config, configs["A"]) for name, config in configs.items()}
    scenarios = [[what_if.parse(text)] if text else [] for text in changes.values()]
    with session.opened(session.Place.of(db)) as opened:
        rows = prediction.predict(opened, engines.find("default"), scenarios).arrow().to_pylist()
    n_rows = len(rows) // len(changes)
    found = {}
    for n, (name, text) in enumerate(changes.items()):
        steps = [row for row in rows[n * n_rows : (n + 1) * n_rows] if row["step"]]  # not the first
        predicted = [row["predicted_ns"] / 1e6 for row in steps]
        measured = [each[0] for rank in times for each in rank["configs"][name]["iters"]]
        found[name] = (
            text,
            quantiles(predicted, n=4)[0] / quantiles(measured, n=4)[0] - 1,
            median(predicted) / median(measured) - 1,
        )
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tclink_1g", "linkbound"])
def test_other_configurations_are_predicted_from_one(
    imported_files: WarehouseCache,
    data_dir: Path,
    name: str,
) -> None:
    folder = data_dir / "dpro" / "real_ddp" / name
    db = imported_files(("run", sorted(folder.glob("*kineto.json.gz"))))

    found = errors(db, folder)

    lines = [
        f"{name} {config:12} {text:64} {quartile:+.1%} (median {middle:+.1%})"
        for config, (text, quartile, middle) in found.items()
    ]
    sys.stdout.write("\n".join([*lines, f"naive, linkbound: {NAIVE}", ""]))
    for text, quartile, _ in found.values():
        bar = BARS[name][text.partition("(")[0]]
        assert bar is None or abs(quartile) <= bar, text


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tclink_1g", "linkbound"])
def test_each_recorded_step_is_replayed_within_1_percent(
    imported_files: WarehouseCache, data_dir: Path, name: str
) -> None:
    folder = data_dir / "dpro" / "real_ddp" / name
    db = imported_files(("run", sorted(folder.glob("*kineto.json.gz"))))
    with session.opened(session.Place.of(db)) as opened:
        rows = prediction.predict(opened, engines.find("default")).arrow().to_pylist()
    steps = [(row["rank"], row["step"], row["replay_error"]) for row in rows]
    sys.stdout.write("\n".join(f"{name} rank {r} step {s} {e:+.2%}" for r, s, e in steps) + "\n")
    assert steps
    assert max(abs(error) for _, _, error in steps) <= 0.01
