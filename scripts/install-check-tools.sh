#!/usr/bin/env bash
# Builds the programs that `make check` and `make gen` use, at fixed versions,
# into a cache directory, and prints that directory. Nothing of it touches
# go.mod, and a second run only prints. The first one takes a few minutes,
# nearly all of it golangci-lint.
set -euo pipefail
cd "$(dirname "$0")/.."

lint=v2.15.0
templ=$(go list -m -f '{{.Version}}' github.com/a-h/templ)

# A linter reads only what the Go release that built it understands, so the
# release is part of the name.
cache=${TURNPOST_TOOL_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/turnpost-tools}
dir=$cache/$(go env GOVERSION)-lint-$lint-templ-$templ

# build NAME PACKAGE@VERSION makes one program, elsewhere first, so that an
# interrupted run leaves nothing half done behind.
build() {
	local name=$1 package=$2 start=$SECONDS
	if [ -x "$dir/$name" ]; then return; fi
	echo "building $package ..." >&2
	mkdir -p "$dir"
	staging=$(mktemp -d "$cache/building-XXXXXX")
	trap 'rm -rf "$staging"' EXIT
	env -u GOOS -u GOARCH GOBIN="$staging" CGO_ENABLED=0 go install -trimpath "$package"
	mv "$staging/$name" "$dir/$name"
	rmdir "$staging"
	echo "built $name in $((SECONDS - start)) s" >&2
}

build golangci-lint "github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$lint"
build templ "github.com/a-h/templ/cmd/templ@$templ"
echo "$dir"
