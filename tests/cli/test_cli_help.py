"""What the program says of itself and of where it is: --spec, completion, config, info."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.sharing import GPU, WarehouseCache, integration
from warehouse.cli import COMMANDS, plugin_group
from warehouse.library import library

if TYPE_CHECKING:
    from tests.conftest import Tw

PROGRAM = "import sys; sys.argv[0] = 'tw'; from warehouse.cli import main; main()"
DATA = Path(__file__).parents[1] / "data/kineto"


@pytest.fixture(scope="module")
def db(imported_files: WarehouseCache) -> Path:
    return imported_files(("gpu run", GPU[1]))


def test_the_spec_has_every_command_option_and_query(tw: Tw) -> None:
    spec = json.loads(tw("--spec").out)

    names = [each["name"] for each in spec["commands"]]
    assert names == [f"tw {name}" for name in [*COMMANDS, *plugin_group.top_level()]]
    (query,) = [each for each in spec["commands"] if each["name"] == "tw query"]
    options = {flag: each for each in query["parameters"] for flag in each["flags"]}
    assert options["--format"]["choices"] == [*spec["formats"], "heat"]
    assert options["--run"]["is_repeatable"]
    assert options["--wait"]["default"] == 10.0
    assert spec["exit_codes"]["timeout"] == 4
    assert [each["name"] for each in spec["queries"]] == list(library.load().newest)
    (used,) = [each for each in spec["queries"] if each["name"] == "utilization"]
    (busy,) = [each for each in used["columns"] if each["name"] == "busy_ns"]
    assert (busy["unit"], busy["check"]) == ("ns", ">= 0")


def examples_of_query() -> list[list[str]]:
    """The calls in the help of `tw query`, as a shell takes them apart, but those on a cluster."""
    page = (Path(__file__).parents[2] / "docs" / "cli.md").read_text()
    section = page.split("\n## tw query\n")[1].split("\n## ")[0]
    lines = re.findall(r"(?m)^ +(tw query .*)$", section)
    return [shlex.split(line)[1:] for line in lines if "--master" not in line]


@pytest.mark.parametrize("words", examples_of_query())
def test_the_examples_in_the_help_work(tw: Tw, db: Path, tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "own.sql").write_text("SELECT 1 AS x")
    place: tuple[object, ...] = ("--db", db)
    if "--lake" in words:
        assert tw("lake", "sync", "--db", db, tmp_path / "lake").code == 0
        at = words.index("--lake")
        words, place = words[:at] + words[at + 2 :], ("--lake", tmp_path / "lake")

    assert tw(*words, *place).code == 0


@pytest.mark.parametrize(
    ("words", "rows"),
    [
        (["traces"], 1),
        (["traces@3"], 1),
        (["traces.sql"], 1),
        (["./own.sql"], 3),
        (["-f", "own.sql"], 3),
        (["-c", "FROM range(2)", "--rows", "-1"], 2),
        (["-c", "SELECT $n AS n", "-p", "n=4"], 1),
        (["check_stale_link"], 0),
    ],
)
def test_a_query_is_named_as_its_help_says(
    tw: Tw, db: Path, tmp_path: Path, words: list[str], rows: int
) -> None:
    (tmp_path / "own.sql").write_text("FROM range(3)")

    ran = tw("query", *words, "--db", db, "--format", "jsonl")

    assert (ran.code, len(ran.out.splitlines())) == (0, rows)


@pytest.mark.parametrize("folder", [".", "mine", "absolute"])
def test_a_new_query_says_how_it_is_run(tw: Tw, db: Path, tmp_path: Path, folder: str) -> None:
    (tmp_path / folder).mkdir(exist_ok=True)
    place = tmp_path / folder if folder == "absolute" else Path(folder)

    printed = tw("queries", "new", "long_slices", "--folder", place).err
    call = printed.split("`")[1].split()

    assert tw(*call[1:], "--db", db, "--format", "jsonl").code == 0


def completed(db: Path, tmp_path: Path, *words: str) -> list[str]:
    """What bash would be offered for the last word."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("TW_")},
        "_TW_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(["tw", *words]),
        "COMP_CWORD": str(len(words)), "TW_DB": str(db),
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }  # fmt: skip
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert ran.stderr == ""
    return [line.partition(",")[2] for line in ran.stdout.splitlines()]


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("sch",), "schema"),
        (("query", "utilization_o"), "utilization_over_time"),
        (("query", "utilization_over_time", "-p", "bu"), "bucket_ns="),
        (("query", "utilization", "--run", "gpu"), "gpu run"),
        integration(("query", "utilization", "--form"), "--format"),
        integration(("compare", "gpu"), "gpu run"),
        integration(("check", "gpu"), "gpu run"),
        integration(("queries", "show", "overl"), "overlap"),
        integration(("completion", "z"), "zsh"),
    ],
)
def test_a_shell_completes(db: Path, tmp_path: Path, words: tuple[str, ...], offered: str) -> None:
    assert offered in completed(db, tmp_path, *words)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_its_script(tw: Tw, shell: str) -> None:
    ran = tw("completion", shell)
    assert ran.code == 0
    assert f"_TW_COMPLETE={shell}_complete" in ran.out


