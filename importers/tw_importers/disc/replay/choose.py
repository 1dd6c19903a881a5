"""Finds the clusters that a user names: by id, function, prefix of a hash, or the hottest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from warehouse.errors import UsageError

if TYPE_CHECKING:
    from warehouse.query.session import Session

_HOT = "hot:"
_SHORTEST_HASH = 4  # digits
_SHOWN = 5
_SELECT = (
    "SELECT c.id, c.trace_id, c.function, c.status, c.graph_hash, c.signature_hash, c.func_hash, "
    "c.program, c.program_sha256, c.data, c.data_sha256, c.environment_json, c.device_type "
    "FROM disc_cluster AS c ORDER BY c.id"
)


@dataclass(frozen=True)
class Cluster:
    """A dumped cluster of the warehouse, as its row of disc_cluster describes it."""

    id: int
    trace_id: int
    function: str | None
    status: str
    graph_hash: str | None
    signature_hash: str | None
    func_hash: str | None
    program: str | None
    program_sha256: str | None
    data: str | None
    data_sha256: str | None
    environment_json: str | None
    device_type: str | None

    @property
    def label(self) -> str:
        """Its name in messages and in file names."""
        return self.function or self.program or self.data or str(self.id)


def choose(session: Session, texts: Sequence[str]) -> list[Cluster]:
    """Returns the clusters that texts name, each once. Raises UsageError for what is not clear."""
    rows = session.connection.execute(_SELECT).fetchall()
    known = [Cluster(*row) for row in rows]
    if not known:
        raise UsageError(
            "the warehouse has no dumped clusters",
            hint="Import a log of DISC_DEBUG=true with its dumps: tw import FOLDER",
        )
    found = [each for text in texts for each in _named(session, known, text)]
    return list(dict.fromkeys(found))


def _named(session: Session, known: list[Cluster], text: str) -> list[Cluster]:
    if text.startswith(_HOT):
        return _hottest(session, known, text)
    found = [each for each in known if str(each.id) == text]
    found = found or [each for each in known if each.function == text]
    if not found and len(text) >= _SHORTEST_HASH:
        hashes = ("graph_hash", "signature_hash", "func_hash")
        found = [
            each for each in known if any((getattr(each, h) or "").startswith(text) for h in hashes)
        ]
    if not found:
        names = sorted({each.label for each in known})
        shown = ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
        raise UsageError(f"no cluster {text!r}", hint=f"Name an id, a function or a hash: {shown}.")
    return [_only(text, found)]


def _only(text: str, found: list[Cluster]) -> Cluster:
    """The last dump of one signature, replayable ones first; several signatures are not clear."""
    whole = [each for each in found if each.status == "replayable"] or found
    if len({each.signature_hash or each.id for each in whole}) > 1:
        ids = ", ".join(f"{each.id} ({each.label})" for each in whole[:_SHOWN])
        raise UsageError(
            f"{text!r} names {len(whole)} clusters that differ", hint=f"Name one by its id: {ids}."
        )
    return whole[-1]


def _hottest(session: Session, known: list[Cluster], text: str) -> list[Cluster]:
    number = text.removeprefix(_HOT)
    if not number.isdecimal() or not 0 < int(number) < 1_000_000:
        raise UsageError(
            f"{text!r} has no number",
            hint="Write hot:3 for the first three of `tw query hot_clusters`.",
        )
    by_id = {each.id: each for each in known}
    hot = session.run("SELECT disc_cluster_id FROM hot_clusters()").rows()
    ids = dict.fromkeys(int(cluster_id) for (cluster_id,) in hot)
    return [by_id[each] for each in ids if each in by_id][: int(number)]
