# The commands of the README, and commands for development.
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
	.venv/bin/python benchmarks/export_perfetto.py
	$(if $(TRACE),.venv/bin/python benchmarks/import_kineto.py $(TRACE),@echo "make bench TRACE=trace.json.gz also times imports and queries")
	$(if $(TRACE),.venv/bin/python benchmarks/queries.py $(TRACE))

docs: .venv
	.venv/bin/python docs/make_cli.py
	.venv/bin/python docs/make_spark.py
	.venv/bin/python docs/make_picture.py
	.venv/bin/tw queries docs -o build/queries
