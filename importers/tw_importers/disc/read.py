"""Reads dumped clusters and their runs into raw tables; pairs programs with archives by content.

Out: `cluster`, `argument`, `node`, `run`. A program belongs to the archive
whose members are the files that its arguments name; only a program that cannot be read is paired by
process, thread and time.
"""

from __future__ import annotations

import hashlib
import posixpath
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec
import pyarrow as pa

from tw_importers.disc import elsewhere, values
from tw_importers.disc import log as logs
from tw_importers.disc.messages import type_name
from tw_importers.disc.program import Program
from warehouse.errors import CorruptTrace
from warehouse.ingest.importer import ByteReader, Parts, Problem, Scratch, TraceFacts
from warehouse.wording import counted

OPTIONS: Final = {
    "with_environment": "1: keep the environment variables of dumped programs, too",
    elsewhere.OPTION: "folder with dumps that the log names and that are not below its folder",
}
_GOOD: Final = "replayable"
_QUARTER_HOUR_US: Final = 15 * 60 * 1_000_000
_LOST: Final = ("tar_truncated", "tar_unreadable", "tensor_corrupt", "program_not_protobuf")
_MEANINGS: Final = {
    "no_values_recorded": "programs dumped without values: DISC_DEBUG was not set",
    "program_missing": "programs that the log names are not there",
    "program_not_protobuf": "programs that cannot be decoded",
    "tar_missing": "archives that the log names are not there",
    "tar_truncated": "archives that end too early; the values before are kept",
    "tar_unreadable": "archives that cannot be read",
    "tar_without_program_line": "programs whose compilation did not end: the process died",
    "member_missing": "values that are not in their archive",
    "tensor_corrupt": "values that are no tensors",
    "unsafe_member": "members of archives that are no plain files, skipped",
    "unpaired_archive": "archives that belong to no program",
    "fallback": "clusters that TensorFlow executed instead",
}
_HINT: Final = (
    "Write the log with `> train.log 2>&1`: `2>&1 > train.log` sends it to the terminal. "
    "Set DISC_DEBUG=true."
)


@dataclass
class _Archive:
    """An archive, as announced or as it is there."""

    name: str
    members: list[str] = field(default_factory=list)
    at: int | None = None
    values: dict[str, values.Value] = field(default_factory=dict)
    sha256: str | None = None
    is_there: bool = False
    problem: str | None = None


@dataclass
class _Cluster:
    """A dumped cluster: a program, an archive, or both."""

    name: str | None  # of the program's file
    program: Program | None = None
    sha256: str | None = None
    logged_at: int | None = None  # when the compilation had ended
    archive: _Archive | None = None
    pair_method: str = "none"
    problems: list[tuple[str, str]] = field(default_factory=list)


def read_log(reader: ByteReader, scratch: Scratch) -> TraceFacts:
    """Reads a log whose dumps are not there. Raises CorruptTrace if it is none."""
    dump = _Dump(scratch)
    dump.log = logs.read(reader)
    return dump.finish()


def read_capture(parts: Parts, scratch: Scratch) -> TraceFacts:
    """Reads a log with its dumps, or dumps alone."""
    dump = _Dump(scratch)
    for part in parts.parts:
        with parts.open(part.name) as reader:
            if part.role == "log":
                dump.log = logs.read(reader)
                dump.has_log = True
            elif part.role == "data":
                dump.take_archive(posixpath.basename(part.name), reader)
            else:
                dump.take_program(posixpath.basename(part.name), reader)
    return dump.finish()


