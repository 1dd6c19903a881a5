"""Writes the reference of a library: an index with a search, and a page for each query.

Pages are plain HTML with one style sheet and one script, and load nothing else. Examples are run on
the reference tables (`warehouse.query.reference`).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from warehouse.export.query_docs import examples, pages
from warehouse.files import make_folder, whole_file

if TYPE_CHECKING:
    from warehouse.library.library import Library

_ASSETS = ("style.css", "search.js")


def write(queries: Library, target: Path) -> int:
    """Writes the pages into a folder, which may exist; returns how many. Raises ExportError."""
    make_folder(target, parents=True)
    found = queries.newest
    callers = pages.callers(found.values())
    shown = examples.run(queries, found.values())
    for name, query in found.items():
        _put(target / f"{name}.html", pages.query(query, callers, shown.get(name)))
    _put(target / "index.html", pages.index(found.values()))
    for name in _ASSETS:
        _put(target / name, (Path(__file__).parent / name).read_text(encoding="utf-8"))
    return len(found) + 1


def _put(path: Path, text: str) -> None:
    with whole_file(path) as file:
        file.write(text.encode())
