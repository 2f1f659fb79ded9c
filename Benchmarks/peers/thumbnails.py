"""How each library makes a thumbnail when it is used as its documentation advises: shrink on load, at least twice
the output left to the resampler, upright, quality 80."""

import logging

QUALITY = 80
# Dramatiq logs what libraries say, and libvips says ten lines a picture.
logging.getLogger("pyvips").setLevel(logging.WARNING)


def vips(path, box):
    import pyvips

    # Operations are cached by default, and the same picture comes again and again here.
    pyvips.cache_set_max(0)
    return pyvips.Image.thumbnail(path, box[0], height=box[1], size="down")


def vips_jpeg(path, box):
    return vips(path, box).jpegsave_buffer(Q=QUALITY, keep="icc")


def pillow(path, box):
    from PIL import Image, ImageOps

    with Image.open(path) as image:
        # Lanczos as libvips and we use it; the default, bicubic, is 8 dB further from it.
        image.thumbnail(box, Image.Resampling.LANCZOS)
        return ImageOps.exif_transpose(image)


def pillow_jpeg(path, box):
    import io

    image = pillow(path, box)
    output = io.BytesIO()
    image.save(output, "JPEG", quality=QUALITY, icc_profile=image.info.get("icc_profile"))
    return output.getvalue()


def opencv_jpeg(path, box):
    import cv2
    from PIL import Image

    # OpenCV tells no size before it decodes; opening with Pillow reads the header only.
    with Image.open(path) as image:
        least = min(max(image.size) / max(box), min(image.size) / min(box))
    reduced = {8: cv2.IMREAD_REDUCED_COLOR_8, 4: cv2.IMREAD_REDUCED_COLOR_4, 2: cv2.IMREAD_REDUCED_COLOR_2}
    shrink = next((factor for factor in reduced if least >= 2 * factor), 1)
    image = cv2.imread(path, reduced.get(shrink, cv2.IMREAD_COLOR))
    height, width = image.shape[:2]
    ratio = min(1, box[0] / width, box[1] / height)
    size = max(1, round(width * ratio)), max(1, round(height * ratio))
    small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    return cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1]
