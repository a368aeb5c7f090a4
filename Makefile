.PHONY: install build run test demo faults models bench cluster

install: node_modules/.install

# One stamp for the installation, so that a second run starts at once. The lock file pins Node too, for Linux, and npm puts it
# first on the PATH of scripts: what npm warns of the machine's own Node concerns nothing that runs.
node_modules/.install: package.json package-lock.json scripts/runtime/package.json
	npm ci --loglevel=error
	@echo "Malote runs on Node $$(npm exec --call 'node --version'); Node of this machine: $$(node --version)"
	@touch $@

build: dist/.built

# Another stamp for the build, which is made anew when a source or the commit has changed.
dist/.built: node_modules/.install $(shell find src generated contracts clients scripts/build.ts CHANGELOG.md .git/logs/HEAD -type f 2> /dev/null)
	npm run --silent build
	@touch $@

# Installs, builds and starts everything on an embedded PostgreSQL.
run: build
	npm start

test: install
	npm test
	npm test -- test/machine

# The main job from start to end, against MALOTE_URL or a service that it starts itself.
# SEED=1 then fills a day of a small carrier; KEEP=1 leaves the service running until Ctrl-C, and says where to look.
demo: build
	npx tsx scripts/demo.ts $(if $(SEED),--seed) $(if $(KEEP),--keep)

# Tries the faults that the service must survive: prints "fault, promise, figure, verdict", fails when a promise is broken.
# TOPOLOGY=1: what the whole topology must survive; it installs packages of Debian and PyPI, and takes a quarter of an hour.
faults: build
	npx tsx lab/faults/$(if $(TOPOLOGY),topology/)run.ts

# Checks the models of concurrent steps by TLC with Java and Maven: their promises hold, and each variant
# without one of its guards breaks one. SMALL=1: within small bounds, as CI does.
models: install
	npx tsx lab/models/run.ts $(if $(SMALL),--small)

# Every benchmark, one table, written to lab/bench/figures.md: about half an hour on a machine that does nothing else. QUICK=1: 5 minutes.
bench: build
	npx tsx lab/bench/all.ts $(if $(QUICK),--quick)

# deploy/cluster/compose.yaml on this machine, from packages of Debian and PyPI instead of containers; Ctrl-C ends it.
cluster: build
	npx tsx lab/cluster/run.ts

