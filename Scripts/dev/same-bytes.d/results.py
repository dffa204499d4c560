"""The results of a case with one build, and their differences from the results with the other build."""

import difflib
import hashlib
import os
import re
import stat

from masks import is_random

# Exit statuses for an exceeded time limit, and for signals that a faulty program causes.
FAULTS = {124, 132, 134, 135, 136, 137, 139}
FAULT_WORDS = ("internal error", "Fatal error", "recondition", "core dumped", "unexpectedly found nil")

# Commands that make outputs.
RUNS = re.compile(r"\bimghost (run|merge|convert|book|sheet|test)\b")
# The last line of their output.
ENDS = re.compile(r'{"event":"finished"|\d+ files? written')


class Result:
    """The results of a case: its commands with their texts and statuses, and files."""

    def __init__(self, folder, mask, has_callbacks):
        self.folder, self.mask, self.has_callbacks = folder, mask, has_callbacks
        self.steps, self.files = {}, {}
        for path, entry in sorted(walk(folder)):
            name = os.path.relpath(path, folder)
            group = self.steps if name.startswith("steps/") else self.files
            group[mask.text(name)] = entry
        self.digests = [
            digest for path, kind in self.files.values() if kind == "file" for digest in random_digest(path)
        ]

    def command(self, name):
        """Returns the command that a text or status belongs to."""
        with open(
            f"{self.folder}/{name.rpartition('.')[0]}.command", encoding="utf-8", errors="surrogateescape"
        ) as file:
            return self.mask.text(file.read().strip())

    def content(self, entry):
        """Returns the masked content of a file, or what else an entry is."""
        path, kind = entry
        if kind == "file":
            with open(path, "rb") as file:
                content = file.read()
            for digest in self.digests:
                content = content.replace(digest, b"DIGEST")
            return self.mask.content(content)
        return kind

    def differences(self, other):
        """Returns the places where two results differ, each with the first difference."""
        for mine, theirs in ((self.steps, other.steps), (self.files, other.files)):
            for name in sorted(mine.keys() | theirs.keys()):
                place = self.describe(name, other)
                if name not in theirs or name not in mine:
                    yield place, "only before" if name in mine else "only now"
                elif same_bytes(mine[name], theirs[name]):
                    continue
                elif text := part(self.content(mine[name]), other.content(theirs[name]), self.in_order(name)):
                    yield place, text

    def describe(self, name, other):
        """Returns the description of a file, or of a part of a command, for messages."""
        if not name.startswith("steps/"):
            return name.removeprefix("here/")
        for result in (self, other):
            if os.path.exists(f"{result.folder}/{name.rpartition('.')[0]}.command"):
                return f"{name.rpartition('.')[2]} of '{shorten(result.command(name))}'"
        return name

    def in_order(self, name):
        """Returns whether the lines of a text have a fixed order.

        Outputs end in any order, even with one worker, because other threads copy files. Functions of the script are
        called when jobs end, and reports contain the lines that they print.
        """
        if not name.startswith("steps/"):
            return not (self.has_callbacks and name.endswith(".html"))
        command = self.command(name)
        tells_outputs = " -v " in command or "--json" in command
        return not RUNS.search(command) or (" -j 1 " in command and not tells_outputs and not self.has_callbacks)

    def faults(self):
        """Returns the commands that a fault of the program has ended."""
        for name in self.steps:
            if name.endswith(".status"):
                with open(f"{self.folder}/{name}", encoding="utf-8") as file:
                    status = int(file.read())
                with open(
                    f"{self.folder}/{name.removesuffix('status')}stderr", encoding="utf-8", errors="replace"
                ) as file:
                    errors = file.read()
                words = [line for line in errors.split("\n") if any(word in line for word in FAULT_WORDS)]
                if status in FAULTS or words:
                    text = f"fault: status {status}" + (f", '{shorten(words[0])}'" if words else "")
                    yield f"'{shorten(self.command(name))}'", text


def random_digest(path):
    """Yields the digest of a file whose bytes differ from run to run, because manifests contain it."""
    if path.endswith((".pdf", ".avif")):
        with open(path, "rb") as file:
            data = file.read()
        if is_random(data):
            yield hashlib.sha256(data).hexdigest().encode()


def walk(folder):
    """Returns the paths below a folder, each with its kind."""
    for path, folders, files in os.walk(folder):
        if not folders and not files:
            yield path, (path, "an empty folder")
        for name in folders + files:
            full = f"{path}/{name}"
            mode = os.lstat(full).st_mode
            if stat.S_ISLNK(mode):
                yield full, (full, f"a link to {os.readlink(full)}")
            elif stat.S_ISREG(mode):
                yield full, (full, "file")
            elif not stat.S_ISDIR(mode):
                yield full, (full, "a special file")


def same_bytes(mine, theirs):
    """Returns whether two entries are files with the same bytes and permissions, without applying masks."""
    if mine[1] != "file" or theirs[1] != "file" or os.stat(mine[0]).st_mode != os.stat(theirs[0]).st_mode:
        return False
    with open(mine[0], "rb") as left, open(theirs[0], "rb") as right:
        return left.read() == right.read()


def part(mine, theirs, in_order):
    """Returns the place of the first difference between two contents; nothing if they are equal."""
    if mine == theirs:
        return None
    if isinstance(mine, bytes) and isinstance(theirs, bytes):
        at = next((i for i, (a, b) in enumerate(zip(mine, theirs)) if a != b), min(len(mine), len(theirs)))
        return f"byte {at} of {len(mine)} and {len(theirs)}"
    if not isinstance(mine, list) or not isinstance(theirs, list):
        return f"{kind_of(mine)} before, {kind_of(theirs)} now"
    if not in_order:
        if place_of_end(mine) != place_of_end(theirs):
            return f"the summary is line {place_of_end(mine)} before, and {place_of_end(theirs)} now"
        mine, theirs = sorted(mine), sorted(theirs)
        if mine == theirs:
            return None
    for tag, i, i_end, j, j_end in difflib.SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes():
        if tag != "equal":
            was = f"'{around(mine[i], theirs[j] if j < j_end else '')}'" if i < i_end else "nothing"
            now = f"'{around(theirs[j], mine[i] if i < i_end else '')}'" if j < j_end else "nothing"
            return f"line {i + 1}: {was} before, {now} now"
    return None


def place_of_end(lines):
    """Returns the number of the summary line of a run, counted from the last line; nothing if there is none."""
    return next((number for number, line in enumerate(reversed(lines)) if ENDS.match(line)), None)


def kind_of(content):
    """Returns what a content is, in words."""
    return content if isinstance(content, str) else "a text" if isinstance(content, list) else "other bytes"


def around(line, other):
    """Returns the part of a line where it begins to differ from another one."""
    at = len(os.path.commonprefix([line, other]))
    start = max(0, at - 60) if other else 0
    return ("…" if start else "") + shorten(line[start:], 160)


def shorten(text, most=120):
    """Returns a text in one line that is not too long."""
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"
