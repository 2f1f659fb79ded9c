#!/usr/bin/env bash
# Resolves deploy/kubernetes as `kubectl apply -k` would and checks what comes out, without a cluster: the schemas of
# Kubernetes itself, those of KEDA's and the Prometheus operator's resources, and what must hold between the lines.
#   scripts/check-kubernetes.sh --write    writes the PrometheusRule anew from deploy/prometheus
set -euo pipefail
cd "$(dirname "$0")/.."

kubernetes=1.34.0
packages=(kubernetes-validate==1.37.0 cloudcoil.models.keda==2.16.1.0 cloudcoil.models.prometheus_operator==0.80.1.0)

rule=deploy/kubernetes/components/prometheus-operator/prometheusrule.yaml
prometheus_rule() {
    cat <<'HEAD'
# Written by scripts/check-kubernetes.sh --write from deploy/prometheus: change it there.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: thumbnail-fleet
spec:
  groups:
HEAD
    for file in recording alerts; do
        sed -e '1,/^groups:/d' -e 's/^\(.\)/  \1/' "deploy/prometheus/$file.yml"
    done
}
if [ "${1:-}" = --write ]; then
    prometheus_rule >"$rule"
    exit
fi
diff <(prometheus_rule) "$rule" >/dev/null \
    || { echo "check-kubernetes: $rule is not what deploy/prometheus says; run $0 --write" >&2; exit 1; }

# `kubectl kustomize` needs no cluster. Debian 12's own is too old for components.
command -v kubectl >/dev/null || { echo "check-kubernetes: needs kubectl 1.21 or later on PATH" >&2; exit 69; }
python=$PWD/.build/check-kubernetes/bin/python
if ! "$python" -c 'import kubernetes_validate, cloudcoil.models.keda, cloudcoil.models.prometheus_operator' 2>/dev/null; then
    python3 -m venv .build/check-kubernetes
    "$python" -m pip install --quiet --disable-pip-version-check "${packages[@]}"
fi

# In a copy, where the secrets that nobody commits are made.
run=$(mktemp -d /tmp/check-kubernetes.XXXXXX)
trap 'rm -rf "$run"' EXIT
cp -r deploy "$run/"
"$run/deploy/redis/make-users.sh" --redis redis:6379 "$run/deploy/kubernetes/overlays/example/secrets"
kubectl kustomize "$run/deploy/kubernetes/overlays/example" >"$run/fleet.yaml"
"$python" -m kubernetes_validate --kubernetes-version "$kubernetes" --strict --quiet --no-warn \
    "$run/fleet.yaml" deploy/kubernetes/enqueue-job.yaml
"$python" scripts/check-kubernetes.py "$run/fleet.yaml" deploy/kubernetes/enqueue-job.yaml
