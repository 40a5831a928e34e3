#!/usr/bin/env python3
"""plainest_isa.py PROGRAM: the least instruction set that its kernels have on this machine: SCALAR, and on ARM NEON."""
import json
import subprocess
import sys


def plainest_isa(program):
    devices = subprocess.run([program, "devices", "--json"], stdout=subprocess.PIPE, check=True).stdout
    return json.loads(devices)["devices"][0]["available_isa"][-1]


if __name__ == "__main__":
    print(plainest_isa(sys.argv[1]))
