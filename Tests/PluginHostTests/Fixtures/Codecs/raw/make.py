#!/usr/bin/env python3
"""Makes DNG files with embedded JPEG previews, and without compression: make.py (needs cjpeg)."""
import struct
import subprocess
import sys

WIDTH, HEIGHT = 96, 64


def colour(x, y):
    """Returns the scene's red, green and blue at a place, each from 0 to 1."""
    return x, y, 1 - (x + y) / 2


def jpeg(width, height, *options):
    pixels = bytes(
        round(255 * c ** (1 / 2.2)) for y in range(height) for x in range(width)
        for c in colour((x + 0.5) / width, (y + 0.5) / height))
    picture = b"P6 %d %d 255\n" % (width, height) + pixels
    command = ["cjpeg", "-quality", "85", *options]
    return subprocess.run(command, input=picture, stdout=subprocess.PIPE, check=True).stdout


def mosaic(width, height):
    samples = []
    for y in range(height):
        for x in range(width):
            c = colour((x + 0.5) / width, (y + 0.5) / height)[[[0, 1], [1, 2]][y % 2][x % 2]]
            samples.append(round(4095 * c))
    return struct.pack("<%dH" % len(samples), *samples)


def directory(entries, offset):
    """Returns a directory that stands at an offset, with the values that do not fit into it."""
    head, tail, end = b"", b"", offset + 2 + 12 * len(entries) + 4
    for tag, kind, values in sorted(entries):
        code = {1: "B", 2: "s", 3: "H", 4: "I", 5: "I", 10: "i"}[kind]
        raw = values if kind == 2 else struct.pack("<%d%s" % (len(values), code), *values)
        count = len(raw) if kind == 2 else len(values) // (2 if kind in (5, 10) else 1)
        if len(raw) > 4:
            field = struct.pack("<I", end + len(tail))
            tail += raw + b"\0" * (len(raw) % 2)
        else:
            field = raw.ljust(4, b"\0")
        head += struct.pack("<HHI", tag, kind, count) + field
    return struct.pack("<H", len(entries)) + head + b"\0\0\0\0" + tail


def dng(name, preview, size, orientation=1, width=WIDTH, height=HEIGHT):
    """Writes a DNG: a thumbnail of 24 by 16 pixels first, then the raw samples and the preview."""
    thumbnail, samples, at = b"\x80" * (24 * 16 * 3), mosaic(width, height), 8

    def build(places):
        shot, thumb, raw, view, pixels, picture = places
        camera = [(271, 2, b"imghost\0"), (272, 2, b"preview\0"), (274, 3, [orientation]),
                  (330, 4, [raw, view]), (50706, 1, [1, 4, 0, 0]), (50708, 2, b"imghost preview\0"),
                  (50721, 10, [1, 1, 0, 1, 0, 1, 0, 1, 1, 1, 0, 1, 0, 1, 0, 1, 1, 1]), (50728, 5, [1, 1, 1, 1, 1, 1]),
                  (50778, 3, [21]), (33434, 5, [1, 125]), (33437, 5, [8, 1]), (34855, 3, [200])]
        small = [(254, 4, [1]), (256, 4, [24]), (257, 4, [16]), (258, 3, [8, 8, 8]), (259, 3, [1]), (262, 3, [2]),
                 (273, 4, [thumb]), (277, 3, [3]), (278, 4, [16]), (279, 4, [len(thumbnail)])]
        whole = [(254, 4, [0]), (256, 4, [width]), (257, 4, [height]), (258, 3, [16]), (259, 3, [1]), (262, 3, [32803]),
                 (273, 4, [pixels]), (277, 3, [1]), (278, 4, [height]), (279, 4, [len(samples)]), (33421, 3, [2, 2]),
                 (33422, 1, [0, 1, 1, 2]), (50714, 4, [0]), (50717, 4, [4095])]
        larger = [(254, 4, [1]), (256, 4, [size[0]]), (257, 4, [size[1]]), (258, 3, [8, 8, 8]), (259, 3, [7]),
                  (262, 3, [6]), (273, 4, [picture]), (277, 3, [3]), (278, 4, [size[1]]), (279, 4, [len(preview)])]
        return [directory(camera + small, shot), thumbnail, directory(whole, raw), directory(larger, view), samples,
                preview]

    places = [0] * 6
    for _ in range(2):
        parts, place = build(places), at
        for i, part in enumerate(parts):
            places[i] = place
            place += len(part) + len(part) % 2
    file = b"II*\0" + struct.pack("<I", at)
    for part in build(places):
        file += part + b"\0" * (len(part) % 2)
    with open(name, "wb") as out:
        out.write(file)


if __name__ == "__main__":
    if len(sys.argv) == 4:
        # A large one, for measuring: make.py OUT WIDTH HEIGHT, with a preview of the same size.
        width, height = int(sys.argv[2]), int(sys.argv[3])
        dng(sys.argv[1], jpeg(width, height), (width, height), width=width, height=height)
    else:
        dng("preview.dng", jpeg(96, 64), (96, 64))
        dng("preview-turned.dng", jpeg(90, 60), (90, 60), orientation=6)
        dng("preview-progressive.dng", jpeg(48, 32, "-progressive"), (48, 32), orientation=3)
        dng("preview-small.dng", jpeg(46, 30), (46, 30))
