"""Whole fleets on a private Redis each: start, push a list of pictures, wait until the last result is published.

Every fleet has the same two cores, which it shares with Redis and with the one who pushes; each pushes the way its
documentation advises for many jobs."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import redis

from processes import CORES, ONE_THREAD, PEERS, PLACE, PROGRAMS, PYTHON, pinned

PATIENCE = 120


class PrivateRedis:
    """A server on a unix socket in a short temporary folder: a socket's path has a limit of 107 bytes."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="thumbnail-fleet-bench."))
        self.socket = self.folder / "redis.sock"
        #: Most peers keep their results in a second database, whose size is then their number.
        self.queues, self.results = (
            redis.Redis(unix_socket_path=str(self.socket), db=database) for database in (0, 1))
        self.process = subprocess.Popen(
            pinned(
                ["redis-server", "--port", "0", "--unixsocket", self.socket, "--dir", self.folder, "--save", "",
                 "--appendonly", "no", "--maxmemory-policy", "noeviction"], CORES), stdout=subprocess.DEVNULL)
        until(self.answers, "Redis does not start")

    def answers(self):
        try:
            return self.queues.ping()
        except redis.ConnectionError:
            return False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=PATIENCE)
        shutil.rmtree(self.folder)


def until(condition, what, pause=0.01):
    """Polls, as no peer tells of its last result by itself. Ten milliseconds are little in seconds, and a hundred
    questions a second cost the fleets a hundredth of a core."""
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(what)
        time.sleep(pause)


class Fleet:
    """Workers in a server of their own. A subclass says how they start, how jobs are pushed and what is published."""

    name: str

    def __init__(self, cores=CORES):
        self.cores = cores
        self.output = PLACE / "thumbs" / self.name
        shutil.rmtree(self.output, ignore_errors=True)
        self.output.mkdir(parents=True)
        self.redis = PrivateRedis()
        self.environment = {**ONE_THREAD, "BENCH_REDIS": str(self.redis.socket), "PYTHONPATH": str(PEERS)}
        self.log = open(PLACE / f"{self.name}.log", "w")
        self.processes = [
            subprocess.Popen(
                command, env=self.environment, stdout=self.log, stderr=subprocess.STDOUT, start_new_session=True)
            for command in self.commands()]
        self.pushed = 0

    def run(self, pictures):
        """Seconds from the first push to the last result."""
        jobs = [
            (str(picture), str(self.output / f"{number}.jpg"))
            for number, picture in enumerate(pictures, self.pushed)]
        start = time.monotonic()
        self.push(jobs)
        self.pushed += len(jobs)
        until(lambda: self.published() >= self.pushed, f"{self.name} publishes only {self.published()}")
        seconds = time.monotonic() - start
        missing = [output for _, output in jobs if not os.path.getsize(output)]
        if missing:
            raise RuntimeError(f"{self.name} made no {missing[0]}; see {self.log.name}")
        return seconds

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                # Peers have children of their own, which are in the session that was made for them.
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        self.log.close()
        self.redis.__exit__()
        shutil.rmtree(self.output, ignore_errors=True)


class Ours(Fleet):
    name = "ours"
    #: The cores of each worker; one worker on all of them unless said otherwise.
    workers = None

    def commands(self):
        worker = [
            PROGRAMS / "worker", "--redis", f"unix://{self.redis.socket}", "--source-root", "/",
            "--output", self.output, "--memory-budget", "512MiB"]
        return [pinned(worker, cores) for cores in self.workers or [self.cores]]

    def push(self, jobs):
        for start in range(0, len(jobs), 500):
            self.redis.queues.lpush(
                "thumbnails",
                *(json.dumps({"source": source, "pt": "120x120", "scale": 3, "output": Path(output).name})
                  for source, output in jobs[start:start + 500]))

    def published(self):
        finished, buried = self.redis.queues.hmget("{thumbnails}:counters", "finished", "buried")
        if int(buried or 0):
            raise RuntimeError(f"our fleet buried a job; see {self.log.name}")
        return int(finished or 0)


class Celery(Fleet):
    """Prefork with two processes; results in Redis. Acknowledged early, as by default: faster than at least once."""

    name = "celery"

    def commands(self):
        return [
            pinned(
                [PYTHON, "-m", "celery", "-A", "fleet_celery", "worker", "--pool", "prefork",
                 "--concurrency", len(self.cores), "--without-gossip", "--without-mingle", "--loglevel", "WARNING"],
                self.cores)]

    def push(self, jobs):
        import celery

        # Without a result backend: with one, the producer would subscribe to every result.
        app = celery.Celery(broker=f"redis+socket://{self.redis.socket}?virtual_host=0")
        with app.producer_pool.acquire(block=True) as producer:
            for job in jobs:
                app.send_task("fleet_celery.thumbnail", job, producer=producer)

    def published(self):
        return self.redis.results.dbsize()


class Dramatiq(Fleet):
    """Two processes of one thread each; results in Redis."""

    name = "dramatiq"

    def commands(self):
        return [
            pinned(
                [PYTHON, "-m", "dramatiq", "fleet_dramatiq", "--processes", len(self.cores), "--threads", 1],
                self.cores)]

    def push(self, jobs):
        import dramatiq
        from dramatiq.brokers.redis import RedisBroker

        broker = RedisBroker(url=f"unix://{self.redis.socket}?db=0")
        broker.declare_queue("default")
        for job in jobs:
            broker.enqueue(
                dramatiq.Message(queue_name="default", actor_name="thumbnail", args=job, kwargs={}, options={}))

    def published(self):
        return self.redis.results.dbsize()


class RQ(Fleet):
    """Two workers that do not fork for each job, which is RQ at its fastest."""

    name = "rq"

    def commands(self):
        worker = [
            PYTHON, "-m", "rq.cli", "worker", "--worker-class", "rq.SimpleWorker", "--quiet",
            "--url", f"unix://{self.redis.socket}?db=0"]
        return [pinned(worker, self.cores) for _ in self.cores]

    def push(self, jobs):
        import rq

        rq.Queue(connection=self.redis.queues).enqueue_many(
            [rq.Queue.prepare_data("fleet_rq.thumbnail", args=job) for job in jobs])

    def published(self):
        return self.redis.queues.zcard("rq:finished:default")
