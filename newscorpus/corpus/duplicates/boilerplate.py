"""Find and cut paragraphs that recur on many pages of one portal, such as calls to subscribe and notes on authors."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet

import numpy as np
from numpy.typing import NDArray

from newscorpus.config import DuplicateConfig
from newscorpus.corpus.duplicates.collection import Collection
from newscorpus.page.signature.kernel import HALF
from newscorpus.page.signature.signature import hash_runs, word_hashes


def find_boilerplate(
    collection: Collection, staying: NDArray[np.int64], config: DuplicateConfig
) -> Mapping[str, frozenset[int]]:
    """By source the hashes of the paragraphs that stand in many of its documents.

    Those at the positions `staying` count: each text once.
    """
    if not config.boilerplate_documents:
        return {}
    sources = collection.documents["source"][staying]
    paragraphs, owners = collection.values("paragraphs", staying)
    found = {}
    for number in np.unique(sources):
        here = sources[owners] == number
        least = max(config.boilerplate_documents, config.boilerplate_share * np.count_nonzero(sources == number))
        each_once = np.unique(np.rec.fromarrays([paragraphs[here], owners[here]]))
        hashes, counts = np.unique(each_once["f0"], return_counts=True)
        if recurring := frozenset(hashes[counts >= least].tolist()):
            found[collection.sources[number]] = recurring
    return found


def cut_boilerplate(text: str, boilerplate: AbstractSet[int], config: DuplicateConfig) -> tuple[str, int]:
    """A text of one paragraph a line without boilerplate, and the number of paragraphs cut.

    A text that is nothing else stays as it is.
    """
    lines = text.split("\n")
    stay = [line for line in lines if not _is_boilerplate(line, boilerplate, config)]
    return ("\n".join(stay), len(lines) - len(stay)) if any(map(str.strip, stay)) else (text, 0)


def _is_boilerplate(line: str, boilerplate: AbstractSet[int], config: DuplicateConfig) -> bool:
    words = word_hashes(line)
    return len(words) >= config.boilerplate_words and int(hash_runs(words, len(words))[0] >> HALF) in boilerplate
