"""Luma PSNR of the thumbnail before encoding, against full decode and Lanczos-3 in double.

Each contestant is compared with a truth of its own size and its own colours: we resample the luma that the file
stores; libvips and Pillow resample RGB, of which the encoder then makes luma. All luma is in whole numbers, as the
encoder takes it: rounding alone allows 58.9 dB. Pillow is told to use Lanczos; its default is bicubic."""

from contextlib import ExitStack

import numpy
from PIL import Image, ImageOps

import photographs
from processes import PLACE, libvips, ours, pillow
from table import Outcome, Row, geomean

BOX = "360x360"
LUMA = numpy.array([0.299, 0.587, 0.114])


def measure(repetitions):
    del repetitions  # pixels do not vary
    files = photographs.BASELINE + photographs.MIDDLE + photographs.PROGRESSIVE
    output = PLACE / "luma.raw"
    decibels = {"ours": [], "libvips": [], "Pillow": []}
    details = ["| file | ours, dB | libvips | Pillow |", "|---|---|---|---|"]
    with ExitStack() as stack:
        loops = [stack.enter_context(start()) for start in (ours, libvips, pillow)]
        for path in files:
            stored, shown = full_lumas(path)
            truths = {}
            for loop in loops:
                width, height, bands = map(int, loop.ask("luma", BOX, path, output))
                samples = numpy.fromfile(output, numpy.uint8).reshape(height, width, bands)
                luma = samples[..., 0].astype(float) if bands == 1 else numpy.rint(samples[..., :3] @ LUMA)
                truth = loop.name == "ours", width, height
                if truth not in truths:
                    truths[truth] = lanczos3(stored if truth[0] else shown, width, height)
                decibels[loop.name].append(psnr(luma, truths[truth]))
            label = path.stem if path.stem != "2560x1600" else path.parents[2].name
            details.append(f"| {label} | " + " | ".join(f"{values[-1]:.1f}" for values in decibels.values()) + " |")
    means = {who: geomean(values) for who, values in decibels.items()}
    best = max(means["libvips"], means["Pillow"])
    row = Row(
        "luma PSNR before encoding, geomean", f"{means['ours']:.1f} dB",
        f"libvips {means['libvips']:.1f}, Pillow {means['Pillow']:.1f} dB", means["ours"], 50, unit=" dB",
        also=means["ours"] > best, shown=f"{means['ours'] - best:+.1f} dB",
        target_shown="≥ 50 dB, above both")
    return [Outcome([row], "Luma PSNR before encoding", details)]


def full_lumas(path):
    """The displayed picture's luma at full size, 0…255 in double: as stored, and of its RGB pixels."""
    with Image.open(path) as image:
        image.draft("YCbCr", image.size)
        stored = numpy.asarray(ImageOps.exif_transpose(image).getchannel(0), float)
    with Image.open(path) as image:
        shown = numpy.asarray(ImageOps.exif_transpose(image).convert("RGB"), float) @ LUMA
    return stored, shown


def lanczos3(plane, width, height):
    return numpy.clip(reduced(reduced(plane, height).T, width).T, 0, 255)


def reduced(plane, target):
    """Resampled to `target` rows; the whole source maps onto the whole target, and weights sum to one."""
    source = plane.shape[0]
    ratio = max(1, source / target)
    rows = numpy.empty((target, plane.shape[1]))
    for row in range(target):
        centre = (row + 0.5) * source / target
        first, end = max(0, int(centre - 3 * ratio)), min(source, int(centre + 3 * ratio) + 1)
        distances = (numpy.arange(first, end) + 0.5 - centre) / ratio
        weights = numpy.sinc(distances) * numpy.sinc(distances / 3) * (abs(distances) < 3)
        rows[row] = weights / weights.sum() @ plane[first:end]
    return rows


def psnr(one, other):
    return 10 * numpy.log10(255**2 / numpy.mean((one - other) ** 2))
