"""How a job of whisper_npu.ray would go on many machines: cluster_simulation.py TIMES [OPTION...].

SIMULATED: no cluster ran this. Measured is what one actor took for rows (TIMES: JSON lines with `audio_duration` and
`seconds`, as tests/python/ray_overhead.py --times writes them), the rest are the assumptions that the options say.
Needs the package, installed or on PYTHONPATH.

Rows are drawn from the measured seconds per second of audio, their lengths log-normal; they are packed and ordered
by the package's own rules. A machine has actors; an actor has two tasks at a time, the head hands out one task
after another, each of which takes it --head-ms. Machines differ in speed (--skew: sigma of their logarithm), are lost
at random (--loss: of a machine in an hour) and replaced after --replaced seconds; a lost machine's tasks begin anew
after --noticed seconds, in front of all others. Efficiency: the work of all rows, divided by what the
machines of the beginning could have done in the time that the job took.
"""
import argparse
import heapq
import json
import math
import random

from whisper_npu.ray.rows import longest_first, packed, task_size


def measured(path):
    with open(path) as file:
        rows = [json.loads(line) for line in file]
    return [row["seconds"] / row["audio_duration"] for row in rows if row["audio_duration"]]


def tasks_of(asked, machines, factors):
    """Seconds of work of each task, in the order in which they are handed out, and of the longest row."""
    chosen = random.Random(asked.seed)
    total = asked.hours_of_machine * 3600 * machines
    lengths = []
    while total > 0:
        lengths.append(min(max(chosen.lognormvariate(math.log(asked.median), asked.sigma), 1.0), asked.longest))
        total -= lengths[-1]
    actors = machines * asked.actors
    audio, rows = task_size(lengths, actors, 240, 8)
    work = [length * chosen.choice(factors) for length in lengths]
    order = longest_first(lengths)
    return [sum(work[row] for row in task) for task in packed(lengths, order, audio, rows)], max(work)


class Job:
    """Events in the order of their times: an actor wants a task, a machine is lost, another comes."""

    def __init__(self, asked, machines, tasks):
        self.asked, self.tasks = asked, list(reversed(tasks))
        self.chosen = random.Random(asked.seed + 1)
        self.events, self.count, self.head, self.end, self.lost = [], 0, 0.0, 0.0, 0
        self.at_work, self.speed, self.waiting, self.returning = {}, {}, [], 0
        for machine in range(machines):
            self.begin(machine, 0.0)
        self.machines = machines

    def at(self, when, kind, *what):
        self.count += 1
        heapq.heappush(self.events, (when, self.count, kind, what))

    def begin(self, machine, now):
        self.speed[machine] = self.chosen.lognormvariate(0, self.asked.skew)
        self.at_work[machine] = {}
        for actor in range(self.asked.actors):
            self.at(now + self.asked.start, "free", machine, actor)
        if self.asked.loss:
            self.at(now + self.chosen.expovariate(self.asked.loss / 3600), "lost", machine)

    def hand_out(self, now, machine, actor):
        if not self.tasks:
            self.waiting.append((machine, actor))
            return
        # The next task is with the actor already: it waits for the head where that is behind alone.
        self.head = max(self.head, now - self.asked.head_ms / 1000) + self.asked.head_ms / 1000
        work = self.tasks.pop()
        done = max(now, self.head) + work / self.speed[machine]
        self.at_work[machine][actor] = (work, done)
        self.at(done, "done", machine, actor, done)

    def run(self):
        left = len(self.tasks)
        while left:
            now, _, kind, what = heapq.heappop(self.events)
            machine = what[0]
            if kind == "free" and machine in self.at_work:
                self.hand_out(now, *what)
            elif kind == "done":
                if self.at_work.get(machine, {}).get(what[1], (0, None))[1] == what[2]:
                    del self.at_work[machine][what[1]]
                    left -= 1
                    self.end = max(self.end, now)
                    self.hand_out(now, machine, what[1])
            elif kind == "lost":
                self.lose(machine, now)
            elif kind == "again":
                self.tasks.extend(what[1])
                idle, self.waiting = self.waiting, []
                for other, actor in idle:
                    if other in self.at_work:
                        self.hand_out(now, other, actor)
            elif kind == "new":
                self.begin(machine, now)
        return self.end

    def lose(self, machine, now):
        work = [task for task, _ in self.at_work.pop(machine).values()]
        self.lost += 1
        self.at(now + self.asked.noticed, "again", machine, work)
        self.machines += 1
        self.at(now + self.asked.replaced, "new", self.machines)


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("times", metavar="TIMES")
    parser.add_argument("--machines", type=int, nargs="+", default=[1, 10, 100, 1000])
    parser.add_argument("--actors", type=int, default=8, help="of a machine (default: %(default)s)")
    parser.add_argument("--hours-of-machine", type=float, nargs="+", default=[10.0, 100.0],
                        help="of audio, for each machine")
    parser.add_argument("--median", type=float, default=60.0, help="seconds of rows")
    parser.add_argument("--sigma", type=float, default=1.3)
    parser.add_argument("--longest", type=float, default=3600.0)
    parser.add_argument("--slower", type=float, default=1.0, help="than measured: as of a larger model")
    parser.add_argument("--start", type=float, default=20.0, help="seconds: actor, child, model")
    parser.add_argument("--skew", type=float, default=0.1)
    parser.add_argument("--loss", type=float, default=0.05)
    parser.add_argument("--noticed", type=float, default=30.0)
    parser.add_argument("--replaced", type=float, default=300.0)
    parser.add_argument("--head-ms", type=float, default=5.0)
    parser.add_argument("--most-tasks", type=int, default=2000000, help="a job with more is left out")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def main():
    asked = parsed()
    factors = [asked.slower * factor for factor in measured(asked.times)]
    print(f"SIMULATED from {len(factors)} measured rows, {sum(factors) / len(factors):.4f} s for a second of audio; "
          f"loss {asked.loss:g} an hour, skew {asked.skew:g}, head {asked.head_ms:g} ms a task")
    print("| machines | hours each | tasks | lost | head busy | longest row | took | efficiency |\n"
          "|---:|---:|---:|---:|---:|---:|---:|---:|")
    all_hours = asked.hours_of_machine
    for machines in asked.machines:
        for asked.hours_of_machine in all_hours:
            tasks, longest = tasks_of(asked, machines, factors)
            if len(tasks) > asked.most_tasks:
                print(f"| {machines} | {asked.hours_of_machine:g} | {len(tasks)} | too many to simulate |")
                continue
            job = Job(asked, machines, tasks)
            took = job.run()
            ideal = sum(tasks) / (asked.actors * sum(job.speed[machine] for machine in range(machines)))
            head = len(tasks) * asked.head_ms / 1000 / took
            print(f"| {machines} | {asked.hours_of_machine:g} | {len(tasks)} | {job.lost} | {100 * head:.1f} % | "
                  f"{longest:.0f} s | {took:.0f} s | {100 * ideal / took:.1f} % |", flush=True)


if __name__ == "__main__":
    main()
