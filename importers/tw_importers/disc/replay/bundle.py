"""Writes bundles: folders with all that replays a cluster on another machine.

| file | content |
|---|---|
| program.input | the program, byte for byte as it was dumped |
| data.tar | the values of the arguments, byte for byte; with other shapes, values made at random |
| replay.json | hashes, arguments, the sizes that a replay copies to the device, commands |
| run.sh | the commands |
| origin.json | the files and the version that the bundle was made from |
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from tw_importers.disc.elsewhere import ROLE
from tw_importers.disc.find import keeps_archive
from tw_importers.disc.replay import shapes
from tw_importers.disc.replay.plan import DATA, PROGRAM, Plan
from warehouse import __version__
from warehouse.errors import TwError
from warehouse.files import whole_folder
from warehouse.ingest import sources

if TYPE_CHECKING:
    from tw_importers.disc.replay.choose import Cluster
    from warehouse.query.session import Session

_BLOCK: Final = 1 << 20
_GZIP: Final = b"\x1f\x8b"
_ALL: Final = "run.sh"


@dataclass(frozen=True)
class Bundle:
    """A cluster, how it is replayed, and where its files are."""

    cluster: Cluster
    plan: Plan
    arguments: tuple[dict[str, Any], ...]
    program: sources.Source
    data: sources.Source | None  # None: it has no arguments
    shapes: Mapping[int, tuple[int, ...]]  # other shapes, by ordinal of the argument

    def sizes(self) -> list[int]:
        """Bytes of the copies to the device that each iteration makes, in order."""
        return [
            shapes.n_bytes(each, self.shapes.get(each["ordinal"]))
            for each in self.arguments
            if each["placement"] != "cpu"
        ]


def prepare(session: Session, cluster: Cluster, plan: Plan, given: Sequence[str] = ()) -> Bundle:
    """Finds the files of a cluster. Raises TwError where something is missing."""
    if cluster.status == "unsafe_member":
        raise TwError(
            f"{cluster.data} has members that would be unpacked outside of its folder",
            hint="Do not replay this archive.",
        )
    arguments = tuple(_arguments(session, cluster))
    if cluster.program is None:
        raise TwError(
            f"{cluster.label} has no program", hint="Copy its .input file beside the log."
        )
    if arguments and cluster.data is None:
        raise TwError(
            f"{cluster.label} has no values: {cluster.status}",
            hint=f"`tw disc check {cluster.id}` tells what to do.",
        )
    program = _stored(session, cluster, cluster.program, "program", cluster.program_sha256)
    data = None
    if cluster.data is not None:
        data = _stored(session, cluster, cluster.data, "data", cluster.data_sha256)
    return Bundle(cluster, plan, arguments, program, data, shapes.parsed(arguments, given))


def write(session: Session, bundles: Sequence[Bundle], folder: Path) -> list[Path]:
    """Writes bundles, all or none: one into the folder itself, several below it.

    Returns their folders. Raises ExportError where the folder is occupied, TwError where a file is
    missing or another than the one that was imported.
    """
    with whole_folder(folder) as part:
        if len(bundles) == 1:
            _write_one(session, bundles[0], part)
            return [folder]
        names = _folder_names(bundles)
        for bundle, name in zip(bundles, names, strict=True):
            (part / name).mkdir()
            _write_one(session, bundle, part / name)
        _write_script(part / _ALL, "#!/bin/sh\nset -e\ncd \"$(dirname \"$0\")\"\n" + "".join(
            f"sh {name}/{_ALL}\n" for name in names
        ))  # fmt: skip
        return [folder / name for name in names]


def _folder_names(bundles: Sequence[Bundle]) -> list[str]:
    stems = [bundle.plan.stem for bundle in bundles]
    return [
        stem if stems.count(stem) == 1 else f"{stem}-{bundle.cluster.id}"
        for stem, bundle in zip(stems, bundles, strict=True)
    ]


def _write_one(session: Session, bundle: Bundle, folder: Path) -> None:
    cluster = bundle.cluster
    _copy(bundle.program, folder / PROGRAM, cluster.program_sha256)
    if bundle.data is not None:
        _copy(bundle.data, folder / DATA, cluster.data_sha256)
        if bundle.shapes:
            shapes.replace_values(folder / DATA, bundle.arguments, bundle.shapes)
    _write_json(folder / "replay.json", _description(bundle))
    _write_json(folder / "origin.json", _origin(session, bundle))
    _write_script(folder / _ALL, bundle.plan.script())


def _description(bundle: Bundle) -> dict[str, Any]:
    cluster, plan = bundle.cluster, bundle.plan
    hashes = [cluster.program_sha256, cluster.data_sha256, *bundle.shapes.items()]
    return {
        "bundle_id": hashlib.sha256(repr(hashes).encode()).hexdigest()[:32],
        "function": cluster.function,
        "device_type": cluster.device_type,
        "graph_hash": cluster.graph_hash,
        "signature_hash": cluster.signature_hash,
        "func_hash": cluster.func_hash,
        "program_sha256": cluster.program_sha256,
        "data_sha256": cluster.data_sha256,
        "shapes": {str(ordinal): list(shape) for ordinal, shape in bundle.shapes.items()},
        "arguments": list(bundle.arguments),
        "copied_bytes": bundle.sizes(),
        "tool": plan.tool,
        "warmup": plan.warmup,
        "commands": list(plan.commands()),
        "profile": plan.profile,
    }


def _origin(session: Session, bundle: Bundle) -> dict[str, Any]:
    files = [source for source in (bundle.program, bundle.data) if source is not None]
    return {
        "program": "tw",
        "version": __version__,
        "warehouse": session.place.path.name,
        "disc_cluster_id": bundle.cluster.id,
        "files": [source.label for source in files],
    }


def _write_json(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def _write_script(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    path.chmod(path.stat().st_mode | 0o100)


def _arguments(session: Session, cluster: Cluster) -> list[dict[str, Any]]:
    rows = session.connection.execute(
        "SELECT ordinal, kind, placement, data_type, shape_json, bytes, member "
        "FROM disc_cluster_argument WHERE disc_cluster_id = ? ORDER BY ordinal",
        [cluster.id],
    ).fetchall()
    keys = ("ordinal", "kind", "placement", "data_type", "shape", "bytes", "member")
    found = [dict(zip(keys, row, strict=True)) for row in rows]
    return [each | {"shape": json.loads(each["shape"] or "null")} for each in found]


def _stored(
    session: Session, cluster: Cluster, name: str, role: str, sha256: str | None
) -> sources.Source:
    """The file of a cluster where it was when it was imported. Raises TwError if it has gone."""
    rows = session.connection.execute(
        "SELECT path, member FROM source_file WHERE trace_id = $trace AND role IN ($role, $other) "
        "AND regexp_extract(coalesce(member, path), '[^/!]*$') = $name "
        "ORDER BY sha256 <> coalesce($sha256, ''), id",
        {"trace": cluster.trace_id, "role": role, "other": ROLE, "name": name, "sha256": sha256},
    ).fetchall()
    if not rows:
        raise TwError(
            f"{name} of {cluster.label} was not there at the import",
            hint="Copy it beside the log, and import it again with --on-duplicate replace.",
        )
    path, member = rows[0]
    if not Path(path).exists():
        raise TwError(f"{path} is not there any more", hint="Put the dumped file back.")
    if member is None:
        return sources.Source(Path(path))
    for found in sources.source_sets([path], keeps=keeps_archive):
        for source in found.sources:
            if source.member == member:
                return source
    raise TwError(f"{path} has no {member} any more", hint="Put the dumped file back.")


def _copy(source: sources.Source, target: Path, sha256: str | None) -> None:
    """Copies the decompressed content; raises TwError if it is not what was imported."""
    digest = hashlib.sha256()
    with source.open() as stored, target.open("wb") as copy:
        for block in _blocks(stored):
            digest.update(block)
            copy.write(block)
    if sha256 is not None and digest.hexdigest() != sha256:
        raise TwError(
            f"{source.label} has changed since it was imported",
            hint="Import it again with --on-duplicate replace, or put the old file back.",
        )


def _blocks(stored: IO[bytes]) -> Any:
    head = stored.read(len(_GZIP))
    stored.seek(0)
    stream = gzip.GzipFile(fileobj=stored) if head == _GZIP else stored
    return iter(lambda: stream.read(_BLOCK), b"")
