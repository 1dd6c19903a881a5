"""Writes spark.md, how Spark runs each public query, from the headers; a test compares the two.

python docs/make_spark.py
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from warehouse.library import library
from warehouse.spark import run

PAGE = Path(__file__).with_name("spark.md")
HEAD = """# Queries on Spark

Written by `docs/make_spark.py` from the headers of the queries; do not edit.

How `tw query NAME --lake DIR --engine spark` runs each query ([lakes](lake.md)).
"""
ROUTES = {"trace": "A task for each trace", "run": "A task for each run"}


def page() -> str:
    """The whole page."""
    by_scale: dict[str, list[str]] = defaultdict(list)
    refused: list[tuple[str, str]] = []
    for name, query in library.load().newest.items():
        if query.header is None or query.layer in ("lib", "link"):
            continue
        reason = run.refusal(query)
        if reason is None:
            by_scale[query.header.scale].append(name)
        else:
            refused.append((name, reason))
    parts = [HEAD]
    for scale, title in ROUTES.items():
        names = by_scale[scale]
        parts.append(f"## {title} ({len(names)})\n\n{', '.join(f'`{each}`' for each in names)}\n")
    rows = "\n".join(f"| `{name}` | {reason} |" for name, reason in refused)
    parts.append(f"## Refused ({len(refused)})\n\n| query | reason |\n|---|---|\n{rows}\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
