"""States of files that a power cut during a run may leave, each followed by another run. See Scripts/dev/simulate."""

import concurrent.futures
import hashlib
import os
import re
import shutil
import struct
import subprocess
import sys
import time

import common
import filesystem
from common import Failure
from workload import Workload

# The number of states that are tried for one recorded run. A recording depends only on its number and on the order of
# the run's threads.
STATES_OF_A_RECORDING = 100
MOST_LATE = 3


class PowerCut:
    """Makes a run believe that the machine was restarted: the system's boot id differs."""

    BOOT = "/proc/sys/kernel/random/boot_id"

    def __init__(self, folder):
        self.number = os.path.join(folder, "boot")
        with open(self.number, "w") as file:
            file.write("00000000-1111-2222-3333-444444444444\n")
        user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
        self.prefix = [
            "unshare", *user, "--mount", "--propagation", "private", "sh", "-c",
            'mount --bind "$0" %s && exec "$@"' % self.BOOT, self.number]

    def is_possible(self):
        if not shutil.which("unshare"):
            return False
        return subprocess.run(self.prefix + ["true"], capture_output=True).returncode == 0


class Recorded(Workload):
    """A run whose file operations are recorded, and the states that may be left of it."""

    def record(self):
        self.edit(1)
        if self.draw.random() < 0.6:
            self.expect(self.run(self.command()), "the first run")
            time.sleep(0.05)
            # Only the second run records file times that are old enough to be trusted.
            self.expect(self.run(self.command()), "the second run")
            self.versions = [1]
            self.edit(2)
        else:
            self.versions = []
        self.leave_a_strangers_file()
        base = filesystem.read_tree(self.path("out"))
        self.trace("trace", self.command())
        self.recording = filesystem.Recording(self.path("out"), base, self.path("trace"))
        after = filesystem.read_tree(self.path("out"))
        if not filesystem.is_equal(self.recording.live, after):
            raise Failure("what was recorded is not what was written")
        self.check_final(self.files())
        self.keep_status(self.recording.live, after)

    def trace(self, log, words):
        words = [
            "strace", "-f", "--seccomp-bpf", "-y", "-xx", "-s", str(1 << 24), "-qq", "-o", self.path(log), "-e",
            "trace=" + filesystem.CALLS, "-e", "signal=none"] + words
        self.expect(self.run(words), "the recorded run")

    def keep_status(self, node, there):
        node.status = there.status
        for name, entry in node.entries.items():
            self.keep_status(entry, there.entries[name])

    # MARK: States

    def drawn(self):
        """Draws a state: the number of operations that were done, and how some of them reached the disk."""
        operations, draw = self.recording.operations, self.draw
        end = draw.randrange(len(operations) + 1)
        late = {}
        kind = draw.choice(["prefix", "data", "data", "data", "any", "any", "any", "all data"])
        if kind == "prefix":
            return end, late
        safe = filesystem.sealed(operations, end)
        open_ = [index for index in range(end) if index not in safe]
        data = [index for index in open_ if operations[index][0] == "write"]
        if kind == "all data":
            # The names are on the disk, but no bytes, as with delayed allocation.
            how = draw.choice(["zeros", 0])
            return end, {index: how for index in data}
        # All writes to a file are late together.
        for _ in range(draw.randrange(1, MOST_LATE + 1)):
            choices = data if kind == "data" or draw.random() < 0.5 else open_
            if not choices:
                break
            index = draw.choice(choices)
            if operations[index][0] != "write":
                late[index] = "lost"
                continue
            if draw.random() < 0.3:
                how = draw.choice([512, 4096]) * draw.randrange(0, 1 + len(operations[index][3]) // 512)
                late[index] = min(how, len(operations[index][3]))
                continue
            how = draw.choice(["zeros", 0])
            late.update({other: how for other in data if operations[other][1] is operations[index][1]})
        return end, late

    def build(self, end, late):
        """Puts a state into the folder of outputs, with records that know the files by their times."""
        root, copies = filesystem.copied(self.recording.base)
        of = {self.recording.start[node]: copy for node, copy in copies.items()}

        def real(node):
            if node is not None and node not in of:
                of[node] = filesystem.Node(node.is_folder, status=node.status)
            return of.get(node)

        for index, operation in enumerate(self.recording.operations[:end]):
            how = late.get(index)
            if how != "lost" and operation[0] != "sync":
                filesystem.apply(operation, real, how)
        shutil.rmtree(self.path("out"))
        made = {}
        filesystem.write_tree(root, self.path("out"), made)
        stamps = {}
        for node, copy in of.items():
            if node.status is not None and copy in made:
                key = node.status.st_dev, node.status.st_ino, node.status.st_mtime_ns
                stamps[key] = node.status, os.stat(made[copy][0])
        self.translate(self.path("out", ".imghost"), stamps)

    def translate(self, folder, stamps):
        """Gives records the inodes and times of the copies, because a crash would have changed neither."""
        trees = self.trees()
        for place, _, names in os.walk(folder):
            for name in names:
                # A part is another name of a document, whose times must stay.
                if name.startswith("part-"):
                    continue
                with open(os.path.join(place, name), "rb") as file:
                    content = file.read()
                if name.startswith("record-"):
                    content = translated(content, stamps, trees)
                elif name.startswith("journal-"):
                    frames, rest = b"", content
                    while len(rest) >= 4 and len(rest) >= 4 + struct.unpack("<I", rest[:4])[0]:
                        length = struct.unpack("<I", rest[:4])[0]
                        frames += rest[:4] + translated(rest[4:4 + length], stamps, trees)
                        rest = rest[4 + length:]
                    content = frames + rest
                elif name.startswith("pages-") and is_whole(content):
                    inode, length, modified = struct.unpack("<QQQ", content[-56:-32])
                    for (_, other, time), (_, now) in stamps.items():
                        if (other, time) == (inode, modified):
                            content = content[:-56] + struct.pack("<QQQ", now.st_ino, length, now.st_mtime_ns)
                            content += hashlib.sha256(content).digest()
                            break
                with open(os.path.join(place, name), "wb") as file:
                    file.write(content)

    def trees(self):
        """Returns the digests of folders of tiles as the recorded run left them, and as they are now."""
        found = {}
        for folder in ("zoom/a_files", "zoom/b"):
            node = self.recording.live
            for part in folder.split("/"):
                node = node.entries[part]
            if os.path.isdir(self.path("out", folder)):
                now = dict(lines(filesystem.read_tree(self.path("out", folder))))
                before = dict(lines(node))
                if {path: status[0] for path, status in now.items()} == {path: status[0] for path, status in before.items()}:
                    found[digest(before)] = digest(now)
        return found

    # MARK: Checks

    def check(self, power_cut, is_durable):
        """Runs the script once more. Returns whether files were named as changed instead of being made right."""
        before = self.files()
        if is_durable:
            self.check_whole(before, self.versions + [self.version], may_lack=not self.versions)
        result = self.run(power_cut.prefix + self.command("out", "--json"))
        text = (result.stdout + result.stderr).decode("utf-8", "replace")
        if result.returncode not in (0, 1):
            raise Failure("status %d: %s" % (result.returncode, text))
        if result.returncode == 1:
            if is_durable:
                raise Failure("status 1: " + text)
            after = self.files()
            for path, content in self.fresh[self.version].items():
                if after.get(path) != content and "out/%s\"" % output_of(path) not in text:
                    raise Failure("'%s' is wrong and not named: %s" % (path, text))
            result = self.run(power_cut.prefix + self.command("out", "--overwrite"))
            self.expect(result, "a run with --overwrite")
            self.check_final(self.files(), leaves_temporary=True)
            return True
        # Temporary files from before the restart are treated like those of another machine, which are kept for a day.
        self.check_final(self.files(), leaves_temporary=True)
        return False


def output_of(path):
    """Returns the output that a file belongs to, which for a tile is another file."""
    path = re.sub("-[0-9a-f]{64}", "-{hash}", path)
    for folder, output in (("zoom/a_files/", "zoom/a.dzi"), ("zoom/b/", "zoom/b/info.json")):
        if path.startswith(folder):
            return output
    return path


def lines(node, prefix=""):
    """Returns the paths of files below a folder with their sizes and times."""
    found = []
    for name, entry in node.entries.items():
        if entry.is_folder:
            found += lines(entry, prefix + name + "/")
        else:
            status = entry.status
            found.append((prefix + name, (len(entry.data), status.st_mtime_ns, status.st_ctime_ns)))
    return found


def digest(lines):
    text = "\n".join(sorted("%s\t%d\t%d\t%d" % (path, *status) for path, status in lines.items()))
    return hashlib.sha256(text.encode()).digest()


def is_whole(content):
    return len(content) > 64 and hashlib.sha256(content[:-32]).digest() == content[-32:]


def translated(content, stamps, trees):
    """Returns a record with other stamps and its digest; the record itself if it is damaged."""
    if not is_whole(content):
        return content
    content = bytearray(content[:-32])
    known = {struct.pack("<QQ", device, inode) for device, inode, _ in stamps}
    for key in known:
        place = content.find(key)
        while place >= 0:
            device, inode, length, modified, changed = struct.unpack_from("<QQQQQ", content, place)
            found = stamps.get((device, inode, modified))
            if found:
                old, new = found
                if changed == old.st_ctime_ns:
                    changed = new.st_ctime_ns
                struct.pack_into(
                    "<QQQQQ", content, place, new.st_dev, new.st_ino, length, new.st_mtime_ns, changed)
            place = content.find(key, place + 40)
    for old, new in trees.items():
        content = content.replace(old, new)
    return bytes(content) + hashlib.sha256(content).digest()


def play(seed, states, programs, options):
    recorded = Recorded(seed, programs, pictures=3, options=["--durable"] if options.durable else [])
    named = done = 0
    state = None
    try:
        power_cut = PowerCut(recorded.folder)
        recorded.record()
        for _ in range(states):
            state = recorded.drawn()
            recorded.build(*state)
            named += recorded.check(power_cut, options.durable)
            done += 1
    except (Failure, OSError, subprocess.SubprocessError) as failure:
        problem = "state %d: %s" % (done, failure)
        if state and options.steps:
            end, late = state
            show = ["%d %s: %s" % (index, recorded.recording.operations[index][0], how) for index, how in late.items()]
            problem += "\n  after %d of %d operations; late: %s" % (end, len(recorded.recording.operations), show)
        if options.keep:
            return done, named, problem + " (kept in %s)" % recorded.folder
        recorded.close()
        return done, named, problem
    recorded.close()
    return done, named, None


def main():
    options = common.arguments("simulate --crashes", 1000, "--durable", "--steps", "--keep")
    if not shutil.which("strace"):
        print("skipped: strace is not installed")
        return
    folder = os.environ.get("TMPDIR", "/tmp")
    if not PowerCut(folder).is_possible():
        print("skipped: this system lets nobody act as a machine that was started again")
        return
    size = min(STATES_OF_A_RECORDING, max(1, options.count // os.cpu_count()))
    runs = [
        (options.seed + index, min(size, options.count - index * size))
        for index in range((options.count + size - 1) // size)]
    total = named = failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda run: (run, play(*run, options.programs, options)), runs)
        for (seed, states), (done, told, problem) in results:
            total += done
            named += told
            if problem:
                failed += 1
                again = "simulate --crashes %d --seed %d%s" % (states, seed, " --durable" if options.durable else "")
                print("recording %d, %s; again: %s" % (seed, problem, again), flush=True)
    print("%d states of %d recorded runs, %d with files named as changed, %d failed" % (
        total, len(runs), named, failed))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
