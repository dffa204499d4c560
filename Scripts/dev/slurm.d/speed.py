"""Times of real runs: two nodes against this machine, and a run whose node dies."""

import shutil
import statistics
import time

from measure import EMPTY, submit
from stage import HERE, SAMPLES, SHARDS, Runner

SCRIPT = f"{HERE}/web.lua"
PICTURES = 480
PAIRS = 3


class Speed:
    """The pictures and the runs that are timed."""

    def __init__(self, cluster, program, report):
        """Makes 480 files of 12 megapixels: copies, as a file with several names would be decoded once."""
        self.runner, self.cluster, self.report = Runner(cluster, program), cluster, report
        self.pictures = f"{self.runner.folder}/large"
        self.runner.local("large", f"{HERE}/large.lua", f"{SAMPLES}/hubble_deep_field.jpg", out=self.pictures).expect(0)
        for number in range(1, PICTURES):
            shutil.copyfile(f"{self.pictures}/000.jpg", f"{self.pictures}/{number:03}.jpg")

    def local(self, number):
        """Returns the time of a run on this machine with as many workers as the nodes have processors."""
        jobs = str(self.cluster.cpus * len(self.cluster.nodes))
        out = f"{self.runner.folder}/speed-local-{number}"
        start = time.monotonic()
        self.runner.local("speed-local", SCRIPT, self.pictures, out=out, options=["--jobs", jobs]).expect(0)
        return time.monotonic() - start

    def start(self, name):
        """Submits the run; returns the process and the folder of its outputs."""
        out = f"{self.runner.folder}/{name}"
        return self.runner.submit(name, out, self.pictures, script=SCRIPT), out

    def on_cluster(self, number):
        """Returns the time of 'imghost submit', and the times after which the first and the last shard had ended."""
        start = time.monotonic()
        name = f"speed-cluster-{number}"
        process, out = self.start(name)
        ends = []
        while process.poll() is None:
            # The merge removes the manifests in the end.
            ends += [time.monotonic() - start] * (self.runner.count_manifests(out, SCRIPT) - len(ends))
            time.sleep(0.02)
        self.runner.finish(name, process).expect(0)
        return time.monotonic() - start, ends[0], ends[-1]

    def empty(self):
        """Returns the time of the same jobs without work: the array and the job that follows it."""
        start = time.monotonic()
        job = submit(self.cluster, EMPTY, options=[f"--array=0-{SHARDS - 1}"])
        submit(self.cluster, EMPTY, options=[f"--dependency=afterok:{job}"])
        self.cluster.wait_for(lambda: not self.cluster.jobs(), 60, "end of the empty jobs")
        return time.monotonic() - start

    def pairs(self):
        """Compares two nodes with this machine, in turn."""
        ratios = []
        for number in range(PAIRS):
            local, (cluster, first, last), empty = self.local(number), self.on_cluster(number), self.empty()
            ratios.append((cluster - empty) / local)
            self.report(
                f"{PICTURES} pictures of 12 MP: {local:.2f} s here, {cluster:.2f} s on {len(self.cluster.nodes)} nodes "
                f"in {SHARDS} shards (the first ends at {first:.2f} s, the last at {last:.2f} s), "
                f"of which Slurm {empty:.2f} s; ratio beyond Slurm {ratios[-1]:.2f}"
            )
        self.report(f"median ratio beyond Slurm: {statistics.median(ratios):.2f}")

    def death(self):
        """Kills a node in the middle of its last shard, and times the rest of the run."""
        run, out = self.start("death")
        lost = self.cluster.nodes[-1]
        self.runner.wait_for_manifests(out, SHARDS - len(self.cluster.nodes), 600, script=SCRIPT)
        self.runner.freeze_shard(lost, out)
        shards = [manifest["seconds"] for _, manifest in self.runner.manifests(out, SCRIPT).values()]
        self.cluster.kill(lost)
        start = time.monotonic()
        down = self.cluster.wait_for(lambda: self.cluster.states()[lost].startswith("down"), 90, f"dead {lost}")
        self.runner.finish("death", run, 600).expect(0)
        whole = time.monotonic() - start
        shard = statistics.median(shards)
        bar = shard + self.cluster.node_timeout
        self.report(f"node killed in its last shard: seen by Slurm after {down:.1f} s, run ended after {whole:.1f} s")
        self.report(
            f"that is {whole - bar:.1f} s beyond the shard ({shard:.1f} s) and SlurmdTimeout "
            f"({self.cluster.node_timeout} s)"
        )
        self.cluster.start()


def speed(cluster, program, report):
    """Compares nodes with this machine."""
    Speed(cluster, program, report).pairs()


def death(cluster, program, report):
    """Times a run whose node dies."""
    Speed(cluster, program, report).death()
