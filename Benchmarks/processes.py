"""Processes that the benchmarks start: pinned to cores, asked one line at a time, and looked at from outside."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLACE = ROOT / ".build" / "bench"
PROGRAMS = ROOT / ".build" / "release"
PEERS = Path(__file__).resolve().parent / "peers"
PYTHON = PLACE / "venv" / "bin" / "python"
#: The two cores of every measure; the second one is that of whatever runs alone.
CORES = sorted(os.sched_getaffinity(0))[:2]
#: Every peer does one job on one thread, as we do.
ONE_THREAD = {**os.environ, "VIPS_CONCURRENCY": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def pinned(command, cores):
    return ["taskset", "--cpu-list", ",".join(map(str, cores)), *map(str, command)]


class Loop:
    """A process that does one task a line and answers with one line, alone on its core."""

    def __init__(self, name, command):
        self.name = name
        self.process = subprocess.Popen(
            pinned(command, CORES[-1:]), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=ONE_THREAD)

    def ask(self, *words):
        """The fields of the answer. Raises what the process says of a task that it could not do."""
        self.process.stdin.write("\t".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().rstrip("\n").split("\t")
        if not answer[0].isdigit():
            raise RuntimeError(f"{self.name}: {' '.join(answer) or 'ended'} at {words}")
        return answer

    def time(self, *task):
        """Milliseconds of the core's time, and milliseconds by the clock."""
        busy, wall, *_ = self.ask(*task)
        return int(busy) / 1e6, int(wall) / 1e6

    def thumbnail(self, points, scales, path):
        return self.time("thumbnail", points, scales, path)

    def memory(self, field):
        """A field of /proc/PID/status in MiB."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1]) / 1024
        raise KeyError(field)

    def forget_peak(self):
        """Sets VmHWM to what is resident now."""
        Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=10)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def ours(*options):
    return Loop("ours", [PROGRAMS / "Bench", *options])


def libvips():
    return Loop("libvips", [PYTHON, PEERS / "loop_vips.py"])


def pillow():
    return Loop("Pillow", [PYTHON, PEERS / "loop_pillow.py"])


def opencv():
    return Loop("OpenCV", [PYTHON, PEERS / "loop_opencv.py"])
