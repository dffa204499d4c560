"""Scenarios on a cluster: each one must end with the files of a local run, or with a clear failure."""

import os
import re
import signal
import time

import processes
from stage import SHARDS, Failure


def plain(stage):
    """Runs 8 shards on two nodes and the merge with batch scripts of one line."""
    out = f"{stage.folder}/plain"
    job = stage.array("plain", out)
    stage.merge_job("plain", out, job)
    stage.wait_for_jobs()
    stage.compare(out)
    logs = os.listdir(f"{stage.cluster.folder}/logs")
    for node in stage.cluster.nodes:
        if stage.cluster.namespaces and not any(name.startswith("plain-") and f"-{node}." in name for name in logs):
            raise Failure(f"no shard ran on {node}")
    if "book.pdf: 48 pages" not in stage.text("plain-merge.log"):
        raise Failure(f"the merge printed: {stage.text('plain-merge.log')}")


def submit(stage):
    """Submits 8 shards and waits: the files, the exit status and the output of a local run."""
    out = f"{stage.folder}/submitted"
    result = stage.finish("submit", stage.submit("submit", out, stage.pictures))
    result.expect(0)
    if result.output != stage.reference_result.output.replace(stage.reference, out):
        raise Failure(f"it printed: {result.output}")
    stage.compare(out)
    # A controller that was restored may start the tasks once more.
    run = re.search("logs in (.+)", result.errors)[1]
    stage.cluster.call("sbatch", f"--chdir={run}", f"{run}/job.sh")
    stage.wait_for_jobs()
    stage.compare(out)


def detached(stage):
    """Submits and returns at once, with copies on the nodes' own disks; 'imghost status' follows the run."""
    out = f"{stage.folder}/detached"
    options = ["--detach", "--stage"]
    submitted = stage.finish("detached", stage.submit("detached", out, stage.pictures, options))
    submitted.expect(0)
    line = [stage.program, "status", "--follow", submitted.output.strip()]
    stage.finish("detached-status", stage.start("detached-status", line)).expect(0, "book.pdf: 48 pages")
    stage.compare(out)


def interrupted(stage):
    """Presses Ctrl-C while shards run: the jobs end, nothing is half written, and 'imghost resume' makes the rest."""
    out = f"{stage.folder}/interrupted"
    run = stage.submit("interrupted", out, stage.pictures)
    stage.wait_for_manifests(out, 1)
    for node in stage.cluster.nodes:
        stage.freeze_shard(node, out)
    run.send_signal(signal.SIGINT)
    result = stage.finish("interrupted", run)
    result.expect(128 + signal.SIGINT, "imghost resume")
    stage.wait_for_jobs(20)
    stage.compare_parts(out)
    stage.resume("interrupted", result).expect(0)
    stage.compare(out)


def node_killed(stage):
    """Kills a node while one of its shards writes; Slurm gives the shard to the other node."""
    out = f"{stage.folder}/node-killed"
    run = stage.submit("node-killed", out, stage.pictures)
    lost = stage.cluster.nodes[-1]
    try:
        stage.freeze_shard(lost, out)
        stage.cluster.kill(lost)
        stage.finish("node-killed", run).expect(0)
        stage.compare(out)
    finally:
        stage.cluster.start()


def merge_killed(stage):
    """Kills the node of the merge while it writes the book; Slurm begins the merge again on the other node."""
    out = f"{stage.folder}/merge-killed"
    run = stage.submit("merge-killed", out, stage.pictures)
    try:
        _, node = stage.freeze(stage.cluster.nodes, "merge", out)
        stage.cluster.kill(node)
        stage.finish("merge-killed", run).expect(0)
        stage.compare(out)
    finally:
        stage.cluster.start()


def node_cut_off(stage):
    """Cuts a node's cable: another node makes its shard, and the first one ends it after the merge all the same."""
    if not stage.cluster.namespaces:
        return "skipped: the nodes have no network of their own"
    out = f"{stage.folder}/node-cut-off"
    run = stage.submit("node-cut-off", out, stage.pictures)
    lost = stage.cluster.nodes[-1]
    try:
        shard = stage.freeze_shard(lost, out)
        stage.cluster.cut_off(lost)
        stage.finish("node-cut-off", run).expect(0)
        # The shard may still have a file open under a temporary name.
        os.kill(shard, signal.SIGCONT)
        stage.cluster.wait_for(lambda: not processes.is_running(shard), 30, "end of the shard without a network")
        stage.compare(out)
    finally:
        # Slurm polls a node that was unreachable only rarely; a restarted node reports its state at once.
        stage.cluster.kill(lost)
        stage.cluster.start()
    return None


def controller_killed(stage):
    """Kills the controller while shards run, and starts it again: it remembers the array, perhaps as pending."""
    stage.wait_for_save()
    controller_dies(stage, "controller-killed")


