"""Speed of signatures beside datasketch and rensa, in one process, in rounds that take turns.

    python benchmarks/signatures.py

The peers are timed with their shingles ready made, which ours makes itself; what it takes them from the text on is told
beside it.
"""

import argparse
import functools
import platform
import random
import statistics
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from unittest import mock

from datasketch import MinHash
from rensa import RMinHash

from newscorpus.config import SignatureParameters
from newscorpus.dedup import kernel
from newscorpus.dedup.signature import minhash_of, shingle_hash, sign, stack
from newscorpus.text import words

RESULT = Path(__file__).parent / "results" / "signatures.md"
PARAMETERS = SignatureParameters()
SYLLABLES = "va ná sta ří mo ku lo pře ni te ško dě ra za vé pro si je ou ž".split()

Texts = Sequence[str]
Shingles = Sequence[Sequence[bytes]]


def main() -> None:
    """Measure and write the results."""
    parser = argparse.ArgumentParser(description="speed of signatures")
    parser.add_argument("--documents", type=int, default=400, help="texts a round (default: 400)")
    parser.add_argument("--words", type=int, default=400, help="words a text (default: 400)")
    parser.add_argument("--rounds", type=int, default=9, help="rounds (default: 9)")
    arguments = parser.parse_args()
    texts = [make_text(number, arguments.words) for number in range(arguments.documents)]
    shingles = [shingled(text) for text in texts]
    assert_equal_values(texts[:20], shingles[:20])
    seconds = measure(texts, shingles, arguments.rounds)
    RESULT.write_text(render(seconds, arguments), encoding="utf-8")
    print(RESULT.read_text("utf-8"))


@functools.cache
def make_vocabulary() -> list[str]:
    """Some 20,000 words that look Czech."""
    return ["".join(random.Random(number).choices(SYLLABLES, k=1 + number % 4)) for number in range(20_000)]


def make_text(seed: int, n_words: int) -> str:
    """A text of words that look Czech."""
    vocabulary = make_vocabulary()
    return " ".join(random.Random(seed).choices(vocabulary, k=n_words))


def shingled(text: str) -> list[bytes]:
    """The shingles of a text as the peers take them."""
    tokens = words(text.lower())
    size = PARAMETERS.shingle_words
    return [" ".join(tokens[start : start + size]).encode() for start in range(len(tokens) - size + 1)]


def assert_equal_values(texts: Texts, shingles: Shingles) -> None:
    """Hold our signatures to datasketch's with our hash."""
    for text, grams in zip(texts, shingles, strict=True):
        peer = MinHash(num_perm=PARAMETERS.permutations, scheme="affine32", hashfunc=shingle_hash)
        peer.update_batch(grams)
        if minhash_of(stack([sign(text)], PARAMETERS.permutations)[0]) != peer:
            raise SystemExit("the signatures differ from datasketch's")


def ours(texts: Texts, shingles: Shingles) -> None:
    """Sign, compiled."""
    for text in texts:
        sign(text)


def ours_by_numpy(texts: Texts, shingles: Shingles) -> None:
    """Sign, without numba."""
    with mock.patch.object(kernel, "compiled", lambda function: None):
        ours(texts, shingles)


def datasketch(texts: Texts, shingles: Shingles) -> None:
    """datasketch's batch of SHA-1 hashes."""
    empty = MinHash(num_perm=PARAMETERS.permutations, scheme="affine32")
    for grams in shingles:
        empty.copy().update_batch(grams)


def rensa(texts: Texts, shingles: Shingles) -> None:
    """rensa's own hash."""
    for grams in shingles:
        RMinHash(PARAMETERS.permutations, 1).update(grams)


def datasketch_from_text(texts: Texts, shingles: Shingles) -> None:
    """datasketch, its shingles made first."""
    datasketch(texts, [shingled(text) for text in texts])


def rensa_from_text(texts: Texts, shingles: Shingles) -> None:
    """rensa, its shingles made first."""
    rensa(texts, [shingled(text) for text in texts])


SIGNERS: dict[str, Callable[[Texts, Shingles], None]] = {
    "newscorpus, numba": ours,
    "newscorpus, NumPy": ours_by_numpy,
    "datasketch `update_batch`, SHA-1, shingles ready": datasketch,
    "datasketch, from the text": datasketch_from_text,
    "rensa `RMinHash`, shingles ready": rensa,
    "rensa, from the text": rensa_from_text,
}


def measure(texts: Texts, shingles: Shingles, rounds: int) -> dict[str, list[float]]:
    """CPU seconds of each signer in each round; a first round warms up and does not count."""
    seconds: dict[str, list[float]] = {name: [] for name in SIGNERS}
    for turn in range(rounds + 1):
        for name, signer in SIGNERS.items():
            start = time.process_time()
            signer(texts, shingles)
            if turn:
                seconds[name].append(time.process_time() - start)
    return seconds


def render(seconds: dict[str, list[float]], arguments: argparse.Namespace) -> str:
    """The results as Markdown."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("numba", "numpy", "datasketch", "rensa"))
    own = seconds["newscorpus, numba"]
    rows = [
        f"| {name} | {arguments.documents / statistics.median(times):,.0f} | {ratio(times, own):.1f} |"
        for name, times in seconds.items()
    ]
    lines = [
        "# Speed of signatures",
        "",
        f"Made by `benchmarks/signatures.py`: {arguments.documents} texts of {arguments.words} words, 128 permutations "
        f"over 5-grams of words, CPU time of one process, {arguments.rounds} rounds that take turns, the first signing "
        f"not counted. Python {platform.python_version()}; {packages}. The values are those of datasketch with our hash.",
        "",
        "| | documents a second (median) | our time goes into it (median of the rounds' ratios) |",
        "|---|--:|--:|",
        *rows,
    ]
    return "\n".join(lines) + "\n"


def ratio(times: Sequence[float], own: Sequence[float]) -> float:
    """How many times longer than ours, round by round."""
    return statistics.median(time_ / mine for time_, mine in zip(times, own, strict=True))


if __name__ == "__main__":
    main()
