"""Intel IPP's ippiResize functions, called in its shared library; it antialiases when shrinking.

The library looks for its parts for one processor on LD_LIBRARY_PATH, which imghost-bench sets. Its part for
AVX2 can be loaded by itself; ippSetCpuFeatures does not change the choice.
"""

import ctypes
import pathlib
import sys

import numpy

CUBIC, LANCZOS = 6, 16  # IppiInterpolationType
REPLICATE = 1  # IppiBorderType


class Size(ctypes.Structure):
    _fields_ = [("width", ctypes.c_int), ("height", ctypes.c_int)]


class Version(ctypes.Structure):
    """IppLibraryVersion up to the text."""

    _fields_ = [(name, ctypes.c_int) for name in ("major", "minor", "patch", "build")]
    _fields_ += [("processor", ctypes.c_char * 4), ("name", ctypes.c_char_p), ("text", ctypes.c_char_p)]


AVX2_PART = "l9"
part = ""


def library():
    def load(name):
        path = min(pathlib.Path(sys.prefix, "lib").glob(f"lib{name}.so.*"), default=None)
        if path is None:
            raise ImportError(f"lib{name} is not there")
        return ctypes.CDLL(str(path), ctypes.RTLD_GLOBAL)

    for name in ("ippcore", "ippvm", "ipps"):
        load(name)
    return load("ippi" + part)


def description():
    describe = library().ippiGetLibVersion
    describe.restype = ctypes.POINTER(Version)
    return describe().contents


def version():
    return description().text.decode().split()[0]


def is_held():
    return description().processor.decode() == AVX2_PART


def prepare(job, pixels):
    if job.alpha:
        raise NotImplementedError("does not premultiply")
    global part
    part = AVX2_PART if job.holds_to_avx2 else ""
    ipp = library()
    shrinks = job.to_width < job.width
    name = "Lanczos" if job.kernel == "lanczos3" else "Cubic"
    parameters = [3] if job.kernel == "lanczos3" else [ctypes.c_float(0), ctypes.c_float(0.5)]
    suffix = f"{job.bits}u"
    if shrinks:
        initialise = getattr(ipp, f"ippiResizeAntialiasing{name}Init")
        run = getattr(ipp, f"ippiResizeAntialiasing_{suffix}_C{job.bands}R")
    else:
        initialise = getattr(ipp, f"ippiResize{name}Init_{suffix}")
        run = getattr(ipp, f"ippiResize{name}_{suffix}_C{job.bands}R")
    size_of_state = getattr(ipp, f"ippiResizeGetSize_{suffix}")
    size_of_buffer = getattr(ipp, f"ippiResizeGetBufferSize_{suffix}")
    source, target = Size(job.width, job.height), Size(job.to_width, job.to_height)
    result = numpy.empty((job.to_height, job.to_width, job.bands), pixels.dtype)
    sizes = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
    kind = LANCZOS if job.kernel == "lanczos3" else CUBIC
    check(size_of_state(source, target, kind, int(shrinks), *map(ctypes.byref, sizes[:2])))
    state = ctypes.create_string_buffer(sizes[0].value)
    first_buffer = ctypes.create_string_buffer(max(1, sizes[1].value))
    check(initialise(source, target, *parameters, state, first_buffer))
    check(size_of_buffer(state, target, job.bands, ctypes.byref(sizes[2])))
    buffer = ctypes.create_string_buffer(sizes[2].value)
    rows = [ctypes.c_void_p(pixels.ctypes.data), pixels.strides[0]]
    rows += [ctypes.c_void_p(result.ctypes.data), result.strides[0]]

    def resize():
        check(initialise(source, target, *parameters, state, first_buffer))
        check(run(*rows, Size(0, 0), target, REPLICATE, None, state, buffer))
        return result

    return resize, lambda pixels: pixels


def check(status):
    if status != 0:
        raise OSError(f"IPP's status {status}")
