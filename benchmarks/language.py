"""Measure accuracy and time of language detection: `python -m benchmarks.language DATA`.

DATA is the folder of the pages with gold text (docs/data.md). Of the languages with no or few gold pages there are
short texts in `languages.toml`; Serbian is read in both scripts. Ours gets the whole text, py3langid
and langdetect alone its beginning. Refused is what would be lost on a portal that declares the language. Writes
benchmarks/results/language.md.
"""

import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from benchmarks.unreadable import gold_texts, own_texts
from newscorpus.config import LanguageConfig
from newscorpus.page.quality.language import LanguageDetector, by_langdetect, by_langid, detect, judge_language
from newscorpus.views.demo.server import SITE

RESULTS = Path(__file__).parent / "results" / "language.md"
MAX_TEXTS = 200
"""Most texts of a set and language."""
MIN_TEXTS = 4
"""Fewest; labels of single pages say little of a detector."""
CONFIG = LanguageConfig()
DETECTORS: Mapping[str, LanguageDetector] = {
    "ours": lambda text: {detect(text).language: 1.0},
    "py3langid": by_langid,
    "langdetect": by_langdetect,
}
LATIN = "nj lj dž a b v g d đ e ž z i j k l m n o p r s t ć u f h c č š".split()
CYRILLIC = "њ љ џ а б в г д ђ е ж з и ј к л м н о п р с т ћ у ф х ц ч ш".split()
GROUP = {"bs", "cnr", "hbs", "hr", "sr"}


@dataclass(slots=True)
class Tally:
    """Counts over the texts of one kind and language."""

    texts: int = 0
    right: Counter[str] = field(default_factory=Counter)  # by detector: the language itself
    grouped: Counter[str] = field(default_factory=Counter)  # by detector: the language, or one of its group
    refused: int = 0  # by a portal of this language
    labelled: int = 0  # rightly, where the page states its language
    microseconds: Counter[str] = field(default_factory=Counter)  # CPU time by detector


def texts(data: Path) -> Iterator[tuple[str, str, str]]:
    """Kind, language and text of all there is."""
    for dataset, _, language, text in gold_texts(data):
        if language != "?":
            yield dataset, language, text
    for path in sorted((SITE / "gold").glob("??-*.json")):
        gold = msgspec.json.decode(path.read_bytes())
        yield from (("demo, paragraphs", gold["language"], line) for line in gold["text"].splitlines())
    for language, paragraphs in own_texts().items():
        yield from (("short", language, text) for text in paragraphs)
    for text in own_texts()["sr"]:
        for latin, cyrillic in zip(LATIN, CYRILLIC, strict=True):
            text = text.replace(latin, cyrillic).replace(latin.capitalize(), cyrillic.upper())  # noqa: PLW2901
        yield "short, Cyrillic", "sr", text


def tallies(data: Path) -> dict[tuple[str, str], Tally]:
    """Ask all detectors for each text that is long enough for a verdict."""
    found: dict[tuple[str, str], Tally] = defaultdict(Tally)
    for kind, language, text in texts(data):
        sample = text[: CONFIG.sample_characters]
        tally = found[kind, language]
        if sum(map(str.isalpha, sample)) >= CONFIG.min_letters and tally.texts < MAX_TEXTS:
            tally.texts += 1
            tally.refused += not judge_language(text, (language,)).ok
            tally.labelled += judge_language(text, (), stated=language).language == language
            for name, detector in DETECTORS.items():
                start = time.process_time_ns()
                chances = detector(text if name == "ours" else sample)
                tally.microseconds[name] += (time.process_time_ns() - start) // 1_000
                answer = max(chances, key=lambda one: chances[one], default="")
                tally.right[name] += answer == language
                tally.grouped[name] += answer == language or {answer, language} <= GROUP
    return {key: tally for key, tally in sorted(found.items()) if tally.texts >= MIN_TEXTS}


def report(found: Mapping[tuple[str, str], Tally]) -> Iterator[str]:
    """Write the table."""
    total = Tally()
    columns = (*(f"{name} right" for name in DETECTORS), *(f"{name} ms" for name in DETECTORS), "refused", "labelled")
    yield f"| texts | language | n | {' | '.join(columns)} |"
    yield "|---|---|--:|" + "--:|" * (len(DETECTORS) * 2 + 2)
    for (kind, language), tally in found.items():
        yield f"| {kind} | {language} | {tally.texts} | {row(tally)} |"
        total.texts += tally.texts
        total.refused += tally.refused
        total.labelled += tally.labelled
        total.right += tally.right
        total.grouped += tally.grouped
        total.microseconds += tally.microseconds
    yield f"| **all** | | {total.texts} | {row(total)} |"


def row(tally: Tally) -> str:
    """The cells of a tally: right, in the right group, time, refused, rightly labelled."""
    right = (f"{tally.right[name]} ({tally.grouped[name]})" for name in DETECTORS)
    times = (f"{tally.microseconds[name] / tally.texts / 1_000:.2f}" for name in DETECTORS)
    return " | ".join((*right, *times, str(tally.refused), str(tally.labelled)))


def main() -> None:
    """Measure, and write the report."""
    for detector in DETECTORS.values():
        detector("the first text loads the model")
    made = (
        f"Made by `python -m benchmarks.language DATA`; at most {MAX_TEXTS} texts of each kind. Ours is what a crawl "
        f"uses; the others alone get the first {CONFIG.sample_characters} characters. Right: the language itself; in "
        "brackets also one of bs, cnr, hr, sr, or `hbs`, for another. Refused: by a portal that declares the language. "
        "Labelled: rightly, where the page states its language. CPU time on a shared machine; that of py3langid "
        "includes the look at the script. The pages of fundus in `sw` that are refused are in Xhosa and Zulu, as their "
        "ids say.\n"
    )
    lines = ["# Which language a text is in\n", made, *report(tallies(Path(sys.argv[1])))]
    RESULTS.write_text("\n".join(lines) + "\n", "utf-8")
    print(RESULTS.read_text("utf-8"))


if __name__ == "__main__":
    main()
