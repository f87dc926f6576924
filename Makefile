# The environment is .venv, made from requirements.lock; nothing else on the machine is touched.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.DEFAULT_GOAL := help
.PHONY: help demo test lint format type notebooks bench docs lock clean

help: ## list the commands
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

$(READY): requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: $(READY) ## replay a real conversation offline: the card, the timeline, what evolved and where the files are
	$(BIN)/previously demo

test: $(READY) ## run the whole test suite
	LANGGRAPH_STRICT_MSGPACK=true $(BIN)/python -m pytest -n auto

lint: $(READY) ## check style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(READY) ## rewrite the files in house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

type: $(READY) ## check types, strictly
	@mkdir -p build/types && ln -sfn ../.. build/types/previously
	cd build/types && ../../$(BIN)/mypy --config-file ../../pyproject.toml --exclude '/(build|tests|benchmarks|notebooks|docs|\.venv)/' -p previously

notebooks: $(READY) ## run every notebook and write its outputs back
	$(BIN)/python notebooks/run.py

bench: $(READY) ## run a benchmark: make bench NAME=turn [DATA=path]
	$(BIN)/python -m benchmarks.$(NAME) $(if $(DATA),--data $(DATA))

docs: $(READY) ## run every code block of the README and docs/
	$(BIN)/python -m pytest tests/test_docs.py

lock: $(READY) ## pin the newest versions that fit pyproject.toml
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 --no-header --no-annotate \
	  --no-emit-index-url --quiet --output-file requirements.lock

clean: ## remove the environment and everything that was built
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
