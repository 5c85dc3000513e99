"""Processes that are not necessarily our children: whether one is still the one it was, and how to end it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path


def process_started(pid: int) -> str | None:
    """When the process of this pid started, in the system's own words; None if there is none, or only its zombie.

    Pid and start together name a process for ever: a pid that another program got has another start.
    """
    if sys.platform == "linux":
        try:
            stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
        except OSError:
            return None
        # "pid (name) state …": the name may hold spaces and brackets; the state is first behind it, the start 20th.
        fields = stat[stat.rindex(")") + 2 :].split()
        return None if fields[0] in "ZX" else fields[19]
    command = ["ps", "-o", "stat=,lstart=", "-p", str(pid)]
    told = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  # a constant and a number
    state, _, start = told.stdout.strip().partition(" ")
    return start.strip() if start and not state.startswith("Z") else None


def end_process(pid: int, started: str, seconds: float) -> None:
    """Ask it to end, wait up to ``seconds``, then kill it. Does nothing to a process that started at another time."""
    for demand, patience in ((signal.SIGTERM, seconds), (signal.SIGKILL, 5.0)):
        if process_started(pid) != started:
            return
        with suppress(ProcessLookupError):
            os.kill(pid, demand)
        give_up = time.monotonic() + patience
        while time.monotonic() < give_up and process_started(pid) == started:
            time.sleep(0.05)
