"""Whole fleets on two cores, from the first push to the last published result, in jobs a second."""

from contextlib import ExitStack

import fleets
import photographs
from table import Outcome, Row, in_turns


def measure(repetitions):
    rounds = max(2, repetitions // 3)
    return [
        versus(
            "photographs", photographs.MIX * (2 if rounds == 2 else 8), rounds, 6, [fleets.Celery]),
        versus(
            "20-KB pictures", photographs.twenty_kilobytes() * (3 if rounds == 2 else 10), rounds, 5,
            [fleets.Celery, fleets.Dramatiq, fleets.RQ]),
    ]


def versus(what, pictures, rounds, target, peers):
    with ExitStack() as stack:
        running = [stack.enter_context(fleet()) for fleet in (fleets.Ours, *peers)]
        for fleet in running:
            # The first jobs wait for the start of the workers and for their imports.
            fleet.run(photographs.twenty_kilobytes()[:10])
        seconds = in_turns(
            {fleet.name: lambda fleet=fleet: (fleet.run(pictures),) for fleet in running}, rounds)
    rates = {name: len(pictures) / time for name, (time,) in seconds.items()}
    best = max((name for name in rates if name != "ours"), key=rates.get)
    row = Row(
        f"whole fleet, two cores, {what}", f"{rates['ours']:.0f} jobs/s", f"{best} {rates[best]:.0f} jobs/s",
        rates["ours"] / rates[best], target)
    details = ["| fleet | jobs/s |", "|---|---|"] + [f"| {name} | {rate:.0f} |" for name, rate in rates.items()]
    return Outcome([row], f"Whole fleet, {what}: {len(pictures)} jobs a round, {rounds} rounds", details)
