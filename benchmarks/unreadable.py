"""Measure how many texts the filter `unreadable` refuses, plain and disfigured: `python -m benchmarks.unreadable DATA`.

Texts in a wrong charset go through the repair of mojibake first, as in a crawl.

DATA is the folder of the pages with gold text (docs/data.md); every gold text counts, of pages without an article too,
since the filter was trained on none. Disfigured are texts of the news sets, and those of `languages.toml`, in Latin,
Cyrillic and Greek. Writes benchmarks/results/unreadable.md.
"""

import base64
import random
import re
import sys
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from newscorpus.config import QualityConfig
from newscorpus.data import Article, Fields, Rejected
from newscorpus.lab.gold.pages import read_pages
from newscorpus.page.parsing.decode import repair
from newscorpus.page.quality.assess import assess_quality
from newscorpus.page.quality.filters import measure
from newscorpus.page.quality.letters import letter_gains, unreadable

ALPHABETS = ("abcdefghijklmnopqrstuvwxyz", "абвгдежзийклмнопрстуфхцчшщъыьэюя", "αβγδεζηθικλμνξοπρστυφχψω")


def next_points(text: str) -> str:
    """Move each letter to the next code point, as the paywalls of some German papers do."""
    return "".join(chr(ord(char) + 1) if char.isalpha() else char for char in text)


def rotated(text: str, by: int) -> str:
    """Move each letter of an alphabet by some places, from its end on to its start."""
    places = {letter: letters[(at + by) % len(letters)] for letters in ALPHABETS for at, letter in enumerate(letters)}
    moved = places | {letter.upper(): other.upper() for letter, other in places.items()}
    return "".join(moved.get(char, char) for char in text)


def shuffled(text: str) -> str:
    """Shuffle the letters of each word, at every occurrence anew."""
    draw = random.Random(len(text))
    return re.sub(r"\w+", lambda word: "".join(draw.sample(word[0], len(word[0]))), text)


def misread(text: str, taken_for: str = "cp1252", charset: str = "utf-8") -> str:
    """Read bytes of one charset as those of another, with U+FFFD for what it lacks."""
    return text.encode(charset, "replace").decode(taken_for, "replace")


def encoded(text: str, encode: Callable[[bytes], str]) -> str:
    """Encode each paragraph."""
    return "\n".join(encode(line.encode("utf-8", "replace")) for line in text.split("\n"))


DISFIGURED: Mapping[str, Callable[[str], str]] = {
    "next code point": next_points,
    "moved by 1": lambda text: rotated(text, 1),
    "moved by 3": lambda text: rotated(text, 3),
    "moved by 13": lambda text: rotated(text, 13),
    "shuffled in words": shuffled,
    "Base64": partial(encoded, encode=lambda line: base64.b64encode(line).decode()),
    "hexadecimal": partial(encoded, encode=bytes.hex),
}
MISREAD: Mapping[str, Callable[[str], str]] = {
    "UTF-8 read as Windows-1252, as browsers have it": partial(misread, taken_for="sloppy-windows-1252"),
    "the same twice": lambda text: misread(misread(text, "sloppy-windows-1252"), "sloppy-windows-1252"),
    "UTF-8 read as Windows-1252, without five bytes": misread,
    "UTF-8 read as ISO-8859-1": partial(misread, taken_for="latin-1"),
    "UTF-8 read as ISO-8859-2": partial(misread, taken_for="iso8859-2"),
    "UTF-8 read as Windows-1250": partial(misread, taken_for="cp1250"),
    "UTF-8 read as Windows-1251": partial(misread, taken_for="cp1251"),
    "UTF-8 read as Windows-1253": partial(misread, taken_for="cp1253"),
    "UTF-8 read as KOI8-R": partial(misread, taken_for="koi8_r"),
    "Windows-1250 read as UTF-8": partial(misread, taken_for="utf-8", charset="cp1250"),
    "Windows-1251 read as UTF-8": partial(misread, taken_for="utf-8", charset="cp1251"),
    "Windows-1250 read as Windows-1252": partial(misread, charset="cp1250"),
    "Windows-1251 read as Windows-1252": partial(misread, charset="cp1251"),
    "Windows-1251 read as KOI8-R": partial(misread, taken_for="koi8_r", charset="cp1251"),
    "KOI8-R read as Windows-1251": partial(misread, taken_for="cp1251", charset="koi8_r"),
}
"""Only texts that the charset can hold, and that come out different, are misread."""

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "unreadable.md"
DISFIGURED_SETS = ("fundus", "daniel", "l3s_gn1")
MAX_TEXTS = 40
"""Most texts of a language that are disfigured."""
MIN_CHARACTERS = 300
PARAGRAPHS = 3
"""Paragraphs of `languages.toml` that make a text."""
MENDED = 0.97
"""Share of the words of a text that are right again where it counts as repaired."""
CONFIG = QualityConfig()


def judge(text: str) -> str:
    """Name the filter that refuses a text, or "kept"."""
    verdict = assess_quality(Article("https://a.example/1", text, Fields(), "gold"))
    return verdict.reason if isinstance(verdict, Rejected) else "kept"


