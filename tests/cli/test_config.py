"""The configuration file: where it is looked for, what it may say, and what wins over it."""

from __future__ import annotations

from pathlib import Path

import pytest

from warehouse import config
from warehouse.errors import ConfigError
from warehouse.query import encoding


@pytest.fixture(autouse=True)
def no_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    monkeypatch.delenv("TW_DB", raising=False)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_all_keys_are_read_and_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    path = write(
        tmp_path / "tw.toml",
        'db = "a.duckdb"\nmemory_limit = "4GB"\nthreads = 2\nquery_path = ["q", "/r"]\n'
        'format = "csv"\n[device."GPU X"]\nbytes_per_s = 1e12\nbfloat16 = 2\n',
    )

    assert config.read(path) == config.Config(
        db=tmp_path / "a.duckdb",
        memory_limit="4GB",
        threads=2,
        query_path=(tmp_path / "q", Path("/r")),
        format="csv",
        device={"GPU X": {"bytes_per_s": 1e12, "bfloat16": 2.0}},
        source=path,
    )


def test_the_nearest_file_above_holds(tmp_path: Path) -> None:
    write(tmp_path / "tw.toml", "threads = 1")
    nearer = write(tmp_path / "a" / "tw.toml", "threads = 2")
    (tmp_path / "a" / "b").mkdir()

    assert config.find(tmp_path / "a" / "b") == nearer


def test_the_search_ends_at_a_repository(tmp_path: Path) -> None:
    write(tmp_path / "tw.toml", "threads = 1")
    (tmp_path / "repository" / ".git").mkdir(parents=True)
    own = write(tmp_path / "xdg" / "tw" / "config.toml", "threads = 3")

    assert config.find(tmp_path / "repository") == own


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("thread = 2", "unknown key 'thread'", "Did you mean 'threads'?"),
        ("colour = 2", "unknown key 'colour'", "Valid keys: db, memory_limit"),
        ("threads = 0", "threads must be a positive integer, not 0", None),
        ("threads = true", "threads must be a positive integer, not True", None),
        ("db = 1", "db must be a path, not 1", None),
        ('memory_limit = "much"', 'memory_limit must be a size such as "4GB"', None),
        ('format = "xls"', "format must be one of table, csv", None),
        ("device = 1", "device must be tables", None),
        ("[device]\nX = 1", 'device."X" must be a table of rates, not 1', None),
        ("[device.X]\nbfloat = 1", "has no rate 'bfloat'", "Did you mean 'bfloat16'?"),
        ("[device.X]\nint8 = 0", 'device."X".int8 must be a positive number', None),
        ("query_path = [1]", "query_path must be a path", None),
        ("threads = ", "is not valid TOML", None),
    ],
)
def test_a_mistake_is_named_with_its_file(
    tmp_path: Path, text: str, message: str, hint: str | None
) -> None:
    path = write(tmp_path / "tw.toml", text)

    with pytest.raises(ConfigError) as failure:
        config.read(path)

    assert failure.value.message.startswith(str(path))
    assert message in failure.value.message
    assert (hint or "") in (failure.value.hint or "")


def test_the_database_is_the_option_the_environment_the_file_or_the_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [config.database_path(None)]
    write(tmp_path / "work" / "tw.toml", 'db = "file.duckdb"')
    found.append(config.database_path(None))
    monkeypatch.setenv("TW_DB", "environment.duckdb")
    found.append(config.database_path(None))
    found.append(config.database_path(Path("option.duckdb")))

    assert found == [
        Path("traces.duckdb"),
        tmp_path / "work" / "file.duckdb",
        Path("environment.duckdb"),
        Path("option.duckdb"),
    ]


def test_both_lists_of_formats_agree() -> None:
    assert config.FORMATS == encoding.FORMATS
