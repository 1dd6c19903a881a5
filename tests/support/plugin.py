"""The plug-in of docs/add-an-importer.md, as it is printed there, installed for one test."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from warehouse.ingest import formats, importer

PAGE = Path(__file__).parents[2] / "docs" / "add-an-importer.md"


@contextmanager
def installed(folder: Path) -> Iterator[Path]:
    """Installs the importer `spans`; the folder of its package can be changed before it is used."""
    package = folder / "tw_spans"
    package.mkdir(parents=True)
    for name, content in re.findall(
        r"`tw_spans/(\S+)`:\n\n```\w+\n(.*?)```", PAGE.read_text(), re.DOTALL
    ):
        (package / name).write_text(content)
    point = EntryPoint("spans", "tw_spans:SPANS", importer.ENTRY_POINT_GROUP)
    found = [*formats.formats(), formats.Format("spans", point.value, "tw-spans", point)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(formats, "formats", lambda: found)
        patch.syspath_prepend(folder)
        try:
            yield package
        finally:
            sys.modules.pop("tw_spans", None)
