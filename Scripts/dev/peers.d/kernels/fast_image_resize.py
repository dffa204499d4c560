"""fast_image_resize, by way of cykooz.resizer."""

from importlib.metadata import version as package_version

import numpy
from cykooz_resizer import FilterType, ImageData, PixelType, ResizeAlg, ResizeOptions, Resizer

NEWEST = "AVX2"  # The last of its CpuExtensions for x86.


def version():
    return "by cykooz.resizer " + package_version("cykooz.resizer")


def prepare(job, pixels):
    bands = "" if job.bands == 1 else f"x{job.bands}"
    kind = getattr(PixelType, f"U{job.bits}{bands}")
    kernel = FilterType.lanczos3 if job.kernel == "lanczos3" else FilterType.catmull_rom
    source = ImageData(job.width, job.height, kind, pixels.tobytes())
    target = ImageData(job.to_width, job.to_height, kind)
    options = ResizeOptions(ResizeAlg.convolution(kernel), use_alpha=bool(job.alpha))
    resizer = Resizer()

    def resize():
        resizer.resize(source, target, options)
        return target

    def pixels_of(image):
        return numpy.frombuffer(image.get_buffer(), dtype=pixels.dtype)

    return resize, pixels_of
