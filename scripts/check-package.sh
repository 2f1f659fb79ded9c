#!/usr/bin/env bash
# The Debian package: built twice to the same bytes, nothing for lintian to say, installed into a fresh Debian 12 that is
# booted with systemd, where docs/systemd.md is followed and scripts/deploy/in-debian.sh looks at what comes of it.
# Needs root, and the network for Debian's packages; the booted Debian has no network but its own loopback.
set -euo pipefail
cd "$(dirname "$0")/.."
top=$PWD
work=$top/.build/deploy
base=$work/bookworm
machine=$work/machine
fail() { echo "check-package: $1" >&2; exit 1; }

scripts/make-deb.sh
package=$(echo "$top"/.build/deb/*.deb)
before=$(sha256sum <"$package")
scripts/make-deb.sh >/dev/null
[ "$before" = "$(sha256sum <"$package")" ] || fail "the same programs gave another package"
lintian --allow-root --fail-on error,warning "$package"

mkdir -p "$work/archives"
if [ ! -e "$base/ready" ]; then
    rm -rf "$base"
    debootstrap --variant=minbase --include=systemd,dbus,man-db,bash-completion,zsh,fish bookworm "$base" \
        >"$work/debootstrap.log" || fail "debootstrap; see $work/debootstrap.log"
    touch "$base/ready"
fi
rm -rf "$machine"
cp -a "$base" "$machine"

# Each block of the page as a file, in its order: 01-install, 02-redis, ….
mkdir -p "$machine/check/steps"
awk -v folder="$machine/check/steps" '
    /^```sh [a-z-]+$/ { file = sprintf("%s/%02d-%s", folder, ++count, $2); next }
    /^```/ { file = "" }
    file { print > file }' docs/systemd.md
cp "$package" scripts/deploy/in-debian.sh "$machine/check"
mkdir "$machine/check/photos"
cp Tests/Fixtures/*.jpg "$machine/check/photos"

# The fence that this kernel gives a worker outside: inside it must not be lower.
mkdir "$work/nothing"
fenced=$(REDIS_URL=redis://127.0.0.1:1 timeout 2 "$top"/.build/deb/thumbnail-fleet-*/bin/thumbnail-worker \
    --output "$work/nothing" 2>&1 | grep -m 1 worker.fenced || true)
rm -r "$work/nothing"
grep -oE '"holds":\[[^]]*\]' <<<"$fenced" >"$machine/check/fence" || fail "no fence outside: $fenced"

# What nspawn would refuse and a Debian of its own does not.
filter=--system-call-filter="landlock_create_ruleset landlock_add_rule landlock_restrict_self"
inside() { systemd-nspawn --quiet --register=no --keep-unit --directory "$machine" --console=pipe "$@"; }

# What apt fetches is kept for the next time.
inside --bind "$work/archives:/var/cache/apt/archives" --chdir /check --setenv DEBIAN_FRONTEND=noninteractive \
    --setenv RUNLEVEL=1 /bin/sh -exc 'apt-get update -qq; . ./steps/01-install' >"$work/install.log" 2>&1 ||
    { cat "$work/install.log" >&2; fail "the package cannot be installed"; }

cat >"$machine/etc/systemd/system/check.service" <<'END'
[Unit]
After=multi-user.target redis-server.service
Wants=redis-server.service
SuccessAction=exit
FailureAction=exit
FailureActionExitStatus=1
[Service]
Type=oneshot
ExecStart=/check/in-debian.sh
WorkingDirectory=/check
Environment=HOME=/root
StandardOutput=file:/check/log
StandardError=inherit
TimeoutStartSec=240
[Install]
WantedBy=default.target
END
inside /bin/systemctl --quiet enable check.service
status=0
timeout --kill-after 10 300 systemd-nspawn --quiet --register=no --keep-unit --directory "$machine" --console=pipe \
    "$filter" --private-network --boot >"$work/boot.log" 2>&1 </dev/null || status=$?
if [ "$status" -ne 0 ]; then
    tail -n 60 "$machine/check/log" >&2 || tail -n 60 "$work/boot.log" >&2
    fail "the booted Debian ended with $status; all of it: $machine/check/log"
fi
sed -n 's/^seen: /check-package: /p' "$machine/check/log"
echo "check-package: well"
