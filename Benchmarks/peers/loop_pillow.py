from loop import serve
from thumbnails import pillow, pillow_jpeg


def pixels(path, box):
    image = pillow(path, box)
    return *image.size, len(image.getbands()), image.tobytes()


serve(pillow_jpeg, pixels)
