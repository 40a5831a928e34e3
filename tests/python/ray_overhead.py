"""What Ray costs beside one worker on the same rows, by hand: ray_overhead.py MANIFEST [OPTION...].

Each round: the rows by one child process without Ray, then by one actor of a Ray on this machine, which has one child
as well. Ray's time is from the first task's begin; what its start takes (`start`: actor, child, model) is said
apart, taken from a run of one row. Then the rows' times for bench/cluster_simulation.py (--times FILE), and what a
task costs Ray's head, by tasks with nothing to do (--tasks N).
"""
import argparse
import json
import os
import pathlib
import statistics
import time

FAKE = str(pathlib.Path(__file__).with_name("fake_worker.py"))


def by_ray(table, settings, data_tasks=None):
    from whisper_npu.ray.dataset import transcribe_table

    begin = time.monotonic()
    done = transcribe_table(table, settings, None, actors=1)
    rows = [row for batch in done.iter_batches(batch_size=None, batch_format="pyarrow", prefetch_batches=0)
            for row in batch.to_pylist()]
    return time.monotonic() - begin, rows


def by_worker(table, settings):
    from whisper_npu.ray.transcriber import Transcriber

    transcriber = Transcriber(settings, None)
    transcriber(table.slice(0, 1))  # the model is read
    begin = time.monotonic()
    rows = transcriber(table).to_pylist()
    seconds = time.monotonic() - begin
    transcriber.close()
    return seconds, rows


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
    ray.init(address="local", num_cpus=2, object_store_memory=100 << 20, include_dashboard=False, logging_level="error")
    ray.data.DataContext.get_current().enable_progress_bars = False
    start = min(by_ray(table.slice(0, 1), settings)[0] for _ in range(2))
    ratios = []
    for number in range(asked.rounds):
        alone, rows = by_worker(table, settings)
        with_ray, ray_rows = by_ray(table, settings)
        assert texts(rows) == texts(ray_rows), "the same texts"
        ratios.append((with_ray - start) / alone - 1)
        print(f"round {number + 1}: {table.num_rows} rows, worker {alone:.2f} s, Ray {with_ray:.2f} s, of which start "
              f"{start:.2f} s: {100 * ratios[-1]:+.1f} %", flush=True)
    print(f"median {100 * statistics.median(ratios):+.1f} %")
    if asked.times:
        with open(asked.times, "w") as file:
            for row in rows:
                if row["status"] == "ok":
                    file.write(json.dumps({name: row[name] for name in ("audio_duration", "seconds")}) + "\n")
    print(f"a task that does nothing: {1000 * head_cost(asked.tasks):.2f} ms")
    ray.shutdown()


if __name__ == "__main__":
    main()
