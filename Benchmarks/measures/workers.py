"""One worker on one core against two workers on one core each, on the photographs of the mix."""

import fleets
import photographs
from processes import CORES
from table import Outcome, Row, in_turns


class OneWorker(fleets.Ours):
    name = "one-worker"
    workers = [CORES[-1:]]


class TwoWorkers(fleets.Ours):
    name = "two-workers"
    workers = [[core] for core in CORES]


def measure(repetitions):
    rounds = max(2, repetitions // 3)
    pictures = photographs.MIX * (2 if rounds == 2 else 8)
    with OneWorker() as one, TwoWorkers() as two:
        for fleet in (one, two):
            fleets.until(
                lambda: fleet.redis.queues.zcard("{thumbnails}:workers") == len(fleet.workers),
                f"{fleet.name} do not register")
            fleet.run(photographs.MIX)
        seconds = in_turns({fleet.name: lambda fleet=fleet: (fleet.run(pictures),) for fleet in (one, two)}, rounds)
    rates = {name: len(pictures) / time for name, (time,) in seconds.items()}
    return [
        Outcome(
            [
                Row(
                    "one to two workers of one job each", f"{rates['two-workers']:.0f} jobs/s",
                    f"one worker {rates['one-worker']:.0f} jobs/s", rates["two-workers"] / rates["one-worker"], 1.9)
            ])
    ]
