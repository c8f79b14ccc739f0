"""Pages of a portal as a model sees them that takes a call to subscribe for text."""

from collections.abc import Sequence

from newscorpus.data import Label, LabelledBlock, Page
from newscorpus.page.extractor import PreparedPage, read
from newscorpus.page.profiles.learn import SeenPage

TEXT = ("It rained over {} all night.", "The river {} came close to its banks, said the mayor.")
SUBSCRIBE = "Subscribe to our newsletter and never miss a story."


def town(number: int) -> str:
    """A name for each number, since texts that differ by their digits are alike."""
    return f"Town{chr(ord('a') + number % 26)}{chr(ord('a') + number // 26)}"


def page_html(number: int, extra: str = "", names: str = "story") -> str:
    """A page of a portal: menu, headline, day, two paragraphs of its own, a call to subscribe, `extra`."""
    own = "".join(f"<p>{text.format(town(number))}</p>" for text in TEXT)
    return (
        f"<html><body class='page-id-{number}'><ul class='menu'><li>News</li><li>Sport</li></ul>"
        f"<div class='{names} css-1x2y3z' id='post-{number}'><h1>Rain in {town(number)}</h1>"
        f"<div class='day'>{number % 27 + 1}. 3. 2024</div>{own}<p>{SUBSCRIBE}</p></div>{extra}</body></html>"
    )


def seen(document: str, html: str, good: Sequence[str], title: str = "") -> SeenPage:
    """A page whose main text is the blocks with one of the beginnings `good`."""
    prepared = read(Page.from_html(html))
    assert isinstance(prepared, PreparedPage)
    blocks = [(block, block.text.startswith(tuple(good))) for block in prepared.blocks]
    labelled = (
        LabelledBlock(block, 0.9 if is_good else 0.1, Label.GOOD if is_good else Label.BAD) for block, is_good in blocks
    )
    return SeenPage(document, tuple(labelled), title)


def seen_pages(count: int) -> list[SeenPage]:
    """Pages of a portal, on which the call to subscribe is taken for text."""
    good = ("It rained", "The river", "Subscribe")
    return [seen(f"{at:016x}", page_html(at), good, f"Rain in {town(at)}") for at in range(count)]
