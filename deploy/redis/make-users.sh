#!/bin/sh
# Writes what a fleet's users need to sign in, with new random passwords, into the folder DIR:
#   redis/users.acl  for Redis: the rights of the users.acl beside this script, and a SHA-256 of each password
#   USER.env         REDIS_URL for one program: an environment file for systemd, a container or a Kubernetes secret
#   USER.password    the password alone, for programs that want it so (KEDA, redis-cli)
# What exists is kept, so that running it again adds only what is missing; --rotate USER makes one anew. Redis takes
# a new file by `ACL LOAD`.
set -eu

usage() {
    echo "usage: make-users.sh [--redis HOST:PORT] [--queue NAME] [--rotate USER]… DIR" >&2
    exit 64
}

redis=127.0.0.1:6379 queue=thumbnails rotate='' folder=''
while [ $# -gt 0 ]; do
    case $1 in
        --redis) [ $# -ge 2 ] || usage; redis=$2; shift 2 ;;
        --queue) [ $# -ge 2 ] || usage; queue=$2; shift 2 ;;
        --rotate) [ $# -ge 2 ] || usage; rotate="$rotate $2"; shift 2 ;;
        -*) usage ;;
        *) [ -z "$folder" ] || usage; folder=$1; shift ;;
    esac
done
[ -n "$folder" ] || usage
# In a key pattern other signs would mean something else.
case $queue in
    '' | *[!A-Za-z0-9_.:-]*) echo "make-users: a queue's name has letters, digits and _ . : - here" >&2; exit 64 ;;
esac
template=$(dirname "$0")/users.acl
for user in $rotate; do
    grep -q "^user $user on resetchannels" "$template" || { echo "make-users: no user $user" >&2; exit 64; }
done

umask 077
mkdir -p "$folder/redis"
# Redis runs as another user, and what it reads holds no password. A folder of its own: a container that was given
# a single file would keep the old one when it is replaced.
chmod 755 "$folder/redis"
next=$folder/redis/.users.acl.next
: >"$next"
while read -r line; do
    user=${line#user }
    user=${user%% *}
    case $line in
        *" off "* | *" nopass "*) ;;
        *)
            file=$folder/$user.password
            case " $rotate " in *" $user "*) rm -f "$file" ;; esac
            # Hexadecimal, so that it needs no quoting in a URL.
            [ -s "$file" ] || od -An -N32 -tx1 /dev/urandom | tr -d ' \n' >"$file"
            password=$(cat "$file")
            printf 'REDIS_URL=redis://%s:%s@%s\n' "$user" "$password" "$redis" >"$folder/$user.env"
            hash=$(printf %s "$password" | sha256sum | cut -d' ' -f1)
            line="${line%% resetchannels *} #$hash resetchannels ${line#* resetchannels }"
            ;;
    esac
    printf '%s\n' "$line" >>"$next"
done <"$template"
sed -i "s/thumbnails/$queue/g" "$next"
chmod 644 "$next"
mv "$next" "$folder/redis/users.acl"
