#!/usr/bin/env bash
# Builds the fuzzer and runs it on one core, politely, against one entrance after the other.
# Environment: TARGET, one or more of those below; LENGTH of each, such as 90s, 30m or 2h;
# CORPUS, a folder whose small files are seeds, too.
# .build/fuzz/corpus-TARGET keeps what reached new code, for the next run; .build/fuzz/found has what was found.
set -euo pipefail
cd "$(dirname "$0")/.."

all="scaled header metadata decode job options"
targets=${TARGET:-$all}
for target in $targets; do
    [[ " $all " == *" $target "* ]] || { echo "fuzz: TARGET=$target is none of: $all" >&2; exit 64; }
done
length=${LENGTH:-30m}
[[ $length =~ ^([0-9]+)([smh])$ ]] || { echo "fuzz: LENGTH=$length is no time such as 90s, 30m or 2h" >&2; exit 64; }
declare -A unit=([s]=1 [m]=60 [h]=3600)
seconds=$((BASH_REMATCH[1] * ${unit[${BASH_REMATCH[2]}]}))
[ -d "${CORPUS:-.}" ] || { echo "fuzz: CORPUS=$CORPUS is no folder" >&2; exit 64; }

scratch=.build/fuzz
THUMBNAIL_FUZZ=1 swift build --scratch-path "$scratch" -c release --sanitize address --product Fuzz

# Swift's own report of a trap would come before libFuzzer's, which saves the input.
export SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=${ASAN_OPTIONS:-malloc_context_size=1}
mkdir -p "$scratch/found"

# Larger inputs are slow, and have nothing that small ones cannot have.
largest=16384
declare -A longest=([options]=1024)

# Fills $scratch/seeds-$1.
plant() {
    rm -rf "$scratch/seeds-$1"
    mkdir -p "$scratch/seeds-$1" "$scratch/corpus-$1"
    case $1 in
        # One seed a line; what is given as lines to a program is seeded whole, too.
        job | options)
            cp "Tests/Fuzz/seeds/$1.txt" "$scratch/seeds-$1/all"
            split -l 1 "Tests/Fuzz/seeds/$1.txt" "$scratch/seeds-$1/line-"
            ;;
        *)
            find Tests/Fixtures ${CORPUS:+"$CORPUS"} -type f -size -$((largest + 1))c ! -name '*.md' \
                -exec cp --backup=numbered -t "$scratch/seeds-$1" {} +
            ;;
    esac
}

for target in $targets; do
    plant "$target"
    echo "fuzz: $target for $length"
    FUZZ_TARGET=$target nice -n 15 "$scratch/release/Fuzz" -max_total_time="$seconds" \
        -max_len="${longest[$target]:-$largest}" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="$scratch/found/$target-" \
        "$scratch/corpus-$target" "$scratch/seeds-$target" || {
        echo "fuzz: found something; the input is in $scratch/found." \
            "FUZZ_TARGET=$target $scratch/release/Fuzz INPUT repeats it" >&2
        exit 70
    }
done
