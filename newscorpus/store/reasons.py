"""Say what each reason of rejection means, what to do about it, and which pages of a corpus it met."""

import tomllib
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from newscorpus.errors import CorpusError
from newscorpus.layout import LEDGER, LOW_CONFIDENCE, REJECTED, check_corpus
from newscorpus.store.intake import read_journal
from newscorpus.tokens import number_of

EXAMPLES = 5
"""Pages that are named of each reason; the last ones, since the site may have changed."""

NOTHING = ("Nothing.", "Nothing:", "Nothing;")
"""How the advice begins on what a user cannot mend, or need not."""

MOST_ADVICE = 3
"""Pieces of advice at a time; the table has all."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason of rejection, or several that begin alike."""

    name: str  # "stage/reason"; one that ends in "*" stands for all that begin like it
    means: str
    change: str  # what a user may do about it


@dataclass(slots=True)
class Met:
    """The pages of a corpus that one reason met."""

    pages: int = 0
    examples: list[str] = field(default_factory=list)  # addresses with the detail


@cache
def known_reasons() -> Mapping[str, Reason]:
    """All reasons by name, in the order in which a page meets them; of those that begin alike "*" comes last."""
    table = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    return {name: Reason(name, **entry) for name, entry in table.items()}


def find_reason(name: str) -> Reason:
    """The entry of a reason such as "fetch/http_404".

    Raises:
        CorpusError: there is no such reason.
    """
    if found := _look_up(name):
        return found
    stages = dict.fromkeys(each.partition("/")[0] for each in known_reasons())
    raise CorpusError(f"no reason {name!r}; a reason is STAGE/REASON, with one of the stages {', '.join(stages)}")


def _look_up(name: str) -> Reason | None:
    known = known_reasons()
    begins = (one for one in known.values() if one.name.endswith("*") and name.startswith(one.name[:-1]))
    return known.get(name) or next(begins, None)


def reasons_met(corpus: Path) -> Mapping[str, Met]:
    """The pages of a corpus that were rejected or left out, by reason, the most frequent first.

    Raises:
        CorpusError: there is no corpus, or a line is damaged.
    """
    check_corpus(corpus)
    if not (corpus / LEDGER).exists() and not (corpus / REJECTED).exists():
        raise CorpusError(f"{corpus}: not the corpus of a crawl; it holds neither {LEDGER} nor {REJECTED}")
    met: defaultdict[str, Met] = defaultdict(Met)
    for name in (REJECTED, LOW_CONFIDENCE):
        for rejected in read_journal(corpus / name) if (corpus / name).exists() else ():
            of_reason = met[f"{rejected.stage}/{rejected.reason}"]
            of_reason.pages += 1
            of_reason.examples = [*of_reason.examples, f"{rejected.url}  {rejected.detail}".rstrip()][-EXAMPLES:]
    return dict(sorted(met.items(), key=lambda item: (-item[1].pages, item[0])))


def advice(lost: Mapping[str, int]) -> list[str]:
    """Say in a line each what is most worth doing about lost pages: the biggest losses that a user can mend.

    Args:
        lost: number of pages by reason; those that other people's spiders give are passed over.
    """
    ordered = sorted(((n, name) for name, n in lost.items() if n), key=lambda one: (-one[0], one[1]))
    known = [(n, name, reason.change) for n, name in ordered if (reason := _look_up(name))]
    mendable = [one for one in known if not one[2].startswith(NOTHING)]
    return [f"{number_of(n, 'page')} left out by {name}: {change}" for n, name, change in mendable[:MOST_ADVICE]]
