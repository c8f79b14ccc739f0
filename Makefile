# Everything a person or a CI types. On a fresh machine each target first makes .venv, once.

PYTHON ?= $(firstword $(foreach version,3.14 3.13 3.12 3.11,$(if $(shell python$(version) -c 'import ensurepip, venv' 2>/dev/null && echo works),python$(version))) python3)
VENV ?= .venv
BIN := $(VENV)/bin
# Folder of the pages with gold text (docs/data.md); what needs them says so where they are missing.
NEWSCORPUS_DATA ?= $(abspath ../shared/data)
export NEWSCORPUS_DATA
# What pip says, in a few lines: every twenty packages that it finds, what it unpacks and what is there.
SHELL := bash -o pipefail
TOLD = | awk -v venv=$(VENV) '/^Collecting/ && ++n % 20 == 0 { print n " packages found"; fflush() } \
	/^Installing collected/ { print "Unpacking " NF - 3 " packages"; fflush() } \
	END { ("du -sm " venv) | getline; print $$1 " MB in " venv }'

.PHONY: demo test test-all lint check gate attacks bench reproduce sites docs dist clean

demo: $(VENV)/.runs
	$(BIN)/newscorpus demo

test: $(VENV)/.tests
	$(BIN)/pytest -n 2 --dist loadfile

# Also the tests that take minutes, watch system calls or need programs of others.
test-all: $(VENV)/.tests $(VENV)/pywb/.made $(VENV)/wacz/.made
	$(BIN)/pytest -n 2 --dist loadfile -m "" --hypothesis-profile many

lint: $(VENV)/.tests
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

check: lint test

gate: $(VENV)/.tests
	$(BIN)/python -m newscorpus.lab.evaluation.gate $(NEWSCORPUS_DATA)

attacks: $(VENV)/.tests
	$(BIN)/python -m benchmarks.attacks --short
	$(BIN)/python -m benchmarks.faults --points 10 --faults 'kill,full disk' --no-pairs
	$(BIN)/python -m benchmarks.faults --points 2 --faults ''

bench: $(VENV)/.tests
	$(BIN)/python benchmarks/extract.py $(NEWSCORPUS_DATA)

reproduce: $(VENV)/.tests
	$(BIN)/python -m benchmarks.reproduce $(NEWSCORPUS_DATA)

# Publishing systems, installed, filled, crawled and compared: by hand and before a release.
sites: $(VENV)/.tests
	$(BIN)/python -m benchmarks.sites --record

# The documents as a site, in build/site, with all that they link to; a link that leads nowhere is an error.
docs: $(VENV)/docs/.made
	rm -rf build/docs
	mkdir -p build/docs
	git ls-files -z '*.md' '*.svg' '*.jpg' 'docs/*.js' '*.py' '*.toml' '*.ipynb' LICENSE | tar --null -T - -cf - | tar -x -C build/docs
	NO_MKDOCS_2_WARNING=1 $(VENV)/docs/bin/mkdocs build --quiet --strict
	@echo 'The site is in build/site; open build/site/index.html'

# Wheel and sdist, from the files under version control alone: what else lies in the checkout cannot slip in.
dist: $(VENV)/.runs
	$(BIN)/python -m pip install --quiet build==1.6.1 twine==7.0.0
	rm -rf build dist
	git archive --format=tar --prefix=source/ HEAD | tar -x -C $$(mkdir -p build && echo build)
	$(BIN)/python -m build --outdir dist build/source
	$(BIN)/twine check --strict dist/*
	rm -rf build

$(VENV)/docs/.made: requirements-docs.txt | $(BIN)/python
	$(BIN)/python -m venv $(VENV)/docs
	$(VENV)/docs/bin/python -m pip install --quiet -r requirements-docs.txt
	@touch $@

$(VENV)/pywb/.made $(VENV)/wacz/.made: $(VENV)/%/.made: requirements-%.txt | $(BIN)/python
	$(BIN)/python -m venv $(VENV)/$*
	$(VENV)/$*/bin/python -m pip install --quiet -r requirements-$*.txt
	@touch $@

clean:
	rm -rf $(VENV)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' \
		|| { echo 'newscorpus needs Python 3.11 to 3.14; name one: make PYTHON=python3.12 ...' >&2; exit 1; }
	@echo 'Making $(VENV) with $(PYTHON), once.'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.runs: requirements.txt pyproject.toml | $(BIN)/python
	@echo 'Installing what newscorpus needs into $(VENV): some 600 MB, a minute or two.'
	@$(BIN)/python -m pip install -r requirements.txt $(TOLD)
	PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --no-deps --editable .
	@touch $@

$(VENV)/.tests: requirements-dev.txt pyproject.toml | $(BIN)/python
	@echo 'Installing what the tests need into $(VENV): some minutes.'
	@$(BIN)/python -m pip install -r requirements-dev.txt $(TOLD)
	PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --no-deps --editable .
	@touch $@
