#!/usr/bin/env bash
# Builds the fuzzer of the scaled JPEG decoders and runs it on one core, politely.
# Environment: LENGTH, such as 90s, 30m or 2h; CORPUS, a folder whose small files are seeds, too.
# .build/fuzz/corpus keeps what reached new code, for the next run; .build/fuzz/found has what was found.
set -euo pipefail
cd "$(dirname "$0")/.."

length=${LENGTH:-30m}
[[ $length =~ ^([0-9]+)([smh])$ ]] || { echo "fuzz: LENGTH=$length is no time such as 90s, 30m or 2h" >&2; exit 64; }
declare -A unit=([s]=1 [m]=60 [h]=3600)
seconds=$((BASH_REMATCH[1] * ${unit[${BASH_REMATCH[2]}]}))
[ -d "${CORPUS:-.}" ] || { echo "fuzz: CORPUS=$CORPUS is no folder" >&2; exit 64; }

scratch=.build/fuzz
THUMBNAIL_FUZZ=1 swift build --scratch-path "$scratch" -c release --sanitize address --product Fuzz

# Larger files are slow, and have nothing that small ones cannot have.
largest=16384
rm -rf "$scratch/seeds"
mkdir -p "$scratch/seeds" "$scratch/corpus" "$scratch/found"
find Tests/Fixtures ${CORPUS:+"$CORPUS"} -type f -size -$((largest + 1))c ! -name '*.md' \
    -exec cp --backup=numbered -t "$scratch/seeds" {} +

# Swift's own report of a trap would come before libFuzzer's, which saves the input.
export SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=${ASAN_OPTIONS:-malloc_context_size=1}
nice -n 15 "$scratch/release/Fuzz" -max_total_time="$seconds" -max_len="$largest" -timeout=10 -rss_limit_mb=2048 \
    -print_final_stats=1 -artifact_prefix="$scratch/found/" "$scratch/corpus" "$scratch/seeds" || {
    echo "fuzz: found something; the input is in $scratch/found. $scratch/release/Fuzz INPUT repeats it" >&2
    exit 70
}
