# One command for each thing that people do here; `make` lists them.

# Everything is built and tested by one Go release: older ones carry standard
# library vulnerabilities that this program would reach.
GOTOOLCHAIN ?= go1.27.3
CGO_ENABLED ?= 0
export GOTOOLCHAIN CGO_ENABLED

PREFIX ?= $(HOME)/.local
VERSION ?= $(shell git describe --tags --match 'v[0-9]*' --dirty 2>/dev/null || echo 0.1.0-dev+$$(git rev-parse --short HEAD 2>/dev/null || echo unknown))

.DEFAULT_GOAL := help
.PHONY: help up install build demo check test bench gen newcomer

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

up: install ## build, install under PREFIX (~/.local), start the hub, say what comes next
	@"$(PREFIX)/bin/turnpost" up -d --restart

install: build ## build and install turnpost and turnpost-hook under PREFIX/bin
	@PREFIX="$(PREFIX)" scripts/install.sh

build: ## build both programs into bin/
	go build -trimpath -ldflags '-s -w -X main.version=$(VERSION)' -o bin/turnpost ./cmd/turnpost
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o bin/turnpost-hook ./cmd/turnpost-hook

demo: build ## show a question delivered, answered, and an idle session woken; needs no model
	@bin/turnpost demo

check: ## everything but tests: format, vet, lint, modules, generated files, cross-builds
	@scripts/check.sh

test: ## install what tests need, then run all (or PARTS="plain race client browser"); a skip fails
	@scripts/test.sh $(PARTS)

bench: ## measure the hook, posts, waits, wakes, start-up and memory
	@scripts/install-test-tools.sh
	go run ./internal/bench $(ARGS)

gen: ## write the generated files again (templates, golden files), and format
	@scripts/gen.sh

newcomer: ## follow README.md word for word in an empty home
	@scripts/newcomer.sh
