#!/usr/bin/env bash
# Follows README.md as somebody new would: a fresh clone of what is committed,
# an empty home, and every block marked "sh newcomer", in order and word for
# word. Fails at the first command that does, and when anything of Turnpost is
# left in that home or running. The only things brought along are the pinned
# Claude Code client, Go's caches, so that nothing is fetched twice, and a free
# port for the page.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD

fail() {
	echo "newcomer: error: $1" >&2
	exit 1
}

scripts/install-test-tools.sh
cache=${TURNPOST_TEST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/turnpost-test}
claude=$(find "$cache"/claude-*/node_modules/@anthropic-ai/claude-code-*/claude -type f -perm -u+x | sort | tail -n 1)

# Not a directory for temporary files: setup registers no program from there.
mkdir -p "$cache"
scratch=$(mktemp -d "$cache/newcomer-XXXXXX")
home=$scratch/home

# newcomer COMMAND... runs it with what a new account has, and no more.
newcomer() {
	env -i HOME="$home" USER=newcomer LOGNAME=newcomer SHELL=/bin/sh TERM=dumb LANG=C.UTF-8 CI="${CI:-}" \
		PATH="$home/.local/bin:$scratch/bin:$(dirname "$(command -v go)"):/usr/local/bin:/usr/bin:/bin" \
		GOMODCACHE="$(go env GOMODCACHE)" GOCACHE="$(go env GOCACHE)" GOPROXY="$(go env GOPROXY)" \
		GOSUMDB="$(go env GOSUMDB)" GOFLAGS="$(go env GOFLAGS)" \
		TURNPOST_LISTEN=127.0.0.1:0 DISABLE_AUTOUPDATER=1 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 "$@"
}

# Whatever happens, the hub that this run started ends.
cleanup() {
	local status=$?
	if [ -x "$home/.local/bin/turnpost" ]; then newcomer "$home/.local/bin/turnpost" down || true; fi
	rm -rf "$scratch"
	exit $status
}
trap cleanup EXIT

mkdir -p "$home" "$scratch/bin"
ln -s "$claude" "$scratch/bin/claude"
git clone --quiet --no-hardlinks "$root" "$scratch/turnpost"
cd "$scratch/turnpost"

# commands prints the lines of the marked blocks.
commands() { awk '/^```/ { on = ($0 == "```sh newcomer"); next } on && NF' README.md; }

count=0
while IFS= read -r line <&3; do
	printf '\n$ %s\n' "$line"
	start=$SECONDS
	newcomer sh -c "$line" </dev/null || fail "README.md: \`$line\` ended with $?"
	count=$((count + 1))
	echo "($((SECONDS - start)) s)"
done 3< <(commands)
[ "$count" -gt 5 ] || fail "README.md has only $count commands for newcomers"

# The clone and the two sessions are three of the six.
path=$(awk '/^```/ { on = 0 } /^```sh newcomer/ { on = 1; next } on && /make up|setup --apply|claude mcp add/' README.md | wc -l)
[ "$path" -le 3 ] || fail "from a clone to the first answered question README.md needs more than 6 commands"

[ ! -e "$home/.local/state/turnpost" ] || fail "the state directory is still there"
[ -z "$(find "$home/.local/bin" -type f 2>/dev/null)" ] || fail "programs are still installed"
if grep -rls turnpost "$home/.claude" "$home/.claude.json" 2>/dev/null | grep -vE '/(backups|projects|shell-snapshots|statsig|todos)/'; then
	fail "these files still name Turnpost"
fi
echo
echo "newcomer: $count commands of README.md did what they say, and left nothing behind"
