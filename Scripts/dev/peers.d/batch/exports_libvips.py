"""Pictures to files that fit a square, in a format of the web, with libvips.

Usage: exports_libvips.py THREADS OUT SIDE SUFFIX[OPTIONS] FILE…
"""

import pathlib
import sys
from concurrent.futures import ThreadPoolExecutor

import pyvips


def main():
    threads, out, side, suffix = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4]

    def shrink(path):
        image = pyvips.Image.thumbnail(path, side, height=side, size="down")
        image.write_to_file(f"{out}/{pathlib.Path(path).stem}{suffix}")

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(shrink, sys.argv[5:]))


if __name__ == "__main__":
    main()
