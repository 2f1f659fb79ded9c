# Every command of the project. `make help` lists them.
SHELL := /bin/bash
.DEFAULT_GOAL := help
TIMED := ^(HTTPTests|RedisTests|JobQueueTests|ThreadingTests|MemoryBudgetTests|WorkerTests|EnqueueTests|FleetTests)\.
PROGRAMS := ^(EndToEndTests|FaultTests)\.
# Each of these takes the whole machine.
ALONE := ^(ChaosTests|JobQueueTests\.(ScaleTests|ModelTests))[./]
SWIFT_BUILD := swift build --explicit-target-dependency-import-check error

.PHONY: help setup build release test sanitize footprint chaos fuzz bench check lint format fixtures demo deb deploy-check clean

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install the Debian packages that are missing (asks apt; root or sudo)
	@scripts/setup.sh

build: setup ## build the programs for debugging
	@$(SWIFT_BUILD)

release: setup ## build the programs as they ship, into .build/release
	@$(SWIFT_BUILD) -c release
	@# Failpoints are for tests: nothing of what ships may listen to them.
	@! grep -q THUMBNAIL_FAILPOINT .build/release/worker || { echo "release: worker has failpoints" >&2; exit 1; }

test: setup ## set up, build and run every test (starts its own Redis; needs no service)
	@$(SWIFT_BUILD) --build-tests
	@# Tests with clocks and servers in them run apart from those that keep every core busy with pixels.
	@swift test --skip-build --skip '$(TIMED)' --skip '$(PROGRAMS)' --skip '$(ALONE)'
	@swift test --skip-build --filter '$(TIMED)' --skip '$(ALONE)'
	@swift test --skip-build --filter '$(PROGRAMS)'
	@swift test --skip-build --no-parallel --filter '$(ALONE)'

footprint: setup ## measure what pictures take, the whole corpus where there is one, and write Tests/Fixtures/footprints.tsv
	@$(SWIFT_BUILD) --build-tests
	@THUMBNAIL_WRITE_FOOTPRINTS=1 THUMBNAIL_LONG_TESTS=1 swift test --skip-build --filter FootprintTableTests
	@git --no-pager diff --stat Tests/Fixtures/footprints.tsv

chaos: setup ## break a whole fleet for minutes and count its jobs; SEED=7 JOBS=20000 LENGTH=180s PREVIOUS=v0.1.0
	@$(SWIFT_BUILD)
	@scripts/chaos.sh

sanitize: setup ## run the tests under thread sanitizer and address sanitizer; SANITIZER=thread SUITES=RedisTests
	@scripts/sanitize.sh

fuzz: setup ## look for files, jobs and options that break us; TARGET="scaled header metadata decode job options" SECONDS=1800 CORPUS=folder of more seeds
	@# In a shell SECONDS counts by itself.
	@$(if $(SECONDS),LENGTH=$(SECONDS)s )scripts/fuzz.sh

bench: release ## measure us against libvips, Pillow, OpenCV, Celery, Dramatiq and RQ; QUICK=1 for a look, MEASURES="fleet"
	@scripts/bench.sh

.PHONY: simulate
simulate: release ## what a large fleet costs one Redis; WORKERS=500 JOBS=50000 HOLD=200ms SLOTS=2 IDLE=10s
	@.build/release/Simulation

.PHONY: screenshots
screenshots: release ## pictures of a fleet at work for docs/pictures (needs prometheus and chromium; two minutes)
	@/usr/bin/python3 scripts/observability/screenshots.py .build/release docs/pictures

lint: ## fail on formatting, rule and documentation findings
	@scripts/lint.sh

format: ## rewrite the sources in the project's format
	@swift format --in-place --recursive --parallel Package.swift Sources Tests Benchmarks

check: lint test ## the whole gate: format, lint, warnings as errors, import check, tests

fixtures: ## generate Tests/Fixtures again (Python 3 with Pillow)
	@python3 scripts/make-fixtures.py

demo: release ## real photographs through a private Redis and a worker; DIR=photos PT=120x120 SCALE=3
	@scripts/demo.sh

deb: setup ## build the Debian package into .build/deb (needs debhelper: scripts/setup.sh deploy)
	@scripts/make-deb.sh

deploy-check: build ## build the Debian package, boot a Debian with it, and check all of deploy/ (root; CHECKS="units package")
	@scripts/deploy-check.sh

clean: ## remove what was built and what the demo left
	@rm -rf .build demo
