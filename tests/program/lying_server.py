"""A local HTTP server that is honest unless a test says how it lies: models of the hub and recordings at URLs are
fetched from it."""
import hashlib
import http.server
import json
import os
import pathlib
import re
import threading
import time


def environment_without_proxies(**more):
    return {**{k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")}, "no_proxy": "*", **more}


def files_of_model(folder):
    """Files of a CTranslate2 folder by name, and what some of the hub's repositories have beside them."""
    files = {each.name: each.read_bytes() for each in pathlib.Path(folder).iterdir() if each.is_file()}
    if "vocabulary.json" not in files:
        files["vocabulary.json"] = json.dumps(files["vocabulary.txt"].decode().splitlines()).encode()
    return {"preprocessor_config.json": b"{}", "tokenizer.json": b"{}", **files}


class LyingServer:
    """Files by name; `lies` is asked first, and says whether it has answered. `serves` says of which paths."""

    def __init__(self, files, serves=lambda path: True):
        self.files = files
        self.serves = serves
        self.lies = None
        self.requests = []
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                name = self.path.split("?")[0].split("/")[-1]
                server.requests.append((self.path, self.headers.get("Range")))
                try:
                    if server.lies is None or not server.lies(self, name):
                        server.answer(self, name)
                except (BrokenPipeError, ConnectionResetError):
                    pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None  # a client that hangs up
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def answer(self, handler, name, body=None, etag=None, ranges=True, upto=None, slow=0, length=None, headers=()):
        """As an honest server does; the rest says where it is not one."""
        if name not in self.files or not self.serves(handler.path):
            return self.refuse(handler, 404)
        body = self.files[name] if body is None else body
        etag = etag or '"' + hashlib.md5(body).hexdigest() + '"'
        wanted = re.fullmatch(r"bytes=(\d+)-", handler.headers.get("Range") or "")
        guard = handler.headers.get("If-Range")
        first = int(wanted[1]) if wanted and ranges and guard in (None, etag) else 0
        if wanted and first >= len(body) > 0 and ranges and guard in (None, etag):
            return self.refuse(handler, 416)
        handler.send_response(206 if first else 200)
        handler.send_header("ETag", etag)
        handler.send_header("Content-Length", str(len(body) - first if length is None else length))
        if first:
            handler.send_header("Content-Range", f"bytes {first}-{len(body) - 1}/{len(body)}")
        for header in headers:
            handler.send_header(*header)
        handler.end_headers()
        part = body[first:] if upto is None else body[first:max(first, upto)]
        if slow:
            for at in range(0, len(part), 100):
                handler.wfile.write(part[at:at + 100])
                handler.wfile.flush()
                time.sleep(slow)
        else:
            handler.wfile.write(part)
        if upto is not None or length is not None:
            handler.close_connection = True
        return True

    @staticmethod
    def refuse(handler, status):
        page = b"<html>no</html>"
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(page)))
        handler.end_headers()
        handler.wfile.write(page)
        return True

    @staticmethod
    def redirect(handler, to):
        handler.send_response(302)
        handler.send_header("Location", to)
        handler.send_header("ETag", '"of the redirection"')
        handler.send_header("Content-Length", "0")
        handler.end_headers()
        return True
