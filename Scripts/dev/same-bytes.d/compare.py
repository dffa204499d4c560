"""Runs cases with two builds of imghost and compares the results. See Scripts/dev/same-bytes.

Each case is a shell script. It runs once with each build, both times in a new folder with the same path. The base comes
first in every other case. Several cases run at a time.
"""

import argparse
import concurrent.futures
import fnmatch
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True

import cases  # noqa: E402
import masks  # noqa: E402
from results import Result  # noqa: E402

HERE = os.path.dirname(os.path.realpath(__file__))
# The maximum time of a case in seconds.
LIMIT = 900


class Side:
    """One of the two builds."""

    def __init__(self, name, source, folder):
        self.name = name
        # Both paths have the same length, because texts with them are wrapped.
        self.programs = f"{folder}/programs-{name}"
        self.cache = f"{folder}/cache-{name}"
        os.mkdir(self.programs)
        for entry in sorted(os.listdir(source)):
            if entry.startswith(("imghost", "lib")) and os.path.isfile(f"{source}/{entry}"):
                shutil.copy2(f"{source}/{entry}", self.programs)
        self.masks = masks.Masks(self.programs)

    def environment(self, run):
        """Returns all environment variables of a run."""
        return {
            "PATH": f"{self.programs}:/usr/local/bin:/usr/bin:/bin",
            "HOME": f"{run}/home",
            "TMPDIR": f"{run}/tmp",
            "XDG_CACHE_HOME": f"{run}/cache",
            "STEPS": f"{run}/steps",
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            "SOURCE_DATE_EPOCH": "1700000000",
            "IMGHOST_SOURCE": os.path.dirname(os.path.dirname(os.path.dirname(HERE))),
        }

    def remember_plugins(self):
        """Describes all plugins once, so that no case has to."""
        os.mkdir(self.cache)
        environment = {"PATH": os.environ["PATH"], "XDG_CACHE_HOME": self.cache, "HOME": self.cache}
        subprocess.run(
            [f"{self.programs}/imghost", "plugins"],
            env=environment,
            stdin=subprocess.DEVNULL,
            check=True,
            capture_output=True,
        )


class Difference:
    """The differences between the results of a case with both builds."""

    def __init__(self, case, place, text):
        self.case, self.place, self.text = case, place, text

    def __str__(self):
        return f"{self.case}: {self.place}: {self.text}"


