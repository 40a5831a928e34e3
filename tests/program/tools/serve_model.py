#!/usr/bin/env python3
"""serve_model.py MODEL: the files of a CTranslate2 folder under every path that ends in their names, as `models pull`
wants them of a mirror. Prints the URL, and serves until it is killed."""
import http.server
import json
import pathlib
import sys

files = {each.name: each.read_bytes() for each in pathlib.Path(sys.argv[1]).iterdir() if each.is_file()}
# What some repositories have beside them.
files.setdefault("preprocessor_config.json", b"{}")
files.setdefault("tokenizer.json", b"{}")
if "vocabulary.json" not in files:
    files["vocabulary.json"] = json.dumps(files["vocabulary.txt"].decode().splitlines()).encode()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = files.get(self.path.rsplit("/", 1)[-1])
        self.send_response(404 if body is None else 200)
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
