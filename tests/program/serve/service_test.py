#!/usr/bin/env python3
"""whisper-npu serve under a service manager: the socket that it is passed, and what it tells. ctest runs it:
service_test.py PROGRAM WRITE_NANO_MODEL"""
import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from batch_of_recordings import check, quick_options  # noqa: E402
from patience import PATIENCE_S  # noqa: E402

PROGRAM, WRITE_NANO_MODEL = sys.argv[1:3]
WORK = Path(tempfile.mkdtemp())


def pass_on(passed):
    os.dup2(passed.fileno(), 3)
    os.set_inheritable(3, True)  # also where it was that one already


def start(passed, number="1", **environment):
    """As systemd does: the socket is descriptor 3, and LISTEN_PID the process that it is for."""
    command = ["sh", "-c", 'LISTEN_PID=$$ exec "$@"', "sh", PROGRAM, "serve", *quick_options(WORK / "nano/model")]
    return subprocess.Popen(command, env={**os.environ, "LISTEN_FDS": number, **environment}, close_fds=False,
                            preexec_fn=lambda: pass_on(passed), stderr=subprocess.PIPE, text=True)


def test_passed_socket(family, host):
    with socket.socket(family) as listener, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        listener.bind((host, 0))
        listener.listen()
        manager.bind(str(WORK / "notify"))
        manager.settimeout(PATIENCE_S)
        server = start(listener, NOTIFY_SOCKET=str(WORK / "notify"))
        check(manager.recv(64) == b"READY=1", "READY=1")
        port = listener.getsockname()[1]
        client = http.client.HTTPConnection(host, port, timeout=PATIENCE_S)
        client.request("GET", "/health")
        check(client.getresponse().status == 200, "the passed socket answers")
        client.close()
        server.send_signal(signal.SIGTERM)
        check(manager.recv(64) == b"STOPPING=1", "STOPPING=1")
        _, said = server.communicate(timeout=PATIENCE_S)
        check(server.returncode == 0 and f":{port}" in said, f"{server.returncode}: {said}")
    (WORK / "notify").unlink()


def test_refusals():
    with socket.socket() as idle, socket.socket(socket.AF_UNIX) as other:
        other.bind(str(WORK / "socket"))
        other.listen()
        for passed, number, expected in ((idle, "1", "a socket of TCP that listens"), (other, "1", "a socket of TCP"),
                                         (idle, "2", "expected 1 socket, found 2")):
            server = start(passed, number)
            _, said = server.communicate(timeout=PATIENCE_S)
            check(server.returncode == 2 and expected in said, f"{number}: {server.returncode}: {said}")


subprocess.run([WRITE_NANO_MODEL, WORK / "nano"], check=True, stdout=subprocess.DEVNULL)
test_passed_socket(socket.AF_INET, "127.0.0.1")
if socket.has_ipv6 and Path("/proc/net/if_inet6").exists() and Path("/proc/net/if_inet6").read_text():
    test_passed_socket(socket.AF_INET6, "::1")
test_refusals()
shutil.rmtree(WORK)
print("service: ok")
