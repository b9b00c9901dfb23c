#!/usr/bin/env bash
# Installs what the tests need and the machine lacks: the pinned Claude Code
# client, Chromium, strace and tmux. Says what it installs and how long that
# took; silent when there is nothing to do.
set -euo pipefail

pin=$(cd "$(dirname "$0")/../internal/realtest/claude" && pwd)
version=$(sed -n 's|.*"@anthropic-ai/claude-code": "\(.*\)".*|\1|p' "$pin/package.json")
cache=${TURNPOST_TEST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/turnpost-test}
claude_dir=$cache/claude-$version

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

# missing_packages prints the Debian packages of the programs that are not there.
missing_packages() {
	have chromium || have chromium-browser || have google-chrome || echo chromium fonts-dejavu-core
	have tmux || echo tmux
	if [ "$(uname -s)" = Linux ]; then have strace || echo strace; fi
	# Only for npm: the client itself is a native program.
	[ -x "$(claude_binary)" ] || have npm || echo nodejs npm
}

claude_binary() {
	local os arch
	os=$(uname -s | tr '[:upper:]' '[:lower:]')
	case $(uname -m) in
	x86_64 | amd64) arch=x64 ;;
	aarch64 | arm64) arch=arm64 ;;
	*) fail "there is no Claude Code client for $(uname -m)" "use an x86-64 or arm64 machine" ;;
	esac
	echo "$claude_dir/node_modules/@anthropic-ai/claude-code-$os-$arch/claude"
}

# install_claude fills a directory beside the final one and renames it, so that
# an interrupted run leaves nothing half done behind.
install_claude() {
	mkdir -p "$cache"
	staging=$(mktemp -d "$cache/installing-XXXXXX")
	trap 'rm -rf "$staging"' EXIT
	cp "$pin/package.json" "$pin/package-lock.json" "$pin/.npmrc" "$staging/"
	npm ci --prefix "$staging" --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null
	if ! [ -x "$(claude_binary)" ]; then # another run may have been faster
		rm -rf "$claude_dir"
		mv "$staging" "$claude_dir"
	fi
	[ -x "$(claude_binary)" ] || fail "the npm package holds no $(claude_binary)" "look at $claude_dir/node_modules/@anthropic-ai"
}

missing=$(missing_packages | tr '\n' ' ')
missing=${missing% }
if [ -n "$missing" ]; then
	have apt-get || fail "missing: $missing" "install these with your package manager, then run this again"
	[ "$(id -u)" = 0 ] || fail "missing: $missing" "sudo apt-get install --no-install-recommends $missing"
	# shellcheck disable=SC2086 # a list of package names
	step "$missing" apt_install $missing
fi
[ -x "$(claude_binary)" ] || step "Claude Code $version" install_claude
