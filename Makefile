# One command each; every one makes and fills .venv by itself.
.PHONY: help install demo serve test flaky thorough slow postgres rivals mutants lint check format bench ablation growth learn reader ladder perfect fuzz proofs docs notebooks package wheels clean
.DEFAULT_GOAL := help

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
CORE := $(VENV)/.core
READY := $(VENV)/.ready
DATA := quaternity/data
export PIP_DISABLE_PIP_VERSION_CHECK := 1

help:  ## list the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/' | expand -t 18

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed (set PYTHON=...)" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
		echo "the venv module is needed (on Debian: apt-get install python3-venv)" >&2; exit 1; }

# What the commands need, and nothing else; `--no-compile`: Python compiles what it imports.
$(CORE): pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing OR-Tools and the other packages that Quaternity needs into $(VENV) (once):"
	@$(BIN)/python -m pip install --no-compile --constraint constraints.txt --editable .
	@touch $@

$(READY): pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing all optional parts and the tools of developers into $(VENV) (once) ..."
	@$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[plot,cluster,postgres,gymnasium,pettingzoo]' --group dev
	@touch $(CORE) $@

install: $(READY)  ## make .venv with pinned versions; then: .venv/bin/quaternity --help

demo: $(CORE)  ## set up, then referee a recorded 52-card game and damaged states
	@set -e; show() { printf '\n$$ quaternity %s\n' "$$*"; $(BIN)/quaternity "$$@"; }; \
	show check $(DATA)/game-4-13-4.record --solver all; \
	show check $(DATA)/possible-4-13-4.json --solver all; \
	show check $(DATA)/damaged-minimum-4-13-4.json $(DATA)/damaged-owner-4-13-4.json \
		--solver all || test $$? -eq 1; \
	show analyse $(DATA)/possible-4-13-4.json --questions; \
	show compare -s 4 -n 13 -p 4 --states 60; \
	printf '\nWhat to try next:\n%s\n%s\n%s\n' \
		'  $(BIN)/quaternity guide models  # how CP-SAT and max-flow decide a problem' \
		'  $(BIN)/quaternity play --seats you,search,random  # play in the terminal' \
		'  make serve  # play in the browser'

serve: $(CORE)  ## open the table in a browser; SERVE="--host 0.0.0.0" for others in the network
	@$(BIN)/python -c 'import jinja2, segno, starlette, uvicorn' 2>/dev/null || \
		$(BIN)/python -m pip install --constraint constraints.txt --editable '.[web]'
	$(BIN)/quaternity serve $(SERVE)

# Many tests wait for browsers and servers, so there is one more process than processors.
test: $(READY)  ## set up, then run the tests: every law with few examples, the same in every run
	$(BIN)/python -m pytest -n $$(($$(getconf _NPROCESSORS_ONLN) + 1)) --dist loadfile \
		--no-loadscope-reorder

flaky: $(READY)  ## repeat tests in random orders and under load; TESTS="tests/web" TIMES=200
	$(BIN)/python -m tests.flaky $(TESTS) $(if $(TIMES),--times $(TIMES)) $(FLAKY)

thorough: $(READY)  ## all tests with many examples, new ones in every run
	$(BIN)/python -m pytest -n auto --hypothesis-profile=thorough

slow: $(READY)  ## the tests that cannot be made small: many minutes
	$(BIN)/python -m pytest -n auto -m slow --hypothesis-profile=thorough

POSTGRES := $(addprefix tests/web/, browser/test_evening.py $(addprefix test_, api.py api_limits.py \
	chat.py clocks.py end.py hammering.py kill.py leaks.py party.py streams.py tables.py waiting.py))

postgres: $(READY)  ## the tests of tables in a browser, with all tables in a PostgreSQL
	QUATERNITY_STORE=postgres $(BIN)/python -m pytest -n auto $(POSTGRES)

RIVALS := openspiel sat cryptominisat networkx z3 cvc5 clingo choco pumpkin scip igraph exact drup
PROFILE := thorough

