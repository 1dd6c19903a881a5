"""Compiled modules of XPlane profiles: what the instructions that events name are compiled from."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from tests.support.gpu_profiles import imported
from tests.support.xplane_wire import Event, Line, Plane, field, integer, space

#: Categories that XLA's HloInstruction::ToCategory gives instructions with an opcode.
CATEGORIES = {
    "custom-call": "custom-call",
    "dot": "dot",
    "reduce": "reduce",
    "all-reduce-start": "all-reduce-start",
    "copy": "data formatting",
    "transpose": "data formatting",
    "add": "non-fusion elementwise",
    "tanh": "non-fusion elementwise",
    "select": "non-fusion elementwise",
}


def instruction(
    name: str, opcode: str, metadata: bytes = b"", kind: str = "", dilation: bytes = b""
) -> bytes:
    """An HloInstructionProto; `dilation` is a WindowDimension."""
    window = field(15, field(1, dilation)) if dilation else b""
    return (
        field(1, name.encode())
        + field(2, opcode.encode())
        + field(7, metadata)
        + field(11, kind.encode())
        + window
    )


def of(name: str, kind: str = "", file: str = "", line: int = 0, frame: int = 0) -> bytes:
    """An OpMetadata."""
    return (
        field(1, kind.encode())
        + field(2, name.encode())
        + field(3, file.encode())
        + integer(4, line)
        + integer(15, frame)
    )


def module(*computations: list[bytes], frames: bytes = b"") -> bytes:
    """An HloProto, with frames behind the computations, as their numbers demand."""
    parts = [
        field(3, field(1, b"main") + b"".join(field(2, each) for each in instructions))
        for instructions in computations
    ]
    return field(1, field(1, b"jit_step") + b"".join(parts) + field(17, frames))


def profile(
    modules: dict[str, dict[str, int | bytes]],
    operations: list[tuple[int, str]],
    others: dict[str, int | str] | None = None,
) -> bytes:
    """Kernels of (program, instruction), one after the other."""
    events = [
        Event(
            f"kernel {n}", n * 10_000, 5_000,
            {"hlo_module": "@jit_step", "hlo_op": f"@{name}", "program_id": program,
             **(others or {"tf_op": "@XlaModule:"})},
        )
        for n, (program, name) in enumerate(operations)
    ]  # fmt: skip
    return space(
        Plane("/host:metadata", of_names=modules),
        Plane("/device:GPU:0", [Line("Stream #7(Kernel)", events, at_ns=100)]),
    )


def operations(folder: Path, content: bytes) -> list[tuple[str | None, ...]]:
    """Instruction, category, operation of the framework, source, in the order of time."""
    (path := folder / "host.xplane.pb").write_bytes(content)
    with closing(imported([path], folder / "w.duckdb")) as db:
        return db.execute(
            "SELECT hlo_op, x.category, framework_op, source FROM xla_op AS x "
            "JOIN slice AS s ON s.id = x.slice_id ORDER BY s.ts"
        ).fetchall()


def test_instructions_have_the_category_that_xla_gives_them(tmp_path: Path) -> None:
    found = [instruction(opcode, opcode) for opcode in CATEGORIES] + [
        instruction("f1", "fusion", kind="kLoop"),
        instruction("f2", "fusion", kind="kCustom"),
        instruction("c1", "convolution", dilation=integer(5, 1) + integer(6, 1)),
        instruction("c2", "convolution", dilation=integer(5, 2) + integer(6, 3)),
    ]
    expected = {
        **CATEGORIES,
        "f1": "loop fusion",
        "f2": "custom fusion",
        "c1": "convolution",
        "c2": "convolution base-dilated window-dilated",
    }
    content = profile(
        {"jit_step(7)": {"program_id": 7, "Hlo Proto": module(found[:3], found[3:])}},
        [(7, name) for name in expected],
    )
    assert operations(tmp_path, content) == [
        (name, category, None, None) for name, category in expected.items()
    ]


def test_an_instruction_is_that_of_its_program(tmp_path: Path) -> None:
    """Programs without a statistic have the number of their name; XlaModule is no operation."""
    frames = (
        field(1, b"model.py") + field(1, b"train.py")
        + field(3, integer(1, 2) + integer(3, 40)) + field(3, integer(1, 1) + integer(3, 12))
        + field(4, integer(1, 1)) + field(4, integer(1, 2) + integer(2, 1))
    )  # fmt: skip
    first = [instruction("dot", "dot", of("jit(step)/dot_general", file="a.py", line=3))]
    second = [
        instruction("dot", "custom-call", of("model/dense/MatMul", "MatMul", frame=2)),
        instruction("add", "add", of("model/add", file="b.py", frame=9)),
        instruction("neg", "negate", of("model/neg", frame=9)),
    ]
    content = profile(
        {
            "jit_step(1)": {"Hlo Proto": module(first)},
            "jit_step(8)": {"program_id": 1 << 63, "Hlo Proto": module(first)},
            "jit_step(9)": {"program_id": 9, "hlo_proto": module(second, frames=frames)},
        },
        [(1, "dot"), (9, "dot"), (9, "add"), (9, "neg"), (2, "dot"), (1, "add")],
    )
    assert operations(tmp_path, content) == [
        ("dot", "dot", "jit(step)/dot_general:", "a.py:3"),
        ("dot", "custom-call", "model/dense/MatMul:MatMul", "model.py:12"),
        ("add", "non-fusion elementwise", "model/add:", "b.py"),
        ("neg", "non-fusion elementwise", "model/neg:", None),
        ("dot", None, None, None),
        ("add", None, None, None),
    ]


def test_what_events_state_comes_before_their_module(tmp_path: Path) -> None:
    found = [instruction("dot", "dot", of("jit(step)/dot_general", file="a.py", line=3))]
    content = profile(
        {"jit_step(1)": {"Hlo Proto": module(found)}},
        [(1, "dot")],
        {"tf_op": "@jit(f)/mul:", "hlo_category": "@convolution fusion", "source": "@c.py:1"},
    )
    assert operations(tmp_path, content) == [
        ("dot", "convolution fusion", "jit(f)/mul:", "c.py:1")
    ]  # fmt: skip


def test_a_module_that_cannot_be_decoded_is_a_problem(tmp_path: Path) -> None:
    whole = module([instruction("dot", "dot")])
    content = profile(
        {"a": {"Hlo Proto": whole}, "b": {"Hlo Proto": whole[:-9]}}, [(1, "dot"), (2, "dot")]
    )
    assert operations(tmp_path, content) == [
        ("dot", "dot", None, None), ("dot", None, None, None)
    ]  # fmt: skip
    with closing(imported([tmp_path / "host.xplane.pb"], tmp_path / "v.duckdb")) as db:
        assert db.execute("SELECT kind, count FROM import_problem").fetchall() == [("damaged", 1)]


@pytest.mark.integration
def test_operations_of_a_real_gpu_are_those_of_xprof(data_dir: Path, tmp_path: Path) -> None:
    """As hlo_stats of XProf 2.24.2: source, category, operation, executions and microseconds."""
    with closing(imported([data_dir / "tf/jax_mi300_xplane"], tmp_path / "w.duckdb")) as db:
        found = db.execute(
            "SELECT x.hlo_op, x.category, framework_op, source, count(*), sum(g.dur) / 1000 "
            "FROM xla_op AS x JOIN gpu_op AS g USING (slice_id) GROUP BY ALL ORDER BY ALL"
        ).fetchall()
    call, script = "jit(forward_3d_conv)/conv_general_dilated:", "generate_conv_trace.py:23"
    script = f"/workspace/traces/{script}"
    exact = [row[:5] for row in found]
    assert exact == [
        ("cudnn-conv.1", "custom-call", call, script, 79),
        ("input_transpose_fusion", "input fusion", call, script, 40),
        ("input_transpose_fusion.1", "input fusion", "x:", None, 39),
        ("loop_transpose_fusion", "loop fusion", "kernel:", None, 40),
    ]
    assert [row[5] for row in found] == pytest.approx([12531.616, 14344.14, 481.4, 193.52], abs=0.1)
