"""Faults at file operations: no verb is forgotten."""

import subprocess
import sys

import pytest

from benchmarks.faults.scenarios import SCENARIOS, WITHOUT, verbs
from benchmarks.newspapers import ROOT


def test_every_verb_has_a_scenario_or_a_reason_why_not() -> None:
    assert {one.verb for one in SCENARIOS} | WITHOUT.keys() == set(verbs())


@pytest.mark.slow
def test_a_verb_holds_and_its_points_are_counted() -> None:
    command = [sys.executable, "-m", "benchmarks.faults", "init", "--points", "3", "--faults", "kill,full disk"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if "skipped" in done.stdout:
        pytest.skip(done.stdout)
    assert done.returncode == 0, done.stderr
    assert "| `init begun` | 28 | 3 | 3 |" in done.stdout
