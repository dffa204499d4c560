"""A PPM's pixels as the uncompressed raw file of a camera: dng.py PPM DNG.

The samples are made linear and laid out as a Bayer pattern of red, green, green and blue, in 16 bits of which 14
are used. See Adobe's Digital Negative Specification 1.4.
"""

import struct
import sys

BYTE, ASCII, SHORT, LONG, RATIONAL, SRATIONAL = 1, 2, 3, 4, 5, 10
WHITE = 16383


def linear(value):
    """The linear intensity of an 8-bit sample of sRGB (IEC 61966-2-1), in 14 bits."""
    v = value / 255
    return round(WHITE * (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4))


LEVELS = [linear(value) for value in range(256)]
LOW = bytes(level & 255 for level in LEVELS)
HIGH = bytes(level >> 8 for level in LEVELS)


def mosaic(row, width, is_odd):
    """A row of the sensor: red and green, or green and blue."""
    bands = [row[band::3] for band in range(3)]
    samples = bytearray(width)
    samples[0::2] = bands[1 if is_odd else 0][0::2]
    samples[1::2] = bands[2 if is_odd else 1][1::2]
    result = bytearray(2 * width)
    result[0::2] = samples.translate(LOW)
    result[1::2] = samples.translate(HIGH)
    return result


def directory(width, height):
    """The header and the only directory; the pixels follow."""
    entries = [
        (254, LONG, [0]),
        (256, LONG, [width]),
        (257, LONG, [height]),
        (258, SHORT, [16]),
        (259, SHORT, [1]),
        (262, SHORT, [32803]),
        (271, ASCII, b"imghost\0"),
        (272, ASCII, b"bench\0"),
        (273, LONG, [0]),
        (274, SHORT, [1]),
        (277, SHORT, [1]),
        (278, LONG, [height]),
        (279, LONG, [2 * width * height]),
        (284, SHORT, [1]),
        (33421, SHORT, [2, 2]),
        (33422, BYTE, bytes([0, 1, 1, 2])),
        (50706, BYTE, bytes([1, 4, 0, 0])),
        (50707, BYTE, bytes([1, 1, 0, 0])),
        (50708, ASCII, b"imghost bench\0"),
        (50714, SHORT, [0]),
        (50717, SHORT, [WHITE]),
        # XYZ to the camera's colours, which are those of linear sRGB.
        (50721, SRATIONAL, [32406, -15372, -4986, -9689, 18758, 415, 557, -2040, 10570]),
        (50728, RATIONAL, [10000, 10000, 10000]),
        (50778, SHORT, [21]),
    ]
    table = struct.pack("<2sHIH", b"II", 42, 8, len(entries))
    rest = b""
    start = 8 + 2 + 12 * len(entries) + 4
    pixels = None
    for tag, kind, values in entries:
        if isinstance(values, bytes):
            data, number = values, len(values)
        elif kind == SHORT:
            data, number = struct.pack(f"<{len(values)}H", *values), len(values)
        elif kind == LONG:
            data, number = struct.pack(f"<{len(values)}I", *values), len(values)
        else:
            data, number = b"".join(struct.pack("<iI", value, 10000) for value in values), len(values)
        table += struct.pack("<HHI", tag, kind, number)
        if tag == 273:
            pixels = len(table)
        if len(data) <= 4:
            table += data.ljust(4, b"\0")
        else:
            table += struct.pack("<I", start + len(rest))
            rest += data + b"\0" * (len(data) % 2)
    header = bytearray(table + b"\0\0\0\0" + rest)
    struct.pack_into("<I", header, pixels, len(header))
    return header


def main():
    with open(sys.argv[1], "rb") as source, open(sys.argv[2], "wb") as target:
        fields = []
        while len(fields) < 4:
            fields += source.readline().split(b"#")[0].split()
        width, height = int(fields[1]), int(fields[2])
        if fields[0] != b"P6" or fields[3] != b"255":
            sys.exit(f"{sys.argv[1]} is no PPM of 8 bits")
        target.write(directory(width, height))
        for y in range(height):
            target.write(mosaic(source.read(3 * width), width, y % 2 == 1))


if __name__ == "__main__":
    main()
