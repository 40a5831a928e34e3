#!/usr/bin/env python3
"""app/cluster/slurm_array.sh in a Slurm of Debian's packages (slurmctld, slurmd, slurm-client, munge), which this
starts on this machine with a configuration, ports and folders of its own, and ends: an array job of four
tasks, of which one's program is killed and another is requeued; together they have every id once, with the
text of one process.
slurm_test.py PROGRAM WRITE_NANO_MODEL"""
import getpass
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from rows import PATIENCE_S, RECIPES, Job, check, wait_until

SHARDS = 4
DAEMONS = ["munged", "slurmctld", "slurmd", "sbatch"]


def find(program):
    return shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/sbin")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Slurm:
    def __init__(self, folder):
        self.folder = folder
        self.host = socket.gethostname().split(".")[0]
        self.daemons = []
        self.environment = dict(os.environ, SLURM_CONF=str(folder / "slurm.conf"))

    def write_configuration(self):
        folder, user = self.folder, getpass.getuser()
        for name in ("state", "spool"):
            (folder / name).mkdir(parents=True)
        key = folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        (folder / "slurm.conf").write_text(f"""ClusterName=test
SlurmctldHost={self.host}(127.0.0.1)
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
AuthInfo=socket={folder}/munge.socket
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=bf_interval=1,sched_min_interval=100000
ReturnToService=2
KillWait=5
MpiDefault=none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
NodeName={self.host} NodeAddr=127.0.0.1 CPUs={max(2, os.cpu_count())} State=UNKNOWN
PartitionName=main Nodes={self.host} Default=YES MaxTime=INFINITE State=UP
""")

    def start_daemon(self, *command):
        with open(self.folder / f"{command[0]}.log", "wb") as log:
            self.daemons.append(subprocess.Popen([find(command[0]), *command[1:]], env=self.environment, stdout=log,
                                                 stderr=log))

    def call(self, *command):
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=PATIENCE_S)
        check(done.returncode == 0, f"{command}: {done.stderr}")
        return done.stdout

    def __enter__(self):
        self.write_configuration()
        here = self.folder
        self.start_daemon("munged", "--foreground", "--force", f"--key-file={here}/munge.key",
                          f"--socket={here}/munge.socket", f"--pid-file={here}/munge.pid",
                          f"--log-file={here}/munge.log", f"--seed-file={here}/munge.seed")
        wait_until((here / "munge.socket").exists, "munged")
        self.start_daemon("slurmctld", "-D", "-c", "-f", f"{here}/slurm.conf")
        self.start_daemon("slurmd", "-D", "-f", f"{here}/slurm.conf")
        try:
            wait_until(lambda: "idle" in self.try_sinfo(), "a node that is idle")
        except SystemExit:
            print("".join(log.read_text(errors="replace") for log in sorted(here.glob("*.log"))), file=sys.stderr)
            self.__exit__()
            raise
        return self

    def try_sinfo(self):
        return subprocess.run(["sinfo", "--noheader"], env=self.environment, capture_output=True, text=True).stdout

    def __exit__(self, *_):
        subprocess.run(["scancel", "--user", getpass.getuser()], env=self.environment, capture_output=True)
        end = time.monotonic() + 20
        while time.monotonic() < end and self.queue():
            time.sleep(0.2)
        for daemon in reversed(self.daemons):
            daemon.terminate()
            try:
                daemon.wait(timeout=20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    def queue(self):
        """Task of the array -> state, of those that have not ended."""
        done = subprocess.run(["squeue", "--noheader", "--array", "--format=%K %T"], env=self.environment,
                              capture_output=True, text=True)
        return dict(line.split() for line in done.stdout.splitlines())

    def hurried_queue(self, array, tasks):
        """The queue, in which these tasks do not wait for the two minutes of those that are requeued."""
        queue = self.queue()
        for task in tasks:
            if queue.get(str(task)) == "PENDING":
                subprocess.run(["scontrol", "update", f"JobId={array}_{task}", "StartTime=now"], env=self.environment)
                time.sleep(0.5)
        return queue

    def field(self, task, name):
        """Of `scontrol show job`: the newest value of a task's field."""
        text = self.call("scontrol", "--oneliner", "show", "job", task)
        return next(word.split("=", 1)[1] for word in text.split() if word.startswith(name + "="))


def programs_of(job, shard):
    """Processes of a shard's program, its supervisor first."""
    found = []
    for process in sorted(Path("/proc").glob("[0-9]*"), key=lambda path: int(path.name)):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if job.program.encode() in words[:2] and f"{shard}/{SHARDS}".encode() in words:
            found.append(int(process.name))
    return found


def rows_of(folder, shard):
    path = folder / f"shard-{shard}.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def disturb(slurm, job, folder, array):
    """Kills the program of one task and requeues another, both at work; the other two just run."""
    disturbed = {}
    while len(disturbed) < 2:
        shards = [shard for shard in range(1, SHARDS + 1)
                  if shard not in disturbed and programs_of(job, shard) and rows_of(folder, shard)]
        if not shards:
            time.sleep(0.01)
            check(slurm.queue(), "tasks ended before they could be disturbed")
            continue
        shard = shards[0]
        disturbed[shard] = rows_of(folder, shard)
        if len(disturbed) == 1:
            os.kill(programs_of(job, shard)[0], signal.SIGKILL)
        else:
            slurm.call("scontrol", "requeue", f"{array}_{shard}")
        wait_until(lambda: slurm.field(f"{array}_{shard}", "Restarts") == "1", "a task that is requeued")
    return disturbed


def run_array(slurm, job, folder):
    array = slurm.call("sbatch", "--parsable", f"--array=1-{SHARDS}", "--cpus-per-task=1", "--mem-per-cpu=0",
                       f"--output={job.folder}/task-%a.log", f"--export=ALL,WHISPER_NPU={job.program},WHISPER_NPU_CONFIG=",
                       f"--chdir={job.folder}", str(RECIPES / "slurm_array.sh"), str(SHARDS), str(job.manifest),
                       str(folder), *job.options).strip()
    disturbed = disturb(slurm, job, folder, array)
    wait_until(lambda: not slurm.hurried_queue(array, disturbed), "the end of the job")
    codes = {shard: slurm.field(f"{array}_{shard}", "ExitCode") for shard in range(1, SHARDS + 1)}
    check(sorted(codes.values()) == ["0:0", "0:0", "0:0", "1:0"], f"exit codes of the tasks: {codes}")
    return disturbed


def main():
    missing = [name for name in DAEMONS if not find(name)]
    if missing:
        print(f"SKIP: no {', '.join(missing)} (Debian: slurmctld slurmd slurm-client munge)")
        return
    job = Job(*sys.argv[1:3], 400)
    expected = job.run_alone()
    folder = job.folder / "out"
    with Slurm(job.folder / "slurm") as slurm:
        disturbed = run_array(slurm, job, folder)
    job.check_joined(folder, expected)
    killed, requeued = disturbed
    print(f"slurm: {job.n_rows} rows, each once, with the text of one process; task {killed} was killed after "
          f"{disturbed[killed]} rows, task {requeued} requeued after {disturbed[requeued]}")


main()
