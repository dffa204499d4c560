"""A script with every kind of output and a folder for its runs. Used by the kills and the crash states."""

import os
import random
import shutil
import subprocess
import tempfile

import common
import sequences
from common import Failure

TEMPORARY = ".imghost-"


class Workload:
    """A script in several versions with other pictures and options, which write files with the same names."""

    # A file that no run has written.
    STRANGER = ("notes.txt", b"nobody's output\n")

    def __init__(self, seed, programs, pictures, options=()):
        self.draw = random.Random(seed)
        self.seed, self.pictures, self.options = seed, pictures, list(options)
        self.program = os.path.join(programs, "imghost")
        self.folder = tempfile.mkdtemp(prefix="imghost-simulate-")
        self.environment = dict(os.environ, XDG_CACHE_HOME=self.path("cache"))
        os.mkdir(self.path("in"))
        os.mkdir(self.path("out"))
        # The files of a run in an empty folder, and the script's text, by version.
        self.fresh, self.scripts = {}, {}
        self.version = 0

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def edit(self, version):
        """Sets the current version."""
        self.version = version
        for number in range(self.pictures):
            with open(self.path("in", "p%d.png" % number), "wb") as file:
                # Some pictures are the same in all versions.
                file.write(sequences.picture((self.seed * 1000 + number + (number % 3 > 0) * version * 100, 0)))
        if version not in self.scripts:
            width, quality = self.draw.randrange(8, 22), self.draw.randrange(50, 95)
            self.scripts[version] = "\n".join([
                "local img = require 'imghost'",
                "local all = img.glob('in/*.png')",
                "for _, p in ipairs(all) do",
                "  p:save('same/{stem}.png')",
                "  p:resize(%d):save('web/{stem}.jpg', { quality = %d })" % (width, quality),
                "  p:resize(%d):save('web/{stem}-{hash}.png')" % width,
                "end",
                "img.book('book.pdf', all, { layout = 'grid', columns = 2, rows = 1, quality = %d })" % quality,
                "all[1]:tiles('zoom/a', { size = 16, quality = %d })" % quality,
                "all[2]:tiles('zoom/b', { size = 16, layout = 'iiif' })",
                "img.animation('moving.webp', all, { quality = %d })" % quality,
                "img.multipage('pages.tif', all)", ""])
        with open(self.path("s.lua"), "w") as file:
            file.write(self.scripts[version])
        if version not in self.fresh:
            self.expect(self.run(self.command("nothing", only_changed=False)), "a run from nothing")
            self.fresh[version] = self.files("nothing")
            shutil.rmtree(self.path("nothing"))

    def leave_a_strangers_file(self):
        for folder in ("", "web", "zoom"):
            os.makedirs(self.path("out", folder), exist_ok=True)
            with open(self.path("out", folder, self.STRANGER[0]), "wb") as file:
                file.write(self.STRANGER[1])

    # MARK: Runs

    def command(self, out="out", *options, only_changed=True):
        kind = ["--only-changed", *self.options] if only_changed else []
        return [self.program, "run", *([] if "--json" in options else ["--quiet"]), *kind, "--out", out, *options, "s.lua"]

    def run(self, words):
        return subprocess.run(
            words, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)

    def expect(self, result, what):
        if result.returncode != 0:
            raise Failure("%s ends with %d: %s" % (what, result.returncode, result.stderr.decode("utf-8", "replace")))

    # MARK: Files

    def files(self, out="out"):
        return common.files(self.path(out))

    @staticmethod
    def shown(files):
        """Returns files without temporary ones."""
        return {path: content for path, content in files.items() if TEMPORARY not in path}

    def check_strangers(self, files):
        for folder in ("", "web", "zoom"):
            if files.get(os.path.join(folder, self.STRANGER[0])) != self.STRANGER[1]:
                raise Failure("a file of somebody else is gone or changed in '%s'" % folder)

    def check_whole(self, files, versions, may_lack):
        """Checks that each name has the file of one of these versions, and each folder of tiles only one version."""
        self.check_strangers(files)
        known = [self.fresh[version] for version in versions]
        for path, content in self.shown(files).items():
            if os.path.basename(path) == self.STRANGER[0]:
                continue
            # Files whose names contain their digests are kept when later versions make other files.
            either = self.fresh.values() if path.endswith(".png") and path.startswith("web/") else known
            if not any(content == files_of.get(path) for files_of in either):
                raise Failure("'%s' is neither the old file nor the new one" % path)
        for tree in ("zoom/a_files/", "zoom/b/"):
            def tiles(of):
                return {path: content for path, content in of.items() if path.startswith(tree)}
            shown = tiles(self.shown(files))
            if not any(shown == tiles(files_of) for files_of in known) and not (may_lack and not shown):
                raise Failure("the folder '%s' is neither the old one nor the new one" % tree)
        if not may_lack:
            lost = [path for path in known[0] if path not in files]
            if lost:
                raise Failure("gone: %s" % lost)

    def check_final(self, files, leaves_temporary=False):
        """Checks that the files are those of a run in an empty folder."""
        self.check_strangers(files)
        for path, content in self.fresh[self.version].items():
            if files.get(path) != content:
                raise Failure("'%s' differs from a run from nothing" % path)
        left = [path for path in files if TEMPORARY in path]
        if left and not leaves_temporary:
            raise Failure("left over: %s" % left)
