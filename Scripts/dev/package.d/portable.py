#!/usr/bin/env python3
"""Makes the portable files of a version: two trees, their lists of contents, and two wheels.

    portable.py STAGE WORK OUT VERSION

STAGE contains the staged packages, and in its folder `portable` imghost with Lua linked statically, and plugins that
share Swift's library. The trees are made in WORK, for the caller to pack, and the wheels in OUT. Libraries are copied
from the Debian that this runs on, except for those that `replacement` makes.
"""

import os
import re
import shutil
import stat
import subprocess
import sys

import contents
import wheel
from libraries import SWIFT, Libraries, late_libraries, output, swift_place

HERE = os.path.dirname(os.path.abspath(__file__))
# The folders in which each program looks for libraries. The worker has a DT_RUNPATH, which only applies to its own
# libraries, so those that a user's plugin needs come from the system. The others have a DT_RPATH, which also applies to
# the dependencies of libraries.
RUN_PATHS = {
    "bin/imghost": ("--force-rpath", "$ORIGIN/../lib/imghost/lib"),
    "lib/imghost/imghost-plugin-worker": ("", "$ORIGIN/lib:$ORIGIN/../lib/imghost/lib"),
    "lib/imghost/imghost-verify": (
        "--force-rpath",
        "$ORIGIN/gpl:$ORIGIN/lib:$ORIGIN/../lib/imghost/gpl:$ORIGIN/../lib/imghost/lib",
    ),
}
PLUGIN_RUN_PATH = ("--force-rpath", "$ORIGIN/../gpl:$ORIGIN/../lib")
# Libraries that others load but do not need: the source file of the replacement, and the reason.
STAND_INS = {"libjbig.so.0": ("jbig.c", "stands for JBIG-KIT, which is under the GPL")} | {
    name: ("av1.c", "stands for a library that libavif asks for and imghost does not use")
    for name in ("libSvtAv1Enc.so.1", "librav1e.so.0", "libgav1.so.1")
}


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def all_files(folder):
    """Returns the paths of all files below a folder, relative to it, in order."""
    found = []
    for place, _, names in os.walk(folder):
        found += [os.path.relpath(os.path.join(place, name), folder) for name in names]
    return sorted(found)


def put(source, target, mode=0o644):
    os.makedirs(os.path.dirname(target), exist_ok=True)
    shutil.copyfile(source, target)
    os.chmod(target, mode)


# --- Libraries of ours in place of Debian's --------------------------------------------------------------------


def build_library(target, *arguments):
    os.makedirs(os.path.dirname(target), exist_ok=True)
    name = os.path.basename(target)
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-O2", "-nostdlib", f"-Wl,-soname,{name}", "-Wl,--build-id=none", "-Wl,-z,noexecstack",
         "-o", target, *arguments],
        check=True,
    )
    subprocess.run(["strip", "--strip-unneeded", "--remove-section=.comment", target], check=True)
    os.chmod(target, 0o644)


def shrink_icu_data(source, target, work):
    """Reduces ICU's data to the character sets, a fifth: libxml2, which reads SVG drawings, uses nothing else."""
    name = re.search(r"\bicudt\d+_dat\b", output("readelf", "--dyn-syms", "-W", source))[0]
    whole, small = (os.path.join(work, folder, name.replace("_dat", "l.dat")) for folder in ("whole", "small"))
    for path in (whole, small):
        os.makedirs(os.path.dirname(path), exist_ok=True)
    # This section of the library contains nothing but the data.
    subprocess.run(["objcopy", "-O", "binary", "--only-section=.rodata", source, whole], check=True)
    items = [line.strip() for line in output("/usr/sbin/icupkg", "-l", whole).splitlines()]
    removed = os.path.join(work, "icu-removed.lst")
    with open(removed, "w") as file:
        file.writelines(item + "\n" for item in items if not item.endswith((".cnv", "cnvalias.icu")))
    subprocess.run(["/usr/sbin/icupkg", "-r", removed, whole, small], check=True)
    assembly = os.path.join(work, "icu.s")
    with open(assembly, "w") as file:
        file.write(f""".section .rodata
.globl {name}
.type {name}, %object
.balign 16
{name}:
.incbin "{small}"
.size {name}, . - {name}
.section .note.GNU-stack,"",%progbits
""")
    build_library(target, assembly)


def replacement(name, source, target, work):
    """Makes the replacement for a library. Returns its description, or nothing if Debian's is used unchanged."""
    if name.startswith("libicudata.so."):
        shrink_icu_data(source, target, work)
        return "Debian's ICU data without all but the character sets"
    if name in STAND_INS:
        file, reason = STAND_INS[name]
        build_library(target, os.path.join(HERE, "portable", file))
        return reason
    return None


# --- The trees -------------------------------------------------------------------------------------------------


