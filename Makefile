# Everything a newcomer needs is `make demo` and `make test`. Each target installs what it needs first and says so.

SHELL := /usr/bin/env bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:

# Whatever adapter this machine has, and whatever its user has chosen: what is run from here is on the embedded radio.
export BLE_ADAPTER = radio

# One set of flags for every target, so that nothing is built twice. The compiler's own check of imports misses modules that
# are there by way of a dependency: Tools/check-layers, which `make test` runs, does not.
BUILD_FLAGS := --explicit-target-dependency-import-check error
BLE := .build/debug/ble
FORMATTED := Package.swift Plugins Sources Tests Tools Fuzz Examples Benchmarks/Package.swift Benchmarks/Sources

# What is installed, and where: DESTDIR goes in front, for packages. The tool that `make release` builds needs no Swift on the machine.
RELEASE := .build/release/ble
PROGRAM ?= $(RELEASE)
PREFIX ?= /usr/local
DESTDIR ?=

# Seconds for each fuzzer.
SECONDS_EACH ?= 30

.PHONY: help
help: ## This list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

.PHONY: demo
demo: ## Two programs meet over the embedded radio: found, read, written, notified (needs no hardware)
	@Tools/prepare swift
	swift build $(BUILD_FLAGS) --product ble
	$(BLE) demo

.PHONY: test
test: ## Builds everything, checks the layers and the format, runs all tests and the vectors
	@Tools/prepare swift shells
	@Tools/test $(BUILD_FLAGS)

.PHONY: release
release: ## Builds the tool for release, with the Swift runtime inside (takes minutes)
	@Tools/prepare swift
	swift build $(BUILD_FLAGS) -c release --static-swift-stdlib --product ble

# As root nothing is built that is there: its files would be root's.
.PHONY: install
install: ## Installs the tool, its manual and completions: make release && sudo make install (PREFIX=/usr/local DESTDIR=)
	@if [ "$(PROGRAM)" = "$(RELEASE)" ] && { [ ! -x "$(RELEASE)" ] || [ "$$(id -u)" != 0 ]; }; then $(MAKE) release; fi
	@Tools/install "$(PROGRAM)" "$(PREFIX)" "$(DESTDIR)"

.PHONY: uninstall
uninstall: ## Removes what `make install` with the same PREFIX and DESTDIR has installed
	@Tools/install --remove "$(PREFIX)" "$(DESTDIR)"

.PHONY: deb
deb: release ## Makes a Debian package and a tarball for this machine's architecture, and tries the package in a clean Debian (as root)
	@Tools/prepare swift package
	@Tools/deb "$(RELEASE)" .build/packages
	@Tools/check-deb .build/packages/ble_$$($(RELEASE) --version | cut -d ' ' -f 2)_$$(dpkg --print-architecture).deb

.PHONY: dist
dist: release ## Makes the package and the tarball without trying them
	@Tools/deb "$(RELEASE)" .build/packages

.PHONY: examples
examples: ## Builds the example programs and lets them talk, each a process of its own
	@Tools/prepare swift
	@Examples/check

.PHONY: interop
interop: ## Runs against a foreign stack, both roles, both ways round (Bumble from PyPI)
	@Tools/prepare swift python
	swift build $(BUILD_FLAGS) --product ble
	@BLE_TOOL=$(CURDIR)/$(BLE) .venv/bin/python -m pytest Interop --ignore Interop/vm

.PHONY: web-test
web-test: ## Looks at the pages that the tool writes, in Chromium without a window (Debian's chromium, Selenium from PyPI; BRIEF=1)
	@Tools/prepare swift browser
	swift build $(BUILD_FLAGS) --product ble
	@BLE_WEB_BRIEF=$(BRIEF) BLE_TOOL=$(CURDIR)/$(BLE) .build/web/bin/python -m pytest -p no:cacheprovider --durations=12 Tests/Web

.PHONY: vm
vm: ## Runs in a small guest with a real kernel and bluetoothd, and against it (qemu, Debian's packages; BLE_VM_SUITES="bookworm trixie"; BRIEF=1)
	@Tools/prepare swift python vm
	swift build $(BUILD_FLAGS) --product ble
	@Examples/check --build
	@BLE_TOOL=$(CURDIR)/$(BLE) .venv/bin/python Interop/vm/run.py $(if $(BRIEF),--brief)

.PHONY: vmbench
vmbench: release ## Measures the tool beside bleak (PyPI) on one bluetoothd, in the guest; builds for release, which takes long
	@Tools/prepare swift python vm
	@mkdir -p .build/vm
	@BLE_TOOL=$(CURDIR)/$(RELEASE) .venv/bin/python Interop/vm/benchmark.py

.PHONY: bench
bench: ## Measures whole stacks, facade to facade: instructions, memory, time beside Bumble; writes bench.json (BRIEF=1: a short run)
	@Tools/prepare swift bench
	@Benchmarks/run $(if $(BRIEF),--brief)

.PHONY: fuzz
fuzz: ## Fuzzes every parser, 30 s each (SECONDS_EACH=300 for longer; BRIEF=1 compiles half as much)
	@Tools/prepare swift
	@Fuzz/run --seconds $(SECONDS_EACH) $(if $(BRIEF),--one-build)

.PHONY: sanitize
sanitize: ## Runs all tests under the address and the thread sanitizer (half an hour; KIND=thread for one)
	@Tools/prepare swift
	@Tools/sanitize $(KIND)

.PHONY: vectors
vectors: ## Plays one file of test vectors: make vectors FILE=path
	@if [ -z "$(FILE)" ]; then echo "usage: make vectors FILE=path" >&2; exit 64; fi
	@Tools/prepare swift
	@swift run -c debug $(BUILD_FLAGS) --quiet vector-runner "$(FILE)"

.PHONY: symbols
symbols: ## Compares the symbols with the list of Apple's and writes what is generated from the comparison
	@Tools/prepare swift
	@swift run $(BUILD_FLAGS) --quiet symbol-comparison

.PHONY: docs
docs: ## Builds one site of all documentation, .build/site/index.html (DocC's and the guides); a warning or a broken link is a failure
	@Tools/prepare swift site
	@Tools/docs $(BUILD_FLAGS)
	@.build/site-tools/bin/python -B Tools/site/build.py

.PHONY: format
format: ## Formats the sources
	@Tools/prepare swift
	swift format format --in-place --parallel --recursive $(wildcard $(FORMATTED))

.PHONY: lint
lint: ## Checks the format without changing anything
	@Tools/prepare swift
	swift format lint --strict --parallel --recursive $(wildcard $(FORMATTED))

.PHONY: clean
clean: ## Removes what was built; the Python environment stays
	rm -rf .build Benchmarks/.build Examples/.build Fuzz/.build
