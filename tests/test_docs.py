"""The documentation is true: commands, options, files and examples in it exist and run."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import socket
import subprocess
import sys
import tomllib
from contextlib import suppress
from glob import glob
from importlib.metadata import EntryPoint
from itertools import chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest

from tests.conftest import CommandResult
from tests.support.plugin import installed
from warehouse import plugins
from warehouse.cli import tw as tw_command
from warehouse.store import catalog, database

if TYPE_CHECKING:
    from tests.conftest import Tw

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
DDP_RANK0 = ROOT / "tests" / "data" / "kineto" / "ddp_two_ranks" / "rank0.json.gz"
HANDWRITTEN = ROOT / "tests" / "data" / "kineto" / "gpu_handwritten" / "trace.json"
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def load_generator(name: str = "make_cli") -> Any:
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GENERATOR = load_generator()
COMMANDS = dict(GENERATOR.commands(tw_command))


def shell_lines(page: Path) -> list[str]:
    """Every `tw` command of a page, without what the shell does with it."""
    whole = page.read_text().replace("\\\n", " ")  # a command may go on in the next line
    blocks = [text for kind, text in FENCE.findall(whole) if kind == "sh"]
    quoted = re.compile(r'"[^"]*"')
    lines = quoted.sub(lambda m: m[0].replace("\n", " "), "\n".join(blocks)).splitlines()
    inline = re.findall(r"`(tw [a-z][^`]*)`", page.read_text())
    found = [re.sub(r"^\S*/tw ", "tw ", line) for line in [*lines, *inline]]
    return [re.split(r" [|>#]| && ", line)[0] for line in found if line.startswith("tw ")]


def test_the_reference_is_what_help_says() -> None:
    assert GENERATOR.PAGE.read_text() == GENERATOR.page(tw_command), "run `make docs`"


def test_the_queries_on_spark_are_those_of_the_headers() -> None:
    made = load_generator("make_spark")
    assert made.PAGE.read_text() == made.page(), "run `make docs`"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_and_an_example(name: str) -> None:
    text = COMMANDS[name].command.help or ""

    first = text.strip().partition("\n\n")[0]
    assert len(first) <= 100 and first.endswith("."), f"{name}: {first!r}"
    assert re.search(r"Examples?:\n", text), f"{name} has no example"
    assert f"\n{name}" in re.sub(r"\n +", "\n", text), f"the example of {name} does not call it"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_says_what_it_does(name: str) -> None:
    for parameter in COMMANDS[name].command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{name} {parameter.opts[0]}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_in_the_text_exist(page: Path) -> None:
    # A tutorial's own commands are run by the test of that tutorial.
    added = re.findall(r'^"([a-z]+)\.([a-z-]+)" = ', page.read_text(), re.MULTILINE)
    for line in shell_lines(page):
        words = shlex.split(line)[1:]
        if tuple(words[:2]) in added:
            continue
        command: click.Command = tw_command
        context = click.Context(tw_command, info_name="tw")
        while isinstance(command, click.Group) and words and not words[0].startswith("-"):
            found = command.get_command(context, words[0])
            assert found is not None, f"{page.name}: {line}"
            command, words = found, words[1:]
            context = click.Context(command, context, command.name)
        known = {
            "--help",
            "--version",
            *(o for each in command.get_params(context) for o in each.opts),
        }
        for word in words:
            if re.match(r"--?[a-z]", word):
                assert word.partition("=")[0] in known, f"{page.name}: {line}: {word}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_in_the_text_exist(page: Path) -> None:
    text = FENCE.sub("", page.read_text())
    links = re.findall(r"\]\((?!https?:)([^)#]+)", text)
    paths = re.findall(
        r"`((?:warehouse|importers|schema|queries|tests|docs|benchmarks)/[\w./*-]*)`", text
    )

    assert [each for each in links if not (page.parent / each).exists()] == []
    assert [each for each in paths if not list(ROOT.glob(each.rstrip("/")))] == []


def test_tests_in_the_text_exist() -> None:
    for page in PAGES:
        for file, name in re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", page.read_text()):
            assert (ROOT / file).exists(), f"{page.name}: {file}"
            assert f"\ndef {name}(" in (ROOT / file).read_text(), f"{page.name}: {file}::{name}"


def test_every_pain_point_names_a_test() -> None:
    text = (ROOT / "docs" / "pain-points.md").read_text()
    points = re.split(r"^\*\*", text, flags=re.MULTILINE)[1:]

    assert points
    for point in points:
        assert re.search(r"^Tests?: `tests/", point, re.MULTILINE), point.partition("**")[0]


def test_columns_in_the_text_exist() -> None:
    with catalog.empty() as connection:
        known = {
            table.name: {column.name for column in catalog.columns(connection, table.name)}
            for table in catalog.tables(connection)
        }
    for page in PAGES:
        for table, column in re.findall(r"`([a-z_]+)\.([a-z_]+)`", page.read_text()):
            if table in known:
                assert column in known[table], f"{page.name}: {table}.{column}"


def test_set_up_is_part_of_the_two_commands() -> None:
    """A fresh clone runs and tests itself by one line each."""
    text = (ROOT / "README.md").read_text()

    for marker, last in (("run-command", "tw demo"), ("test-command", "pytest")):
        found = re.search(rf"<!-- {marker} -->\n+```sh\n(.*)\n```", text)
        assert found, marker
        assert found[1].startswith("python3 -m venv .venv && ")
        assert found[1].endswith(f" && .venv/bin/{last}")


def test_nothing_names_a_machine() -> None:
    """Paths and hosts of whoever wrote a page mean nothing to its readers."""
    foreign = re.compile(r"(?<![\w.])/(?:home|root|work|tmp)/|pypi\.org|files\.pythonhosted")
    for page in PAGES:
        assert not foreign.search(page.read_text()), page.name


def test_the_importer_of_the_tutorial_works(tw: Tw, tmp_path: Path) -> None:
    (tmp_path / "my.csv").write_text(
        "thread,name,start_ns,dur_ns\nb,call,1015,20\nb,step,1000,100\na,odd,1010,-5\n"
    )
    (tmp_path / "bad.csv").write_text("thread,name,start_ns,dur_ns\na,b,c,d\n")

    with installed(tmp_path):
        described, imported = tw("formats", "spans"), tw("import", "my.csv")
        bad = tw("import", "bad.csv")

    assert described.out.startswith("spans: Spans of threads, as CSV")
    assert imported.code == 0, imported.err
    assert "problems: negative_duration (1)" in imported.err
    assert (bad.code, len(bad.errors)) == (1, 1)
    with database.Reader(tmp_path / "traces.duckdb") as reader:
        rows = reader.connection.execute(
            "SELECT k.name, s.name, s.ts, s.dur, s.depth, p.name FROM slice AS s "
            "JOIN track AS k ON k.id = s.track_id LEFT JOIN slice AS p ON p.id = s.parent_id "
            "ORDER BY s.id"
        ).fetchall()
    assert rows == [
        ("a", "odd", 10, -5, 0, None),
        ("b", "step", 0, 100, 0, None),
        ("b", "call", 15, 20, 1, "step"),
    ]


def operators(db: Path) -> dict[int, tuple[str, int, int | None]]:
    """Name, duration and parent of each operator."""
    with database.Reader(db) as reader:
        rows = reader.connection.execute(
            "SELECT s.id, s.name, s.dur, s.parent_id FROM slice AS s "
            "JOIN cpu_op AS o ON o.slice_id = s.id"
        ).fetchall()
    return {row[0]: row[1:] for row in rows}


def folded(ops: dict[int, tuple[str, int, int | None]]) -> dict[str, int]:
    """Self time by stack, in plain Python."""

    def path(op: int) -> str:
        name, _, parent = ops[op]
        return f"{path(parent)};{name}" if parent in ops else name

    total: dict[str, int] = {}
    for op, (_, dur, _) in ops.items():
        inner = sum(each for _, each, parent in ops.values() if parent == op)
        total[path(op)] = total.get(path(op), 0) + dur - inner
    return {stack: ns for stack, ns in total.items() if ns > 0}


@pytest.mark.integration
def test_the_export_of_the_tutorial_works(tw: Tw, tmp_path: Path) -> None:
    text = (ROOT / "docs" / "add-an-export.md").read_text()
    exporter, command = (block for kind, block in FENCE.findall(text) if kind == "python")
    package = tmp_path / "tw_folded"
    package.mkdir()
    (package / "__init__.py").write_text(exporter)
    (package / "command.py").write_text(command)
    points = tomllib.loads(re.findall(r"^```toml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)[0])
    groups = points["project"]["entry-points"]
    registered = plugins.registered
    assert tw("import", DDP_RANK0).code == 0

    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(tmp_path)
        patch.setattr(
            plugins,
            "registered",
            lambda group: (
                registered(group)
                + tuple(EntryPoint(n, v, group) for n, v in groups.get(group, {}).items())
            ),
        )
        listed = tw("export", "--help")
        written = tw("export", "folded", "-o", "rank0.folded")
        same = tw("verify", "rank0.folded")
        sys.modules.pop("tw_folded.command")
        sys.modules.pop("tw_folded")

    assert "folded" in listed.out
    assert (written.code, same.code) == (0, 0), written.err + same.err
    lines = (tmp_path / "rank0.folded").read_text().splitlines()
    found = {line.rpartition(" ")[0]: int(line.rpartition(" ")[2]) for line in lines}
    assert found == folded(operators(tmp_path / "traces.duckdb"))
    assert f"{len(found):,} stacks" in written.err


@pytest.mark.slow
def test_the_commands_of_the_query_tutorial_work(tw: Tw, tmp_path: Path) -> None:
    assert tw("import", HANDWRITTEN).code == 0
    page = ROOT / "docs" / "add-a-query.md"
    blocks = [text for kind, text in FENCE.findall(page.read_text()) if kind == "sh"]

    for line in "".join(blocks).splitlines():
        ran = tw(*shlex.split(line)[1:])
        assert ran.code == 0, f"{line}: {ran.err}"


@pytest.mark.integration
def test_the_event_of_the_architecture_page_goes_that_way(tw: Tw, tmp_path: Path) -> None:
    """The numbers of the walk through docs/architecture.md."""
    assert tw("import", HANDWRITTEN).code == 0

    with database.Reader(tmp_path / "traces.duckdb") as reader:
        walk = database.one(
            reader.connection,
            "SELECT l.from_id, l.to_id, l.rule, l.confidence, c.depth, p.name, k.ts, k.dur, "
            "t.base_ns + k.ts, g.correlation_id, g.class, o.cpu_op_id = p.id "
            "FROM link AS l JOIN slice AS c ON c.id = l.from_id JOIN slice AS k ON k.id = l.to_id "
            "JOIN slice AS p ON p.id = c.parent_id JOIN trace AS t ON t.id = k.trace_id "
            "JOIN gpu_op AS g ON g.slice_id = k.id JOIN gpu_op_cause AS o ON o.slice_id = k.id "
            "WHERE l.kind = 'launch' AND g.correlation_id = 102",
        )

    assert walk == (
        4294967338, 4294967358, "correlation", 1.0, 4, "aten::addmm", 35_000, 20_101,
        1_790_857_026_000_040_005, 102, "compute", True,
    )  # fmt: skip


@pytest.mark.integration
def test_the_tour_of_the_readme_prints_what_it_shows(tw: Tw, tmp_path: Path) -> None:
    """Lines of a shell run in a shell, those that only call `tw` in this process."""
    text = (ROOT / "README.md").read_text()
    tour = text.partition("## Five minutes")[2].partition("\n## ")[0]
    blocks = FENCE.findall(tour)
    assert [kind for kind, _ in blocks].count("sh") >= 8
    (tmp_path / "tests").symlink_to(ROOT / "tests")

    for (kind, block), (next_kind, shown) in pairwise([*blocks, ("", "")]):
        if kind == "sh":
            ran = run_block(block, tmp_path, tw)
            if next_kind == "text":
                assert ran.out in shown
                lines = without_times(ran.err.replace(str(ROOT), "…")).splitlines()
                assert [line for line in lines if line not in without_times(shown)] == []
        elif kind == "python":
            run_program([sys.executable, "-c", block], tmp_path)


def run_block(block: str, folder: Path, tw: Tw) -> CommandResult:
    """Runs shell commands of a page, with this program as `tw`."""
    if not re.search(r"[|>&;]", re.sub("""'[^']*'|"[^"]*\"""", "", block)):
        ran = [tw(*words[1:]) for words in commands(block, folder)]
        assert [each.code for each in ran] == [0] * len(ran), ran
        return CommandResult(0, "".join(e.out for e in ran), "".join(e.err for e in ran))
    function = f'tw() {{ "{sys.executable}" -c "from warehouse.cli import main; main()" "$@"; }}\n'
    done = run_program(["bash", "-euc", function + block], folder)
    return CommandResult(done.returncode, done.stdout, done.stderr)


