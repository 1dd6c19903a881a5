"""Models of several devices: fitted to operators by the peak rates, used for another device."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Tw
from warehouse.store import database

pytestmark = pytest.mark.integration  # all of it on recordings
CASES = Path(__file__).parents[1] / "queries" / "cases"


def test_operators_are_predicted_on_a_device_that_no_run_has(tw: Tw, tmp_path: Path) -> None:
    """Rectifiers that take 100 ns and 1.25 of their traffic on two devices, and so on a third."""
    db = tmp_path / "w.duckdb"
    database.create_empty(db)
    rates = {1: 900e9, 2: 2039e9}
    with database.writer(db) as connection:
        connection.execute((CASES / "shared" / "rectifiers_on_two_devices.sql").read_text())
        for slice_id, device, elements in ((21, 1, 1e6), (22, 1, 3e6), (23, 2, 1e6)):
            dur = round(100 + 1.25 * elements * 8e9 / rates[device])
            connection.execute("UPDATE gpu_op SET dur = ? WHERE slice_id = ?", [dur, slice_id])
        connection.execute("DELETE FROM cpu_op WHERE slice_id > 3")

    fitted = tw("model", "fit", "device", "--db", db, "--format", "json")
    parameters = ("-p", "model=device", "-p", "flops_per_s=1e13", "-p", "bytes_per_s=1e12")
    found = tw("query", "device_prediction", *parameters, "--db", db, "--format", "json")

    lines = {each["feature"]: each["coefficient"] for each in json.loads(fitted.out)}
    assert lines == {
        "flops_ns": 0,
        "bytes_ns": pytest.approx(1.25, rel=1e-3),
        "constant": pytest.approx(100, rel=0.01),
    }
    assert [each["predicted_ns"] for each in json.loads(found.out)] == pytest.approx(
        [10_100, 30_100], rel=1e-3
    )
