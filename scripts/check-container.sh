#!/usr/bin/env bash
# Builds deploy/container/Dockerfile and runs what comes out as a container would: process 1 in a namespace of its own,
# uid 10001, no capability, a root file system that cannot be written. Checks compose.yaml, too. No Docker and no
# registry is needed: buildah builds; Debian's archive stands in for the image debian:bookworm-slim, and this
# machine's Swift for swift:bookworm. Root only. What was fetched and built is kept in .build/container.
#   scripts/check-container.sh --last    runs the image of the last time instead of building one
set -euo pipefail
cd "$(dirname "$0")/.."

complain() { echo "check-container: $1" >&2; exit "${2:-1}"; }
say() { echo "check-container: $1"; }

[ "$(id -u)" -eq 0 ] || complain "needs root, for namespaces and for another uid" 77
packages=(buildah mmdebstrap docker-compose redis-server redis-tools util-linux)
missing=()
for package in "${packages[@]}"; do
    status=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing+=("$package")
done
if [ "${#missing[@]}" -gt 0 ]; then
    say "installing ${missing[*]}"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends \
        "${missing[@]}" >/dev/null
fi

work=$PWD/.build/container
mkdir -p "$work"
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
build() { buildah --root "$work/root" --runroot "$work/runroot" "$@"; }
has() { build inspect --type image "$1" >/dev/null 2>&1; }

# -- Stand-ins for what a registry would give ------------------------------------------------------------------
base=localhost/debian:bookworm-slim
if ! has "$base"; then
    say "making $base from Debian's archive"
    mmdebstrap --quiet --variant=minbase bookworm "$work/base.tar"
    container=$(build from scratch)
    build add --quiet "$container" "$work/base.tar" /
    build commit --quiet "$container" "$base" >/dev/null
    build rm "$container" >/dev/null
    rm "$work/base.tar"
