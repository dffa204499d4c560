"""A PDF with each picture on a page, with Pillow and img2pdf.

Usage: book_pillow.py PROCESSES PDF WIDTH HEIGHT QUALITY FILE…
"""

import sys

import img2pdf
from PIL import Image, ImageOps
from sharing import share


def main():
    processes, pdf = int(sys.argv[1]), sys.argv[2]
    width, height, quality = map(int, sys.argv[3:6])
    files = sys.argv[6:]
    pages = [f"{pdf}.{index}.jpg" for index in range(len(files))]

    def make(item):
        source, page = item
        with Image.open(source) as image:
            fitted = ImageOps.fit(image, (width, height), Image.Resampling.LANCZOS)
            fitted.save(page, quality=quality)

    share(list(zip(files, pages, strict=True)), make, processes, lambda: bind(pages, pdf))


def bind(pages, pdf):
    with open(pdf, "wb") as file:
        img2pdf.convert(pages, outputstream=file, engine=img2pdf.Engine.internal)


if __name__ == "__main__":
    main()
