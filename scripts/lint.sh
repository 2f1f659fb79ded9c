#!/usr/bin/env bash
# What the compiler does not check: format, and rules about the text of the repository.
set -euo pipefail
cd "$(dirname "$0")/.."

swift format lint --strict --recursive --parallel Package.swift Sources Tests Benchmarks

failed=0
complain() { echo "lint: $1" >&2; failed=1; }

# Arrows run one way: no module of the shelf may import a program, and pictures and queue never meet there.
if grep -RnE '^(public |internal |@testable )*import (Worker|Enqueue|Fleet)$' Sources/Shared; then
    complain "a module of Sources/Shared imports a program"
fi
if grep -RlE '^(public |internal )*import (Redis|JobQueue)$' Sources/Shared/{Geometry,PictureFormats,Pixels,Exif,ScaledJPEG,JPEG,Thumbnails}; then
    complain "a picture module imports the queue"
fi
# Each C library has one Swift importer.
for library in CHiredis CTurboJPEG CLibJPEG CExif CMicroHTTPD COpenSSL; do
    importers=$(grep -RlE "^(public |internal )*import $library$" Sources | xargs -r -n1 dirname | sort -u | wc -l)
    [ "$importers" -le 1 ] || complain "$library is imported by more than one module"
done
# The decoder reads what strangers send. What nothing checks in its loops goes through views that tests check, but for the
# lanes, whose two files have no register for them.
unsafe=$(grep -RlwE 'unsafe' Sources/Shared/ScaledJPEG | xargs -n1 basename | sort | tr '\n' ' ')
[ "$unsafe" = "LaneFrame.swift LaneKernel.swift Unchecked.swift " ] || complain "unsafe in ScaledJPEG: $unsafe"
# Work that is not done has no place in the tree.
if grep -RnE '\b(TODO|FIXME|XXX)\b|try!|as!|fatalError\(' --include='*.swift' Sources; then
    complain "marks of unfinished or unchecked code (above)"
fi
lines=$(wc -l < ARCHITECTURE.md)
[ "$lines" -le 200 ] || complain "ARCHITECTURE.md has $lines lines; 200 is its limit"
exit "$failed"
