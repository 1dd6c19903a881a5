"""Options of searches: which candidates `tw optimize` tries, and how many."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from warehouse.errors import UsageError

if TYPE_CHECKING:
    from warehouse.optimize.measuring import Program
    from warehouse.optimize.search import Annealing

Command = TypeVar("Command", bound=Callable[..., Any])


class _Rate(click.FloatRange):
    """Bytes a second above 0, also with a unit: 12e9, 12GB/s."""

    name = "rate"

    def __init__(self) -> None:
        super().__init__(min=0, min_open=True)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        from warehouse.library.parameter import number_of_bytes

        plain: Any = number_of_bytes(str(value).removesuffix("/s"))
        rate: float = super().convert(plain, param, ctx)
        return rate


class _Size(click.IntRange):
    """Bytes above 0, also with a unit: 402268, 16GB."""

    name = "size"

    def __init__(self) -> None:
        super().__init__(min=1)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        from warehouse.library.parameter import number_of_bytes

        plain: Any = number_of_bytes(str(value))
        size: int = super().convert(plain, param, ctx)
        return size


def searched(command: Command) -> Command:
    """Adds --search and the options of each search; the command gets `how`."""

    @functools.wraps(command)
    def with_options(
        *args: Any,
        search_name: str,
        n_groups: int | None,
        bytes_per_s: float | None,
        seed: int | None,
        beta: float | None,
        n_candidates: int | None,
        budget: str | None,
        n_processes: int | None,
        clusters: Path | None,
        is_strict: bool,
        ratio: float,
        model: str | None,
        cast_bytes_per_s: float | None,
        memory_budget: int | None,
        candidates: Path | None,
        n_layers: int | None,
        is_by_layer: bool,
        command_to_measure: str | None,
        measure_limit: str | None,
        **kwargs: Any,
    ) -> Any:
        from warehouse.optimize.search import Options

        annealing = _annealing(
            search_name,
            seed=seed,
            beta=beta,
            n_candidates=n_candidates,
            budget=budget,
            n_processes=n_processes,
        )
        if is_strict and clusters is None and candidates is None:
            raise UsageError("--strict requires --from-clusters or --candidates")
        how = Options(
            search_name, n_groups, bytes_per_s, annealing, clusters, is_strict, ratio, model,
            cast_bytes_per_s, memory_budget, candidates, n_layers, is_by_layer,
            _program(command_to_measure, measure_limit),
        )  # fmt: skip
        return command(*args, how=how, **kwargs)

    wrapped: Any = with_options
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped  # type: ignore[no-any-return]


def _annealing(search_name: str, *, budget: str | None, **given: float | None) -> Annealing:
    """The options of anneal; raises UsageError for one that the search does not have."""
    from warehouse.optimize.search import Annealing
    from warehouse.times import parse_time

    chosen: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    if budget is not None:
        chosen["budget_s"] = parse_time(budget) / 1e9
        if chosen["budget_s"] <= 0:
            raise UsageError(
                f"--budget {budget} leaves no time to search", hint="Write a time such as 30s."
            )
    if chosen and search_name != "anneal":
        raise UsageError(
            "--seed, --beta, --steps, --budget and --processes require --search anneal"
        )
    return Annealing(**chosen)


def _program(command: str | None, limit: str | None) -> Program | None:
    from warehouse.optimize.measuring import DEFAULT_LIMIT_S, Program
    from warehouse.times import parse_time

    if command is None:
        if limit is not None:
            raise UsageError("--measure-limit requires --measure")
        return None
    limit_s = DEFAULT_LIMIT_S if limit is None else parse_time(limit) / 1e9
    if limit_s <= 0:
        raise UsageError(
            f"--measure-limit {limit} leaves no time to measure", hint="Write a time such as 5min."
        )
    return Program(command, limit_s)


_OPTIONS = (
    click.option(
        "--from-clusters",
        "clusters",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="Also try the groups of gradients that clusters of fused operators compute "
        "(cluster_mapping.txt).",
    ),
    click.option(
        "--strict",
        "is_strict",
        is_flag=True,
        help="With --from-clusters or --candidates: refuse operators that the run does not have.",
    ),
    click.option(
        "--search",
        "search_name",
        type=click.Choice(["sweep", "dp", "anneal"]),
        default="dp",
        show_default=True,
        help="Candidates. For buckets, sweep: groups of one size or number; dp: also the best "
        "contiguous groups; anneal: also random changes. For precision, sweep: operators by lists "
        "of types; dp: also minimum cuts. For memory, sweep: equal parts; dp: also single "
        "operators, and changes of the best. For fusion, sweep: operators between which most is "
        "moved; dp: also pair by pair.",
    ),
    click.option(
        "--seed",
        type=int,
        metavar="N",
        help="anneal: number that random choices follow from.  [default: 0]",
    ),
    click.option(
        "--beta",
        type=click.FloatRange(min=0),
        metavar="B",
        help="anneal: the higher, the less likely slower candidates are accepted.  [default: 1]",
    ),
    click.option(
        "--steps",
        "n_candidates",
        type=click.IntRange(min=1),
        metavar="N",
        help="anneal: number of candidates.  [default: 10000]",
    ),
    click.option(
        "--budget",
        metavar="TIME",
        help="anneal: stop after this time, such as 30s.  [default: no limit]",
    ),
    click.option(
        "--processes",
        "n_processes",
        type=click.IntRange(min=1),
        metavar="N",
        help="anneal: processes; the result does not depend on it.  [default: 1]",
    ),
    click.option(
        "--groups",
        "n_groups",
        type=click.IntRange(min=1),
        metavar="N",
        help="Number of groups.  [default: any]",
    ),
    click.option(
        "--bytes-per-s",
        "bytes_per_s",
        type=_Rate(),
        metavar="RATE",
        help="Rate of a send, as 1.25e9 or 1.25GB/s, for runs whose groups have too similar "
        "sizes to give one.",
    ),
    click.option(
        "--ratio",
        type=click.FloatRange(min=0),
        default=0.5,
        show_default=True,
        metavar="R",
        help="precision: time of an operator in 16 bits by that in 32 bits.",
    ),
    click.option(
        "--model",
        metavar="NAME",
        help="precision: cost model that says it for each type (`tw model fit precision`); fusion: "
        "of the time of clusters (`tw model fit fused`, or one that --measure made).",
    ),
    click.option(
        "--cast-bytes-per-s",
        "cast_bytes_per_s",
        type=_Rate(),
        metavar="RATE",
        help="precision: rate of casts, as 300GB/s.  "
        "[default: that of the fastest element-wise operator]",
    ),
    click.option(
        "--memory-budget",
        "memory_budget",
        type=_Size(),
        metavar="BYTES",
        help="memory: bytes that the tensors may take, as 402268 or 16GB.",
    ),
    click.option(
        "--candidates",
        "candidates",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="fusion: operators that may be fused, a name a line, or a name and its number.",
    ),
    click.option(
        "--layers",
        "n_layers",
        type=click.IntRange(min=1),
        metavar="N",
        help="fusion: most layers of the backward pass in a cluster; all operators that a gradient "
        "needs, and none before it, are a layer.  [default: any]",
    ),
    click.option(
        "--by-layer",
        "is_by_layer",
        is_flag=True,
        help="fusion: fuse the operators of a layer of the backward pass wholly or not at all.",
    ),
    click.option(
        "--measure",
        "command_to_measure",
        metavar="CMD",
        help="fusion: program that prints the time of a step in seconds as its last line. It runs "
        "once without fused operators, and once with each cluster of the best candidates, in the "
        "file that the variable TW_CLUSTERS names. No shell is used.",
    ),
    click.option(
        "--measure-limit",
        "measure_limit",
        metavar="TIME",
        help="With --measure: time that a run of the program may take.  [default: 10min]",
    ),
)
