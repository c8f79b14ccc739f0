"""What the reader of the page sees: headline and time elements."""

from collections.abc import Iterator

from newscorpus.data import Evidence
from newscorpus.extraction.fields.clean import plain
from newscorpus.extraction.fields.markup import Markup

MAX_HEADLINE = 300
"""Longest headline, in characters; the longest of the real pages has 226."""
UPDATE_WORDS = (
    "updat",
    "modif",
    "aktualis",
    "aktualiz",
    "ažurir",
    "posodob",
    "обновл",
    "оновл",
    "mise à jour",
    "ενημέρ",
)
"""Beginnings of words that tell an update from a first publication, lower case."""


def read_visible(markup: Markup) -> Iterator[Evidence]:
    """Evidence of the headings and of the `<time>` elements, in document order."""
    for heading in markup.headings:
        text = plain(heading.text_content(), MAX_HEADLINE)
        if text and not _is_logo(heading.get("class", "")):
            yield Evidence("title", text, "heading")
    for element in markup.times:
        marks = " ".join(
            (element.get("class", ""), element.get("itemprop", ""), element.getparent().get("class", ""))
        ).lower()
        text = element.get("datetime") or element.text_content()
        if value := plain(text, 100):
            yield Evidence(
                "modified" if any(word in marks for word in UPDATE_WORDS) else "published", value, "time-tag"
            )


def _is_logo(classes: str) -> bool:
    return any(word in classes.lower() for word in ("logo", "site-title", "sitename", "brand"))
