"""`tw disc`: replays of dumped clusters."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from warehouse.cli.options import database
from warehouse.wording import counted

if TYPE_CHECKING:
    from tw_importers.disc.replay.bundle import Bundle
    from tw_importers.disc.replay.plan import Plan
    from warehouse.query.session import Session

Command = TypeVar("Command", bound=Callable[..., Any])
_TOOLS = ("none", "nsys", "nvprof")
_OF_PLAN = (
    click.option("--tool", type=click.Choice(_TOOLS), default="none", show_default=True,
                 help="Profiler that records the replay."),
    click.option("--warmup", type=click.IntRange(min=0), default=5, show_default=True,
                 help="Iterations before the measured one."),
    click.option("--capture-range", "captures_range", is_flag=True,
                 help="Record the measured iteration only."),
    click.option("--device", metavar="DEVICE",
                 help="Number or UUID of the GPU (CUDA_VISIBLE_DEVICES)."),
    click.option("--shape", "given", multiple=True, metavar="DIMS",
                 help="Another shape of the first parameter (48,64), of an argument (2=48,64) or "
                 "of all ([[48,64],...]), with random values; repeatable."),
    click.option("--run", "runs", multiple=True, metavar="RUN",
                 help="Runs whose clusters are looked at; repeatable.  [default: all]"),
)  # fmt: skip


def _planned(command: Command) -> Command:
    wrapped: Any = command
    for option in reversed(_OF_PLAN):
        wrapped = option(wrapped)
    return wrapped  # type: ignore[no-any-return]


@click.group()
def disc() -> None:
    """Replay the clusters that BladeDISC dumped.

    CLUSTER is an ID, a function, the first digits of a hash, or hot:N: the first N of the query
    hot_clusters.

    \b
    Example:
      tw disc check cluster_0
      tw disc bundle cluster_0 --tool nsys -o cluster_0
      tw disc replay cluster_0 --tool nsys
    """


@disc.command()
@click.argument("clusters", nargs=-1, required=True, metavar="CLUSTER...")
@database
@_planned
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True,
              help="Folder to write; absent or empty.")  # fmt: skip
def bundle(
    clusters: tuple[str, ...], db: Path | None, wait_s: float, runs: tuple[str, ...],
    given: tuple[str, ...], output: Path, **options: Any,
) -> None:  # fmt: skip
    """Write all that replays CLUSTER on another machine, and print the commands.

    Nothing is executed. The folder is written completely or not at all; it holds the program, the
    values, replay.json, run.sh and origin.json; several clusters are folders in it.

    \b
    Examples:
      tw disc bundle cluster_0 -o cluster_0
      tw disc bundle hot:3 --tool nsys --capture-range -o hottest
      tw disc bundle cluster_1 --shape 48,64 -o cluster_1_48
    """
    with _session(db, wait_s, runs) as session:
        _, folders = _write(session, clusters, given, output, options)
    click.echo(f"Wrote {counted(len(folders), 'bundle')} to {output}.", err=True)


@disc.command()
@click.argument("clusters", nargs=-1, required=True, metavar="CLUSTER...")
@database
@_planned
@click.option("--replay-bin", metavar="PATH", default="disc-replay-main", show_default=True,
              help="The program that replays.")  # fmt: skip
@click.option("--timeout", "limit_s", type=click.FloatRange(min=0, min_open=True), default=600.0,
              show_default=True, metavar="SECONDS", help="Time limit of a command.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("replays"),
              show_default=True, help="Folder of the bundles, absent or empty.")  # fmt: skip
def replay(
    clusters: tuple[str, ...], db: Path | None, wait_s: float, runs: tuple[str, ...],
    given: tuple[str, ...], replay_bin: str, limit_s: float, output: Path, **options: Any,
) -> None:  # fmt: skip
    """Write bundles of CLUSTER, run their commands here, and import the profiles.

    No shell is used, and DISC_DEBUG is not passed on. Output and exit codes stay in the folder of
    the bundle. The profile is linked to its cluster.

    \b
    Examples:
      tw disc replay cluster_0 --tool nsys
      tw disc replay hot:3 --tool nsys --replay-bin /opt/disc/disc-replay-main -o replays/hot
    """
    from tw_importers.disc.replay import run as runner

    with _session(db, wait_s, runs) as session:
        bundles, folders = _write(session, clusters, given, output, options, replay_bin)
    for each, folder in zip(bundles, folders, strict=True):
        runner.require(each.plan, folder)
        profile = runner.run(each.plan, folder, limit_s)
        click.echo(f"Replayed {each.cluster.label} in {folder}.", err=True)
        if profile is not None:
            _import(profile, each.cluster.id, db, wait_s)


@disc.command()
@click.argument("clusters", nargs=-1, required=True, metavar="CLUSTER...")
@database
@click.option("--warmup", type=click.IntRange(min=0), default=5, show_default=True,
              help="Iterations before the measured one: each keeps its arguments.")  # fmt: skip
@click.option("--memory", metavar="SIZE", help="Memory of the GPU, as 16GB.")
@click.option("--run", "runs", multiple=True, metavar="RUN",
              help="Runs whose clusters are looked at; repeatable.  [default: all]")  # fmt: skip
def check(
    clusters: tuple[str, ...], db: Path | None, wait_s: float, warmup: int, memory: str | None,
    runs: tuple[str, ...],
) -> None:  # fmt: skip
    """Predict whether replays of CLUSTER fail, and of what; no GPU is needed.

    The exit code is 1 if one will. That another version of BladeDISC lacks an operation, or that
    the GPU is too old, cannot be predicted.

    \b
    Examples:
      tw disc check cluster_0
      tw disc check hot:10 --memory 16GB
    """
    from tw_importers.disc.replay import check as checks
    from tw_importers.disc.replay.choose import choose

    limit = None if memory is None else checks.bytes_of(memory)
    with _session(db, wait_s, runs) as session:
        found = [checks.check(session, each, warmup, limit) for each in choose(session, clusters)]
    for each in found:
        click.echo("\n".join(each.lines()))
    sys.exit(1 if any(each.fails for each in found) else 0)


@contextmanager
def _session(db: Path | None, wait_s: float, runs: tuple[str, ...]) -> Iterator[Session]:
    from warehouse.query import session
    from warehouse.query.selection import Selection

    place = session.Place.of(db, wait_s=wait_s)
    with session.opened(place, Selection(runs=runs or ("all",))) as opened:
        yield opened


def _write(
    session: Session, clusters: Sequence[str], given: Sequence[str], output: Path,
    options: dict[str, Any], binary: str = "disc-replay-main",
) -> tuple[list[Bundle], list[Path]]:  # fmt: skip
    """Writes the bundles and prints their commands."""
    from tw_importers.disc.replay import bundle as bundles
    from tw_importers.disc.replay.choose import choose
    from warehouse.files import file_stem

    prepared = [
        bundles.prepare(
            session, each, _plan(each.environment_json, file_stem(each.label), binary, **options),
            given,
        )
        for each in choose(session, clusters)
    ]  # fmt: skip
    folders = bundles.write(session, prepared, output)
    for each, folder in zip(prepared, folders, strict=True):
        click.echo(f"cd {shlex.quote(str(folder))}")
        for command in each.plan.commands():
            click.echo(shlex.join(command))
        if each.plan.profile is not None:
            click.echo(f"tw import {each.plan.profile} --cluster {each.cluster.id}")
    return prepared, folders


def _plan(environment_json: str | None, stem: str, binary: str, **options: Any) -> Plan:
    """The plan; the device is the one that the program was compiled for, if that is known."""
    import json

    from tw_importers.disc.replay.plan import Plan

    known = json.loads(environment_json or "{}").get("CUDA_VISIBLE_DEVICES")
    device = options.pop("device") or known or None
    path = Path(binary)  # commands run in another folder
    return Plan(stem, device=device, binary=str(path.resolve()) if path.parent.name else binary,
                **options)  # fmt: skip


def _import(profile: Path, cluster_id: int, db: Path | None, wait_s: float) -> None:
    from warehouse import config
    from warehouse.cli.import_ import conclude
    from warehouse.cli.import_progress import Bar
    from warehouse.ingest.decode import Settings
    from warehouse.ingest.pipeline import Options, import_paths

    settings = Settings(options=(("cluster", str(cluster_id)),))
    options = Options(wait_s=wait_s, settings=settings)
    with Bar(quiet=False) as bar:
        outcomes = import_paths([profile], db=config.database_path(db), options=options,
                                progress=bar)  # fmt: skip
    if code := conclude(outcomes, quiet=False):
        sys.exit(code)
