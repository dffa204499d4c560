"""zimg in VapourSynth. Its frames are planar, so RGBA is an RGB clip and a gray one."""

import numpy
import vapoursynth
from vapoursynth import core


def version():
    return f"VapourSynth R{core.version_number()}"


def is_held():
    """`cpu_type` is taken as an upper limit by zimg, which does not tell what it has chosen."""
    return True


def prepare(job, pixels):
    if job.alpha:
        raise NotImplementedError("VapourSynth does not divide by alpha")
    core.num_threads = 1
    gray, rgb = (
        (vapoursynth.GRAY8, vapoursynth.RGB24) if job.bits == 8 else (vapoursynth.GRAY16, vapoursynth.RGB48)
    )
    parts = {1: [(gray, [0])], 3: [(rgb, [0, 1, 2])], 4: [(rgb, [0, 1, 2]), (gray, [3])]}[job.bands]
    clips = [resized(job, clip_of(job, pixels, kind, bands)) for kind, bands in parts]
    count = 0

    def resize():
        nonlocal count
        # Each frame of the endless clip is the same; asked for once, none comes from a cache.
        count += 1
        return [clip.get_frame(count) for clip in clips]

    def pixels_of(frames):
        planes = [numpy.asarray(frame[plane]) for frame in frames for plane in range(frame.format.num_planes)]
        return numpy.stack(planes, axis=-1)

    return resize, pixels_of


def clip_of(job, pixels, kind, bands):
    """A clip that gives one frame again and again."""
    blank = core.std.BlankClip(width=job.width, height=job.height, format=kind, length=1_000_000, keep=True)
    frame = blank.get_frame(0).copy()
    for plane, band in enumerate(bands):
        numpy.asarray(frame[plane])[:] = pixels[:, :, band]
    return blank.std.ModifyFrame(clips=blank, selector=lambda n, f: frame)


def resized(job, clip):
    size = {"width": job.to_width, "height": job.to_height}
    if job.holds_to_avx2:
        size["cpu_type"] = "avx2"
    if job.kernel == "lanczos3":
        return uncached(clip.resize.Lanczos(**size, filter_param_a=3))
    return uncached(clip.resize.Bicubic(**size, filter_param_a=0, filter_param_b=0.5))


def uncached(clip):
    """Frames that are let go are used again for the next, instead of being kept."""
    clip.std.SetVideoCache(mode=0)
    return clip
