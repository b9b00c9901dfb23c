#!/usr/bin/env bash
# Installs what the tests need and the machine lacks: the pinned harness
# programs, Chromium, strace and tmux. Says what it installs and how long that
# took; silent when there is nothing to do.
set -euo pipefail

pins=$(cd "$(dirname "$0")/../internal/realtest/pins" && pwd)
cache=${TURNPOST_TEST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/turnpost-test}

have() { command -v "$1" >/dev/null 2>&1; }

fail() {
	echo "install-test-tools: error: $1" >&2
	echo "install-test-tools: hint: $2" >&2
	exit 1
}

# step WHAT COMMAND... runs the command and says what it did in how many seconds.
step() {
	local what=$1 start=$SECONDS
	shift
	echo "installing $what ..."
	"$@"
	echo "installed $what in $((SECONDS - start)) s"
}

apt_install() {
	export DEBIAN_FRONTEND=noninteractive
	apt-get update -qq
	apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

# version PIN prints the version that a pin names; all packages of one pin are
# of one version.
version() { sed -n 's|^ *"[^"]*": "\([0-9][0-9.]*\)",\{0,1\}$|\1|p' "$pins/$1/package.json" | head -n 1; }

# missing_pins prints the pins that are not installed. A directory is renamed
# to its name only when all of it is there.
missing_pins() {
	local dir pin
	for dir in "$pins"/*/; do
		pin=$(basename "$dir")
		[ -d "$cache/$pin-$(version "$pin")/node_modules" ] || echo "$pin"
	done
}

# missing_packages prints the Debian packages of the programs that are not there.
missing_packages() {
	have chromium || have chromium-browser || have google-chrome || echo chromium fonts-dejavu-core
	have tmux || echo tmux
	if [ "$(uname -s)" = Linux ]; then have strace || echo strace; fi
	[ -z "$(missing_pins)" ] || have npm || echo nodejs npm
}

# install_pin fills a directory beside the final one and renames it, so that an
# interrupted run leaves nothing half done behind. Not npm ci: it refuses a lock
# that leaves out optional packages of other platforms.
install_pin() {
	local pin=$1 dir
	dir=$cache/$pin-$(version "$pin")
	mkdir -p "$cache"
	staging=$(mktemp -d "$cache/installing-XXXXXX")
	trap 'rm -rf "$staging"' EXIT
	cp "$pins/$pin/package.json" "$pins/$pin/package-lock.json" "$pins/$pin/.npmrc" "$staging/"
	npm install --prefix "$staging" --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null
	mkdir -p "$staging/node_modules" # a pin may have nothing for this platform
	if ! [ -d "$dir/node_modules" ]; then # another run may have been faster
		rm -rf "$dir"
		mv "$staging" "$dir"
	fi
}

missing=$(missing_packages | tr '\n' ' ')
missing=${missing% }
if [ -n "$missing" ]; then
	have apt-get || fail "missing: $missing" "install these with your package manager, then run this again"
	[ "$(id -u)" = 0 ] || fail "missing: $missing" "sudo apt-get install --no-install-recommends $missing"
	# shellcheck disable=SC2086 # a list of package names
	step "$missing" apt_install $missing
fi
for pin in $(missing_pins); do
	step "$pin $(version "$pin")" install_pin "$pin"
done
