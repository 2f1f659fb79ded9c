"""Holds the runbook against the alerts and against the programs whose commands it quotes."""

import pathlib
import re
import shlex
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ["deploy/RUNBOOK.md", "docs/scaling.md"]
PROGRAMS = ("fleet", "enqueue", "worker")


def problems(programs):
    found = alert_problems()
    for page in PAGES:
        text = (ROOT / page).read_text()
        found += [f"{page}: {problem}" for problem in link_problems(page, text) + command_problems(text, programs)]
    return found


def alert_problems():
    """Each alert has a section, names it, fires in one test and is silent in another."""
    found = []
    rules = (ROOT / "deploy/prometheus/alerts.yml").read_text()
    tests = (ROOT / "deploy/prometheus/alerts_test.yml").read_text()
    sections = set(re.findall(r"^### (Thumbnail\w+)$", (ROOT / "deploy/RUNBOOK.md").read_text(), re.M))
    alerts = re.findall(r"- alert: (\w+)\n(.*?)(?=\n\n|\Z)", rules, re.S)
    for name, body in alerts:
        if name not in sections:
            found.append(f"deploy/RUNBOOK.md has no section {name}")
        if f"runbook_url: deploy/RUNBOOK.md#{name.lower()}\n" not in body + "\n":
            found.append(f"{name} does not name its section of the runbook")
        for part in ("severity:", "summary:", "description:"):
            if part not in body:
                found.append(f"{name} has no {part[:-1]}")
        if not re.search(rf"alertname: {name}\n\s+exp_alerts:\n", tests):
            found.append(f"no test sees {name} fire")
        if f"alertname: {name}, exp_alerts: []" not in tests:
            found.append(f"no test sees {name} stay silent")
    return found + [f"section {name} has no alert" for name in sorted(sections - {name for name, _ in alerts})]


def link_problems(page, text):
    """Links inside of the repository lead somewhere."""
    found = []
    for target in re.findall(r"\]\(([^)]+)\)", text):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        file = (ROOT / page).parent / path if path else ROOT / page
        if not file.exists():
            found.append(f"{target} leads nowhere")
        elif anchor and anchor not in anchors(file.read_text()):
            found.append(f"{target}: no such section")
    return found


def anchors(text):
    """As GitHub makes them of headings."""
    headings = re.findall(r"^#+ (.+)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def command_problems(text, programs):
    """Every quoted command and option of ours exists."""
    found, helps = [], {}
    quoted = [line for block in re.findall(r"^```\w*\n(.*?)^```", text, re.M | re.S) for line in block.splitlines()]
    quoted += re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))
    for line in quoted:
        try:
            words = shlex.split(line, comments=True)
        except ValueError:
            continue
        if not words or words[0] not in PROGRAMS:
            continue
        command = words[:2] if words[0] == "fleet" and len(words) > 1 else words[:1]
        key = " ".join(command)
        if key not in helps:
            run = subprocess.run([f"{programs}/{command[0]}", *command[1:], "--help"], capture_output=True, text=True)
            helps[key] = run.stdout if run.returncode == 0 else None
        if helps[key] is None:
            found.append(f"there is no command {key!r}")
            continue
        options = re.findall(r"^ {2,6}(--[\w-]+)", helps[key], re.M)
        for word in words:
            if word.startswith("--") and word.partition("=")[0] not in options:
                found.append(f"{key} has no option {word}: {line}")
        for code in re.findall(r"--code ([a-z_,]+)", line):
            found += [f"no error code {each}: {line}" for each in code.split(",") if each not in helps[key]]
    return found
