"""One photo in process: box of 360 pixels (300 for `--fast`), quality 80, at least twice the output left to the resampler.

What counts is the core's time: each contestant has one core, so by the clock it takes as long, and longer only where
others take that core away. libvips' own waits between its threads are left out, in its favour."""

from contextlib import ExitStack

import photographs
from processes import libvips, opencv, ours, pillow
from table import Outcome, Row, geomean, in_turns

POINTS, SCALE = "120x120", "3"
#: 12 to 16 times smaller than 4000 columns: what `--fast` decodes at 1/8, and the others at 1/4.
FAST_POINTS = "100x100"
PEERS = ("libvips", "Pillow", "OpenCV")


def measure(repetitions):
    with ExitStack() as stack:
        loops = [stack.enter_context(start()) for start in (ours, libvips, pillow, opencv)]
        fast = [stack.enter_context(ours("--fast")), *loops[1:]]
        return [
            group(loops, repetitions, "baseline photos of 8 MP and more", photographs.BASELINE, 4, worst=2.5),
            group(loops, repetitions, "baseline pictures of 2560×1600", photographs.MIDDLE, 3),
            group(
                fast, repetitions, "baseline photos of 8 MP and more, with --fast", photographs.BASELINE, 5,
                points=FAST_POINTS),
            group(loops, repetitions, "progressive photos", photographs.PROGRESSIVE, 15),
            group(loops, repetitions, "files of 20–200 KB", photographs.small(), 1.5),
        ]


def group(loops, repetitions, name, paths, target, worst=None, points=POINTS):
    medians = {path: one(loops, repetitions, path, points) for path in paths}
    ratios, by_clock = (
        {path: times["libvips"][kind] / times["ours"][kind] for path, times in medians.items()} for kind in (0, 1))
    ratio, least = geomean(ratios.values()), min(ratios.values())
    mean = {who: geomean(times[who][0] for times in medians.values()) for who in ("ours", *PEERS)}
    fastest = min(PEERS, key=mean.get)
    others = "" if fastest == "libvips" else f"; fastest {fastest} {mean[fastest]:.1f} ms"
    row = Row(
        f"one photo, {box(points)}-px box: {name}", f"{mean['ours']:.1f} ms", f"libvips {mean['libvips']:.1f} ms{others}",
        ratio, target, also=worst is None or least >= worst, shown=f"{ratio:.2f}×, worst {least:.2f}×",
        target_shown=f"≥ {target:g}×" + (f", worst ≥ {worst:g}×" if worst else ""))
    details = [
        "| file | ours, ms | libvips | Pillow | OpenCV | libvips / ours | the same by the clock |",
        "|---|---|---|---|---|---|---|",
    ]
    for path, times in medians.items():
        label = path.stem if path.stem != "2560x1600" else path.parents[2].name
        cells = " | ".join(f"{times[who][0]:.2f}" for who in ("ours", *PEERS))
        details.append(f"| {label} | {cells} | {ratios[path]:.2f} | {by_clock[path]:.2f} |")
    return Outcome([row], f"One photo: {name}", details)


def box(points):
    return int(points.split("x")[0]) * int(SCALE)


def one(loops, repetitions, path, points):
    for loop in loops:
        loop.thumbnail(points, SCALE, path)
    return in_turns(
        {loop.name: lambda loop=loop: loop.thumbnail(points, SCALE, path) for loop in loops}, repetitions)