class Tree:
    """One of the two portable files: a folder, and where each file in it comes from."""

    def __init__(self, name, folder):
        self.name = name
        self.folder = folder
        # {relative path: Debian package}, of files that are not ours
        self.debian = {}
        # {relative path: what it is}, of libraries that are made anew
        self.remade = {}
        # Entries of packages that are linked into ours; those of the portable files are named with their files.
        self.linked = []

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def take_package(self, stage, package):
        shutil.copytree(os.path.join(stage, package, "usr"), self.folder, dirs_exist_ok=True)

    def take(self, source, target, package, mode=0o644):
        put(source, self.path(target), mode)
        self.debian[target] = package

    def take_libraries(self, libraries, places, folder, work, replaces):
        for name, source in sorted(places.items()):
            target = f"lib/imghost/{folder}/{name}"
            remade = replaces and replacement(name, source, self.path(target), work)
            if remade:
                self.remade[target] = remade
            else:
                self.take(source, target, libraries.owner(source))
                if libraries.owner(source) == SWIFT:
                    subprocess.run(["strip", "--strip-unneeded", "--remove-section=.comment", self.path(target)], check=True)
                    self.remade[target] = "without symbols that only debuggers use"

    def set_run_paths(self):
        for file in all_files(self.folder):
            kind, path = RUN_PATHS.get(file) or (PLUGIN_RUN_PATH if "/plugins/lib" in file else (None, None))
            if path:
                words = ["patchelf", *([kind] if kind else []), "--set-rpath", path, self.path(file)]
                subprocess.run(words, check=True)

    def binaries(self):
        return [self.path(file) for file in all_files(self.folder) if is_elf(self.path(file))]

    def take_licences(self):
        folder = f"share/doc/{self.name}/licences"
        common = set()
        for package in sorted(set(self.debian.values())):
            text = swift_place("../../share/swift/LICENSE.txt") if package == SWIFT else f"/usr/share/doc/{package}/copyright"
            put(os.path.realpath(text), self.path(folder, package + ".txt"))
            with open(text, errors="replace") as file:
                common |= set(re.findall(r"/usr/share/common-licenses/([A-Za-z0-9.-]*[A-Za-z0-9])", file.read()))
        for name in sorted(common):
            source = os.path.realpath("/usr/share/common-licenses/" + name)
            if os.path.isfile(source):
                put(source, self.path(folder, "common-licenses", name))


def poppler_data(tree):
    for file in all_files("/usr/share/poppler"):
        source = os.path.join("/usr/share/poppler", file)
        tree.take(os.path.realpath(source), f"lib/imghost/plugins/poppler/{file}", "poppler-data")


def fonts(tree):
    folder = "share/imghost/fonts"
    for name in ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf"):
        tree.take(f"/usr/share/fonts/truetype/dejavu/{name}", f"{folder}/{name}", "fonts-dejavu-core")
    rules = "90-synthetic.conf"
    tree.take(f"/usr/share/fontconfig/conf.avail/{rules}", f"{folder}/{rules}", "fontconfig-config")
    put(os.path.join(HERE, "portable/fonts.conf"), tree.path(folder, "fonts.conf"))


def make_trees(stage, work, version):
    top = f"imghost-{version}"
    base = Tree("imghost", os.path.join(work, "base", top))
    gpl = Tree("imghost-gpl", os.path.join(work, "gpl", top))
    for package in ("imghost", "imghost-codecs"):
        base.take_package(stage, package)
    for package in ("imghost-verify", "imghost-codecs-gpl"):
        gpl.take_package(stage, package)
    put(os.path.join(stage, "portable/imghost"), base.path("bin/imghost"), 0o755)
    for name in os.listdir(base.path("lib/imghost/plugins")):
        if name.endswith(".so"):
            put(os.path.join(stage, "portable/plugins", name), base.path("lib/imghost/plugins", name))

    libraries = Libraries()
    libraries.add_swift()
    first = libraries.closure(base.binaries(), late_libraries(base.path("bin/imghost")), STAND_INS)
    # Also adds the real libraries that are replaced in the first file.
    second = libraries.closure(gpl.binaries(), [])
    second = {name: path for name, path in second.items() if name not in first or name in STAND_INS}
    base.take_libraries(libraries, first, "lib", work, replaces=True)
    gpl.take_libraries(libraries, second, "gpl", work, replaces=False)
    fonts(base)
    poppler_data(gpl)
    for tree in (base, gpl):
        tree.set_run_paths()
        tree.take_licences()
    return base, gpl


def main():
    stage, work, out, version = sys.argv[1:]
    os.umask(0o022)
    base, gpl = make_trees(stage, work, version)
    for tree, packages in ((base, ("copyright",)), (gpl, ("copyright", "copyright-gpl"))):
        document = tree.path(f"share/doc/{tree.name}")
        with open(os.path.join(document, "copyright"), "w") as file:
            for name in packages:
                with open(os.path.join(HERE, name)) as part:
                    file.write(part.read())
        put(os.path.join(HERE, "../../../LICENSE"), os.path.join(document, "LICENSE"))
        contents.write(tree, version, os.path.join(document, f"{tree.name}.spdx.json"))
        for file in all_files(tree.folder):
            path = tree.path(file)
            os.chmod(path, 0o755 if os.stat(path).st_mode & stat.S_IXUSR else 0o644)
        wheel.write(tree, version, out)


if __name__ == "__main__":
    main()