def test_bash_accepts_its_script(tw: Tw) -> None:
    script = tw("completion", "bash").out
    subprocess.run(["bash", "-n"], input=script, text=True, check=True, timeout=60)


def test_settings_are_shown_with_their_source(
    tw: Tw, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tw.toml").write_text('threads = 3\nformat = "csv"\n')
    monkeypatch.setenv("TW_DB", "elsewhere.duckdb")

    settings = json.loads(tw("config", "show", "--json").out)

    assert settings["threads"] == {"value": 3, "source": str(tmp_path / "tw.toml")}
    assert settings["db"] == {"value": "elsewhere.duckdb", "source": "TW_DB"}
    assert settings["memory_limit"] == {"value": None, "source": "default"}
    assert "csv" in tw("config", "show").out


def test_a_wrong_configuration_is_named(tw: Tw, tmp_path: Path) -> None:
    (tmp_path / "tw.toml").write_text("thread = 3\n")
    ran = tw("config", "show")
    assert ran.code == 2
    assert "Did you mean 'threads'?" in ran.err


def test_info_counts_what_the_warehouse_holds(tw: Tw, db: Path) -> None:
    facts = json.loads(tw("info", "--json", "--db", db).out)

    assert (facts["n_runs"], facts["n_traces"], facts["n_slices"]) == (1, 1, 85)
    assert facts["n_bytes"] == db.stat().st_size
    sizes = {table["name"]: table for table in facts["tables"]}
    assert sizes["slice"]["n_rows"] == 85
    assert 0 < sizes["slice"]["n_bytes"] < facts["n_bytes"]
    text = tw("info", "--tables", "--db", db).out
    assert "85, with" in text
    assert "gpu_op" in text


def test_info_says_how_much_device_time_has_a_launch(tw: Tw, db: Path) -> None:
    events = json.loads((DATA / "gpu_handwritten/trace.json").read_text())["traceEvents"]
    calls = {
        event["args"].get("correlation")
        for event in events
        if event.get("cat") in ("cuda_runtime", "cuda_driver")
    } - {None}
    total: Counter[int] = Counter()
    launched: Counter[int] = Counter()
    for event in events:
        if event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset"):
            dur_ns, device = max(round(event["dur"] * 1000), 0), event["args"]["device"]
            total[device] += dur_ns
            launched[device] += dur_ns * (event["args"].get("correlation") in calls)

    found = json.loads(tw("info", "--coverage", "--json", "--db", db).out)["coverage"]

    assert {row["device"]: row["device_ns"] for row in found} == total
    assert {
        row["device"]: round(row["launch_share"] * row["device_ns"]) for row in found
    } == launched
    text = tw("info", "--coverage", "--db", db).out
    assert f"{100 * launched[0] / total[0]:.1f} %" in text


def test_info_of_nothing_says_what_to_do(tw: Tw) -> None:
    ran = tw("info")
    assert ran.code == 3
    assert "tw import" in ran.err


@pytest.mark.parametrize("name", plugin_group.top_level())
def test_commands_of_packages_are_listed_with_their_help(name: str) -> None:
    """Read from their source, which must be found."""
    command = plugin_group.loaded(name, name)
    assert command and command.help
    assert plugin_group.help_line(name) == command.help.splitlines()[0]
