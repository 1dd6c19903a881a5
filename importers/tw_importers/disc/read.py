"""Reads dumped clusters, their runs and their times into raw tables.

Out: the tables of rows.py, statistics.py and torch_dump.py.
"""

from __future__ import annotations

import hashlib
import posixpath
from collections import defaultdict
from typing import Final

from tw_importers.disc import elsewhere, rows, values
from tw_importers.disc import log as logs
from tw_importers.disc import pairs as paired
from tw_importers.disc.pairs import Archive, Cluster
from tw_importers.disc.program import Program
from tw_importers.disc.statistics import Statistics
from tw_importers.disc.torch_dump import TorchDumps
from warehouse.errors import CorruptTrace
from warehouse.ingest.importer import ByteReader, Parts, Problem, Scratch, TraceFacts
from warehouse.wording import counted

_QUARTER_HOUR_US: Final = 15 * 60 * 1_000_000
#: Kinds of problems with data loss; the others lost nothing.
_LOST: Final = (
    "no_values_recorded", "program_missing", "program_not_protobuf", "tar_missing", "tar_truncated",
    "tar_unreadable", "tar_without_program_line", "member_missing", "tensor_corrupt",
    "call_times_unreadable", "call_time_invalid", "statistics_unreadable", "session_unreadable",
    "truncated",
)  # fmt: skip
_MEANINGS: Final = {
    "no_values_recorded": "programs dumped without values: DISC_DEBUG was not set",
    "program_missing": "programs that the log names are not there",
    "program_not_protobuf": "programs that cannot be decoded",
    "tar_missing": "archives that the log names are not there",
    "tar_truncated": "archives that end too early; the values before are kept",
    "tar_unreadable": "archives that cannot be read",
    "tar_without_program_line": "programs whose compilation did not end: the process died",
    "member_missing": "values that are not in their archive",
    "tensor_corrupt": "values that are not tensors",
    "unsafe_member": "members of archives that are not regular files, skipped",
    "unpaired_archive": "archives that belong to no program",
    "fallback": "clusters that TensorFlow executed instead",
    "compile_failed": "compilations that failed",
    "launch_failed": "runs of compiled clusters that failed",
    "log_without_lines": "logs without a line of BladeDISC beside dumps",
    "call_times_unreadable": "files of call times that cannot be read on; lines before are kept",
    "call_time_invalid": "lines of call times with another number of columns, skipped",
    "statistics_unreadable": "files of statistics that are no JSON",
    "session_unreadable": "files of sessions without their times",
    "truncated": "logs that end inside a line",
    "torch_file_unreadable": "files of torch_blade that are not archives",
    "torch_dump_missing": "dumps of torch_blade that the log names are not there",
}
_HINT: Final = (
    "Write the log with `> train.log 2>&1`: `2>&1 > train.log` sends it to the terminal. "
    "Set DISC_DEBUG=true."
)


def read_log(reader: ByteReader, scratch: Scratch) -> TraceFacts:
    """Reads a log whose dumps are not there. Raises CorruptTrace if it is none."""
    dump = _Dump(scratch)
    dump.take_log("", reader)
    return dump.finish()


def read_capture(parts: Parts, scratch: Scratch) -> TraceFacts:
    """Reads a log with its dumps, or dumps alone."""
    dump = _Dump(scratch)
    for part in parts.parts:
        with parts.open(part.name) as reader:
            name = posixpath.basename(part.name)
            if part.role == "log":
                dump.take_log(name, reader)
            elif part.role == "data":
                dump.take_archive(name, reader)
            elif part.role == "program":
                dump.take_program(name, reader)
            elif part.role == "torch":
                dump.torch.take(part.name, reader)
            else:
                dump.statistics.take(part.role, name, reader)
    return dump.finish()


