"""Pictures, local runs and cluster runs that the scenarios compare."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import time

import processes

HERE = os.path.dirname(os.path.realpath(__file__))
SAMPLES = os.path.join(os.path.dirname(os.path.dirname(HERE)), "photos")
SHARDS = 8
BOOK = f"{HERE}/book.lua"


class Failure(Exception):
    """A difference between what a scenario expects and what happened."""


class Result:
    """What a finished run printed, and its exit status."""

    def __init__(self, status, output, errors):
        self.status, self.output, self.errors = status, output, errors

    def expect(self, status, *texts):
        """Checks the exit status and texts that the run must have printed."""
        if self.status != status:
            text = self.errors.strip() or self.output.strip()
            raise Failure(f"exit status {self.status} instead of {status}: {text}")
        for text in texts:
            if text not in self.output + self.errors:
                raise Failure(f"no '{text}' in: {self.errors.strip()}")


class Runner:
    """Runs of imghost here and on the cluster, in the folder that the nodes share."""

    def __init__(self, cluster, program):
        self.cluster, self.program = cluster, program
        self.folder = f"{cluster.folder}/shared"
        os.makedirs(self.folder, exist_ok=True)
        self.environment = {**cluster.environment, "XDG_STATE_HOME": f"{self.folder}/state"}

    def local(self, name, script, *arguments, out, options=(), command="run"):
        """Runs imghost here and waits for it."""
        line = [self.program, command, "--out", out, *options, script, *arguments]
        return self.finish(name, self.start(name, line))

    def start(self, name, line):
        """Starts a program; its output goes into logs with the name."""
        log = f"{self.cluster.folder}/logs/{name}"
        with open(f"{log}.output", "wb") as output, open(f"{log}.errors", "wb") as errors:
            return subprocess.Popen(
                line, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, cwd=self.folder, env=self.environment
            )

    def finish(self, name, process, seconds=300):
        """Waits for a started program."""
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            raise Failure(f"{name} has not ended after {seconds} s") from None
        return Result(status, *(self.text(f"{name}.{kind}") for kind in ("output", "errors")))

    def text(self, name):
        """Returns the text of a log."""
        with open(f"{self.cluster.folder}/logs/{name}", encoding="utf-8", errors="replace") as file:
            return file.read()

    def submit(self, name, out, pictures, options=(), script=BOOK):
        """Starts 'imghost submit'."""
        line = [self.program, "submit", "--engine", "slurm", "--shards", str(SHARDS), "--out", out, *options]
        return self.start(name, [*line, script, pictures])

    def resume(self, name, result):
        """Makes what is left of a run that has named itself in its messages, and waits."""
        found = re.search("imghost resume ([^ ']+)", result.errors)
        if not found:
            raise Failure(f"no run to resume in: {result.errors.strip()}")
        return self.finish(f"{name}-resume", self.start(f"{name}-resume", [self.program, "resume", found[1]]))

    def wait_for_jobs(self, seconds=120):
        """Waits until Slurm has no unfinished jobs."""
        self.cluster.wait_for(lambda: not self.cluster.jobs(), seconds, "end of the jobs")

    def wait_for_save(self):
        """Waits until the controller saves the next submission at once: it saves every 5 s at most."""
        self.wait_for_jobs()
        path = f"{self.cluster.folder}/state/job_state"
        self.cluster.wait_for(lambda: time.time() - os.stat(path).st_mtime > 5.5, 15, "rest of the controller")

    # What is there

    def manifests(self, out, script=BOOK):
        """Returns the manifests of finished shards by their numbers."""
        folder = f"{out}/.imghost/{os.path.basename(script)}"
        found = {}
        for name in os.listdir(folder) if os.path.isdir(folder) else []:
            if name.endswith(".json") and name.startswith("shard-"):
                with open(f"{folder}/{name}", encoding="utf-8") as file:
                    found[int(name.split("-")[1])] = (f"{folder}/{name}", json.load(file))
        return found

    def count_manifests(self, out, script):
        """Returns the number of shards that have ended."""
        try:
            names = os.listdir(f"{out}/.imghost/{os.path.basename(script)}")
        except FileNotFoundError:
            return 0
        return sum(name.startswith("shard-") and name.endswith(".json") for name in names)

    def wait_for_manifests(self, out, count, seconds=60, script=BOOK):
        """Waits until so many shards have ended."""
        enough = lambda: len(self.manifests(out, script)) >= count  # noqa: E731
        self.cluster.wait_for(enough, seconds, f"{count} manifests", pause=0.01)

    # Faults

    def freeze_shard(self, node, out):
        """Stops a shard on a node while it writes into `out`, so that it can be killed in the middle; returns it."""
        return self.freeze([node], "run", out)[0]

    def freeze(self, nodes, command, out, seconds=60):
        """Stops a command of imghost on one of the nodes while it writes into `out`; returns process and node."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            for node in nodes:
                for process in processes.of_node(node):
                    if self.runs(process, command) and freeze(process, out, deadline):
                        return process, node
            time.sleep(0.005)
        raise Failure(f"no '{command}' on {' or '.join(nodes)} wrote into {out} within {seconds} s")

    def runs(self, process, command):
        """Returns whether a process is imghost with a command."""
        try:
            with open(f"/proc/{process}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            return False
        return words[:2] == [os.fsencode(self.program), command.encode()]


class Stage(Runner):
    """The pictures of the scenarios and the local run, made once."""

    def __init__(self, cluster, program):
        super().__init__(cluster, program)
        self.book = BOOK
        self.pictures = f"{self.folder}/pictures"
        self.local("pictures", f"{HERE}/pictures.lua", SAMPLES, out=self.pictures).expect(0)
        self.reference = f"{self.folder}/local"
        self.reference_result = self.local("reference", BOOK, self.pictures, out=self.reference)
        self.reference_result.expect(0)

    # Plain batch scripts

    def array(self, name, out, pictures=None, options=(), numbers=f"0-{SHARDS - 1}"):
        """Submits shards by a batch script of three lines; returns the job's number."""
        command = shlex.join([self.program, "run", "--shard", f"auto/{SHARDS}", "--out", out, *options])
        script = f"#!/bin/sh\nexec {command} {shlex.join([BOOK, pictures or self.pictures])}\n"
        return self.batch(f"{name}-%a-%N", script, "--requeue", "--open-mode=append", f"--array={numbers}")

    def merge_job(self, name, out, after):
        """Submits the merge that follows an array."""
        command = shlex.join([self.program, "merge", "--out", out, BOOK, self.pictures])
        script = f"#!/bin/sh\nexec {command}\n"
        return self.batch(f"{name}-merge", script, f"--dependency=afterok:{after}", "--kill-on-invalid-dep=yes")

    def batch(self, log, script, *options):
        """Submits a script and returns the job's number."""
        path = f"{self.folder}/{log.partition('-%')[0]}.sh"
        with open(path, "w", encoding="utf-8") as file:
            file.write(script)
        log = f"--output={self.cluster.folder}/logs/{log}.log"
        return self.cluster.call("sbatch", "--parsable", log, *options, path, cwd=self.folder).strip()

    def compare(self, out, reference=None):
        """Checks that two folders have the same files with the same bytes."""
        expected, found = tree(reference or self.reference), tree(out)
        for text, names in (("missing", expected.keys() - found.keys()), ("too many", found.keys() - expected.keys())):
            if names:
                raise Failure(f"{len(names)} files {text} in {out}: {', '.join(sorted(names)[:3])}")
        different = [name for name in sorted(expected) if expected[name] != found[name]]
        if different:
            raise Failure(f"{len(different)} files differ from those of the local run: {', '.join(different[:3])}")

    def compare_parts(self, out):
        """Waits for the jobs of an unfinished run; checks that they have left whole files only, those of the local run."""
        self.wait_for_jobs()
        expected = tree(self.reference)
        for name, data in tree(out).items():
            if not name.startswith(".imghost/") and data != expected.get(name):
                raise Failure(f"{name} is no file of the local run")

    def copy_of_pictures(self, name, damaged):
        """Returns a copy of the pictures in which one is cut off."""
        folder = f"{self.folder}/{name}"
        shutil.copytree(self.pictures, folder)
        os.truncate(f"{folder}/{damaged}", 30_000)
        return folder


def freeze(process, out, deadline):
    """Lets a process run in short steps until it has a file in `out` open; returns whether it stands still there."""
    while time.monotonic() < deadline:
        processes.send([process], signal.SIGSTOP)
        if opens(process, out):
            return True
        processes.send([process], signal.SIGCONT)
        if not os.path.exists(f"/proc/{process}"):
            return False
        time.sleep(0.003)
    return False


def opens(process, folder):
    """Returns whether a process writes a file below a folder: has it open under a temporary name."""
    try:
        for number in os.listdir(f"/proc/{process}/fd"):
            path = os.readlink(f"/proc/{process}/fd/{number}")
            if path.startswith(folder + "/") and os.path.basename(path).startswith(".imghost-"):
                return True
    except OSError:
        pass
    return False


def tree(folder):
    """Returns the bytes of every file below a folder."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = file.read()
    return found
