"""Pillow and Pillow-SIMD, whichever this Python has."""

import numpy
import PIL
from PIL import Image

NEWEST = "AVX2"  # Scripts/dev/peers compiles Pillow-SIMD for it.


def version():
    return PIL.__version__


def prepare(job, pixels):
    if job.bits == 16 and job.bands > 1:
        raise NotImplementedError("16-bit pictures have one band")
    # RGBX: four bands of equal rank. RGBA is weighted by alpha.
    one = "L" if job.bits == 8 else "I;16"
    mode = {1: one, 3: "RGB", 4: "RGBA" if job.alpha else "RGBX"}[job.bands]
    source = Image.frombuffer(mode, (job.width, job.height), pixels.tobytes(), "raw", mode, 0, 1).copy()
    # Pillow's bicubic is Catmull-Rom.
    kernel = Image.Resampling.LANCZOS if job.kernel == "lanczos3" else Image.Resampling.BICUBIC

    def resize():
        return source.resize((job.to_width, job.to_height), kernel)

    def pixels_of(image):
        return numpy.frombuffer(image.tobytes("raw", mode), dtype=pixels.dtype)

    return resize, pixels_of
