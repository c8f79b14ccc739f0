"""Crawl sites some of whose articles are dead: they answer 500 or 404, break off, or are silent."""

import json
from functools import partial
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from benchmarks.attacking.attack import NEWSCORPUS, Attack, Outcome, run
from benchmarks.newspapers import ROOT, started

SERVER = ROOT / "tests" / "mockserver" / "dead_pages.py"
SHARES = (0.005, 0.014, 0.05, 0.2)
MOST_REQUESTS = 4
"""To a dead page."""

PORTAL = """
name = "dying"
languages = ["en"]
domains = ["127.0.0.1"]
start = ["{base}/"]
articles = ['^/story/']
delay_seconds = 0
limits = {{ max_pages = 1_000_000 }}
"""

SETTINGS = {
    "NEWSCORPUS_PAUSE_SECONDS": 0.2,  # a minute for users; what is tried here is the order
    "DOWNLOAD_TIMEOUT": 1,
    "NEWSCORPUS_EXTRACTOR": "bte",  # the quickest
    "NEWSCORPUS_ARCHIVE": False,
    "NEWSCORPUS_BUILD": False,
}


def crawl(articles: int, share: float, folder: Path) -> Outcome:
    """Crawl a site with a share of dead articles, in one start; all others must be kept."""
    (folder / "portals").mkdir()
    given = [part for name, value in SETTINGS.items() for part in ("-s", f"{name}={value}")]
    with started(SERVER, articles, share) as base:
        (folder / "portals" / "dying.toml").write_text(PORTAL.format(base=base))
        ended = run((NEWSCORPUS, "crawl", "dying", *given), folder, 3_600)
        dead, asked = _read(f"{base}/_dead"), _read(f"{base}/_log")
    report = json.loads((folder / "corpora" / "dying" / "crawl-report.json").read_bytes())
    kept, queued = (report["by_portal"]["dying"][name] for name in ("kept", "queued"))
    most = max(asked.get(path, 0) for path in dead)
    wrong = f"exit code {ended.code}, {queued} queued" if ended.code or queued else ""
    if most > MOST_REQUESTS:
        wrong = f"a dead page asked for {most} times"
    said = f"{len(dead)} dead, {kept} kept, a dead page asked for at most {most} times"
    return Outcome(said, ended.seconds, ended.main_megabytes, articles - len(dead) - kept, wrong)


def _read(url: str) -> Any:
    with urlopen(url) as answer:
        return json.load(answer)


ATTACKS = tuple(
    Attack(f"{share:.1%} of {articles:,} articles dead", partial(crawl, articles, share), seconds, 500, is_short)
    for articles, seconds in ((300, 240), (18_000, 3_600))
    for share in SHARES
    for is_short in [articles == 300 and share == SHARES[-1]]
)
