"""Writes golden/*.json: what trace_processor answers to the statements.

    TW_TRACE_PROCESSOR='trace_processor-wrapper' python tests/dialect/make_golden.py

The wrapper takes `FILE SQL…` and prints a JSON object a line, those of statements with `sql` and
all their `rows`. The files here are answers of trace_processor v55.3.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import Any

_spec = importlib.util.spec_from_file_location(
    "dialect_statements", Path(__file__).parent / "statements.py"
)
assert _spec is not None and _spec.loader is not None
st: Any = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(st)


def ask(trace: Path, questions: list[str]) -> list[dict[str, Any]]:
    """trace_processor's answers, in order."""
    command = [*shlex.split(os.environ["TW_TRACE_PROCESSOR"]), str(trace), *questions]
    with tempfile.TemporaryFile("w+", encoding="utf-8") as out:
        subprocess.run(command, stdout=out, check=True)
        out.seek(0)
        found = [json.loads(line) for line in out]
    return [each for each in found if "sql" in each]


def main() -> None:
    """All golden files again."""
    questions = st.statements()
    for name in st.TRACES:
        with tempfile.TemporaryDirectory() as folder:
            trace = Path(folder) / "trace.json"
            st.write_read_alike(name, trace)
            answers = ask(trace, list(questions.values()))
        golden = {}
        for (title, sql), answer in zip(questions.items(), answers, strict=True):
            if "error" in answer:
                raise SystemExit(f"{title}: {answer['error']}")
            rows = [list(row.values()) for row in answer["rows"]]
            golden[title] = st.summary(st.comparable(sql, rows))
        target = st.HERE / "golden" / f"{name}.json"
        lines = (f"{json.dumps(t)}: {json.dumps(g, ensure_ascii=False)}" for t, g in golden.items())
        target.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


if __name__ == "__main__":
    main()
