"""The contract of an exporter, which a package registers to add a kind of export.

An exporter is registered in the entry-point group `trace_warehouse.exports`, under the name that
export manifests and `tw verify` use. Its command is registered in the group
`trace_warehouse.commands` as `export.NAME`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from warehouse.query.session import Session

EXPORTS: Final = "trace_warehouse.exports"


@dataclass(frozen=True)
class Exporter:
    """Writes the scope of a session to a file or folder.

    `write` takes an open session, the target, and the options that its manifest will hold as JSON;
    it imports what it needs when it is called, and raises ExportError. The same traces and options
    must give the same bytes: `tw verify` calls it again. It may return the files, as objects with a
    `path`, and with a `sha256` if it was computed while the file was written.
    """

    write: Callable[[Session, Path, Mapping[str, Any]], Any]
    #: The target is a folder that may hold other files; `write` returns those it wrote.
    writes_single_files: bool = False
    #: The files hold ids of the warehouse, so that another one does not give the same bytes.
    writes_ids: bool = False
