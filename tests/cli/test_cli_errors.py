"""Exit codes and error texts: one `Error:` line, a `Hint:` where there is one, no traceback."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pytest

from warehouse.store import database

if TYPE_CHECKING:
    from tests.conftest import Tw

HANDWRITTEN = Path(__file__).parents[1] / "data" / "kineto" / "gpu_handwritten" / "trace.json"


@pytest.fixture
def warehouse(tmp_path: Path) -> Path:
    path = tmp_path / "traces.duckdb"
    database.create_empty(path)
    return path


CASES = [
    (("--db", "w.duckdb", "query", "utilization"), 2, "No such option '--db'", "tw COMMAND --db"),
    (("query", "utilisation"), 2, "query 'utilisation' not found", "'utilization'"),
    (("query",), 2, "exactly one of NAME", "tw queries list"),
    (("query", "utilization", "-p", "x=1"), 2, "no parameter 'x'", "none"),
    (("query", "utilization", "--run", "x"), 2, "run 'x' not found", "no run"),
    (("query", "-c", "SELECT * FROM slise"), 1, "slise", "slice"),
    (("query", "-c", "DROP TABLE slice"), 1, "must be read-only", "SELECT"),
    (("query", "-c", "SELECT 1", "-o", "no/such/folder.csv"), 1, "cannot be written", None),
    (("drop",), 2, "nothing selected", "--run"),
    (("drop", "--run", "x", "--yes"), 2, "run 'x' not found", "no run"),
    (("schema", "show", "slise"), 2, "table 'slise' not found", "'slice'"),
    (("formats", "kinetto"), 2, "importer 'kinetto' not found", "kineto"),
    (("export", "perfetto"), 1, "nothing to export", "tw runs"),
    (("import", "absent.json"), 1, "absent.json", None),
    (
        ("import", "--lake", "lake", "--db", "w.duckdb", "."),
        2,
        "--db and --lake cannot be combined",
        None,
    ),
    (("export", "xlsx", "-o", "a.html"), 2, "does not write .html files", "`tw export html`"),
    (("export", "chrome", "-o", "a.pftrace"), 2, "does not write .pftrace", "`tw export perfetto`"),
]


@pytest.mark.parametrize(
    ("arguments", "code", "message", "hint"), CASES, ids=[" ".join(case[0]) for case in CASES]
)
def test_a_failure_is_one_sentence_and_a_remedy(
    tw: Tw, warehouse: Path, arguments: tuple[str, ...], code: int,
    message: str, hint: str | None,
) -> None:  # fmt: skip
    ran = tw(*arguments)

    assert (ran.code, ran.out) == (code, "")
    assert len(ran.errors) == 1
    assert message in ran.errors[0]
    assert "Traceback" not in ran.err
    hints = [line for line in ran.err.splitlines() if line.startswith("Hint:")]
    assert hint is None or hint in hints[0]


@pytest.mark.parametrize(
    "arguments",
    [
        ("query", "utilization"), ("runs",), ("drop", "--run", "x"), ("export", "perfetto"),
        ("schema", "version"), ("schema", "upgrade"),
    ],
    ids=lambda arguments: arguments[0],
)  # fmt: skip
def test_without_a_warehouse_the_exit_code_is_3(
    tw: Tw, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    ran = tw(*arguments)

    assert ran.code == 3
    assert ran.errors == ["Error: warehouse traces.duckdb not found"]
    assert "Hint: Import traces with `tw import PATH`" in ran.err
    assert list(tmp_path.glob("*.duckdb")) == []


def test_a_file_that_is_no_warehouse_is_refused_and_left_alone(tw: Tw, tmp_path: Path) -> None:
    (tmp_path / "traces.duckdb").write_text("no database " * 2000)
    with duckdb.connect(str(tmp_path / "other.duckdb")) as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS a")

    assert tw("runs").code == 3
    assert tw("runs", "--db", "other.duckdb").code == 3
    assert tw("schema", "upgrade", "--db", "other.duckdb").code == 3
    assert (tmp_path / "traces.duckdb").read_text().startswith("no database ")


NEWER = [
    ("runs",), ("query", "-c", "SELECT 1"), ("import", str(HANDWRITTEN)), ("drop", "--run", "1"),
    ("backup", "b.duckdb"), ("vacuum",), ("link",), ("tag", "x"), ("schema", "upgrade"),
    ("export", "perfetto"), ("check", "--file"), ("schedule", "run-due"), ("info",),
]  # fmt: skip


@pytest.mark.integration
def test_a_warehouse_of_a_newer_program_is_refused(tw: Tw, warehouse: Path) -> None:
    with duckdb.connect(str(warehouse)) as connection:
        connection.execute("INSERT INTO schema_migration VALUES (999, 'x', 'y', now(), '9.9')")

    before = warehouse.read_bytes()

    for arguments in NEWER:
        ran = tw(*arguments)
        assert (ran.code, len(ran.errors)) == (3, 1), arguments
        assert "999" in ran.errors[0]
    assert warehouse.read_bytes() == before
    assert [path.name for path in warehouse.parent.iterdir()] == [warehouse.name]


def test_some_of_several_failing_is_exit_code_5(tw: Tw, tmp_path: Path) -> None:
    (tmp_path / "empty.json").write_text("")

    ran = tw("import", HANDWRITTEN, "empty.json")

    assert ran.code == 5
    assert [line.endswith("empty.json is empty") for line in ran.errors] == [True]
    assert "1 of 2 imported" in ran.err


def test_all_failing_is_exit_code_1(tw: Tw, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing of the kind")

    ran = tw("import", "notes.txt")

    assert ran.code == 1
    assert "not recognised: it begins with" in ran.errors[0]


@pytest.mark.parametrize(
    ("wrong", "right"), [("improt", "import"), ("querys", "query"), ("export htm", "html")]
)
def test_an_unknown_command_names_the_nearest(tw: Tw, wrong: str, right: str) -> None:
    words = wrong.split()

    ran = tw(*words)

    assert ran.code == 2
    assert ran.errors == [f"Error: No such command {words[-1]!r}. Did you mean {right!r}?"]


@pytest.mark.parametrize("arguments", [("query", "--rows", "many"), ("import",), ("--what",)])
def test_wrong_options_are_exit_code_2(tw: Tw, arguments: tuple[str]) -> None:
    ran = tw(*arguments)

    assert ran.code == 2
    assert len(ran.errors) == 1


def test_a_wrong_configuration_names_file_and_key(tw: Tw, warehouse: Path) -> None:
    (warehouse.parent / "tw.toml").write_text('memory_limt = "1GB"\n')

    ran = tw("runs")

    assert ran.code == 2
    assert "tw.toml" in ran.errors[0]
    assert "Did you mean 'memory_limit'?" in ran.err
