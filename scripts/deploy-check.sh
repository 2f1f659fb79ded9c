#!/usr/bin/env bash
# Checks what is deployed, in every way that there is: runs each scripts/check-*.sh in turn, or those named in CHECKS.
# Not a part of `make check`: it needs root, some minutes, and Debian's packages from the network the first time.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh deploy
failed=()
for script in scripts/check-*.sh; do
    name=$(basename "$script" .sh)
    name=${name#check-}
    if [ -n "${CHECKS:-}" ] && [[ " $CHECKS " != *" $name "* ]]; then continue; fi
    echo "deploy-check: $name"
    "$script" || failed+=("$name")
done
[ "${#failed[@]}" -eq 0 ] || { echo "deploy-check: failed: ${failed[*]}" >&2; exit 1; }
echo "deploy-check: all is well"
