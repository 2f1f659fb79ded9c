"""What schemas do not know: CRDs field by field, and what must hold between one line of the manifests and another.

usage: check-kubernetes.py FLEET JOB: what kustomize made of the example, and the manifest of one run of enqueue.
"""

import pathlib
import re
import sys

import yaml
from cloudcoil.models.keda import v1alpha1 as keda
from cloudcoil.models.prometheus_operator import v1 as monitoring

UNITS = {"Mi": 1 << 20, "Gi": 1 << 30, "MiB": 1 << 20, "GiB": 1 << 30}
# A budget is kept by 32 MiB (the contract); the kernel's own share of a container comes to it.
BESIDE_BUDGET = 48 << 20
# What a Redis that hangs may add to the drain, and one second.
BESIDE_DRAIN = 10
CUSTOM = {
    "ScaledObject": keda.ScaledObject, "TriggerAuthentication": keda.TriggerAuthentication,
    "PodMonitor": monitoring.PodMonitor, "PrometheusRule": monitoring.PrometheusRule,
}


def size(text):
    number, unit = re.fullmatch(r"([0-9]+)([A-Za-z]+)", text).groups()
    return int(number) * UNITS[unit]


def seconds(text):
    return int(re.fullmatch(r"([0-9]+)s", text).group(1))


def paths(value, at=""):
    """Every leaf of a document, by its path."""
    if isinstance(value, dict):
        for key, below in value.items():
            yield from paths(below, f"{at}.{key}")
    elif isinstance(value, list):
        for index, below in enumerate(value):
            yield from paths(below, f"{at}[{index}]")
    else:
        yield at, value


def custom_problems(document):
    """Types and required fields by the model, unknown fields by what it leaves out."""
    kind = document["kind"]
    known = CUSTOM[kind].model_validate(document).model_dump(by_alias=True, exclude_unset=True, mode="json")
    for path in dict(paths(document["spec"])).keys() - dict(paths(known["spec"])).keys():
        yield f"{kind}: no field is called {path}"


def pod_problems(name, pod, known_variables):
    """Kubernetes' rules for restricted pods, and a little more."""
    security = pod["securityContext"]
    user = re.search(r"^USER (\d+):(\d+)$", pathlib.Path("deploy/container/Dockerfile").read_text(), re.M)
    if not security["runAsNonRoot"] or security["seccompProfile"] != {"type": "RuntimeDefault"}:
        yield f"{name}: not restricted"
    if [security["runAsUser"], security["runAsGroup"]] != [int(part) for part in user.groups()]:
        yield f"{name}: another user than the image's"
    if pod["automountServiceAccountToken"] is not False:
        yield f"{name}: gets a token"
    for container in pod["containers"]:
        own = container["securityContext"]
        if own["allowPrivilegeEscalation"] or own["capabilities"] != {"drop": ["ALL"]}:
            yield f"{name}: may become more than it is"
        if not own["readOnlyRootFilesystem"]:
            yield f"{name}: writes its root file system"
        resources = container["resources"]
        if resources["requests"]["memory"] != resources["limits"]["memory"]:
            yield f"{name}: memory that is promised and may not be there"
        for variable in container["env"]:
            if variable["name"].startswith("THUMBNAIL_") and f'"{variable["name"]}"' not in known_variables:
                yield f"{name}: no option has the variable {variable['name']}"


def reference_problems(name, pod, secrets, claims):
    for volume in pod["volumes"]:
        if volume["persistentVolumeClaim"]["claimName"] not in claims:
            yield f"{name}: no claim for the volume {volume['name']}"
    for container in pod["containers"]:
        for variable in container["env"]:
            reference = variable.get("valueFrom", {}).get("secretKeyRef")
            if reference and reference["key"] not in secrets.get(reference["name"], {}):
                yield f"{name}: no secret for {variable['name']}"


def worker_problems(deployment):
    pod = deployment["spec"]["template"]["spec"]
    worker = pod["containers"][0]
    variables = {each["name"]: each.get("value") for each in worker["env"]}
    room = size(worker["resources"]["limits"]["memory"]) - size(variables["THUMBNAIL_MEMORY_BUDGET"])
    if room < BESIDE_BUDGET:
        yield f"the memory limit is {room >> 20} MiB above the budget, wanted {BESIDE_BUDGET >> 20}"
    if pod["terminationGracePeriodSeconds"] <= seconds(variables["THUMBNAIL_DRAIN_TIMEOUT"]) + BESIDE_DRAIN:
        yield "killed before its drain is over"
    if deployment["spec"]["strategy"]["rollingUpdate"] != {"maxUnavailable": 0, "maxSurge": 1}:
        yield "a rollout that first takes away"
    ports = {port["name"]: port["containerPort"] for port in worker["ports"]}
    if variables["THUMBNAIL_LISTEN"] != f"0.0.0.0:{ports['metrics']}":
        yield "listens on another port than it says"
    for probe, path in [("startupProbe", "/livez"), ("livenessProbe", "/livez"), ("readinessProbe", "/readyz")]:
        if worker[probe]["httpGet"] != {"path": path, "port": "metrics"}:
            yield f"{probe} asks elsewhere"
    mounts = {mount["mountPath"]: mount.get("readOnly", False) for mount in worker["volumeMounts"]}
    if mounts != {"/photos": True, "/thumbs": False}:
        yield f"mounts {mounts}"


