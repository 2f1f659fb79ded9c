#!/usr/bin/env bash
# From a folder of photographs to thumbnails: private Redis on a unix socket, one worker, one enqueue,
# a contact sheet. Leaves the pictures in demo/ and nothing running.
#   DIR=photos   your own folder instead of Debian's wallpapers      PT=120x120   SCALE=3
set -euo pipefail
cd "$(dirname "$0")/.."

pt=${PT:-120x120}
scale=${SCALE:-3}
here=$PWD/demo
programs=$PWD/.build/release
mkdir -p "$here"
rm -rf "$here/thumbs" "$here/results.jsonl" "$here/index.html" "$here/worker.log"

if [ -n "${DIR:-}" ]; then
    photos=$(cd "$DIR" && pwd)
else
    photos=$here/photos
    # Photographs under CC licences that Debian ships: nothing of them is committed.
    packages=(lomiri-wallpapers-16.04 lomiri-wallpapers-20.04)
    if [ ! -d "$photos" ]; then
        echo "demo: fetching photographs (${packages[*]}, 27 MB)"
        download=$(mktemp -d)
        chmod 755 "$download"
        (cd "$download" && apt-get download -qq "${packages[@]}" 2>/dev/null \
            || { apt-get update -qq && apt-get download -qq "${packages[@]}" 2>/dev/null; })
        for package in "$download"/*.deb; do dpkg-deb --extract "$package" "$download/x"; done
        mkdir -p "$photos"
        cp "$download"/x/usr/share/backgrounds/*.jpg "$photos/"
        rm -rf "$download"
    fi
fi

# A socket's path has a limit of 107 bytes, so it lives in a short temporary folder.
run=$(mktemp -d /tmp/thumbnail-fleet-demo.XXXXXX)
redis_pid='' worker_pid=''
stop() {
    [ -z "$worker_pid" ] || { kill -TERM "$worker_pid" 2>/dev/null || true; wait "$worker_pid" 2>/dev/null || true; }
    [ -z "$redis_pid" ] || { kill -TERM "$redis_pid" 2>/dev/null || true; wait "$redis_pid" 2>/dev/null || true; }
    rm -rf "$run"
}
trap stop EXIT

redis-server --port 0 --unixsocket "$run/redis.sock" --dir "$run" --save '' --appendonly no \
    --maxmemory-policy noeviction >"$run/redis.log" &
redis_pid=$!
for _ in $(seq 200); do
    redis-cli -s "$run/redis.sock" ping >/dev/null 2>&1 && break
    kill -0 "$redis_pid" 2>/dev/null || { echo "demo: redis-server did not start:"; cat "$run/redis.log"; exit 69; }
    sleep 0.05
done

export REDIS_URL=unix://$run/redis.sock
mkdir -p "$here/thumbs"
"$programs/worker" --source-root "$photos" --output "$here/thumbs" 2>"$here/worker.log" &
worker_pid=$!

echo "demo: enqueue --dir $photos --pt $pt --scale $scale --wait"
failed=0
"$programs/enqueue" --dir "$photos" --pt "$pt" --scale "$scale" --wait || failed=$?

# Every result is one JSON object in a Redis stream; a consumer in any language reads the same lines.
redis-cli -s "$run/redis.sock" --raw XRANGE '{thumbnails}:results' - + | grep '^{' >"$here/results.jsonl" || true
echo
echo "demo: a result, as a consumer reads it:"
tail -n 1 "$here/results.jsonl"
scripts/contact-sheet.sh "$here/results.jsonl" thumbs >"$here/index.html"
echo
echo "demo: thumbnails      $here/thumbs"
echo "demo: contact sheet   $here/index.html"
echo "demo: worker's log    $here/worker.log"
# Some damaged pictures are told above, and are no failure of the demo.
if [ "$failed" -eq 1 ] && grep -q '"status":"done"' "$here/results.jsonl"; then failed=0; fi
exit "$failed"
