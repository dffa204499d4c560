#!/usr/bin/env python3
"""make-hdr.py FOLDER: writes HDR pictures with avifenc, heif-enc and cjxl.

The pattern has 64 by 64 pixels of 10 bits: band b of pixel (x, y) is (37 x + 211 y + 331 b + 5 x y) mod 1024."""

import subprocess, sys, struct, zlib, tempfile

folder, width, height = sys.argv[1], 64, 64


def level(x, y, band):
    return (37 * x + 211 * y + 331 * band + 5 * x * y) % 1024


def rows(form):
    wide = lambda v: (v * 65535 + 511) // 1023
    for y in range(height):
        yield b"".join(struct.pack(form, wide(level(x, y, b))) for x in range(width) for b in range(3))


def png(path):
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 16, 2, 0, 0, 0))
                   + chunk(b"IDAT", zlib.compress(b"".join(b"\0" + r for r in rows(">H")))) + chunk(b"IEND", b""))


def ppm(path):
    with open(path, "wb") as file:
        file.write(b"P6\n%d %d\n65535\n" % (width, height) + b"".join(rows(">H")))


def run(*words):
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def box(kind, body): return struct.pack(">I4s", len(body) + 8, kind) + body
def full(kind, body, version=0): return box(kind, struct.pack(">I", version << 24) + body)


def find(data, kind, start=0, end=None):
    """Returns the bytes of the first box of a kind."""
    end = len(data) if end is None else end
    while start + 8 <= end:
        size, found = struct.unpack(">I4s", data[start:start + 8])
        if found == kind: return data[start:start + size]
        start += size
    raise ValueError(kind)


def heic(source, target, primaries, transfer, gain_map=False, light=b""):
    """Writes one picture with an nclx box, which heif-enc 1.15 leaves out; its matrix is that of BT.601.

    With a gain map, the same picture is an auxiliary one, too, of the type that iPhones write. `light` is a box about its
    peak."""
    data = open(source, "rb").read()
    coded = find(data, b"mdat")[8:]
    config = find(find(find(find(data, b"meta"), b"iprp", 12), b"ipco", 8), b"hvcC", 8)
    nclx = box(b"colr", b"nclx" + struct.pack(">HHHB", primaries, transfer, 6, 0x80))
    kind = full(b"auxC", b"urn:com:apple:photo:2020:aux:hdrgainmap\0") if gain_map else b""
    properties = config + full(b"ispe", struct.pack(">II", width, height)) + full(b"pixi", bytes([3, 10, 10, 10])) + nclx + (kind or light)
    items = 2 if gain_map else 1
    lights = [5 + i for i in range(light.count(b"mdcv") + light.count(b"clli"))]
    places = [[0x81, 2, 3, 4] + lights, [0x81, 2, 3, 0x85]][:items]
    uses = b"".join(struct.pack(">HB", 1 + i, len(place)) + bytes(place) for i, place in enumerate(places))
    iprp = box(b"iprp", box(b"ipco", properties) + full(b"ipma", struct.pack(">I", items) + uses))
    infe = b"".join(full(b"infe", struct.pack(">HH4sB", 1 + i, 0, b"hvc1", 0), 2) for i in range(items))
    iref = full(b"iref", box(b"auxl", struct.pack(">HHH", 2, 1, 1))) if gain_map else b""

    def meta(start):
        places = b"".join(struct.pack(">HHHII", 1 + i, 0, 1, start, len(coded)) for i in range(items))
        iloc = full(b"iloc", struct.pack(">BBH", 0x44, 0, items) + places)
        return full(b"meta", full(b"hdlr", struct.pack(">I4s12xB", 0, b"pict", 0)) + full(b"pitm", struct.pack(">H", 1))
                    + iloc + full(b"iinf", struct.pack(">H", items) + infe) + iref + iprp)

    ftyp = box(b"ftyp", b"heic" + struct.pack(">I", 0) + b"mif1heic")
    with open(target, "wb") as file:
        file.write(ftyp + meta(len(ftyp) + len(meta(0)) + 8) + box(b"mdat", coded))


with tempfile.TemporaryDirectory() as work:
    png(f"{work}/p.png")
    ppm(f"{work}/p.ppm")
    for name, primaries, transfer, depth in (("pq", 9, 16, 10), ("hlg", 9, 18, 10), ("display-p3", 12, 13, 8), ("rec709", 1, 1, 8)):
        run("avifenc", "--lossless", "--cicp", f"{primaries}/{transfer}/0", "-d", str(depth), "-s", "6", f"{work}/p.png",
            f"{folder}/avif/{name}.avif")
    run("heif-enc", "-L", "-p", "chroma=444", "-b", "10", "-o", f"{work}/p.heic", f"{work}/p.png")
    for name, primaries, transfer in (("pq", 9, 16), ("hlg", 9, 18), ("rec2020", 9, 14)):
        heic(f"{work}/p.heic", f"{folder}/heif/{name}.heic", primaries, transfer)
    heic(f"{work}/p.heic", f"{folder}/heif/apple.heic", 12, 13, gain_map=True)
    screen = box(b"mdcv", bytes(16) + struct.pack(">II", 600 * 10000, 0))
    heic(f"{work}/p.heic", f"{folder}/heif/pq-screen.heic", 9, 16, light=screen)
    heic(f"{work}/p.heic", f"{folder}/heif/pq-content.heic", 9, 16, light=screen + box(b"clli", struct.pack(">HH", 4000, 0)))
    for name, transfer in (("pq", "PeQ"), ("hlg", "HLG")):
        run("cjxl", f"{work}/p.ppm", f"{folder}/jpegxl/{name}.jxl", "-d", "0", "-x", f"color_space=RGB_D65_202_Rel_{transfer}")
    run("cjxl", f"{work}/p.ppm", f"{folder}/jpegxl/pq-peak.jxl", "-d", "0", "-x", "color_space=RGB_D65_202_Rel_PeQ",
        "--intensity_target=2000")
