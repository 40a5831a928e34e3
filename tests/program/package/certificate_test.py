#!/usr/bin/env python3
"""certificate_test.py SOURCE: behind a package index whose certificate nobody trusts, quickstart's download ends at
once and names PIP_CERT; with that certificate in PIP_CERT the index is asked."""
import http.server
import os
import pathlib
import ssl
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from patience import patience

source = pathlib.Path(sys.argv[1])
asked = []


class Index(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        asked.append(self.path)
        self.send_error(404)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):  # a handshake that pip broke off
        pass


def download(folder, **variables):
    environment = os.environ | {"XDG_CACHE_HOME": f"{folder}/cache", "PIP_CONFIG_FILE": "/dev/null", "PIP_RETRIES": "9",
                                "PIP_INDEX_URL": f"https://localhost:{server.server_port}/", "PIP_NO_CACHE_DIR": "1"} | variables
    for name in ("PIP_TRUSTED_HOST", "PIP_EXTRA_INDEX_URL", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE") + (() if variables else ("PIP_CERT",)):
        environment.pop(name, None)
    return subprocess.run(["bash", "-c", f"source {source}/app/setup.sh && fetch_samples"], env=environment, text=True,
                          stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, timeout=patience(60))


with tempfile.TemporaryDirectory(prefix="wnpu_certificate.") as folder:
    certificate = f"{folder}/ca.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-addext",
                    "subjectAltName=DNS:localhost", "-days", "2", "-keyout", certificate + ".key", "-out", certificate],
                   check=True, stderr=subprocess.DEVNULL)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, certificate + ".key")
    server = Server(("localhost", 0), Index)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    done = download(folder)
    assert done.returncode != 0 and "export PIP_CERT=" in done.stderr, done
    assert not asked, asked
    done = download(folder, PIP_CERT=certificate)
    assert done.returncode != 0 and "PIP_CERT" not in done.stderr and asked, (done, asked)
    assert not list(pathlib.Path(folder, "cache/whisper-npu").iterdir()), "something was left"
print("certificate: ok")
