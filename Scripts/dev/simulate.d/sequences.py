"""Sequences of runs with --only-changed, each of which depends only on its number. See Scripts/dev/simulate."""

import concurrent.futures
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zlib

import common
from common import Failure

SIDE = 24
XMP = (
    "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>"
    "<rdf:Description rdf:about='' xmlns:dc='http://purl.org/dc/elements/1.1/'><dc:title><rdf:Alt>"
    "<rdf:li xml:lang='x-default'>TITLE</rdf:li></rdf:Alt></dc:title></rdf:Description></rdf:RDF></x:xmpmeta>")


def picture(content):
    """Returns a PNG of a fixed size. One number determines its pixels, and another one its metadata."""
    number, title = content
    draw = random.Random(number)
    first, second = (draw.randrange(256) for _ in range(2))
    rows = bytearray()
    for y in range(SIDE):
        rows += b"\0"
        for x in range(SIDE):
            rows += bytes(((x * first + y) & 255, (y * second) & 255, (x * y + number) & 255))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    text = b"XML:com.adobe.xmp\0\0\0\0\0" + XMP.replace("TITLE", "t" * title).encode()
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", SIDE, SIDE, 8, 2, 0, 0, 0))
        + (chunk(b"iTXt", text) if title else b"") + chunk(b"IDAT", zlib.compress(bytes(rows), 1)) + chunk(b"IEND", b""))


class Task:
    """One call of a script that writes files, and what its outputs depend on."""

    KINDS = ["save", "save", "save", "book", "grid", "animation", "multipage", "tiles"]

    def __init__(self, draw, name):
        self.name = name
        self.kind = draw.choice(self.KINDS)
        self.width = draw.randrange(6, 20)
        self.step = draw.choice(["", ":invert()", ":rotate(90)", ":gamma(0.8)"])
        self.format = draw.choice(["jpg", "png", "webp", "tif"])
        self.quality = draw.randrange(60, 95)
        # The call takes every picture, or every second one.
        self.every = draw.choice([1, 1, 2])
        # Whether a book shows the names of its pictures.
        self.has_names = draw.random() < 0.4

    def change(self, draw):
        what = draw.choice(["width", "step", "quality"])
        if what == "width":
            self.width = draw.randrange(6, 20)
        elif what == "step":
            self.step = draw.choice(["", ":invert()", ":rotate(90)", ":gamma(0.8)"])
        else:
            self.quality = draw.randrange(60, 95)

    @property
    def is_bare(self):
        """Whether the files carry over no metadata, so that they do not depend on it. Not drawn, so that sequences
        keep their numbers."""
        return self.kind == "save" and self.quality % 3 == 0

    @property
    def options(self):
        if self.kind == "save":
            options = ["quality = %d" % self.quality] if self.format in ("jpg", "webp") else []
            return "{ %s }" % ", ".join(options + (["metadata = 'none'"] if self.is_bare else []))
        caption = ", caption = '{stem}'" if self.has_names else ""
        if self.kind == "book":
            return "{ quality = %d%s }" % (self.quality, caption)
        if self.kind == "grid":
            return "{ layout = 'grid', columns = 2, rows = 2, quality = %d%s }" % (self.quality, caption)
        if self.kind == "animation":
            return "{ quality = %d }" % self.quality
        if self.kind == "tiles":
            return "{ size = 16, quality = %d }" % self.quality
        return "{}"

    @property
    def text(self):
        """The call in Lua, on the list `all` of pictures."""
        made = "each(all, %d, function(p) return p:resize(%d)%s end)" % (self.every, self.width, self.step)
        if self.kind == "save":
            return "for i, p in ipairs(%s) do p:save('%s/{stem}.%s', %s) end" % (
                made, self.name, self.format, self.options)
        if self.kind == "tiles":
            return "for i, p in ipairs(%s) do p:tiles('%s/{stem}', %s) end" % (made, self.name, self.options)
        ending = {"animation": "webp", "multipage": "tif"}.get(self.kind, "pdf")
        call = "book" if self.kind in ("book", "grid") else self.kind
        return "img.%s('%s.%s', %s, %s)" % (call, self.name, ending, made, self.options)

    def outputs(self, sources):
        """Returns what each output depends on by its path, for the list of pictures' names and contents."""
        taken = sources[:: self.every]
        recipe = (self.width, self.step, self.options, self.kind)
        if self.kind == "save":
            return {
                "%s/%s.%s" % (self.name, stem, self.format): (recipe, content[0] if self.is_bare else content)
                for stem, content in taken}
        if self.kind == "tiles":
            return {"%s/%s.dzi" % (self.name, stem): (recipe, content[0]) for stem, content in taken}
        ending = {"animation": "webp", "multipage": "tif"}.get(self.kind, "pdf")
        names = tuple(stem for stem, _ in taken) if self.has_names and ending == "pdf" else ()
        return {"%s.%s" % (self.name, ending): (recipe, names, tuple(content for _, content in taken))} if taken else {}


