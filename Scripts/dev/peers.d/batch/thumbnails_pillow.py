"""Pictures to JPEGs that fit a square, with Pillow.

Usage: thumbnails_pillow.py [--srgb] PROCESSES OUT SIDE QUALITY FILE…

--srgb converts colours from the pictures' profiles to sRGB.
"""

import io
import pathlib
import sys

from PIL import Image, ImageCms
from sharing import share


def main():
    srgb = sys.argv[1] == "--srgb"
    arguments = sys.argv[2 if srgb else 1 :]
    processes, out, side, quality = int(arguments[0]), arguments[1], int(arguments[2]), int(arguments[3])
    Image.MAX_IMAGE_PIXELS = None

    def shrink(path):
        with Image.open(path) as file:
            image = file if file.mode in ("RGB", "L") else file.convert("RGB")
            # Asks the JPEG decoder for a fraction that is at least twice the wanted size.
            image.thumbnail((side, side), Image.Resampling.LANCZOS, reducing_gap=2.0)
            if srgb and "icc_profile" in image.info:
                profile = ImageCms.ImageCmsProfile(io.BytesIO(image.info.pop("icc_profile")))
                ImageCms.profileToProfile(image, profile, ImageCms.createProfile("sRGB"), inPlace=True)
            image.save(f"{out}/{pathlib.Path(path).stem}.jpg", quality=quality)

    share(arguments[4:], shrink, processes)


if __name__ == "__main__":
    main()
