# `make demo` shows what the program is for; `make test` is for who changes it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# Commands and tests start hundreds of processes: the byte code of one serves the next.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test check slow clean wheel notebooks docs browser

$(VENV)/.demo: pyproject.toml
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[plot,explore]'
	touch $@

$(VENV)/.test: pyproject.toml
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test]'
	touch $@ $(VENV)/.demo

$(VENV)/.warm: $(VENV)/.demo
	$(BIN)/bddsudoku warm-up
	touch $@

FIFTEEN := 000000010400000000020000000000050400008000300001090000000400200050100000000806000

demo: $(VENV)/.warm  ## install, compile the kernels, and show what the program is for
	@printf '\n== How many solutions has a puzzle with 15 hints?\n'
	$(BIN)/bddsudoku count $(FIFTEEN)
	@printf '\n== Where do they differ? A picture of all of them:\n'
	@mkdir -p build
	$(BIN)/bddsudoku marginals --plot build/marginals.png $(FIFTEEN) | head -n 4
	@printf '\n== What is one of its hints worth? The solutions without it:\n'
	$(BIN)/bddsudoku hints $(FIFTEEN) | sed -n '/^hint/,/^Minimal/p'
	@printf "\n== The puzzle of the paper's Figure 1, by the paper's three procedures:\n"
	@set -e; for n in 1 2 3; do \
		set -x; $(BIN)/bddsudoku build --procedure $$n data/paper/35.txt > build/procedure_$$n.txt; \
		{ set +x; } 2> /dev/null; sed -n '/^nodes/,$$p' build/procedure_$$n.txt; \
	done
	@printf '\n== Next (after: source $(BIN)/activate):\n%s\n%s\n%s\n' \
		'bddsudoku explore                the board in the browser, live' \
		'bddsudoku example --list         examples to begin with' \
		'docs/tutorial/first_picture.md   ten minutes, from a puzzle to a picture'

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
