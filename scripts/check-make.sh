#!/usr/bin/env bash
# Runs what README and docs/scaling.md show of `make`: the demo, also with a folder and a size of one's own, and the
# simulation of a fleet.
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { echo "check-make: $1" >&2; exit 1; }

# example PAGE NAME: a block of a page as it stands.
example() {
    awk -v name="$2" '$0 == "```sh " name { inside = 1; next } /^```/ { inside = 0 } inside' "$1"
}

home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
mkdir "$home/Pictures"
cp Tests/Fixtures/landscape-*.jpg "$home/Pictures"

demo=$(example README.md demo)
[ -n "$demo" ] || fail "README.md has no example named demo"
HOME=$home bash -euo pipefail -c "$demo" >"$home/demo.log" 2>&1 || { tail -n 40 "$home/demo.log" >&2; fail "make demo"; }
[ -s demo/index.html ] || fail "make demo left no contact sheet"
echo "check-make: make demo, twice"

simulate=$(example docs/scaling.md simulate)
[ -n "$simulate" ] || fail "docs/scaling.md has no example named simulate"
bash -euo pipefail -c "$simulate" >"$home/simulate.log" 2>&1 || { tail -n 40 "$home/simulate.log" >&2; fail "make simulate"; }
echo "check-make: well"
