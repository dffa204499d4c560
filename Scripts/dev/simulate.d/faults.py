"""Runs in which strace makes one system call fail. See Scripts/dev/simulate."""

import concurrent.futures
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

import common
import sequences

# The calls that fail, with their errors. If a program makes a call often, only some of its occurrences fail.
CALLS = {
    "openat": ["EMFILE", "EIO", "ENOSPC", "EINTR"],
    "openat2": ["EMFILE", "EIO", "EINTR"],
    "read": ["EIO", "EINTR"],
    "pread64": ["EIO", "EINTR"],
    "preadv2": ["EIO", "EINTR"],
    "write": ["ENOSPC", "EIO", "EINTR"],
    "pwrite64": ["ENOSPC", "EIO", "EINTR"],
    "copy_file_range": ["EIO", "ENOSPC", "EINTR"],
    "close": ["EIO"],
    "newfstatat": ["EIO"],
    "fstat": ["EIO"],
    "renameat": ["EIO", "ENOSPC"],
    "renameat2": ["EIO"],
    "mkdirat": ["ENOSPC", "EIO"],
    "unlinkat": ["EIO"],
    "ftruncate": ["EIO", "EINTR"],
    "flock": ["EINTR", "ENOLCK"],
    "fcntl": ["EMFILE"],
    "getdents64": ["EIO"],
    "mmap": ["ENOMEM"],
}

SCRIPTS = {
    "save": "for _, p in ipairs(all) do p:resize(12):save('{stem}.jpg') p:invert():save('{stem}.png') end",
    "copy": "for _, p in ipairs(all) do p:save('same/{stem}.png') end",
    "book": "img.book('b.pdf', all, { layout = 'grid', columns = 2, rows = 1, caption = '{stem}' })",
    "tiles": "img.open('in/a.png'):tiles('zoom/a', { size = 16 })",
    "animation": "img.animation('a.webp', all)",
    "multipage": "img.multipage('m.tif', all)",
    # JPEGs with metadata, because these are read more than once.
    "metadata": "for _, p in ipairs(photos) do p:resize(12):save('{title|stem}.jpg') p:save('{stem}.webp') end",
    "embedded": "img.book('e.pdf', photos, { caption = '{title}' })",
}

PHOTOS = "for i, p in ipairs(all) do p:with_metadata{ title = 'T' .. i, keywords = { 'k' } }:save('{stem}.jpg') end"


