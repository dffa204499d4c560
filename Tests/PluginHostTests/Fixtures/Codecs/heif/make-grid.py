#!/usr/bin/env python3
"""Writes a HEIC whose picture is a grid of tiles, as phones do: make-grid.py PICTURE.png TILE OUT.heic [TURNS].

heif-enc encodes the tiles; TURNS is a number of quarter turns anticlockwise (irot)."""
import struct, subprocess, sys, tempfile
from PIL import Image


def box(kind, body): return struct.pack(">I4s", len(body) + 8, kind) + body
def full(kind, body, version=0, flags=0): return box(kind, struct.pack(">I", version << 24 | flags) + body)


def boxes(data, start, end):
    while start + 8 <= end:
        size, kind = struct.unpack(">I4s", data[start:start + 8])
        yield kind, start + 8, start + size
        start += size


def tile_of(path):
    """Returns the hvcC box and the coded bytes of heif-enc's only item."""
    data = open(path, "rb").read()
    top = {kind: (a, b) for kind, a, b in boxes(data, 0, len(data))}
    meta = {kind: (a, b) for kind, a, b in boxes(data, top[b"meta"][0] + 4, top[b"meta"][1])}
    ipco = next((a, b) for kind, a, b in boxes(data, *meta[b"iprp"]) if kind == b"ipco")
    config = next(data[a - 8:b] for kind, a, b in boxes(data, *ipco) if kind == b"hvcC")
    return config, data[top[b"mdat"][0]:top[b"mdat"][1]]


def main(source, tile, target, turns=0):
    picture = Image.open(source).convert("RGB")
    width, height = picture.size
    columns, rows = -(-width // tile), -(-height // tile)
    coded, config = [], None
    with tempfile.TemporaryDirectory() as folder:
        for i in range(columns * rows):
            x, y = i % columns * tile, i // columns * tile
            picture.crop((x, y, x + tile, y + tile)).save(f"{folder}/t.png")
            subprocess.run(["heif-enc", "-q", "60", "-o", f"{folder}/t.heic", f"{folder}/t.png"], check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            config, bytes_ = tile_of(f"{folder}/t.heic")
            coded.append(bytes_)
    count = len(coded)
    entries = full(b"infe", struct.pack(">HH4sB", 1, 0, b"grid", 0), 2)
    for i in range(count): entries += full(b"infe", struct.pack(">HH4sB", i + 2, 0, b"hvc1", 0), 2, 1)
    grid = struct.pack(">BBBBHH", 0, 0, rows - 1, columns - 1, width, height)
    properties = (config + full(b"ispe", struct.pack(">II", tile, tile)) + full(b"ispe", struct.pack(">II", width, height))
                  + full(b"pixi", bytes([3, 8, 8, 8])) + box(b"irot", bytes([turns & 3])))
    uses = struct.pack(">I", count + 1) + struct.pack(">HBBBB", 1, 3, 3, 4, 0x80 | 5)
    for i in range(count): uses += struct.pack(">HBBB", i + 2, 2, 0x80 | 1, 2)
    iprp = box(b"iprp", box(b"ipco", properties) + full(b"ipma", uses))
    iref = full(b"iref", box(b"dimg", struct.pack(">HH", 1, count) + b"".join(struct.pack(">H", i + 2) for i in range(count))))

    def meta(start):
        places = struct.pack(">HHHHII", 1, 1, 0, 1, 0, len(grid))
        for i, bytes_ in enumerate(coded):
            places += struct.pack(">HHHHII", i + 2, 0, 0, 1, start, len(bytes_))
            start += len(bytes_)
        iloc = full(b"iloc", struct.pack(">BBH", 0x44, 0, count + 1) + places, 1)
        return full(b"meta", full(b"hdlr", struct.pack(">I4s12xB", 0, b"pict", 0)) + full(b"pitm", struct.pack(">H", 1))
                    + iloc + full(b"iinf", struct.pack(">H", count + 1) + entries) + iref + iprp + box(b"idat", grid))

    head = box(b"ftyp", b"heic\0\0\0\0mif1heic")
    start = len(head) + len(meta(0)) + 8
    open(target, "wb").write(head + meta(start) + box(b"mdat", b"".join(coded)))


main(sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4]) if len(sys.argv) > 4 else 0)
