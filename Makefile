# Everything a developer or an operator does here; needs make and Python 3.11, and fetches the rest into .venv.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV ?= .venv
PORT ?= 50051
METRICS_PORT ?= 9464
DATABASE_URL ?= sqlite:///var/zhangfang.db
COVERAGE_MIN ?= 90

BIN = $(VENV)/bin
INSTALLED = $(VENV)/installed
SOURCES = service tests protos deploy
# Debian keeps what makes virtual environments in a package of its own.
INSTALL_VENV = { [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -y -qq python3-venv; }

.PHONY: run test check lint types layers contract fresh tests coverage generate dashboards format reference bench baseline lock clean
.DEFAULT_GOAL := run

## run: serve on an embedded store, play the sample hands through the wire, and go on serving until Ctrl-C
run: $(INSTALLED)
	$(BIN)/zhangfang serve --demo --port $(PORT) --metrics-port $(METRICS_PORT) --database-url $(DATABASE_URL)

## test: everything that must hold before a change is taken
test: check tests coverage

## check: what can be said without running the tests
check: lint types layers contract fresh

lint: $(INSTALLED)
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)

types: $(INSTALLED)
	$(BIN)/mypy
	$(BIN)/mypy deploy/grafana
	$(BIN)/mypy deploy/verify_export.py

layers: $(INSTALLED)
	PYTHONPATH=service $(BIN)/lint-imports

# The contract that clients rely on is an image beside the protos: it may grow, and nothing in it may break.
contract: $(INSTALLED)
	$(BIN)/buf lint
	$(BIN)/buf breaking --against protos/released.binpb

fresh: $(INSTALLED)
	$(BIN)/python protos/generate.py --check

tests: $(INSTALLED)
	PYTHONPATH=service $(BIN)/python -m pytest --cov --cov-report=

# All of the service, and every branch of the rulebook, the ledger and the domain.
coverage: $(INSTALLED)
	$(BIN)/coverage report --fail-under=$(COVERAGE_MIN)
	$(BIN)/coverage report --fail-under=100 --include='*/zhangfang/rules/*,*/zhangfang/ledger/*,*/zhangfang/domain/*'

## generate: service/zhangfang/wire from protos/
generate: $(INSTALLED)
	$(BIN)/python protos/generate.py

## dashboards: what Grafana loads and docs/metrics.md, from the code that defines them
dashboards: $(INSTALLED)
	$(BIN)/python -m deploy.grafana.dashboards
	$(BIN)/zhangfang metrics > docs/metrics.md

## format: the one way code is laid out
format: $(INSTALLED)
	$(BIN)/ruff check --fix $(SOURCES)
	$(BIN)/ruff format $(SOURCES)

## reference FILE="a.jsonl b.jsonl": judge reference hands and tell where they differ
reference: $(INSTALLED)
	PYTHONPATH=service $(BIN)/python -m tests.reference $(FILE)

## bench: measure
bench: $(INSTALLED)
	$(BIN)/zhangfang bench

## baseline: keep the contract as it is released now, with what was added to it
baseline: $(INSTALLED)
	$(BIN)/buf build --exclude-source-info -o protos/released.binpb

## lock: pin every dependency anew
lock:
	rm -rf $(VENV)-lock
	$(PYTHON) -m venv $(VENV)-lock
	$(VENV)-lock/bin/pip install --quiet --upgrade pip
	$(VENV)-lock/bin/pip install --quiet hatchling editables
	$(VENV)-lock/bin/pip install --quiet --no-build-isolation --group dev --editable .
	$(VENV)-lock/bin/pip freeze --exclude-editable | grep -E '^[A-Za-z0-9._-]+==' | LC_ALL=C sort -f > requirements.lock
	rm -rf $(VENV)-lock

## clean: what can be made again; the store in var/ stays
clean:
	rm -rf $(VENV) $(VENV)-lock build dist .coverage .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find service tests protos -name __pycache__ -type d -exec rm -rf {} +

$(INSTALLED): requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 is missing: apt-get install python3 python3-venv"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || $(INSTALL_VENV) || { echo "Python cannot make virtual environments here: apt-get install python3-venv"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --requirement requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $(INSTALLED)
