"""The user's command at an alarm."""

import asyncio
import json
import time
from pathlib import Path

import pytest

from newscorpus.fetch.alarms import AlarmCommand, CrawlAlarm
from newscorpus.fetch.closing import last_alarms
from newscorpus.store.ledger.status import DayCoverage, PortalStatus

ALARM = CrawlAlarm("redesign", "vesti", "vesti looks “different”; $(touch here)")
SLEEPS = 60


def raised(corpus: Path, *command: str, times: int = 1, seconds: float = SLEEPS) -> None:
    """Raise alarms and wait for the commands."""
    alarms = AlarmCommand(command, corpus, seconds)
    for _ in range(times):
        alarms.raise_alarm(ALARM)
    asyncio.run(alarms.close())


def logged(caplog: pytest.LogCaptureFixture) -> str:
    """Return the only line on the commands."""
    (record,) = (each for each in caplog.records if each.name == "newscorpus.fetch.alarms")
    return record.getMessage()


def is_running(process: str) -> bool:
    """Tell whether a process is neither gone nor a zombie."""
    try:
        return Path("/proc", process, "stat").read_text().split()[2] != "Z"
    except OSError:
        return False


def test_the_facts_are_on_its_input_and_no_shell_reads_them(tmp_path: Path) -> None:
    raised(tmp_path / "corpus", "tee", str(tmp_path / "$HOME"))
    facts = json.loads((tmp_path / "$HOME").read_text())
    assert facts == {
        "kind": "redesign", "portal": "vesti", "text": ALARM.text, "corpus": str((tmp_path / "corpus").absolute()),
    }  # fmt: skip
    assert [path.name for path in tmp_path.iterdir()] == ["$HOME"]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("sh", "-c", "echo first; echo no mail >&2; exit 3"), "failed with exit code 3: no mail"),
        (("sh", "-c", "exit 3"), "failed with exit code 3"),
        (("no-such-program",), "No such file or directory: 'no-such-program'"),
    ],
)
def test_a_failing_command_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, command: tuple[str, ...], said: str
) -> None:
    raised(tmp_path, *command)
    assert logged(caplog).endswith(said)


def test_a_command_that_hangs_is_killed_with_its_children_and_run_no_more(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    begun = time.monotonic()
    script = f"sleep {SLEEPS} & echo $! >> {tmp_path}/children; wait"
    raised(tmp_path, "sh", "-c", script, times=3, seconds=1.0)
    assert time.monotonic() - begun < SLEEPS / 2
    assert logged(caplog).endswith("took longer than 1 seconds and is not run again in this crawl")
    (child,) = (tmp_path / "children").read_text().split()
    while is_running(child) and time.monotonic() - begun < SLEEPS / 2:  # the kernel takes its time on a busy machine
        time.sleep(0.05)
    assert not is_running(child)


def test_a_crawl_ends_with_an_alarm_for_each_portal_given_up_or_with_fewer_rows() -> None:
    day = DayCoverage("2026-11-26", {"feed": 40}, 2, {"quality/too_short": 38}, 0)
    coverage: dict[str, tuple[DayCoverage, ...]] = {"a": (), "b": (day,)}
    statuses = [
        PortalStatus(*(name, 0, 0, 0, 0, 2, {}, 0, 0.0, 0.0, 0.0, 0), (), (), of) for name, of in coverage.items()
    ]
    stats = {"newscorpus/politeness/a/given_up": "refused"}
    found = [(one.kind, one.portal) for one in last_alarms(statuses, stats, "start")]
    assert found == [("failed", ""), ("given_up", "a"), ("fewer_rows", "b")]
    assert list(last_alarms(statuses[:1], {}, "")) == []
