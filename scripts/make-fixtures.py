#!/usr/bin/env python3
"""Makes every file in Tests/Fixtures: small synthetic pictures, some of them broken on purpose.

Needs Pillow 10.2 or newer (pip install Pillow). What Pillow cannot write (odd sampling, separate
scans, YCCK, lossless, damage) is written by the small encoder below or by surgery on bytes.
Usage: scripts/make-fixtures.py [output directory]
"""

import io
import math
import pathlib
import struct
import sys

from PIL import Image, ImageCms

OUT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent / "Tests/Fixtures")

# ---------------------------------------------------------------- scenes

RED, GREEN, BLUE, WHITE = (220, 40, 40), (40, 180, 60), (40, 70, 210), (240, 240, 230)


def quadrants(width, height):
    """Red, green / blue, white: flat blocks, so that decoded pixels are exact."""
    image = Image.new("RGB", (width, height))
    for y in range(height):
        for x in range(width):
            image.putpixel((x, y), ((RED, GREEN), (BLUE, WHITE))[y * 2 >= height][x * 2 >= width])
    return image


def landscape(width, height):
    """Smooth waves with some fine texture, different in every corner."""
    image = Image.new("RGB", (width, height))
    pixels = []
    for y in range(height):
        for x in range(width):
            u, v = x / width, y / height
            wave = math.sin(7 * u + 3 * v) + math.cos(11 * v - 5 * u * u)
            fine = 12 * math.sin(x * 0.9) * math.sin(y * 0.7)
            pixels.append((
                int(90 + 130 * u + 14 * wave + fine) & 255 if 0 <= 90 + 130 * u + 14 * wave + fine <= 255 else 255,
                max(0, min(255, int(60 + 140 * v + 20 * wave + fine))),
                max(0, min(255, int(200 - 120 * u * v + 25 * wave))),
            ))
    image.putdata(pixels)
    return image


def save(image, **options):
    out = io.BytesIO()
    image.save(out, "JPEG", **options)
    return out.getvalue()


# Applied to an upright scene, each gives the pixels that a file with that orientation stores.
STORED = {
    1: None, 2: Image.Transpose.FLIP_LEFT_RIGHT, 3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM, 5: Image.Transpose.TRANSPOSE, 6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE, 8: Image.Transpose.ROTATE_270,
}


def stored(image, orientation):
    return image if STORED[orientation] is None else image.transpose(STORED[orientation])


# ---------------------------------------------------------------- segments

def segment(code, payload):
    return bytes([0xFF, code]) + struct.pack(">H", len(payload) + 2) + payload


def segments(data):
    """(code, start, end) of every segment up to the first scan, which has no end."""
    position, found = 2, []
    while True:
        assert data[position] == 0xFF
        code = data[position + 1]
        if code == 0xDA:
            return found + [(code, position, None)]
        end = position + 2 + struct.unpack(">H", data[position + 2:position + 4])[0]
        found.append((code, position, end))
        position = end


def find(data, code):
    return next((start, end) for c, start, end in segments(data) if c == code)


def insert(data, extra, after=0xE0):
    """Puts bytes after the first segment of that code, or after the start of image."""
    at = 2 if after is None else find(data, after)[1]
    return data[:at] + extra + data[at:]


def tiff(entries, order="<", ifd1=None, offset=8, tail=b"", magic=None):
    """A TIFF block; entries are (tag, type, count, 4 raw value bytes)."""
    head = magic or (b"II*\0" if order == "<" else b"MM\0*")
    body = struct.pack(order + "H", len(entries))
    for tag, kind, count, value in entries:
        body += struct.pack(order + "HHI", tag, kind, count) + value
    first = head + struct.pack(order + "I", offset) + body
    if ifd1 is None:
        return first + struct.pack(order + "I", 0) + tail
    first += struct.pack(order + "I", len(first) + 4)
    second = struct.pack(order + "H", len(ifd1))
    for tag, kind, count, value in ifd1:
        second += struct.pack(order + "HHI", tag, kind, count) + value
    return first + second + struct.pack(order + "I", 0) + tail


