"""What must hold between the lines of deploy/container/compose.yaml, which no schema knows.

usage: check-compose.py RESOLVED TREE: what `docker-compose config` printed, and the tree whose files it mounts.
"""

import pathlib
import re
import sys

import yaml

UNITS = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "": 1, "b": 1}
# A budget is kept by 32 MiB (the contract); the kernel's own share of a container comes to it.
BESIDE_BUDGET = 48 << 20
# What a Redis that hangs may add to the drain.
BESIDE_DRAIN = 10


def size(text):
    number, unit = re.fullmatch(r"([0-9]+)\s*([A-Za-z]*)", str(text)).groups()
    return int(number) * UNITS[unit.lower()]


def seconds(text):
    minutes, rest = re.fullmatch(r"(?:([0-9]+)m)?(?:([0-9]+)s)?", text).groups(default="0")
    return 60 * int(minutes) + int(rest)


def problems(compose, tree):
    known = "".join(path.read_text() for path in pathlib.Path("Sources").rglob("*Options.swift"))
    services = compose["services"]
    worker = services["worker"]
    variables = worker["environment"]

    room = size(worker["mem_limit"]) - size(variables["THUMBNAIL_MEMORY_BUDGET"])
    if room < BESIDE_BUDGET:
        yield f"worker: the memory limit is {room >> 20} MiB above the budget, wanted {BESIDE_BUDGET >> 20}"
    if worker["memswap_limit"] != worker["mem_limit"]:
        yield "worker: may swap"
    if seconds(worker["stop_grace_period"]) < seconds(variables["THUMBNAIL_DRAIN_TIMEOUT"]) + BESIDE_DRAIN:
        yield "worker: killed before its drain is over"
    if worker["scale"] < 2:
        yield "worker: two of them show that it is a fleet"

    for name, user in [("worker", "worker"), ("enqueue", "producer"), ("fleet", "operator")]:
        service = services[name]
        if not service["environment"]["REDIS_URL"].startswith(f"redis://{user}:"):
            yield f"{name}: does not sign in as {user}"
        for variable in service["environment"]:
            if variable.startswith("THUMBNAIL_") and f'"{variable}"' not in known:
                yield f"{name}: no option has the variable {variable}"
        program = service.get("entrypoint", ["/usr/local/bin/worker"])[0]
        if name != "worker" and program != f"/usr/local/bin/{name}":
            yield f"{name}: starts {program}"

    for name, service in services.items():
        if not service.get("read_only") or service.get("cap_drop") != ["ALL"]:
            yield f"{name}: a root file system that can be written, or capabilities"
        for port in service.get("ports", []):
            if not str(port).startswith("127.0.0.1:"):
                yield f"{name}: port {port} is open to everybody"
        for volume in service.get("volumes", []):
            source = pathlib.Path(str(volume).split(":")[0])
            if source.is_absolute() and source.is_relative_to(tree) and source.name != "photos":
                if not source.exists():
                    yield f"{name}: mounts {source.relative_to(tree)}, which is not there"
    if not compose["networks"]["fleet"].get("internal"):
        yield "the fleet's network has a way out"

    here = pathlib.Path(tree, "deploy/container/prometheus.yml")
    scrape = yaml.safe_load(here.read_text())["scrape_configs"][0]
    address = f"0.0.0.0:{scrape['dns_sd_configs'][0]['port']}"
    if variables["THUMBNAIL_LISTEN"] != address:
        yield f"worker: listens on {variables['THUMBNAIL_LISTEN']}, Prometheus asks at {address}"


def main():
    resolved, tree = sys.argv[1:]
    found = list(problems(yaml.safe_load(pathlib.Path(resolved).read_text()), tree))
    for problem in found:
        print(f"check-compose: {problem}", file=sys.stderr)
    sys.exit(1 if found else 0)


main()
