"""Builds the compiled reader of Trace Event JSON into the package if there is a C compiler.

hatchling runs this file for wheels and editable installs; run as a script, it builds into the
source tree. Without a compiler, or with TW_NATIVE=0, the package is pure Python and works, more
slowly. A wheel with the library runs on every Python of its platform: the library does not use
Python's API.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    _Hook = Any
else:
    try:
        from hatchling.builders.hooks.plugin.interface import BuildHookInterface as _Hook
    except ImportError:  # run as a script, where hatchling is not installed
        _Hook = object

PACKAGE = Path("importers", "tw_importers", "trace_event")
_SUFFIX = ".dll" if sys.platform == "win32" else ".so"
_FLAGS = ("-O3", "-std=c99", "-shared", "-fvisibility=hidden", "-Wall", "-Wextra")
_TIMEOUT_S = 120


class CompiledReader(_Hook):  # type: ignore[misc]
    """Adds the library to the wheel and gives the wheel its platform's tag."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Builds the library; `version` is "standard" or "editable"."""
        library = build(Path(self.root))
        if library is None:
            self.app.display_warning("no C compiler: trace_event/reader.c is not built")
            return
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{_platform()}"
        build_data["artifacts"].append(f"/{library.relative_to(self.root).as_posix()}")


def build(root: Path) -> Path | None:
    """Compiles reader.c, unless the library is up to date; None if that is not possible."""
    source = root / PACKAGE / "reader.c"
    library = source.with_suffix(_SUFFIX)
    sha256 = hashlib.sha256(source.read_bytes()).hexdigest()
    if os.environ.get("TW_NATIVE") == "0":
        library.unlink(missing_ok=True)
        return None
    if library.exists() and sha256.encode() in library.read_bytes():
        return library
    library.unlink(missing_ok=True)
    compiler = _compiler()
    if compiler is None:
        return None
    unfinished = library.with_name(f"{library.name}.{os.getpid()}")  # another build may run
    command = [
        *compiler, *_FLAGS, *([] if sys.platform == "win32" else ["-fPIC"]),
        *shlex.split(os.environ.get("CFLAGS", "")), f'-DTW_SOURCE_SHA256="{sha256}"',
        str(source), "-o", str(unfinished), *shlex.split(os.environ.get("LDFLAGS", "")),
    ]  # fmt: skip
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=_TIMEOUT_S)
        unfinished.replace(library)
    except (OSError, subprocess.SubprocessError) as error:
        details = getattr(error, "stderr", None) or error
        sys.stderr.write(f"trace_event/reader.c could not be built: {details}\n")
        return None
    finally:
        unfinished.unlink(missing_ok=True)
    return library


def _compiler() -> list[str] | None:
    """The command in CC, or a compiler that takes the options of GCC."""
    if command := shlex.split(os.environ.get("CC", "")):
        return command
    found = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    return [found] if found else None


def _platform() -> str:
    # cibuildwheel repairs wheels of Linux, which gives them the tag of the oldest glibc they run on
    name = os.environ.get("_PYTHON_HOST_PLATFORM") or sysconfig.get_platform()
    return name.replace("-", "_").replace(".", "_")


if __name__ == "__main__":
    built = build(Path(__file__).resolve().parents[len(PACKAGE.parts)])
    sys.stdout.write(f"{built or 'not built'}\n")
    sys.exit(built is None)
