"""Runs every measure and writes RESULTS.md. `QUICK=1` repeats little; words of the command line choose measures."""

import datetime
import importlib
import os
import platform
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

from processes import CORES, PLACE, ROOT

MEASURES = ["one_photo", "quality", "scales", "fleet", "floor", "workers", "memory"]
QUICK = os.environ.get("QUICK") == "1"
REPETITIONS = 3 if QUICK else 15
#: A quick run is for a look; the committed table is a whole one.
RESULTS = PLACE / "RESULTS-quick.md" if QUICK else ROOT / "Benchmarks" / "RESULTS.md"

#: What stands between these lines of the README is written here.
QUOTE_BEGIN, QUOTE_END = "<!-- make bench writes this -->", "<!-- until here -->"


def main():
    chosen = sys.argv[1:] or MEASURES
    outcomes = []
    for name in chosen:
        start = time.monotonic()
        outcomes += importlib.import_module(f"measures.{name}").measure(REPETITIONS)
        print(f"bench: {name} took {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
    report = "\n".join(heading() + table(outcomes) + details(outcomes)) + "\n"
    if chosen == MEASURES:
        RESULTS.write_text(report)
        print(f"bench: {RESULTS}", file=sys.stderr)
        if not QUICK:
            quote(outcomes)
    print("\n".join(table(outcomes)))


def quote(outcomes):
    """Puts the table into the README, where its first readers look."""
    readme = ROOT / "README.md"
    before, rest = readme.read_text().split(QUOTE_BEGIN)
    after = rest.split(QUOTE_END)[1]
    lines = [
        "", f"{machine()}, {datetime.date.today()}; medians of {REPETITIONS} runs in turns:", "",
        "| measure | ours | against | ratio |", "|---|---|---|---|",
        *(row.quotation() for outcome in outcomes for row in outcome.rows), ""]
    readme.write_text(before + QUOTE_BEGIN + "\n".join(lines) + QUOTE_END + after)


def heading():
    return [
        "# Results",
        "",
        f"Written by `make bench` on {datetime.date.today()}. {machine()}; cores {CORES[0]} and {CORES[-1]}.",
        f"Medians of {REPETITIONS} runs in turns, of a third as many with fleets and memory; load average at the end {os.getloadavg()[0]:.1f}. Beyond 2 the machine did "
        "other things too, and only the ratios of core time count." + (" A quick run: for a look only." if QUICK else ""),
        "",
        versions(),
        "",
        "A ratio says how many times better we are than the peer, or compares our own two figures. What each row times",
        "stands on top of its file in `Benchmarks/measures`.",
        "",
    ]


def table(outcomes):
    return ["| measure | ours | against | ratio | target | reached |", "|---|---|---|---|---|---|"] + [
        row.markdown() for outcome in outcomes for row in outcome.rows]


def details(outcomes):
    lines = []
    for outcome in outcomes:
        if outcome.details:
            lines += ["", f"## {outcome.title}", "", *outcome.details]
    return lines


def machine():
    model = next(
        line.split(":")[1].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name"))
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{model}, {os.cpu_count()} cores, {memory:.0f} GiB"


def versions():
    import pyvips

    def first_line(*command):
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0]

    libvips = ".".join(str(pyvips.version(part)) for part in range(3))
    packages = ", ".join(
        f"{name} {version(package)}"
        for name, package in (
            ("Pillow", "pillow"), ("OpenCV", "opencv-python-headless"), ("Celery", "celery"),
            ("Dramatiq", "dramatiq"), ("RQ", "rq")))
    jpeg = first_line("dpkg-query", "--show", "--showformat=${Version}\n", "libjpeg62-turbo")
    return (
        f"Ours {first_line('git', '-C', str(ROOT), 'describe', '--always', '--dirty')} with libjpeg-turbo {jpeg}; "
        f"libvips {libvips}, {packages}; {first_line('redis-server', '--version').split(' sha')[0]}; "
        f"Python {platform.python_version()}; Linux {platform.release()}.")


if __name__ == "__main__":
    main()
