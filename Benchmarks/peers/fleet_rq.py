from thumbnails import vips_jpeg


def thumbnail(source, output):
    data = vips_jpeg(source, (360, 360))
    with open(output, "wb") as file:
        file.write(data)
    return len(data)
