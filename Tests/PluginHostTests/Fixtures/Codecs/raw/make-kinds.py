#!/usr/bin/env python3
"""Makes raw files of one scene in the kinds that cameras and converters write: make-kinds.py.

Tags are those of TIFF 6.0 and of Adobe's Digital Negative Specification 1.4.
"""
import struct

from make import colour

WIDTH, HEIGHT, WHITE = 96, 64, 4095
BAYER = [[0, 1], [1, 2]]
# XYZ to the camera's colours, which are those of linear sRGB.
MATRIX = [32406, 10000, -15372, 10000, -4986, 10000, -9689, 10000, 18758, 10000, 415, 10000, 557, 10000, -2040, 10000,
          10570, 10000]


def scene(x, y):
    """Returns the linear red, green and blue of a place, all far from black and white."""
    return [0.05 + 0.6 * band for band in colour((x + 0.5) / WIDTH, (y + 0.5) / HEIGHT)]


def rows(pattern=None, white=WHITE, black=0):
    """Returns rows of samples: of one colour each by a pattern, or of three."""
    def sample(value):
        return black + round((white - black) * value)
    if pattern is None:
        return [[sample(band) for x in range(WIDTH) for band in scene(x, y)] for y in range(HEIGHT)]
    side = len(pattern)
    return [[sample(scene(x, y)[pattern[y % side][x % side]]) for x in range(WIDTH)] for y in range(HEIGHT)]


def words(lines, order="<"):
    return b"".join(struct.pack("%s%dH" % (order, len(line)), *line) for line in lines)


