"""Runs one peer's resampling for imghost-bench, on one thread, as often as it is told to.

    worker.py PEER SOURCE RESULT WIDTH HEIGHT BANDS BITS ALPHA TO_WIDTH TO_HEIGHT KERNEL

PEER is a module of this folder with `version()` and `prepare(job, pixels)`, which gives two functions:
`resize()`, the work that is timed, and `pixels_of(result)`, which makes an array of what it returned.
SOURCE and RESULT are files of raw interleaved samples, 16-bit ones in the machine's order.

The first line of the output is `ready VERSION`, `missing REASON` or `unsupported REASON`. Then each line
`run` of the input is answered by nanoseconds, passed and of the processor, and `save` by `saved` once
the last result is in RESULT.
"""

import importlib
import sys
import time
from typing import NamedTuple


class Job(NamedTuple):
    """What is resampled to what, with the kernel `lanczos3` or `cubic` (Catmull-Rom).

    `alpha` is 1 where the last band weighs the others.
    """

    width: int
    height: int
    bands: int
    bits: int
    alpha: int
    to_width: int
    to_height: int
    kernel: str


def main():
    peer, source, result_path = sys.argv[1:4]
    job = Job(*map(int, sys.argv[4:11]), sys.argv[11])
    try:
        import numpy

        module = importlib.import_module(peer)
        pixels = numpy.fromfile(source, dtype=f"uint{job.bits}")
        pixels = pixels.reshape(job.height, job.width, job.bands)
        resize, pixels_of = module.prepare(job, pixels)
    except (ImportError, OSError) as error:
        print("missing", error, flush=True)
        return
    except NotImplementedError as error:
        print("unsupported", error, flush=True)
        return
    print("ready", module.version(), flush=True)
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
