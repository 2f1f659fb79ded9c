"""Rows of the table, and the arithmetic behind them."""

from dataclasses import dataclass, field
from math import exp, log
from statistics import median


@dataclass
class Row:
    measure: str
    ours: str
    #: The best peer's figure, with its name.
    peer: str
    #: What is compared with the target; None where nothing could be measured.
    value: float | None
    target: float
    #: Whether the value has to be at least (True) or at most (False) the target.
    at_least: bool = True
    unit: str = "×"
    #: A second condition, such as the worst file, which must hold too.
    also: bool = True
    #: The value and its second condition, as they are shown.
    shown: str = ""
    target_shown: str = ""

    @property
    def reached(self):
        if self.value is None:
            return "not measured"
        holds = self.value >= self.target if self.at_least else self.value <= self.target
        return "yes" if holds and self.also else "no"

    @property
    def shown_value(self):
        return self.shown or ("–" if self.value is None else f"{self.value:.2f}{self.unit}")

    def quotation(self):
        """Without the target, which is for those who work on it."""
        return f"| {self.measure} | {self.ours} | {self.peer} | {self.shown_value} |"

    def markdown(self):
        target = self.target_shown or f"{'≥' if self.at_least else '≤'} {self.target:g}{self.unit}"
        return f"| {self.measure} | {self.ours} | {self.peer} | {self.shown_value} | {target} | {self.reached} |"


@dataclass
class Outcome:
    """What one measure found: rows for the table, and a table of its own to look closer."""

    rows: list[Row]
    title: str = ""
    details: list[str] = field(default_factory=list)


def geomean(values):
    values = list(values)
    return exp(sum(map(log, values)) / len(values))


def in_turns(contestants, repetitions):
    """Medians by name. Each of `contestants` is a function that gives its times; they take turns, and who begins
    changes, so that what else the machine does meets all alike."""
    times = {name: [] for name in contestants}
    names = list(contestants)
    for turn in range(repetitions):
        shift = turn % len(names)
        for name in names[shift:] + names[:shift]:
            times[name].append(contestants[name]())
    return {name: tuple(map(median, zip(*values))) for name, values in times.items()}
