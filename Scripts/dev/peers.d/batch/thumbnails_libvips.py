"""Pictures to JPEGs that fit a square, with libvips.

Usage: thumbnails_libvips.py [--srgb] THREADS OUT SIDE QUALITY FILE…

--srgb converts colours from the pictures' profiles to sRGB.
"""

import pathlib
import sys
from concurrent.futures import ThreadPoolExecutor

import pyvips


def main():
    srgb = sys.argv[1] == "--srgb"
    arguments = sys.argv[2 if srgb else 1 :]
    threads, out, side, quality = int(arguments[0]), arguments[1], int(arguments[2]), int(arguments[3])

    def shrink(path):
        options = {"export_profile": "srgb"} if srgb else {}
        image = pyvips.Image.thumbnail(path, side, height=side, **options)
        image.jpegsave(f"{out}/{pathlib.Path(path).stem}.jpg", Q=quality)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(shrink, arguments[4:]))


if __name__ == "__main__":
    main()
