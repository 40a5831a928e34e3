"""What tests of `whisper-npu serve` share: a server that is started and ended, forms, requests over http.client and
over bare sockets."""
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from batch_of_recordings import check  # noqa: E402
from lying_server import environment_without_proxies  # noqa: E402
from patience import PATIENCE_S  # noqa: E402

TRANSCRIPTIONS = "/v1/audio/transcriptions"
BOUNDARY = "----boundary of a test"
FORM_TYPE = f'multipart/form-data; boundary="{BOUNDARY}"'


def form(fields, file=None):
    """The body of a form: (name, value) pairs, and the bytes of its file."""
    parts = [f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
             for name, value in fields]
    if file is not None:
        parts.append(f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="secret name.wav"\r\n'
                     "Content-Type: audio/wav\r\n\r\n".encode() + file + b"\r\n")
    return b"".join(parts) + f"--{BOUNDARY}--\r\n".encode()


def upload_head(length, path=TRANSCRIPTIONS, more=""):
    return f"POST {path} HTTP/1.1\r\nHost: a\r\nContent-Type: {FORM_TYPE}\r\nContent-Length: {length}\r\n{more}\r\n".encode()


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, {name.lower(): value for name, value in headers}, body

    def json(self):
        return json.loads(self.body)

    def error(self):
        """(status, param, code) of an error in OpenAI's shape."""
        error = self.json()["error"]
        check(set(error) == {"message", "type", "param", "code"} and error["message"], f"shape of {self.body}")
        return self.status, error["param"], error["code"]


class Server:
    def __init__(self, program, *options, env=None):
        self.process = subprocess.Popen([program, "serve", "--port", "0", *options], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env=environment_without_proxies(**(env or {})))
        self.log, found = [], None
        while found is None:
            line = self.process.stderr.readline()
            check(line, f"serve {options} has ended: {self.log}")
            self.log.append(line)
            found = re.search(r"listening at http://127\.0\.0\.1:(\d+)", line)
        self.port = int(found[1])
        os.set_blocking(self.process.stderr.fileno(), False)

    def request(self, method, path, body=None, headers=None, connection=None):
        mine = connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        mine.request(method, path, body=body, headers=headers or {})
        answer = mine.getresponse()
        found = Answer(answer.status, answer.getheaders(), answer.read())
        if connection is None:
            mine.close()
        return found

    def get(self, path, **headers):
        return self.request("GET", path, headers=headers)

    def post(self, fields=(), file=None, path=TRANSCRIPTIONS, headers=None):
        return self.request("POST", path, form(fields, file), {"Content-Type": FORM_TYPE, **(headers or {})})

    def socket(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_S)

    def raw(self, *pieces, half_close=False):
        """All that the server answers to these bytes until it closes."""
        with self.socket() as client:
            for piece in pieces:
                client.sendall(piece)
            if half_close:
                client.shutdown(socket.SHUT_WR)
            return read_all(client)

    def metric(self, name, labels=""):
        text = self.get("/metrics").body.decode()
        found = re.search(rf"^whisper_npu_{name}{re.escape(labels)} (\S+)$", text, re.M)
        return float(found[1]) if found else None

    def wait_for(self, name, value, labels=""):
        end = time.monotonic() + PATIENCE_S
        while self.metric(name, labels) != value:
            check(time.monotonic() < end, f"{name}{labels}: expected {value}, found {self.metric(name, labels)}")
            time.sleep(0.05)

    def send(self, number=signal.SIGTERM):
        self.process.send_signal(number)

    def end(self, number=signal.SIGTERM, code=0):
        """What it has written to stderr."""
        if number is not None:
            self.send(number)
        os.set_blocking(self.process.stderr.fileno(), True)
        out, err = self.process.communicate(timeout=PATIENCE_S)
        check(self.process.returncode == code and out == "", f"expected exit code {code}, found "
              f"{self.process.returncode}, {out}, {err}")
        return "".join(self.log) + err


def read_all(client):
    found = b""
    try:
        while piece := client.recv(65536):
            found += piece
    except ConnectionResetError:
        pass
    return found


def status_of(raw):
    found = re.match(rb"HTTP/1\.[01] (\d+) ", raw)
    return int(found[1]) if found else None
