"""Runs one peer's resampling for imghost-bench, on one thread, as often as it is told to.

    worker.py PEER SOURCE RESULT WIDTH HEIGHT BANDS BITS ALPHA TO_WIDTH TO_HEIGHT KERNEL INSTRUCTIONS

PEER is a module of this folder with `version()` and `prepare(job, pixels)`, which gives two functions:
`resize()`, the work that is timed, and `pixels_of(result)`, which makes an array of what it returned.
SOURCE and RESULT are files of raw interleaved samples, 16-bit ones in the machine's order.

INSTRUCTIONS is `any` or `avx2`: then the peer may use nothing newer than AVX2. Its module has `is_held()`,
which asks the library whether that took effect where it can tell; one whose library has nothing newer has
`NEWEST = "AVX2"` instead.

The first line of the output is `ready VERSION` or `ready VERSION, held to AVX2`, `missing REASON` or
`unsupported REASON`. Then each line
`run` of the input is answered by nanoseconds, passed and of the processor, and `save` by `saved` once
the last result is in RESULT.
"""

import importlib
import os
import sys
import time
from typing import NamedTuple


class Job(NamedTuple):
    """What is resampled to what, with the kernel `lanczos3` or `cubic` (Catmull-Rom).

    `alpha` is 1 if the last band multiplies the others.
    """

    width: int
    height: int
    bands: int
    bits: int
    alpha: int
    to_width: int
    to_height: int
    kernel: str
    instructions: str

    @property
    def holds_to_avx2(self):
        return self.instructions == "avx2"


# Libraries read these when they are loaded. libvips: the targets of Highway to leave out, all whose bit is
# below AVX2's, 1 << 9. OpenCV: the name of its only newer set.
HOLDING = {"VIPS_VECTOR": str((1 << 9) - 1), "OPENCV_CPU_DISABLE": "AVX512-SKX"}


def remark(job, module):
    if not job.holds_to_avx2 or getattr(module, "NEWEST", "") == "AVX2":
        return ""
    if not module.is_held():
        raise OSError("could not be held to AVX2")
    return ", held to AVX2"


def main():
    peer, source, result_path = sys.argv[1:4]
    job = Job(*map(int, sys.argv[4:11]), *sys.argv[11:13])
    if job.holds_to_avx2:
        os.environ.update(HOLDING)
    try:
        import numpy

        module = importlib.import_module(peer)
        pixels = numpy.fromfile(source, dtype=f"uint{job.bits}")
        pixels = pixels.reshape(job.height, job.width, job.bands)
        resize, pixels_of = module.prepare(job, pixels)
        description = module.version() + remark(job, module)
    except (ImportError, OSError) as error:
        print("missing", error, flush=True)
        return
    except NotImplementedError as error:
        print("unsupported", error, flush=True)
        return
    print("ready", description, flush=True)
    result = None
    for line in sys.stdin:
        if line == "run\n":
            result = None
            used, start = time.process_time_ns(), time.perf_counter_ns()
            result = resize()
            passed = time.perf_counter_ns() - start
            print(passed, time.process_time_ns() - used, flush=True)
        elif line == "save\n":
            numpy.ascontiguousarray(pixels_of(result)).tofile(result_path)
            print("saved", flush=True)


if __name__ == "__main__":
    main()
