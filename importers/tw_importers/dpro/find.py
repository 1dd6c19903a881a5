"""Finds the recordings of a dPRO trial: a folder for each GPU, below a folder for each worker.

The layout is that of dPRO's collector (github.com/joapolarbear/dpro, dpro/collect.py):
`TRIAL/<host or worker>/<local rank>/trace.json.gz` with the files of the communication library
beside it. Logs of BytePS servers and links are anywhere below the trial.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from warehouse.ingest.importer import Capture, Job, Listing, Part

TRACES = ("trace.json.gz", "temp.json", "trace.json", "temp.json.gz")
#: Files of a GPU's folder and their roles, without `.gz`.
ROLES = {
    "comm.json": "horovod",
    "comm_detail.json": "nccl",
    "nccl_rank_graph.json": "topology",
    "io.json": "io",
    "metadata.json": "operators",
    "gradient_name_list.json": "tensors",
    "gradient_name2ID.json": "tensors",
    "gradient_name_list.txt": "tensors",
    "dag.gml": "graph",
    "graphdef_dag.gml": "graph",
    "symbol_debug_str.txt": "symbol",
    "info.json": "optimizer",
}
#: Files that other tools do not write; one of them marks a recording of dPRO.
_SIGNS = frozenset(ROLES) - {"metadata.json", "io.json", "info.json"}
_OPERATIONS = b"TensorFlow Ops"
#: What dPRO writes into the trial: results, and caches that a later run of it reads.
_OUTPUTS = re.compile(
    r"(?:bps_trace_final|bps_comm_aligned|synthetic\w*|replay_\w+|combine\d+Json|op_kernel_mapping"
    r"|synthetic[\w.]*)\.json|(?:trail_dag|local_dfg)\.gml|statistic\.txt|nccl_graph\.txt"
    r"|tensor_size2avg\.txt|bps_cache\.pickle"
)
_TIMELINES = {"comm_timeline.json": "links", "server_timeline.json": "servers"}
_LINK_LOG = re.compile(rb"\s*role=(?:worker|server),id=\d+\s")
_SERVER_LOG = re.compile(rb"\s*\d+: *(?:start|stop), *\d+, *[A-Z_]+")
_TEXT = re.compile(r".*\.(?:log|txt)")


@dataclass
class _Trial:
    """The files of one trial; names are relative to the searched folder."""

    folder: str
    ranks: list[str] = field(default_factory=list)  # folders of the GPUs
    inside: list[str] = field(default_factory=list)  # all files below the trial


def find(listing: Listing) -> list[Capture]:
    """Returns a capture for each GPU of each trial, and one for the logs of its BytePS servers."""
    trials = _trials(listing)
    for name in listing.names:
        for trial in trials.values():
            if not trial.folder or name.startswith(f"{trial.folder}/"):
                trial.inside.append(name)
    return [capture for trial in trials.values() for capture in _captures(listing, trial)]


def _trials(listing: Listing) -> dict[str, _Trial]:
    folders: dict[str, set[str]] = {}
    for name in listing.names:
        folder, base = posixpath.split(name)
        folders.setdefault(folder, set()).add(base)
    trials: dict[str, _Trial] = {}
    for folder, bases in sorted(folders.items()):
        if posixpath.basename(folder).isdecimal() and _is_recording(listing, folder, bases):
            trial = posixpath.dirname(posixpath.dirname(folder))
            trials.setdefault(trial, _Trial(trial)).ranks.append(folder)
    for folder, bases in sorted(folders.items()):
        beside = trials.get(posixpath.dirname(posixpath.dirname(folder)))
        if beside is not None and _lacks_trace(folder, bases):
            beside.ranks.append(folder)
    return trials


def _lacks_trace(folder: str, bases: set[str]) -> bool:
    """Whether a folder is that of a GPU whose recording is missing: `read` says so."""
    has_sign = any(_plain(base) in _SIGNS for base in bases)
    return posixpath.basename(folder).isdecimal() and has_sign and _trace(bases) is None


def _is_recording(listing: Listing, folder: str, bases: set[str]) -> bool:
    trace = _trace(bases)
    if trace is None:
        return False
    if any(_plain(base) in _SIGNS for base in bases):
        return True
    return "metadata.json" in bases and _OPERATIONS in listing.head(f"{folder}/{trace}")


def _trace(bases: set[str]) -> str | None:
    return next((name for name in TRACES if name in bases), None)


def _plain(base: str) -> str:
    return base.removesuffix(".gz")


def _captures(listing: Listing, trial: _Trial) -> Iterator[Capture]:
    ranks = sorted(trial.ranks, key=_order)
    job = _job_id(listing, trial, ranks[0])
    above = [name for name in trial.inside if _is_shared(trial, name)]
    servers = _server_parts(listing, trial)
    outputs = _outputs(trial, servers)
    for rank, folder in enumerate(ranks):
        member = folder.removeprefix(trial.folder).strip("/")
        parts = [*_own_parts(trial, folder), *_shared_parts(above, folder)]
        ignored = () if rank else tuple(posixpath.relpath(name, folder) for name in outputs)
        yield Capture(folder, tuple(parts), Job(job, member, rank, len(ranks)), ignored)
    if servers:
        member = posixpath.relpath(servers[0][0], trial.folder or ".")
        folder = trial.folder
        parts = [Part(posixpath.relpath(name, folder or "."), role) for name, role in servers]
        parts += _shared_parts([n for n in above if n.endswith("key_dict.txt")], folder)
        yield Capture(folder, tuple(parts), Job(job, posixpath.dirname(member) or "servers"))


def _order(folder: str) -> tuple[str, int]:
    """dPRO sorts workers by name; the folder of a GPU is its local rank."""
    return posixpath.dirname(folder), int(posixpath.basename(folder))


def _job_id(listing: Listing, trial: _Trial, first: str) -> str:
    """A hash of names and of the beginning of the first recording, whose times are unique."""
    digest = hashlib.sha256("\0".join(trial.ranks).encode())
    for name in trial.inside:
        if posixpath.dirname(name) == first and posixpath.basename(name) in (*TRACES, "comm.json"):
            digest.update(listing.head(name))
    return f"dpro-{digest.hexdigest()[:32]}"


def _own_parts(trial: _Trial, folder: str) -> Iterator[Part]:
    bases = {posixpath.basename(n) for n in trial.inside if posixpath.dirname(n) == folder}
    if (trace := _trace(bases)) is not None:
        yield Part(trace, "trace")
    yield from (Part(base, ROLES[_plain(base)]) for base in sorted(bases) if _plain(base) in ROLES)


def _is_shared(trial: _Trial, name: str) -> bool:
    base = posixpath.basename(name)
    return base == "key_dict.txt" or (
        posixpath.dirname(name) == trial.folder and base in ("graphdef_dag.gml", "dag.gml")
    )


def _shared_parts(names: Sequence[str], folder: str) -> Iterator[Part]:
    for name in names:
        role = "keys" if name.endswith("key_dict.txt") else "graph"
        yield Part(posixpath.relpath(name, folder or "."), role, is_shared=True)


def _server_parts(listing: Listing, trial: _Trial) -> list[tuple[str, str]]:
    """Logs of links and servers, else the timelines that dPRO made of such logs earlier."""
    logs = []
    for name in trial.inside:
        if posixpath.dirname(name) not in trial.ranks and _TEXT.fullmatch(name):
            head = listing.head(name)
            if _LINK_LOG.match(head):
                logs.append((name, "links"))
            elif _SERVER_LOG.match(head):
                logs.append((name, "servers"))
    if logs:
        return logs
    above = [n for n in trial.inside if posixpath.dirname(n) == trial.folder]
    return [(n, _TIMELINES[b]) for n in above if (b := posixpath.basename(n)) in _TIMELINES]


def _outputs(trial: _Trial, servers: Sequence[tuple[str, str]]) -> list[str]:
    """Files that dPRO wrote itself, wherever the user put them below the trial."""
    read = {name for name, _ in servers}
    return [
        name
        for name in trial.inside
        if name not in read
        and (_OUTPUTS.fullmatch(base := _plain(posixpath.basename(name))) or base in _TIMELINES)
    ]
