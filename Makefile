# Every way to build, test and run coordd. `make` alone lists the targets.
.DEFAULT_GOAL := help
.PHONY: help setup node build test check lint imports boundaries format tsan asan fuzz clients autobahn carriers loops restart metrics-check mutants simulate chaos crash crash-points power-cut full-disk retention tls-matrix certificates demo bench bench-peers bench-store bench-micro bench-test check-perf soak run example template

# Tests of a suite or target only: make test FILTER=JSONParserTests
FILTER ?= .
# Seconds for each fuzzer, and of `make soak`, which has a default of its own.
DURATION ?= 600
# Worlds of `make simulate`, random steps in each, and the one seed to play instead.
SEEDS ?= 50
STEPS ?= 20000
SEED ?=
# Kills of the daemon by `make chaos`.
KILLS ?= 50
# `make crash` has the daemon die before each of the first BOUND system calls of a kind.
BOUND ?= 20
# Cuts by `make power-cut`; CONTROL=1 has `make power-cut` or `make crash-points` lose on purpose.
CUTS ?= 20
CONTROL ?=
# `make retention`: one-time sessions, and the seconds that one lives without its device.
COUNT ?= 300000
LIFE ?= 60
# Arguments of coordd, or of the benchmark: make run ARGUMENTS='--listen 127.0.0.1:9000'
ARGUMENTS ?=
# With the Swift runtime inside: the program needs no toolchain where it runs, and its calls of the
# runtime are direct, which is 3 % of an event.
release := swift build -c release --static-swift-stdlib
test := swift test --disable-xctest --filter '$(FILTER)'

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

setup: ## install the Debian packages that are missing
	@Scripts/setup.sh

node: ## install Node.js, in which the tests run the scripts that pages get; without it they are skipped
	@command -v node >/dev/null || Scripts/setup.sh nodejs

build: setup ## build everything for debugging
	swift build

test: setup ## run the tests; FILTER=NAME runs some of them
	$(test)

check: lint imports boundaries ## every check that is not a test

lint: ## check the source format
	swift format lint --strict --recursive Package.swift Sources Tests Benchmarks

imports: setup ## check that targets import only what they depend on
	swift build --build-tests --explicit-target-dependency-import-check error

boundaries: ## check which file may import or use what
	Scripts/check-boundaries.sh

format: ## format the sources
	swift format --in-place --recursive Package.swift Sources Tests Benchmarks

# Thousands of damaged folders, one after the other on one thread: no races to find, minutes of work.
tsan: setup ## run the tests under the thread sanitizer
	$(test) --sanitize=thread --scratch-path .build/tsan --skip StoreDamageProperties

asan: setup ## run the tests under the address sanitizer
	$(test) --sanitize=address --scratch-path .build/asan

fuzz: setup ## feed hostile bytes to the core; DURATION=600 seconds for each fuzzer
	Scripts/fuzz.sh $(DURATION)

clients: setup ## run the Python SDK, websockets, openssl and curl against the daemon; ARGUMENTS='restart'
	$(release) --product coordd
	Scripts/clients.sh $(ARGUMENTS)

autobahn: setup ## run Autobahn|Testsuite against the WebSocket carrier; ARGUMENTS='6.*'
	$(release) --product echo-server
	Scripts/autobahn.sh $(ARGUMENTS)

carriers: setup ## play every transcript over every carrier, with TLS and without
	COORDD_EVERY_CARRIER=1 swift test --disable-xctest --filter CarrierTranscriptTests

loops: setup ## run the tests of the server again with two event loops; FILTER=NAME runs some of them
	COORDD_TEST_LOOPS=2 swift test --disable-xctest --filter 'ActorsTests\..*$(FILTER)' --skip StoreDamageProperties

restart: setup ## restart the daemon under a thousand mirrors; ARGUMENTS='1000 3 5': mirrors, restarts, drain seconds
	$(release) --product coordd
	Scripts/clients.sh --restart $(ARGUMENTS)

metrics-check: setup ## check /metrics with Prometheus' promtool, which it installs
	$(release) --product coordd
	Scripts/metrics-check.sh

mutants: setup ## break rules on purpose and check that a test notices each; ARGUMENTS='armed merge-key'
	Scripts/mutants.sh $(ARGUMENTS)

simulate: setup ## play the whole daemon in simulated worlds, SEEDS=50 of them; SEED=K replays one
	$(release) --product rehearse
	.build/release/rehearse --steps $(STEPS) $(if $(SEED),--seed $(SEED),--seeds $(SEEDS)) $(ARGUMENTS)

