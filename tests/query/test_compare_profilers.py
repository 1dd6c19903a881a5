"""`tw compare` of one program recorded by two profilers: kernels meet though each spells their
names in its own way.

The other profilers' files are made of the kernels of a real recording of PyTorch's, their names
respelled by the plain Python below, their durations multiplied: so every row is known beforehand.
"""

from __future__ import annotations

import csv
import gzip
import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

from tests.support.gpu_profiles import imported
from tests.support.sharing import integration, kept_open, slow
from warehouse.library import library
from warehouse.query import execute, session
from warehouse.store import database

if TYPE_CHECKING:
    from tests.conftest import Tw

RECORDING = "kineto/two_ranks/rank-0.json.gz"
KINDS = {"kernel": "kernel", "gpu_memcpy": "memcpy", "gpu_memset": "memset"}
COPY_KIND = {"HtoD": 1, "DtoH": 2, "DtoD": 8}
MEMORY_KIND = {"Pageable": 0, "Pinned": 1, "Device": 2}
FACTOR = {"nsys": 3, "rocprofv3": 5, "nvprof": 2}
Row = dict[str, Any]


@dataclass
class Work:
    kind: str
    name: str
    ts: int
    dur: int


def recorded(data_dir: Path) -> list[Work]:
    with gzip.open(data_dir / RECORDING) as file:
        events = json.load(file, parse_float=Decimal)["traceEvents"]
    return [
        Work(KINDS[each["cat"]], each["name"], int(each["ts"] * 1000), int(each["dur"] * 1000))
        for each in events
        if each.get("cat") in KINDS
    ]


# --- how NVIDIA's and LLVM's demanglers write what GNU's wrote


def without_parameters(name: str) -> str:
    """The name up to the parenthesis that opens its list of parameters."""
    if not name.endswith(")"):
        return name
    depth = 0
    for place in range(len(name) - 1, -1, -1):
        depth += (name[place] == ")") - (name[place] == "(")
        if depth == 0:
            return name[:place]
    return name


def nvidia(name: str) -> str:
    """Arguments that are numbers have a cast, parameters of templates are T1, const comes first."""
    head = without_parameters(name)
    if head != name and head.endswith(">"):
        name = head + "(int, const T2 *, T3)"
    name = name.replace("(anonymous namespace)", "<unnamed>").replace("operator()", "operator ()")
    name = re.sub(r"\{lambda\(([^()]*)\)#(\d+)\}", r"[lambda(\1) (instance \2)]", name)
    name = re.sub(r"(?<=[<,])( ?)(-?\d+)(?=[,>])", r"\1(int)\2", name)
    name = re.sub(r"\b(\d+)ul\b", r"(unsigned long)\1", name)
    name = re.sub(r"\b(\d+)u\b", r"(unsigned int)\1", name)
    name = re.sub(r"\btrue\b", "(bool)1", re.sub(r"\bfalse\b", "(bool)0", name))
    name = re.sub(r"([\w:]+) const\b", r"const \1", name)
    name = re.sub(r"(?<=[\w>])([*&])", r" \1", name)
    while "> >" in name:
        name = name.replace("> >", ">>")
    return name


def llvm(name: str) -> str:
    """Lambdas are counted from none: 'lambda', 'lambda0', 'lambda1'."""

    def other(found: re.Match[str]) -> str:
        number = int(found[2]) - 2
        return f"'lambda{'' if number < 0 else number}'({found[1]})"

    name = re.sub(r"\{lambda\(([^()]*)\)#(\d+)\}", other, name)
    while "> >" in name:
        name = name.replace("> >", ">>")
    return name + " [clone .kd]"


# --- files of other profilers


