"""Beginning a corpus anew, after asking."""

import shutil
import sys
from pathlib import Path

from newscorpus.crawl.errors import CrawlError
from newscorpus.crawl.ledger import LEDGER
from newscorpus.crawl.ledger.store import locked

OURS = ("intake", "archive", "corpus", "index", "rejected.jsonl", "duplicates.jsonl", "crawl-report.json", LEDGER)
"""What a crawl and its build leave in the folder of a corpus."""

SURE = frozenset({"yes"})


def begin_anew(corpus: Path, said: str) -> None:
    """Remove the corpus in a folder, and nothing else that lies there.

    Args:
        corpus: the folder.
        said: "yes" removes without asking; anything else asks at the terminal.

    Raises:
        CrawlError: there is no terminal to ask at, or the answer was no.
        LedgerError: a crawl is at work there.
        OSError: it cannot be removed.
    """
    there = [path for name in OURS if (path := corpus / name).exists()]
    if not there:
        return
    if said not in SURE and not _agreed(corpus, there):
        raise CrawlError(f"{corpus} stays as it is")
    with locked(corpus):
        for path in [*there, *corpus.glob(f"{LEDGER}-*")]:
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()


def _agreed(corpus: Path, there: list[Path]) -> bool:
    if not sys.stdin.isatty():
        raise CrawlError(f"argument 'fresh' would remove the corpus in {corpus}; say -a fresh=yes to do so unasked")
    sys.stderr.write(f"Remove {', '.join(path.name for path in there)} in {corpus}? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes"}
