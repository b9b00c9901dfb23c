#!/usr/bin/env bash
# Runs the tests in four parts: plain, race (with the race detector), client (the
# real harness programs; ends with their table), browser. Without arguments all of them, else those that are named.
# A part that fails does not stop the next. Ends with "N passed, N failed, N
# skipped"; a skipped test is a failure.
set -euo pipefail
cd "$(dirname "$0")/.."

need_cgo() {
	command -v "$(go env CC)" >/dev/null && return
	echo "test: error: the race detector needs a C compiler, and there is no $(go env CC)" >&2
	echo "test: hint: install gcc (Debian: apt-get install gcc libc6-dev; macOS: xcode-select --install)" >&2
	exit 1
}

# list prints the packages whose line of "path imports-of-its-tests" matches.
list() {
	go list -f '{{.ImportPath}} {{join .TestImports " "}} {{join .XTestImports " "}}' ./... | grep -E "$1" | cut -d' ' -f1
}

# part NAME ARGUMENTS... is one run of go test.
part() {
	local name=$1 start=$SECONDS status=0
	shift
	echo "== $name"
	go test -json -count=1 "$@" || status=1
	echo "== $name took $((SECONDS - start)) s"
	return $status
}

# wanted PART tells whether the command line asks for it.
wanted() { case " $asked " in *" $1 "*) ;; *) return 1 ;; esac }

parts() {
	local status=0
	# shellcheck disable=SC2086 # lists of packages
	{
		if wanted plain; then part 'plain' $plain || status=1; fi
		if wanted race; then
			CGO_ENABLED=1 part 'with the race detector' -race -timeout 15m $race || status=1
			# The hub's rules are told as stories to a hub on its store.
			CGO_ENABLED=1 part 'the stories of the hub, with the race detector' -race -run '^TestHubOnSQLite$' $stories || status=1
		fi
		if wanted client; then
			part 'with the real programs' -p 1 -timeout 20m $client || status=1
			# The tests hold that this is what came out.
			sed -n '/<!-- matrix -->/,/<!-- .matrix -->/{/<!--/!p;}' docs/harnesses.md
		fi
		if wanted browser; then part 'in the browser' -p 1 $browser || status=1; fi
	}
	return $status
}

start=$SECONDS
asked=${*:-plain race client browser}
if wanted race; then need_cgo; fi
if wanted client || wanted browser; then scripts/install-test-tools.sh; fi

race=$(list '^turnpost/internal/(hub|hub/.*|hook|setup) ')
stories=$(list '^turnpost/internal/store ')
client=$(list '^turnpost/internal/realtest | turnpost/internal/realtest( |$)')
browser=$(list '^turnpost/internal/web ')
plain=$(list . | grep -vxF -e "$race" -e "$client" -e "$browser")

mkdir -p bin
CGO_ENABLED=0 go build -o bin/testreport ./scripts/testreport
status=0
parts | bin/testreport || status=1
echo "test: $((SECONDS - start)) s in all"
exit $status
