"""The ten questions of docs/first-day.md: commands print what plain Python finds in the files."""

from __future__ import annotations

import gzip
import json
import re
import shlex
import statistics
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.randomtrace import make_job

if TYPE_CHECKING:
    from tests.conftest import CommandResult, Tw
    from tests.support.sharing import WarehouseCache

pytestmark = pytest.mark.integration  # all of it on recordings

PAGE = Path(__file__).parents[2] / "docs" / "first-day.md"
DEVICE_WORK = ("kernel", "gpu_memcpy", "gpu_memset")
Event = dict[str, Any]
Spans = list[tuple[float, float]]


def command(question: str) -> list[str]:
    """The arguments of the command below a heading."""
    text = PAGE.read_text().split(f"\n## {question}\n")[1]
    (found,) = re.findall(r"```sh\ntw (.*)\n```", text.split("\n## ")[0])
    return shlex.split(found)


@pytest.fixture
def files(data_dir: Path) -> dict[str, list[Path]]:
    kineto = data_dir / "kineto"
    return {
        "train": [kineto / "h100_qwen" / "trace.json.gz"],
        "job": sorted((kineto / "two_ranks").glob("*.json.gz")),
        "before": [kineto / "diff_pair" / "control.json.gz"],
        "after": [kineto / "diff_pair" / "test.json.gz"],
    }


@pytest.fixture
def ask(
    tw: Tw, imported_files: WarehouseCache, files: dict[str, list[Path]]
) -> Callable[[str], CommandResult]:
    def answered(question: str) -> CommandResult:
        arguments = command(question)
        runs = [name for name in files if name in arguments]
        db = imported_files(*((name, files[name]) for name in runs))
        if arguments[0] == "query":
            arguments += ["--format", "jsonl"]
        result = tw(*arguments, "--db", db)
        assert result.code == 0, result.err
        return result

    return answered


def rows(result: CommandResult) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.out.splitlines()]


def events(path: Path) -> list[Event]:
    found: list[Event] = json.loads(gzip.decompress(path.read_bytes()), parse_float=float)[
        "traceEvents"
    ]
    return [each for each in found if each.get("ph") == "X"]


def work(path: Path) -> list[Event]:
    return [each for each in events(path) if each.get("cat") in DEVICE_WORK]


def spans(found: list[Event]) -> Spans:
    return [(each["ts"], each["ts"] + each["dur"]) for each in found]


def covered(positive: Spans, negative: Spans = []) -> float:  # noqa: B006
    """Time in which one of the first spans is open, and none of the others."""
    edges: dict[float, list[int]] = defaultdict(lambda: [0, 0])
    for kind, given in enumerate((positive, negative)):
        for start, end in given:
            edges[start][kind] += 1
            edges[end][kind] -= 1
    time, open_ = 0.0, [0, 0]
    for here, there in pairwise(sorted(edges)):
        open_ = [n + change for n, change in zip(open_, edges[here], strict=True)]
        time += there - here if open_[0] and not open_[1] else 0
    return time


def near(microseconds: float) -> Any:
    """Nanoseconds; sums of doubles in microseconds are no more exact."""
    return pytest.approx(microseconds * 1000, rel=1e-6, abs=20)


def test_the_gpu_is_idle(ask: Callable[..., Any], files: dict[str, list[Path]]) -> None:
    of_device = spans(work(files["train"][0]))
    whole = max(end for _, end in of_device) - min(start for start, _ in of_device)

    (row,) = rows(ask("Is the GPU idle?"))

    assert row["busy_ns"] == near(covered(of_device))
    assert row["utilization"] == pytest.approx(covered(of_device) / whole, rel=1e-6)


@pytest.mark.slow
def test_kernels_dominate(ask: Callable[..., Any], files: dict[str, list[Path]]) -> None:
    recorded = events(files["train"][0])
    operators = {
        each["args"]["External id"]: each["name"] for each in recorded if each["cat"] == "cpu_op"
    }
    longest: Counter[tuple[str, str | None]] = Counter()
    for each in recorded:
        if each["cat"] == "kernel":
            longest[each["name"], operators.get(each["args"].get("External id"))] += each["dur"]

    found = rows(ask("Which kernels dominate, and which operators launched them?"))

    kernels = [row for row in found if row["kind"] == "kernel"][:10]
    best = longest.most_common(10)
    assert [row["total_ns"] for row in kernels] == [near(total) for _, total in best]
    assert [row["op"] for row in kernels] == [operator for (_, operator), _ in best]


