# The same commands as in the README, and a few for those who change the program.
.PHONY: demo test check bench docs

.venv: pyproject.toml
	python3 -m venv .venv
	.venv/bin/pip install -q -e '.[test]'
	touch .venv

demo: .venv
	.venv/bin/tw demo

test: .venv
	.venv/bin/pytest

check: .venv
	.venv/bin/ruff check .
	.venv/bin/mypy
	.venv/bin/tw queries check

bench: .venv
	for program in benchmarks/*.py; do .venv/bin/python $$program || exit 1; done

docs: .venv
	.venv/bin/python docs/make_cli.py
