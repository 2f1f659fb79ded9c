"""Peak memory of one 12-megapixel photo over the idle process, in a process of its own.

Idle is after one small picture, so that code, tables and a warm allocator count as the process' and not as the
photo's. The peak is the kernel's VmHWM, reset before the photo."""

from statistics import median

import photographs
from processes import libvips, ours
from table import Outcome, Row

LIMIT_MIB = 8


def measure(repetitions):
    cases = (("baseline", photographs.BASELINE[0]), ("progressive", photographs.PROGRESSIVE[0]))
    rows = []
    for coding, path in cases:
        file = path.stat().st_size / 2**20
        taken = {"ours": [], "libvips": []}
        for _ in range(min(repetitions, 5)):
            for start in (ours, libvips):
                with start() as loop:
                    taken[loop.name].append(peak(loop, path))
        (mine, whole), (theirs, their_whole) = (
            map(median, zip(*taken[who])) for who in ("ours", "libvips"))
        beyond = mine - file
        rows.append(
            Row(
                f"peak memory of one {coding} photo over the idle process",
                f"{mine:.1f} MiB, {beyond:.1f} beyond the file's {file:.1f}; process {whole:.0f}",
                f"libvips {theirs:.1f} MiB; process {their_whole:.0f}",
                beyond, LIMIT_MIB, at_least=False, shown=f"{theirs / mine:.1f}×",
                target_shown=f"≤ {LIMIT_MIB} MiB beyond the file"))
    return [Outcome(rows)]


def peak(loop, path):
    """MiB over what was resident before, and of the whole process."""
    loop.thumbnail("120x120", "3", photographs.twenty_kilobytes()[0])
    loop.forget_peak()
    idle = loop.memory("VmRSS")
    loop.thumbnail("120x120", "3", path)
    most = loop.memory("VmHWM")
    return most - idle, most