rivals: $(READY)  ## install the rivals that have a wheel here, and test them (exact is AGPL, igraph GPL)
	@install="$(BIN)/python -m pip install --quiet --constraint constraints.txt --only-binary=:all:"; \
		for extra in $(RIVALS); do all="$$all,$$extra"; done; \
		$$install --editable ".[$${all#,}]" 2>/dev/null && rest=gambit || rest="$(RIVALS) gambit"; \
		for extra in $$rest; do \
			$$install --editable ".[$$extra]" 2>/dev/null || echo "no wheel here: $$extra"; done
	$(BIN)/quaternity solvers
	$(BIN)/python -m pytest -n auto --hypothesis-profile=$(PROFILE) tests/solvers/test_rival*.py \
		tests/environments/test_open_spiel.py tests/environments/test_equilibria.py

mutants: $(READY)  ## are wrong programs found? MUTANTS="solvers --sample 300 --seed 1 --minutes 60"
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --group mutants
	$(BIN)/python -m tests.mutants $(MUTANTS)

lint: $(READY)  ## check the format, the code, the English and the types; change nothing
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/python -m tests.plain
	$(BIN)/mypy

check: lint test  ## lint, then the tests

format: $(READY)  ## let ruff format and mend
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(READY)  ## measure speed, as ratios between rivals in the same run
	$(BIN)/python -m pytest -m bench tests/bench

ablation: $(READY)  ## what is each mechanism worth? All switched off in turn; ABLATION="--every 2"
	$(BIN)/python -m tests.bench.ablation $(ABLATION)

growth: $(READY)  ## how every solver's time and proofs grow: half an hour, into growth/ and the guide
	$(BIN)/python -m tests.bench.growth $(GROWTH)

learn: $(READY)  ## solve the named benchmarks, and bots and algorithms in them, into the guide
	@$(BIN)/python -c 'import pyspiel' 2>/dev/null || \
		$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[openspiel]'
	$(BIN)/python -m tests.bench.learn $(LEARN)

reader: $(READY)  ## how strong Kwartet's reader is: an hour, into build/ and the guide
	$(BIN)/python -m tests.bench.reader $(READER)

perfect: $(READY)  ## solve games, into the guide; PERFECT="--brisk", "--large --workers 2" or "3-4-3"
	$(BIN)/python -m tests.bench.perfect $(PERFECT)

ladder: $(READY)  ## ratings of all players, into the guide; LADDER="--with kwartet=package.module:name"
	$(BIN)/python -m tests.bench.ladder $(LADDER)

fuzz: $(READY)  ## a million random problems and games on all cores; FUZZ="--seconds 60" for less
	$(BIN)/quaternity fuzz --workers $$(getconf _NPROCESSORS_ONLN) $(or $(FUZZ),--examples 1000000)

proofs: $(READY)  ## let Coq read the proofs, and run what is proved; needs Debian's coq and ocaml
	$(BIN)/python -m tests.proofs
	$(BIN)/python -m pytest --hypothesis-profile=$(PROFILE) tests/proofs/test_proofs.py

docs: $(READY)  ## guide and reference as a static site, site/index.html, its links checked
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --group docs --editable '.[web]'
	$(BIN)/python -m tests.docs site

notebooks: $(READY)  ## pages of the guide as notebooks, anew
	$(BIN)/python -m tests.notebooks

package: $(READY)  ## build wheel and source archive, install the wheel bare, and use it
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --group package
	$(BIN)/python -m tests.package

wheels: $(READY)  ## are there wheels of what is pinned for newer Pythons? Asks the index
	@for version in 3.12 3.13 3.14; do $(BIN)/python -m pip install --quiet --dry-run --ignore-installed \
		--only-binary=:all: --python-version $$version --target $(VENV)/none \
		--constraint constraints.txt '.[plot,cluster,web]' && echo "$$version: yes" || exit 1; done

clean:  ## remove .venv and caches
	rm -rf $(VENV) site .mypy_cache .ruff_cache .pytest_cache .hypothesis .bytecode .flaky
