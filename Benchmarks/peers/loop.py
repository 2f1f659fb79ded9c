"""The loop of every peer: the same lines as our Bench program's, so that both can be asked in turns."""

import sys
import time


def serve(thumbnail, pixels):
    """thumbnail(path, box): the bytes of a JPEG; pixels(path, box): (width, height, bands, bytes) before encoding."""
    for line in sys.stdin:
        task, points, *rest = line.rstrip("\n").split("\t")
        width, height = map(float, points.split("x"))
        if task == "thumbnail":
            scales, path = rest
            start, busy = time.perf_counter_ns(), time.process_time_ns()
            size = sum(
                len(thumbnail(path, (int(width * scale), int(height * scale))))
                for scale in map(float, scales.split(",")))
            busy, wall = time.process_time_ns() - busy, time.perf_counter_ns() - start
            print(busy, wall, size, sep="\t", flush=True)
        elif task == "luma":
            path, output = rest
            *shape, samples = pixels(path, (int(width), int(height)))
            with open(output, "wb") as file:
                file.write(samples)
            print(*shape, sep="\t", flush=True)
