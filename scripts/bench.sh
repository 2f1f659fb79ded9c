#!/usr/bin/env bash
# Prepares peers and photographs under .build/bench, then measures us against them. Needs .build/release.
#   QUICK=1              few repetitions, for a look
#   MEASURES="fleet"     only these; see Benchmarks/measures
set -euo pipefail
cd "$(dirname "$0")/.."

place=$PWD/.build/bench
peers=(pyvips pyvips-binary pillow opencv-python-headless numpy 'celery[redis]' 'dramatiq[redis]' rq)
# Photographs under free licences that Debian ships: nothing of them is committed.
packages=(
    forensics-samples-files lomiri-wallpapers-20.04 lomiri-wallpapers-16.04 digikam-data mate-backgrounds
    plasma-workspace-wallpapers
)

if [ ! -e "$place/venv/complete" ]; then
    python3 -c 'import ensurepip' 2>/dev/null || {
        echo "bench: the peers need a virtual environment of Python's: apt-get install python3-venv" >&2
        exit 69
    }
    echo "bench: installing the peers (${peers[*]})"
    rm -rf "$place/venv"
    python3 -m venv "$place/venv"
    "$place/venv/bin/pip" install --quiet --disable-pip-version-check "${peers[@]}"
    touch "$place/venv/complete"
fi

if [ ! -e "$place/debs/complete" ]; then
    echo "bench: fetching photographs (209 MB)"
    mkdir -p "$place/debs"
    download=$(mktemp -d)
    trap 'rm -rf "$download"' EXIT
    chmod 755 "$download"
    (cd "$download" && apt-get download -qq "${packages[@]}" 2>/dev/null \
        || { apt-get update -qq && apt-get download -qq "${packages[@]}"; })
    for package in "$download"/*.deb; do dpkg-deb --extract "$package" "$place/debs"; done
    touch "$place/debs/complete"
    rm -rf "$download"
fi

read -ra measures <<<"${MEASURES:-}"
exec "$place/venv/bin/python" Benchmarks/run.py "${measures[@]}"
