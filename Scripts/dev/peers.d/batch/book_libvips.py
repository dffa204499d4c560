"""A PDF with each picture on a page, with libvips and img2pdf.

Usage: book_libvips.py THREADS PDF WIDTH HEIGHT QUALITY FILE…
"""

import sys
from concurrent.futures import ThreadPoolExecutor

import img2pdf
import pyvips


def main():
    threads, pdf = int(sys.argv[1]), sys.argv[2]
    width, height, quality = map(int, sys.argv[3:6])

    def page(path):
        image = pyvips.Image.thumbnail(path, width, height=height, crop="centre")
        return image.jpegsave_buffer(Q=quality, subsample_mode="on")

    with ThreadPoolExecutor(threads) as pool, open(pdf, "wb") as file:
        pages = list(pool.map(page, sys.argv[6:]))
        img2pdf.convert(pages, outputstream=file, engine=img2pdf.Engine.internal)


if __name__ == "__main__":
    main()
