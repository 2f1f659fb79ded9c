#!/bin/bash
# Runs in the Debian that scripts/check-package.sh has booted, as root: follows docs/systemd.md step by step, and looks
# after each at what it says. A line that begins with “seen:” is told to whoever runs the check.
set -euo pipefail
unit=thumbnail-worker@photos.service

fail() {
    echo "failed: $1"
    journalctl --no-pager --lines 40
    exit 1
}
step() { echo "step: $1"; set -x; . ./steps/??-"$1"; { set +x; } 2>/dev/null; }
property() { systemctl show --property "$1" --value "${2:-$unit}"; }
# until_so WHAT COMMAND…: systemd tells nobody that asks when a service has come back, so this asks again; 20 s at most.
until_so() {
    for _ in $(seq 200); do
        if eval "$2"; then return; fi
        sleep 0.1
    done
    fail "$1 did not come about"
}

# Programs, manual and completions, as a user finds them.
for program in worker enqueue fleet; do
    thumbnail-$program --version | grep -q "^thumbnail-$program " || fail "--version of $program"
    thumbnail-$program --help | grep -q "^Usage: thumbnail-$program " || fail "--help of $program"
    LC_ALL=C.UTF-8 man --warnings thumbnail-$program 2>manual-warnings | grep -q 'EXIT STATUS' || fail "man thumbnail-$program"
    [ ! -s manual-warnings ] || fail "man thumbnail-$program: $(cat manual-warnings)"
    bash -c ". /usr/share/bash-completion/bash_completion; _completion_loader thumbnail-$program; complete -p thumbnail-$program" |
        grep -q "_thumbnail_$program" || fail "bash knows no completions of $program"
    zsh -fc "autoload -Uz compinit; compinit -u -D; print \$_comps[thumbnail-$program]" | grep -q "^_thumbnail-$program$" ||
        fail "zsh knows no completions of $program"
    fish -c "complete -C 'thumbnail-$program --gen'" | grep -q '^--generate' || fail "fish knows no completions of $program"
done
whatis thumbnail-fleet | grep -q 'looks after' || fail "whatis"
echo "seen: programs, manual pages, and completions of bash, zsh and fish"

systemctl is-active --quiet thumbnail-fleet.target || fail "the target is not started"
[ -z "$(systemctl list-units --plain --no-legend 'thumbnail-worker@*')" ] || fail "the package has started a worker"
[ "$(stat -c '%a %U' /etc/thumbnail-fleet)" = '750 root' ] || fail "modes of /etc/thumbnail-fleet"
[ "$(stat -c '%a %U' /var/lib/thumbnail-fleet)" = '750 thumbnail-fleet' ] || fail "modes of /var/lib/thumbnail-fleet"

