"""Breaks the fleet for real and waits until Prometheus says so. promtool's tests say when alerts fire; this, that what they
look at is what workers tell when it happens. An alert with a `for` is pending then, which is enough here."""

import json
import signal
import subprocess

# Of a debug build: the first worker dies under one picture, and leases are short.
FAILPOINTS = {"THUMBNAIL_FAILPOINT": "inspected=kill:poison.jpg"}
SHORT_LEASE = {"THUMBNAIL_TEST_LEASE_MS": "3000"}


def run(site):
    """-> the alerts that were seen. Ends the workers and Redis of the site."""
    seen = []

    def expect(*alerts):
        for alert in alerts:
            site.until(f"the alert {alert}", lambda: alert in active(site))
            seen.append(alert)

    # Three of 23 jobs that the site pushes end without a thumbnail.
    expect("ThumbnailErrorRateHigh")

    fleet(site, "pause", "--reason", "drill")
    site.push()
    expect("ThumbnailQueuePaused")
    fleet(site, "resume")
    site.until("the end of the pause", lambda: "ThumbnailQueuePaused" not in active(site))

    freeze(site, expect)
    if site.has_failpoints:
        kill(site, expect)
    else:
        print("check-observability: a release build: no job crashes a worker in the drill")
        site.end("worker-0")
    expect("ThumbnailWorkerDown")

    site.end("redis")
    expect("ThumbnailRedisDisconnected")

    site.end("worker-1")
    expect("ThumbnailNoWorkers")
    return seen


def freeze(site, expect):
    """The first worker freezes with jobs in its hands, beyond its lease, and thaws."""
    worker = site.process("worker-0")
    info = site.ask("query", query=f'thumbnail_build_info{{instance="{site.targets[0]}"}}')["result"][0]["metric"]
    jobs = f"{{thumbnails}}:worker:{info['worker']}"

    def holds_jobs():
        site.push()
        worker.send_signal(signal.SIGSTOP)
        if site.redis("LLEN", jobs) != "0":
            return True
        worker.send_signal(signal.SIGCONT)
        return False

    site.until("a frozen worker that holds jobs", holds_jobs)
    expect("ThumbnailWorkersDie")
    worker.send_signal(signal.SIGCONT)
    expect("ThumbnailStaleAcknowledgements", "ThumbnailLeasesLost")


def kill(site, expect):
    """The first worker dies, as the third one under the same job."""
    worker = site.process("worker-0")
    site.processes.remove(worker)
    names = (f"poison-{number}" for number in range(1_000_000))

    def is_dead():
        # The other worker, which survives it, may be the first to take a job: then there is another one.
        name = next(names)
        site.redis("HSET", "{thumbnails}:attempts", name, "0 2")
        site.redis("LPUSH", "thumbnails", json.dumps({"source": "poison.jpg", "pt": "9x9", "scale": 1, "id": name}))
        return worker.poll() is not None

    site.until("a dead worker", is_dead)
    expect("ThumbnailJobCrashedWorkers")


def active(site):
    """Names of alerts that are pending or firing."""
    return {alert["labels"]["alertname"] for alert in site.ask("alerts")["alerts"]}


def fleet(site, *words):
    subprocess.run([str(site.programs / "fleet"), *words], env=site.environment, check=True, capture_output=True)
