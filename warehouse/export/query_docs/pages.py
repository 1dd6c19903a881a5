"""The HTML of the reference; texts of queries are data and never markup."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING, Any

from warehouse import __version__
from warehouse.library import aliases

if TYPE_CHECKING:
    from warehouse.export.query_docs.examples import Example
    from warehouse.library.header import Header
    from warehouse.library.library import Query
    from warehouse.library.parameter import Parameter

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'self' file:; script-src 'self' file:">
<title>{title}</title>
<link rel="stylesheet" href="style.css">
</head>
<body>
<header><a href="index.html">Queries of Trace Warehouse</a></header>
<main>
{body}
</main>
<footer>tw {version}</footer>
</body>
</html>
"""


def callers(queries: Iterable[Query]) -> dict[str, list[str]]:
    """The names of the queries that call each query, by its name."""
    found = defaultdict(list)
    for query in queries:
        for name in query.pins:
            if query.header is not None:
                found[name].append(query.header.name)
    return {name: sorted(names) for name, names in found.items()}


def index(queries: Iterable[Query]) -> str:
    """The list of all queries by group, with a search field."""
    groups = sorted(queries, key=lambda each: (each.layer, each.key or ""))
    parts = [
        "<h1>Queries</h1>",
        '<p><input id="search" type="search" placeholder="Search name, title or column" autofocus '
        'aria-label="Search"> <span id="count"></span></p>',
    ]
    for group, members in groupby(groups, key=lambda each: each.layer):
        rows = "".join(_index_row(each.header) for each in members if each.header is not None)
        parts.append(
            f'<section><h2 id="{escape(group)}">{escape(group)}</h2><table>{rows}</table></section>'
        )
    parts.append('<script src="search.js"></script>')
    return _page("Queries", parts)


def _index_row(header: Header) -> str:
    words = " ".join([header.name, header.title, *(column.name for column in header.columns)])
    title = escape(header.title)
    if header.alias_of:
        title = f"Deprecated; use <code>{escape(aliases.replacement(header))}</code>"
    return (
        f'<tr data-text="{escape(words.lower())}"><td>{_link(header.name)}</td>'
        f"<td>{title}</td></tr>\n"
    )


def query(found: Query, called_by: Mapping[str, Sequence[str]], example: Example | None) -> str:
    """The page of one query."""
    header = found.header
    assert header is not None
    parts = [
        f"<h1>{escape(header.name)} <small>version {header.version}</small></h1>",
        f'<p class="title">{escape(header.title)}</p>',
        f'<p>Group <a href="index.html#{escape(found.layer)}">{escape(found.layer)}</a>. '
        f"One row for each: {_codes(header.grain) or 'result'}.</p>",
    ]
    if header.alias_of:
        instead = escape(aliases.replacement(header))
        parts.append(f'<p class="note">Deprecated: use <code>{instead}</code>.</p>')
    parts += [f"<p>{escape(each)}</p>" for each in header.help.split("\n\n") if each]
    parts += _parameters(header.parameters) + _columns(header) + _example(example)
    parts += _graph(sorted(found.pins), called_by.get(header.name, ()))
    changes = [
        [str(version), text] for version, text in sorted(header.changes.items(), reverse=True)
    ]
    parts += ["<h2>Changes</h2>", _table(("version", "change"), changes)]
    parts += [
        "<h2>SQL</h2>",
        f"<details><summary>Show</summary><pre>{escape(_body(found))}</pre></details>",
    ]
    return _page(header.name, parts)


def _body(found: Query) -> str:
    from warehouse.library import tokens

    return tokens.statement(found.text)


def _parameters(parameters: Sequence[Parameter]) -> list[str]:
    if not parameters:
        return []
    rows = [
        [each.name, each.type, each.unit or "", _default(each), _bounds(each), each.help]
        for each in parameters
    ]
    heads = ("name", "type", "unit", "default", "bounds", "meaning")
    return ["<h2>Parameters</h2>", _table(heads, rows)]


def _default(parameter: Parameter) -> str:
    return parameter.sql_default if parameter.has_default else "required"


def _bounds(parameter: Parameter) -> str:
    lower = f"at least {parameter.min}" if parameter.min is not None else ""
    upper = f"at most {parameter.max}" if parameter.max is not None else ""
    return ", ".join(each for each in (lower, upper) if each)


def _columns(header: Header) -> list[str]:
    rows = [
        [each.name, each.type, each.unit or "", "yes" if each.nullable else "", each.help]
        for each in header.columns
    ]
    heads = ("name", "type", "unit", "NULL", "meaning")
    return ["<h2>Columns</h2>", _table(heads, rows)]


def _example(example: Example | None) -> list[str]:
    if example is None:
        return []
    count = f"{len(example.rows)} of {example.n_rows} rows of the reference set {example.set}"
    rows = [[_cell(value) for value in row] for row in example.rows]
    return [
        "<h2>Example</h2>",
        f"<pre>{escape(example.command)}</pre>",
        f"<p>{escape(count)}:</p>",
        f'<div class="wide">{_table(example.columns, rows)}</div>',
    ]


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _graph(calls: Sequence[str], called_by: Sequence[str]) -> list[str]:
    parts = []
    for title, names in (("Calls", calls), ("Called by", called_by)):
        if names:
            items = "".join(f"<li>{_link(name)}</li>" for name in names)
            parts += [f"<h2>{title}</h2>", f"<ul>{items}</ul>"]
    return parts


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(each)}</th>" for each in heads)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>\n" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _link(name: str) -> str:
    return f'<a href="{escape(name)}.html"><code>{escape(name)}</code></a>'


def _codes(names: Sequence[str]) -> str:
    return ", ".join(f"<code>{escape(name)}</code>" for name in names)


def _page(title: str, parts: Sequence[str]) -> str:
    return _PAGE.format(title=escape(title), body="\n".join(parts), version=escape(__version__))
