"""`tw replay`: simulates the graph of a run, with changes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from warehouse import config
from warehouse.cli import options, table_options
from warehouse.cli.emit import emit, say_count
from warehouse.cli.scope_options import announce, scope
from warehouse.errors import UsageError
from warehouse.query import encoding
from warehouse.query.selection import Selection
from warehouse.wording import counted

if TYPE_CHECKING:
    from warehouse.query.result import QueryResult
    from warehouse.query.session import Place, Session
    from warehouse.replay.engines import Engine
    from warehouse.replay.stored import Prediction, StoredRun
    from warehouse.replay.what_if import WhatIf


@click.command()
@click.option(
    "--what-if",
    "what_ifs",
    multiple=True,
    metavar="CALL",
    help="Change to predict, as 'link(bandwidth_ratio = 2)'; repeatable, each applies to the "
    "result of those before.",
)
@click.option(
    "--sweep",
    metavar="CALL",
    help="Predict each of several values of the last argument: 'link(bandwidth_ratio = 0.5,1,2)'.",
)
@click.option(
    "--engine",
    "engine_name",
    default="default",
    show_default=True,
    metavar="NAME",
    help="Simulation: default, or one that a package adds, for the times of another tool.",
)
@click.option(
    "--unlimited-updates",
    is_flag=True,
    help="Let operators that update weights run without waiting for other operators.",
)
@click.option(
    "--assume-aligned",
    is_flag=True,
    help="Replay ranks whose clocks are not related as if their times were comparable.",
)
@click.option(
    "--strict", is_flag=True, help="Refuse recordings that lack ranks, files or logs (warnings)."
)
@click.option(
    "--as",
    "name",
    metavar="NAME",
    help="Store the prediction as a run, for queries, exports and comparisons.",
)
@click.option("--replace", is_flag=True, help="With --as: replace the prediction of that name.")
@click.option(
    "--format",
    "format",
    type=click.Choice(encoding.FORMATS),
    help="Output format.  [default: by the suffix of -o, else table]",
)
@options.output
@options.csv_safe
@table_options.raw
@click.option("-q", "--quiet", is_flag=True, help="Print only errors to stderr.")
@scope
@options.database
def replay(
    what_ifs: tuple[str, ...],
    sweep: str | None,
    engine_name: str,
    unlimited_updates: bool,
    assume_aligned: bool,
    strict: bool,
    name: str | None,
    replace: bool,
    format: str | None,
    target: Path | None,
    is_csv_safe: bool,
    is_raw: bool,
    quiet: bool,
    selection: Selection,
    db: Path | None,
    wait_s: float,
) -> None:
    """Replay a run, with changes, and predict its time.

    Simulates the graph of the run (queries replay_node, replay_edge, replay_resource) without and
    with the changes, and prints measured, replayed and predicted time by rank. replay_error is the
    error of the replay without changes: changes below it are not significant. What a recording
    lacks is a warning (column missing); with --strict an error.

    What-ifs are queries (`tw queries list --group whatif`) from nodes and edges to others, also
    your own in query_path; strategy(file = PATH) stands for those that `tw optimize -o` wrote.

    --as stores the prediction as a run of kind predicted: the measured one, moved to the times of
    the replay. `tw drop` removes it. -o FILE.html writes a page with a chart of the changes.

    \b
    Example:
      tw replay --what-if 'link(bandwidth_ratio = 2)' --what-if 'equal_ranks()'
      tw replay --what-if 'link(bandwidth_ratio = 2)' --as faster && tw compare RUN faster
      tw replay --sweep 'scale(name = "*Conv2D*", ratio = 0.5,0.8,1.25)' -o sweep.html
    """
    from warehouse.query import session
    from warehouse.replay import stored

    engine = _engine(engine_name, unlimited_updates, assume_aligned, strict)
    scenarios = _scenarios(what_ifs, sweep)
    page = _page(target, format)
    chosen_format = "html" if page else encoding.format_of(target, format, config.load().format)
    options.refuse_binary_on_terminal(chosen_format, target)
    place = session.Place.of(db, wait_s=wait_s)
    _check_storing(place, name, replace, sweep)
    with session.opened(place, selection) as opened:
        announce(opened.seen, quiet=quiet)
        changes = _read(opened, scenarios)
        rows, made = _predicted(opened, engine, changes, engine_name if name else None)
        if page:
            _write_page(opened, rows, page)
    if name is not None and made is not None:
        _say_stored(stored.store(place, made, name, replace=replace), quiet)
    _say_about(rows, quiet)
    if not page:
        _print(rows, Output(chosen_format, target, is_csv_safe, is_raw, quiet))
        _draw(rows, bool(sweep) and chosen_format == "table" and not target)


def _predicted(
    opened: Session, engine: Engine, scenarios: list[list[WhatIf]], stored_engine: str | None
) -> tuple[QueryResult, Prediction | None]:
    """The rows, and with the name of the engine also what is stored of the one scenario."""
    from warehouse.replay import prediction

    if stored_engine is None:
        return prediction.predict(opened, engine, scenarios), None
    (changes,) = scenarios
    return prediction.predict_run(opened, engine, changes, stored_engine)


@dataclass(frozen=True)
class Output:
    """How rows are written."""

    format: str
    target: Path | None
    is_csv_safe: bool
    is_raw: bool
    quiet: bool


def _print(rows: QueryResult, output: Output) -> None:
    n_shown = emit(
        rows, output.format, output.target, about=rows.meta, is_csv_safe=output.is_csv_safe,
        is_raw=output.is_raw, quiet=output.quiet,
    )  # fmt: skip
    say_count(n_shown, rows.n_rows, output.target, quiet=output.quiet)


def _engine(name: str, unlimited_updates: bool, assume_aligned: bool, strict: bool) -> Engine:
    from warehouse.replay import engines

    flags = {
        "unlimited_updates": unlimited_updates, "assume_aligned": assume_aligned, "strict": strict,
    }  # fmt: skip
    chosen = {flag: True for flag, is_set in flags.items() if is_set}
    return engines.find(name).with_parameters(**chosen)


def _page(target: Path | None, format: str | None) -> Path | None:
    """The page to write, if the suffix of the output names one."""
    is_page = target is not None and not format and target.suffix.lower() in (".html", ".htm")
    return target if is_page else None


def _write_page(opened: Session, rows: QueryResult, target: Path) -> None:
    from warehouse.export.page import page, replayed
    from warehouse.replay import chart

    page.write(replayed.values(opened, rows, chart.slowest(rows)), target)


def _say_about(rows: QueryResult, quiet: bool) -> None:
    if quiet:
        return
    for text in rows.meta.get("warnings", "").splitlines():
        click.echo(f"Warning: {text}", err=True)
    if path_ns := rows.meta.get("critical_path_ns"):
        click.echo(f"Critical path: {float(path_ns) / 1e6:,.4f} ms", err=True)


def _draw(rows: QueryResult, is_sweep_on_terminal: bool) -> None:
    from warehouse.replay import chart

    if is_sweep_on_terminal:
        click.echo("\n" + chart.bars(rows), nl=False)


def _say_stored(run: StoredRun, quiet: bool) -> None:
    if not quiet:
        count = counted(run.n_slices, "slice")
        click.echo(f"{run.parent_name} → run {run.name}, predicted: {count}", err=True)


def _check_storing(place: Place, name: str | None, replace: bool, sweep: str | None) -> None:
    from warehouse.replay import stored

    if replace and name is None:
        raise UsageError("--replace requires --as")
    if name is not None and sweep is not None:
        raise UsageError(
            "--as stores one prediction, --sweep makes several",
            hint="Use --what-if with one value.",
        )
    if name is not None:
        stored.check_name(place, name, replace=replace)


def _read(opened: Session, scenarios: list[list[WhatIf]]) -> list[list[WhatIf]]:
    """The changes, with those of files that `strategy(file = …)` names."""
    from warehouse.optimize import reading

    return [reading.expanded(opened, changes) for changes in scenarios]


def _scenarios(what_ifs: tuple[str, ...], sweep: str | None) -> list[list[WhatIf]]:
    from warehouse.replay import what_if

    changes = [what_if.parse(text) for text in what_ifs]
    if sweep is None:
        return [changes]
    if any(text == sweep for text in what_ifs):
        raise UsageError("--sweep and --what-if name the same change")
    return [[*changes, value] for value in what_if.sweep(sweep)]
