#!/usr/bin/env bash
# Builds the Debian package into .build/deb: the programs with Swift's runtime linked in, and what they print about
# themselves (manual pages, completions, an environment file). The same programs give the same package, byte for byte.
set -euo pipefail
cd "$(dirname "$0")/.."
top=$PWD
# A folder of its own: `make release` links otherwise, and each would build everything anew after the other.
built=$top/.build/static
programs=(worker enqueue fleet)

version=$(sed -n 's/^public let programVersion = "\(.*\)"/\1/p' Sources/Shared/ProgramOptions/ProgramOptions.swift)
packaged=$(dpkg-parsechangelog --file deploy/debian/changelog --show-field Version)
if [ "$version" != "$packaged" ]; then
    echo "make-deb: the programs are $version, deploy/debian/changelog says $packaged" >&2
    exit 1
fi
SOURCE_DATE_EPOCH=$(dpkg-parsechangelog --file deploy/debian/changelog --show-field Timestamp)
export SOURCE_DATE_EPOCH

for program in "${programs[@]}"; do
    swift build --configuration release --static-swift-stdlib --scratch-path "$built" --product "$program"
    # Failpoints are for tests: nothing of what ships may listen to them.
    if grep -q THUMBNAIL_FAILPOINT "$built/release/$program"; then
        echo "make-deb: $program has failpoints" >&2
        exit 1
    fi
done

stage=$top/.build/deb/thumbnail-fleet-$version
rm -rf "$top/.build/deb"
mkdir -p "$stage"/{bin,man,examples,docs,completions/{bash,zsh,fish}}
cp -r deploy/debian "$stage/debian"
cp -r deploy/systemd "$stage/systemd"
# Under the package's name debhelper takes care of them.
mv "$stage/systemd/sysusers.conf" "$stage/debian/thumbnail-fleet.sysusers"
mv "$stage/systemd/tmpfiles.conf" "$stage/debian/thumbnail-fleet.tmpfiles"
cp README.md SECURITY.md CHANGELOG.md "$stage"
cp docs/*.md "$stage/docs"

for program in "${programs[@]}"; do
    # The plain names are too common for a folder that all packages share. The programs call themselves as they are
    # called.
    name=thumbnail-$program
    cp "$built/release/$program" "$stage/bin/$name"
    "$stage/bin/$name" --generate man > "$stage/man/$name.1"
    "$stage/bin/$name" --generate complete-bash > "$stage/completions/bash/$name"
    "$stage/bin/$name" --generate complete-zsh > "$stage/completions/zsh/_$name"
    "$stage/bin/$name" --generate complete-fish > "$stage/completions/fish/$name.fish"
done
"$stage/bin/thumbnail-worker" --generate environment > "$stage/examples/worker.env"

# Times and modes of the working copy are no part of the package.
chmod -R u=rwX,go=rX "$stage"
cd "$stage"
dpkg-buildpackage --build=binary --no-sign >"$top/.build/deb/build.log" 2>&1 || {
    cat "$top/.build/deb/build.log" >&2
    exit 1
}
ls "$top"/.build/deb/*.deb
