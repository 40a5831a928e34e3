"""A Ray cluster of two local nodes whose parts are killed, by hand: ray_cluster_faults.py [OPTION...] [SCENARIO...].

Rows from 1 s to 30 min (log-normal), 10 bad ones and 2 that kill their process. After each scenario every id is there
once, texts are those of a single process without Ray, failed rows are the same, and it took no more than twice the
time without faults. Scenarios: calm, kills (an actor each 5 s), node (one killed), new_node (and another comes),
driver (killed at 10, 50 and 90 % and resumed), sigterm (a node is told to end), s3 (moto's server).

Without --program rows are answered by fake_worker.py, --speed seconds for a second of audio. With it, by that
program and --model, and rows are stretches of the recordings in --audio. Needs ray[data] and psutil, with --program
nanobind-backend too (as in tests/python_env.sh), and moto[server] and boto3 for s3.
"""
import argparse
import json
import math
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import wave

import psutil

FAKE = str(pathlib.Path(__file__).with_name("fake_worker.py"))
SCENARIOS = ("calm", "kills", "node", "new_node", "driver", "sigterm", "s3")


def lengths(rows, longest, seed=26):
    """In whole milliseconds; median 30 s where the longest are 30 min."""
    chosen = random.Random(seed)
    return [round(min(max(chosen.lognormvariate(math.log(longest / 60), 1.3), 1.0), longest), 3) for _ in range(rows)]


def write_silence(path, seconds):
    """A hole in a file, as good as samples that are zero."""
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, 16000, int(seconds * 16000), "NONE", ""))
        file.writeframes(b"")
    with open(path, "r+b") as file:
        header = bytearray(file.read(44))
        header[4:8] = (36 + int(seconds * 16000) * 2).to_bytes(4, "little")
        header[40:44] = (int(seconds * 16000) * 2).to_bytes(4, "little")
        file.seek(0)
        file.write(header)
        file.truncate(44 + int(seconds * 16000) * 2)