def test_it_is_launch_bound(ask: Callable[..., Any], files: dict[str, list[Path]]) -> None:
    recorded = events(files["train"][0])
    caused: Counter[int] = Counter()
    for each in recorded:
        if each["cat"] in DEVICE_WORK:
            caused[each["args"]["correlation"]] += each["dur"]
    calls: dict[str, list[bool]] = defaultdict(list)
    for each in recorded:
        if each["cat"] in ("cuda_runtime", "cuda_driver"):
            n = each["args"]["correlation"]
            if n in caused:
                calls[each["name"]].append(each["dur"] > caused[n])

    found = rows(ask("Is it launch-bound?"))

    shares = {row["call"]: (row["n_calls"], row["launch_bound_share"]) for row in found}
    assert shares == {
        name: (len(each), pytest.approx(statistics.mean(each))) for name, each in calls.items()
    }


def collectives(path: Path) -> Iterator[Event]:
    for each in work(path):
        if each["cat"] == "kernel" and "nccl" in each["name"].lower():
            yield each


@pytest.mark.slow
def test_a_rank_is_a_straggler(tw: Tw, tmp_path: Path) -> None:
    """Ranks of a simulated job end a collective together: the last to come spends least in it."""
    files = [tmp_path / f"rank{rank}.json.gz" for rank in range(3)]
    for trace, path in zip(make_job(5, ranks=3), files, strict=True):
        path.write_bytes(gzip.compress(trace.document()))
    spent = [[each["dur"] for each in collectives(path)] for path in files]
    last = [times.index(min(times)) for times in zip(*spent, strict=True)]
    assert tw("import", "-q", *files, "--run", "job", "--db", "w.duckdb").code == 0

    result = tw(*command("Is a rank a straggler?"), "--format", "jsonl", "--db", "w.duckdb")

    found = {row["rank"]: row["n_last"] for row in rows(result)}
    assert found == {rank: last.count(rank) for rank in range(3)}
    assert max(found.values()) > 0


@pytest.mark.slow
def test_communication_is_exposed(ask: Callable[..., Any], files: dict[str, list[Path]]) -> None:
    exposed = []
    for path in files["job"]:
        communication = spans(list(collectives(path)))
        kernels = [each for each in work(path) if each["cat"] == "kernel"]
        compute = spans([each for each in kernels if "nccl" not in each["name"].lower()])
        exposed.append(covered(communication, compute))

    found = rows(ask("How much communication is exposed?"))

    assert [row["exposed_communication_ns"] for row in found] == [near(each) for each in exposed]


def steps(path: Path) -> list[float]:
    return [each["dur"] for each in events(path) if each["name"].startswith("ProfilerStep#")]


@pytest.mark.slow
def test_something_became_slower(ask: Callable[..., Any], files: dict[str, list[Path]]) -> None:
    before, after = (statistics.mean(steps(files[name][0])) for name in ("before", "after"))

    printed = ask("What became slower?").out

    (line,) = (line for line in printed.splitlines() if line.startswith("step_time "))
    assert line.split()[1:7] == [
        f"{before / 1000:.3f}", "ms", f"{after / 1000:.3f}", "ms",
        f"{(after - before) / 1000:+.3f}", "ms",
    ]  # fmt: skip


def test_memory_has_an_owner(ask: Callable[..., Any], files: dict[str, list[Path]]) -> None:
    text = gzip.decompress(files["train"][0].read_bytes())
    recorded = json.loads(text)["traceEvents"]
    allocated = [
        (each["args"]["Total Allocated"], each["ts"])
        for each in recorded
        if each["name"] == "[memory]" and each["args"]["Device Type"] == 1
    ]
    peak, ts = max(allocated, key=lambda each: (each[0], -each[1]))
    around = [
        each
        for each in recorded
        if each.get("cat") == "cpu_op" and each["ts"] <= ts <= each["ts"] + each["dur"]
    ]

    (row,) = (each for each in rows(ask("Who owns the memory?")) if each["device_kind"] == "cuda")

    assert row["peak_allocated_bytes"] == peak
    assert row["cpu_op"] == min(around, key=lambda each: each["dur"])["name"]


@pytest.mark.slow
def test_a_workbook_and_a_page_are_written(ask: Callable[..., Any]) -> None:
    ask("A workbook for others")
    ask("A page for the browser")

    with zipfile.ZipFile("train.xlsx") as book:
        assert "Peak memory allocated" in book.read("xl/worksheets/sheet1.xml").decode()
    assert '"title":"Peak memory allocated"' in Path("train.html").read_text()


@pytest.mark.slow
def test_a_report_comes_every_week(tw: Tw, files: dict[str, list[Path]]) -> None:
    assert tw("import", "-q", *files["job"], "--db", "w.duckdb").code == 0
    assert tw(*command("A report every week"), "--db", "w.duckdb").code == 0

    shown = json.loads(tw("schedule", "show", "weekly", "--db", "w.duckdb").out)

    due = [datetime.fromisoformat(each.removesuffix(" UTC")) for each in shown["next"]]
    assert {(each.isoweekday(), each.hour, each.minute) for each in due} == {(1, 6, 0)}
    assert tw("schedule", "run", "weekly", "--db", "w.duckdb").code == 0
    assert [path.suffix for path in Path.cwd().glob("weekly-*.html")] == [".html"]
