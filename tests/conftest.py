"""What all tests share: the command line in this process, and the recordings kept outside."""

from __future__ import annotations

import compileall
import gc
import importlib
import os
import shutil
import signal
import sys
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.support.randomtrace import Runs
    from tests.support.sharing import BuildCache, WarehouseCache

DATA = "TW_TEST_DATA"
REQUIRE = "TW_REQUIRE_DATA"
CHROMIUM = "TW_CHROMIUM"  # the browser, where it is not on the path
MOUNT = "mounting a file system"  # requires root

# A shell starts programs in the background with SIGINT ignored, and what tests start inherits it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Files of tests lie in memory where there is room: waiting for the disk takes a third of the time.
MEMORY = Path("/dev/shm")
ROOM = 4 << 30  # bytes; all tests together need about a tenth, those that fail keep their files
if MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))

# Else every process that a test starts compiles the whole program.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


@dataclass(frozen=True)
class CommandResult:
    """The exit code and output of one `tw` command."""

    code: int
    out: str
    err: str

    @property
    def errors(self) -> list[str]:
        return [line for line in self.err.splitlines() if line.startswith("Error:")]


Tw = Callable[..., CommandResult]

HERE = Path(__file__).parent  # its own tests start programs, and take longest

TIERS = ("integration", "slow")

PROGRAM = ("warehouse", "importers")

#: All tests of the files collected, before those of other tiers are deselected.
COLLECTED = pytest.StashKey[list[pytest.Item]]()


