"""Pictures to JPEGs that fit a square, with Pillow.

Usage: thumbnails_pillow.py PROCESSES OUT SIDE QUALITY FILE…
"""

import pathlib
import sys

from PIL import Image
from sharing import share


def main():
    processes, out, side, quality = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    Image.MAX_IMAGE_PIXELS = None

    def shrink(path):
        with Image.open(path) as file:
            image = file if file.mode in ("RGB", "L") else file.convert("RGB")
            # Asks the JPEG decoder for a fraction that is at least twice the wanted size.
            image.thumbnail((side, side), Image.Resampling.LANCZOS, reducing_gap=2.0)
            image.save(f"{out}/{pathlib.Path(path).stem}.jpg", quality=quality)

    share(sys.argv[5:], shrink, processes)


if __name__ == "__main__":
    main()
