# `make demo` and `make test` set up everything they need; nothing but Python 3.11 or newer must be there.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# The tests need torch's CPU build alone. PyPI's own build for Linux brings the CUDA packages with it, so torch's index
# is asked first; where it cannot be reached, whatever the usual index has must do.
TORCH := torch==2.13.0
TORCH_INDEX := https://download.pytorch.org/whl/cpu

.PHONY: setup demo test suite test-core test-train test-all lint style types bench bench-kpqa bench-papers clean

setup: $(VENV)/.base

$(VENV)/.base: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) "pip>=25.1"
	$(PIP) --editable .
	touch $@

$(VENV)/.test: $(VENV)/.base
	$(PIP) --group test
	touch $@

$(VENV)/.train: $(VENV)/.test
	$(PIP) --retries 0 --timeout 5 --index-url $(TORCH_INDEX) "$(TORCH)" 2>/dev/null || $(PIP) "$(TORCH)"
	$(PIP) --group train-test
	touch $@

$(VENV)/.check: $(VENV)/.train
	$(PIP) --group check
	touch $@

demo: $(VENV)/.base
	$(BIN)/qassay demo

# What continuous integration runs: style, the import contract, types and all tests but the long ones. Types are checked
# beside the tests.
test: style
	$(MAKE) --no-print-directory --jobs 2 --output-sync=target types suite

# Without torch: what scores, judges and reports.
test-core: $(VENV)/.test
	$(BIN)/python -m pytest -n auto --dist loadgroup -m "not long and not train"

# Training, and models run with torch.
test-train: $(VENV)/.train
	$(BIN)/python -m pytest -n auto --dist loadgroup -m "train"

test-all: lint
	$(BIN)/python -m pytest -n auto --dist loadgroup

lint: style types

style: $(VENV)/.check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/lint-imports

types: $(VENV)/.check
	$(BIN)/mypy

suite: $(VENV)/.check
	$(BIN)/python -m pytest -n auto --dist loadgroup -m "not long"

bench: $(VENV)/.train
	$(BIN)/python benchmarks/lexical.py

bench-kpqa: $(VENV)/.train
	$(BIN)/python benchmarks/kpqa.py

bench-papers: $(VENV)/.train
	$(BIN)/python benchmarks/papers.py -o docs/measured/papers.md

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache
