"""Formulas of the user's own operators: those of the documentation, and what is refused."""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path

import duckdb
import pytest

from tests.conftest import Tw
from tests.support.sharing import Import, WarehouseCache
from warehouse.errors import ConfigError
from warehouse.query import operator_formula

DOCS = Path(__file__).parents[2] / "docs/metrics.md"
RECORDING: Import = ("own", [Path(__file__).parents[1] / "data/kineto/own_operator/trace.json"])
QUERY = "SELECT name, model, input_dims, flops, bytes FROM op_work() ORDER BY flops DESC"


@pytest.fixture
def warehouse(imported_files: WarehouseCache, tmp_path: Path) -> Path:
    """In the folder that commands run in, where they look for it."""
    return imported_files.copy(tmp_path / "traces.duckdb", RECORDING)


def example() -> str:
    """The file of formulas in the documentation."""
    (found,) = re.findall(r" *```sql\n( */\* ---\n *operator.*?)```", DOCS.read_text(), re.DOTALL)
    return textwrap.dedent(found)


def write(text: str) -> None:
    Path("tw.toml").write_text('formulas = "formulas.sql"\n')
    Path("formulas.sql").write_text(text)


@pytest.mark.usefixtures("warehouse")
def test_the_formula_of_the_documentation_counts_what_the_operator_does(tw: Tw) -> None:
    before = json.loads(tw("query", QUERY, "--format", "json").out)
    write(example())
    after = json.loads(tw("query", QUERY, "--format", "json").out)

    assert {row["name"] for row in before} == {"aten::mm"}
    own = [row for row in after if row["name"] == "mylib::gated_mlp"]
    assert [row for row in after if row not in own] == before
    assert {row["model"] for row in own} == {"own formula"}
    # FlopCounterMode counts 18,432 for the four products of the two calls; they are multiplied
    # element by element: 6 x 32 and 3 x 32.
    assert sum(row["flops"] for row in own) == 18_432 + 6 * 32 + 3 * 32
    # Inputs of n x 16, two weights of 16 x 32, and the result of n x 32, in 4 bytes.
    assert [row["bytes"] for row in own] == [4 * (n * 16 + 2 * 16 * 32 + n * 32) for n in (6, 3)]


@pytest.mark.usefixtures("warehouse")
def test_a_formula_takes_precedence_over_the_library(tw: Tw) -> None:
    write(formula("SELECT 7 AS flops", operator="aten::mm"))

    rows = json.loads(tw("query", QUERY, "--format", "json").out)

    assert [(row["name"], row["flops"], row["bytes"]) for row in rows] == [("aten::mm", 7, None)]


def formula(
    select: str, operator: str = "mylib::gated_mlp", unit: str = '{ flops = "count" }'
) -> str:
    return f'-- Ours\n/* ---\noperator = "{operator}"\nunit = {unit}\n--- */\n{select};\n'


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (formula("SELECT\n  2 * d[1][1] +\n  3 )) AS flops"), 8, "syntax error"),
        (formula("SELECT 2 * m AS flops"), 6, '"m" not found'),
        (formula("SELECT 1 AS operations"), 6, "returns operations"),
        (formula("SELECT 'a' AS flops"), 6, "flops is of type VARCHAR"),
        (formula("SELECT 1 AS flops FROM slice"), 6, "one SELECT of one row"),
        (formula("SELECT (SELECT count(*) FROM slice) AS flops"), 6, "one SELECT of one row"),
        (formula("SELECT unnest(d[1]) AS flops"), 6, "one SELECT of one row"),
        (formula("SELECT 1 AS flops; SELECT 2 AS flops"), 6, "one SELECT of one row"),
        (formula("DROP TABLE slice"), 6, "SELECT"),
        (formula("SELECT 1 AS flops", operator="torch.ops.mylib.f"), 2, "is not the name of"),
        (formula("SELECT 1 AS flops", operator="mylib::f.default"), 2, "is not the name of"),
        (formula("SELECT 1 AS flops", unit='{ flops = "GFLOP" }'), 2, "flops cannot be in 'GFLOP'"),
        (formula("SELECT 1 AS flops", unit='{ time = "ns" }'), 2, "no column 'time'"),
        (formula("SELECT 1 AS flops", unit="{}"), 2, "no units"),
        (formula("SELECT 1 AS flops", unit="{"), 2, "not valid TOML"),
        (formula("SELECT 1 AS flops") * 2, 12, "has a formula already"),
        ("SELECT 1 AS flops", 1, "begins with a header"),
    ],
)  # fmt: skip
def test_a_wrong_formula_is_refused_with_file_line_and_remedy(
    tmp_path: Path, text: str, line: int, message: str
) -> None:
    path = tmp_path / "formulas.sql"
    path.write_text(text)

    with duckdb.connect() as connection, pytest.raises(ConfigError) as refused:
        operator_formula.apply(connection, [path])

    assert str(refused.value).startswith(f"{path}, line {line}: ")
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)
    assert refused.value.hint


@pytest.mark.usefixtures("warehouse")
def test_commands_refuse_a_wrong_formula_in_one_sentence(tw: Tw) -> None:
    write(formula("SELECT 2 * m AS flops"))

    result = tw("query", QUERY)

    assert result.code == 2
    assert len(result.errors) == 1
    assert "formulas.sql, line 6: " in result.errors[0]


@pytest.mark.usefixtures("warehouse")
def test_a_file_of_formulas_can_be_given_to_one_command(tw: Tw) -> None:
    write(example())
    configured = tw("query", QUERY, "--format", "csv").out
    Path("tw.toml").unlink()
    without = tw("query", QUERY, "--format", "csv").out
    given = tw("query", QUERY, "--format", "csv", "--formulas", "formulas.sql")

    assert given.out == configured != without
    Path("other.sql").write_text(example())
    twice = tw("query", QUERY, "--formulas", "formulas.sql", "--formulas", "other.sql")
    assert (twice.code, len(twice.errors)) == (2, 1)
    assert "mylib::gated_mlp has a formula already" in twice.errors[0]
    missing = tw("query", QUERY, "--formulas", "none.sql")
    assert (missing.code, len(missing.errors)) == (2, 1)
    assert "none.sql cannot be read" in missing.errors[0]


@pytest.mark.usefixtures("warehouse")
@pytest.mark.integration
def test_exports_count_by_the_formulas_they_are_given_and_are_verified_with_them(tw: Tw) -> None:
    write(example())
    Path("tw.toml").unlink()
    given = ("--formulas", "formulas.sql")
    assert tw("export", "xlsx", "roofline", "-o", "own.xlsx", *given).code == 0

    assert tw("verify", "own.xlsx", *given).code == 0
    assert tw("verify", "own.xlsx").code == 1
    for command in (("export", "html", "coverage", "-o", "own.html"),
                    ("export", "perfetto", "-o", "own.pftrace")):  # fmt: skip
        Path("formulas.sql").write_text("SELECT 1")
        refused = tw(*command, *given)
        assert (refused.code, len(refused.errors)) == (2, 1)
        assert "formulas.sql, line 1: " in refused.errors[0]


@pytest.mark.usefixtures("warehouse")
def test_a_missing_file_of_formulas_is_named(tw: Tw) -> None:
    Path("tw.toml").write_text('formulas = "none.sql"\n')

    assert "none.sql cannot be read" in tw("query", QUERY).err


def event(category: str, name: str, start: int, duration: int, **args: object) -> dict[str, object]:
    place = {"pid": 0, "tid": 7} if category == "kernel" else {"pid": 1, "tid": 1}
    return {
        "ph": "X",
        "cat": category,
        "name": name,
        "ts": start,
        "dur": duration,
        "args": args,
    } | place


def test_roofline_and_coverage_count_an_operator_of_the_user(tw: Tw) -> None:
    """It launches one of two kernels, which runs 30 of 40 us."""
    shapes = {"Input Dims": [[6, 16], [16, 32], [16, 32]], "Input type": ["float"] * 3}
    events = [
        event("cpu_op", "mylib::gated_mlp", 100, 20, **shapes),
        event("cuda_runtime", "cudaLaunchKernel", 110, 5, correlation=1),
        event("cuda_runtime", "cudaLaunchKernel", 130, 5, correlation=2),
        event("kernel", "gated", 140, 30, correlation=1, device=0, stream=7),
        event("kernel", "unknown", 180, 10, correlation=2, device=0, stream=7),
    ]
    Path("trace.json").write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    tw("import", "trace.json")
    write(formula("SELECT 60 * d[1][1] AS flops", unit='{ flops = "count" }'))

    (covered,) = json.loads(tw("query", "coverage", "--format", "json").out)
    (row,) = json.loads(tw("query", "roofline", "--format", "json").out)

    assert covered["flops_share"] == 30 / 40
    assert (row["name"], row["model"]) == ("mylib::gated_mlp", "own formula")
    assert (row["n_device_ops"], row["busy_ns"], row["flops"]) == (1, 30_000, 360)
    assert row["flops_per_s"] == pytest.approx(360 / 30e-6)