def selector_problems(fleet):
    labels = fleet["Deployment"]["spec"]["template"]["metadata"]["labels"]
    spec = {kind: document.get("spec", {}) for kind, document in fleet.items()}
    spread = spec["Deployment"]["template"]["spec"]["topologySpreadConstraints"][0]
    for what, selector in [
        ("Deployment", spec["Deployment"]["selector"]), ("PodDisruptionBudget", spec["PodDisruptionBudget"]["selector"]),
        ("NetworkPolicy", spec["NetworkPolicy"]["podSelector"]), ("PodMonitor", spec["PodMonitor"]["selector"]),
        ("topology spread", spread["labelSelector"]),
    ]:
        wanted = selector["matchLabels"]
        if not wanted or not wanted.items() <= labels.items():
            yield f"{what} selects {wanted}, a worker's pod has {labels}"
    job = labels.get(fleet["PodMonitor"]["spec"]["jobLabel"])
    if job != "thumbnail-worker":
        yield f"PodMonitor: the job would be called {job}"
    policy = spec["NetworkPolicy"]
    reached = {port["port"] for rule in policy["egress"] for port in rule["ports"]}
    if reached != {6379, 53} or not all(rule.get("to") for rule in policy["egress"]):
        yield f"NetworkPolicy: lets workers reach {reached}"
    if [rule["ports"] for rule in policy["ingress"]] != [[{"protocol": "TCP", "port": "metrics"}]]:
        yield "NetworkPolicy: lets others in"
    if set(policy["policyTypes"]) != {"Ingress", "Egress"}:
        yield "NetworkPolicy: forbids nothing in one direction"


def scaling_problems(fleet, secrets):
    scaled, deployment = fleet["ScaledObject"]["spec"], fleet["Deployment"]
    if scaled["scaleTargetRef"]["name"] != deployment["metadata"]["name"]:
        yield "scales nothing"
    if "replicas" in deployment["spec"]:
        yield "Deployment and KEDA both say how many"
    options = pathlib.Path("Sources/Worker/WorkerOptions.swift").read_text()
    longest = re.search(r'"job-timeout".*?default: \.seconds\((\d+)\)', options, re.S)
    if scaled["cooldownPeriod"] <= int(longest.group(1)):
        yield "stops the fleet while a job may still run"
    access = pathlib.Path("deploy/redis/users.acl").read_text()
    rights = next(line for line in access.splitlines() if line.startswith("user scaler ")).split()
    for trigger in scaled["triggers"]:
        facts = trigger["metadata"]
        if not all(isinstance(value, str) for value in facts.values()):
            yield f"{trigger['name']}: metadata are strings"
        if trigger["type"] == "redis":
            if not {"address", "listName", "listLength"} <= facts.keys():
                yield f"{trigger['name']}: incomplete"
            if not any(word.rstrip(")") == f"~{facts['listName']}" for word in rights):
                yield f"{trigger['name']}: the user scaler may not look at {facts['listName']}"
            if trigger["authenticationRef"]["name"] != fleet["TriggerAuthentication"]["metadata"]["name"]:
                yield f"{trigger['name']}: signs in as nobody"
    if [trigger["type"] for trigger in scaled["triggers"]] != ["redis", "redis", "prometheus"]:
        yield "what waits, what is delayed and what runs are asked for"
    for reference in fleet["TriggerAuthentication"]["spec"]["secretTargetRef"]:
        if reference["key"] not in secrets.get(reference["name"], {}):
            yield f"no secret with {reference['key']} for the scaler"


def problems(documents, job):
    fleet = {document["kind"]: document for document in documents}
    secrets = {each["metadata"]["name"]: each["data"] for each in documents if each["kind"] == "Secret"}
    claims = {each["metadata"]["name"] for each in documents if each["kind"] == "PersistentVolumeClaim"}
    known = "".join(path.read_text() for path in pathlib.Path("Sources").rglob("*Options.swift"))
    for document in documents:
        if document["kind"] in CUSTOM:
            yield from custom_problems(document)
    for kind, document in [("Deployment", fleet["Deployment"]), ("Job", job)]:
        pod = document["spec"]["template"]["spec"]
        yield from pod_problems(kind, pod, known)
        yield from reference_problems(kind, pod, secrets, claims)
    yield from worker_problems(fleet["Deployment"])
    yield from selector_problems(fleet)
    yield from scaling_problems(fleet, secrets)
    images = [each["spec"]["template"]["spec"]["containers"][0]["image"] for each in (fleet["Deployment"], job)]
    if images[0] != images[1]:
        yield f"the worker's image is {images[0]}, the Job's {images[1]}"


def main():
    documents = list(yaml.safe_load_all(pathlib.Path(sys.argv[1]).read_text()))
    job = yaml.safe_load(pathlib.Path(sys.argv[2]).read_text())
    found = list(problems(documents, job))
    for problem in found:
        print(f"check-kubernetes: {problem}", file=sys.stderr)
    if not found:
        kinds = [document["kind"] for document in documents] + [job["kind"]]
        print(f"check-kubernetes: {len(kinds)} resources are sound: {' '.join(sorted(set(kinds)))}")
    sys.exit(1 if found else 0)


main()
