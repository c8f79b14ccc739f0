"""Damage the files of a crawled corpus: the next crawl restores what it can, or refuses in a line; nothing is lost."""

import json
import shutil
import tempfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

from benchmarks.attacking.attack import NEWSCORPUS, Attack, Finished, Outcome, run
from benchmarks.newspapers import make_project, options, serving
from newscorpus.lines import unpacked_lines

ARTICLES = 40
SECONDS, MEGABYTES = 60.0, 500.0
"""What the crawl after the damage may take: CPU time, and memory of the process that crawls."""
PATIENCE_SECONDS = 900.0
SETTINGS = {"NEWSCORPUS_CORPUS": "corpus", "NEWSCORPUS_EXTRACTOR": "bte", "NEWSCORPUS_PAUSE_SECONDS": 0.2}
"""The extractor is the quickest: what is looked at are files."""
CRAWL: tuple[str | Path, ...] = (NEWSCORPUS, "crawl", "paper0", *options(SETTINGS))
MOST_SAID = 150
"""Characters of what the product says that are shown."""


def overwrite(path: Path) -> None:
    """Put five other letters into the middle."""
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 5] = b"zzzzz"
    path.write_bytes(content)


def cut(path: Path) -> None:
    """Keep the first half."""
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def empty(path: Path) -> None:
    """Leave an empty file."""
    path.write_bytes(b"")


def fill(path: Path) -> None:
    """Put rubbish in its place."""
    path.write_bytes(b"\x00\xffno such thing\n" * 1_000)


def grow(path: Path) -> None:
    """Add rubbish."""
    with path.open("ab") as file:
        file.write(b'{"half": \n\x00\xff\n')


DAMAGES: dict[str, tuple[str, Callable[[Path], None]]] = {
    "five letters of the intake overwritten": ("intake/*.jsonl", overwrite),
    "the intake cut": ("intake/*.jsonl", cut),
    "rubbish at the end of the intake": ("intake/*.jsonl", grow),
    "a segment of the intake deleted": ("intake/*.jsonl", Path.unlink),
    "the ledger full of rubbish": ("ledger.sqlite", fill),
    "five letters of the ledger overwritten": ("ledger.sqlite", overwrite),
    "the ledger cut": ("ledger.sqlite", cut),
    "the ledger empty": ("ledger.sqlite", empty),
    "the ledger deleted": ("ledger.sqlite", Path.unlink),
    "five letters of the archive overwritten": ("archive/*.warc.gz", overwrite),
    "the archive cut": ("archive/*.warc.gz", cut),
    "the archive deleted": ("archive/*.warc.gz", Path.unlink),
    "the index full of rubbish": ("index/*", fill),
    "the index cut": ("index/*", cut),
    "the journal full of rubbish": ("rejected.jsonl", fill),
    "the journal cut": ("rejected.jsonl", cut),
    "the journal deleted": ("rejected.jsonl", Path.unlink),
    "five letters of a shard overwritten": ("corpus/shard-*", overwrite),
    "a shard deleted": ("corpus/shard-*", Path.unlink),
    "the manifest full of rubbish": ("corpus/manifest.json", fill),
    "rubbish for what the ledger committed": (".committed.json", fill),
    "rubbish for the report": ("crawl-report.json", fill),
    "rubbish in the lock of the build": (".build.lock", fill),
}
"""The files of a corpus, and what becomes of them."""


@cache
def crawled() -> "tempfile.TemporaryDirectory[str]":
    """Crawl a site, once for all attacks, which need no network: what was fetched lies in the archive."""
    made = tempfile.TemporaryDirectory(prefix="crawled-")
    with serving(ARTICLES, 1, "--mixed") as site:
        make_project(Path(made.name), site)
        ended = run(CRAWL, Path(made.name), PATIENCE_SECONDS)
    assert ended.code == 0, ended.errors
    return made


def attack_files(pattern: str, damage: Callable[[Path], None], folder: Path) -> Outcome:
    """Damage files of a crawled corpus, and crawl again: what was published must still be, or be again."""
    shutil.copytree(crawled().name, folder, dirs_exist_ok=True)
    corpus = folder / "corpus"
    before = _published(corpus)
    for path in sorted(corpus.glob(pattern)):
        damage(path)
    ended = run(CRAWL, folder, PATIENCE_SECONDS)
    return Outcome(
        said=f"exit code {ended.code}: {_said(ended)}".removesuffix(": "),
        seconds=ended.cpu_seconds,
        megabytes=ended.main_megabytes,
        lost=len(before - _published(corpus)),
        wrong="a traceback" if "Traceback" in ended.errors else "",
    )


def _published(corpus: Path) -> set[tuple[str, str]]:
    """Ids and texts of the published documents, in whatever file of the folder."""
    lines = (line for path in (corpus / "corpus").glob("shard-*") for line in unpacked_lines(path))
    return {(record["id"], record["text"]) for record in map(json.loads, lines)}


def _said(ended: Finished) -> str:
    """What is said of the damage: the first warning or error that is not about pages, or the line of a failure."""
    lines = ended.errors.splitlines()
    warned = (line.partition("] ")[2] for line in lines if " WARNING: " in line or " ERROR: " in line)
    last = lines[-1] if lines and ended.code else ""
    return next((line for line in warned if " pages (" not in line), last)[:MOST_SAID]


ATTACKS = tuple(
    Attack(name, partial(attack_files, pattern, damage), SECONDS, MEGABYTES)
    for name, (pattern, damage) in DAMAGES.items()
)
