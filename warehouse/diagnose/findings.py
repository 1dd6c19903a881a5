"""Collects findings: the rows of the queries finding_NAME, and which of them could not be judged.

A finding query has one row for each thing that costs time, of one run: see `Finding`. Folders of
`query_path` may add some.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from warehouse.library import required_rows
from warehouse.query import emptiness

if TYPE_CHECKING:
    from warehouse.library.library import Query
    from warehouse.query.session import Session

PREFIX = "finding_"
_SPECIAL = re.compile(r"([*?\[])")  # in a pattern of GLOB


@dataclass(frozen=True)
class Finding:
    """What costs time in a run. `bound_ns` estimates what its repair could save, in ns.

    `most_ns` is what the change saves at most, if that is known (`warehouse.diagnose.bounds`).
    """

    finding: str
    subject: str
    rank: int | None
    location: str | None
    n_events: int | None  # None: the subject lists them
    bound_ns: int | None
    coverage: float | None  # share of the device time that the finding rests on; None: all
    what_if: str | None  # the change that a replay prices it with
    evidence: str  # a query, with its version and parameters
    sentence: str
    remedy: str
    most_ns: float | None = None

    @property
    def estimate_ns(self) -> float | None:
        """Estimated saving of its repair without a replay, at most `most_ns`."""
        known = [each for each in (self.bound_ns, self.most_ns) if each is not None]
        return min(known, default=None)


@dataclass(frozen=True)
class Unjudged:
    """A kind of finding that the recording cannot show, and why."""

    finding: str
    evidence: str  # the query
    reason: str


def collect(session: Session, *, is_report: bool = False) -> tuple[list[Finding], list[Unjudged]]:
    """Returns the findings of the run in scope, and what could not be judged.

    Those of a report keep the rows of blocks that its sections call, too.
    """
    found: list[Finding] = []
    unjudged: list[Unjudged] = []
    for name, query in _queries(session).items():
        lacking = emptiness.lacking(session, query)
        # What is not recorded has no rows, and a query takes time without rows, too.
        rows = [] if lacking else session.run(query, is_short=is_report).table().to_pylist()
        found += (_finding(session, row) for row in rows)
        if not rows and (reason := _missing(query, lacking)):
            unjudged.append(Unjudged(name, str(query.key), reason))
    return found, unjudged


def _missing(query: Query, lacking: list[str]) -> str | None:
    """What the recording lacks for a finding, as a sentence; None if it could be judged.

    Without `requires.rows` in its header, a finding with `needs` is never known to be absent.
    """
    header = query.header
    assert header is not None
    if header.needs and (lacking or not header.requires_rows):
        return f"It needs {header.needs}."
    if not lacking:
        return None
    found = (required_rows.alternatives(entry)[0][0] for entry in lacking)
    return f"The scope has {', '.join(f'no {emptiness.named(table)}' for table in found)}."


def contract(session: Session) -> str:
    """The contract of findings: that of the finding queries in their newest versions."""
    text = " ".join(f"{each.key} {each.digest}" for each in _queries(session).values())
    return f"findings={hashlib.sha256(text.encode()).hexdigest()}"


def _queries(session: Session) -> dict[str, Query]:
    """The newest query of each kind of finding."""
    newest = sorted(session.queries.newest.items())
    return {name.removeprefix(PREFIX): each for name, each in newest if name.startswith(PREFIX)}


def _finding(session: Session, row: dict[str, Any]) -> Finding:
    values = {name: row[name] for name in Finding.__dataclass_fields__ if name != "most_ns"}
    name, *parameters = row["evidence"].split()
    values["evidence"] = " ".join([str(session.queries.find(name).key), *parameters])
    if row["what_if"] is not None:
        values["what_if"] = change(row["what_if"], row["subject"], row["rank"])
    return Finding(**values)


def change(template: str, subject: str, rank: int | None) -> str:
    """Returns a what-if about the subject alone: what is special in patterns stands for itself."""
    pattern = json.dumps(_SPECIAL.sub(r"[\1]", subject), ensure_ascii=False)
    return template.replace("$subject", pattern).replace("$rank", str(rank))
