#!/usr/bin/env bash
# Runs the chaos driver from .build/debug. Its options are environment variables: SEED, JOBS, LENGTH, WORKERS, LOGS.
# PREVIOUS=<git ref> builds that version's worker too and lets both versions serve the same queue.
set -euo pipefail
cd "$(dirname "$0")/.."

chaos=.build/debug/Chaos
if [ -z "${PREVIOUS:-}" ]; then
    exec "$chaos"
fi

commit=$(git rev-parse --verify --quiet "$PREVIOUS^{commit}") || {
    echo "chaos: PREVIOUS=$PREVIOUS is no commit, branch or tag of this repository; see git log" >&2
    exit 64
}
source=.build/previous/$commit
if [ ! -d "$source" ]; then
    mkdir -p "$source"
    git archive "$commit" | tar -x -C "$source"
fi
echo "chaos: building the worker of $commit"
swift build --package-path "$source" --product worker >"$source/build.log" 2>&1 || {
    tail -20 "$source/build.log" >&2
    exit 70
}
exec "$chaos" --worker "$PWD/.build/debug/worker" --worker "$PWD/$source/.build/debug/worker"
