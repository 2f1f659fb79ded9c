"""Scales 1, 2 and 3 of one photo in one job, against scale 3 alone: the decode is shared."""

import photographs
from processes import ours
from table import Outcome, Row, geomean, in_turns


def measure(repetitions):
    with ours() as loop:
        ratios, times = [], []
        for path in photographs.BASELINE + photographs.PROGRESSIVE[:4]:
            loop.thumbnail("120x120", "1,2,3", path)
            medians = in_turns(
                {scales: lambda scales=scales: loop.thumbnail("120x120", scales, path) for scales in ("1,2,3", "3")},
                repetitions)
            times.append(medians)
            ratios.append(medians["1,2,3"][0] / medians["3"][0])
    row = Row(
        "scales 1, 2, 3 in one job against scale 3 alone", f"{geomean(t['1,2,3'][0] for t in times):.1f} ms",
        f"scale 3 alone {geomean(t['3'][0] for t in times):.1f} ms", geomean(ratios), 1.25, at_least=False,
        shown=f"{geomean(ratios):.2f}×, worst {max(ratios):.2f}×")
    return [Outcome([row])]