@pytest.fixture
def tw(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Tw:
    """Runs `tw ARGUMENTS` in an empty folder of its own."""
    from warehouse.cli import run as run_command

    for name in [name for name in os.environ if name.startswith("TW_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str | Path) -> CommandResult:
        monkeypatch.setattr(sys, "argv", ["tw", *map(str, arguments)])
        capsys.readouterr()
        code = run_command()
        out, err = capsys.readouterr()
        return CommandResult(code, out, err)

    return run


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of recordings that do not ship with the project, named by TW_TEST_DATA."""
    value = os.environ.get(DATA)
    if not value:
        pytest.skip(f"{DATA} is not set")
    folder = Path(value)
    assert folder.is_dir(), f"{DATA} names {folder}, which is not a folder"
    return folder


@pytest.fixture(scope="session", autouse=True)
def lost_records_fail() -> Iterator[pytest.MonkeyPatch]:
    """Fails every import of this process that loses records, whatever the test is about."""
    from warehouse.ingest import conservation

    honest = conservation.check

    def check(*arguments: Any, **options: Any) -> list[Any]:
        problems = honest(*arguments, **options)
        if problems:  # not an assertion, which would be a failure of that source only
            pytest.fail(problems[0].meaning)
        return problems

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conservation, "check", check)
        patch.setattr(conservation, "honest_check", honest, raising=False)
        yield patch


@pytest.fixture
def lost_records_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of the check itself: imports report lost records as they do outside of tests."""
    from warehouse.ingest import conservation

    monkeypatch.setattr(conservation, "check", vars(conservation)["honest_check"])


@pytest.fixture(scope="session")
def shared_place(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A folder that all workers of this session share; `randomtrace.import_once` uses it."""
    place = tmp_path_factory.getbasetemp()
    return place if worker_id == "master" else place.parent  # each worker has a folder in it


@pytest.fixture(scope="session", autouse=True)
def cache_home(shared_place: Path) -> Iterator[Path]:
    """What `tw` keeps between commands is kept for this session."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(shared_place / "cache"))
        yield shared_place / "cache"


@pytest.fixture(scope="session")
def kept_builds(request: pytest.FixtureRequest, shared_place: Path) -> BuildCache | None:
    """What an earlier session built from the same program, tests and recordings."""
    from tests.support.sharing import BuildCache, build_once, state_of

    cache: pytest.Cache | None = getattr(request.config, "cache", None)
    if cache is None:
        return None
    names = ("warehouse", "importers", "schema", "queries", "tests")
    folders = [HERE.parent / name for name in names]
    data = os.environ.get(DATA)
    folders += [Path(data)] if data else []
    state = build_once(shared_place / "state", lambda path: path.write_text(state_of(folders)))
    return BuildCache(cache.mkdir("warehouses"), state.read_text())


@pytest.fixture(scope="session")
def imported_files(shared_place: Path, kept_builds: BuildCache | None) -> Iterator[WarehouseCache]:
    """Warehouses of recordings, each imported once (see `tests/support/sharing.py`)."""
    from tests.support.sharing import WarehouseCache

    made = WarehouseCache(shared_place, kept_builds)
    yield made
    made.close()


@pytest.fixture(scope="session")
def random_runs(shared_place: Path, kept_builds: BuildCache | None) -> Iterator[Runs]:
    """Random jobs and what is true of them, in one warehouse that no test may write to."""
    from tests.support.randomtrace import import_once, standard_jobs
    from warehouse.store import database

    runs = import_once(shared_place / "random.duckdb", standard_jobs(), kept_builds)
    with database.Reader(
        runs.path
    ):  # held open: each test opens it again, which then takes no time
        yield runs


def _compile_share(worker: int, n_workers: int) -> None:
    """Compiles every n-th file of the program and its tests, where that was not done before."""
    program = [path for name in PROGRAM for path in (HERE.parent / name).rglob("*.py")]
    for path in sorted([*program, *(HERE / "support").rglob("*.py")])[worker::n_workers]:
        compileall.compile_file(path, quiet=2)
    for path in sorted(HERE.rglob("test_*.py"))[worker::n_workers]:
        name = ".".join(path.relative_to(HERE.parent).with_suffix("").parts)
        # pytest compiles it when it is imported; what fails is reported when tests are collected.
        with suppress(Exception, pytest.skip.Exception):
            importlib.import_module(name)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection(session: pytest.Session) -> Generator[None, Any, Any]:
    """Compiles shares of the files: else all workers compile all of them at the same time.

    Collecting garbage while tests are collected finds none, and walks all of them each time.
    """
    gc.disable()
    n_workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if n_workers > 1 and session.config.args == session.config.getini("testpaths"):
        _compile_share(int(os.environ["PYTEST_XDIST_WORKER"].removeprefix("gw")), n_workers)
    try:
        return (yield)
    finally:
        gc.enable()


def _deselected_tiers(config: pytest.Config) -> list[str]:
    """Tiers whose tests are deselected; none where the command line names single tests."""
    expression = config.option.markexpr
    if " or " in expression or any("::" in each for each in config.args):
        return []
    return [tier for tier in TIERS if f"not {tier}" in expression]


def _have_own_ids(values: list[Any], options: Mapping[str, Any]) -> bool:
    """Whether ids of values depend neither on their place nor on other values."""
    if options.get("ids"):
        return True
    cells = [getattr(value, "values", value) for value in values]
    cells = [each if isinstance(each, tuple) else (each,) for each in cells]
    return len(set(map(repr, cells))) == len(values) and all(
        isinstance(cell, str | int | float | None) for each in cells for cell in each
    )


def _is_deselected(value: Any, tiers: list[str]) -> bool:
    return any(mark.name in tiers for mark in getattr(value, "marks", ()))


def without_deselected(mark: pytest.Mark, tiers: list[str], is_whole: bool) -> pytest.Mark:
    """The mark `parametrize` with the values of the tiers to be run, or else its first value.

    That is all of a test that is deselected as a whole. Ids stay as they are.
    """
    names, values, *others = mark.args
    values, options = list(values), dict(mark.kwargs)
    if not _have_own_ids(values, options):
        return mark
    kept = [n for n, value in enumerate(values) if not _is_deselected(value, tiers)]
    if is_whole or not kept:
        kept = [0] if values else []
    if isinstance(ids := options.get("ids"), list | tuple):
        options["ids"] = [ids[n] for n in kept]
    return pytest.mark.parametrize(names, [values[n] for n in kept], *others, **options).mark


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Leaves out values that would be deselected: they take as long to collect as all others."""
    definition = metafunc.definition
    if tiers := _deselected_tiers(metafunc.config):
        is_whole = any(definition.get_closest_marker(tier) for tier in tiers)
        definition.own_markers[:] = [
            without_deselected(mark, tiers, is_whole) if mark.name == "parametrize" else mark
            for mark in definition.own_markers
        ]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    config.stash[COLLECTED] = list(items)
    # First those that take long, or a worker would wait for the other at the end.
    items.sort(key=lambda item: item.path.parent != HERE)


def _lacks(name: str, report: Any) -> bool:
    """Whether a test was skipped for want of what a variable names."""
    return report.skipped and isinstance(report.longrepr, tuple) and name in report.longrepr[2]


def pytest_collection_finish() -> None:
    """The thousands of tests live to the end: collecting garbage need not walk them each time."""
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, Any, Any]:
    """With TW_REQUIRE_DATA=1 a test that skips for want of data has failed."""
    report = yield
    if os.environ.get(REQUIRE) == "1" and _lacks(DATA, report):
        report.outcome = "failed"
        report.longrepr = f"{report.longrepr[2]}, and {REQUIRE}=1 says the data must be there"
    return report


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Says how much was not tested, so that a green run is not mistaken for a complete one."""
    for name in (DATA, CHROMIUM):
        skipped = [each for each in terminalreporter.stats.get("skipped", []) if _lacks(name, each)]
        if skipped:
            count = f"{len(skipped)} test{'s' * (len(skipped) != 1)}"
            terminalreporter.write_line(f"{count} skipped: {name} is not set", yellow=True)
    skipped = [each for each in terminalreporter.stats.get("skipped", []) if _lacks(MOUNT, each)]
    if skipped:
        terminalreporter.write_line(f"{len(skipped)} skipped: {MOUNT} is not allowed", yellow=True)
