from newscorpus.config import RevisitConfig
from newscorpus.crawl.politeness import next_interval

CONFIG = RevisitConfig(first_seconds=100, depth_factor=3, min_seconds=30, max_seconds=350)


def intervals(*changes: bool) -> list[float]:
    found, last = [], 0.0
    for changed in changes:
        last = next_interval(last, changed=changed, depth=0, config=CONFIG)
        found.append(last)
    return found


def test_what_changes_is_asked_more_often_down_to_a_bound() -> None:
    assert intervals(True, True, True, True) == [100, 50, 30, 30]


def test_what_does_not_is_asked_less_often_up_to_a_bound() -> None:
    assert intervals(False, False, False, False) == [100, 200, 350, 350]


def test_a_change_after_a_long_silence() -> None:
    assert intervals(False, False, True, False) == [100, 200, 100, 200]


def test_what_lies_deeper_waits_longer_at_first() -> None:
    first = [next_interval(0, changed=True, depth=depth, config=CONFIG) for depth in range(3)]
    assert first == [100, 300, 350]
    assert next_interval(100, changed=True, depth=2, config=CONFIG) == 50