def packed(lines, bits):
    """Returns samples of some bits, the highest first, each row beginning with a byte."""
    result = b""
    for line in lines:
        number = 0
        for value in line:
            number = number << bits | value
        length = len(line) * bits
        result += (number << -length % 8).to_bytes((length + 7) // 8, "big")
    return result


def lossless_jpeg(lines, precision=12):
    """Returns a JPEG of process 14 (ITU-T T.81): two components, the left neighbour predicts, all codes have 5 bits."""
    height, width = len(lines), len(lines[0]) // 2
    bits, length = 0, 0
    for y, line in enumerate(lines):
        for x, value in enumerate(line):
            left = line[x - 2] if x > 1 else lines[y - 1][x] if y else 1 << precision - 1
            difference = value - left
            size = abs(difference).bit_length()
            bits = (bits << 5 | size) << size | (difference if difference > 0 else difference + (1 << size) - 1)
            length += 5 + size
    padding = -length % 8
    data = (bits << padding | (1 << padding) - 1).to_bytes((length + padding) // 8, "big")
    table = bytes([0, 0, 0, 0, 17]) + bytes(11) + bytes(range(17))
    return (b"\xff\xd8\xff\xc4" + struct.pack(">HB", 3 + len(table), 0) + table
            + b"\xff\xc3" + struct.pack(">HBHHB", 14, precision, height, width, 2) + bytes([0, 17, 0, 1, 17, 0])
            + b"\xff\xda" + struct.pack(">HB", 10, 2) + bytes([0, 0, 1, 0, 1, 0, 0])
            + data.replace(b"\xff", b"\xff\0") + b"\xff\xd9")


def tiff(tags, blocks, order="<", magic=42):
    """Returns a TIFF file of one directory. `blocks` are its strips or tiles, whose places stand in tag 273 or 324."""
    codes = {1: "B", 2: "s", 3: "H", 4: "I", 5: "I", 10: "i"}
    places = 324 if 322 in tags else 273
    tags = {tag: value for tag, value in tags.items() if tag != 278 or 322 not in tags}
    tags[places] = (4, [0] * len(blocks))
    tags[places + (1 if places == 324 else 6)] = (4, [len(block) for block in blocks])
    head = (b"II" if order == "<" else b"MM") + struct.pack(order + "HI", magic, 8)
    for _ in range(2):
        table, rest, end = b"", b"", 8 + 2 + 12 * len(tags) + 4
        for tag, (kind, values) in sorted(tags.items()):
            raw = values if kind == 2 else struct.pack("%s%d%s" % (order, len(values), codes[kind]), *values)
            count = len(raw) if kind == 2 else len(values) // (2 if kind in (5, 10) else 1)
            field = raw.ljust(4, b"\0")
            if len(raw) > 4:
                field = struct.pack(order + "I", end + len(rest))
                rest += raw + b"\0" * (len(raw) % 2)
            table += struct.pack(order + "HHI", tag, kind, count) + field
        at = end + len(rest)
        for index, block in enumerate(blocks):
            tags[places][1][index] = at
            at += len(block)
    return head + struct.pack(order + "H", len(tags)) + table + b"\0\0\0\0" + rest + b"".join(blocks)


def camera(maker, model, bits, pattern=BAYER, compression=1):
    """Returns the tags of samples in one strip."""
    tags = {254: (4, [0]), 256: (4, [WIDTH]), 257: (4, [HEIGHT]), 258: (3, [bits]), 259: (3, [compression]),
            262: (3, [32803]), 271: (2, maker + b"\0"), 272: (2, model + b"\0"), 274: (3, [1]), 277: (3, [1]),
            278: (4, [HEIGHT]), 284: (3, [1]), 33434: (5, [1, 125]), 33437: (5, [8, 1]), 34855: (3, [200])}
    if pattern:
        flat = [band for line in pattern for band in line]
        tags |= {33421: (3, [len(pattern)] * 2), 33422: (1, flat)}
    return tags


def dng(name, block, bits=16, pattern=BAYER, order="<", **more):
    tags = camera(b"imghost", name.encode(), bits, pattern, more.pop("compression", 1))
    tags |= {50706: (1, [1, 4, 0, 0]), 50707: (1, [1, 1, 0, 0]), 50708: (2, b"imghost " + name.encode() + b"\0"),
             50717: (4, [WHITE]), 50721: (10, MATRIX), 50728: (5, [1, 1] * 3), 50778: (3, [21])}
    if pattern is None:
        samples = more.pop("samples", 3)
        tags |= {258: (3, [bits] * samples), 262: (3, [34892]), 277: (3, [samples])}
    tags |= more.pop("tags", {})
    keep(name + ".dng", tiff(tags, block if isinstance(block, list) else [block], order))


def keep(name, data):
    with open(name, "wb") as out:
        out.write(data)


def masked():
    """Returns rows with a dark border of 8 samples at the left and 4 above, and levels of black."""
    lines = rows(BAYER, WHITE, 256)
    return [[256] * (WIDTH + 8)] * 4 + [[256] * 8 + line for line in lines]


def main():
    bayer = rows(BAYER)
    for bits in (10, 12, 14):
        white = (1 << bits) - 1
        dng("bits%d" % bits, packed(rows(BAYER, white), bits), bits, tags={50717: (4, [white])})
    dng("big-endian", words(bayer, ">"), order=">")
    dng("green-first", words(rows([[1, 2], [0, 1]])), pattern=[[1, 2], [0, 1]])
    dng("strips", [words(bayer[y:y + 16]) for y in range(0, HEIGHT, 16)], tags={278: (4, [16])})
    dng("lossless", lossless_jpeg(bayer), compression=7)
    tiles = [lossless_jpeg([line[x:x + 32] for line in bayer[y:y + 32]]) for y in (0, 32) for x in (0, 32, 64)]
    dng("lossless-tiles", tiles, compression=7, tags={322: (4, [32]), 323: (4, [32])})
    dng("linear", words(rows()), pattern=None, tags={50717: (4, [WHITE] * 3)})
    dng("gray", words([line[1::3] for line in rows()]), pattern=None, samples=1)
    dng("masked", words(masked()),
        tags={256: (4, [WIDTH + 8]), 257: (4, [HEIGHT + 4]), 278: (4, [HEIGHT + 4]), 50714: (4, [256]),
              50829: (4, [4, 8, HEIGHT + 4, WIDTH + 8])})
    squares = [round(WHITE * (level / 255) ** 2) for level in range(256)]
    roots = [[round(255 * (value / WHITE) ** 0.5) for value in line] for line in bayer]
    dng("table", b"".join(bytes(line) for line in roots), 8, tags={50712: (3, squares)})
    keep("cut.dng", open("bits12.dng", "rb").read()[:-3000])
    for name, maker, model in (("nikon.nef", b"NIKON CORPORATION", b"NIKON D1"), ("sony.arw", b"SONY", b"ILCE-1"),
                               ("pentax.pef", b"PENTAX Corporation", b"PENTAX K10D"), ("samsung.srw", b"SAMSUNG", b"NX1")):
        keep(name, tiff(camera(maker, model, 16), [words(bayer)]))
    # Words of 32 bits, the lowest byte first.
    reversed_words = b"".join(packed(bayer, 12)[at:at + 4][::-1] for at in range(0, WIDTH * HEIGHT * 3 // 2, 4))
    keep("olympus.orf", tiff(camera(b"OLYMPUS IMAGING CORP.", b"E-1", 12), [reversed_words], magic=0x4F52))


if __name__ == "__main__":
    main()
