"""Writes what BladeDISC's bridge counts and times, as its collector does, from given calls.

After tao_bridge/kernels/tao_compilation_info_collector.cc: the same conditions, in the same order.
"""

from __future__ import annotations

import io
import json
import random
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TAGS = (
    "tao_launch_op_begin", "tao_launch_op_end", "cache_compile_begin", "cache_compile_end",
    "exec_run_begin", "exec_run_end", "func_run_begin", "func_run_end", "enter_fallback",
)  # fmt: skip


@dataclass
class Call:
    """A call: when each of its parts began and ended, in microseconds; 0: not reached."""

    function: str
    signature: int
    index: int
    times: dict[str, int] = field(default_factory=dict)
    note: str = ""

    @property
    def func_id(self) -> str:
        return f"0_{self.function}_{0x1234567890ABCDEF:016x}"

    def span(self, part: str) -> int | None:
        """Microseconds from begin to end, where the collector counts them."""
        begin, end = (self.times.get(f"{part}_{each}", 0) for each in ("begin", "end"))
        return end - begin if end > begin > 0 else None


def calls(functions: dict[str, int], n: int, seed: int) -> list[Call]:
    """Calls of functions by signature: the first of each falls back, then compiled code runs."""
    draw, now, made = random.Random(seed), 1_700_000_000_000_000, []
    for index in range(n):
        for function, signature in functions.items():
            call = Call(function, signature, index)
            now += draw.randint(1, 50)
            call.times["tao_launch_op_begin"] = now
            call.times["cache_compile_begin"] = now + 1
            now += draw.randint(2, 30)
            call.times["cache_compile_end"] = now
            part = "exec_run" if index else "func_run"
            if not index:
                call.times["enter_fallback"] = now + 1
                call.note = "enter_fallback set again; "
            call.times[f"{part}_begin"] = now + 2
            now += draw.randint(3, 900)
            call.times[f"{part}_end"] = now
            call.times["tao_launch_op_end"] = now + 4
            now += 5
            made.append(call)
    return made


def csv_text(made: list[Call]) -> str:
    """call_timestamps.csv."""
    lines = [",".join(("func_id", "signature", "call_idx", *TAGS, "other_tags"))]
    for call in made:
        times = [str(call.times.get(tag, 0)) for tag in TAGS]
        lines.append(",".join((call.func_id, f"{call.signature:016x}", str(call.index), *times,
                               call.note or "-")))  # fmt: skip
    return "\n".join(lines) + "\n"


def document(made: list[Call]) -> dict[str, Any]:
    """FINISH.txt."""
    functions: dict[str, Any] = {}
    for call in made:
        function = functions.setdefault(call.func_id, {"attr": "a", "graph": "g", "shapes": {}})
        shape = function["shapes"].setdefault(
            f"{call.signature:016x}",
            {
                "compile_main_latency": 1500, "compile_ok": True, "compile_pass_index": 1,
                "compile_queue_latency": 20, "compile_status": "pass_on_compile", "count": 0,
                "get_compile_cache_total_latency": 0, "shape": f"xla_func_{call.func_id}_shape_0",
                "tao_launch_op_total_latency": 0, "tao_run_count": 0, "tao_run_total_latency": 0,
                "tf_run_count": 0, "tf_run_total_latency": 0,
            },
        )  # fmt: skip
        shape["count"] += 1
        if (run := call.span("exec_run")) is not None:
            shape["tao_run_count"] += 1
            shape["tao_run_total_latency"] += run
        elif (run := call.span("func_run")) is not None:
            shape["tf_run_count"] += 1
            shape["tf_run_total_latency"] += run
        shape["tao_launch_op_total_latency"] += call.span("tao_launch_op") or 0
        shape["get_compile_cache_total_latency"] += call.span("cache_compile") or 0
    return {
        "begin_us": 1_700_000_000_000_000, "calls": functions, "command": "python run.py --token x",
        "cwd": "/home/someone", "end_us": 1_700_000_009_000_000, "env": {"TF_SECRET": "hidden"},
        "gpu_count": 2, "gpu_model": "Tesla T4", "latency_us": 9_000_000,
        "libtao_ops_load_us": 1_700_000_000_000_100, "miss_sampled": {"call_count": 3},
        "op_summary": {"all": {"MatMul": 4, "Print": 1}, "unclustered_op": {"Print": 1}},
        "sessions": [{"begin_us": 1_700_000_000_000_200, "end_us": 1_700_000_008_000_000,
                      "runs": None}],
        "tao_build_version": "0.4.0",
    }  # fmt: skip


def write(folder: Path, made: list[Call]) -> None:
    """All files of a process, beside each other."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "call_timestamps.csv").write_text(csv_text(made))
    (folder / "begin.txt").write_text(json.dumps({"begin_us": 1, "calls": None}))
    (folder / "FINISH.txt").write_text(json.dumps(document(made), separators=(",", ":")))
    (folder / "sess_00.perf").write_text("8000000,2000000,600,1.25,1.2,1.3,")
    for func_id in {call.func_id for call in made}:
        (folder / f"xla_func_{func_id}_shape_0").write_text("f,float[10,10]; Tensor<type: int32>")


def write_torch(folder: Path) -> dict[str, int]:
    """A dump of torch_blade whose pickles must not be loaded; returns sizes of its files."""
    folder.mkdir(parents=True)
    sizes = {}
    for name, members in (
        ("graph.pt", {"graph/data.pkl": b"cos\nabort\n(tR.", "graph/code/x.py": b"# code"}),
        ("0.pt", {"0/data.pkl": b"cos\nabort\n(tR.", "0/data/0": b"\0" * 4096}),
    ):
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w") as archive:
            for member, data in members.items():
                archive.writestr(member, data)
        (folder / name).write_bytes(content.getvalue())
        sizes[name] = len(content.getvalue())
    return sizes
