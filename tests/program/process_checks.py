"""What tests ask of a finished process: with an answer that says what it printed."""
import re
import sys


class ProcessChecks:
    """`what` is the test's name, before what failed."""

    def __init__(self, what):
        self.what = what

    def check(self, condition, text, done=None):
        if not condition:
            more = f": exit code {done.returncode}\n{done.stdout}{done.stderr}" if done else ""
            sys.exit(f"{self.what}: {text}{more}")

    def expect(self, done, code, text):
        self.check(done.returncode == code, f"expected exit code {code} ({text})", done)
        self.check(re.search(text, done.stdout + done.stderr), f'expected "{text}"', done)
