"""Asks a real Prometheus every query of alerts, recording rules and dashboard. See scripts/check-observability.sh."""

import json
import os
import re
import shutil
import subprocess
import sys

import drill
import promql
import runbook
from place import ROOT, Site, fetch

# What Grafana puts in place of its variables.
VARIABLES = {"$queue": ".*", "$instance": ".*", "$__rate_interval": "1m", "$__range": "1m"}
# Queries whose answer may be empty or without a number in this run, each with its reason. None at present.
MAY_BE_EMPTY = {}
# What no worker exposes: Prometheus' own.
OF_PROMETHEUS = {"up", "ALERTS"}


def main(programs):
    problems = runbook.problems(programs)
    with Site(programs) as site:
        work(site)
        for target in site.targets:
            problems += exposition_problems(fetch(f"http://{target}/metrics"))
        rules = [rule for group in site.ask("rules")["groups"] for rule in group["rules"]]
        problems += [f"rule {rule['name']}: {rule.get('lastError')}" for rule in rules if rule["health"] != "ok"]
        panels = list(dashboard_queries())
        queries = [(f"rule {rule['name']}", rule["query"]) for rule in rules]
        queries += [(f"panel {title}", expression) for title, expression, _ in panels]
        for name, expression in queries:
            problems += [f"{name}: {problem}" for problem in vocabulary_problems(site, expression)]
        for title, expression, legend in panels:
            problems += [f"panel {title}: {problem}" for problem in answer_problems(site, expression, legend)]
        if os.environ.get("SCREENSHOT"):
            screenshot(site, os.environ["SCREENSHOT"])
        alerts = drill.run(site)
    for problem in problems:
        print(f"check-observability: {problem}", file=sys.stderr)
    print(f"check-observability: {len(rules)} rules and {len(panels)} panel queries asked of Prometheus, "
          f"{len(problems)} problems; {len(alerts)} alerts seen in a drill")
    return 1 if problems else 0


def work(site):
    """Jobs of all kinds, until Prometheus has seen both workers settle some, and the rules have been evaluated."""
    site.push()
    wanted = ['min(increase(thumbnail_jobs_total{outcome="finished"}[1m])) > 0',
              'sum(thumbnail_jobs_total{outcome="retried"}) > 0', 'sum(thumbnail_jobs_total{outcome="released"}) > 0',
              'sum(rate(thumbnail_job_stage_seconds_count[1m])) > 0',
              'sum(queue:thumbnail_jobs:rate5m{outcome="finished"}) > 0',
              "sum(queue:thumbnail_jobs_buried:ratio_rate15m) > 0"]

    def is_seen():
        site.push()
        return all(site.ask("query", query=query)["result"] for query in wanted)

    site.until("jobs of all kinds in Prometheus", is_seen, patience=90)


def exposition_problems(page):
    """promtool's lint of the page, and that figures of the queue say how they are to be joined."""
    lint = subprocess.run(["promtool", "check", "metrics"], input=page, capture_output=True, text=True)
    found = [f"/metrics: {line}" for line in (lint.stdout + lint.stderr).splitlines() if lint.returncode]
    for name, text in re.findall(r"^# HELP (thumbnail_queue_\w+) (.*)$", page, re.M):
        if not re.search(r"\bmax\b", text) or "never the sum" not in text:
            found.append(f"/metrics: the HELP of {name} does not say how workers are joined")
    return found


def dashboard_queries():
    """-> (title, expression without Grafana's variables, legend)."""
    dashboard = json.loads((ROOT / "deploy/grafana/thumbnail-fleet.json").read_text())
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            expression = target["expr"]
            for variable, value in VARIABLES.items():
                expression = expression.replace(variable, value)
            yield panel["title"], expression, target["legendFormat"]


def vocabulary_problems(site, expression):
    """Every metric, label and value that the expression names was there in this run."""
    found, known_labels = [], {"le"}
    selectors, grouped = promql.parse(expression)
    for selector in selectors:
        series = site.ask("series", **{"match[]": selector.metric})
        if not series and selector.metric not in OF_PROMETHEUS:
            found.append(f"nobody exposes {selector.metric}")
            continue
        values = {}
        for each in series:
            for label, value in each.items():
                values.setdefault(label, set()).add(value)
        known_labels |= values.keys()
        for label, operator, value in selector.matchers:
            if label not in values:
                found.append(f"{selector.metric} has no label {label}")
                continue
            alternatives = value.split("|") if "~" in operator else [value]
            found += [f"{selector.metric}: no {label}={each}" for each in alternatives
                      if each not in values[label] and not ("~" in operator and re.search(r"[.*+\[(]", each))]
    return found + [f"no label {label} to group by" for label in sorted(grouped - known_labels)]


def answer_problems(site, expression, legend):
    try:
        result = site.ask("query", query=expression)["result"]
    except ValueError as error:
        return [f"{error}: {expression}"]
    if expression in MAY_BE_EMPTY:
        return []
    if not any(series["value"][1] != "NaN" for series in result):
        return [f"no answer to {expression}"]
    labels = set().union(*(series["metric"].keys() for series in result))
    return [f"the legend names {label}, which {expression} does not have"
            for label in re.findall(r"{{(\w+)}}", legend) if label not in labels]


def screenshot(site, path):
    """Prometheus' own graphs, since Grafana is not in Debian."""
    browser = shutil.which("chromium")
    if not browser:
        print("check-observability: no screenshot without chromium", file=sys.stderr)
        return
    queries = ["sum by (outcome) (queue:thumbnail_jobs:rate5m)", "queue:thumbnail_queue_jobs:max",
               "histogram_quantile(0.95, sum by (stage, le) (rate(thumbnail_job_stage_seconds_bucket[1m])))"]
    address = f"{site.url}/graph?" + "&".join(
        f"g{n}.expr={query.replace(' ', '%20')}&g{n}.tab=0&g{n}.range_input=1m" for n, query in enumerate(queries))
    subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                    f"--user-data-dir={site.folder}/browser", "--window-size=1400,2300", "--virtual-time-budget=15000",
                    f"--screenshot={path}", address], capture_output=True, timeout=120)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