def write_nsys(path: Path, work: Iterable[Work]) -> None:
    texts: dict[str, int] = {}

    def text(value: str) -> int:
        return texts.setdefault(value, len(texts) + 1)

    tables: dict[str, list[Row]] = {"KERNEL": [], "MEMCPY": [], "MEMSET": []}
    for number, each in enumerate(work):
        end = each.ts + FACTOR["nsys"] * each.dur
        row: Row = {"start": each.ts, "end": end, "deviceId": 0, "contextId": 1, "streamId": 7,
                    "correlationId": number, "globalPid": 1 << 48}  # fmt: skip
        if each.kind == "kernel":
            name = nvidia(each.name)
            row |= {"demangledName": text(name), "shortName": text(without_parameters(name))}
            row |= {f"{part}{axis}": 1 for part in ("grid", "block") for axis in "XYZ"}
        elif each.kind == "memcpy":
            direction, source, target = re.findall(r"\w+", each.name.replace("->", ""))[1:]
            row |= {"copyKind": COPY_KIND[direction], "bytes": 8, "srcKind": MEMORY_KIND[source],
                    "dstKind": MEMORY_KIND[target]}  # fmt: skip
        else:
            row |= {"value": 0, "bytes": 8, "memKind": 2}
        tables[each.kind.upper()].append(row)
    with closing(sqlite3.connect(path)) as file:
        for table, rows in tables.items():
            columns = list(rows[0])
            name = f"CUPTI_ACTIVITY_KIND_{table}"
            file.execute(f"CREATE TABLE {name} ({', '.join(f'{c} INTEGER' for c in columns)})")
            marks = ", ".join("?" * len(columns))
            file.executemany(
                f"INSERT INTO {name} VALUES ({marks})", [tuple(row.values()) for row in rows]
            )
        file.execute("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)")
        file.executemany("INSERT INTO StringIds VALUES (?, ?)", [(n, t) for t, n in texts.items()])
        file.commit()


def write_rocprofv3(path: Path, work: Iterable[Work]) -> None:
    columns = ["Kind", "Agent_Id", "Queue_Id", "Kernel_Name", "Correlation_Id", "Start_Timestamp",
               "End_Timestamp", "Workgroup_Size_X", "Workgroup_Size_Y", "Workgroup_Size_Z",
               "Grid_Size_X", "Grid_Size_Y", "Grid_Size_Z"]  # fmt: skip
    with path.open("w") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_NONNUMERIC)
        writer.writerow(columns)
        for number, each in enumerate(work):
            if each.kind == "kernel":
                end = each.ts + FACTOR["rocprofv3"] * each.dur
                times = [number, each.ts, end]
                writer.writerow(
                    ["KERNEL_DISPATCH", "Agent 1", 1, llvm(each.name), *times, *[1] * 6]
                )


