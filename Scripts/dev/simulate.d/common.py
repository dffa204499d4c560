"""Functions that several parts of the simulator call. See Scripts/dev/simulate."""

import argparse
import atexit
import functools
import os
import shutil
import subprocess
import tempfile
import time


class Failure(Exception):
    pass


def files(folder):
    """Returns the bytes of all files below a folder, by their paths in it, without the records."""
    found = {}
    for place, folders, names in os.walk(folder):
        if ".imghost" in folders:
            folders.remove(".imghost")
        for name in names:
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = file.read()
    return found


@functools.cache
def described(programs):
    """Returns a cache folder in which all plugins are described. Describing them takes longer than most runs."""
    folder = tempfile.mkdtemp(prefix="imghost-simulate-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    subprocess.run(
        [os.path.join(programs, "imghost"), "plugins"], env=dict(os.environ, XDG_CACHE_HOME=folder),
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)
    return folder


def kill(words, folder, environment, call=None, wait=0):
    """Starts a program, and kills it after a time or at a system call. Returns its exit status.

    call: the name of the call, and its number among such calls of a thread. None to wait for some seconds instead.
    """
    if call:
        place = "inject=%s:signal=SIGKILL:when=%d" % call
        words = ["strace", "-f", "--seccomp-bpf", "-qq", "-o", "/dev/null", "-e", "trace=" + call[0], "-e", place] + words
    run = subprocess.Popen(
        words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    if not call:
        time.sleep(wait)
        run.kill()
    return run.wait(120)


def arguments(name, count, *flags, **numbers):
    """Reads the command line of a part of the simulator.

    count: how much is played unless --count says it.
    flags, numbers: further options, and further ones that take a number, with its default.
    """
    parser = argparse.ArgumentParser(prog=name)
    parser.add_argument("--programs", required=True, type=os.path.abspath)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=count)
    for flag in flags:
        parser.add_argument(flag, action="store_true")
    for option, default in numbers.items():
        parser.add_argument("--" + option, type=int, default=default)
    return parser.parse_args()
