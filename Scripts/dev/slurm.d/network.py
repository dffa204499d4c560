"""Namespaces of a cluster: a network with a bridge for the controller, and one network for each node."""

import ctypes
import os
import subprocess

from processes import LIBC, checked

CLONE_NEWNS = 0x00020000  # sched.h
CLONE_NEWNET = 0x40000000
MS_REMOUNT = 0x20  # sys/mount.h
MNT_DETACH = 2
MS_REC_SLAVE = 0x4000 | 0x80000
PREFIX = "10.77.0"
CONTROLLER = f"{PREFIX}.1"


def address(number):
    """Returns the address of the node with a number from 1."""
    return f"{PREFIX}.{10 + number}"


def ip(*arguments):
    """Runs iproute2."""
    subprocess.run(["ip", *arguments], check=True, stdin=subprocess.DEVNULL)


def enter_own():
    """Moves this process into a network and a mount namespace of its own; returns whether that is allowed."""
    try:
        checked(LIBC.unshare(CLONE_NEWNET | CLONE_NEWNS))
    except OSError:
        return False
    # Mounts made here end with this process, and are seen by the nodes that it starts.
    checked(LIBC.mount(None, b"/", None, MS_REC_SLAVE, None))
    ip("link", "set", "lo", "up")
    ip("link", "add", "cluster", "type", "bridge")
    ip("address", "add", f"{CONTROLLER}/24", "dev", "cluster")
    ip("link", "set", "cluster", "up")
    return True


def connect(name, process):
    """Lays a cable from the bridge to the network of a node's first process."""
    subprocess.run(["ip", "link", "delete", name], check=False, stderr=subprocess.DEVNULL)
    ip("link", "add", name, "type", "veth", "peer", "name", "wire", "netns", str(process))
    ip("link", "set", name, "master", "cluster", "up")


def cut_cable(name):
    """Breaks a node's cable."""
    ip("link", "set", name, "down")


def node_command(name, number, boot, command):
    """Returns the command that runs another one as a machine of its own, once its cable is there.

    `boot` is a file with the machine's boot id, by which programs tell machines apart.
    """
    script = (
        'mount --bind "$3" /proc/sys/kernel/random/boot_id && hostname "$1" && ip link set lo up && '
        'until ip link show wire >/dev/null 2>&1; do sleep 0.02; done && '
        'ip address add "$2/24" dev wire && ip link set wire up && shift 3 && { "$@" & wait; }'
    )
    return [
        *("unshare", "--net", "--uts", "--pid", "--mount", "--mount-proc", "--fork", "--kill-child"),
        *("sh", "-c", script, "node", name, address(number), boot, *command),
    ]


def mount_small(folder, size, again=False):
    """Mounts a file system of a few bytes, or changes its size."""
    options = f"size={size}".encode()
    checked(LIBC.mount(b"tmpfs", os.fsencode(folder), b"tmpfs", MS_REMOUNT if again else 0, options))


def unmount_small(folder):
    """Takes the small file system away, also while a program uses it."""
    checked(LIBC.umount2(os.fsencode(folder), MNT_DETACH))


def join(process):
    """Moves this process into the network and the mounts of another one, and stays in its folder."""
    here = os.getcwd()
    for kind in ("net", "mnt"):
        with open(f"/proc/{process}/ns/{kind}", "rb") as file:
            checked(LIBC.setns(file.fileno(), 0))
    os.chdir(here)
