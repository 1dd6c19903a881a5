"""Imports between modules of the program have no cycles, also counting those within functions.

One kind is allowed: a package loads its own modules when it is used (`warehouse.open` loads
`warehouse.api`), and these take names from the package.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = {"warehouse": ROOT / "warehouse", "tw_importers": ROOT / "importers" / "tw_importers"}


@functools.cache
def parsed(text: str) -> ast.Module:
    return ast.parse(text)


def modules() -> dict[str, Path]:
    """The files of the program by module name; a package is its `__init__`."""
    found = {}
    for package, folder in PACKAGES.items():
        for path in folder.rglob("*.py"):
            parts = [package, *path.relative_to(folder).with_suffix("").parts]
            found[".".join(part for part in parts if part != "__init__")] = path
    return found


def imported(tree: ast.AST, known: set[str]) -> Iterator[str]:
    """Modules that run when the code of a module runs; not those that only types are taken from."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.expr) or (isinstance(node, ast.If) and is_for_types(node)):
            continue
        if isinstance(node, ast.Import):
            yield from (name for alias in node.names if (name := nearest(alias.name, known)))
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            for alias in node.names:
                if name := nearest(f"{node.module}.{alias.name}", known):
                    yield name
        else:
            yield from imported(node, known)


def is_for_types(node: ast.If) -> bool:
    return any(isinstance(n, ast.Name) and n.id == "TYPE_CHECKING" for n in ast.walk(node.test))


def nearest(name: str, known: set[str]) -> str | None:
    """The module a name is, or is in: `warehouse.errors` for `warehouse.errors.TwError`."""
    while name and name not in known:
        name = name.rpartition(".")[0]
    return name or None


def graph(files: dict[str, Path]) -> dict[str, set[str]]:
    edges = {}
    for name, path in files.items():
        tree = parsed(path.read_text())
        if path.name == "__init__.py":
            children = {each for each in files if each.startswith(f"{name}.")}
            at_once = ast.Module([each for each in tree.body if not is_function(each)], [])
            loaded = {*imported(tree, set(files))} - children
            edges[name] = (loaded | {*imported(at_once, set(files))}) - {name}
        else:
            edges[name] = {*imported(tree, set(files))} - {name}
    return edges


def is_function(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)


def cycle(edges: dict[str, set[str]]) -> list[str]:
    try:
        TopologicalSorter(edges).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_modules_import_each_other() -> None:
    edges = graph(modules())
    assert len(edges) > 100
    assert "warehouse.store.database" in edges["warehouse.ingest.pipeline"]
    assert cycle(edges) == []


@pytest.mark.parametrize(
    "text",
    ["import warehouse.b", "from warehouse import b", "def f():\n    from warehouse.b import x"],
)
def test_a_cycle_is_found(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.py").write_text(text)
    (tmp_path / "b.py").write_text("from warehouse.a import x")
    files = {f"warehouse.{name}": tmp_path / f"{name}.py" for name in "ab"}
    assert set(cycle(graph(files))) == {"warehouse.a", "warehouse.b"}
    (tmp_path / "a.py").write_text("if TYPE_CHECKING:\n    from warehouse.b import x")
    assert cycle(graph(files)) == []


VENDORS = re.compile(
    r"sophgo|(?<![a-z])tpu(?![a-z])|chakra|kineto|dpro|byteps|horovod|tw_importers", re.IGNORECASE
)


def test_the_core_names_no_vendor() -> None:
    texts = ("*.py", "*.sql", "*.js")
    files = [path for pattern in texts for path in (ROOT / "warehouse").rglob(pattern)]
    assert len(files) > 150
    named = {
        f"{path.relative_to(ROOT)}:{n}: {line.strip()}"
        for path in files
        if "vendor" not in path.parts
        for n, line in enumerate(path.read_text().splitlines(), 1)
        if VENDORS.search(line)
    }
    assert named == set()


@pytest.mark.parametrize("text", ["format = 'sophgo'", "tpu_command", "from tw_importers import x"])
def test_a_vendor_is_found(text: str) -> None:
    assert VENDORS.search(text)


def test_words_that_contain_the_letters_are_no_vendor() -> None:
    assert not VENDORS.search("output, input and outputs")


def test_functions_have_at_most_60_lines_and_files_500() -> None:
    lengths = {
        f"{path.relative_to(ROOT)}: {node.name}": (node.end_lineno or 0) - node.lineno + 1
        for path in modules().values()
        for node in ast.walk(parsed(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert len(lengths) > 2_000
    assert {name: n for name, n in lengths.items() if n > 60} == {}
    files = {str(path.relative_to(ROOT)): path for path in modules().values()}
    assert {n for n, path in files.items() if len(path.read_text().splitlines()) > 500} == set()