class _Dump:
    """All that was dumped."""

    def __init__(self, scratch: Scratch) -> None:
        self._scratch = scratch
        self.statistics, self.torch = Statistics(scratch), TorchDumps(scratch)
        self._log = logs.Log()
        self._archives: dict[str, Archive] = {}
        self._clusters: list[Cluster] = []
        self._defects: list[tuple[str, str]] = []
        self._elsewhere: list[elsewhere.Dump] = []

    def take_log(self, name: str, reader: ByteReader) -> None:
        n_before, n_cut = self._log.n_records, self._log.n_cut
        logs.read(reader, self._log)
        if self._log.n_records == n_before:
            self._defects.append(("log_without_lines", name))
        if self._log.n_cut > n_cut:
            self._defects.append(("truncated", name))

    def take_archive(self, name: str, reader: ByteReader) -> None:
        archive = self._archives.setdefault(name, Archive(name))
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
        cluster = Cluster(name, sha256=hashlib.sha256(content).hexdigest())
        try:
            cluster.program = Program(content)
            nodes = cluster.program.decode()
            cluster.nodes = rows.of_nodes(len(self._clusters), nodes)
        except CorruptTrace as error:
            cluster.program = None
            cluster.problems.append(("program_not_protobuf", f"{name}: {error.message}"))
        self._clusters.append(cluster)

    def finish(self) -> TraceFacts:
        is_empty = not (
            self._clusters or self._archives or self.statistics.n_files or self.torch.n_dumps
        )
        if is_empty and not self._log.n_records:
            raise CorruptTrace("the log has no line of BladeDISC", hint=_HINT)
        self._take_elsewhere()
        self._join_log()
        for archive in paired.pair(self._clusters, self._archives.values()):
            kind = archive.problem or "unpaired_archive"
            if kind != "tar_truncated":
                self._defects.append((kind, archive.name))
            self._clusters.append(Cluster(None, archive=archive))
        for cluster in self._clusters:
            paired.judge(cluster, has_log=self._log.n_records > 0)
        for path, reason in self._log.fallbacks:
            self._defects.append(("fallback", f"{path}: {reason}"))
        for function, code, _ in self._log.compilations:
            if code:
                self._defects.append(("compile_failed", f"{function}: exit code {code}"))
        self._defects += [("launch_failed", why) for why in self._log.failures]
        for path in self._log.torch_dumps:
            self.torch.name_missing(path)
        self._store()
        problems = self._problems()
        return TraceFacts(
            format="disc", problems=problems, summary=self._summary(problems), stats=self._stats()
        )

    def _stats(self) -> list[tuple[str, str | None, float, str]]:
        """Times that the compiler prints: of functions, and of its phases in all."""
        of_functions: dict[str, float] = defaultdict(float)
        for function, _, seconds in self._log.compilations:
            of_functions[function] += seconds
        return [
            *(("compile_seconds", name, value, "s") for name, value in of_functions.items()),
            *(
                ("compile_phase_seconds", name, value, "s")
                for name, value in self._log.phases.items()
            ),
        ]

    def _summary(self, problems: list[Problem]) -> str:
        hashes = {each.program.graph_hash for each in self._clusters if each.program is not None}
        n_good = sum(each.status == paired.REPLAYABLE for each in self._clusters)
        found = f"{counted(len(self._clusters), 'cluster')} ({counted(len(hashes), 'graph')})"
        n_problems = sum(each.count for each in problems)
        text = f"{found}, {n_good:,} replayable, {counted(n_problems, 'problem')}"
        torch = f"; {counted(self.torch.n_dumps, 'dump')} of torch_blade"
        return text + torch if self.torch.n_dumps else text

    def _take_elsewhere(self) -> None:
        """Adds dumps that the log names and that are not below its folder."""
        known = {*self._archives, *(cluster.name for cluster in self._clusters)}
        paths = [*self._log.programs, *(each.path for each in self._log.archives)]
        missing = [path for path in paths if posixpath.basename(path) not in known]
        for dump in elsewhere.find(missing, self._scratch.options):
            with dump.path.open("rb") as reader:
                take = self.take_program if dump.is_program else self.take_archive
                take(dump.name, reader)
            self._elsewhere.append(dump)

    def _join_log(self) -> None:
        """Adds what the log announces to what is there."""
        there = {cluster.name: cluster for cluster in self._clusters}
        for path, at in self._log.programs.items():
            name = posixpath.basename(path)
            if (cluster := there.get(name)) is None:
                cluster = there[name] = Cluster(name)
                cluster.problems.append(("program_missing", name))
                self._clusters.append(cluster)
            cluster.logged_at = at
        for announced in self._log.archives:
            name = posixpath.basename(announced.path)
            archive = self._archives.setdefault(name, Archive(name))
            archive.members, archive.at = announced.members, announced.at
            if not archive.is_there:
                archive.problem = "tar_missing"
        for archive in self._archives.values():
            archive.members = archive.members or list(archive.values)

    def _problems(self) -> list[Problem]:
        found: dict[str, list[str]] = defaultdict(list)
        defects = [*self._defects, *self.statistics.defects, *self.torch.defects]
        seen = {(kind, text.partition(":")[0]) for kind, text in defects}
        for kind, text in defects:
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
        text = self._scratch.options.get("with_environment", "")
        keeps = text.lower() in ("yes", "true", "1")
        offset = self._utc_offset_us()
        made = rows.of_clusters(self._clusters, offset, keeps_environment=keeps)
        made["run_inputs"] = rows.of_inputs(self._log.runs)
        rows.create_runs(self._scratch, self._log.runs, offset)
        made["dump_file"] = [each.row() for each in self._elsewhere]
        for name, schema in rows.TABLES.items():
            rows.create(self._scratch, name, schema, made[name])
        rows.create_nodes(self._scratch, self._clusters)
        self.statistics.finish(keeps_environment=keeps)
        self.torch.finish()

    def _utc_offset_us(self) -> int:
        """Local time of the log less UTC, from an archive's name and the time of its line."""
        for archive in self._archives.values():
            own = paired.temporary(archive.name)
            if own is not None and archive.at:
                difference: int = archive.at - own["micros"]
                return round(difference / _QUARTER_HOUR_US) * _QUARTER_HOUR_US
        return 0