def write_nvprof(path: Path, work: Iterable[Work]) -> None:
    lines = ["======== Profiling result:", '"Start","Duration","Device","Context","Stream","Name"']
    lines.append("ns,ns,,,,")
    work = list(work)
    first = min(each.ts for each in work)  # it counts from there
    for each in work:
        name = each.name
        if each.kind == "memcpy":
            name = f"[CUDA memcpy {name.split()[1]}]"
        elif each.kind == "memset":
            name = "[CUDA memset]"
        lines.append(f'{each.ts - first},{FACTOR["nvprof"] * each.dur},"GPU (0)","1","7","{name}"')
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture(scope="module")
def db(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("profilers")
    work = recorded(data_dir)
    write_nsys(folder / "nsys.sqlite", work)
    write_rocprofv3(folder / "rocprofv3.csv", work)
    write_nvprof(folder / "nvprof.csv", work)
    files = [data_dir / RECORDING, *(folder / f"{name}" for name in
             ("nsys.sqlite", "rocprofv3.csv", "nvprof.csv"))]  # fmt: skip
    imported(files, folder / "w.duckdb").close()
    with kept_open(folder / "w.duckdb") as path:
        yield path


def compared(db: Path, a: str, b: str) -> list[Row]:
    with session.opened(session.Place(db)) as opened:
        rows: list[Row] = opened.run("compare_kernels", {"a": a, "b": b}).table().to_pylist()
    return rows


def sums(work: Iterable[Work]) -> tuple[Counter[tuple[str, str]], Counter[tuple[str, str]]]:
    n_ops, total = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for each in work:
        n_ops[each.kind, each.name] += 1
        total[each.kind, each.name] += each.dur
    return n_ops, total


@pytest.mark.slow
def test_a_recording_of_pytorchs_and_one_of_nsight_systems_meet_kernel_by_kernel(
    db: Path, data_dir: Path
) -> None:
    n_ops, total = sums(recorded(data_dir))

    rows = compared(db, "two_ranks", "nsys")

    assert {(row["kind"], row["name_a"]): row["total_b_ns"] for row in rows} == {
        name: FACTOR["nsys"] * ns for name, ns in total.items()
    }
    for row in rows:
        name = (row["kind"], row["name_a"])
        assert (row["n_ops_a"], row["n_ops_b"]) == (n_ops[name], n_ops[name])
        assert (row["total_a_ns"], row["change_ratio"]) == (total[name], 2 if total[name] else None)
        if row["kind"] == "kernel":
            assert row["name_b"] == nvidia(row["name_a"])
        else:
            assert row["match_rule"] == "name"
    assert {row["status"] for row in rows} == {"changed"}
    assert {row["match_rule"] for row in rows} == {"name", "spelling", "signature"}
    assert len(rows) == 199


@pytest.mark.slow
@pytest.mark.parametrize("profiler", ["nsys", *map(slow, ("two_ranks", "nvprof"))])
def test_what_another_demangler_wrote_meets_too(db: Path, data_dir: Path, profiler: str) -> None:
    _, total = sums(each for each in recorded(data_dir) if each.kind == "kernel")
    factor = FACTOR.get(profiler, 1)

    rows = [row for row in compared(db, "rocprofv3", profiler) if row["kind"] == "kernel"]

    assert len(rows) == len(total)
    expected = {(FACTOR["rocprofv3"] * ns, factor * ns) for ns in total.values()}
    assert {(row["total_a_ns"], row["total_b_ns"]) for row in rows} == expected
    assert {row["status"] for row in rows} == {"changed"}


@pytest.mark.slow
def test_copies_of_a_profiler_that_tells_no_memory_meet_by_direction(db: Path) -> None:
    rows = {
        row["name_a"]: row for row in compared(db, "two_ranks", "nvprof") if row["kind"] != "kernel"
    }

    assert {name: (row["name_b"], row["match_rule"]) for name, row in rows.items() if name} == {
        "Memcpy DtoD (Device -> Device)": ("[CUDA memcpy DtoD]", "signature"),
        "Memcpy DtoH (Device -> Pageable)": ("[CUDA memcpy DtoH]", "signature"),
        "Memset (Device)": ("[CUDA memset]", "signature"),
        # two of one direction, and the other side does not say which is which
        "Memcpy HtoD (Pageable -> Device)": (None, None),
        "Memcpy HtoD (Pinned -> Device)": (None, None),
    }


#: One function, as GNU's demangler writes it, as NVIDIA's, and LLVM's where that is another text.
SAME = [
    ("saxpy(double*, double const*, int)", "saxpy(double *, const double *, int)"),
    (
        "void fill<3ul, true, (ns::Mode)2, -1>(char*)",
        "void fill<(unsigned long)3, (bool)1, (ns::Mode)2, (int)-1>(T5 *)",
    ),
    (
        "void each<f(A&)::{lambda()#2}::operator()() const::{lambda(float)#1}, A<char*, 3> >(int)",
        "void each<f(A &)::[lambda() (instance 2)]::operator ()() const::[lambda(float) "
        "(instance 1)], A<char *, (int)3>>(int, T2)",
    ),
    (
        "void (anonymous namespace)::softmax<c10::Half, 7>((anonymous namespace)::P<float>)",
        "void <unnamed>::softmax<c10::Half, (int)7>(<unnamed>::P<T2>)",
    ),
    (
        "std::enable_if<!(false), void>::type gemv::kernel<int, G<float const> >(G<float const>)",
        "std::enable_if<!T7, void>::type gemv::kernel<int, G<const float>>(T13)",
    ),
    (
        "void act<&(silu<c10::Half>(c10::Half const&)), 1u>(c10::Half*)",
        "void act<&silu<c10::Half>, (unsigned int)1>(T1 *)",
    ),
    (
        "void on<void g<int>(T&, int const&)::{lambda(int)#1}>(int)",
        "void on<void g<int>(T &, const T1 &)::[lambda(int) (instance 1)]>(int, T3)",
    ),
    ("void k<f()::{lambda(int)#1}>()", "void k<f()::'lambda'(int)>() [clone .kd]"),
    ("void k<f()::{lambda(int)#3}>()", "void k<f()::'lambda1'(int)>()"),
]
#: Functions that are not the same, though nearly.
OTHER = [
    ("f<1>(int)", "f<2>(int)"),
    ("void f<a::{lambda(float)#1}>()", "void f<a::{lambda(double)#1}>()"),
    ("void f<a::{lambda(float)#1}>()", "void f<a::{lambda(float)#2}>()"),
    ("a::f<int>()", "b::f<int>()"),
    ("void f<true>()", "void f<false>()"),
]


#: One signature, but other parameters or kinds of memory: a change, not a spelling.
VARIANTS = [
    ("kernel", "void fused_step<4>(float*)", "void fused_step<4>(__nv_bfloat16*)"),
    integration("memcpy", "Memcpy HtoD (Pinned -> Device)", "Memcpy HtoD (Pageable -> Device)"),
    slow("memset", "Memset (Device)", "Memset (Pinned)"),
]


def keys(folder: Path, names: Iterable[str], kind: str = "kernel") -> dict[str, Row]:
    path = folder / "w.duckdb"
    database.create_empty(path)
    with duckdb.connect(str(path)) as connection:
        return stored_keys(connection, names, kind)


def stored_keys(
    connection: duckdb.DuckDBPyConnection, names: Iterable[str], kind: str
) -> dict[str, Row]:
    for number, name in enumerate(names):
        connection.execute(
            "INSERT INTO gpu_op (slice_id, trace_id, track_id, ts, dur, name, kind, class) "
            "VALUES (?, 1, 1, 0, 1, ?, ?, 'compute')",
            [number, name, kind],
        )
    rows = execute.run(connection, "kernel_key", {}, library=library.load()).table().to_pylist()
    return {row["name"]: row for row in rows}


def test_spellings_of_one_function_have_one_signature_and_others_have_not(
    tmp_path: Path,
) -> None:
    found = keys(tmp_path, (name for pair in [*SAME, *OTHER] for name in pair))

    def signatures(pair: tuple[str, str]) -> list[str]:
        return [found[name]["signature"] for name in pair]

    def variants(pair: tuple[str, str]) -> set[str]:
        return {found[name]["variant"] for name in pair} - {None}

    assert [pair for pair in SAME if len(set(signatures(pair))) > 1] == []
    assert [pair for pair in SAME if len(variants(pair)) > 1] == []
    assert [pair for pair in OTHER if len(set(signatures(pair))) == 1] == []


@pytest.mark.parametrize(("kind", "before", "after"), VARIANTS)
def test_other_types_and_kinds_of_memory_are_variants(
    tmp_path: Path, kind: str, before: str, after: str
) -> None:
    found = keys(tmp_path, [before, after], kind)

    assert found[before]["signature"] == found[after]["signature"]
    assert None not in (found[before]["variant"], found[after]["variant"])
    assert found[before]["variant"] != found[after]["variant"]


@pytest.mark.slow
def test_the_report_leaves_out_what_one_side_did_not_record(db: Path, tw: Tw) -> None:
    said = tw("compare", "two_ranks", "nsys", "--db", db)

    assert said.code == 0
    assert "B has no steps: not compared.\n" in said.out
    assert "B has no operators: not compared.\n" in said.out
    measures = re.findall(r"^\w+(?= .*%)", said.out, re.MULTILINE)
    assert "device_time" in measures
    assert not {"step_time", "operator_time", "n_operator_calls"} & set(measures)
    assert "Operators that changed most" not in said.out
