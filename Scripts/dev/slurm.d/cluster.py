"""A Slurm cluster of this machine: Debian's munged, slurmctld and slurmd with their own files in one folder."""

import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import uuid

import network
import processes

CONFIGURATION = """\
ClusterName=imghost
SlurmctldHost={host}({controller})
SlurmctldPort={port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
# A requeued task waits until its credential has expired, 120 s by default; Slurm refuses less than 5 s.
AuthInfo=socket={folder}/munge/socket,cred_expire=5
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/controller.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/logs/controller.log
SlurmdLogFile={folder}/logs/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,bf_interval=1,sched_interval=1
# Short enough for tests, long enough for a machine that is busy with them.
SlurmdTimeout={node_timeout}
MessageTimeout={message_timeout}
TCPTimeout=2
LogTimeFormat=iso8601_ms
# With an epilog a node reports the end of a task at once; otherwise the next one waits for the scheduler's second.
Epilog=/bin/true
KillWait=1
ReturnToService=2
JobRequeue=1
SlurmdParameters=config_overrides
MpiDefault=none
MailProg=/bin/true
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


class ClusterError(Exception):
    """A cluster that does not come up, with the reason."""


def memory():
    """Returns the machine's memory in MB."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 1_000_000


def free_ports(count):
    """Returns port numbers that nothing listens to."""
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Cluster:
    """Owns the daemons and the folder. One thread may use it: the daemons end with the thread that started them."""

    def __init__(self, nodes=2, cpus=None, node_timeout=8, namespaces=True):
        """Prepares the folder and the network; `cpus` is the number of processors of each node."""
        self.nodes = [f"n{number}" for number in range(1, nodes + 1)]
        self.cpus = cpus or max(1, os.cpu_count() // nodes)
        self.folder = tempfile.mkdtemp(prefix="imghost-slurm.")
        self.node_timeout = node_timeout
        self.running = {}
        self.environment = {**os.environ, "SLURM_CONF": f"{self.folder}/slurm.conf"}
        processes.adopt_orphans()
        self.namespaces = namespaces and os.geteuid() == 0 and network.enter_own()
        for name in ("munge", "state", "spool", "logs"):
            # munged refuses a folder that others can write.
            os.mkdir(f"{self.folder}/{name}", 0o755)
        os.chmod(self.folder, 0o755)
        self.small = f"{self.folder}/small"
        if self.namespaces:
            os.mkdir(self.small)
            network.mount_small(self.small, "4m")
        self.configure()

    def configure(self):
        """Writes slurm.conf, cgroup.conf and munge's key."""
        host = socket.gethostname().split(".")[0]
        if self.namespaces:
            ports = [6817] + [6818] * len(self.nodes)
        else:
            ports = free_ports(1 + len(self.nodes))
        text = CONFIGURATION.format(
            folder=self.folder,
            host=host,
            controller=network.CONTROLLER if self.namespaces else "127.0.0.1",
            port=ports[0],
            user=pwd.getpwuid(os.geteuid()).pw_name,
            node_timeout=self.node_timeout,
            message_timeout=max(3, self.node_timeout // 2),
        )
        for number, name in enumerate(self.nodes, 1):
            place = f"NodeAddr={network.address(number)}"
            if not self.namespaces:
                place = f"NodeHostname={host} NodeAddr=127.0.0.1"
            text += f"NodeName={name} {place} Port={ports[number]} CPUs={self.cpus} RealMemory={memory()}\n"
        with open(f"{self.folder}/slurm.conf", "w", encoding="utf-8") as file:
            file.write(text)
        with open(f"{self.folder}/cgroup.conf", "w", encoding="utf-8") as file:
            # slurmd looks for control groups at its start, although no plugin here uses them.
            file.write("IgnoreSystemdOnFailure=yes\n")
        with open(os.open(f"{self.folder}/munge/key", os.O_WRONLY | os.O_CREAT, 0o400), "wb") as file:
            file.write(os.urandom(128))

    # Daemons

    def start(self, seconds=30):
        """Starts what does not run, and waits until every node is idle."""
        self.start_munge()
        self.start_controller()
        for name in self.nodes:
            self.start_node(name)
        self.wait_for(lambda: set(self.states().values()) == {"idle"}, seconds, "idle nodes")

    def spawn(self, name, command, **variables):
        """Starts a daemon in the foreground. Its output goes into a log."""
        with open(f"{self.folder}/logs/{name}.output", "ab") as log:
            self.running[name] = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                env={**self.environment, **variables},
                start_new_session=True,
                preexec_fn=processes.die_with_parent,
            )
        self.record()
        return self.running[name]

    def runs(self, name):
        """Returns whether a daemon runs."""
        return name in self.running and self.running[name].poll() is None

    def start_munge(self):
        """Starts munged and waits for its socket."""
        if self.runs("munge"):
            return
        place = f"{self.folder}/munge"
        self.spawn(
            "munge",
            [
                *("munged", "--foreground", f"--key-file={place}/key", f"--socket={place}/socket"),
                *(f"--pid-file={place}/pid", f"--log-file={self.folder}/logs/munge.log"),
                *(f"--seed-file={place}/seed", "--force"),
            ],
        )
        self.wait_for(lambda: os.path.exists(f"{place}/socket"), 5, "munge's socket")

    def start_controller(self):
        """Starts slurmctld, which reads the state of an earlier one."""
        if not self.runs("controller"):
            self.spawn("controller", ["slurmctld", "-D", "-f", f"{self.folder}/slurm.conf"])

    def start_node(self, name):
        """Starts a node's slurmd, in namespaces of its own where allowed."""
        if self.runs(name):
            return
        os.makedirs(f"{self.folder}/spool/{name}", exist_ok=True)
        command = ["slurmd", "-D", "-N", name, "-f", f"{self.folder}/slurm.conf"]
        number = self.nodes.index(name) + 1
        if self.namespaces:
            boot = f"{self.folder}/{name}.boot"
            with open(boot, "w", encoding="utf-8") as file:
                print(uuid.uuid4(), file=file)
            command = network.node_command(name, number, boot, command)
        self.spawn(name, command, **{processes.NODE_VARIABLE: name})
        if self.namespaces:
            self.connect(name)

    def connect(self, name):
        """Connects a node once its first process has left this network."""
        outer = self.running[name].pid
        here = os.readlink("/proc/self/ns/net")

        def is_apart():
            try:
                return os.readlink(f"/proc/{outer}/ns/net") != here
            except OSError:
                return False

        self.wait_for(is_apart, 5, f"the network of {name}", pause=0.01)
        network.connect(name, outer)

    def kill(self, name):
        """Ends a node with all its tasks, or a daemon, without a warning, as a power cut does."""
        daemon = self.running[name]
        if name in self.nodes and not self.namespaces:
            processes.send(processes.of_node(name), signal.SIGKILL)
        daemon.kill()
        daemon.wait()
        self.record()

    def cut_off(self, name):
        """Pulls a node's cable out. Its tasks go on. The node has a new cable when it is started again."""
        network.cut_cable(name)

    def resize_small(self, size):
        """Changes the size of the small file system in which runs may run out of space."""
        network.mount_small(self.small, size, again=True)

    def stop(self, keep=False):
        """Ends every process that came from this one, and removes the folder."""
        for name in ("controller", "munge"):
            if self.runs(name):
                self.running[name].terminate()
        for name in self.nodes:
            if self.runs(name):
                self.running[name].kill()
        for daemon in self.running.values():
            try:
                daemon.wait(3)
            except subprocess.TimeoutExpired:
                daemon.kill()
        left = processes.end_descendants()
        if self.namespaces:
            network.unmount_small(self.small)
        if not keep:
            shutil.rmtree(self.folder, ignore_errors=True)
        if left:
            raise ClusterError(f"processes {left} are still there")

    def record(self):
        """Writes the daemons' process ids, for other programs."""
        ids = {name: daemon.pid for name, daemon in self.running.items() if daemon.poll() is None}
        facts = {"keeper": os.getpid(), "namespaces": self.namespaces, "daemons": ids}
        with open(f"{self.folder}/cluster.json.new", "w", encoding="utf-8") as file:
            json.dump(facts, file)
        os.rename(f"{self.folder}/cluster.json.new", f"{self.folder}/cluster.json")

    # Commands

    def call(self, *command, check=True, **options):
        """Runs one of Slurm's commands and returns its output."""
        result = subprocess.run(
            command,
            check=False,
            capture_output=True,
            text=True,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            timeout=60,
            **options,
        )
        if check and result.returncode != 0:
            raise ClusterError(f"{command[0]} ended with {result.returncode}: {result.stderr.strip()}")
        return result.stdout

    def states(self):
        """Returns each node's state, such as idle, alloc or down."""
        lines = self.call("sinfo", "-h", "-N", "-o", "%N %T", check=False).split("\n")
        return dict(line.split() for line in lines if line)

    def jobs(self, options=()):
        """Returns the unfinished tasks: id, state, node and reason."""
        lines = self.call("squeue", "-h", "-r", "-o", "%i|%T|%N|%r", *options, check=False).split("\n")
        return [line.split("|") for line in lines if line]

    def wait_for(self, condition, seconds, subject, pause=0.1):
        """Waits until a condition holds; returns the time that took."""
        start = time.monotonic()
        while not condition():
            for name, daemon in self.running.items():
                if daemon.poll() not in (None, -signal.SIGKILL):
                    raise ClusterError(f"{name} ended with {daemon.returncode}; see {self.folder}/logs/{name}.output")
            if time.monotonic() - start > seconds:
                raise ClusterError(f"no {subject} after {seconds} s; see {self.folder}/logs")
            time.sleep(pause)
        return time.monotonic() - start
