#!/usr/bin/env bash
# Holds deploy/prometheus, deploy/grafana and deploy/RUNBOOK.md against the programs: rules and their tests by promtool, then a
# real Prometheus that scrapes real workers, and every query of alerts and dashboard asked of it. All on loopback; ends what
# it starts. Needs the programs (swift build; PROGRAMS=folder names others). SCREENSHOT=file.png keeps a picture of the graphs.
set -euo pipefail
cd "$(dirname "$0")/.."

programs=${PROGRAMS:-$PWD/.build/debug}
for program in worker fleet enqueue; do
    [ -x "$programs/$program" ] || { echo "check-observability: $programs/$program is missing: swift build" >&2; exit 69; }
done

# Debian's package would start a service of its own: its two programs are enough, unpacked beside the build.
if ! command -v prometheus >/dev/null || ! command -v promtool >/dev/null; then
    tools=$PWD/.build/prometheus
    if [ ! -x "$tools/usr/bin/prometheus" ]; then
        echo "check-observability: fetching Debian's prometheus into .build"
        download=$(mktemp -d)
        trap 'rm -rf "$download"' EXIT
        chmod 755 "$download"
        (cd "$download" && { apt-get download -qq prometheus 2>/dev/null \
            || { apt-get update -qq && apt-get download -qq prometheus; }; })
        mkdir -p "$tools"
        dpkg-deb --extract "$download"/prometheus_*.deb "$tools"
    fi
    PATH=$tools/usr/bin:$PATH
fi

promtool check rules deploy/prometheus/recording.yml deploy/prometheus/alerts.yml >/dev/null
promtool check config deploy/prometheus/prometheus.yml >/dev/null
promtool test rules deploy/prometheus/alerts_test.yml >/dev/null
# Not exec: the folder of the download is removed at the end.
/usr/bin/python3 scripts/observability/check.py "$programs"
