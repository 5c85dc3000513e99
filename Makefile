# `make run` and `make test` are the two commands; `make help` lists the rest. POSIX sh and any make will do.

VENV := .venv
BIN := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help run test check bench bench-growth lock clean
.SILENT:

help: ## list these commands
	sed -n 's/^\([a-z-]*\):.*## /make \1	/p' Makefile | expand -t 19

run: ## add the documents under examples/ and open the console: type a question, see the answer
	$(call install,requirements.lock)
	$(BIN)/python -m indexer add examples </dev/null
	$(BIN)/python -m bot

test: ## every check and every test
	$(call install,requirements-dev.lock)
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --quiet --check .
	$(BIN)/mypy --no-error-summary
	$(BIN)/lint-imports --no-logo >$(VENV)/imports.log || { cat $(VENV)/imports.log; exit 1; }
	$(BIN)/pytest --numprocesses auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder

bench: ## what we cost beside the bare libraries, as ratios; how quick the bot is
	$(call install,requirements-dev.lock)
	$(BIN)/python -m tests.bench

bench-growth: ## search, memory and import with 100,000 chunks; for a million: make bench-growth CHUNKS=1000000
	$(call install,requirements-dev.lock)
	$(BIN)/python -m tests.bench.growth $(if $(CHUNKS),--chunks $(CHUNKS))

lock: ## choose the newest versions that pyproject.toml allows and write both lock files
	$(call install,requirements-dev.lock)
	$(BIN)/$(compile) --output-file requirements.lock
	$(BIN)/$(compile) --group dev --constraint requirements.lock --output-file requirements-dev.lock

clean: ## remove the virtual environment and what the tools left; documents in data/ stay
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

compile = uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
	--no-header --no-annotate --no-emit-index-url --no-emit-find-links pyproject.toml

# Brings the virtual environment to a lock file. The copy of the lock inside the environment is written last: it says
# that exactly this lock is installed, so a second run costs nothing and an interrupted one starts over.
define install
	if ! cmp -s $(1) $(VENV)/$(1); then \
		set -e; \
		if ! $(BIN)/python -m pip --version >/dev/null 2>&1; then \
			for python in $(PYTHON) python3.13 python3.12 python3.11 python3 python3.14 python; do \
				if "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then break; fi; \
				python=; \
			done; \
			[ -n "$$python" ] || { echo 'Situate needs Python 3.11 or newer, and none is on the PATH. Install one, or name it: make PYTHON=/path/to/python3 …' >&2; exit 1; }; \
			"$$python" -m venv --clear $(VENV) || { echo 'The virtual environment cannot be made. On Debian and Ubuntu: apt install python3-venv.' >&2; exit 1; }; \
		fi; \
		of=$$(grep -c '^[a-z0-9].*==' $(1)); \
		echo "Installing $$of packages from $(1) (about a minute, once) …"; \
		{ $(BIN)/python -m pip install --disable-pip-version-check --no-input --require-hashes -r $(1) && cp $(1) $(VENV)/$(1); } \
			| awk -v of="$$of" '/^(Collecting|Requirement already)/ { printf "\r  %d of %d", ++n, of; fflush() } /^Installing collected/ { printf "\r  unpacking …        "; fflush() } END { print "" }'; \
		cmp -s $(1) $(VENV)/$(1) || { echo 'The packages could not be installed; the reason stands above.' >&2; exit 1; }; \
	fi
endef
