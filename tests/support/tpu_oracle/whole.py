"""The summary of a capture."""

from __future__ import annotations

from collections.abc import Iterable

from tests.support.tpu_captures import Capture
from tests.support.tpu_oracle.base import Row, covered, ratio, total
from tests.support.tpu_oracle.engines import _shares
from tests.support.tpu_oracle.traffic import traffic


def summary(capture: Capture) -> list[Row]:
    cores = sorted({c.core for c in capture.commands if c.core is not None})
    span = capture.end - capture.start
    per_core = {core: _core_figures(capture, core) for core in cores}
    rows = [_summary_row(core, 1, span, per_core[core]) for core in cores]
    if cores:
        whole = {
            key: (max if key.endswith("_cycles") else _sum)(each[key] for each in per_core.values())
            for key in per_core[cores[0]]
        }
        rows.append(_summary_row(None, len(cores), span, whole))
    return rows


def _sum(values: Iterable[int | None]) -> int | None:
    return total(values)


def _core_figures(capture: Capture, core: int) -> Row:
    mine = [c for c in capture.commands if c.core == core]
    found: Row = {}
    for engine in ("TIU", "GDMA", "SDMA"):
        name = engine.lower()
        own = [c for c in mine if c.engine == engine]
        work = [c for c in own if not c.is_sync]
        found[f"{name}_cycles"] = sum(c.cycles or 0 for c in work)
        found[f"{name}_ns"] = found[f"{name}_cycles"]  # at 1 GHz
        found[f"{name}_busy"] = len(covered(own))
        # An unknown direction counts for DDR; empty transfers take time of SDMA only.
        ddr = [c for c in work if c.direction is None or "DDR" in c.direction]
        found[f"{name}_ddr"] = sum(c.bytes or 0 for c in ddr)
        found[f"{name}_ddr_ns"] = sum(c.cycles or 0 for c in ddr if c.bytes or engine == "SDMA")
        l2 = [c for c in work if c not in ddr and "L2M" in str(c.direction)]
        found[f"{name}_l2"] = sum(c.bytes or 0 for c in l2)
        found[f"{name}_l2_ns"] = sum(c.cycles or 0 for c in l2 if c.bytes)
    compute = [c for c in mine if not c.is_sync]
    found["alg"] = total(c.alg_ops for c in compute)
    found["done"] = total(c.uarch_ops for c in compute)
    moved = [traffic(c).get("DDR", (0, 0)) for c in mine]
    found |= {
        name: _shares(compute, 0)[name] for name in ("compute_ns", "transfer_ns", "overlap_ns")
    }
    found["read"], found["written"] = (sum(each[side] for each in moved) for side in (0, 1))
    return found


def _summary_row(core: int | None, n: int, span: int, f: Row) -> Row:
    whole = span * n
    rate = {
        name: ratio(f[name] * 1e9, f[f"{name}_ns"]) or 0.0
        for name in ("gdma_ddr", "gdma_l2", "sdma_ddr")
    }
    return {
        "core": core, "n_cores": n,
        "parallelism": ratio(f["tiu_ns"] + f["gdma_ns"] + f["sdma_ns"], whole), "total_ns": span,
        "tiu_working_ratio": ratio(f["tiu_ns"], whole), "tiu_cycles": f["tiu_cycles"],
        "tiu_ns": f["tiu_ns"], "uarch_rate": ratio(f["alg"], f["done"]),
        "gdma_cycles": f["gdma_cycles"], "gdma_ns": f["gdma_ns"],
        "gdma_ddr_bytes_per_s": rate["gdma_ddr"], "gdma_l2_bytes_per_s": rate["gdma_l2"],
        "sdma_cycles": f["sdma_cycles"], "sdma_ns": f["sdma_ns"],
        "sdma_ddr_bytes_per_s": rate["sdma_ddr"],
        **{f"{e}_idle_ns": whole - f[f"{e}_busy"] for e in ("tiu", "gdma", "sdma")},
        "ddr_read_bytes": f["read"], "ddr_write_bytes": f["written"],
        "ddr_read_bytes_per_s": ratio(f["read"] * 1e9, span),
        "ddr_write_bytes_per_s": ratio(f["written"] * 1e9, span),
        "ddr_total_bytes_per_s": ratio((f["read"] + f["written"]) * 1e9, span),
        "compute_share": ratio(f["compute_ns"], whole),
        "transfer_share": ratio(f["transfer_ns"], whole),
        "overlap_share": ratio(f["overlap_ns"], min(f["compute_ns"], f["transfer_ns"])),
    }  # fmt: skip
