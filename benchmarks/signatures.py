"""Measure the speed of signatures beside datasketch and rensa, in one process, in rounds that take turns.

    python -m benchmarks.signatures

The peers are timed with ready shingles, while ours makes them itself; their time from the text on is listed beside it.
"""

import argparse
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from random import Random

import numpy as np
from datasketch import MinHash
from numpy.typing import NDArray
from rensa import RMinHash

from benchmarks.duplicates.texts import as_text, make_words
from newscorpus.config import SignatureParameters
from newscorpus.page.signature import shingle_hash, sign, sign_words, word_hashes
from newscorpus.tokens import words

RESULT = Path(__file__).parent / "results" / "signatures.md"
PARAMETERS = SignatureParameters()


@dataclass(frozen=True, slots=True)
class Sample:
    """Texts, the shingles of each as the peers take them, and its words as hashes, of which ours makes shingles."""

    texts: Sequence[str]
    shingles: Sequence[Sequence[bytes]]
    words: Sequence[NDArray[np.uint64]]


Signer = Callable[[Sample], None]


def main() -> None:
    """Measure and write the results."""
    parser = argparse.ArgumentParser(description="speed of signatures")
    parser.add_argument("--documents", type=int, default=400, help="texts a round (default: 400)")
    parser.add_argument("--words", type=int, default=400, help="words a text (default: 400)")
    parser.add_argument("--rounds", type=int, default=9, help="rounds (default: 9)")
    arguments = parser.parse_args()
    texts = [as_text(make_words(Random(number), arguments.words)) for number in range(arguments.documents)]
    sample = Sample(texts, [shingled(text) for text in texts], [word_hashes(text) for text in texts])
    assert_equal_values(sample)
    seconds = measure(sample, arguments.rounds)
    RESULT.write_text(render(seconds, arguments), encoding="utf-8")
    print(RESULT.read_text("utf-8"))


def shingled(text: str) -> list[bytes]:
    """Cut a text into shingles as the peers take them."""
    tokens = words(text.lower())
    size = PARAMETERS.shingle_words
    return [" ".join(tokens[start : start + size]).encode() for start in range(len(tokens) - size + 1)]


def assert_equal_values(sample: Sample) -> None:
    """Check that our signatures equal those of datasketch with our hash."""
    for text, grams in zip(sample.texts, sample.shingles, strict=True):
        peer = MinHash(num_perm=PARAMETERS.permutations, scheme="affine32", hashfunc=shingle_hash)
        peer.update_batch(grams)
        if sign(text) != peer.hashvalues.tobytes():
            raise SystemExit("the signatures differ from datasketch's")


def ours(sample: Sample) -> None:
    """Sign."""
    for text in sample.texts:
        sign(text)


def ours_from_words(sample: Sample) -> None:
    """Make shingles of hashed words and sign them."""
    for hashes in sample.words:
        sign_words(hashes)


def datasketch(sample: Sample) -> None:
    """Sign by the batches of datasketch, with SHA-1."""
    empty = MinHash(num_perm=PARAMETERS.permutations, scheme="affine32")
    for grams in sample.shingles:
        empty.copy().update_batch(grams)


def rensa(sample: Sample) -> None:
    """Sign by rensa, with its own hash."""
    for grams in sample.shingles:
        minhash = RMinHash(PARAMETERS.permutations, PARAMETERS.seed)
        minhash.update(grams)
        minhash.digest()  # only now does it permute


def from_text(signer: Signer) -> Signer:
    """Let a peer make its shingles itself."""
    return lambda sample: signer(replace(sample, shingles=[shingled(text) for text in sample.texts]))


SIGNERS: dict[str, Signer] = {
    "newscorpus": ours,
    "newscorpus, words ready": ours_from_words,
    "datasketch `update_batch`, SHA-1, shingles ready": datasketch,
    "datasketch, from the text": from_text(datasketch),
    "rensa `RMinHash`, shingles ready": rensa,
    "rensa, from the text": from_text(rensa),
}


def measure(sample: Sample, rounds: int) -> dict[str, list[float]]:
    """Measure the CPU seconds of each signer in each round; a first round warms up and does not count."""
    seconds: dict[str, list[float]] = {name: [] for name in SIGNERS}
    for turn in range(rounds + 1):
        for name, signer in SIGNERS.items():
            start = time.process_time()
            signer(sample)
            if turn:
                seconds[name].append(time.process_time() - start)
    return seconds


def render(seconds: dict[str, list[float]], arguments: argparse.Namespace) -> str:
    """Write the results as Markdown."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "datasketch", "rensa"))
    own = seconds["newscorpus"]
    rows = [
        f"| {name} | {arguments.documents / statistics.median(times):,.0f} | {ratio(times, own):.1f} |"
        for name, times in seconds.items()
    ]
    what = (
        f"Made by `python -m benchmarks.signatures`: {arguments.documents} texts of {arguments.words} words, 128 "
        f"permutations over 5-grams, CPU time of one process, {arguments.rounds} rounds that take turns, a first one "
        f"not counted. Python {platform.python_version()}; {packages}. Our values are those of datasketch with our "
        "hash, which is checked for every text."
    )
    head = "| | documents a second (median) | time beside ours (median of the rounds' ratios) |"
    return "\n".join(["# Speed of signatures", "", what, "", head, "|---|--:|--:|", *rows, ""])


def ratio(times: Sequence[float], own: Sequence[float]) -> float:
    """Compute how many times longer than ours a signer takes, round by round."""
    return statistics.median(time_ / mine for time_, mine in zip(times, own, strict=True))


if __name__ == "__main__":
    main()
