"""Explain reasons of rejection, count the rejected pages of a corpus, and advise on them."""

import re
import tomllib
from bisect import insort
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from shlex import quote
from zlib import crc32

from newscorpus.data import Rejected
from newscorpus.errors import CorpusError
from newscorpus.layout import LOW_CONFIDENCE, REJECTED
from newscorpus.store.intake import read_journal
from newscorpus.store.ledger.status import PortalLoss

SAMPLES = 5
"""Pages shown for each reason: those with the smallest hash of their addresses, a random sample."""

NOTHING = "Nothing"
"""Beginning of the advice on reasons that a user cannot or need not change."""

IF_MANY = "If many: "
"""Beginning of the advice on a reason that matters only if it is frequent."""

COMMAND = re.compile(r"`newscorpus [^`]*`")
PLACES = re.compile("CORPUS|PORTAL|ADDRESS")
"""Commands in advice, and the words in them that stand for values."""

MOST_ADVICE = 3
"""Maximum pieces of advice at a time; docs/reasons.md has all."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason of rejection, or all reasons with a common prefix."""

    name: str  # "stage/reason"; with "*" at the end, a prefix
    means: str
    change: str  # advice


@dataclass(frozen=True, slots=True)
class Refusals:
    """Rejections by one stage for one reason."""

    stage: str
    reason: str
    number: int
    samples: tuple[Rejected, ...]


@cache
def known_reasons() -> Mapping[str, Reason]:
    """Return all reasons by name, in the order of the stages; prefixes come after their reasons."""
    table = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    return {name: Reason(name, **entry) for name, entry in table.items()}


def find_reason(name: str) -> Reason:
    """Return the reason with a name such as "fetch/http_404".

    Raises:
        CorpusError: there is no such reason.
    """
    if found := _look_up(name):
        return found
    stages = dict.fromkeys(each.partition("/")[0] for each in known_reasons())
    raise CorpusError(f"no reason {name!r}; a reason is STAGE/REASON, with one of the stages {', '.join(stages)}")


def _look_up(name: str) -> Reason | None:
    known = known_reasons()
    prefixes = (one for one in known.values() if one.name.endswith("*") and name.startswith(one.name[:-1]))
    return known.get(name) or next(prefixes, None)


def refusals(corpora: Sequence[Path], n_samples: int = SAMPLES) -> tuple[Refusals, ...]:
    """Count the rejections of some corpora by stage and reason, the most frequent first.

    Raises:
        CorpusError: a line is damaged.
    """
    journals = [path for name in (REJECTED, LOW_CONFIDENCE) for corpus in corpora if (path := corpus / name).exists()]
    counts: Counter[tuple[str, str]] = Counter()
    samples: defaultdict[tuple[str, str], list[tuple[int, int, Rejected]]] = defaultdict(list)
    for number, rejected in enumerate(chain.from_iterable(map(read_journal, journals))):
        key = rejected.stage, rejected.reason
        counts[key] += 1
        rank = crc32(rejected.url.encode()), number
        kept = samples[key]
        if len(kept) < n_samples or rank < kept[-1][:2]:
            insort(kept, (*rank, rejected), key=lambda sample: sample[:2])
            del kept[n_samples:]
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Refusals(*key, count, tuple(one for *_, one in samples[key])) for key, count in ordered)


def advice(corpus: Path, losses: Iterable[tuple[str, PortalLoss]]) -> list[str]:
    """Return advice on the biggest losses that a user can change, one line each, with commands that can be run.

    Unknown reasons of other spiders are skipped.
    """
    lines = []
    for portal, loss in sorted(losses, key=lambda one: (-one[1].n, one[1].reason, one[0])):
        change = reason.change if (reason := _look_up(loss.reason)) else NOTHING
        change = change.rpartition(IF_MANY)[2]
        if not change.startswith(NOTHING):
            values = {"CORPUS": str(corpus), "PORTAL": portal, "ADDRESS": next(iter(loss.examples), "ADDRESS")}
            lines.append(f"{portal or 'the build'} lost {loss}: {_filled_in(change, values)}")
    return lines[:MOST_ADVICE]


def _filled_in(change: str, values: Mapping[str, str]) -> str:
    return COMMAND.sub(lambda command: PLACES.sub(lambda word: quote(values[word[0]]), command[0]), change)
