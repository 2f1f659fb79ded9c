"""Pictures for the documentation of a fleet at work: Prometheus' own pages, and `fleet top` in a terminal.

    screenshots.py PROGRAMS FOLDER      writes top.png, jobs.png, memory.png and alerts.png into FOLDER; takes two minutes

Grafana is not in Debian, so its dashboard has no picture here; its queries are among those of the graphs.
"""

import fcntl
import html
import math
import os
import pathlib
import pty
import re
import shutil
import struct
import subprocess
import sys
import termios
import time
import urllib.parse

from place import Site

SECONDS = 120
GRAPHS = {
    "jobs": ["sum by (outcome) (rate(thumbnail_jobs_total[15s]))",
             "histogram_quantile(0.95, sum by (stage, le) (rate(thumbnail_job_stage_seconds_bucket[15s])))"],
    "memory": ["max_over_time(thumbnail_memory_reserved_bytes[5s]) / thumbnail_memory_budget_bytes",
               "max by (state) (thumbnail_queue_jobs)"]}
# Whoever clones the repository gets every picture.
LARGEST = 150_000
TERMINAL = (150, 18)
# A terminal's colours, as far as the program uses them.
COLOURS = {"31": "#d33", "32": "#2a2", "33": "#b80", "1": "font-weight:bold"}


def main(programs, folder):
    browser = shutil.which("chromium")
    if not browser:
        raise SystemExit("screenshots: chromium is missing: apt-get install chromium")
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with Site(programs) as site:
        keep_busy(site)
        page = site.folder / "top.html"
        page.write_text(page_of(terminal(site)))
        shoot(browser, site, f"file://{page}", folder / "top.png", "1200,330")
        for name, expressions in GRAPHS.items():
            query = "&".join(f"g{n}.expr={urllib.parse.quote(each)}&g{n}.tab=0&g{n}.range_input=2m"
                             for n, each in enumerate(expressions))
            shoot(browser, site, f"{site.url}/graph?{query}", folder / f"{name}.png", "900,1780")
        # Debian leaves the newer pages out.
        shoot(browser, site, f"{site.url}/classic/alerts", folder / "alerts.png", "900,1300")


def keep_busy(site):
    """More jobs and fewer, for two minutes: the hour of a real fleet in short."""
    began = time.monotonic()
    while (passed := time.monotonic() - began) < SECONDS:
        for _ in range(round(6 + 5 * math.sin(passed / 12))):
            site.push()
        # Not a wait for a result: the pace of those who push.
        time.sleep(1)


def terminal(site):
    """The last whole frame that `fleet top` draws."""
    child, descriptor = pty.fork()
    if child == 0:
        os.environ.update(site.environment, TERM="xterm")
        os.execv(site.programs / "fleet", ["fleet", "top"])
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", TERMINAL[1], TERMINAL[0], 0, 0))
    drawn, deadline = b"", time.monotonic() + 8
    while time.monotonic() < deadline:
        site.push()
        drawn += os.read(descriptor, 1 << 16)
    os.write(descriptor, b"q")
    os.waitpid(child, 0)
    return drawn.decode().split("\x1b[H")[-1].split("\x1b[J")[0].replace("\r", "")


def page_of(frame):
    """HTML that looks like the terminal did."""
    text = html.escape(frame.replace("\x1b[K", ""))

    def style(match):
        codes = [code for code in match[1].split(";") if code in COLOURS]
        rules = ";".join(COLOURS[code] if ":" in COLOURS[code] else f"color:{COLOURS[code]}" for code in codes)
        return f'</span><span style="{rules}">'

    text = re.sub(r"\x1b\[([0-9;]*)m", style, text)
    return f'<body style="background:#111;color:#ddd;margin:12px"><pre style="font:13px monospace"><span>{text}</span></pre>'


def shoot(browser, site, address, path, size):
    subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                    f"--user-data-dir={site.folder}/browser", f"--window-size={size}",
                    "--virtual-time-budget=15000", f"--screenshot={path}", address],
                   capture_output=True, timeout=120, check=True)
    size = path.stat().st_size
    print(f"screenshots: {path}, {size} bytes")
    if size > LARGEST:
        raise SystemExit(f"screenshots: {path} is larger than {LARGEST} bytes: make its window smaller")


if __name__ == "__main__":
    main(*sys.argv[1:])
