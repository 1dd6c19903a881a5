"""Reads strategies back: the what-if `strategy(file = …)` stands for the changes in a file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warehouse import plugins
from warehouse.errors import UsageError
from warehouse.optimize.strategy import FILE, GROUP, VERSION, StrategyFiles, TensorGroups
from warehouse.replay.what_if import WhatIf
from warehouse.wording import counted

if TYPE_CHECKING:
    from warehouse.query.session import Session

NAME = "strategy"
_MAX_BYTES = 64 << 20


def expanded(session: Session, changes: Sequence[WhatIf]) -> list[WhatIf]:
    """Replaces each `strategy(file = …)` by the changes in the file, and keeps the others.

    Raises UsageError for a file that cannot be read or is not a strategy.
    """
    found: list[WhatIf] = []
    for each in changes:
        found += _changes_of(session, each) if each.name == NAME else [each]
    return found


def _changes_of(session: Session, call: WhatIf) -> list[WhatIf]:
    if list(call.arguments) != ["file"]:
        raise UsageError(
            f"what-if {call} does not name one file", hint=f"Write strategy(file = {FILE})."
        )
    path = Path(call.arguments["file"])
    if path.is_dir():
        path /= FILE
    text = text_of(path)
    own = _own(path, text)
    if own is not None:
        return own
    for name in plugins.names(GROUP):
        files = plugins.load(GROUP, name, StrategyFiles)
        found = files.edits(session, path, text) if files is not None else None
        if found is not None:
            return found
    raise UsageError(
        f"{path} is not a strategy", hint="docs/optimize.md lists the files that can be read."
    )


def tensor_groups(session: Session, path: Path, *, is_strict: bool) -> TensorGroups:
    """The groups of tensors that follow from a file of fused operators.

    Raises UsageError for a file that is none, a run without gradients of operators, and with
    `is_strict` for names that the run does not have.
    """
    text = text_of(path)
    for name in plugins.names(GROUP):
        files = plugins.load(GROUP, name, StrategyFiles)
        found = files.groups(session, path, text) if files is not None else None
        if found is not None:
            if found.unknown and is_strict:
                raise UsageError(unknown_names(path, found), hint="Omit --strict to ignore them.")
            return found
    raise UsageError(
        f"operators in {path} compute no gradients of the run",
        hint="--from-clusters requires the graph of operators of each rank.",
    )


def unknown_names(path: Path, found: TensorGroups) -> str:
    """The names in a file that the run does not have."""
    n = f"{len(found.unknown)} of {counted(found.n_names, 'operator')} in {path}"
    return f"{n} are not in the run, such as {found.unknown[0]}"


def text_of(path: Path) -> str:
    """The text of a file; raises UsageError if it cannot be read."""
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise UsageError(f"{path} is larger than 64 MiB", hint=f"Name a {FILE}.")
        return path.read_text("utf-8")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not text: byte {error.start} is not UTF-8") from None


def _own(path: Path, text: str) -> list[WhatIf] | None:
    """The edits of a `strategy.json`; None for another file."""
    try:
        content: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(content, dict) or "edits" not in content:
        return None
    if content.get("version") != VERSION:
        raise UsageError(
            f"{path} has version {content.get('version')!r}, not {VERSION}",
            hint="Write it again with `tw optimize -o`.",
        )
    try:
        return [
            WhatIf(str(each["what_if"]), {k: str(v) for k, v in each["arguments"].items()})
            for each in content["edits"]
        ]
    except (TypeError, KeyError, AttributeError):
        raise UsageError(
            f"{path} contains an edit without what_if or arguments",
            hint="Write it again with `tw optimize -o`.",
        ) from None
