"""The pictures of the benchmarks: photographs that Debian ships, and small ones made of them."""

from processes import PLACE

DEBS = PLACE / "debs" / "usr" / "share"
FORENSICS = DEBS / "forensics-samples" / "original-files"
BACKGROUNDS = DEBS / "backgrounds"
WALLPAPERS = DEBS / "wallpapers"

#: Baseline, 8 megapixels and more.
BASELINE = [
    FORENSICS / "pic1" / "IMG_20200827_231612.jpg",
    FORENSICS / "pic2" / "IMG_20191224_234846.jpg",
    FORENSICS / "pic2" / "IMG_20200608_111614.jpg",
    BACKGROUNDS / "Kleiber_by_Lukas_Baubkus.jpg",
    DEBS / "digikam" / "about" / "images" / "body-background.jpg",
]
#: Baseline, 2560x1600.
MIDDLE = [BACKGROUNDS / "mate" / "nature" / "TwoWings.jpg"] + [
    WALLPAPERS / name / "contents" / "images" / "2560x1600.jpg" for name in ("Path", "Kite", "DarkestHour")]
#: Progressive, as cameras' pictures come out of editors.
PROGRESSIVE = [
    BACKGROUNDS / name
    for name in (
        "Dragonfly_by_Bolly.jpg", "picosdeeuropa_by_Aitzol_Berasategi.jpg", "life_by_Aitzol_Berasategi.jpg",
        "aitzgorri_by_Aitzol_Berasategi.jpg", "mate/abstract/Elephants_5640x3172.jpg")
] + [WALLPAPERS / "summer_1am" / "contents" / "images" / "2560x1600.jpg"]
#: What a fleet of photographs sees: five baseline and four progressive.
MIX = BASELINE + PROGRESSIVE[:4]

SMALL_FOLDER = PLACE / "small"
TINY_FOLDER = PLACE / "20-kb"


def small():
    """Files of 20 to 200 KB: three sizes of each photograph of the mix, as galleries and messengers send them."""
    SMALL_FOLDER.mkdir(parents=True, exist_ok=True)
    paths = []
    for source in MIX:
        for width, most in ((480, 25), (800, 80), (1280, 190)):
            path = SMALL_FOLDER / f"{source.stem}-{width}.jpg"
            paths.append(path)
            if not path.exists():
                path.write_bytes(_encoded(_reduced(source, width), most * 1000))
    return paths


def twenty_kilobytes(count=100):
    """Pictures of 480 columns and about 20 KB: crops of the mix."""
    TINY_FOLDER.mkdir(parents=True, exist_ok=True)
    paths = [TINY_FOLDER / f"{number:03}.jpg" for number in range(count)]
    missing = [(number, path) for number, path in enumerate(paths) if not path.exists()]
    reduced = {source: _reduced(source, 1000) for source in MIX} if missing else {}
    for number, path in missing:
        image = reduced[MIX[number % len(MIX)]]
        left, top = number * 37 % (image.width - 480), number * 23 % (image.height - 360)
        path.write_bytes(_encoded(image.crop((left, top, left + 480, top + 360)), 20_000))
    return paths


def _reduced(source, width):
    from PIL import Image, ImageOps

    with Image.open(source) as image:
        image.draft("RGB", (2 * width, 2 * width))
        image = ImageOps.exif_transpose(image).convert("RGB")
        return image.resize((width, round(image.height * width / image.width)), Image.Resampling.LANCZOS)


def _encoded(image, most):
    """The file of the highest quality, at most 90, that has at most this many bytes."""
    import io

    for quality in range(90, 10, -2):
        output = io.BytesIO()
        image.save(output, "JPEG", quality=quality)
        if output.tell() <= most:
            break
    return output.getvalue()
