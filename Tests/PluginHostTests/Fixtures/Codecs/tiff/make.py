#!/usr/bin/env python3
"""Makes the TIFF files of this folder. Needs tifffile, imagecodecs, numpy, and the tools tiffcp and tiffset."""
import struct
import subprocess
import numpy as np
import tifffile

W, H = 75, 53
x, y = np.meshgrid(np.arange(W), np.arange(H))
r, g, b = x * 255 // (W - 1), y * 255 // (H - 1), (x * 7 + y * 13) % 256
rgb = np.stack([r, g, b], 2).astype(np.uint8)
gray = ((x * 3 + y * 5) % 256).astype(np.uint8)
rgb16 = (rgb.astype(np.uint16) * 257 + (x + y)[..., None].astype(np.uint16)) & 0xffff
alpha = (255 - x * 2).clip(0, 255).astype(np.uint8)
rgba = np.dstack([rgb, alpha])
associated = np.dstack([(rgb.astype(int) * alpha[..., None] + 127) // 255, alpha]).astype(np.uint8)


def write(name, data, **options):
    tifffile.imwrite(name, data, metadata=None, software=None, **options)


def tag(code, kind, value, count=1):
    return (code, kind, count, value, True)


for turn in range(5, 9):
    write(f"orientation{turn}.tif", rgb[:20, :30], photometric="rgb", extratags=[tag(274, "H", turn)])
write("associated.tif", associated, photometric="rgb", extrasamples=["assocalpha"], compression="lzw", predictor=2)
write("straight.tif", rgba, photometric="rgb", extrasamples=["unassalpha"], compression="deflate", rowsperstrip=7)
write("cielab.tif", np.dstack([gray, (x * 2 - 70).astype(np.int8).view(np.uint8), (y * 2 - 50).astype(np.int8).view(np.uint8)]),
      photometric="cielab", compression="deflate")
write("planar.tif", np.moveaxis(rgb, 2, 0), photometric="rgb", planarconfig="separate", compression="packbits", rowsperstrip=16)
write("tiles.tif", rgb, photometric="rgb", tile=(16, 32), compression="zstd")
write("bits12.tif", (rgb16 >> 4), photometric="rgb", bitspersample=12)
write("bits16_big_endian.tif", rgb16, photometric="rgb", byteorder=">")
write("float.tif", (rgb / 255.0).astype(np.float32), photometric="rgb", compression="deflate", predictor=3)
write("cmyk.tif", np.dstack([r, g, b, gray // 2]).astype(np.uint8), photometric="separated", compression="lzw")
write("bilevel.tif", gray > 100, photometric="miniswhite")
subprocess.run(["tiffcp", "-c", "g4", "bilevel.tif", "fax_g4.tif"], check=True)
palette = np.stack([np.arange(16) * 4369, np.arange(16)[::-1] * 4369, (np.arange(16) * 7 % 16) * 4369]).astype(np.uint16)


def pack(name, values, bits, photometric, colours=None):
    """Writes one strip of 2 or 4 bits a sample, which tifffile does not."""
    rows = [sum((values[:, i::8 // bits][:, :-(-W // (8 // bits))] if values[:, i::8 // bits].shape[1] == -(-W // (8 // bits))
                 else np.pad(values[:, i::8 // bits], ((0, 0), (0, 1)))) .astype(int) << (8 - bits * (i + 1)) for i in range(8 // bits))]
    data = rows[0].astype(np.uint8).tobytes()
    entries = [(256, 3, 1, W), (257, 3, 1, H), (258, 3, 1, bits), (259, 3, 1, 1), (262, 3, 1, photometric),
               (273, 4, 1, 8), (277, 3, 1, 1), (278, 3, 1, H), (279, 4, 1, len(data))]
    table = colours.tobytes() if colours is not None else b""
    if table:
        entries.append((320, 3, len(table) // 2, 8 + len(data)))
    with open(name, "wb") as file:
        file.write(struct.pack("<2sHI", b"II", 42, 8 + len(data) + len(table)) + data + table)
        file.write(struct.pack("<H", len(entries)))
        for entry in entries:
            file.write(struct.pack("<HHII", *entry))
        file.write(struct.pack("<I", 0))


pack("palette4.tif", gray >> 4, 4, 3, palette)
pack("bits2.tif", gray >> 6, 2, 1)
write("bigtiff_jpeg.tif", rgb, photometric="rgb", bigtiff=True, compression="jpeg", tile=(32, 32))
with tifffile.TiffWriter("pyramid.tif") as file:
    file.write(rgb, photometric="rgb", subifds=2, compression="deflate", metadata=None, software=None)
    for shrink in (2, 4):
        file.write(rgb[::shrink, ::shrink], photometric="rgb", subfiletype=1, compression="deflate", metadata=None, software=None)
with tifffile.TiffWriter("pages.tif") as file:
    file.write(gray, photometric="minisblack", compression="deflate", metadata=None, software=None)
    file.write(rgb[:30, :40], photometric="rgb", compression="lzw", metadata=None, software=None)
# Runs of 0 to 2,623 pixels of both colours, each row far from the one before it.
runs = (np.arange(2624) * 997) % 2624
write("runs.tif", np.arange(2700)[None, :] - runs[:, None] < 2624 - runs[::-1, None], photometric="miniswhite")
write("page.tif", gray > 100, photometric="minisblack")
write("whole.tif", rgb, photometric="rgb")
for name, source, *options in [
    ("fax_g4_strips", "page", "-c", "g4", "-r", "16"), ("fax_g4_lsb", "page", "-c", "g4", "-f", "lsb2msb"),
    ("fax_runs", "runs", "-c", "g4", "-r", "2624"), ("fax_g3", "bilevel", "-c", "g3:2d"), ("jpeg_strip", "whole", "-c", "jpeg:85", "-r", "53"),
    ("jpeg_strips", "whole", "-c", "jpeg:85", "-r", "16"), ("jpeg_rgb", "whole", "-c", "jpeg:r:85", "-r", "16"),
    ("jpeg_tiles", "whole", "-c", "jpeg:85", "-t", "-w", "32", "-l", "32")]:
    subprocess.run(["tiffcp", *options, f"{source}.tif", f"{name}.tif"], check=True)
for name in ("fax_g4", "jpeg_strips"):
    subprocess.run(["tiffcp", f"{name}.tif", f"{name}_turned.tif"], check=True)
    subprocess.run(["tiffset", "-s", "274", "6", f"{name}_turned.tif"], check=True)
subprocess.run(["rm", "bilevel.tif", "page.tif", "runs.tif", "whole.tif"], check=True)
