# `make` only names commands; the logic lives in Python (manent/ and tests/).
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# Compiled modules are kept: a hook that compiles its sources anew costs a second a push.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: setup demo test check conformance endure bench clean

setup: $(STAMP)

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "manent needs Python 3.11 or newer: make PYTHON=/path/to/python3.11" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

demo: $(STAMP)
	@$(BIN)/python -m manent demo

test: $(STAMP)
	@$(BIN)/python -m pytest -n 2

check: $(STAMP)
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy && $(BIN)/python -m pytest tests/test_house.py

# The official suite of the protocol, on both of its wires; fetches node and the suite with npm.
conformance: $(STAMP)
	@PYTHONPATH=tests $(BIN)/python -m conformance.run

# Half an hour or more: the full form of what CI runs seeded; see eval/README.md.
endure: $(STAMP)
	@MANENT_ENDURE=1 $(BIN)/python -m pytest -s tests/flows/test_endurance.py tests/flows/test_replay.py tests/flows/test_serve_replicas.py

bench: $(STAMP)
	@$(BIN)/python -m eval.bench

clean:
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
