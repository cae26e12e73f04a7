# Every command of the project; `make` lists them.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
N ?= 200
SECONDS ?= 60

.PHONY: help demo test test-fast check house check-pythons bench edit-eval torture torture-undo race corpus fuzz locale docs install

help: ## list the commands
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 16

install: $(INSTALLED) ## make .venv and install MaxAgent with all that tests need

$(INSTALLED): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "MaxAgent needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev,studio,openai]'
	@touch $@

demo: $(INSTALLED) ## repair a small project with a scripted model: no key, no network
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh docs/demo/run.sh

test: $(INSTALLED) ## run the test suite
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest -n 2 --dist loadfile

test-fast: $(INSTALLED) ## run the suite without the slow folders: e2e, docs, torture, bench
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest -n 2 --dist loadfile -m 'not slow'

check: $(INSTALLED) ## ruff, pyright, and the shape of the house
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/python -m pytest -q tests/test_layout.py

house: $(INSTALLED) ## measure the source: sizes, circles between folders, names, comments
	$(BIN)/python tests/house/house.py

check-pythons: ## run the suite on every Python from 3.11 that this machine has
	sh tests/check-pythons.sh

bench: $(INSTALLED) ## time, disk and memory as ratios beside a bare loop
	$(BIN)/python tests/bench/bench.py

edit-eval: $(INSTALLED) ## garbled edits of real sources: make edit-eval SEED=7 EDITS=2000
	$(BIN)/python tests/edit_eval/edit_eval.py $(if $(SEED),--seed $(SEED)) $(if $(EDITS),--edits $(EDITS)) \
		$(if $(SHOW),--show "$(SHOW)") $(if $(PROCESS),--process)

torture: $(INSTALLED) ## kill a task N times at random moments: make torture N=200
	$(BIN)/python tests/torture/torture.py $(N)

torture-undo: $(INSTALLED) ## undo, redo and rewind N random histories: make torture-undo N=500
	PYTHONPATH=tests/fixtures $(BIN)/python tests/torture/undo.py $(N)

race: $(INSTALLED) ## swap links under working tools, both ways to open: make race SECONDS=60
	$(BIN)/python tests/torture/link_race.py $(SECONDS)
	$(BIN)/python tests/torture/link_race.py $(SECONDS) --steps

corpus: $(INSTALLED) ## judge the corpora of command lines: counts by verdict, time of a judgement
	$(BIN)/python tests/corpora/command_lines.py

fuzz: $(INSTALLED) ## judge command lines without end beside another parser and bash itself: make fuzz MINUTES=60
	PYTHONPATH=tests/corpora $(BIN)/python tests/fuzz/fuzz.py $(if $(MINUTES),minutes=$(MINUTES)) $(if $(SEED),seed=$(SEED))

locale: $(INSTALLED) ## bring the catalogues of the interface's words up to the source, and compile them
	$(BIN)/python tests/catalogues/make_locale.py

docs: $(INSTALLED) ## draw the graphs and write the schemas that stand in docs/
	$(BIN)/python docs/draw.py
	$(BIN)/python docs/schema.py
