"""A photo's whole way against reading it and decoding its bits alone, where 1/8 is enough.

The floor is our decoder at 1/8 with its planes thrown away: all bits are decoded, and the transform is one
multiplication a block."""

import photographs
from processes import ours
from table import Outcome, Row, geomean, in_turns

#: The largest box that leaves twice its size of 4000 columns at 1/8.
POINTS = "240x240"


def measure(repetitions):
    with ours() as loop:
        times = []
        for path in photographs.BASELINE:
            loop.ask("floor", path)
            times.append(
                in_turns(
                    {
                        "whole": lambda: loop.thumbnail(POINTS, "1", path),
                        "floor": lambda: loop.time("floor", path),
                    }, repetitions))
    ratios = [medians["whole"][0] / medians["floor"][0] for medians in times]
    row = Row(
        "a baseline photo at 1/8 against reading it and decoding its bits",
        f"{geomean(t['whole'][0] for t in times):.1f} ms", f"floor {geomean(t['floor'][0] for t in times):.1f} ms",
        geomean(ratios), 1.6, at_least=False, shown=f"{geomean(ratios):.2f}×, worst {max(ratios):.2f}×")
    return [Outcome([row])]