class _Dump:
    """All that was dumped."""

    def __init__(self, scratch: Scratch) -> None:
        self._scratch = scratch
        self.log, self.has_log = logs.Log(), False
        self._archives: dict[str, _Archive] = {}
        self._clusters: list[_Cluster] = []
        self._defects: list[tuple[str, str]] = []
        self._elsewhere: list[elsewhere.Dump] = []

    def take_archive(self, name: str, reader: ByteReader) -> None:
        archive = self._archives.setdefault(name, _Archive(name))
        archive.is_there = True
        stream = values.opened(reader)
        try:
            for value in values.values(stream):
                archive.values[value.member] = value
        except values.UnreadableArchive as error:
            archive.problem = error.kind
            self._defects.append((error.kind, f"{name}: {error}"))
        archive.sha256 = stream.finish()

    def take_program(self, name: str, reader: ByteReader) -> None:
        content = b"".join(iter(lambda: reader.read(1 << 20), b""))
        cluster = _Cluster(name, sha256=hashlib.sha256(content).hexdigest())
        try:
            cluster.program = Program(content)
            cluster.program.decode()
        except CorruptTrace as error:
            cluster.program = None
            cluster.problems.append(("program_not_protobuf", f"{name}: {error.message}"))
        self._clusters.append(cluster)

    def finish(self) -> TraceFacts:
        if (self.has_log or not self._clusters) and not self.log.n_records:
            raise CorruptTrace("the log has no line of BladeDISC", hint=_HINT)
        self._take_elsewhere()
        self._join_log()
        self._pair()
        for cluster in self._clusters:
            self._judge(cluster)
        for path, reason in self.log.fallbacks:
            self._defects.append(("fallback", f"{path}: {reason}"))
        self._store()
        problems = self._problems()
        return TraceFacts(format="disc", problems=problems, summary=self._summary(problems))

    def _summary(self, problems: list[Problem]) -> str:
        hashes = {each.program.graph_hash for each in self._clusters if each.program is not None}
        n_good = sum(_status(each) == _GOOD for each in self._clusters)
        found = f"{counted(len(self._clusters), 'cluster')} ({counted(len(hashes), 'graph')})"
        n_problems = sum(each.count for each in problems)
        return f"{found}, {n_good:,} replayable, {counted(n_problems, 'problem')}"

    def _take_elsewhere(self) -> None:
        """Adds dumps that the log names and that are not below its folder."""
        known = {*self._archives, *(cluster.name for cluster in self._clusters)}
        paths = [*self.log.programs, *(each.path for each in self.log.archives)]
        missing = [path for path in paths if posixpath.basename(path) not in known]
        for dump in elsewhere.find(missing, self._scratch.options):
            with dump.path.open("rb") as reader:
                take = self.take_program if dump.is_program else self.take_archive
                take(dump.name, reader)
            self._elsewhere.append(dump)

    def _join_log(self) -> None:
        """Adds what the log announces to what is there."""
        there = {cluster.name: cluster for cluster in self._clusters}
        for path, at in self.log.programs.items():
            name = posixpath.basename(path)
            if (cluster := there.get(name)) is None:
                cluster = there[name] = _Cluster(name)
                cluster.problems.append(("program_missing", name))
                self._clusters.append(cluster)
            cluster.logged_at = at
        for announced in self.log.archives:
            name = posixpath.basename(announced.path)
            archive = self._archives.setdefault(name, _Archive(name))
            archive.members, archive.at = announced.members, announced.at
            if not archive.is_there:
                archive.problem = "tar_missing"
        for archive in self._archives.values():
            archive.members = archive.members or list(archive.values)

    def _pair(self) -> None:
        by_members = defaultdict(list)
        for archive in self._archives.values():
            if archive.members:
                by_members[frozenset(archive.members)].append(archive)
        for cluster in self._clusters:
            if cluster.program is not None:
                named = frozenset(a.member for a in cluster.program.arguments if a.member)
                if named and len(found := by_members[named]) == 1:
                    cluster.archive, cluster.pair_method = found[0], "content"
        taken = {cluster.archive.name for cluster in self._clusters if cluster.archive}
        free = [each for each in self._archives.values() if each.name not in taken]
        for cluster in self._clusters:
            if cluster.archive is None and _may_have_values(cluster):
                self._pair_by_name(cluster, free)
        for archive in free:
            kind = archive.problem or "unpaired_archive"
            if kind != "tar_truncated":
                self._defects.append((kind, archive.name))
            self._clusters.append(_Cluster(None, archive=archive))

    def _pair_by_name(self, cluster: _Cluster, free: list[_Archive]) -> None:
        """The last archive of the same process and thread before the program."""
        own = _temporary(cluster.name)
        if own is None:
            if len(free) == 1 and len(self._clusters) == 1:  # a folder with one of each
                cluster.archive, cluster.pair_method = free.pop(), "only"
            return
        found = [
            (other["micros"], archive)
            for archive in free
            if (other := _temporary(archive.name)) is not None
            and (other["host"], other["pid"], other["thread"])
            == (own["host"], own["pid"], own["thread"])
            and other["micros"] <= own["micros"]
        ]
        if found:
            _, archive = max(found, key=lambda each: each[0])
            free.remove(archive)
            cluster.archive, cluster.pair_method = archive, "name"

    def _judge(self, cluster: _Cluster) -> None:
        """Notes what keeps a cluster from being replayed."""
        name, archive, program = cluster.name or "", cluster.archive, cluster.program
        if program is not None:
            if program.arguments and not any(each.member for each in program.arguments):
                cluster.problems.append(("no_values_recorded", name))
            elif archive is None and program.arguments:
                cluster.problems.append(("tar_missing", name))
        if archive is not None:
            if archive.problem:
                detail = (archive.problem, archive.name)
                cluster.problems.append(detail)
            for value in archive.values.values():
                if value.why:
                    kind = "tensor_corrupt" if value.sha256 else "unsafe_member"
                    cluster.problems.append((kind, f"{archive.name}: {value.member}: {value.why}"))
            if program is not None and archive.is_there and not archive.problem:
                for each in program.arguments:
                    if each.member and each.member not in archive.values:
                        detail = ("member_missing", f"{archive.name}: {each.member}")
                        cluster.problems.append(detail)
        if self.has_log and cluster.name and cluster.logged_at is None:
            cluster.problems.append(("tar_without_program_line", name))

    def _problems(self) -> list[Problem]:
        found: dict[str, list[str]] = defaultdict(list)
        seen = {(kind, text.partition(":")[0]) for kind, text in self._defects}
        for kind, text in self._defects:
            found[kind].append(text)
        for cluster in self._clusters:
            for kind, text in cluster.problems:
                if (kind, text.partition(":")[0]) not in seen:
                    found[kind].append(text)
        return [
            Problem(
                kind,
                _MEANINGS[kind],
                len(texts),
                example=texts[0],
                severity="error" if kind in _LOST else "warning",
            )
            for kind, texts in found.items()
        ]

    def _store(self) -> None:
        keeps = self._scratch.options.get("with_environment", "").lower() in ("yes", "true", "1")
        rows: dict[str, list[dict[str, Any]]] = {name: [] for name in _TABLES}
        offset = self._utc_offset_us()
        for n, cluster in enumerate(self._clusters):
            rows["cluster"].append(_cluster_row(n, cluster, offset, keeps))
            rows["argument"] += _argument_rows(n, cluster)
            if cluster.program is not None:
                for m, node in enumerate(cluster.program.nodes):
                    rows["node"].append(_node_row(n, m, node))
        for n, run in enumerate(self.log.runs):
            rows["run"].append(
                {
                    "run_n": n,
                    "at_us": run.at - offset if run.at else None,
                    "thread": run.thread,
                    "shapes": run.shapes,
                    "types": run.types,
                }
            )
        rows["dump_file"] = [each.row() for each in self._elsewhere]
        for name, schema in _TABLES.items():
            table = pa.Table.from_pylist(rows[name], schema)
            self._scratch.connection.register("rows", table)
            self._scratch.connection.execute(f"CREATE TABLE {name} AS FROM rows")
            self._scratch.connection.unregister("rows")

    def _utc_offset_us(self) -> int:
        """Local time of the log less UTC, from an archive's name and the time of its line."""
        for archive in self._archives.values():
            own = _temporary(archive.name)
            if own is not None and archive.at:
                difference: int = archive.at - own["micros"]
                return round(difference / _QUARTER_HOUR_US) * _QUARTER_HOUR_US
        return 0


