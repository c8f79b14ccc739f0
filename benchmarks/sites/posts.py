"""Make the articles that publishing systems are filled with, and the texts that a corpus should hold of them.

The same number gives the same articles. Their sentences are put together from the phrases of phrases.toml, so that two
articles share no more than some words in a row.
"""

import random
import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from html import escape
from pathlib import Path
from zoneinfo import ZoneInfo

import msgspec

ZONE = ZoneInfo("Europe/Prague")
"""Of all sites and dates."""
END = datetime(2026, 6, 30, 12, tzinfo=ZONE)
"""When the last article was published, but those that arrive later."""
YEARS = 3
SCHEDULED = datetime(2036, 1, 1, 8, tzinfo=ZONE)
SEED = 29
ROUNDUP_SIZE = 12
QUOTED = 3
"""Articles that the one of kind `quoting` holds in full."""
SPECIAL: Mapping[str, int] = {
    "protected": 4, "scheduled": 4, "copy": 4, "quoting": 1, "roundup": 1, "live": 1, "sticky": 2, "paged": 8,
}  # fmt: skip
"""How many articles there are of each kind that is not plain; short ones are a share of all."""
SHORT_SHARE, SHORT_WORDS = 0.1, (26, 30, 36, 40, 60, 64)
TWO_AUTHORS = 0.15
OTHER_PARTS = 0.35
"""How often a list, a quotation, a table or the like comes between two paragraphs."""
NIGHTLY = 0.1
"""Share of articles of 00:40, whose day depends on the zone."""
ACCENTS = str.maketrans("łđ", "ld")
CYRILLIC = dict(zip("абвгдеёзийклмнопрстуфхыэ", "abvgdeezijklmnoprstufhye", strict=True)) | {
    "ж": "zh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "sch", "ъ": "", "ь": "", "ю": "yu", "я": "ya",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Comment:
    """A reader's comment, which belongs to no text."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Post:
    """An article as it is published, and as a corpus should hold it."""

    key: str  # the same in every run, and after the article has changed
    language: str
    slug: str
    title: str
    html: str  # the body
    text: str  # of the body, a paragraph a line
    published: str  # ISO 8601 with offset
    modified: str
    authors: tuple[str, ...]
    section: str
    tags: tuple[str, ...]
    excerpt: str
    kind: str = "plain"  # short, paged, sticky, protected, scheduled, copy, quoting, roundup, live
    copy_of: str = ""  # key of the article that a copy repeats
    comments: tuple[Comment, ...] = ()
    parts: tuple[str, ...] = ()  # HTML of each page of a paged one

    @property
    def is_public(self) -> bool:
        """Whether a visitor may read it now."""
        return self.kind not in {"protected", "scheduled"}


@dataclass(frozen=True, slots=True)
class Prose:
    """Writes in one language."""

    language: str
    source: random.Random

    @property
    def phrases(self) -> Mapping[str, list[str]]:
        """What sentences are put together from."""
        return PHRASES[self.language]

    def pick(self, what: str) -> str:
        """A phrase, filled."""
        if what == "town":
            return self.pick("stems") + self.pick("endings")
        if what == "n":
            return str(self.source.randint(3, 980))
        if what == "name":
            return self.pick("names")
        return self.fill(self.source.choice(self.phrases[what]))

    def fill(self, frame: str) -> str:
        """Put a phrase for each field of a frame."""
        return re.sub(r"{(\w+)}", lambda match: self.pick(match[1]), frame)

    def sentence(self) -> str:
        """One sentence."""
        return capital(self.pick("frames"))

    def sentences(self, count: int) -> str:
        """Some sentences."""
        return " ".join(self.sentence() for _ in range(count))

    def title(self) -> str:
        """A headline."""
        return capital(
            self.fill(self.source.choice(("{subject} {verb} {object}: {town}", "{town}: {subject} {verb} {object}")))
        )

    def body(self, paragraphs: int) -> tuple[str, str]:
        """HTML and text of a body: paragraphs, and other parts between them."""
        pieces = [_paragraph(self.sentences(self.source.randint(2, 5)))]
        for _ in range(paragraphs - 1):
            if self.source.random() < OTHER_PARTS:
                pieces.append(self.part())
            pieces.append(_paragraph(self.sentences(self.source.randint(2, 5))))
        return _joined(pieces)

    def entry(self, at: datetime) -> tuple[str, str]:
        """HTML and text of an entry of a live blog."""
        return _joined(
            (_heading(f"{at:%H:%M} {capital(self.fill('{subject} {verb} {object}'))}"), _paragraph(self.sentences(2)))
        )

    def part(self) -> tuple[str, str]:
        """Something that bodies have beside paragraphs: its HTML, and its text."""
        return self.source.choice((self._list, self._quote, self._table, self._embed, self._gallery, self._heading))()

    def _heading(self) -> tuple[str, str]:
        return _heading(capital(self.fill("{subject} {place}")))

    def _list(self) -> tuple[str, str]:
        items = [capital(self.fill("{verb} {object} {place}")) for _ in range(self.source.randint(3, 5))]
        kind = self.source.choice(("ul", "ol"))
        return f"<{kind}>{''.join(f'<li>{escape(item)}</li>' for item in items)}</{kind}>", "\n".join(items)

    def _quote(self) -> tuple[str, str]:
        said, cite = f"{capital(self.fill('{quote}, {quote}'))}.", self.fill("{name}, {role}")
        return f"<blockquote><p>{escape(said)}</p><cite>{escape(cite)}</cite></blockquote>", f"{said}\n{cite}"

    def _table(self) -> tuple[str, str]:
        """A table with an empty cell, or a row of a single one."""
        rows = [[capital(self.pick("subject")), self.pick("n"), self.pick("object")] for _ in range(4)]
        rows[2] = self.source.choice(([rows[2][0], "", rows[2][2]], [capital(self.fill("{subject} {verb} {object}"))]))
        html = "".join(
            f"<tr>{''.join(f'<td{span}>{escape(cell)}</td>' for cell in row)}</tr>"
            for row in rows
            for span in [' colspan="3"' if len(row) == 1 else ""]
        )
        return f"<table><tbody>{html}</tbody></table>", "\n".join(" | ".join(filter(None, row)) for row in rows)

    def _embed(self) -> tuple[str, str]:
        """A post of a social network, whose last line says who wrote it and when."""
        said, name, n = self.sentence(), self.pick("name"), self.source.randint(10**9, 10**10)
        user = slug_of(name).replace("-", "")
        day = f"{self.source.choice(('March', 'May', 'October'))} {self.source.randint(1, 28)}, {2023 + n % 3}"
        link = f'<a href="https://twitter.com/{user}/status/{n}?ref_src=twsrc%5Etfw">{day}</a>'
        head = f'<blockquote class="twitter-tweet"><p lang="{self.language}" dir="ltr">{escape(said)}</p>'
        return f"{head}&mdash; {escape(name)} (@{user}) {link}</blockquote>", said

    def _gallery(self) -> tuple[str, str]:
        """Pictures with captions, which are no text."""
        shown = (capital(self.fill("{subject} {place}")) for _ in range(3))
        figures = (
            f'<figure><img src="/media/{slug_of(caption)}.jpg"><figcaption>{escape(caption)}</figcaption></figure>'
            for caption in shown
        )
        return f'<figure class="gallery">{"".join(figures)}</figure>', ""


def make_posts(
    count: int = 400, first: datetime = END - timedelta(days=365 * YEARS), last: datetime = END
) -> list[Post]:
    """Make articles of all kinds, oldest first, published between two days."""
    source = random.Random(f"{SEED} {count} {first}")
    kinds = ["plain"] * count
    special = [kind for kind, number in SPECIAL.items() for _ in range(number)]
    for place, kind in zip(source.sample(range(count // 2, count), len(special)), special, strict=True):
        kinds[place] = kind
    posts: list[Post] = []
    for number, kind in enumerate(kinds):
        published = first + (last - first) / count * (number + source.random())
        if source.random() < NIGHTLY:
            published = published.replace(hour=0, minute=40)
        posts.append(_make_post(source, kind, published, posts))
    return posts


def come_back(posts: Sequence[Post], new: int = 30, changed: int = 10) -> list[Post]:
    """The articles as they are three weeks later: some are new, and of some headline and text have changed."""
    source = random.Random(SEED)
    chosen = source.sample([post.key for post in posts if post.kind == "plain"], changed)
    later = [_change(post, source) if post.key in chosen else post for post in posts]
    for number in range(new):
        later.append(_make_post(source, "plain", END + timedelta(days=1 + 20 * number / new), later))
    return later


def write_posts(posts: Sequence[Post], path: Path) -> None:
    """Write articles as a JSON list, for what is filled by another language."""
    path.write_bytes(msgspec.json.encode(posts))


def slug_of(text: str) -> str:
    """Make a slug of ASCII letters, digits and dashes."""
    latin = "".join(CYRILLIC.get(letter, letter) for letter in text.lower().translate(ACCENTS))
    plain = unicodedata.normalize("NFKD", latin).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")


def _make_post(source: random.Random, kind: str, published: datetime, earlier: Sequence[Post]) -> Post:
    prose = Prose(source.choice(sorted(PHRASES)), source)
    if kind == "plain" and source.random() < SHORT_SHARE:
        kind = "short"
    known = [post for post in earlier if post.language == prose.language and post.kind == "plain"]
    pages = list(_pages(prose, kind, known, published))
    title = next(title for title in iter(prose.title, "") if title not in {post.title for post in earlier})
    stamp = (SCHEDULED if kind == "scheduled" else published).isoformat(timespec="seconds")
    text = "\n".join(text for _, text in pages)
    return Post(
        key=f"p{len(earlier):05}",
        language=prose.language,
        slug=slug_of(title),
        title=title,
        html="\n".join(html for html, _ in pages),
        text=text,
        published=stamp,
        modified=stamp,
        authors=tuple(source.sample(prose.phrases["names"], 2 if source.random() < TWO_AUTHORS else 1)),
        section=prose.pick("sections"),
        tags=tuple(source.sample(prose.phrases["tags"], source.randint(1, 4))),
        excerpt=text.partition("\n")[0],
        kind=kind,
        copy_of=known[-1].key if kind == "copy" else "",
        comments=tuple(Comment(prose.pick("name"), prose.sentences(2)) for _ in range(source.choice((0, 0, 1, 3)))),
        parts=tuple(html for html, _ in pages) if kind == "paged" else (),
    )


def _pages(prose: Prose, kind: str, known: Sequence[Post], published: datetime) -> Iterator[tuple[str, str]]:
    """HTML and text of each page of an article; of most there is one."""
    if kind == "copy":
        yield known[-1].html, known[-1].text
    elif kind == "short":
        yield _paragraph(" ".join(prose.sentences(9).split()[: prose.source.choice(SHORT_WORDS)]).rstrip(",.") + ".")
    elif kind == "paged":
        yield from (prose.body(4) for _ in range(3))
    elif kind == "live":
        yield _joined(prose.entry(published - timedelta(minutes=12 * number)) for number in range(10))
    elif kind == "roundup":
        items = ((_heading(post.title), _paragraph(post.excerpt)) for post in known[-ROUNDUP_SIZE:])
        yield _joined((_paragraph(prose.sentences(3)), *(piece for item in items for piece in item)))
    elif kind == "quoting":
        quoted = ((f"<blockquote>{post.html}</blockquote>", post.text) for post in known[-QUOTED:])
        yield _joined((prose.body(3), *quoted, prose.body(2)))
    else:
        yield prose.body(prose.source.randint(4, 9))


def _change(post: Post, source: random.Random) -> Post:
    """An article with another headline, and a paragraph more."""
    prose = Prose(post.language, source)
    html, text = _joined(((post.html, post.text), _paragraph(prose.sentences(4))))
    modified = (END + timedelta(days=10)).isoformat(timespec="seconds")
    return replace(post, title=f"{post.title} ({prose.pick('town')})", html=html, text=text, modified=modified)


def _joined(pieces: Iterable[tuple[str, str]]) -> tuple[str, str]:
    chosen = list(pieces)
    return "\n".join(html for html, _ in chosen), "\n".join(text for _, text in chosen if text)


def _paragraph(text: str) -> tuple[str, str]:
    return f"<p>{escape(text)}</p>", text


def _heading(text: str) -> tuple[str, str]:
    return f"<h2>{escape(text)}</h2>", text


def capital(text: str) -> str:
    """The text with a capital letter first, after a quotation mark too."""
    return re.sub(r"\w", lambda match: match[0].upper(), text, count=1)


PHRASES: Mapping[str, Mapping[str, list[str]]] = {
    language: {key: text if isinstance(text, list) else text.split("|") for key, text in table.items()}
    for language, table in tomllib.loads((Path(__file__).parent / "phrases.toml").read_text("utf-8")).items()
}
