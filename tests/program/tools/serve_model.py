#!/usr/bin/env python3
"""serve_model.py MODEL: the files of a CTranslate2 folder under every path that ends in their names, as `models pull`
wants them of a mirror. Prints the URL, and serves until it is killed."""
import pathlib
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from lying_server import LyingServer, files_of_model

print(LyingServer(files_of_model(sys.argv[1])).url, flush=True)
signal.pause()
