# The commands of this checkout. `make help` lists them.
PYTHON ?= python3
VENV := .venv/bin
BOOTSTRAP := $(PYTHON) tools/bootstrap.py
# What `check --deploy` looks at is how production would be set up; no server is asked for anything.
AS_PRODUCTION := env DATABASE_URL=postgresql://nobody@127.0.0.1:1/none DLQ_HTTPS=true ALLOWED_HOSTS=dlq.example.org \
	SECRET_KEY="$$($(PYTHON) -c 'import secrets; print(secrets.token_urlsafe(50))')"

.DEFAULT_GOAL := help
.PHONY: help demo test quick near security soak check lock bench

help: ## list these commands
	@sed -n 's/^\([a-z]*\):.*## /  make \1	/p' $(MAKEFILE_LIST) | expand -t 16

demo: ## run everything on this machine, with servers of its own (PORT, DLQ_DATA_DIR, DLQ_DEMO_PASSWORD)
	@$(BOOTSTRAP) demo
	@$(VENV)/python -m tools demo

test: ## run all tests against real servers, Spark and a real browser (ARGS="-k name" for some)
	@$(BOOTSTRAP) demo spark dev
	@$(VENV)/python -m tools test $(ARGS) \
		|| { [ $$? -eq 1 ] && $(VENV)/python -m tools again; }

quick: ## run five of six tests in a minute and a half: no Spark, no browser, nothing slow (ARGS as for test)
	@$(BOOTSTRAP) demo spark dev
	@$(VENV)/python -m tools quick $(ARGS)

near: ## run the tests of what you have changed: those of its noun, and those that import it (ARGS as for test)
	@$(BOOTSTRAP) demo spark dev
	@$(VENV)/python -m tools near $(ARGS)

security: ## run what tries to break in, and print what was tried (a part of test; ARGS as for test)
	@$(BOOTSTRAP) demo spark dev
	@$(VENV)/python -m tools security $(ARGS)

soak: ## run what kills, draws examples or starts Spark, with many times the load (FAULTS_SEED=n, ARGS as for test)
	@$(BOOTSTRAP) demo spark dev
	@DLQ_TEST_SOAK=1 $(VENV)/python -m tools test -m "faults or spark or histories or sized" $(ARGS)

check: ## lint (Python, templates, JavaScript), types, import contracts, migrations, deployment settings
	@$(BOOTSTRAP) demo spark dev
	$(VENV)/ruff check .
	$(VENV)/ruff format --check .
	$(VENV)/djlint --quiet templates dlqconsole/contrib
	$(VENV)/oxlint --quiet static
	$(AS_PRODUCTION) $(VENV)/mypy dlqconsole examples tools
	$(VENV)/mypy --config-file clients/python/pyproject.toml clients/python/dlq
	$(VENV)/lint-imports
	cd clients/python && ../../$(VENV)/lint-imports
	$(AS_PRODUCTION) $(VENV)/python -W ignore manage.py makemigrations --check --dry-run
	$(AS_PRODUCTION) $(VENV)/python manage.py check --deploy --fail-level WARNING

lock: ## pin all dependencies anew (ARGS=--upgrade for newer ones)
	@$(BOOTSTRAP) demo spark dev
	@$(VENV)/python -m tools.lock_requirements $(ARGS)

bench: ## measure the queue against its peers and the machine's own limit (ARGS="--quick")
	@$(BOOTSTRAP) demo bench
	@$(VENV)/python -m tests.bench $(ARGS)
