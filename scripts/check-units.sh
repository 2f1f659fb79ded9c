#!/usr/bin/env bash
# The systemd files as they lie in deploy/systemd: what systemd says about them, and what the generator derives.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "check-units: $1" >&2; exit 1; }

# The program and the manual page are where the package puts them; here stand-ins do.
mkdir "$work/units" "$work/environments"
cp deploy/systemd/*.{service,target,slice} "$work/units"
sed -i -e 's|^ExecStart=.*|ExecStart=/bin/true|' -e '/^Documentation=/d' "$work"/units/*
cp "$work/units/thumbnail-worker@.service" "$work/units/thumbnail-worker@photos.service"
said=$(SYSTEMD_UNIT_PATH="$work/units:" systemd-analyze verify --man=no "$work/units/thumbnail-worker@photos.service" 2>&1 |
    grep thumbnail || true)
[ -z "$said" ] || fail "systemd-analyze verify: $said"

# In tenths: 0 is a service that may do nothing, 100 one that may do everything.
systemd-analyze security --offline=yes --threshold=20 'deploy/systemd/thumbnail-worker@.service' >"$work/security" ||
    fail "systemd-analyze security: $(tail -n 1 "$work/security")"
sed -n 's/^→ /check-units: /p' "$work/security"

# derives NAME 'variables' 'lines of the drop-in, but for its head and mounts'
derives() {
    printf '%s\n' "$2" >"$work/environments/$1.env"
    THUMBNAIL_FLEET_ENVIRONMENTS="$work/environments" deploy/systemd/thumbnail-fleet-generator "$work/drop-ins" \
        2>"$work/warnings"
    found=$(sed '1,/^\[Service\]/d' "$work/drop-ins/thumbnail-worker@$1.service.d/50-environment.conf")
    [ "$found" = "$3" ] || fail "of “$2” the generator derives “$found”, not “$3”"
}
derives nothing '# THUMBNAIL_MEMORY_BUDGET=1GiB' ''
derives budget 'THUMBNAIL_MEMORY_BUDGET=1.5GiB' 'MemoryHigh=1644167168
MemoryMax=1660944384'
derives last 'THUMBNAIL_MEMORY_BUDGET=1GiB
THUMBNAIL_MEMORY_BUDGET="64 mib"  ' 'MemoryHigh=100663296
MemoryMax=117440512'
derives drain 'THUMBNAIL_DRAIN_TIMEOUT=2m' 'TimeoutStopSec=135'
derives fraction 'THUMBNAIL_DRAIN_TIMEOUT=1500ms' 'TimeoutStopSec=17'
derives output 'THUMBNAIL_OUTPUT="/srv/my thumbs 100%"' 'ReadWritePaths="-/srv/my thumbs 100%%"'
derives home "THUMBNAIL_SOURCE_ROOTS='/mnt/a:/home/me/photos'" 'ProtectHome=read-only'
derives homely 'THUMBNAIL_SOURCE_ROOTS=/homely' ''
derives address 'REDIS_URL=redis://user:p@ss@10.0.0.5:6379/2' 'IPAddressAllow=10.0.0.5'
derives address6 'REDIS_URL=redis://[fd00::5]:6379' 'IPAddressAllow=fd00::5'
derives host 'REDIS_URL=redis://redis.example' 'IPAddressAllow=
IPAddressDeny='
for local in redis://127.0.0.1:6379 'redis://:password@localhost/3' 'redis://[::1]:6379' 'unix:///run/redis.sock?db=1'; do
    derives local "REDIS_URL=$local" ''
done
derives scraped 'THUMBNAIL_LISTEN=0.0.0.0:9464' 'IPAddressAllow=
IPAddressDeny='
derives unscraped 'THUMBNAIL_LISTEN=127.0.0.1:9464' ''
derives wrong 'THUMBNAIL_MEMORY_BUDGET=512M' ''
grep -q 'wrong: THUMBNAIL_MEMORY_BUDGET=512M is no amount of bytes' "$work/warnings" || fail "a wrong budget is not told"

# What it derives, systemd reads.
cp -r "$work"/drop-ins/* "$work/units"
for directory in "$work"/units/*.service.d; do
    unit=$(basename "$directory" .d)
    [ -f "$work/units/$unit" ] || cp "$work/units/thumbnail-worker@.service" "$work/units/$unit"
    said=$(SYSTEMD_UNIT_PATH="$work/units:" systemd-analyze verify --man=no "$work/units/$unit" 2>&1 | grep thumbnail || true)
    [ -z "$said" ] || fail "systemd-analyze verify of $unit: $said"
done
echo "check-units: well"
