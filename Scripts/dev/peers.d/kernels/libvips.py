"""libvips with its own choice of method: whole factors by averaging, the rest by the kernel."""

import ctypes

import numpy
import pyvips

import _libvips  # What pyvips-binary brings.


def version():
    return ".".join(str(pyvips.version(index)) for index in range(3))


def is_held():
    """Highway's targets newer than AVX2 have the bits below its own, 1 << 9."""
    targets = ctypes.CDLL(_libvips.__file__).vips_vector_get_supported_targets
    targets.restype = ctypes.c_int64
    return targets() & ((1 << 9) - 1) == 0


def prepare(job, pixels):
    if job.to_width > job.width:
        raise NotImplementedError("enlarges with bicubic interpolation at best")
    source = pyvips.Image.new_from_memory(
        pixels.tobytes(), job.width, job.height, job.bands, "uchar" if job.bits == 8 else "ushort"
    )
    if job.alpha:
        source = source.copy(interpretation="srgb" if job.bits == 8 else "rgb16")
    kernel = "lanczos3" if job.kernel == "lanczos3" else "cubic"

    def resize():
        image = source.premultiply() if job.alpha else source
        image = image.resize(job.to_width / job.width, vscale=job.to_height / job.height, kernel=kernel)
        if job.alpha:
            image = image.unpremultiply().cast(source.format)
        return image.write_to_memory()

    def pixels_of(memory):
        return numpy.frombuffer(memory, dtype=pixels.dtype)

    return resize, pixels_of
