# demo and test only need a Swift toolchain: Scripts/install installs the rest.

SWIFT_FILES = git ls-files -z --cached --others --exclude-standard '*.swift'

# The folder whose bin receives the program rowan.
PREFIX ?= /usr/local

.PHONY: help install demo test stress bench lint format docs site tool

help:
	@echo "make demo     run the example: features of Rowan, with their SQL and durations"
	@echo "make test     run the tests"
	@echo "make stress   run the reliability kit for three minutes, or for STRESS_SECONDS"
	@echo "make bench    run the benchmarks (release build, some minutes)"
	@echo "make lint     check the format, the layers and the docstrings"
	@echo "make format   format all Swift files in place"
	@echo "make docs     write the reference to .build/docs"
	@echo "make tool     build the program rowan, and install it in PREFIX/bin"
	@echo "make site     write the site to .build/site: the reference, the guide, figures and a search"

install:
	@Scripts/install

demo: install
	cd Examples/Places && swift run places tour

test: install
	swift test

stress: install
	Scripts/stress

bench: install
	cd Benchmarks && swift run -c release bench

lint:
	$(SWIFT_FILES) | xargs -0 swift format lint --strict --parallel
	Scripts/layers
	Scripts/docstrings
	Scripts/starts --check

format:
	$(SWIFT_FILES) | xargs -0 swift format --in-place --parallel

docs: install
	Scripts/docs

tool:
	@Scripts/install libedit
	swift build -c release --package-path Satellites/Tool --product rowan
	mkdir -p $(PREFIX)/bin
	cp Satellites/Tool/.build/release/rowan $(PREFIX)/bin/

site: install
	Scripts/site
