#!/usr/bin/env bash
# Puts the programs that `make build` made under PREFIX/bin and says so. Each is
# renamed into place, so that a running hub keeps the file it was started from.
set -euo pipefail
cd "$(dirname "$0")/.."

to=${PREFIX:?}/bin
mkdir -p "$to"
for program in turnpost turnpost-hook; do
	cp "bin/$program" "$to/.$program.new"
	chmod 755 "$to/.$program.new"
	mv -f "$to/.$program.new" "$to/$program"
done
echo "Installed $to/turnpost and $to/turnpost-hook."

case :$PATH: in
*:"$to":*) ;;
*)
	echo "$to is not on your PATH. In this shell, and in your shell's start file:"
	# shellcheck disable=SC2016 # for the reader's shell to expand
	printf '  export PATH="%s:$PATH"\n' "$to"
	;;
esac
