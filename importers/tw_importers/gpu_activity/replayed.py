"""What a recorded command line says of a replayed cluster: the names of two files, and no more.

`disc-replay-main -p PROGRAM -d ARCHIVE`, as BladeDISC's replays are called; options may be written
-p=FILE and --p=FILE.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any, Final

from warehouse.errors import UsageError

OPTIONS: Final = {"cluster": "ID, function or hash of the cluster that was replayed"}
_BINARY: Final = "disc-replay-main"
_NAMES: Final = {"p": "program", "d": "data"}


def cluster(text: str) -> str:
    """Cluster that the profiles replayed: its ID, function or the first digits of a hash."""
    if not text.strip():
        raise UsageError("--cluster names no cluster", hint="`tw query clusters` lists them.")
    return text.strip()


def metadata(arguments: Sequence[str], options: Mapping[str, str]) -> dict[str, Any]:
    """The entry `replay` of a trace's metadata; none without a replay or a named cluster."""
    found = of_command(arguments)
    if options.get("cluster"):
        found["cluster"] = options["cluster"]
    return {"replay": found} if found else {}


def of_text(command: str) -> list[str]:
    """The words of a command line, as a shell takes them apart."""
    try:
        return shlex.split(command)
    except ValueError:  # a quotation mark without its other
        return command.split()


def of_command(words: Sequence[str]) -> dict[str, str]:
    """The base names of the program and the archive of a replay's command line."""
    start = next((n for n, word in enumerate(words) if _base(word) == _BINARY), len(words))
    found: dict[str, str] = {}
    for n in range(start + 1, len(words)):
        option, equals, value = words[n].partition("=")
        name = _NAMES.get(option.lstrip("-")) if option.startswith("-") else None
        if name is not None:
            file = value if equals else "".join(words[n + 1 : n + 2])
            found[name] = _base(file)
    return {name: file for name, file in found.items() if file}


def _base(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]