def controller_forgets(stage):
    """Kills the controller before it has saved the jobs: they are lost, and their numbers are used again."""
    stage.wait_for_save()
    # Slurm saves this one at once, and the run's jobs 5 s later.
    stage.batch("state", "#!/bin/sh\n")
    controller_dies(stage, "controller-forgets")


def controller_dies(stage, name):
    """Submits a run whose controller dies while each node is in the middle of a shard."""
    out = f"{stage.folder}/{name}"
    run = stage.submit(name, out, stage.pictures)
    try:
        # A shard that ended without a controller would keep its number in its node, which is then drained
        # ("Duplicate jobid") when a new controller gives the number out again.
        for node in stage.cluster.nodes:
            stage.freeze_shard(node, out)
        stage.cluster.kill("controller")
        time.sleep(1)
        stage.cluster.start_controller()
        stage.finish(name, run).expect(0)
        stage.wait_for_jobs()
        stage.compare(out)
    finally:
        stage.cluster.start()


def failure_continue(stage):
    """Has a truncated picture: with --on-error continue the rest is made, and all failures are one list."""
    fails(stage, "continue")


def failure_stop(stage):
    """Has a truncated picture: with --on-error stop the array fails, and no book is made."""
    fails(stage, "stop")


def fails(stage, behaviour):
    """Compares a failing run with a local one."""
    name, options = f"failure-{behaviour}", ["--on-error", behaviour]
    pictures = stage.copy_of_pictures(f"{name}-pictures", "17.jpg")
    out, reference = f"{stage.folder}/{name}", f"{stage.folder}/{name}-local"
    local = stage.local(f"{name}-local", stage.book, pictures, out=reference, options=options)
    local.expect(1, "17.jpg: truncated file")
    result = stage.finish(name, stage.submit(name, out, pictures, options))
    lines = local.errors.replace(reference, out).split("\n")
    if behaviour == "continue":
        # Everything but the summary, which has the time.
        result.expect(1, *lines[:-2])
        stage.compare(out, reference)
        return
    # The first line names the picture and the script's line, and says whether the book is made.
    result.expect(1, lines[0])
    stage.compare_parts(out)
    if os.path.exists(f"{out}/book.pdf"):
        raise Failure("there is a book")


def full_folder(stage):
    """Fills the shared folder: the run says so; with more space, the same run ends well."""
    if not stage.cluster.namespaces:
        return "skipped: a small file system needs the right to mount one"
    out = f"{stage.cluster.small}/out"
    stage.finish("full-folder", stage.submit("full-folder", out, stage.pictures)).expect(1, "the disk is full")
    stage.compare_parts(out)
    if os.path.exists(f"{out}/book.pdf"):
        raise Failure("there is a book")
    stage.cluster.resize_small("100m")
    stage.finish("full-folder-again", stage.submit("full-folder-again", out, stage.pictures)).expect(0)
    stage.compare(out)
    return None


def twice(stage):
    """Submits the same run twice at once: the files are right, and no run fails for another reason."""
    out = f"{stage.folder}/twice"
    runs = [(f"twice-{number}", stage.submit(f"twice-{number}", out, stage.pictures)) for number in (1, 2)]
    results = [stage.finish(name, run) for name, run in runs]
    stage.wait_for_jobs()
    stage.compare(out)
    if 0 not in [result.status for result in results]:
        raise Failure(f"both failed: {results[0].errors}")
    for result in results:
        result.expect(result.status and 1, *(["already"] if result.status else []))
    return " and ".join(f"status {result.status}" for result in results)


def stale(stage):
    """Finds a manifest of another version: the merge names the shard, and running it again mends all."""
    out = f"{stage.folder}/stale"
    stage.array("stale", out)
    stage.wait_for_jobs()
    path, manifest = stage.manifests(out)[3]
    with open(path, encoding="utf-8") as file:
        text = file.read()
    version = manifest["version"]
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(version, "0.0.9"))
    refused = stage.local("stale-merge", stage.book, stage.pictures, out=out, command="merge")
    refused.expect(1, f"3/{SHARDS}", "0.0.9", version)
    stage.array("stale-again", out, numbers="3")
    stage.wait_for_jobs()
    stage.local("stale-merge-again", stage.book, stage.pictures, out=out, command="merge").expect(0)
    stage.compare(out)


# The scenarios that continuous integration always runs, in a minute. The others take longer, because they wait for
# Slurm's time-outs.
CORE = [
    *(plain, submit, detached, interrupted, failure_continue, failure_stop, twice, stale, full_folder),
    node_killed,
]
ALL = [*CORE, merge_killed, node_cut_off, controller_killed, controller_forgets]
