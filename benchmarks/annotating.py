"""Measure what annotating costs beside the annotator: cutting into parts, and writing CoNLL-U and the vertical.

    python -m benchmarks.annotating [--output benchmarks/results/annotating.json]

The annotator answers at once, with a sentence that was made before, so that what is timed is all but the model: reading
the corpus, rendering both forms, writing and syncing. One process.
"""

import argparse
import json
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from newscorpus.config import BuildConfig
from newscorpus.corpus.annotate import annotators
from newscorpus.corpus.annotate.annotate import Annotation, annotate_part, make_folders, parts_of
from newscorpus.corpus.annotate.annotators import Sentence, Token, Word
from newscorpus.corpus.annotate.conllu import PartCounts
from newscorpus.corpus.published import open_corpus, publish
from newscorpus.data import Article, Fields
from newscorpus.page.records import make_record

WORDS = 40
PARAGRAPHS = 25_000
FORMS = [
    f"{stem}{ending}" for stem in ("grad", "reka", "most", "kuć", "nov", "star") for ending in ("a", "i", "u", "om")
]


def sentence(number: int) -> Sentence:
    """A sentence of `WORDS` tokens; no two neighbours have the same forms."""
    forms = [FORMS[(number + at) % len(FORMS)] + str((number * at) % 500) for at in range(WORDS)]
    return tuple(
        Token(form, (Word(form, form, "NOUN", "Ncfsn", "Case=Nom|Gender=Fem|Number=Sing", at, "nmod"),))
        for at, form in enumerate(forms)
    )


def measure(folder: Path) -> dict[str, float]:
    """Annotate a corpus of a million tokens, once."""
    made = [sentence(number) for number in range(1_000)]
    text = "\n".join(" ".join(token.form for token in made[number % 1_000]) for number in range(PARAGRAPHS // 100))
    article = Article("https://vesti.example/0", text, Fields(title="Most"), "bte")
    record = make_record(article, "vesti", "sr", 0.9)
    records = [replace(record, id=f"{number:04}", url=f"https://vesti.example/{number}") for number in range(100)]
    publish(folder / "corpus", records, BuildConfig())
    given = iter(made * (PARAGRAPHS // 1_000))
    kind = replace(annotators.ANNOTATORS["simplemma"], load=lambda _: lambda *_: [next(given)])
    annotators.ANNOTATORS["simplemma"] = kind  # type: ignore[index]
    output = folder / "annotated"
    make_folders(output)
    begun = time.process_time(), time.perf_counter()
    parts = parts_of(open_corpus(folder / "corpus").records(), "none")
    counts = [annotate_part(Annotation("simplemma", output), part) for part in parts]
    cpu, wall = time.process_time() - begun[0], time.perf_counter() - begun[1]
    tokens = sum(one.tokens for one in counts if isinstance(one, PartCounts))
    return {
        "tokens": tokens,
        "cpu_seconds": round(cpu, 1),
        "seconds": round(wall, 1),
        "million_tokens_a_minute_a_core": round(60e-6 * tokens / cpu, 1),
    }


def main() -> None:
    """Measure, and write the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path)
    output = parser.parse_args().output
    with tempfile.TemporaryDirectory() as folder:
        result = measure(Path(folder))
    text = json.dumps(result, indent=2)
    print(text)
    if output:
        output.write_text(f"{text}\n")


if __name__ == "__main__":
    main()