step redis
step configure
cp photos/*.jpg /srv/photos
step start
pid=$(property MainPID)
systemctl is-active --quiet "$unit" || fail "the worker is not active"
[ "$(stat -c %U "/proc/$pid")" = thumbnail-fleet ] || fail "the worker's user"
grep -q '^Seccomp:[[:space:]]*2' "/proc/$pid/status" || fail "no filter of calls"
grep -q '^CapEff:[[:space:]]*0*$' "/proc/$pid/status" || fail "capabilities are left"
[ "$(property MemoryMax)" = $((560 << 20)) ] || fail "MemoryMax is $(property MemoryMax)"
[ "$(property MemoryHigh)" = $((544 << 20)) ] || fail "MemoryHigh is $(property MemoryHigh)"
[ "$(property ReadWritePaths)" = '/var/lib/thumbnail-fleet -/srv/thumbs' ] || fail "ReadWritePaths: $(property ReadWritePaths)"
journalctl --unit "$unit" --output cat | grep worker.fenced >fenced || fail "no fence"
grep -qFf fence fenced || fail "the fence is lower than outside of the unit: $(cat fence fenced)"
echo "seen: the worker's own fence inside of the unit, $(grep -oE '"holds":\[[^]]*\]' fenced)"
exposure=$(systemd-analyze security --no-pager "$unit" | tail -n 1)
systemd-analyze security --no-pager --threshold=20 "$unit" >/dev/null || fail "$exposure"
echo "seen: $exposure"

# Fixtures have broken pictures among them: some jobs fail, and that is right.
status=0
(step enqueue) || status=$?
[ "$status" -le 1 ] || fail "enqueue ended with $status"
find /srv/thumbs -name '*.jpg' | grep -q . || fail "no thumbnail"
[ "$(find /srv/thumbs -name '*.jpg' -printf '%U %m\n' | sort -u)" = "$(id -u thumbnail-fleet) 640" ] ||
    fail "owner and mode of thumbnails: $(find /srv/thumbs -name '*.jpg' -printf '%U %m\n' | sort -u)"
echo "seen: $(find /srv/thumbs -name '*.jpg' | wc -l) thumbnails of $(find photos -type f | wc -l) pictures, broken ones among them"
step web-server
# Unhealthy, since pictures failed; that is told, and no mistake of the step.
(step look) || true
step logs
thumbnail-fleet audit || fail "a job is missing"

# Whatever kills it, it comes back.
kill -KILL "$pid"
until_so "a worker after the killed one" '[ "$(property NRestarts)" = 1 ] && systemctl is-active --quiet "$unit"'
echo "seen: a killed worker came back"

# One that is stuck is ended by the watchdog. Half a minute is shortened for the check.
mkdir -p "/run/systemd/system/$unit.d"
printf '[Service]\nWatchdogSec=2\n' >"/run/systemd/system/$unit.d/99-check.conf"
systemctl daemon-reload
systemctl restart "$unit"
pid=$(property MainPID)
kill -STOP "$pid"
until_so "a worker after the stuck one" '[ "$(property MainPID)" != "$pid" ] && systemctl is-active --quiet "$unit"'
journalctl --unit "$unit" | grep -q 'Watchdog timeout' || fail "it was not the watchdog"
rm -r "/run/systemd/system/$unit.d"
systemctl daemon-reload
systemctl restart "$unit"
echo "seen: a stuck worker was ended by the watchdog, and came back"

step budget
[ "$(property MemoryMax)" = $((816 << 20)) ] || fail "MemoryMax after another budget is $(property MemoryMax)"
step slice
step stop
[ "$(property Result)" = success ] || fail "the stop's result is $(property Result)"
pid=$(property MainPID)
step target
until_so "the restarted worker" '[ "$(property MainPID)" != "$pid" ] && systemctl is-active --quiet "$unit"'

# What does not mend itself is not tried again.
printf 'THUMBNAIL_OUTPUT=/srv/missing\n' >/etc/thumbnail-fleet/wrong.env
printf 'THUMBNAIL_OUTPUT=/srv/thumbs\nTHUMBNAIL_MEMORY_BUDGET=512M\n' >/etc/thumbnail-fleet/typo.env
systemctl daemon-reload
for wrong in wrong:78 typo:64; do
    other=thumbnail-worker@${wrong%:*}.service
    if systemctl start "$other"; then fail "$other has started"; fi
    until_so "the end of $other" "systemctl is-failed --quiet '$other'"
    [ "$(property ExecMainStatus "$other")" = "${wrong#*:}" ] || fail "$other ended with $(property ExecMainStatus "$other")"
    [ "$(property NRestarts "$other")" = 0 ] || fail "$other was tried again"
    echo "seen: $other stays down: $(journalctl --unit "$other" --output cat | grep '^thumbnail-worker:' | head -n 1)"
done

pid=$(property MainPID)
step upgrade
until_so "the worker of the new package" '[ "$(property MainPID)" != "$pid" ] && systemctl is-active --quiet "$unit"'
echo "seen: an upgrade restarted the worker"
thumbnail-fleet audit || fail "a job is missing"

step remove
[ -e /etc/thumbnail-fleet/photos.env ] || fail "settings were removed"
if command -v thumbnail-worker; then fail "programs are left"; fi
echo "seen: removed; settings and thumbnails stay"