def short(value, order="<"):
    return struct.pack(order + "HH", value, 0)


def exif(*arguments, **keywords):
    return segment(0xE1, b"Exif\0\0" + tiff(*arguments, **keywords))


def orientation(value, order="<"):
    return exif([(0x0112, 3, 1, short(value, order))], order)


def xmp(body):
    packet = ('<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">'
              '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
              f'{body}</rdf:RDF></x:xmpmeta><?xpacket end="w"?>')
    return segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0" + packet.encode())


XMP_ATTRIBUTE = ('<rdf:Description xmlns:tiff="http://ns.adobe.com/tiff/1.0/" tiff:Orientation="%d"/>')
XMP_ELEMENT = ('<rdf:Description xmlns:tiff="http://ns.adobe.com/tiff/1.0/">'
               '<tiff:Orientation> %d </tiff:Orientation></rdf:Description>')


def icc_segments(profile, size=65519):
    chunks = [profile[at:at + size] for at in range(0, len(profile), size)]
    return [segment(0xE2, b"ICC_PROFILE\0" + bytes([number + 1, len(chunks)]) + chunk)
            for number, chunk in enumerate(chunks)]


def srgb_profile():
    profile = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    profile[24:36] = struct.pack(">6H", 2020, 1, 1, 0, 0, 0)  # its date: the only thing that varies
    return bytes(profile)


# ---------------------------------------------------------------- a small encoder

