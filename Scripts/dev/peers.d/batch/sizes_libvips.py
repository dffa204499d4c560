"""Pictures to five sizes as JPEG, WebP and AVIF, each decoded and resized once, with libvips.

Usage: sizes_libvips.py THREADS OUT FILE…
"""

import pathlib
import sys
from concurrent.futures import ThreadPoolExecutor

import pyvips

SIDES = (2000, 1600, 1200, 800, 400)
FORMATS = (".jpg[Q=85]", ".webp[Q=80,effort=4]", ".avif[Q=50,effort=3,compression=av1]")


def main():
    threads, out = int(sys.argv[1]), sys.argv[2]

    def shrink(path):
        photo = pyvips.Image.new_from_file(path).copy_memory()
        for side in SIDES:
            small = photo.thumbnail_image(side, height=side, size="down").copy_memory()
            for suffix in FORMATS:
                small.write_to_file(f"{out}/{pathlib.Path(path).stem}-{side}{suffix}")

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(shrink, sys.argv[3:]))


if __name__ == "__main__":
    main()