_TABLES: Final = {
    "cluster": pa.schema(
        [
            ("cluster_n", pa.int64()), ("function", pa.string()), ("device_type", pa.string()),
            ("func_hash", pa.string()), ("graph_hash", pa.string()),
            ("signature_hash", pa.string()), ("graph_def_version", pa.int64()),
            ("n_nodes", pa.int64()), ("program", pa.string()), ("program_sha256", pa.string()),
            ("data", pa.string()), ("data_sha256", pa.string()), ("host", pa.string()),
            ("pid", pa.int64()), ("thread", pa.int64()), ("dumped_us", pa.int64()),
            ("compiled_us", pa.int64()), ("pair_method", pa.string()), ("status", pa.string()),
            ("environment", pa.string()),
        ]
    ),
    "argument": pa.schema(
        [
            ("cluster_n", pa.int64()), ("ordinal", pa.int64()), ("kind", pa.string()),
            ("placement", pa.string()), ("data_type", pa.string()),
            ("shape", pa.list_(pa.int64())), ("n_bytes", pa.int64()), ("member", pa.string()),
            ("sha256", pa.string()), ("low", pa.float64()), ("high", pa.float64()),
            ("n_nan", pa.int64()), ("n_zero", pa.int64()),
        ]
    ),
    "node": pa.schema(
        [
            ("cluster_n", pa.int64()), ("node_n", pa.int64()), ("function", pa.string()),
            ("name", pa.string()), ("op", pa.string()), ("device", pa.string()),
            ("inputs", pa.list_(pa.string())),
        ]
    ),
    "dump_file": pa.schema(
        [("path", pa.string()), ("n_bytes", pa.int64()), ("sha256", pa.string())]
    ),
    "run": pa.schema(
        [
            ("run_n", pa.int64()), ("at_us", pa.int64()), ("thread", pa.int64()),
            ("shapes", pa.list_(pa.list_(pa.int64()))), ("types", pa.list_(pa.string())),
        ]
    ),
}  # fmt: skip


