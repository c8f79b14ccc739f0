"""The logs of crawls: bounded, and read back."""

import logging
from pathlib import Path

from typer.testing import CliRunner

from newscorpus.cli import app
from newscorpus.store.crawl_log import KEPT_LOGS, MAX_BYTES, CrawlLog, crawl_logs, read_log
from newscorpus.store.ledger import Ledger
from newscorpus.upkeep.overview import overview


def write(corpus: Path, *messages: str, level: int = logging.INFO) -> Path:
    """Write the log of a crawl."""
    log = CrawlLog(corpus, "INFO")
    for message in messages:
        log.handle(logging.LogRecord("a.b", level, __file__, 1, message, (), None))
    log.close()
    return Path(log.baseFilename)


def test_the_oldest_logs_are_removed_and_a_long_one_loses_its_beginning(tmp_path: Path) -> None:
    (tmp_path / "crawl-logs").mkdir()
    for day in range(KEPT_LOGS):
        for end in ("", ".1"):
            (tmp_path / "crawl-logs" / f"202501{day + 1:02}T000000Z.log{end}").write_text("old\n")
    line = "x" * 999
    path = write(tmp_path, *[line] * (3 * MAX_BYTES // len(line)), "the end\ud800")
    logs = crawl_logs(tmp_path)
    assert (len(logs), logs[0].name, logs[-1]) == (KEPT_LOGS, "20250102T000000Z.log", path)
    assert not path.with_name("20250101T000000Z.log.1").exists()
    assert sum(one.stat().st_size for one in path.parent.glob(f"{path.name}*")) <= 2 * MAX_BYTES
    lines = list(read_log(path))
    assert sum(map(len, lines)) > MAX_BYTES
    assert lines[-1].endswith(" [a.b] INFO: the end\\ud800\n")


def test_a_crawl_runs_until_it_has_published(tmp_path: Path) -> None:
    with Ledger.open(tmp_path):
        log = CrawlLog(tmp_path, "INFO")
    seen = overview(tmp_path)
    assert (seen.is_running, seen.needs) == (True, ())
    log.close()
    assert [need.text[:19] for need in overview(tmp_path).needs] == ["the last crawl died"]


def test_a_full_disk_costs_lines_and_no_more(tmp_path: Path) -> None:
    log = CrawlLog(tmp_path, "INFO")
    assert log.stream
    log.stream.close()
    log.stream = Path("/dev/full").open("w")  # noqa: SIM115
    log.handle(logging.LogRecord("a.b", logging.INFO, __file__, 1, "lost", (), None))
    log.close()


def test_the_command_shows_a_log_and_its_errors(tmp_path: Path) -> None:
    path = write(tmp_path, "begun", "ended")
    path.rename(path.with_name("20250101T000000Z.log"))
    with write(tmp_path, "fine \x1b[31m").open("a") as file:
        file.write("2026-11-26 05:00:00 [a] ERROR: it failed\nTraceback:\n  of it\n2026-11-26 05:00:01 [a] INFO: on\n")
    run, shown = CliRunner(), ["log", str(tmp_path)]
    whole = run.invoke(app, shown).output
    assert "\x1b" not in whole
    assert whole.splitlines()[1:] == (
        ["2026-11-26 05:00:00 [a] ERROR: it failed", "Traceback:", "  of it", "2026-11-26 05:00:01 [a] INFO: on"]
    )
    assert run.invoke(app, [*shown, "--errors"]).output.splitlines() == whole.splitlines()[1:4]
    assert "begun" in run.invoke(app, [*shown, "--back", "1"]).output
    assert "has 2 logs" in str(run.invoke(app, [*shown, "--back", "2"]).exception)
