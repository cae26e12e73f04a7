# Every command of the project; `make` lists them.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
N ?= 200
SECONDS ?= 60

.PHONY: help demo picture pictures test test-fast test-postgres evals evals-test check house check-pythons release bench edit-eval harness-eval torture torture-undo torture-context torture-mcp torture-agents torture-questions torture-answers torture-edits torture-acp torture-web torture-service torture-workers torture-stopped torture-machines parked-threads race corpus cassettes token-counts secret-rules fuzz interop locale docs vendor install

help: ## list the commands
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 16

install: $(INSTALLED) ## create .venv and install MaxAgent with all test dependencies

$(INSTALLED): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "MaxAgent needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev,studio,openai,code,web,postgres,workers]'
	@touch $@

demo: $(INSTALLED) ## repair a small project with a scripted model; no key, no network
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh docs/demo/run.sh

picture: $(INSTALLED) ## draw docs/demo/run.svg from a real run of the demo
	$(BIN)/python docs/demo/picture.py

pictures: $(INSTALLED) ## draw build/pictures/index.html: real runs, dark, light, without colours, Chinese
	$(BIN)/python docs/pictures.py

test: $(INSTALLED) ## run the test suite
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest -n 4 --dist loadfile

test-postgres: $(INSTALLED) ## run the tests of memory and threads on a real PostgreSQL, started for them
	env -u PYTHONDONTWRITEBYTECODE MCODE_TEST_POSTGRES=1 $(BIN)/python -m pytest -n 4 --dist loadfile tests/memory tests/sdk/threads tests/sdk/transfer

evals: ## list the evaluations: programs with a report, which take minutes to hours
	@$(MAKE) --no-print-directory help | grep -E '^(bench|corpus|edit-eval|fuzz|harness|interop|parked|race|token-counts|torture)'

evals-test: $(INSTALLED) ## run the tests of the evaluations
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest -n 4 --dist loadfile evals

test-fast: $(INSTALLED) ## run the test suite without what is marked slow: whole programs, measures
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest -n 4 --dist loadfile -m 'not slow'

check: $(INSTALLED) ## run ruff, pyright and the layout tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/python -m pytest -q tests/test_layout.py

house: $(INSTALLED) ## measure the source: sizes, import cycles, names, comments
	$(BIN)/python tests/house/house.py

check-pythons: ## run the test suite on every installed Python from 3.11
	sh tests/check-pythons.sh

release: ## build and try the sdist and the wheel of the last commit; write dist/release-notes.md
	$(PYTHON) tests/release/release.py

bench: $(INSTALLED) ## measure time, disk and memory against a bare loop
	$(BIN)/python evals/bench/bench.py

edit-eval: $(INSTALLED) ## evaluate the edit tools on real sources: make edit-eval SEED=7 EDITS=2000
	$(BIN)/python evals/edit_eval/edit_eval.py $(if $(SEED),--seed $(SEED)) $(if $(EDITS),--edits $(EDITS)) \
		$(if $(SHOW),--show "$(SHOW)") $(if $(PROCESS),--process)

harness-eval: $(INSTALLED) ## score the harness with thirty weak models on ten repositories: make harness-eval SAVE=1
	$(BIN)/python evals/harness_eval/harness_eval.py $(if $(ONLY),--only "$(ONLY)") $(if $(SAVE),--save)

torture: $(INSTALLED) ## kill a task N times at random moments: make torture N=200
	PYTHONPATH=tests/fixtures $(BIN)/python evals/torture/torture.py $(N)

torture-undo: $(INSTALLED) ## undo, redo and rewind N random histories: make torture-undo N=500
	PYTHONPATH=tests/fixtures $(BIN)/python evals/torture/undo.py $(N)

torture-context: $(INSTALLED) ## hold conversations of 400 model turns, judged by their requests: make torture-context KILLS=50
	$(BIN)/python evals/context_eval/context_eval.py $(if $(KILLS),--kills $(KILLS)) $(if $(ONLY),--only "$(ONLY)")

torture-mcp: $(INSTALLED) ## kill MCP servers and MaxAgent at each phase of a call: make torture-mcp N=200
	PYTHONPATH=tests/fixtures $(BIN)/python evals/torture/mcp_torture.py $(N)

torture-answers: $(INSTALLED) ## send bombs and endless answers to every place that reads from the network
	PYTHONPATH=tests/fixtures $(BIN)/python evals/torture/answer_bombs.py
torture-edits: $(INSTALLED) ## edit threads at every checkpoint as every node, as in Studio
	PYTHONPATH=tests/fixtures $(BIN)/python evals/torture/edits_torture.py

torture-questions: $(INSTALLED) ## type N sentences across the opening of every question: make torture-questions N=700
	$(BIN)/python evals/torture/question_torture.py $(N)
	PYTHONPATH=tests/fixtures:tests/e2e $(BIN)/python evals/torture/question_doors.py 40

torture-agents: $(INSTALLED) ## kill a conversation with three sub-agents N times: make torture-agents N=200
	PYTHONPATH=tests/fixtures $(BIN)/python evals/torture/agents_torture.py $(N)

