"""The exports of Nsight Systems that tests read, from the folder of recordings."""

from __future__ import annotations

CASES = {
    "cloverleaf": "nsys_real_a100_cloverleaf/cloverleaf_a100_schema3.13.2.sqlite",
    "saxpy": "nsys_real_a100_saxpy/saxpy_mpi_a100_schema2.9.1.sqlite",
    "cpu": "nsys_real_cpu/nvtx_osrt_schema3.7.2.sqlite",
    "cpu_3_0": "nsys_real_cpu/nvtx_osrt_schema3.0.0.sqlite",
    "replay": "nsys_replay_synthetic/replay_full.sqlite",
    "range": "nsys_replay_synthetic/replay_capture_range.sqlite",
}


def number(case: str) -> int:
    """The trace it is in the warehouse of all of them (fixture `nsys`)."""
    return list(CASES).index(case) + 1
