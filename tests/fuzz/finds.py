"""Finds: inputs that broke a rule, what they broke, and the corpus they are kept in."""

from __future__ import annotations

import lzma
import re
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tests.fuzz.family import Files

Mode = Literal["reader", "import"]
CORPUS = Path(__file__).parents[1] / "data" / "fuzz"
_PROJECT = re.compile(r"(importers/tw_importers|warehouse)/")
_PACKED = ".xz"
_WORTH_PACKING = 2048
_FEWEST = 1  # bytes that the minimiser still tries to leave out


@dataclass
class Find:
    """An input that broke a rule: in what, and the text of the exception."""

    family: str
    mode: Mode
    files: Files
    what: str  # equal for finds that are the same defect
    text: str

    @property
    def slug(self) -> str:
        """A file name made of what it broke."""
        return re.sub(r"[^a-z0-9]+", "_", self.what.lower()).strip("_")[:60]


def describe(error: BaseException) -> str:
    """What broke: the class, the place in the project, and the message without its values."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if _PROJECT.search(frame.filename)]
    place = f"{Path(ours[-1].filename).name}:{ours[-1].name}" if ours else ""
    message = str(error).splitlines()[0] if str(error) else ""
    message = re.sub(r"'[^']*'|\"[^\"]*\"|/\S+", "…", message)
    return (
        f"{type(error).__name__} {place} {re.sub(r'-?[0-9.,e+]*[0-9]', 'N', message)[:100]}".strip()
    )


def minimised(files: Files, is_same: Callable[[Files], bool], seconds: float) -> Files:
    """The smallest input found in so many seconds for which `is_same` still holds."""
    until = time.monotonic() + seconds
    for name in sorted(files):
        fewer = {each: content for each, content in files.items() if each != name}
        if fewer and is_same(fewer):
            files = fewer
    for name in sorted(files):
        size = max(len(files[name]) // 2, _FEWEST)
        while time.monotonic() < until:
            smaller = _without_a_piece(files, name, size, is_same, until)
            if smaller is None and size == _FEWEST:
                break
            size = (
                max(size // 2, _FEWEST) if smaller is None else min(size, len(smaller[name]) or 1)
            )
            files = smaller or files
    return files


def _without_a_piece(
    files: Files, name: str, size: int, is_same: Callable[[Files], bool], until: float
) -> Files | None:
    """The input without some of the pieces of this size; None if all are needed."""
    content, at, is_smaller = files[name], 0, False
    while at < len(content) and time.monotonic() < until:
        shorter = content[:at] + content[at + size :]
        if is_same({**files, name: shorter}):
            content, is_smaller = shorter, True
        else:
            at += size
    return {**files, name: content} if is_smaller else None


def store(find: Find, corpus: Path) -> Path:
    """Writes a find to `corpus`, in a folder of its own; returns the folder."""
    folder = corpus / find.family / find.slug
    for name, content in find.files.items():
        is_large = len(content) > _WORTH_PACKING
        path = folder / (name + _PACKED if is_large else name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(lzma.compress(content) if is_large else content)
    return folder


def load(path: Path) -> Files:
    """The files of a find; those that were packed are unpacked. `path` may be a single file."""
    paths = sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]
    root = path if path.is_dir() else path.parent
    return dict(_loaded(each, each.relative_to(root).as_posix()) for each in paths)


def _loaded(path: Path, name: str) -> tuple[str, bytes]:
    content = path.read_bytes()
    return (name.removesuffix(_PACKED), lzma.decompress(content)) if name.endswith(_PACKED) else (
        name, content
    )  # fmt: skip


def corpus(family: str) -> Iterator[tuple[str, Files]]:
    """The finds of a family: name and files."""
    for folder in sorted((CORPUS / family).glob("*")):
        yield folder.name, load(folder)