torture-service: $(INSTALLED) ## let 20 users talk to a FastAPI service that is killed: make torture-service SECONDS=60
	PYTHONPATH=tests/fixtures $(BIN)/python evals/torture/service_torture.py $(if $(SECONDS),--seconds $(SECONDS))

torture-acp: $(INSTALLED) ## kill mcode acp and its editor N times: make torture-acp N=200
	PYTHONPATH=tests/fixtures:tests/e2e $(BIN)/python evals/torture/acp_torture.py $(or $(N),200)

torture-web: $(INSTALLED) ## cut a page and kill its server N times, then 50 threads for 100 pages: make torture-web N=100
	PYTHONPATH=tests/fixtures:tests/e2e $(BIN)/python evals/torture/web_torture.py $(or $(N),100)
	PYTHONPATH=tests/fixtures:tests/e2e $(BIN)/python evals/torture/web_load.py

torture-workers: $(INSTALLED) ## kill workers of a queue every 4 seconds: make torture-workers TASKS=200 WORKERS=4, or KILLS=200 WORKERS=2
	PYTHONPATH=tests/fixtures $(BIN)/python evals/workers/worker_kills.py --tasks $(or $(TASKS),200) --workers $(or $(WORKERS),4) \
		$(if $(KILLS),--kills $(KILLS)) $(if $(EVERY),--every $(EVERY))

torture-stopped: $(INSTALLED) ## stop a worker beyond its lease, then let it go on: it writes nothing
	PYTHONPATH=tests/fixtures $(BIN)/python evals/workers/stopped_worker.py

torture-machines: $(INSTALLED) ## begin, answer, run, watch and undo a thread on four machines; pull out a cable
	PYTHONPATH=tests/fixtures $(BIN)/python evals/workers/three_machines.py

parked-threads: $(INSTALLED) ## park 10,000 threads; print memory and connections: make parked-threads N=10000
	PYTHONPATH=tests/fixtures $(BIN)/python evals/workers/parked_threads.py --threads $(if $(filter 200,$(N)),10000,$(N))

race: $(INSTALLED) ## swap links while tools read and write: make race SECONDS=60
	$(BIN)/python evals/torture/link_race.py $(SECONDS)
	$(BIN)/python evals/torture/link_race.py $(SECONDS) --steps

cassettes: $(INSTALLED) ## record the runs in tests/cassettes again, after a change of a prompt or a tool
	PYTHONPATH=tests/fixtures $(BIN)/python tests/fixtures/recordings.py

token-counts: $(INSTALLED) ## count evals/token_counts/texts with real tokenizers, from npm and pip
	$(BIN)/python evals/token_counts/recording.py

secret-rules: $(INSTALLED) ## write the known forms of secrets into docs/secrets.md; new rules: tests/secret_rules/convert_gitleaks.py
	$(BIN)/python tests/secret_rules/known_forms.py

corpus: $(INSTALLED) ## judge the corpora of command lines; print counts and times
	$(BIN)/python tests/corpora/command_lines.py

fuzz: $(INSTALLED) ## compare random command lines with another parser and bash: make fuzz MINUTES=60
	PYTHONPATH=tests/corpora $(BIN)/python evals/fuzz/fuzz.py $(if $(MINUTES),minutes=$(MINUTES)) $(if $(SEED),seed=$(SEED))

interop: $(INSTALLED) ## try every dialect, MCP and test framework with programs that others wrote; the report is docs/interop.md
	PYTHONPATH=tests/fixtures:tests/e2e $(BIN)/python evals/interop/interop.py
	PYTHONPATH=tests/fixtures:tests/e2e $(BIN)/python evals/interop/dev_server.py
	PYTHONPATH=tests/fixtures:tests/e2e $(BIN)/python evals/interop/mcp_interop.py
	PYTHONPATH=tests/fixtures:tests/e2e $(BIN)/python evals/interop/runner_interop.py
	PYTHONPATH=tests/fixtures:evals/edit_eval:evals/interop $(BIN)/python evals/interop/peers/peers.py
	PYTHONPATH=tests/fixtures:tests/e2e:evals/interop:evals/torture $(BIN)/python evals/interop/acp/acp_interop.py $(if $(REGISTRY),--registry "$(REGISTRY)")
	PYTHONPATH=tests/fixtures:tests/e2e:evals/interop $(BIN)/python evals/interop/harbor/harbor_interop.py
	PYTHONPATH=tests/fixtures:tests/e2e:evals/interop $(BIN)/python evals/interop/page/page_interop.py
	PYTHONPATH=tests/fixtures:tests/e2e:evals/interop $(BIN)/python evals/interop/page/page_pictures.py
	PYTHONPATH=tests/fixtures:tests/e2e:evals/interop $(BIN)/python evals/interop/agui/agui_interop.py
	$(BIN)/python evals/interop/otel/otel_interop.py

vendor: $(INSTALLED) ## take the libraries of the web page from npm, with licences and hashes
	$(BIN)/python tests/release/vendor.py

locale: $(INSTALLED) ## update the translation catalogues from the source and compile them
	$(BIN)/python tests/catalogues/make_locale.py

docs: $(INSTALLED) ## write the graphs and schemas in docs/
	$(BIN)/python docs/draw.py
	$(BIN)/python docs/schema.py
