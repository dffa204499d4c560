"""A picture's pixels as PNG, with Pillow: pixels_pillow.py FILE PNG."""

import sys

from PIL import Image

with Image.open(sys.argv[1]) as image:
    image.convert("RGB").save(sys.argv[2], compress_level=1)
