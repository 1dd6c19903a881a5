"""What HolisticTraceAnalysis finds in recordings: docs/diagnose.md compares it with `tw diagnose`.

    python hta_findings.py TRACE...        # files, or folders with a file for each rank

Runs in an environment of its own with `pip install HolisticTraceAnalysis==0.5.0`. For each
recording it prints a line of JSON with the results of HTA that name a cause, or the error of each.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import logging
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any


def analysis(path: Path) -> Any:
    made = importlib.import_module("hta.trace_analysis").TraceAnalysis

    found = sorted(path.glob("*.json.gz")) if path.is_dir() else [path]
    return made(
        trace_files={rank: str(each) for rank, each in enumerate(found)},
        include_last_profiler_step=True,
    )


def temporal(made: Any) -> Any:
    return _records(made.get_temporal_breakdown(visualize=False), "_pctg")


def overlap(made: Any) -> Any:
    return _records(made.get_comm_comp_overlap(visualize=False), "_pctg")


def idle(made: Any) -> Any:
    """Idle time of all streams in us, by cause."""
    ranks = range(len(made.t.traces))
    rows = made.get_idle_time_breakdown(ranks=list(ranks), visualize=False)[0]
    return rows.groupby("idle_category").idle_time.sum().to_dict()


def launches(made: Any) -> Any:
    """Kernels that are shorter than their launch call, calls above 50 us, delays above 100 us."""
    result = {}
    ranks = list(range(len(made.t.traces)))
    for rank, rows in made.get_cuda_kernel_launch_stats(ranks=ranks, visualize=False).items():
        result[rank] = {
            "n": len(rows),
            "shorter than call": int((rows.gpu_duration < rows.cpu_duration).sum()),
            "calls above 50 us": int((rows.cpu_duration > 50).sum()),
            "delays above 100 us": int((rows.launch_delay > 100).sum()),
        }
    return result


def kernels(made: Any) -> Any:
    rows = made.get_gpu_kernel_breakdown(visualize=False)[1].sort_values("sum (us)")
    return [
        (name[:60], int(sum_us)) for name, sum_us in zip(rows.name, rows["sum (us)"], strict=True)
    ][-2:]


def stragglers(made: Any) -> Any:
    return made.get_potential_stragglers()


def full_queues(made: Any) -> Any:
    rows = made.get_time_spent_blocked_on_full_queue(made.get_queue_length_time_series())
    return None if rows is None else rows.to_dict("records")


ASPECTS: tuple[Callable[[Any], Any], ...] = (
    temporal, overlap, idle, launches, kernels, stragglers, full_queues,
)  # fmt: skip


def _records(rows: Any, suffix: str) -> Any:
    kept = [name for name in rows.columns if name.endswith(suffix)]
    return rows[["rank", *kept]].to_dict("records")


def run(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = {"recording": str(path)}
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            made = analysis(path)
        except Exception as error:  # noqa: BLE001 - its error is the result
            return found | {"error": f"{type(error).__name__}: {error}"}
        for aspect in ASPECTS:
            try:
                found[aspect.__name__] = aspect(made)
            except Exception as error:  # noqa: BLE001 - its error is the result
                found[aspect.__name__] = f"{type(error).__name__}: {error}"
    return found


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    for each in sys.argv[1:]:
        sys.stdout.write(json.dumps(run(Path(each)), default=str) + "\n")
