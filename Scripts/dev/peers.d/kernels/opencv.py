"""OpenCV, which enlarges with a Lanczos filter of 8 taps and does not shrink with one."""

import cv2


def version():
    return cv2.__version__


def is_held():
    """Sets that are not used have a question mark."""
    return "AVX512-SKX?" in cv2.getCPUFeaturesLine()


def prepare(job, pixels):
    if job.to_width < job.width:
        raise NotImplementedError("does not widen its kernels when it shrinks")
    cv2.setNumThreads(1)

    def resize():
        return cv2.resize(pixels, (job.to_width, job.to_height), interpolation=cv2.INTER_LANCZOS4)

    return resize, lambda result: result
