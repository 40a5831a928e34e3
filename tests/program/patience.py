"""How long a test waits for a program before it says that it hangs."""
import os

# How many times as long as on a usual machine, which a slow one (an emulator) says.
_FACTOR = float(os.environ.get("WNPU_TEST_PATIENCE", "1"))


def patience(seconds):
    return seconds * _FACTOR


PATIENCE_S = patience(60)  # sanitizers and busy machines
