"""Writes spark.md, how Spark runs each public query; a test compares the two.

It is made from the headers of the queries and spark_results.csv, which `pytest -m spark` extends.

python docs/make_spark.py
"""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from pathlib import Path

from warehouse.library import library
from warehouse.spark import run

PAGE = Path(__file__).with_name("spark.md")
HEAD = """# Queries on Spark

Written by `docs/make_spark.py` from the headers of the queries and `docs/spark_results.csv`; do not
edit.

How `tw query NAME --lake DIR --engine spark` runs each query ([lakes](lake.md)), and whether its
rows were compared with DuckDB's. Integers and texts must be equal, floating-point numbers to 1e-9,
and the order equal, with ties broken by the remaining columns. The number is that of the compared
rows: of `recordings`, of the `reference` tables (`queries/reference`), or of tables with `random`
rows (`tests/spark/`). A result counts for the version of the query that it was measured with, on a
standalone master and two workers of one core, all on 127.0.0.1. With `no rows`, both engines
returned none, which says little: the data lack what such a query reads, or a check found nothing.
`fused_sample` reads cost models, which lakes do not hold.
"""
RESULTS = Path(__file__).with_name("spark_results.csv")
_STATUSES = ("differs", "equal", "no rows")  # the first that any data gave counts
ROUTES = {
    "trace": "Tasks of one or several traces",
    "run": "Tasks of one or several runs",
    "sql": "Translated to Spark's SQL",
}


def results() -> dict[str, str]:
    """What was compared of each version of a query, in words."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    with RESULTS.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            rows = f"{row['rows']} " if int(row["rows"]) else ""
            found[row["query"]][row["data"]] = f"{row['status']} ({rows}of {row['data']})"
    return {key: ", ".join(texts.values()) for key, texts in found.items()}


def page() -> str:
    """The whole page."""
    by_scale: dict[str, list[str]] = defaultdict(list)
    compared = results()
    refused: list[tuple[str, str]] = []
    counts: Counter[str] = Counter()
    for name, query in library.load().newest.items():
        if query.header is None or query.layer in ("lib", "link"):
            continue
        reason = run.refusal(query)
        if reason is None:
            status = compared.get(str(query.key), "not compared")
            by_scale[query.header.scale].append(f"| `{name}` | {status} |")
            counts[next((each for each in _STATUSES if each in status), status)] += 1
        else:
            refused.append((name, reason))
    counted = ", ".join(f"{status} {n}" for status, n in sorted(counts.items()))
    parts = [HEAD, f"Of {counts.total()} queries that Spark runs: {counted}.\n"]
    for scale, title in ROUTES.items():
        lines = by_scale[scale]
        table = "\n".join(["| query | rows |", "|---|---|", *lines])
        parts.append(f"## {title} ({len(lines)})\n\n{table}\n")
    rows = "\n".join(f"| `{name}` | {reason} |" for name, reason in refused)
    parts.append(f"## Refused ({len(refused)})\n\n| query | reason |\n|---|---|\n{rows}\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
