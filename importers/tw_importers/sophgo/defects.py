"""What is wrong with a capture: refused with file and offset, or counted where that is allowed."""

from __future__ import annotations

from dataclasses import dataclass, field

from warehouse.errors import CorruptTrace
from warehouse.ingest.importer import Problem, Severity

_LENIENT = "--lenient imports the intact parts and counts the rest."


@dataclass
class Defects:
    """Collects problems of one capture; `is_lenient` turns refusals into problems."""

    is_lenient: bool = False
    is_strict: bool = False
    problems: list[Problem] = field(default_factory=list)
    #: Found when all was read: kind, severity, count, meaning.
    findings: list[tuple[str, str, int, str]] = field(default_factory=list)

    def refuse(self, kind: str, file: str, offset: int, what: str) -> None:
        """Raises CorruptTrace, or with --lenient counts it and returns."""
        if not self.is_lenient:
            raise CorruptTrace(f"{file}, byte {offset:,}: {what}", hint=_LENIENT, offset=offset)
        self._count(kind, file, offset, what, "error")

    def warn(self, kind: str, file: str, offset: int, what: str) -> None:
        """Counts it; with --strict raises CorruptTrace."""
        if self.is_strict:
            raise CorruptTrace(f"{file}, byte {offset:,}: {what}", offset=offset)
        self._count(kind, file, offset, what, "warning")

    def find(self, kind: str, severity: str, count: int, meaning: str) -> None:
        """Notes what was seen of the capture as a whole; nothing where the count is 0."""
        if count:
            self.findings.append((kind, severity, count, meaning))

    def _count(self, kind: str, file: str, offset: int, what: str, severity: Severity) -> None:
        earlier = next((p for p in self.problems if p.kind == kind), None)
        if earlier is None:
            example = f"{file}, byte {offset}"
            self.problems.append(Problem(kind, what, 1, offset, example, severity))
            return
        self.problems[self.problems.index(earlier)] = Problem(
            kind, earlier.meaning, earlier.count + 1, earlier.offset, earlier.example, severity
        )
