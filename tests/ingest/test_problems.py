"""Problems found in Python and in SQL take one route, with the severity the importer gives them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.support.plugin import installed
from warehouse.store import database

if TYPE_CHECKING:
    from tests.conftest import Tw


def test_an_importer_gives_its_problems_their_severity(tw: Tw, tmp_path: Path) -> None:
    (tmp_path / "my.csv").write_text("thread,name,start_ns,dur_ns\na,w,0,9\nb,y,3,-4\n")

    with installed(tmp_path) as package:
        module = package / "__init__.py"
        text = module.read_text()
        assert 'return TraceFacts(format="spans")' in text
        module.write_text(
            text.replace(
                'return TraceFacts(format="spans")',
                'return TraceFacts(format="spans", problems=[\n'
                '        Problem("lost_line", "lines that are lost", 2, 7, "x", "error"),\n'
                '        Problem("repaired_line", "lines that were repaired", 1),\n'
                "    ])",
            ).replace("FileImporter, Scratch", "FileImporter, Problem, Scratch")
        )
        ran = tw("import", "my.csv")

    assert ran.code == 6, ran.err
    with database.Reader(tmp_path / "traces.duckdb") as reader:
        rows = reader.connection.execute(
            'SELECT kind, severity, count, "offset", example FROM import_problem ORDER BY id'
        ).fetchall()
    assert rows == [
        ("lost_line", "error", 2, 7, "x"),
        ("repaired_line", "warning", 1, None, ""),
        ("negative_duration", "note", 1, None, None),
    ]
