"""Slurm's own costs on this machine: per task, after a node's death, after the controller's death."""

import time

EMPTY = "#!/bin/sh\n"
SLEEPER = '#!/bin/sh\necho "$(date +%s.%N) ${SLURM_RESTART_COUNT:-0}" >>"$1.$SLURM_ARRAY_TASK_ID"\nsleep "$2"\n'


def submit(cluster, script, *arguments, options=()):
    """Submits a script in the cluster's folder and returns the job's number."""
    path = f"{cluster.folder}/job.sh"
    with open(path, "w", encoding="utf-8") as file:
        file.write(script)
    log = f"--output={cluster.folder}/logs/job-%j.output"
    return int(cluster.call("sbatch", "--parsable", log, *options, path, *arguments))


def costs(cluster, _, report):
    """Measures Slurm itself, and reports it a line at a time."""
    task_cost(cluster, report)
    node_death(cluster, report)
    controller_death(cluster, report)


def task_cost(cluster, report):
    """Runs an array of empty tasks."""
    count = 100
    start = time.monotonic()
    submit(cluster, EMPTY, options=[f"--array=0-{count - 1}"])
    submitted = time.monotonic() - start
    cluster.wait_for(lambda: not cluster.jobs(), 120, "end of the empty tasks")
    whole = time.monotonic() - start
    processors = cluster.cpus * len(cluster.nodes)
    report(f"submission of {count} tasks: {submitted:.2f} s")
    report(f"empty task: {whole / count * processors:.3f} s of a processor; {count} took {whole:.1f} s on {processors}")


def node_death(cluster, report):
    """Kills a node in the middle of a task, and waits until the task starts again."""
    mark = f"{cluster.folder}/started"
    lost = cluster.nodes[-1]
    count = cluster.cpus * len(cluster.nodes)
    submit(cluster, SLEEPER, mark, "4", options=["--requeue", f"--array=0-{count - 1}"])
    running = lambda: [job for job in cluster.jobs() if job[1:3] == ["RUNNING", lost]]  # noqa: E731
    cluster.wait_for(lambda: len(running()) == cluster.cpus, 10, f"tasks on {lost}")
    victim = running()[0][0].partition("_")[2]
    time.sleep(0.5)
    cluster.kill(lost)
    start = time.time()
    silent = cluster.wait_for(lambda: cluster.states()[lost].startswith("down"), 90, f"dead {lost}")
    starts = lambda: open(f"{mark}.{victim}", encoding="utf-8").read().split("\n")[:-1]  # noqa: E731
    cluster.wait_for(lambda: len(starts()) == 2, 200, "second start")
    again = float(starts()[1].split()[0]) - start
    report(f"node killed: down after {silent:.1f} s, its task started again after {again:.1f} s")
    cluster.start_node(lost)
    back = cluster.wait_for(lambda: cluster.states()[lost] in ("idle", "allocated"), 30, f"{lost} again")
    report(f"node started again: in use after {back:.1f} s")
    cluster.wait_for(lambda: not cluster.jobs(), 60, "end of the sleepers")


def controller_death(cluster, report):
    """Kills the controller at once and some time after a submission, and looks for the jobs afterwards."""
    for pause in (0, 0.2, 1, 5):
        mark = f"{cluster.folder}/killed-{pause}"
        job = submit(cluster, SLEEPER, mark, "14", options=["--requeue", "--array=0-0"])
        time.sleep(pause)
        cluster.kill("controller")
        cluster.start_controller()
        cluster.wait_for(cluster.states, 30, "controller")
        back = cluster.wait_for(lambda: set(cluster.states().values()) <= {"idle", "allocated"}, 30, "nodes")
        time.sleep(1)
        known = [line for line in cluster.jobs() if line[0].startswith(f"{job}_")]
        following = submit(cluster, EMPTY)
        cluster.wait_for(lambda: not cluster.jobs(), 60, "end of the sleepers")
        try:
            with open(f"{mark}.0", encoding="utf-8") as file:
                starts = len(file.read().split("\n")) - 1
        except FileNotFoundError:
            starts = 0
        report(
            f"controller killed {pause} s after job {job}: nodes back after {back:.1f} s, "
            f"job {'known' if known else 'unknown'}, started {starts} times, next job got number {following}"
        )
