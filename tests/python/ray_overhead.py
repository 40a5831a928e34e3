"""What Ray costs beside one worker on the same rows, by hand: ray_overhead.py MANIFEST [OPTION...].

Each round: the rows by one child process without Ray, then by one actor of a Ray on this machine, which has one child
as well. Both times are from the first row's begin to the last one's end, with the model read before; what Ray needs
until then is said apart (`start`). `busy`: the part of it in which the child was at work, by the rows' own seconds,
and `CPU`: what all processes of the job took together meanwhile (Ray's own too), which say what is overhead where the
machine has other work. --workers N: N children side by side, without Ray, and then one. Then the rows' times for
bench/cluster_simulation.py (--times FILE), and what a task costs, by tasks with nothing to do (--tasks N).
"""
import argparse
import json
import os
import statistics
import threading
import time

import psutil


class CpuTimes:
    """Of this process and all below it, by the clock."""

    def __init__(self):
        self.samples, self.seen = [], {}
        threading.Thread(target=self.go_on, daemon=True).start()

    def go_on(self):
        while True:
            for process in [psutil.Process(), *psutil.Process().children(recursive=True)]:
                try:
                    times = process.cpu_times()
                    self.seen[process.pid] = times.user + times.system  # what has ended keeps its last
                except psutil.NoSuchProcess:
                    pass
            self.samples.append((time.monotonic(), sum(self.seen.values())))
            time.sleep(0.3)

    def between(self, begin, end):
        time.sleep(0.6)
        at = [min(self.samples, key=lambda sample: abs(sample[0] - when))[1] for when in (begin, end)]
        return at[1] - at[0]


class Timed:
    """A Transcriber that reads its model at once, and says when it began and ended. Times are one clock's."""

    def __init__(self, settings, cut_seconds, *more):
        from whisper_npu.ray.transcriber import Transcriber

        self.transcriber = Transcriber(settings, cut_seconds, *more)
        self.transcriber._worker.submit({"audio_filepath": os.environ["WHISPER_NPU_WARM_UP"]}, 10.0).result()

    def __call__(self, table):
        import pyarrow as pa

        begin = time.monotonic()
        found = self.transcriber(table)
        times = {"begin": begin, "end": time.monotonic()}
        for name, value in times.items():
            found = found.append_column(name, pa.array([value] * found.num_rows))
        return found


def by_ray(table, settings):
    """Rows, and the seconds until the first was begun."""
    from whisper_npu.ray import dataset

    dataset.Transcriber = Timed
    begin = time.monotonic()
    done = dataset.transcribe_table(table, settings, None, actors=1)
    rows = [row for batch in done.iter_batches(batch_size=None, batch_format="pyarrow", prefetch_batches=0)
            for row in batch.to_pylist()]
    return rows, min(row["begin"] for row in rows) - begin


def by_worker(table, settings):
    timed = Timed(settings, None)
    rows = timed(table).to_pylist()
    timed.transcriber.close()
    return rows


def span(rows):
    return max(row["end"] for row in rows) - min(row["begin"] for row in rows)


def busy(rows):
    return sum(row["seconds"] or 0.0 for row in rows) / span(rows)


def cpu(rows, times):
    return times.between(min(row["begin"] for row in rows), max(row["end"] for row in rows))


def side_by_side(table, settings, n):
    """Rows, by n children of a thread each."""
    made = [Timed(settings, None) for _ in range(n)]
    found = [None] * n

    def work(i):
        found[i] = made[i](table.take(list(range(i, table.num_rows, n)))).to_pylist()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for timed in made:
        timed.transcriber.close()
    return [row for rows in found for row in rows]


def texts(rows):
    return {row["id"]: row["pred_text"] for row in rows}


def head_cost(n_tasks):
    """Seconds of a task that does nothing: of the head and the actor together, more than the head's alone."""
    import pyarrow as pa
    import ray

    tables = [pa.table({"id": [str(i)]}) for i in range(n_tasks)]
    times = []
    for n in (n_tasks // 10, n_tasks):
        begin = time.monotonic()
        done = ray.data.from_arrow(tables[:n]).map_batches(
            Nothing, batch_size=None, batch_format="pyarrow", num_cpus=1,
            compute=ray.data.ActorPoolStrategy(size=1, max_tasks_in_flight_per_actor=2))
        assert sum(1 for _ in done.iter_batches(batch_size=None, prefetch_batches=0)) == n
        times.append(time.monotonic() - begin)
    return (times[1] - times[0]) / (n_tasks - n_tasks // 10)


class Nothing:
    def __call__(self, table):
        return table


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("manifest", help="JSON lines with durations")
    parser.add_argument("--model", default="tiny.en")
    parser.add_argument("--program")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--times", help="where rows' seconds are written")
    parser.add_argument("--tasks", type=int, default=1000)
    asked = parser.parse_args()
    os.environ.update(RAY_AUTH_MODE="disabled")
    import ray

    from whisper_npu.ray.manifest import read_manifest
    from whisper_npu.worker_settings import WorkerSettings

    settings = WorkerSettings(model=asked.model, program=asked.program, threads=1)
    table = read_manifest(asked.manifest, "jsonl")
    os.environ["WHISPER_NPU_WARM_UP"] = table["_audio"][0].as_py()
    ray.init(address="local", num_cpus=2, object_store_memory=100 << 20, include_dashboard=False, logging_level="error")
    ray.data.DataContext.get_current().enable_progress_bars = False
    ratios, cpu_ratios, times, gains = [], [], CpuTimes(), []
    for number in range(asked.rounds):
        if asked.workers > 1:
            several = side_by_side(table, settings, asked.workers)
            several_cpu = cpu(several, times)
        rows = by_worker(table, settings)
        one_cpu = cpu(rows, times)
        ray_rows, start = by_ray(table, settings)
        assert texts(rows) == texts(ray_rows), "the same texts"
        ratios.append(span(ray_rows) / span(rows) - 1)
        ray_cpu = cpu(ray_rows, times)
        cpu_ratios.append(ray_cpu / one_cpu - 1)
        print(f"round {number + 1}: {table.num_rows} rows, worker {span(rows):.2f} s (busy {100 * busy(rows):.1f} %), Ray "
              f"{span(ray_rows):.2f} s (busy {100 * busy(ray_rows):.1f} %) after a start of {start:.2f} s: "
              f"{100 * ratios[-1]:+.1f} %; CPU {one_cpu:.2f} s and {ray_cpu:.2f} s: {100 * cpu_ratios[-1]:+.1f} %", flush=True)
        if asked.workers > 1:
            gains.append(asked.workers * one_cpu / several_cpu)
            print(f"  {asked.workers} workers: {span(several):.2f} s, {span(rows) / span(several):.2f} times as fast as one; CPU "
                  f"{several_cpu:.2f} s, {gains[-1]:.2f} times where each has a core of its own", flush=True)
    print(f"median {100 * statistics.median(ratios):+.1f} %, CPU {100 * statistics.median(cpu_ratios):+.1f} %" +
          (f", {asked.workers} workers by CPU time {statistics.median(gains):.2f} times" if gains else ""))
    if asked.times:
        with open(asked.times, "w") as file:
            for row in rows:
                if row["status"] == "ok":
                    file.write(json.dumps({name: row[name] for name in ("audio_duration", "seconds")}) + "\n")
    print(f"a task that does nothing: {1000 * head_cost(asked.tasks):.2f} ms")
    ray.shutdown()


if __name__ == "__main__":
    main()
