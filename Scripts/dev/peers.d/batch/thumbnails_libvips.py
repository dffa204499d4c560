"""Pictures to JPEGs that fit a square, with libvips.

Usage: thumbnails_libvips.py THREADS OUT SIDE QUALITY FILE…
"""

import pathlib
import sys
from concurrent.futures import ThreadPoolExecutor

import pyvips


def main():
    threads, out, side, quality = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])

    def shrink(path):
        image = pyvips.Image.thumbnail(path, side, height=side, size="down")
        image.jpegsave(f"{out}/{pathlib.Path(path).stem}.jpg", Q=quality)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(shrink, sys.argv[5:]))


if __name__ == "__main__":
    main()
