"""English text without end, never twice the same, for pages that only have to look like articles."""

import random

WORDS = """
the the the the the the of of of and and and to to in in in a a a that was was is for on on with as by at from it
had has have been were will which this not but his her their they would about after before between during under over
when while where who council ferry teacher harbour museum farmer orchestra bridge field barley boat clock letter
library station market island valley town mayor election winter morning evening week month year people visitors
children river railway school church garden kitchen window street road village mountain forest weather storm summer
harvest price budget company worker engineer doctor nurse judge police driver player team match season painter
writer book paper photograph story opened closed repaired sold bought found lost visited asked answered said told
wrote painted built planned promised northern southern eastern western old new young local broken wooden small large
quiet early late long short dark bright
""".split()


def sentence(source: random.Random) -> str:
    """One sentence."""
    text = f"{' '.join(source.choices(WORDS, k=17))}, {source.randint(2, 9999)} in all"
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
