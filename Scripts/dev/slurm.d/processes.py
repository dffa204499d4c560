"""Processes of a cluster: starting them so that none is left over, finding and ending all that they started."""

import ctypes
import os
import signal
import time

LIBC = ctypes.CDLL(None, use_errno=True)
PR_SET_PDEATHSIG = 1  # prctl(2)
PR_SET_CHILD_SUBREAPER = 36
NODE_VARIABLE = "IMGHOST_SLURM_NODE"


def checked(result):
    """Raises the C library's error of a call that returned -1."""
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def die_with_parent():
    """Makes the kernel kill this process when the thread that started it ends, however it ends."""
    checked(LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0))


def adopt_orphans():
    """Makes this process the parent of every descendant whose own parent ends, such as slurmstepd."""
    checked(LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))


def parents():
    """Returns the parent of every running process; zombies are left out."""
    found = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                # The second field is the program's name in parentheses, which may hold spaces.
                state, parent = file.read().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if state not in "ZX":
            found[int(name)] = int(parent)
    return found


def descendants(roots):
    """Returns the running processes below the given ones, without those themselves."""
    children = {}
    for process, parent in parents().items():
        children.setdefault(parent, []).append(process)
    found, open_ones = [], list(roots)
    while open_ones:
        below = children.get(open_ones.pop(), [])
        found += below
        open_ones += below
    return found


def of_node(node):
    """Returns the descendants of this process that a node's slurmd started, and what those started in turn."""
    mark = f"{NODE_VARIABLE}={node}".encode()
    found = set()
    for process in descendants([os.getpid()]):
        try:
            with open(f"/proc/{process}/environ", "rb") as file:
                if mark in file.read().split(b"\0"):
                    found.add(process)
        except OSError:
            continue
    return found | set(descendants(found))


def send(processes, number):
    """Sends a signal to processes, some of which may have ended."""
    for process in processes:
        try:
            os.kill(process, number)
        except ProcessLookupError:
            pass


def end_descendants(seconds=5):
    """Kills every descendant of this process, also those that start meanwhile, and collects their statuses."""
    deadline = time.monotonic() + seconds
    while True:
        left = descendants([os.getpid()])
        send(left, signal.SIGKILL)
        collect()
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(0.02)


def collect():
    """Takes the statuses of all ended children."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def is_running(process):
    """Returns whether a process is there and is no zombie."""
    return process in parents()