chaos: setup ## kill and restart the daemon under load and check that nothing is lost; KILLS=50
	$(release) --product coordd
	.build/release/coordd simulate --chaos --kills $(KILLS) --seconds $(KILLS) $(ARGUMENTS)

crash: setup ## have the daemon die at each system call of its store and check the same, then crash-points; BOUND=20
	@command -v strace >/dev/null || Scripts/setup.sh strace
	$(release) --product coordd
	Scripts/crash-calls.sh $(BOUND) $(ARGUMENTS)
	$(if $(ARGUMENTS),,Scripts/crash-points.sh --bound $(BOUND))

crash-points: setup ## look at what one crash or two leave after each system call of the store; BOUND=20, CONTROL=1
	@command -v strace >/dev/null || Scripts/setup.sh strace
	$(release) --product coordd
	Scripts/crash-points.sh --bound $(BOUND) $(if $(CONTROL),--control) $(ARGUMENTS)

power-cut: setup ## cut the power of the disk under load and check that nothing is lost; CUTS=20, CONTROL=1
	@command -v strace >/dev/null || Scripts/setup.sh strace
	$(release) --product coordd
	Scripts/power-cut.sh --cuts $(CUTS) $(if $(CONTROL),--control) $(ARGUMENTS)

full-disk: setup ## fill the disk under a daemon with load, kill it there, and check that nothing is lost; needs root
	$(release) --product coordd
	Scripts/full-disk.sh $(ARGUMENTS)

retention: setup ## show that sessions of devices that come once leave nothing behind; COUNT=300000 LIFE=60
	$(release) --product coordd
	Scripts/retention.py $(COUNT) $(LIFE)

tls-matrix: setup ## ask a daemon with TLS for every version and suite, and show what it grants
	@command -v openssl >/dev/null || Scripts/setup.sh openssl
	$(release) --product coordd
	Scripts/tls-matrix.sh

certificates: setup ## make the tests' certificates anew
	@command -v openssl >/dev/null || Scripts/setup.sh openssl
	Scripts/make-test-certificates.sh

demo: setup ## play simulated phones of every vendor and second screens against a daemon
	$(release) --product coordd
	.build/release/coordd simulate --vendor all --sessions 10 --mirrors 2 --seconds 10 $(ARGUMENTS)

bench: setup ## measure coordd beside the least a server must do; ARGUMENTS='--help' lists the options
	$(release)
	python3 Benchmarks/Runner/selftest.py
	python3 Benchmarks/Runner/bench.py $(ARGUMENTS)

bench-peers: setup ## measure coordd beside Redis, NATS, mosquitto and nchan, which it installs
	@Scripts/install-peers.sh
	$(release)
	python3 Benchmarks/Runner/selftest.py
	python3 Benchmarks/Runner/peers_bench.py $(ARGUMENTS)

bench-test: setup ## check what the benchmarks' scripts calculate, and the load generator
	$(release) --product bench-load
	python3 Benchmarks/Runner/selftest.py

bench-store: setup ## measure the store beside the raw disk; ARGUMENTS='--help' lists the options
	$(release) --product bench-store
	.build/release/bench-store $(ARGUMENTS)

bench-micro: setup ## count the pure core's instructions for an event; needs valgrind, which it installs
	@command -v valgrind >/dev/null || Scripts/setup.sh valgrind
	$(release) --product bench-micro
	Scripts/count-instructions.sh

check-perf: setup ## compare instructions and allocations with the baseline; ARGUMENTS=--update makes a new one
	@command -v valgrind >/dev/null || Scripts/setup.sh valgrind
	$(release) --product bench-micro
	python3 Benchmarks/Runner/counts.py $(ARGUMENTS)

# DURATION is the fuzzers' too, with a shorter default.
soak: setup ## keep a daemon under chaos and load, and check that it stays flat; DURATION=3600 seconds
	$(release) --product coordd
	$(release) --product bench-load
	python3 Benchmarks/Runner/soak.py --duration $(if $(filter file,$(origin DURATION)),3600,$(DURATION)) $(ARGUMENTS)

run: setup ## run the daemon; ARGUMENTS='…' are its flags
	swift run coordd serve $(ARGUMENTS)

example: setup ## rewrite Config/coordd.example.json from the table of keys
	Scripts/rewrite-example.sh

template: ## rewrite the built-in pages from Config/*.html
	Scripts/embed-template.sh
