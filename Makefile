# Two commands do everything: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# Commands and tests start hundreds of processes: the byte code of one serves the next.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test check slow clean wheel notebooks docs browser

$(VENV)/.demo: pyproject.toml
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

$(VENV)/.test: pyproject.toml
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test]'
	touch $@ $(VENV)/.demo

$(VENV)/.warm: $(VENV)/.demo
	$(BIN)/bddsudoku warm-up
	touch $@

demo: $(VENV)/.warm  ## install, compile the kernels, and analyse the paper's Figure 1
	$(BIN)/bddsudoku analyse --max-nodes 2000000 data/paper/35.txt

check: $(VENV)/.test  ## formatter, linter, types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

test: check $(VENV)/.warm  ## everything but the slow tests
	$(BIN)/python -m pytest -m "not slow" -n 2

slow: check $(VENV)/.notebook  ## every test, the long ones too
	$(BIN)/python -m pytest --hypothesis-profile=thorough

$(VENV)/.notebook: pyproject.toml
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[notebook]'
	touch $@

wheel: $(VENV)/.test  ## a wheel for this Python and platform with the machine code of all kernels, in dist
	$(BIN)/python experiments/build_wheel.py

notebooks: $(VENV)/.notebook  ## execute every notebook from top to bottom, results in build/notebooks
	$(BIN)/python experiments/notebooks/execute.py --output build/notebooks

$(VENV)/.docs: pyproject.toml
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	touch $@

docs: $(VENV)/.docs  ## the site, strict, in build/site; man pages in build/man
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict
	$(BIN)/python docs/machinery/man_pages.py build/man

browser:  ## a headless Chromium for the tests of the report and of explore, where the system has a package of it
	@command -v chromium || command -v chromium-browser || command -v google-chrome \
	|| { command -v apt-get && apt-get update && apt-get install --yes chromium; } \
	|| { command -v dnf && dnf install --assumeyes chromium; } \
	|| { command -v brew && brew install --cask chromium; } \
	|| { echo "no package manager known here: install Chromium, or set BDDSUDOKU_BROWSER"; exit 1; }

clean:
	rm -rf $(VENV) build dist docs/drawn *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
