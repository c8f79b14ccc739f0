"""Fetch the past of a portal: `python -m benchmarks.backfill [--articles N] [--days N] [--kills N]`.

A newspaper with a long past is served on loopback and crawled by the four keys of a portal file and `-a since=`: once
by the pages of a section, once by the days of an archive, once by sitemaps, with an endless calendar beside each. With
kills, each crawl is ended so often by SIGKILL and started again.
"""

import argparse
import json
import random
import subprocess
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks.newspapers import ROOT, Site, crawl_command, environment, started
from newscorpus.errors import LedgerError
from newscorpus.store.ledger.database import reading
from newscorpus.store.ledger.status import status

SERVER = ROOT / "tests" / "mockserver" / "past.py"
WAYS = ("sections", "days", "sitemaps")
KEYS = 'name = "paper0"\nlanguages = ["en"]\ndomains = ["127.0.0.1"]\nstart = ["{base}/"]\ndelay_seconds = 0\n'
SETTINGS = {
    "NEWSCORPUS_BUILD": 0,
    "NEWSCORPUS_PROFILE": "off",
    "NEWSCORPUS_ARCHIVE": 0,
    "DOWNLOAD_DELAY_JITTER": 0,
    "LOG_LEVEL": "WARNING",
}
SAMPLE_SECONDS = 0.5
MEGABYTE = 1_000_000

HEAD = """| found by | articles | days | kills | reached | share | calendar | requests | MB early | MB late | minutes |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"""


@dataclass(frozen=True, slots=True)
class Past:
    """What is crawled, and how."""

    articles: int
    days: int
    kills: int


def crawl(folder: Path, past: Past) -> list[tuple[int, int]]:
    """Crawl, and kill the crawl at some moments; gives articles and bytes resident on the way."""
    moments = sorted(random.Random(1).sample(range(1, past.articles), past.kills))
    samples: list[tuple[int, int]] = []
    since = datetime.now(UTC).date() - timedelta(days=past.days - 1)
    command = crawl_command(["paper0"], SETTINGS | {"NEWSCORPUS_CORPUS": folder / "corpus"}, f"since={since}")
    for moment in (*moments, None):
        with (folder / "log").open("ab") as log:
            process = subprocess.Popen(command, cwd=folder, env=environment(), stdout=log, stderr=log)
        while process.poll() is None:
            time.sleep(SAMPLE_SECONDS)
            n_kept = n_bytes = 0
            with suppress(LedgerError), reading(folder / "corpus") as ledger:
                n_kept = int(ledger.execute("SELECT total(n) FROM counts WHERE name = 'kept'").fetchone()[0])
            with suppress(OSError, IndexError):  # it has ended
                n_bytes = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1]) * 4096
            samples.append((n_kept, n_bytes))
            if moment is not None and samples[-1][0] >= moment:
                process.kill()
        process.wait()
    return samples


def measure(way: str, past: Past) -> str:
    """Crawl by one way; gives a line of the table."""
    with tempfile.TemporaryDirectory() as name, started(SERVER, past.articles, past.days, way, "--calendar") as line:
        folder, site = Path(name), Site(json.loads(line))
        (folder / "portals").mkdir()
        (folder / "portals" / "paper0.toml").write_text(KEYS.format(base=site.bases[0]))
        began = time.monotonic()
        samples = crawl(folder, past)
        minutes = (time.monotonic() - began) / 60
        asked = site.asked()
        (paper,) = status(folder / "corpus")
    calendar = sum(n for path, n in asked.items() if "/calendar/" in path)
    tenth = next((used for n, used in samples if n >= past.articles // 10), 0)
    last = max(used for n, used in samples[-20:])
    figures = (f"{paper.kept:,}", f"{paper.kept / past.articles:.4f}", f"{calendar:,}", f"{asked.total():,}")
    memory = (f"{tenth / MEGABYTE:.0f}", f"{last / MEGABYTE:.0f}", f"{minutes:.0f}")
    return f"| {' | '.join((way, f'{past.articles:,}', f'{past.days:,}', str(past.kills), *figures, *memory))} |"


def main() -> None:
    """Crawl by each way, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--articles", type=int, default=300_000)
    parser.add_argument("--days", type=int, default=1_826)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    asked = parser.parse_args()
    print(HEAD, flush=True)
    for way in asked.ways:
        print(measure(way, Past(asked.articles, asked.days, asked.kills)), flush=True)


if __name__ == "__main__":
    main()