class Comparison:
    """The run of all cases."""

    def __init__(self, folder, before, after):
        self.folder = folder
        self.before = Side("old", before, folder)
        self.after = Side("new", after, folder)
        for side in (self.before, self.after):
            side.remember_plugins()
        self.outputs = self.commands = 0
        self.times = {}
        self.running, self.is_stopped = set(), False

    def compare(self, number, case):
        """Runs a case with both builds and returns the differences."""
        place = f"{self.folder}/cases/{case.name}"
        os.makedirs(place)
        with open(f"{place}/case.sh", "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(case.script)
        sides = [self.before, self.after]
        late = {}
        begun = time.monotonic()
        for side in sides if number % 2 else reversed(sides):
            late[side.name] = self.run(case, side, place)
        self.times[case.name] = time.monotonic() - begun
        found = [
            Difference(case.name, "the case", f"over {LIMIT} s with the {name} programs")
            for name in late
            if late[name]
        ]
        left, right = (Result(f"{place}/{side.name}", side.masks, case.has_callbacks) for side in sides)
        found += [Difference(case.name, *difference) for difference in left.differences(right)]
        found += [Difference(case.name, *fault) for fault in right.faults()]
        self.outputs += len(right.files)
        self.commands += sum(name.endswith(".status") for name in right.steps)
        return found

    def stop(self):
        """Ends the running cases, and starts no more."""
        self.is_stopped = True
        for group in list(self.running):
            kill(group)

    def run(self, case, side, place):
        """Runs a case with one build, and renames its folder after the build. Returns whether it took too long."""
        if self.is_stopped:
            raise SystemExit
        run = f"{place}/run"
        for name in ("here", "home", "tmp", "steps"):
            os.makedirs(f"{run}/{name}")
        shutil.copytree(side.cache, f"{run}/cache")
        inputs = case.provide(f"{run}/here")
        process = subprocess.Popen(
            ["bash", "-c", f'. "{HERE}/steps.sh"; . "{place}/case.sh"'],
            cwd=f"{run}/here",
            env=side.environment(run),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self.running.add(process.pid)
        try:
            process.wait(LIMIT)
            late = False
        except subprocess.TimeoutExpired:
            late = True
        self.running.discard(process.pid)
        kill(process.pid)
        process.wait()
        shutil.rmtree(f"{run}/cache")
        for path, facts in inputs.items():
            if facts_of(path) == facts:
                os.remove(path)
        os.rename(run, f"{place}/{side.name}")
        return late


def kill(group):
    """Kills the remaining processes of a case."""
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass


def facts_of(path):
    """Returns the attributes of a file that reveal changes."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return None
    return status.st_size, status.st_mtime_ns, status.st_mode


def parse():
    """Reads the command line that Scripts/dev/same-bytes hands on."""
    parser = argparse.ArgumentParser(prog="Scripts/dev/same-bytes", add_help=False)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--only", default="*")
    parser.add_argument("--keep")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--times", action="store_true")
    return parser.parse_args()


def main():
    """Runs the cases; returns 1 if anything differs."""
    options = parse()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    folder = tempfile.mkdtemp(prefix="same-bytes-")
    try:
        comparison = Comparison(folder, options.before, options.after)
        chosen = choose(options, comparison, folder)
        if options.list:
            print(*(case.name for case in chosen), sep="\n")
            return 0
        return report(comparison, chosen, options)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def stop(number, _):
    """Ends the program by an exception, so that its folder is removed."""
    raise SystemExit(128 + number)


def choose(options, comparison, folder):
    """Returns the cases whose names match."""
    pattern = options.only if any(letter in options.only for letter in "*?[") else f"*{options.only}*"
    every = cases.every(comparison.before.programs, folder, options.seed, options.count)
    return [case for case in every if fnmatch.fnmatch(case.name, pattern)]


def report(comparison, chosen, options):
    """Runs cases, several at a time, and prints what differs; returns the exit status."""
    begun = time.monotonic()
    found = []
    workers = concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0)))
    try:
        futures = {workers.submit(comparison.compare, number, case): case for number, case in enumerate(chosen)}
        for future in concurrent.futures.as_completed(futures):
            for difference in future.result():
                print(difference, flush=True)
            found += future.result()
            settle(f"{comparison.folder}/cases/{futures[future].name}", options, bool(future.result()))
    finally:
        workers.shutdown(wait=False, cancel_futures=True)
        comparison.stop()
        workers.shutdown()
    if options.times:
        for name, seconds in sorted(comparison.times.items(), key=lambda item: item[1])[-20:]:
            print(f"{seconds:6.1f} s {name}")
    different = len({difference.case for difference in found})
    verdict = f"{count(len(found), 'difference')} in {count(different, 'case')}" if found else "all the same"
    print(
        f"{verdict}: {count(len(chosen), 'case')}, {count(comparison.commands, 'command')}, "
        f"{count(comparison.outputs, 'output')} in {time.monotonic() - begun:.0f} s"
    )
    return 1 if found or not chosen else 0


def count(number, noun):
    """Returns a number with its noun."""
    return f"{number} {noun}" + ("" if number == 1 else "s")


def settle(place, options, differs):
    """Removes what a finished case has left, or keeps it."""
    if options.keep and (differs or options.only != "*"):
        target = f"{options.keep}/{os.path.basename(place)}"
        shutil.rmtree(target, ignore_errors=True)
        os.makedirs(options.keep, exist_ok=True)
        shutil.move(place, target)
    else:
        shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
