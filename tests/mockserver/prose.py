"""English text without end, never twice the same, for pages that only have to look like articles."""

import random

SUBJECTS = "the council|the old ferry|a local teacher|the harbour master|the museum|a young farmer|the orchestra".split(
    "|"
)
VERBS = "has opened|will repair|wants to sell|has finally found|is going to visit|was asked about|has never seen".split(
    "|"
)
OBJECTS = (
    "the northern bridge|a field of barley|three wooden boats|the broken clock|a letter from 1923|the library".split(
        "|"
    )
)
PLACES = "near the station|behind the market hall|on the island|at the end of the valley|in the upper town".split("|")
TIMES = "on Monday|after the long winter|before the elections|in the early morning|as the mayor said".split("|")


def sentence(source: random.Random) -> str:
    """One sentence."""
    parts = [source.choice(choice) for choice in (SUBJECTS, VERBS, OBJECTS, PLACES, TIMES)]
    text = f"{' '.join(parts)}, and {source.randint(2, 9999)} people came to hear about it"
    return text[0].upper() + text[1:] + "."


def paragraphs(seed: str, count: int = 6) -> list[str]:
    """Paragraphs of four sentences; the same for the same seed."""
    source = random.Random(seed)
    return [" ".join(sentence(source) for _ in range(4)) for _ in range(count)]


def article(seed: str, head: str = "") -> str:
    """A page that holds an article."""
    body = "".join(f"<p>{paragraph}</p>\n" for paragraph in paragraphs(seed))
    return (
        f'<!DOCTYPE html><html lang="en"><head><title>News of {seed}</title>{head}</head><body>'
        f"<nav><ul><li><a href='/'>Home</a></li><li><a href='/section/'>All</a></li></ul></nav>"
        f"<article><h1>News of {seed}</h1>\n{body}</article><footer><a href='/about'>About</a></footer></body></html>"
    )
