#!/usr/bin/env bash
# Looks at everything that can be judged without running the tests. All steps
# run, also after one has failed; nothing in the work tree is changed.
set -uo pipefail
cd "$(dirname "$0")/.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=()

# step NAME COMMAND... runs the command, silent unless it fails.
step() {
	local name=$1 start=$SECONDS
	shift
	if "$@" >"$scratch/out" 2>&1; then
		printf 'ok      %-22s %4d s\n' "$name" $((SECONDS - start))
		return
	fi
	printf 'FAILED  %-22s %4d s\n' "$name" $((SECONDS - start))
	sed 's/^/        /' "$scratch/out"
	failed+=("$name")
}

shell_scripts() { find scripts .ci -type f ! -name '*.go' -print0 | xargs -0 -n1 bash -n; }

# fresh compares the generated Go with what the templates make now.
fresh() {
	cp -R internal/web/. "$scratch/web"
	"$tools/templ" generate -path "$scratch/web" &&
		for file in internal/web/*_templ.go; do
			diff -u "$file" "$scratch/web/$(basename "$file")" || return 1
		done
}

cross() {
	mkdir -p "$scratch/cross"
	GOOS=$1 GOARCH=$2 CGO_ENABLED=0 go build -trimpath -o "$scratch/cross/" ./cmd/turnpost ./cmd/turnpost-hook
}

start=$SECONDS
tools=$(scripts/install-check-tools.sh) || exit 1
step 'shell scripts' shell_scripts
step 'go vet' go vet ./...
step 'format and lint' "$tools/golangci-lint" run
step 'go mod tidy' go mod tidy -diff
step 'generated files' fresh
step 'build linux/arm64' cross linux arm64
step 'build darwin/arm64' cross darwin arm64
step 'build windows/amd64' cross windows amd64

if [ ${#failed[@]} -gt 0 ]; then
	printf 'check: %d failed (%s) in %d s\n' ${#failed[@]} "$(printf '%s, ' "${failed[@]}" | sed 's/, $//')" $((SECONDS - start))
	exit 1
fi
echo "check: all good in $((SECONDS - start)) s"
