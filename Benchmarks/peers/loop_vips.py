from loop import serve
from thumbnails import vips, vips_jpeg


def pixels(path, box):
    image = vips(path, box)
    return image.width, image.height, image.bands, image.write_to_memory()


serve(vips_jpeg, pixels)