class Case:
    def __init__(self, name, programs, only_changed):
        self.name, self.only_changed = name, only_changed
        self.program = os.path.join(programs, "imghost")
        self.folder = tempfile.mkdtemp(prefix="imghost-faults-")
        os.mkdir(self.path("in"))
        shutil.copytree(common.described(programs), self.path("cache"))
        for number, stem in enumerate("abc"):
            with open(self.path("in", stem + ".png"), "wb") as file:
                file.write(sequences.picture((number + 1, 0)))
        self.write(PHOTOS)
        self.run([], "in", only_changed=False)
        self.write("local photos = img.glob('in/*.jpg', { sidecar = true }) " + SCRIPTS[name])
        self.run([], "fresh", only_changed=False)
        self.fresh = self.files("fresh")

    def write(self, script):
        with open(self.path("s.lua"), "w") as file:
            file.write("local img = require 'imghost'\nlocal all = img.glob('in/*.png')\n" + script + "\n")

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def files(self, out):
        return common.files(self.path(out))

    def run(self, before, out, only_changed=None, cache="cache"):
        only = self.only_changed if only_changed is None else only_changed
        words = before + [self.program, "run", "--out", out] + (["--only-changed"] if only else []) + ["s.lua"]
        environment = dict(os.environ, XDG_CACHE_HOME=self.path(cache))
        return subprocess.run(words, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)

    def counts(self):
        """Returns how often an undisturbed run makes each call, in the thread that makes it most."""
        shutil.rmtree(self.path("out"), ignore_errors=True)
        self.run(["strace", "-f", "--seccomp-bpf", "-qq", "-o", self.path("calls"), "-e", "trace=" + ",".join(CALLS)], "out")
        counts = {}
        for line in open(self.path("calls"), errors="replace"):
            match = re.match(r"(\d+)\s+(\w+)\(", line)
            if match:
                key = match.group(2), match.group(1)
                counts[key] = counts.get(key, 0) + 1
        most = {}
        for (call, _), count in counts.items():
            most[call] = max(most.get(call, 0), count)
        return most

    def fault(self, call, error, when):
        """Makes one call fail. Returns a description of the error; None if the run behaved correctly."""
        shutil.rmtree(self.path("out"), ignore_errors=True)
        place = "inject=%s:error=%s:when=%d" % (call, error, when)
        words = ["strace", "-f", "--seccomp-bpf", "-y", "-qq", "-o", self.path("log"), "-e", "trace=" + call, "-e", place]
        try:
            # If a plugin could not be described, the cache records this for a day. So each run gets a new cache.
            shutil.rmtree(self.path("other"), ignore_errors=True)
            shutil.copytree(self.path("cache"), self.path("other"))
            result = self.run(words, "out", cache="other")
        except subprocess.TimeoutExpired:
            return "hangs"
        text = result.stderr.decode("utf-8", "replace")
        # Without memory, the loader ends the program before it starts.
        if result.returncode == 127 and "loading shared libraries" in text or (call, when, text) == ("mmap", 1, ""):
            return None
        if result.returncode < 0 or result.returncode > 4:
            return "status %d: %s" % (result.returncode, text)
        out = self.files("out")
        # If the libraries that draw text cannot be opened, the run prints a note, and the next run draws the text. If
        # fontconfig cannot read one of its files, it silently uses other fonts.
        with open(self.path("log"), errors="replace") as log:
            is_untold = any("INJECTED" in line and "font" in line for line in log)
        has_other_font = "text needs Pango" in text or is_untold
        if result.returncode == 0 and out != self.fresh and not has_other_font:
            return "status 0, but other files: %s" % sorted(set(out) ^ set(self.fresh))
        if result.returncode != 0 and not text.strip():
            return "status %d without a message" % result.returncode
        # The failing call may be the one that removes a temporary file. Without memory, a process ends before it has
        # removed folders of tiles; the next run removes these.
        left = [path for path in out if ".imghost-" in path]
        if left and call not in ("unlinkat", "getdents64", "close", "mmap"):
            return "left over: %s; %s" % (left, text)
        for path, content in out.items():
            if ".imghost-" not in path and self.fresh.get(path) != content and not has_other_font:
                return "half-written: %s; %s" % (path, text)
        if result.returncode == 0 and out == self.fresh and not self.only_changed:
            return None
        again = self.run([], "out")
        if is_untold:
            return None
        if again.returncode != 0 or self.files("out") != self.fresh:
            return "the next run: %s" % again.stderr.decode("utf-8", "replace")
        return None


def main():
    options = common.arguments("simulate --faults", 100)
    if not shutil.which("strace"):
        print("skipped: strace is not installed")
        return
    draw = random.Random(options.seed)
    common.described(options.programs)
    pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
    kinds = [(name, only_changed) for name in SCRIPTS for only_changed in (False, True)]
    # To prepare a case takes as long as some faults.
    kinds = draw.sample(kinds, min(len(kinds), -(-options.count // 3)))
    cases = list(pool.map(lambda kind: Case(kind[0], options.programs, kind[1]), kinds))
    faults = [
        (case, call, error, when) for case, counts in zip(cases, pool.map(Case.counts, cases))
        for call, most in sorted(counts.items()) for error in CALLS[call] for when in range(1, min(most, 200) + 1)]
    if not faults:
        print("skipped: this system does not let strace follow programs")
        return
    chosen = draw.sample(faults, min(options.count, len(faults)))
    # The faults of one case are tried one after another, because they share its folder.
    failed = 0

    def play(case):
        return [(fault, case.fault(*fault[1:])) for fault in chosen if fault[0] is case]

    for results in pool.map(play, cases):
        for (case, call, error, when), problem in results:
            if problem:
                failed += 1
                print("%s%s, call %d of %s fails by %s: %s" % (
                    case.name, " --only-changed" if case.only_changed else "", when, call, error, problem[:400]),
                    flush=True)
    for case in cases:
        shutil.rmtree(case.folder, ignore_errors=True)
    print("%d of %d faults, %d failed" % (len(chosen), len(faults), failed))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