ZIGZAG = sorted(range(64), key=lambda i: (i // 8 + i % 8, (i // 8 if (i // 8 + i % 8) % 2 else i % 8)))
COS = [[math.cos((2 * x + 1) * u * math.pi / 16) * (math.sqrt(0.5) if u == 0 else 1) / 2 for x in range(8)]
       for u in range(8)]


def standard_tables():
    """Pillow's files carry libjpeg's standard tables: (class and number) -> (counts, symbols)."""
    tables = {}
    data = save(Image.new("RGB", (8, 8)), quality=50)
    for code, start, end in segments(data):
        if code == 0xC4:
            position = start + 4
            while position < end:
                counts = data[position + 1:position + 17]
                symbols = data[position + 17:position + 17 + sum(counts)]
                tables[data[position]] = (counts, symbols)
                position += 17 + sum(counts)
    return tables


def codes(table):
    counts, symbols = table
    result, code, at = {}, 0, 0
    for length, count in enumerate(counts, 1):
        for _ in range(count):
            result[symbols[at]] = (code, length)
            code, at = code + 1, at + 1
        code <<= 1
    return result


TABLES = standard_tables()
CODES = {key: codes(table) for key, table in TABLES.items()}


class Bits:
    def __init__(self):
        self.out, self.value, self.count = bytearray(), 0, 0

    def put(self, value, count):
        self.value, self.count = (self.value << count) | value, self.count + count
        while self.count >= 8:
            byte = (self.value >> (self.count - 8)) & 255
            self.out += b"\xff\0" if byte == 255 else bytes([byte])
            self.count -= 8
        self.value &= (1 << self.count) - 1

    def flush(self):
        if self.count:
            self.put((1 << (8 - self.count)) - 1, 8 - self.count)


def magnitude(value):
    size = abs(value).bit_length()
    return size, value if value >= 0 else value + (1 << size) - 1


def blocks_of(plane, width, height, block_columns, block_rows, quantiser):
    """Quantised, zigzagged blocks of a plane given as rows of samples; edges are repeated."""
    result = {}
    for by in range(block_rows):
        for bx in range(block_columns):
            block = [[plane[min(by * 8 + y, height - 1)][min(bx * 8 + x, width - 1)] - 128 for x in range(8)]
                     for y in range(8)]
            rows = [[sum(COS[u][x] * line[x] for x in range(8)) for u in range(8)] for line in block]
            full = [[sum(COS[v][y] * rows[y][u] for y in range(8)) for u in range(8)] for v in range(8)]
            result[bx, by] = [round(full[i // 8][i % 8] / quantiser) for i in ZIGZAG]
    return result


def encode(planes, size, factors, ids=None, restart=0, interleaved=True, quantiser=4, before_frame=b"",
           between_scans=b"", with_tables=True, scan_order=None, jfif=True, sof=0xC0):
    """A baseline file from planes of samples (lists of rows, already subsampled)."""
    width, height = size
    ids = ids or list(range(1, len(planes) + 1))
    hmax, vmax = max(h for h, _ in factors), max(v for _, v in factors)
    mcus = -(-width // (8 * hmax)), -(-height // (8 * vmax))
    single = len(planes) == 1
    head = b"\xff\xd8" + (segment(0xE0, b"JFIF\0\1\1\0\0\1\0\1\0\0") if jfif else b"") + before_frame
    head += segment(0xDB, b"\0" + bytes([quantiser] * 64))
    frame = struct.pack(">BHHB", 8, height, width, len(planes))
    for identity, (h, v) in zip(ids, factors):
        frame += bytes([identity, h << 4 | v, 0])
    head += segment(sof, frame)
    if with_tables:
        for key in (0x00, 0x10, 0x01, 0x11):
            counts, symbols = TABLES[key]
            head += segment(0xC4, bytes([key]) + counts + symbols)
    if restart:
        head += segment(0xDD, struct.pack(">H", restart))

    coded = []
    for plane, (h, v) in zip(planes, factors):
        pw, ph = -(-width * h // hmax), -(-height * v // vmax)
        coded.append((blocks_of(plane, pw, ph, mcus[0] * h, mcus[1] * v, quantiser), -(-pw // 8), -(-ph // 8)))

    def scan(components):
        table = lambda c: 0x11 if c in (1, 2) else 0x00
        out = segment(0xDA, bytes([len(components)])
                      + b"".join(bytes([ids[c], table(c)]) for c in components) + b"\0\x3f\0")
        if len(components) == 1 and not (single and factors[0] == (1, 1)):
            blocks, columns, rows = coded[components[0]]
            units = [[(components[0], x, y)] for y in range(rows) for x in range(columns)]
        else:
            units = [[(c, mx * factors[c][0] + x, my * factors[c][1] + y) for c in components
                      for y in range(factors[c][1]) for x in range(factors[c][0])]
                     for my in range(mcus[1]) for mx in range(mcus[0])]
        bits, last = Bits(), [0] * len(planes)
        for number, unit in enumerate(units):
            if restart and number and number % restart == 0:
                bits.flush()
                bits.out += bytes([0xFF, 0xD0 + (number // restart - 1) % 8])
                last = [0] * len(planes)
            for c, x, y in unit:
                block, dc, ac = coded[c][0][x, y], CODES[table(c) & 1], CODES[0x10 | table(c) & 1]
                length, value = magnitude(block[0] - last[c])
                last[c] = block[0]
                bits.put(*dc[length])
                bits.put(value, length)
                run = 0
                for coefficient in block[1:]:
                    if coefficient == 0:
                        run += 1
                        continue
                    while run > 15:
                        bits.put(*ac[0xF0])
                        run -= 16
                    length, value = magnitude(coefficient)
                    bits.put(*ac[run << 4 | length])
                    bits.put(value, length)
                    run = 0
                if run:
                    bits.put(*ac[0])
        bits.flush()
        return out + bytes(bits.out)

    every = scan_order or list(range(len(planes)))
    if interleaved:
        return head + scan(list(range(len(planes)))) + b"\xff\xd9"
    return head + between_scans.join(scan([c]) for c in every) + b"\xff\xd9"


def encode_lossless(planes, size, predictor=1, precision=8, shift=0, restart_rows=0, ids=None, jfif=False):
    """A lossless file (SOF3), one interleaved scan, one Huffman table for every difference size."""
    width, height = size
    ids = ids or list(range(1, len(planes) + 1))
    counts = bytes([0, 1, 5] + [1] * 10 + [0] * 3)
    table = (counts, bytes(range(16)))
    code = codes(table)
    head = b"\xff\xd8" + (segment(0xE0, b"JFIF\0\1\1\0\0\1\0\1\0\0") if jfif else b"")
    head += segment(0xC4, b"\0" + table[0] + table[1])
    head += segment(0xC3, struct.pack(">BHHB", precision, height, width, len(planes))
                    + b"".join(bytes([i, 0x11, 0]) for i in ids))
    if restart_rows:
        head += segment(0xDD, struct.pack(">H", restart_rows * width))
    head += segment(0xDA, bytes([len(planes)]) + b"".join(bytes([i, 0]) for i in ids) + bytes([predictor, 0, shift]))
    bits = Bits()
    for y in range(height):
        fresh = y == 0 or (restart_rows and y % restart_rows == 0)
        if fresh and y:
            bits.flush()
            bits.out += bytes([0xFF, 0xD0 + (y // restart_rows - 1) % 8])
        for x in range(width):
            for plane in planes:
                at = lambda px, py: plane[py][px] >> shift
                if x == 0:
                    guess = 1 << (precision - shift - 1) if fresh else at(0, y - 1)
                else:
                    a = at(x - 1, y)
                    b, c = (a, a) if fresh else (at(x, y - 1), at(x - 1, y - 1))
                    guess = a if fresh else [0, a, b, c, a + b - c, a + ((b - c) >> 1), b + ((a - c) >> 1),
                                             (a + b) >> 1][predictor]
                length, value = magnitude(at(x, y) - guess)
                bits.put(*code[length])
                bits.put(value, length)
    bits.flush()
    return head + bytes(bits.out) + b"\xff\xd9"


def rows_of(band):
    width, height = band.size
    data = list(band.tobytes())
    return [data[y * width:(y + 1) * width] for y in range(height)]


def subsampled(image, factors):
    """The image's bands, reduced by box to what the sampling factors say."""
    hmax, vmax = max(h for h, _ in factors), max(v for _, v in factors)
    planes = []
    for band, (h, v) in zip(image.split(), factors):
        size = -(-image.width * h // hmax), -(-image.height * v // vmax)
        planes.append(rows_of(band if size == band.size else band.resize(size, Image.Resampling.BOX)))
    return planes


def sampled(image, factors, **options):
    return encode(subsampled(image, factors), image.size, factors, **options)


# ---------------------------------------------------------------- the files

def make():
    files = {}
    scene = quadrants(64, 32)
    plain = save(scene, quality=90, subsampling=0)
    ycc = scene.convert("YCbCr")

    # Turned pixels with the tag that turns them back, in both byte orders.
    for value in range(1, 9):
        order = "<" if value % 2 else ">"
        files[f"orientation-{value}.jpg"] = insert(
            save(stored(scene, value), quality=90, subsampling=0), orientation(value, order))
        files[f"untagged-{value}.jpg"] = save(stored(scene, value), quality=90, subsampling=0)

    # Where the orientation stands, and how.
    six = save(stored(scene, 6), quality=90, subsampling=0)
    tag = (0x0112, 3, 1, short(6))
    thumbnail = [(0x0201, 4, 1, struct.pack("<I", 70000)), (0x0202, 4, 1, struct.pack("<I", 9000))]
    files["exif-thumbnail-out-of-range.jpg"] = insert(six, exif(thumbnail + [tag]))
    files["exif-ifd1-only.jpg"] = insert(plain, exif([(0x0100, 3, 1, short(64))], ifd1=[tag]))
    files["exif-ifd1-differs.jpg"] = insert(plain, exif([(0x0112, 3, 1, short(1))], ifd1=[tag]))
    files["exif-after-xmp.jpg"] = insert(six, xmp(XMP_ATTRIBUTE % 1) + orientation(6))
    files["exif-byte.jpg"] = insert(six, exif([(0x0112, 1, 1, b"\6\0\0\0")]))
    files["exif-long-big-endian.jpg"] = insert(six, exif([(0x0112, 4, 1, struct.pack(">I", 6))], ">"))
    files["exif-count-2.jpg"] = insert(six, exif([(0x0112, 3, 2, struct.pack("<HH", 6, 1))]))
    for value in (0, 9, 255, 65535):
        files[f"exif-value-{value}.jpg"] = insert(plain, orientation(value))
    files["exif-cut-entry.jpg"] = insert(
        plain, segment(0xE1, b"Exif\0\0" + tiff([tag])[:8 + 2 + 6]))
    files["exif-zero-rational.jpg"] = insert(
        six, exif([(0x011A, 5, 1, struct.pack("<I", 38)), tag], tail=struct.pack("<II", 1, 0)))
    files["exif-swapped-magic.jpg"] = insert(plain, exif([tag], magic=b"II\0*"))
    files["exif-offset-0.jpg"] = insert(plain, exif([tag], offset=0))
    files["exif-offset-beyond.jpg"] = insert(plain, exif([tag], offset=60000))
    files["exif-twice.jpg"] = insert(six, orientation(6) + orientation(3))
    files["exif-before-jfif.jpg"] = insert(six, orientation(6), after=None)
    files["exif-after-tables.jpg"] = insert(six, orientation(6), after=0xC4)
    files["exif-empty.jpg"] = insert(plain, segment(0xE1, b"Exif\0\0"))
    files["exif-makernote-orientation.jpg"] = insert(
        plain, exif([(0x927C, 7, 18, struct.pack("<I", 26))], tail=tiff([tag])[8:26]))
    files["xmp-attribute.jpg"] = insert(six, xmp(XMP_ATTRIBUTE % 6))
    files["xmp-element.jpg"] = insert(six, xmp(XMP_ELEMENT % 6))
    files["xmp-beside-empty-exif.jpg"] = insert(six, exif([]) + xmp(XMP_ATTRIBUTE % 6))
    files["xmp-invalid.jpg"] = insert(plain, xmp(XMP_ATTRIBUTE % 12))

    # Photographs, as far as formulas go.
    wide, tall, square = landscape(640, 427), landscape(427, 640), landscape(480, 480)
    files["landscape-420.jpg"] = save(wide, quality=85)
    files["portrait-422.jpg"] = save(tall, quality=85, subsampling=1)
    files["square-444.jpg"] = save(square, quality=85, subsampling=0)
    files["landscape-grey.jpg"] = save(wide.convert("L"), quality=85)
    files["landscape-progressive.jpg"] = save(wide, quality=85, progressive=True)
    files["landscape-grey-progressive.jpg"] = save(wide.convert("L"), quality=85, progressive=True)
    files["landscape-restarts.jpg"] = save(wide, quality=85, restart_marker_rows=1)
    files["portrait-orientation-6.jpg"] = insert(save(stored(tall, 6), quality=85), orientation(6))
    files["landscape-rgb.jpg"] = save(wide, quality=85, keep_rgb=True)

    # Sampling and colour.
    small = landscape(61, 45).convert("YCbCr")
    for name, factors in {
        "444": [(1, 1)] * 3, "422": [(2, 1), (1, 1), (1, 1)], "420": [(2, 2), (1, 1), (1, 1)],
        "440": [(1, 2), (1, 1), (1, 1)], "411": [(4, 1), (1, 1), (1, 1)], "410": [(4, 2), (1, 1), (1, 1)],
        "422-as-221212": [(2, 2), (1, 2), (1, 2)], "thirds": [(3, 1), (1, 1), (1, 1)],
        "luma-below-chroma": [(1, 1), (2, 2), (2, 2)], "fractional": [(3, 1), (2, 1), (1, 1)],
    }.items():
        files[f"sampling-{name}.jpg"] = sampled(small, factors)
    files["grey-2x2.jpg"] = encode([rows_of(small.split()[0])], small.size, [(2, 2)], restart=3)
    files["scans-separate.jpg"] = sampled(
        small, [(2, 2), (1, 1), (1, 1)], interleaved=False, scan_order=[1, 2, 0],
        between_scans=segment(0xC4, b"\0" + TABLES[0][0] + TABLES[0][1]))
    files["scans-separate-restarts.jpg"] = sampled(
        small, [(2, 1), (1, 1), (1, 1)], interleaved=False, restart=4)
    files["bytes-between-scans.jpg"] = sampled(
        small, [(2, 2), (1, 1), (1, 1)], interleaved=False, between_scans=bytes(range(20)))
    files["scans-without-chroma.jpg"] = sampled(
        small, [(1, 1)] * 3, interleaved=False, scan_order=[0])
    flat = ycc.crop((0, 0, 16, 8))
    many = sampled(flat, [(1, 1)] * 3, interleaved=False, scan_order=[0, 1, 2] + [0] * 498)
    files["scans-501.jpg"] = many
    files["scans-500.jpg"] = sampled(flat, [(1, 1)] * 3, interleaved=False, scan_order=[0, 1, 2] + [0] * 497)
    files["rgb-ids.jpg"] = sampled(scene, [(1, 1)] * 3, ids=list(b"RGB"), jfif=False)
    files["rgb-adobe.jpg"] = sampled(
        scene, [(1, 1)] * 3, jfif=False, before_frame=segment(0xEE, b"Adobe\0\x64\0\0\0\0\0"))
    files["jfif-and-adobe-0.jpg"] = sampled(
        ycc, [(1, 1)] * 3, before_frame=segment(0xEE, b"Adobe\0\x64\0\0\0\0\0"))
    files["ids-0-1-2.jpg"] = sampled(ycc, [(1, 1)] * 3, ids=[0, 1, 2], jfif=False)
    cmyk = Image.merge("CMYK", [*(band.point(lambda v: 255 - v) for band in scene.split()),
                                Image.new("L", scene.size, 0)])
    inverted = Image.merge("CMYK", [band.point(lambda v: 255 - v) for band in cmyk.split()])
    # libjpeg makes CMY of YCC as 255 - RGB, and Adobe stores the inks inverted: YCC is that of the negative.
    negative = scene.point(lambda v: 255 - v).convert("YCbCr")
    ycck = Image.merge("CMYK", [*negative.split(), inverted.split()[3]])
    adobe = lambda transform: segment(0xEE, b"Adobe\0\x64\0\0\0\0" + bytes([transform]))
    files["cmyk-plain.jpg"] = sampled(cmyk, [(1, 1)] * 4, jfif=False)
    files["cmyk-adobe.jpg"] = sampled(inverted, [(1, 1)] * 4, jfif=False, before_frame=adobe(0))
    files["ycck-adobe.jpg"] = sampled(ycck, [(1, 1)] * 4, jfif=False, before_frame=adobe(2))
    files["ycck-2112.jpg"] = sampled(
        ycck, [(2, 2), (1, 1), (1, 1), (2, 2)], jfif=False, before_frame=adobe(2))
    files["adobe-transform-7.jpg"] = sampled(ycc, [(1, 1)] * 3, jfif=False, before_frame=adobe(7))
    files["components-2.jpg"] = encode([rows_of(b) for b in ycc.split()[:2]], ycc.size, [(1, 1)] * 2)

    # Lossless.
    bands = [rows_of(b) for b in landscape(37, 29).split()]
    for predictor in range(1, 8):
        files[f"lossless-grey-{predictor}.jpg"] = encode_lossless(bands[:1], (37, 29), predictor)
    files["lossless-reference.pgm"] = b"P5 37 29 255\n" + bytes(v for row in bands[0] for v in row)
    files["lossless-reference.ppm"] = b"P6 37 29 255\n" + landscape(37, 29).tobytes()
    files["lossless-rgb.jpg"] = encode_lossless(bands, (37, 29), 4)
    files["lossless-ids-0-1-2.jpg"] = encode_lossless(bands, (37, 29), 6, ids=[0, 1, 2])
    files["lossless-restarts.jpg"] = encode_lossless(bands[:1], (37, 29), 5, restart_rows=3)
    files["lossless-shifted.jpg"] = encode_lossless(bands[:1], (37, 29), 1, shift=2)
    files["lossless-4-bit.jpg"] = encode_lossless(
        [[[v >> 4 for v in row] for row in bands[0]]], (37, 29), 1, precision=4)
    files["lossless-cut.jpg"] = files["lossless-grey-4.jpg"][:500]
    files["lossless-16-bit.jpg"] = encode_lossless(bands[:1], (37, 29), 1, precision=16)

    # Profiles.
    profile = srgb_profile()
    (OUT / "profile.icc").write_bytes(profile)
    chunks = icc_segments(profile, 150)
    files["icc-one-chunk.jpg"] = insert(plain, b"".join(icc_segments(profile)))
    files["icc-chunks-out-of-order.jpg"] = insert(plain, b"".join(reversed(chunks)))
    files["icc-after-frame.jpg"] = insert(insert(plain, b"".join(chunks[1:])), chunks[0], after=0xC0)
    files["icc-gap.jpg"] = insert(plain, b"".join(chunks[:1] + chunks[2:]))
    files["icc-duplicate.jpg"] = insert(plain, b"".join(chunks + chunks[:1]))
    files["icc-number-above-total.jpg"] = insert(
        plain, segment(0xE2, b"ICC_PROFILE\0\2\1" + profile))

    # What cameras and programs get wrong, and viewers forgive.
    scan = find(plain, 0xDA)[0]
    parameters = scan + 2 + struct.unpack(">H", plain[scan + 2:scan + 4])[0] - 3
    files["wrong-scan-parameters.jpg"] = plain[:parameters] + b"\0\0\0" + plain[parameters + 3:]
    files["no-end-of-image.jpg"] = plain[:-2]
    files["no-end-of-image-progressive.jpg"] = files["landscape-progressive.jpg"][:-2]
    files["no-end-then-trailer.jpg"] = plain[:-2] + b"vendor trailer" * 20
    files["trailing-data.jpg"] = plain + b"\0PK trailing data" * 40
    files["two-pictures.jpg"] = plain + save(Image.new("RGB", (16, 16)))
    files["multi-picture.jpg"] = insert(plain, segment(0xE2, b"MPF\0II*\0\x08\0\0\0\0\0")) + plain
    files["bytes-between-segments.jpg"] = insert(plain, bytes(range(255)))
    files["bytes-after-start.jpg"] = insert(plain, bytes(range(255)), after=None)
    files["fill-bytes.jpg"] = insert(plain, b"\xff" * 500)
    files["no-huffman-tables.jpg"] = sampled(small, [(2, 1), (1, 1), (1, 1)], with_tables=False)
    files["empty-huffman-table.jpg"] = insert(plain, segment(0xC4, b""))
    files["restart-marker-before-scan.jpg"] = insert(plain, b"\xff\xd3")
    files["dnl-with-height.jpg"] = plain[:-2] + segment(0xDC, struct.pack(">H", 32)) + b"\xff\xd9"
    files["app-segments-2000.jpg"] = insert(plain, segment(0xE1, b"") * 2000)

    # Refused, or damaged.
    frame = find(plain, 0xC0)[0]
    zero = plain[:frame + 5] + b"\0\0" + plain[frame + 7:]
    files["height-0-dnl.jpg"] = zero[:-2] + segment(0xDC, struct.pack(">H", 32)) + b"\xff\xd9"
    files["width-0.jpg"] = plain[:frame + 7] + b"\0\0" + plain[frame + 9:]
    files["two-frames.jpg"] = insert(plain, plain[frame:find(plain, 0xC0)[1]], after=0xC0)
    files["two-starts.jpg"] = plain[:2] + plain
    files["scan-before-frame.jpg"] = plain[:frame] + plain[scan:]
    files["no-scan.jpg"] = plain[:scan] + b"\xff\xd9"
    files["header-cut.jpg"] = plain[:frame + 6]
    files["segment-beyond-end.jpg"] = plain[:20] + b"\xff\xe5\xff\xff" + plain[20:]
    files["sampling-0.jpg"] = plain[:frame + 11] + b"\0" + plain[frame + 12:]
    files["hierarchical.jpg"] = insert(plain, segment(0xDE, plain[frame + 4:find(plain, 0xC0)[1]]))
    files["twelve-bit.jpg"] = plain[:frame + 1] + b"\xc1" + plain[frame + 2:frame + 4] + b"\x0c" + plain[frame + 5:]
    files["arithmetic-lossless.jpg"] = plain[:frame + 1] + b"\xcb" + plain[frame + 2:]
    whole = files["landscape-420.jpg"]
    half = find(whole, 0xDA)[0] + (len(whole) - find(whole, 0xDA)[0]) // 2
    files["cut-half.jpg"] = whole[:half]
    files["cut-half-with-end.jpg"] = whole[:half] + b"\xff\xd9"
    progressive = files["landscape-progressive.jpg"]
    files["cut-progressive-early.jpg"] = progressive[:len(progressive) // 4]
    files["cut-progressive-late.jpg"] = progressive[:-2000]
    restarts = files["landscape-restarts.jpg"]
    files["cut-at-restart.jpg"] = restarts[:restarts.index(b"\xff\xd3")]
    damaged = bytearray(restarts)
    at = restarts.index(b"\xff\xd5") + 40
    damaged[at:at + 400] = bytes((i * 37 + 11) % 255 for i in range(400))
    files["damaged.jpg"] = bytes(damaged)
    files["restart-padded.jpg"] = restarts.replace(b"\xff\xd4", b"\0\0\0\xff\xd4", 1)
    files["restart-after-rubbish.jpg"] = restarts.replace(b"\xff\xd4", bytes(range(10)) + b"\xff\xd4", 1)
    files["restart-missing.jpg"] = restarts.replace(b"\xff\xd4", b"", 1)
    bomb = b"\xff\xd8" + segment(0xC2, struct.pack(">BHHB", 8, 65500, 65500, 3) + b"\1\x11\0\2\x11\0\3\x11\0")
    bomb += segment(0xDB, b"\0" + bytes([1] * 64)) + segment(0xC4, b"\0" + b"\1" + b"\0" * 15 + b"\0")
    bomb += segment(0xDA, b"\3\1\0\2\0\3\0\0\0\0")
    files["bomb.jpg"] = (bomb + b"\0" * 258)[:258]
    files["empty.jpg"] = b""
    files["not-a-picture.jpg"] = b"This is a text file, whatever its name says.\n"
    png = io.BytesIO()
    scene.save(png, "PNG")
    files["png-named.jpg"] = png.getvalue()
    gif = io.BytesIO()
    scene.convert("P").save(gif, "GIF")
    files["gif-named.jpg"] = gif.getvalue()
    files["jpeg-named.png"] = plain
    return files


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    files = make()
    for name, data in files.items():
        (OUT / name).write_bytes(data)
    print(f"{len(files) + 1} files, {sum(map(len, files.values())) / 1e6:.2f} MB, in {OUT}")


main()