class Sequence:
    def __init__(self, seed, programs, shows):
        self.draw = random.Random(seed)
        # Decides how often a run is repeated. A generator of its own, so that sequences keep their numbers.
        self.repetitions = random.Random(-seed)
        self.seed, self.shows = seed, shows
        self.program = os.path.join(programs, "imghost")
        self.folder = tempfile.mkdtemp(prefix="imghost-simulate-")
        # A separate cache, because a killed run may leave unfinished descriptions of plugins. Every fourth is empty.
        self.environment = dict(os.environ, XDG_CACHE_HOME=self.path("cache"))
        if seed % 4:
            shutil.copytree(common.described(programs), self.path("cache"))
        self.next = 0
        self.tasks = [Task(self.draw, "t%d" % i) for i in range(self.draw.randrange(1, 4))]
        # The contents of the pictures by their stems.
        self.sources = {}
        os.mkdir(self.path("in"))
        for _ in range(self.draw.randrange(3, 9)):
            self.add()
        # The dependencies of each output when it was last made, and the outputs whose files were changed by hand.
        self.made = {}
        # The inputs of the last run in an empty folder, and its files.
        self.inputs, self.fresh_files = None, {}
        self.edited = set()
        self.doubtful = set()
        self.comment = 0
        self.touched = set()

    def path(self, *names):
        return os.path.join(self.folder, *names)

    # MARK: Steps

    def write(self, stem, content):
        with open(self.path("in", stem + ".png"), "wb") as file:
            file.write(picture(content))
        self.sources[stem] = content

    def fresh(self):
        self.next += 1
        return self.seed * 1000 + self.next, 0

    def add(self):
        self.write("p%02d" % self.draw.randrange(100), self.fresh())

    def remove(self):
        if len(self.sources) > 2:
            stem = self.draw.choice(sorted(self.sources))
            os.remove(self.path("in", stem + ".png"))
            del self.sources[stem]

    def edit(self):
        self.write(self.draw.choice(sorted(self.sources)), self.fresh())

    def edit_metadata(self):
        stem = self.draw.choice(sorted(self.sources))
        self.write(stem, (self.sources[stem][0], self.draw.randrange(200)))

    def edit_with_the_time_kept(self):
        stem = self.draw.choice(sorted(self.sources))
        status = os.stat(self.path("in", stem + ".png"))
        self.write(stem, self.fresh())
        os.utime(self.path("in", stem + ".png"), ns=(status.st_atime_ns, status.st_mtime_ns))

    def replace_by_rename(self):
        stem = self.draw.choice(sorted(self.sources))
        self.write(stem, self.fresh())
        os.rename(self.path("in", stem + ".png"), self.path("moved"))
        os.rename(self.path("moved"), self.path("in", stem + ".png"))

    def touch(self):
        stem = self.draw.choice(sorted(self.sources))
        when = time.time() + self.draw.choice([0, -100000, 100000])
        os.utime(self.path("in", stem + ".png"), (when, when))

    def rename(self):
        stem, other = self.draw.choice(sorted(self.sources)), "p%02d" % self.draw.randrange(100)
        if other not in self.sources:
            os.rename(self.path("in", stem + ".png"), self.path("in", other + ".png"))
            self.sources[other] = self.sources.pop(stem)

    def swap(self):
        first, second = self.draw.sample(sorted(self.sources), 2)
        one, two = self.path("in", first + ".png"), self.path("in", second + ".png")
        os.rename(one, self.path("moved"))
        os.rename(two, one)
        os.rename(self.path("moved"), two)
        self.sources[first], self.sources[second] = self.sources[second], self.sources[first]

    def change_the_script(self):
        self.draw.choice(self.tasks).change(self.draw)

    def change_a_comment(self):
        self.comment += 1

    def add_a_task(self):
        used = {task.name for task in self.tasks}
        name = next(iter(used))
        while name in used:
            name = "t%d" % (len(self.tasks) + self.draw.randrange(100) * 10)
        self.tasks.append(Task(self.draw, name))

    def remove_a_task(self):
        if len(self.tasks) > 1:
            self.tasks.remove(self.draw.choice(self.tasks))

    def existing(self):
        """Returns the existing outputs of the remaining tasks, which can be changed by hand."""
        now = self.outputs()
        return sorted(path for path in self.made if path in now and os.path.exists(self.path("out", path)))

    def edit_an_output(self):
        if paths := self.existing():
            path = self.draw.choice(paths)
            with open(self.path("out", path), "ab") as file:
                file.write(b"x")
            self.edited.add(path)

    def delete_an_output(self):
        if paths := self.existing():
            path = self.draw.choice(paths)
            os.remove(self.path("out", path))
            self.edited.discard(path)
            self.made.pop(path, None)

    def touch_an_output(self):
        if paths := self.existing():
            when = time.time() + self.draw.choice([0, -100000, 100000])
            path = self.draw.choice(paths)
            os.utime(self.path("out", path), (when, when))
            self.touched.add(path)

    def copy_the_folder(self, keeps_times=None):
        if os.path.exists(self.path("out")):
            if keeps_times is None:
                keeps_times = self.draw.random() < 0.5
            copy = shutil.copy2 if keeps_times else shutil.copy
            shutil.copytree(self.path("out"), self.path("copy"), copy_function=copy)
            shutil.rmtree(self.path("out"))
            os.rename(self.path("copy"), self.path("out"))

    def kill_a_run(self):
        """Ends a run by SIGKILL: at a random time, or at a random call that changes files."""
        self.write_script()
        before = self.outputs()
        words = self.command()
        self.kill(words)
        # What was due may be made or not.
        self.doubtful |= {path for path, recipe in before.items() if self.made.get(path) != recipe}

    def kill_a_run_and_copy_the_folder(self):
        """Copies what a killed run has left. Without their times, the copies would count as changed by hand."""
        self.kill_a_run()
        self.copy_the_folder(keeps_times=True)

    def kill(self, words):
        call, wait = None, 0
        if self.draw.random() < 0.5 and shutil.which("strace"):
            name = self.draw.choice(["renameat", "openat", "openat2", "write", "close", "ftruncate", "fstat", "flock"])
            call = name, self.draw.randrange(1, 60)
        else:
            wait = self.draw.random() * 0.12
        common.kill(words, self.folder, self.environment, call, wait)

    def run_shards(self):
        """Makes the outputs in shards, of which some are left out or killed, and merges them at times."""
        self.write_script()
        now = self.outputs()
        for path in list(self.made):
            if not os.path.exists(self.path("out", path)):
                del self.made[path]
        refused = {path for path in self.edited if path in now}
        count = self.draw.randrange(1, 4)
        is_complete = True
        for number in range(count):
            words = [
                self.program, "run", "--shard", "%d/%d" % (number, count), "--explain", "--json", "--out", "out", "s.lua"]
            due = {path for path, recipe in now.items() if self.made.get(path) != recipe} - refused
            fate = self.draw.random()
            if fate < 0.25:
                is_complete = False
                if fate < 0.15:
                    self.kill(words)
                    self.doubtful |= due
                continue
            status, events, messages = self.run(words)
            if status != 0 and not (status == 1 and refused):
                raise Failure("shard %d/%d ends with status %d: %s %s" % (number, count, status, events[-3:], messages))
            made, kept = self.told(events, "wrote"), self.told(events, "kept")
            if made - due - self.doubtful or kept & due - self.doubtful or (made | kept) & refused:
                raise Failure("shard %d/%d has made %s, and kept %s; due are %s, and changed by hand %s" % (
                    number, count, sorted(made), sorted(kept), sorted(due - self.doubtful), sorted(refused)))
            self.made.update({path: now[path] for path in made | kept})
            self.doubtful -= made | kept
        if is_complete and not refused and self.draw.random() < 0.6:
            status, _, messages = self.run(
                [self.program, "merge", "--shards", str(count), "--json", "--out", "out", "s.lua"])
            if status != 0:
                raise Failure("the merge ends with status %d: %s" % (status, messages))
            self.compare(now, False)
            # How a merge has made a book is not recorded.
            for path in now:
                if path.endswith(".pdf"):
                    self.made.pop(path, None)

    STEPS = [
        (edit, 5), (edit_metadata, 3), (edit_with_the_time_kept, 2), (replace_by_rename, 1), (touch, 2), (rename, 2), (swap, 2), (add, 2),
        (remove, 2), (change_the_script, 5), (change_a_comment, 1), (add_a_task, 2), (remove_a_task, 1),
        (edit_an_output, 2), (delete_an_output, 2), (touch_an_output, 1), (copy_the_folder, 1), (kill_a_run, 5),
        (kill_a_run_and_copy_the_folder, 1), (run_shards, 4),
    ]

    # MARK: Runs

    def outputs(self):
        sources = sorted(self.sources.items())
        outputs = {}
        for task in self.tasks:
            outputs.update(task.outputs(sources))
        return outputs

    def write_script(self):
        lines = ["local img = require 'imghost'", "-- %d" % self.comment, "local all = img.glob('in/*.png')"]
        lines.append(
            "local function each(list, n, f) local r = {} for i = 1, #list, n do r[#r + 1] = f(list[i]) end return r end")
        with open(self.path("s.lua"), "w") as file:
            file.write("\n".join(lines + [task.text for task in self.tasks]) + "\n")

    def command(self, *options, out="out"):
        return [self.program, "run", "--only-changed", "--explain", "--json", "--out", out, *options, "s.lua"]

    def run(self, words):
        result = subprocess.run(
            words, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
        events = []
        for line in result.stdout.decode("utf-8", "replace").splitlines():
            try:
                events.append(json.loads(line))
            except ValueError:
                raise Failure("not JSON: " + line[:200])
        return result.returncode, events, result.stderr.decode("utf-8", "replace")

    def files(self, out):
        return common.files(self.path(out))

    def check(self):
        self.write_script()
        now = self.outputs()
        kept_by_hand = {path for path in self.edited if path in now}
        before = self.files("out")
        for path in list(self.made):
            if not os.path.exists(self.path("out", path)):
                del self.made[path]
        prunes = self.draw.random() < 0.3
        status, events, messages = self.run(self.command(*(["--prune"] if prunes else [])))
        if kept_by_hand:
            if status != 1:
                raise Failure("status %d with %s changed by hand: %s" % (status, sorted(kept_by_hand), messages))
            after = self.files("out")
            for path in kept_by_hand:
                if not path.endswith(".dzi") and after.get(path) != before.get(path):
                    raise Failure("%s was changed by hand, and is replaced" % path)
            self.verify(events, now, kept_by_hand)
            self.made.update({path: now[path] for path in now if path not in kept_by_hand})
            self.doubtful.clear()
            status, events, messages = self.run(self.command("--overwrite"))
            for path in kept_by_hand:
                self.made.pop(path, None)
        if status != 0:
            failed = [event for event in events if event["event"] == "failed"]
            raise Failure("status %d: %s %s" % (status, failed or events[-3:], messages))
        self.verify(events, now, set())
        self.compare(now, prunes and not kept_by_hand)
        self.made.update(now)
        self.edited = {path for path in self.edited if path not in now}
        self.doubtful.clear()
        self.repeat(now)

    def repeat(self, now):
        """Runs again, without a change. After a while, when the times of the files can be trusted, such a run need not
        run the script; the next check then tells whether it notices the next change."""
        for _ in range(self.repetitions.choice([0, 0, 0, 0, 1, 2])):
            time.sleep(0.03)
            status, events, messages = self.run(self.command())
            if status != 0 or self.told(events, "wrote") or self.told(events, "kept") != set(now):
                raise Failure("status %d of a run without a change: %s %s" % (status, events[-3:], messages))

    def told(self, events, kind):
        return {os.path.relpath(event["path"], "out") for event in events if event["event"] == kind}

    def verify(self, events, now, refused):
        """Compares what was made with what could have changed; returns what was made."""
        made, kept = self.told(events, "wrote"), self.told(events, "kept")
        due = {path for path, recipe in now.items() if self.made.get(path) != recipe} - refused
        if made | kept | refused != set(now):
            raise Failure("made %s, kept %s, of %s" % (sorted(made), sorted(kept), sorted(now)))
        if (made ^ due) - self.doubtful:
            reasons = {event["path"]: event["reason"] for event in events if event["event"] == "explained"}
            raise Failure("made %s, but due are %s; %s" % (
                sorted(made - self.doubtful), sorted(due - self.doubtful), reasons))
        return made

    def from_nothing(self):
        """Returns the files of a run in an empty folder. The run is not repeated while script and pictures are the same."""
        inputs = [task.text for task in self.tasks], common.files(self.path("in"))
        if inputs != self.inputs:
            shutil.rmtree(self.path("fresh"), ignore_errors=True)
            result = subprocess.run(
                [self.program, "run", "--quiet", "--out", "fresh", "s.lua"], cwd=self.folder, env=self.environment,
                stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
            if result.returncode != 0:
                raise Failure("a run from nothing fails: %s" % result.stderr)
            self.inputs, self.fresh_files = inputs, self.files("fresh")
        return self.fresh_files

    def compare(self, now, is_pruned):
        fresh, out = self.from_nothing(), self.files("out")
        for path, content in fresh.items():
            if out.get(path) != content:
                raise Failure("%s differs from a run from nothing" % path)
        left = [path for path in out if os.path.basename(path).startswith(".imghost-")]
        if left:
            raise Failure("left over: %s" % left)
        if is_pruned:
            stale = {path for path in out if path not in fresh and not any(path.startswith(edited[:-4]) for edited in self.edited)}
            # A file whose times were changed by hand is kept.
            stale = {path for path in stale if path in self.made and path not in self.touched}
            if stale:
                raise Failure("not pruned: %s" % sorted(stale))

    def play(self, most):
        self.write_script()
        self.note("start: %s" % [task.text for task in self.tasks])
        self.check()
        for _ in range(min(self.draw.randrange(5, 21), most)):
            steps, weights = zip(*self.STEPS)
            for step in self.draw.choices(steps, weights, k=self.draw.choice([1, 1, 1, 2, 3])):
                self.note(step.__name__)
                step(self)
            self.check()

    def note(self, text):
        if self.shows:
            print("  " + text, flush=True)


def play(seed, programs, most, shows, keeps):
    """Plays a sequence of at most `most` steps. Returns what was wrong; nil if nothing was."""
    sequence = Sequence(seed, programs, shows)
    try:
        sequence.play(most)
    except (Failure, OSError, subprocess.SubprocessError) as failure:
        if keeps:
            return "%s (kept in %s)" % (failure, sequence.folder)
        shutil.rmtree(sequence.folder, ignore_errors=True)
        return str(failure)
    shutil.rmtree(sequence.folder, ignore_errors=True)
    return None


def main():
    options = common.arguments("simulate", 100, "--steps", "--keep", most=20)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    failed = 0
    seeds = range(options.seed, options.seed + options.count)
    common.described(options.programs)
    with concurrent.futures.ThreadPoolExecutor(1 if options.steps else 2 * os.cpu_count()) as pool:
        results = pool.map(
            lambda seed: (seed, play(seed, options.programs, options.most, options.steps, options.keep)), seeds)
        for seed, problem in results:
            if problem:
                failed += 1
                print("sequence %d: %s" % (seed, problem), flush=True)
    print("%d sequences, %d failed" % (options.count, failed))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
