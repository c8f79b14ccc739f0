"""Work in this process, which is faster; the tests of commands start processes."""

import pytest


@pytest.fixture(autouse=True)
def in_this_process(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Do the work here."""
    if "command" not in request.function.__name__:
        monkeypatch.setattr(
            "newscorpus.upkeep.check.in_order",
            lambda function, items, jobs, seconds: ((item, function(item)) for item in items),
        )
