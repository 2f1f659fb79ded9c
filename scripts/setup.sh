#!/usr/bin/env bash
# Installs what a fresh Debian 12 lacks to build, test and try the fleet. Does nothing where all is there.
# `setup.sh deploy` also installs what checks the Debian package and the files of deploy/.
set -euo pipefail

packages=(
    libhiredis-dev libturbojpeg0-dev libjpeg62-turbo-dev libexif-dev libssl-dev libmicrohttpd-dev
    redis-server
    # Tests make certificates.
    openssl
    # Tests produce and consume as a backend in Python or PHP does.
    python3 python3-redis php-cli php-redis
    # A slow file system, where root may mount one.
    python3-fusepy
)
if [ "${1:-}" = deploy ]; then
    packages+=(
        # The package is built, looked at, installed into a Debian of its own, and booted there.
        build-essential debhelper debootstrap lintian systemd systemd-container
        # What reads manual pages and completions.
        fish man-db mandoc zsh
    )
fi

if ! command -v swift >/dev/null; then
    echo "setup: swift was not found on PATH. Install Swift 6.2 or later (https://www.swift.org/install/linux/debian/) and run this again." >&2
    exit 69
fi

missing=()
for package in "${packages[@]}"; do
    status=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing+=("$package")
done
[ "${#missing[@]}" -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "setup: these packages are missing, and neither root nor sudo is at hand to install them: ${missing[*]}" >&2
        exit 69
    fi
    as_root=(sudo)
fi
echo "setup: installing ${missing[*]}"
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