def _cluster_row(n: int, cluster: _Cluster, offset_us: int, keeps: bool) -> dict[str, Any]:
    program, archive = cluster.program, cluster.archive
    own = _temporary(cluster.name) or _temporary(archive.name if archive else None) or {}
    row = {
        "cluster_n": n,
        "program": cluster.name,
        "program_sha256": cluster.sha256,
        "data": archive.name if archive else None,
        "data_sha256": archive.sha256 if archive else None,
        "host": own.get("host"),
        "pid": own.get("pid"),
        "thread": own.get("thread"),
        "dumped_us": own.get("micros"),
        "compiled_us": cluster.logged_at - offset_us if cluster.logged_at else None,
        "pair_method": cluster.pair_method,
        "status": _status(cluster),
    }
    if program is not None:
        row |= {
            "function": program.function,
            "device_type": program.device_type,
            "func_hash": str(program.func_hash) if program.func_hash else None,
            "graph_hash": program.graph_hash,
            "signature_hash": program.signature_hash,
            "graph_def_version": program.graph_def_version,
            "n_nodes": len(program.nodes),
            "environment": msgspec.json.encode(program.environment).decode() if keeps else None,
        }
    return row


def _status(cluster: _Cluster) -> str:
    kinds = [kind for kind, _ in cluster.problems]
    return kinds[0] if kinds else _GOOD if cluster.name else "unpaired_archive"


def _argument_rows(n: int, cluster: _Cluster) -> list[dict[str, Any]]:
    """Shapes are those of the values, where there are some: a program may know the rank alone."""
    found = cluster.archive.values if cluster.archive else {}
    rows = []
    for ordinal, each in enumerate(cluster.program.arguments if cluster.program else []):
        value = found.get(each.member)
        good = value if value is not None and value.why is None else None
        rows.append(
            {
                "cluster_n": n,
                "ordinal": ordinal,
                "kind": each.kind,
                "placement": each.placement,
                "data_type": type_name(each.type),
                "shape": good.shape if good else each.shape,
                "n_bytes": good.n_bytes if good else None,
                "member": each.member or None,
                "sha256": value.sha256 or None if value else None,
                "low": good.low if good else None,
                "high": good.high if good else None,
                "n_nan": good.n_nan if good else None,
                "n_zero": good.n_zero if good else None,
            }
        )
    return rows


def _node_row(cluster_n: int, n: int, node: Any) -> dict[str, Any]:
    return {
        "cluster_n": cluster_n,
        "node_n": n,
        "function": node.function,
        "name": node.name,
        "op": node.op,
        "device": node.device,
        "inputs": list(node.inputs),
    }


def _may_have_values(cluster: _Cluster) -> bool:
    """Whether an archive may belong to a cluster that is not paired by content."""
    return cluster.program is None or any(each.member for each in cluster.program.arguments)


def _temporary(name: str | None) -> dict[str, Any] | None:
    """The parts of a temporary file's name."""
    found = logs.TEMPORARY.fullmatch(name or "")
    if found is None:
        return None
    return {
        "host": found["host"],
        "thread": int(found["thread"], 16),
        "pid": int(found["pid"]),
        "micros": int(found["micros"], 16),
    }