def fake_rows(folder, asked):
    rows = []
    for i, seconds in enumerate(lengths(asked.rows, asked.longest)):
        kind = "crash" if i in (3, asked.rows // 2) else "bad" if i % (asked.rows // 10) == 5 else "good"
        path = folder / f"{kind}{i:05}.wav"
        write_silence(path, seconds)
        rows.append({"audio_filepath": str(path), "duration": seconds, "id": f"row{i:05}"})
    return rows


def real_rows(folder, asked):
    """Stretches of real speech as files of their own, bad files, and no crashers: the program has no known one."""
    from whisper_npu.audio import decode_int16

    found = [path for path in sorted(pathlib.Path(asked.audio).glob("*.flac"))]
    speech = [decode_int16(str(path)) for path in found[:12]]
    chosen, rows = random.Random(26), []
    for i, seconds in enumerate(lengths(asked.rows, asked.longest)):
        path = folder / f"speech{i:05}.wav"
        if i % max(1, asked.rows // 10) == 5:
            path.write_bytes(b"no recording")
        else:
            samples = chosen.choice(speech)
            begin = chosen.randrange(max(1, len(samples) - int(seconds * 16000)))
            with wave.open(str(path), "wb") as file:
                file.setparams((1, 2, 16000, 0, "NONE", ""))
                file.writeframes(samples[begin:begin + int(seconds * 16000)].tobytes())
        rows.append({"audio_filepath": str(path), "id": f"row{i:05}"})
    return rows


def settings(asked):
    from whisper_npu.worker_settings import WorkerSettings

    return WorkerSettings(model=asked.model, program=asked.program or FAKE, threads=1)


def alone(manifest, asked):
    """The results of one process without Ray, by id, and its seconds."""
    from whisper_npu.ray.manifest import read_manifest
    from whisper_npu.ray.transcriber import Transcriber

    transcriber = Transcriber(settings(asked), asked.cut_seconds)
    begin = time.monotonic()
    table = transcriber(read_manifest(str(manifest), "jsonl"))
    seconds = time.monotonic() - begin
    transcriber.close()
    return {row["id"]: row for row in table.drop_columns(["_line"]).to_pylist()}, seconds


class Nodes:
    """A head without CPUs, where the driver is, and two nodes."""

    def __init__(self, asked):
        from ray.cluster_utils import Cluster

        self.cpus = asked.cpus
        self.cluster = Cluster(initialize_head=True, head_node_args={
            "num_cpus": 0, "object_store_memory": 100 << 20, "include_dashboard": False})
        self.nodes = [self.add(), self.add()]

    def add(self):
        return self.cluster.add_node(num_cpus=self.cpus, object_store_memory=100 << 20)

    def kill(self):
        self.cluster.remove_node(self.nodes.pop(), allow_graceful=False)

    def raylet(self, node):
        return [info.process for kind, processes in node.all_processes.items() if kind == "raylet" for info in processes][0]

    def close(self):
        self.cluster.shutdown()


def driver(nodes, manifest, out, asked, *words):
    return subprocess.Popen([sys.executable, "-m", "whisper_npu.ray", str(manifest), str(out), "--model", asked.model,
                             "--program", asked.program or FAKE, "--threads", "1", "--cut-seconds", str(asked.cut_seconds),
                             "--flush-seconds", "1", "--address", nodes.cluster.address, *words],
                            stderr=open(log_file(), "a"))


def log_file():
    return os.path.join(tempfile.gettempdir(), f"ray-cluster-test-{os.getpid()}.log")


def written(out):
    found = []
    for part in pathlib.Path(out).glob("part-*.jsonl"):
        found += [json.loads(line) for line in part.read_text("utf-8").split("\n")[:-1]]
    return found


def actors():
    return [process for process in psutil.process_iter(["cmdline"])
            if " ".join(process.info["cmdline"] or []).startswith("ray::MapWorker")]


def until(running, condition, timeout=900):
    end = time.monotonic() + timeout
    while running.poll() is None and not condition() and time.monotonic() < end:
        time.sleep(0.2)


def calm(nodes, running, out, rows):
    pass


def kills(nodes, running, out, rows):
    chosen, count = random.Random(5), 0
    until(running, lambda: written(out))
    while running.poll() is None:
        found = actors()
        if found:
            chosen.choice(found).kill()
            count += 1
        for _ in range(25):
            if running.poll() is None:
                time.sleep(0.2)
    print(f"  {count} actors killed")


def node(nodes, running, out, rows):
    until(running, lambda: len(written(out)) > rows * 0.2)
    nodes.kill()
    print("  a node killed")


def new_node(nodes, running, out, rows):
    node(nodes, running, out, rows)
    nodes.nodes.append(nodes.add())
    print("  another came")


def sigterm(nodes, running, out, rows):
    """As where a machine is taken away: everything of a node is told to end, with 10 s to do so."""
    until(running, lambda: len(written(out)) > rows * 0.2)
    raylet = psutil.Process(nodes.raylet(nodes.nodes[-1]).pid)
    family = [raylet, *raylet.children(recursive=True)]
    begin = time.monotonic()
    for process in reversed(family):
        try:
            process.terminate()
        except psutil.NoSuchProcess:
            pass
    gone, left = psutil.wait_procs(family, timeout=10)
    print(f"  a node's {len(family)} processes ended in {time.monotonic() - begin:.1f} s")
    assert not left, left
    nodes.nodes.pop()
    nodes.nodes.append(nodes.add())


def killed_drivers(nodes, manifest, out, asked, rows):
    for share in (0.1, 0.5, 0.9):
        running = driver(nodes, manifest, out, asked, "--resume")
        until(running, lambda: len(written(out)) >= rows * share)
        running.kill()
        running.wait()
        print(f"  driver killed with {len(written(out))} of {rows} rows written")
    return driver(nodes, manifest, out, asked, "--resume")


def check(found, expected):
    ids = [row["id"] for row in found]
    assert len(ids) == len(set(ids)) and set(ids) == set(expected), "every id once"
    wrong = []
    for row in found:
        other = expected[row["id"]]
        message = (row.get("error") or {}).get("code"), row.get("pred_text"), row.get("segments")
        if message != ((other["error"] or {}).get("code"), other["pred_text"], other["segments"]):
            wrong.append((row["id"], message, other["error"], other["pred_text"]))
    assert not wrong, f"{len(wrong)} of {len(found)} rows are others: {wrong[:3]}"
    failed = [row for row in found if row["status"] == "failed"]
    assert all(row["error"]["message"] for row in failed)
    return len(failed)


def in_s3(nodes, rows, folder, asked, expected):
    """Manifest, audio and results in S3; the job is stopped and resumed there."""
    import boto3

    client = boto3.client("s3")
    client.create_bucket(Bucket="recordings")
    lines = []
    for row in rows:
        path = pathlib.Path(row["audio_filepath"])
        client.upload_file(str(path), "recordings", f"audio/{path.name}")
        lines.append(json.dumps({**row, "audio_filepath": f"audio/{path.name}"}))
    client.put_object(Bucket="recordings", Key="in.jsonl", Body="\n".join(lines).encode())
    first = driver(nodes, "s3://recordings/in.jsonl", "s3://recordings/out", asked)
    until(first, lambda: client.list_objects_v2(Bucket="recordings", Prefix="out/part-")["KeyCount"] > 0)
    first.send_signal(signal.SIGTERM)
    assert first.wait() == 143
    begin = time.monotonic()
    code = driver(nodes, "s3://recordings/in.jsonl", "s3://recordings/out", asked, "--resume").wait()
    found = []
    for part in client.list_objects_v2(Bucket="recordings", Prefix="out/part-")["Contents"]:
        body = client.get_object(Bucket="recordings", Key=part["Key"])["Body"].read().decode()
        found += [json.loads(line) for line in body.split("\n")[:-1]]
    failed = check(found, expected)
    assert code == 1
    print(f"s3: {len(found)} rows once each, {failed} failed as expected, {time.monotonic() - begin:.1f} s after a stop")


def start_s3():
    from moto.server import ThreadedMotoServer
    import logging

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(port=0, verbose=False)
    server.start()
    os.environ.update(AWS_ENDPOINT_URL=f"http://127.0.0.1:{server.get_host_and_port()[1]}", AWS_ACCESS_KEY_ID="x",
                      AWS_SECRET_ACCESS_KEY="x", AWS_DEFAULT_REGION="us-east-1")


def run(name, nodes, manifest, folder, rows, asked, expected, calm_seconds):
    out = folder / f"out-{name}"
    begin = time.monotonic()
    if name == "driver":
        running = killed_drivers(nodes, manifest, out, asked, len(rows))
    else:
        running = driver(nodes, manifest, out, asked)
        globals()[name](nodes, running, out, len(rows))
    try:
        code = running.wait(timeout=3 * calm_seconds + 120 if calm_seconds else None)
    except subprocess.TimeoutExpired:
        running.kill()
        raise AssertionError(f"{name}: hangs, {len(written(out))} of {len(rows)} rows done")
    seconds = time.monotonic() - begin
    failed = check(written(out), expected)
    assert code == 1, code
    ratio = f", {seconds / calm_seconds:.2f} times the calm run" if calm_seconds else ""
    print(f"{name}: {len(rows)} rows once each, {failed} failed as expected, {seconds:.1f} s{ratio}", flush=True)
    if calm_seconds and seconds > 2 * calm_seconds:
        print(f"{name}: more than twice the calm run", flush=True)
    return seconds


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenarios", nargs="*", default=SCENARIOS)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--longest", type=float, default=1800.0, help="seconds; the median is a sixtieth")
    parser.add_argument("--speed", default="0.003")
    parser.add_argument("--cpus", type=int, default=2, help="of a node, as Ray is told")
    parser.add_argument("--cut-seconds", type=float, default=600.0)
    parser.add_argument("--program")
    parser.add_argument("--model", default="fake")
    parser.add_argument("--audio", help="a folder of recordings")
    return parser.parse_args()


def main():
    asked = parsed()
    # fake_worker.py begins with the same Python: where python3 is a script that looks for one, each start costs seconds.
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
    os.environ.update(RAY_AUTH_MODE="disabled", WHISPER_NPU_FAKE_SPEED=asked.speed, PATH=path)
    if "s3" in asked.scenarios:
        start_s3()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="ray-cluster-test-"))
    rows = real_rows(folder, asked) if asked.program else fake_rows(folder, asked)
    manifest = folder / "in.jsonl"
    manifest.write_text("".join(json.dumps(row) + "\n" for row in rows))
    expected, seconds = alone(manifest, asked)
    audio = sum(row["audio_duration"] or 0 for row in expected.values())
    print(f"alone: {len(rows)} rows, {audio:.0f} s of audio, {seconds:.1f} s", flush=True)
    calm_seconds = 0.0
    try:
        for name in asked.scenarios:
            nodes = Nodes(asked)
            try:
                if name == "s3":
                    in_s3(nodes, rows, folder, asked, expected)
                else:
                    seconds = run(name, nodes, manifest, folder, rows, asked, expected, calm_seconds)
                    calm_seconds = seconds if name == "calm" else calm_seconds
            finally:
                nodes.close()
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
