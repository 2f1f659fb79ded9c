#!/usr/bin/env bash
# Runs the tests under thread sanitizer, then under address sanitizer, each built into a folder of its own.
# Environment: SANITIZER, one or both of those; SUITES, a filter of tests instead of those below.
#
# Left out are tests that measure: times (programs are ten times slower), memory (shadow memory counts), and those
# that take whole machines for minutes. Under thread sanitizer also what has one thread: pixels and parsers.
set -euo pipefail
cd "$(dirname "$0")/.."

measured='ScaleTests|ModelTests|StarvationTests|IdleCostTests|OutageTests|ClockTests|FailoverTests|BudgetTests|MixedFleetTests'
measured+='|BombTests|bombs cost|FootprintTests|HostileJobTests|OptionTests|FaultTests|ChaosTests|DecoderMemoryTests'
threads='^(BuffersTests|ThreadingTests|EventLogTests|MemoryBudgetTests|RedisTests|JobQueueTests|FilesTests|WorkerTests)\.'
programs='^EndToEndTests\.(JobTests|SourceTests|HostileTests|SandboxTests|ResultTests)'
parsers='^(UnitsTests|GeometryTests|PictureFormatsTests|PixelsTests|ExifTests|JPEGTests|ScaledJPEGTests|ThumbnailsTests'
parsers+='|HostileInputTests|CommandLineOptionsTests)\.'

run() {
    local sanitizer=$1 filter
    shift
    echo "sanitize: $sanitizer"
    swift build --build-tests --sanitize "$sanitizer" --scratch-path ".build/$sanitizer"
    for filter in "$@"; do
        swift test --skip-build --sanitize "$sanitizer" --scratch-path ".build/$sanitizer" \
            --filter "$filter" --skip "$measured"
    done
}

# The first report ends the program, so that no test passes over it. Swift's own report of a trap starts a program.
export SWIFT_BACKTRACE=enable=no
# Threads that live as long as their process are no leak. What the sanitizer could not see, thread_sanitizer.c tells it.
export TSAN_OPTIONS="halt_on_error=1 exitcode=66 report_thread_leaks=0 ${TSAN_OPTIONS:-}"
# What lives as long as its process is no leak worth telling, and the search for leaks wants to ptrace.
export ASAN_OPTIONS="detect_leaks=0 ${ASAN_OPTIONS:-}"

for sanitizer in ${SANITIZER:-thread address}; do
    case $sanitizer in
        thread) run thread ${SUITES:-"$threads" "$programs"} ;;
        address) run address ${SUITES:-"$parsers" "$threads" "$programs"} ;;
        *) echo "sanitize: SANITIZER=$sanitizer is neither thread nor address" >&2; exit 64 ;;
    esac
done
