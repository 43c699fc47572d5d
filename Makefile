# `make demo` and `make test` set up everything they need; nothing but Python 3.11 or newer must be there.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# The CPU build of torch is enough for the tests; asking for this version first keeps the CUDA packages out.
TORCH := torch==2.13.0

.PHONY: setup demo test check lint bench bench-kpqa clean

setup: $(VENV)/.base

$(VENV)/.base: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "pip>=25.1"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

$(VENV)/.test: $(VENV)/.base
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "$(TORCH)"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group test
	touch $@

$(VENV)/.check: $(VENV)/.test
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group check
	touch $@

demo: $(VENV)/.base
	$(BIN)/qassay demo

test: $(VENV)/.test
	$(BIN)/python -m pytest -n auto --dist loadgroup

lint: $(VENV)/.check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/mypy
	$(BIN)/lint-imports

check: lint test

bench: $(VENV)/.test
	$(BIN)/python benchmarks/lexical.py

bench-kpqa: $(VENV)/.test
	$(BIN)/python benchmarks/kpqa.py

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache
