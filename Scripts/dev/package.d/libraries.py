#!/usr/bin/env python3
"""The shared libraries of this system.

    libraries.py PROGRAM

prints the Debian packages of the libraries that a program opens on first use, separated by commas.
"""

import json
import os
import re
import subprocess
import sys

# Packages that are never included: every system has them, and a user's plugin may need newer ones.
SYSTEM_PACKAGES = {"libc6", "libgcc-s1"}
# The owner of the toolchain's libraries, which belong to no Debian package.
SWIFT = "swift"


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def needed(path):
    """Returns the names of the libraries that the loader opens with a file."""
    return re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-dW", path))


def swift_place(place):
    """Returns a place in the toolchain, relative to its `lib/swift`."""
    folder = json.loads(output("swiftc", "-print-target-info"))["paths"]["runtimeResourcePath"]
    return os.path.normpath(os.path.join(folder, place))


def debian_owners():
    """Returns {path: Debian package} for all libraries, because a search for a single file would take as long."""
    found = re.findall(r"^([a-z0-9][a-z0-9.+-]*)[:,].* (/.*)$", output("dpkg-query", "-S", "*.so*"), re.M)
    # dpkg lists some under /lib, which is a link to /usr/lib.
    return {"/usr" * path.startswith("/lib") + path: package for package, path in found}


class Libraries:
    """The shared libraries of this system, and Swift's once they are added."""

    # ldconfig's names of the machines.
    MACHINES = {"x86_64": "x86-64", "aarch64": "AArch64"}

    def __init__(self):
        machine = self.MACHINES[os.uname().machine]
        lines = re.findall(rf"^\t(\S+) \(libc6,{machine}[^)]*\) => (\S+)$", output("/sbin/ldconfig", "-p"), re.M)
        self.places = {}
        for name, path in lines:
            self.places.setdefault(name, os.path.realpath(path))
        self.owners = {}

    def add_swift(self):
        folder = swift_place("linux")
        for name in sorted(os.listdir(folder)):
            if name.endswith(".so") and name not in self.places:
                self.places[name] = os.path.join(folder, name)
                self.owners[self.places[name]] = SWIFT

    def owner(self, path):
        """Returns the Debian package of a file, or SWIFT."""
        if path not in self.owners:
            self.owners |= debian_owners()
        return self.owners.get(path) or sys.exit(f"no Debian package has {path}")

    def closure(self, files, names, alone=()):
        """Returns {library name: path} for `names` and for all libraries that files need, directly or indirectly.

        The dependencies of libraries in `alone` are left out.
        """
        found = {}
        queue = list(names)
        for file in files:
            queue += needed(file)
        while queue:
            name = queue.pop()
            if name in found or name.startswith("ld-linux"):
                continue
            path = self.places.get(name) or sys.exit(f"no library {name} here")
            if self.owner(path) in SYSTEM_PACKAGES:
                continue
            found[name] = path
            if name not in alone:
                queue += needed(path)
        return found


def late_libraries(program):
    """Returns the names of the libraries that a program opens on first use, which it contains as strings."""
    with open(program, "rb") as file:
        found = re.findall(rb"(?<![\w.+-])lib[A-Za-z0-9_+-]+(?:\.[0-9]+)?\.so\.[0-9.]+(?=\0)", file.read())
    return sorted({name.decode() for name in found} - set(needed(program)))


if __name__ == "__main__":
    libraries = Libraries()
    print(", ".join(sorted({libraries.owner(libraries.places[name]) for name in late_libraries(sys.argv[1])})))