def gold_texts(data: Path) -> Iterator[tuple[str, str, str, str]]:
    """Set, id, language and text of every page with gold text."""
    for file in sorted(data.glob("*.jsonl.zst")):
        for page in read_pages(file):
            if page.text.strip():
                yield page.dataset, page.id, page.language or "?", page.text


def own_texts() -> Mapping[str, Sequence[str]]:
    """The paragraphs of `languages.toml`, by language."""
    return tomllib.loads((HERE / "languages.toml").read_text("utf-8"))


def texts_to_disfigure(data: Path) -> Mapping[str, Sequence[str]]:
    """Texts by language, those in other scripts left out."""
    found = defaultdict(list)
    for dataset, _, language, text in gold_texts(data):
        if (
            dataset in DISFIGURED_SETS
            and len(text) >= MIN_CHARACTERS
            and len(letter_gains(text, CONFIG.letters_a_part))
        ):
            found[language].append(text)
    for language, paragraphs in own_texts().items():
        found[language] += [
            "\n".join(paragraphs[at : at + PARAGRAPHS]) for at in range(len(paragraphs) - PARAGRAPHS + 1)
        ]
    draw = random.Random(1)
    return {
        language: texts if len(texts) <= MAX_TEXTS else draw.sample(texts, MAX_TEXTS)
        for language, texts in sorted(found.items())
    }


def plain_table(data: Path) -> Iterator[str]:
    """Count the gold texts that are refused as they are."""
    total, refused, changed, seconds = Counter[str](), Counter[str](), Counter[str](), 0.0
    for dataset, _, _, text in gold_texts(data):
        measured = measure(Article("https://a.example/1", text, Fields(), "gold"))
        start = time.process_time()
        objection = unreadable(measured, CONFIG)
        seconds += time.process_time() - start
        total[dataset] += 1
        refused[dataset] += bool(objection)
        changed[dataset] += repair(text) != text
    yield "| set | gold texts | refused | with mojibake that is undone |"
    yield "|---|--:|--:|--:|"
    for dataset, texts in total.items():
        yield f"| {dataset} | {texts} | {refused[dataset]} | {changed[dataset]} |"
    yield f"\n{1_000 * seconds / total.total():.2f} ms of CPU time a text.\n"


def misread_table(texts: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Count what becomes of texts in a wrong charset."""
    yield "| read wrongly | texts | repaired | refused | kept as they are, by language |"
    yield "|---|--:|--:|--:|---|"
    for name, disfigure in MISREAD.items():
        found, kept = Counter[str](), Counter[str]()
        for language, text in ((language, text) for language, of_language in texts.items() for text in of_language):
            broken = disfigure(text)
            # only texts that were disfigured by the charset alone, not by question marks for what it lacks
            if broken != text and broken.count("?") == text.count("?"):
                mended = repair(broken)
                words, found_words = text.split(), mended.split()
                n_right = sum(map(str.__eq__, words, found_words))
                is_mended = n_right >= MENDED * max(len(words), len(found_words))
                outcome = "repaired" if is_mended else judge(mended)
                found[outcome] += 1
                kept[language] += outcome == "kept"
        total = found.total()
        refused = total - found["repaired"] - found["kept"]
        named = ", ".join(f"{language} {count}" for language, count in kept.items() if count)
        yield f"| {name} | {total} | {found['repaired'] / total:.1%} | {refused / total:.1%} | {named} |"


def disfigured_table(texts: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Count what becomes of texts that were disfigured, and name the languages of those that are kept."""
    yield "| disfigured | texts | refused | as `unreadable` | kept, by language |"
    yield "|---|--:|--:|--:|---|"
    for name, disfigure in DISFIGURED.items():
        outcomes, kept = Counter[str](), Counter[str]()
        for language, of_language in texts.items():
            found = Counter(map(judge, map(disfigure, of_language)))
            outcomes += found
            kept[language] += found["kept"]
        total, refused = outcomes.total(), outcomes.total() - outcomes["kept"]
        named = ", ".join(f"{language} {count} of {len(texts[language])}" for language, count in kept.items() if count)
        yield f"| {name} | {total} | {refused / total:.1%} | {outcomes['unreadable'] / total:.1%} | {named} |"


def main() -> None:
    """Measure, and write the report."""
    data = Path(sys.argv[1])
    texts = texts_to_disfigure(data)
    lines = [
        "# Texts that are no text\n",
        "Made by `python -m benchmarks.unreadable DATA`.\n",
        *plain_table(data),
        f"Disfigured texts of {len(texts)} languages ({', '.join(texts)}), at most {MAX_TEXTS} of each:\n",
        *disfigured_table(texts),
        f"\nThe same texts in a wrong charset; repaired are those of whose words {MENDED:.0%} are right again:\n",
        *misread_table(texts),
    ]
    RESULTS.write_text("\n".join(lines) + "\n", "utf-8")
    print(RESULTS.read_text("utf-8"))


if __name__ == "__main__":
    main()
