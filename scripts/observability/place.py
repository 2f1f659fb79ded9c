"""A Redis, two workers that do all kinds of jobs, and a Prometheus that scrapes them. On loopback, in a folder of its own."""

import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

import drill

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "Tests" / "Fixtures"
GOOD = ["landscape-420.jpg", "portrait-422.jpg", "landscape-progressive.jpg", "orientation-6.jpg"]


class Site:
    def __init__(self, programs):
        self.programs = pathlib.Path(programs)
        # A socket's path has a limit of 107 bytes.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="fleet-look.", dir="/tmp"))
        self.processes = []
        self.environment = {**os.environ, "REDIS_URL": f"unix://{self.folder}/redis.sock"}
        self.pushed = 0
        self.has_failpoints = b"THUMBNAIL_FAILPOINT" in (self.programs / "worker").read_bytes()

    def __enter__(self):
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.terminate()
            # A frozen one hears of it when it thaws.
            process.send_signal(signal.SIGCONT)
        for process in self.processes:
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _start(self):
        self.run("redis", ["redis-server", "--port", "0", "--unixsocket", f"{self.folder}/redis.sock",
                           "--dir", str(self.folder), "--save", "", "--maxmemory-policy", "noeviction"])
        self.until("Redis", lambda: self.redis("PING") == "PONG")
        photos = self.folder / "photos"
        photos.mkdir()
        for name in GOOD + ["cut-half.jpg"]:
            shutil.copy(FIXTURES / name, photos / name)
        shutil.copy(FIXTURES / GOOD[0], photos / "poison.jpg")
        (self.folder / "thumbs").mkdir()
        # A file where a folder is wanted: the output cannot be written, and the job is retried.
        (self.folder / "thumbs" / "in-the-way").touch()
        self.targets = [f"127.0.0.1:{port}" for port in free_ports(3)]
        prometheus = self.targets.pop()
        for number, target in enumerate(self.targets):
            self.run(f"worker-{number}", [
                str(self.programs / "worker"), "--source-root", str(photos), "--output", f"{self.folder}/thumbs",
                "--memory-budget", "64MiB", "--listen", target], self.worker_environment(number))
        for target in self.targets:
            self.until(f"worker {target}", lambda: fetch(f"http://{target}/readyz") is not None)
        self.url = f"http://{prometheus}"
        self.run("prometheus", [
            "prometheus", f"--config.file={self._configuration().name}", f"--storage.tsdb.path={self.folder}/data",
            f"--web.listen-address={prometheus}"], folder="prometheus")
        self.until("Prometheus", lambda: fetch(self.url + "/-/ready") is not None)

    def _configuration(self):
        """The example as it is, but for addresses, and a second between two looks."""
        place = self.folder / "prometheus"
        place.mkdir()
        for name in ("recording.yml", "alerts.yml"):
            shutil.copy(ROOT / "deploy" / "prometheus" / name, place / name)
        text = (ROOT / "deploy" / "prometheus" / "prometheus.yml").read_text()
        text, intervals = re.subn(r"(scrape|evaluation)_interval: 15s", r"\1_interval: 1s", text)
        text, targets = re.subn(r"targets: \[.*?\]", f"targets: {json.dumps(self.targets)}", text, count=1)
        assert (intervals, targets) == (2, 1), "prometheus.yml has changed: adapt the check"
        (place / "prometheus.yml").write_text(text)
        return place / "prometheus.yml"

    def worker_environment(self, number):
        if not self.has_failpoints:
            return {}
        return {**drill.SHORT_LEASE, **(drill.FAILPOINTS if number == 0 else {})}

    def run(self, name, command, more={}, folder=None):
        """`folder`: where it starts, below the site's own; else where we are."""
        log = open(self.folder / f"{name}.log", "wb")
        process = subprocess.Popen(command, stdout=log, stderr=log, env={**self.environment, **more},
                                   cwd=folder and self.folder / folder)
        process.name = name
        self.processes.append(process)

    def process(self, name):
        return next(each for each in self.processes if each.name == name)

    def end(self, name):
        """Ends one of the processes as an operator would, before the others."""
        process = self.process(name)
        self.processes.remove(process)
        process.terminate()
        process.wait(timeout=40)

    def redis(self, *words):
        command = ["redis-cli", "-s", f"{self.folder}/redis.sock", *words]
        return subprocess.run(command, capture_output=True, text=True).stdout.strip()

    def push(self):
        """Some jobs of each kind: good, damaged, missing, not writable, of a newer version, no job at all."""
        jobs = [{"source": name, "pt": "60x60", "scale": 2} for name in GOOD * 5]
        jobs += [{"source": "cut-half.jpg", "pt": "60x60", "scale": 1}, {"source": "gone.jpg", "pt": "9x9", "scale": 1},
                 {"source": GOOD[0], "pt": "9x9", "scale": 1, "output": "in-the-way/a.jpg"},
                 {"source": GOOD[0], "pt": "9x9", "scale": 1, "v": 2}]
        for job in jobs:
            self.pushed += 1
            job["id"] = f"look-{self.pushed}"
        self.redis("LPUSH", "thumbnails", *map(json.dumps, jobs), "no job")

    def until(self, what, condition, patience=60):
        """Waits for an event that only asking can tell of."""
        deadline = time.monotonic() + patience
        while not condition():
            for process in self.processes:
                if process.poll() is not None:
                    log = (self.folder / f"{process.name}.log").read_text(errors="replace")
                    raise SystemExit(f"check-observability: {process.name} ended: {log[-2000:]}")
            if time.monotonic() > deadline:
                raise SystemExit(f"check-observability: waited in vain for {what}")
            time.sleep(0.1)

    def ask(self, path, **parameters):
        """Prometheus' HTTP API -> data. Raises ValueError with its message for a query that is wrong."""
        answer = fetch(f"{self.url}/api/v1/{path}?{urllib.parse.urlencode(parameters, doseq=True)}", errors=True)
        document = json.loads(answer)
        if document["status"] != "success":
            raise ValueError(document.get("error", answer))
        return document["data"]


def fetch(url, errors=False):
    """-> the body; None while nobody answers. `errors`: also of an answer that is an error."""
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.read().decode() if errors else None
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return None


def free_ports(count):
    """Ports that were free a moment ago."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports
