"""Faults at file operations: no verb is forgotten."""

from benchmarks.faults.scenarios import SCENARIOS, WITHOUT, verbs


def test_every_verb_has_a_scenario_or_a_reason_why_not() -> None:
    assert {one.verb for one in SCENARIOS} | WITHOUT.keys() == set(verbs())