fi
toolchain=$(readlink -f "$(command -v swift)")
toolchain=${toolchain%/usr/bin/*}
[ -n "$toolchain" ] && [ -d "$toolchain/usr/lib/swift_static" ] \
    || complain "Swift has to lie in a folder of its own, such as /opt/swift, to be lent to the image" 69
swift=localhost/swift:bookworm
if ! has "$swift"; then
    say "making $swift: Debian with what Swift's own image has, and the Swift of this machine"
    container=$(build from "$base")
    build run "$container" sh -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends \
        binutils ca-certificates git libc6-dev libcurl4 libedit2 libgcc-12-dev libncurses6 libsqlite3-0 \
        libstdc++-12-dev libxml2 libz3-4 pkg-config tzdata zlib1g-dev' >/dev/null 2>&1
    build config --env "PATH=$toolchain/usr/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" \
        "$container"
    build commit --quiet "$container" "$swift" >/dev/null
    build rm "$container" >/dev/null
fi

# -- The Dockerfile --------------------------------------------------------------------------------------------
# Its headers are those that setup.sh installs, but for what only tests need.
in_dockerfile=$(sed -n '/AS build/,/^WORKDIR/p' deploy/container/Dockerfile | grep -oE 'lib[a-z0-9.+-]+-dev' | sort -u)
in_setup=$(grep -oE 'lib[a-z0-9.+-]+-dev' scripts/setup.sh | sort -u)
[ "$in_dockerfile" = "$in_setup" ] \
    || complain "the build stage's packages differ from scripts/setup.sh: $(diff <(echo "$in_dockerfile") <(echo "$in_setup") | tr '\n' ' ')"
version=$(sed -n 's/^public let programVersion = "\(.*\)"$/\1/p' Sources/Shared/ProgramOptions/ProgramOptions.swift)
grep -q "^ARG VERSION=$version$" deploy/container/Dockerfile || complain "ARG VERSION is not $version"

image=localhost/thumbnail-fleet
if [ "${1:-}" = --last ]; then
    has "$image" || complain "no image was built before" 69
else
    say "building $image"
    build build-using-dockerfile --layers --format docker --volume "$toolchain:$toolchain:ro" \
        --build-arg SWIFT_IMAGE="$swift" --build-arg RUNTIME_IMAGE="$base" \
        --build-arg REVISION="$(git rev-parse HEAD)" --file deploy/container/Dockerfile --tag "$image" . \
        >"$work/build.log" 2>&1 || { tail -n 30 "$work/build.log" >&2; complain "the image does not build: $work/build.log"; }
fi

build inspect --type image "$image" >"$work/image.json"
python3 - "$work/image.json" "$version" <<'CHECK'
import json, sys
config = json.load(open(sys.argv[1]))["Docker"]["config"]
labels = config["Labels"]
wanted = {
    "User": "10001:10001", "StopSignal": "SIGTERM", "WorkingDir": "/photos",
    "Entrypoint": ["/usr/local/bin/worker"],
}
for name, value in wanted.items():
    assert config[name] == value, f"{name} is {config[name]}, not {value}"
assert labels["org.opencontainers.image.version"] == sys.argv[2], labels
assert len(labels["org.opencontainers.image.revision"]) == 40, labels
assert config["Healthcheck"]["Test"] == ["CMD", "/usr/local/bin/fleet", "health"], config["Healthcheck"]
CHECK

# -- What comes out --------------------------------------------------------------------------------------------
run=$(mktemp -d /tmp/check-container.XXXXXX)
container=$(build from "$image")
root=$(build mount "$container")
redis_pid='' worker_pid=''
clean() {
    [ -z "$worker_pid" ] || kill -KILL "$worker_pid" 2>/dev/null || true
    [ -z "$redis_pid" ] || { kill "$redis_pid" 2>/dev/null && wait "$redis_pid" || true; }
    build umount "$container" >/dev/null 2>&1 || true
    build rm "$container" >/dev/null 2>&1 || true
    rm -rf "$run"
}
trap clean EXIT

for program in worker enqueue fleet; do
    lacking=$(chroot "$root" ldd "/usr/local/bin/$program" | grep 'not found' || true)
    [ -z "$lacking" ] || complain "$program lacks libraries: $lacking"
done
[ ! -e "$root/usr/bin/swift" ] && [ ! -e "$root/usr/include/jpeglib.h" ] || complain "build tools are in the image"
say "programs of $(du -shc "$root"/usr/local/bin/* | tail -n 1 | cut -f1), the whole image of $(du -sh "$root" | cut -f1)"

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
port=$(free_port)
# Not the image's own: this machine may have a worker that listens there.
listen=127.0.0.1:$(free_port)
deploy/redis/make-users.sh --redis "127.0.0.1:$port" "$run/secrets"
redis-server deploy/redis/redis.conf --port "$port" --dir "$run" --aclfile "$run/secrets/redis/users.acl" \
    >"$run/redis.log" &
redis_pid=$!
for _ in $(seq 200); do
    redis-cli -p "$port" --user probe --pass any --no-auth-warning ping 2>/dev/null | grep -q PONG && break
    kill -0 "$redis_pid" 2>/dev/null || { cat "$run/redis.log"; complain "redis-server did not start"; }
    sleep 0.05
done

mkdir "$run/photos" "$run/thumbs"
cp Tests/Fixtures/landscape-420.jpg Tests/Fixtures/portrait-orientation-6.jpg "$run/photos/"
chown 10001:10001 "$run/thumbs"

# The image's environment, then one user's address of Redis; its own mounts, process numbers and root.
variables=$(python3 -c 'import json, sys; print("\n".join(json.load(open(sys.argv[1]))["Docker"]["config"]["Env"]))' "$work/image.json")
# shellcheck disable=SC2016  # The inner shell expands these.
inside='
    set -eu
    mount --make-rprivate /
    mount --bind "$root" "$root"
    mount -o remount,bind,ro "$root"
    mount --bind "$run/photos" "$root/photos"
    mount -o remount,bind,ro "$root/photos"
    mount --bind "$run/thumbs" "$root/thumbs"
    mount -t proc proc "$root/proc"
    mount -t tmpfs -o size=64k tmpfs "$root/dev"
    mknod -m 666 "$root/dev/null" c 1 3
    cd "$root/photos"
    exec chroot "$root" env -i "$@"'
as_container() {
    user=$1
    shift
    # shellcheck disable=SC2086  # One word a variable.
    exec env root="$root" run="$run" unshare --mount --pid --ipc --uts --fork --kill-child \
        sh -c "$inside" sh $variables "THUMBNAIL_LISTEN=$listen" "$(cat "$run/secrets/$user.env")" \
        setpriv --reuid 10001 --regid 10001 --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all "$@"
}

# Not in a bare chroot: Swift reads a program's arguments from /proc.
for program in worker enqueue fleet; do
    [ "$(as_container operator "/usr/local/bin/$program" --version)" = "$program $version" ] \
        || complain "$program --version"
done

(as_container worker /usr/local/bin/worker --memory-budget 64MiB) 2>"$run/worker.log" &
outer=$!
inner() { worker_pid=$(ps -o pid= --ppid "$outer" | tr -d ' ') && [ -n "$worker_pid" ]; }
for _ in $(seq 200); do
    grep -q worker.started "$run/worker.log" && break
    kill -0 "$outer" 2>/dev/null || { cat "$run/worker.log"; complain "the worker did not start"; }
    sleep 0.05
done
inner || complain "no worker process"
[ "$(awk '/^Uid:/ { print $2 }' "/proc/$worker_pid/status")" = 10001 ] || complain "the worker is not uid 10001"
[ "$(awk '/^NSpid:/ { print $NF }' "/proc/$worker_pid/status")" = 1 ] || complain "the worker is not process 1"
[ "$(awk '/^CapBnd:/ { print $2 }' "/proc/$worker_pid/status")" = 0000000000000000 ] || complain "capabilities"
grep -q '"lacks":\[\]' "$run/worker.log" || say "the fence lacks: $(grep -o '"lacks":[^]]*]' "$run/worker.log")"

(as_container producer /usr/local/bin/enqueue --dir /photos --relative-to /photos --pt 120x120 --scale 3 --wait) \
    >"$run/enqueue.log" 2>&1 || { cat "$run/enqueue.log" "$run/worker.log"; complain "enqueue --wait failed"; }
for picture in landscape-420 portrait-orientation-6; do
    file=$run/thumbs/120x120@3x/$picture.jpg
    [ "$(stat -c %u "$file")" = 10001 ] || complain "no thumbnail of uid 10001 at $file"
done
health() { (as_container operator /usr/local/bin/fleet health) >"$run/health.log" 2>&1; }
health || { cat "$run/health.log"; complain "the health check fails while the worker works"; }
(as_container operator /usr/local/bin/fleet status) >"$run/status.log" 2>&1 \
    || { cat "$run/status.log"; complain "fleet status finds a problem"; }

# Idle, it ends at once, also as process 1, to which the kernel's defaults do not apply.
started=$(date +%s%N)
kill -TERM "$worker_pid"
status=0
wait "$outer" || status=$?
took=$((($(date +%s%N) - started) / 1000000))
worker_pid=''
[ "$status" -eq 0 ] || { cat "$run/worker.log"; complain "SIGTERM ended the worker with $status"; }
[ "$took" -lt 1000 ] || complain "SIGTERM took $took ms"
! health || complain "the health check succeeds without a worker"
say "two thumbnails as uid 10001 with a read-only root; SIGTERM ended the idle worker with 0 after $took ms"

# -- Compose ---------------------------------------------------------------------------------------------------
# In a copy, where the secrets that nobody commits are made.
mkdir -p "$run/tree/deploy"
cp -r deploy/container deploy/redis "$run/tree/deploy/"
for folder in prometheus grafana; do [ ! -d "deploy/$folder" ] || cp -r "deploy/$folder" "$run/tree/deploy/"; done
"$run/tree/deploy/redis/make-users.sh" --redis redis:6379 "$run/tree/deploy/container/secrets"
docker-compose --project-directory "$run/tree/deploy/container" -f "$run/tree/deploy/container/compose.yaml" \
    --profile enqueue config >"$run/compose.yaml" || complain "compose.yaml is not valid"
/usr/bin/python3 scripts/check-compose.py "$run/compose.yaml" "$run/tree"
say "compose.yaml is valid"
