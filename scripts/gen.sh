#!/usr/bin/env bash
# Writes again what is generated: Go from the templates of the page, and the
# golden files, by the tests that compare them. Formats the Go code too.
set -euo pipefail
cd "$(dirname "$0")/.."

tools=$(scripts/install-check-tools.sh)
"$tools/templ" generate -path internal/web
"$tools/golangci-lint" fmt

# Only these packages' tests know the flag. That of the real programs is run by
# hand: go test ./internal/e2e -run TestMatrix -update.
grep -rl --include='*_test.go' 'flag.Bool("update"' . | xargs -n1 dirname | sort -u | grep -v '/internal/e2e$' |
	xargs sh -c 'go test -count=1 "$@" -update' golden