def commands(block: str, folder: Path) -> list[list[str]]:
    """The words of each command; a quoted argument may go on in the next lines."""
    lines: list[list[str]] = []
    waiting = ""
    for line in block.splitlines(keepends=True):
        waiting += line
        with suppress(ValueError):  # a quotation is still open
            words = [sorted(glob(word, root_dir=folder)) or [word] for word in shlex.split(waiting)]
            lines.append(list(chain.from_iterable(words)))
            waiting = ""
    assert all(words[0] == "tw" for words in lines) and not waiting
    return lines


def run_program(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("TW_")}
    ran = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60
    )
    assert ran.returncode == 0, ran.stderr
    return ran


def without_times(text: str) -> str:
    """Lines of an import without its duration and speed."""
    return re.sub(r"[\d.]+ s(, \d+ MB/s)?$", "_ s", text, flags=re.MULTILINE)


def test_make_runs_the_commands_of_the_readme() -> None:
    text, makefile = ((ROOT / name).read_text() for name in ("README.md", "Makefile"))
    assert "`make demo` and `make test` do the same" in text
    for marker, target in (("run-command", "demo"), ("test-command", "test")):
        found = re.search(rf"<!-- {marker} -->\n+```sh\n(.*)\n```", text)
        recipe = re.search(rf"^{target}: \.venv\n\t(.*)$", makefile, re.MULTILINE)
        set_up = re.search(r"^\.venv: .*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
        assert found and recipe and set_up
        *first, last = found[1].split(" && ")
        assert recipe[1] == last
        assert [line.strip() for line in set_up[1].splitlines()][: len(first)] == first


def test_the_readme_names_the_oldest_python() -> None:
    oldest = PROJECT["requires-python"].removeprefix(">=")
    assert f"With Python {oldest} or later" in (ROOT / "README.md").read_text()


def test_every_importer_is_in_the_readme() -> None:
    """By the word that stands for its format in the table of what is read."""
    text = (ROOT / "README.md").read_text()
    table = "\n".join(line for line in text.splitlines() if line.startswith("| "))
    words = {
        "kineto": "Kineto", "chrome": "Trace Event JSON", "perfetto": ".pftrace",
        "memory_timeline": "memory timelines",
        "memory_snapshot": "memory snapshots", "chakra_et": "`.et`",
        "execution_trace": "execution traces",
        "astra_sim_log": "ASTRA-sim", "sophgo": "Sophgo", "rocprofv3_csv": "rocprofv3",
        "rocprofv3_json": "rocprofv3", "nsys": "Nsight Systems", "rocpd": "rocpd",
        "rpd": "rocmProfileData", "nvprof": "nvprof", "rocprof": "rocprof", "nvprof_csv": "nvprof",
        "dpro": "dPRO", "horovod": "Horovod", "flight_recorder": "flight recorder",
        "ctf": "LTTng", "xplane": "XPlane",
        "tf_run_metadata": "RunMetadata", "disc": "BladeDISC", "tf_graph": "GraphDef",
    }  # fmt: skip
    assert set(PROJECT["entry-points"]["trace_warehouse.importers"]) == words.keys()
    assert [name for name, word in words.items() if word not in table] == []


@pytest.mark.integration
def test_it_works_offline(tw: Tw, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Importing, querying and writing a page without any connection."""

    def refuse(*arguments: object, **more: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    for arguments in (
        ("import", "--jobs", "1", HANDWRITTEN),
        ("query", "utilization"),
        ("export", "html", "utilization", "-o", "page.html"),
    ):
        ran = tw(*arguments)
        assert ran.code == 0, ran.err
    page = (tmp_path / "page.html").read_text()
    assert not re.search(r"""(?:src|href)=["']?(?:https?:)?//""", page)


@pytest.mark.integration
def test_only_named_files_are_written(
    tw: Tw, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an import and a query leave: the warehouse, the file and its manifest."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    for arguments in (
        ("import", "--jobs", "1", HANDWRITTEN),
        ("query", "utilization", "-o", "busy.csv"),
    ):
        ran = tw(*arguments)
        assert ran.code == 0, ran.err
    written = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")}
    assert written == {"home", "traces.duckdb", "busy.csv", "busy.csv.origin.json"}
