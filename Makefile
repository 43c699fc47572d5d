# `make demo` and `make test` set up everything they need; nothing but Python 3.11 or newer must be there.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# The tests need torch's CPU build alone. PyPI's own build for Linux brings the CUDA packages with it, so torch's index
# is asked first; where it cannot be reached, whatever the usual index has must do.
TORCH := torch==2.13.0
TORCH_INDEX := https://download.pytorch.org/whl/cpu

.PHONY: setup demo test suite test-core test-train test-cluster test-hosts test-all lint style types bench bench-kpqa bench-papers docs wheel clean

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

$(VENV)/.cluster: $(VENV)/.test
	$(PIP) --group cluster-test
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
	$(BIN)/python -m pytest -n auto --dist loadgroup -m "not long and not train and not cluster"

# Training, and models run with torch.
test-train: $(VENV)/.train
	$(BIN)/python -m pytest -n auto --dist loadgroup -m "train"

# Many machines: a Ray cluster of several nodes on this machine, and an S3 server.
test-cluster: $(VENV)/.cluster
	$(BIN)/python -m pytest -m "cluster"

# The adapters of `qassay.hosts`, each against the real tool in an environment of its own.
test-hosts:
	PYTHON=$(PYTHON) tests/hosts/test-hosts.sh

test-all: lint $(VENV)/.cluster
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

# The documentation as a site, with a check of all links: open site/index.html.
$(VENV)/.docs: $(VENV)/.base
	$(PIP) --group docs
	touch $@

docs: $(VENV)/.docs
	$(BIN)/python docs/site.py

# The files of a release, tried in an empty environment.
wheel: $(VENV)/.docs
	rm -rf dist build/wheel
	$(BIN)/python -m build --outdir dist
	$(PYTHON) -m venv build/wheel
	build/wheel/bin/python -m pip install --quiet --disable-pip-version-check dist/*.whl
	cd build && wheel/bin/qassay demo

clean:
	rm -rf $(VENV) .venv-hosts build dist site .mypy_cache .ruff_cache .pytest_cache
