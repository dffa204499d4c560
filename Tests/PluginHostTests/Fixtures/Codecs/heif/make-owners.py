#!/usr/bin/env python3
"""Gives the EXIF block of `exif.heic` to two items, the second a tone map, as iOS 18 does: make-owners.py OUT.heic."""
import struct
import sys


def box(kind, body):
    return struct.pack(">I4s", len(body) + 8, kind) + body


def parts(data, at, end):
    while at < end:
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        yield kind, data[at + 8:at + size]
        at += size


def main(target):
    source = open("exif.heic", "rb").read()
    top = dict(parts(source, 0, len(source)))
    inner = list(parts(top[b"meta"], 4, len(top[b"meta"])))
    mdat = source.index(b"mdat") + 4

    def meta(shift):
        result = top[b"meta"][:4]
        for kind, body in inner:
            if kind == b"iinf":
                item = box(b"infe", struct.pack(">IHH4sB", 2 << 24, 3, 0, b"tmap", 0))
                body = body[:4] + struct.pack(">H", 3) + body[6:] + item
            elif kind == b"iref":
                body = body[:4] + box(b"cdsc", struct.pack(">HHHH", 2, 2, 1, 3))
            elif kind == b"iloc":
                places = [struct.unpack(">HHIHII", body[at:at + 18]) for at in (8, 26)]
                places.append((3,) + places[1][1:])
                body = body[:6] + struct.pack(">H", 3) + b"".join(
                    struct.pack(">HHIHII", *place[:2], place[2] + shift, *place[3:]) for place in places)
            result += box(kind, body)
        return box(b"meta", result)

    head = box(b"ftyp", b"heic\0\0\0\0mif1heictmap")
    start = len(head) + len(meta(0)) + 8
    open(target, "wb").write(head + meta(start - mdat) + box(b"mdat", top[b"mdat"]))


main(sys.argv[1])
