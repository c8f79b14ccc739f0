"""Apply the conventions on what counts as main text where people differ, which are decided and not learned.

docs/main-text.md has all conventions; those that the classifier learns from examples are not here.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from itertools import groupby

from msgspec.structs import replace

from newscorpus.config import Part
from newscorpus.data import Block, Element, Fields, Label
from newscorpus.page.parsing.segment import elements_around
from newscorpus.page.text.features.phrases import PHRASES
from newscorpus.page.text.post_analysis.headline import Labelled, possible_headlines
from newscorpus.tokens import count_words

CELL_MARK = " | "
"""Between the cells of a row, which makes one line."""
MAX_CELL_CHARACTERS = 200
"""Longer cells hold the columns of a page whose layout is a table; chosen, two or three lines."""
MAX_BOX_SHARE = 0.5
"""Share of the main text above which what is called a box, or stands in one link, is the article itself."""

_POST = re.compile(
    r"\b(?:twitter-(?:tweet|video)|instagram-media|tiktok-embed|bluesky-embed|mastodon-embed|text-post-media"
    r"|reddit-(?:card|embed)|fb-xfbml|imgur-embed)"
)
"""Classes of the quotation that social networks have sites put where a script will show a post."""
_SIGNATURE = re.compile(r"[—–―-]+\s*[^()]{1,80}\(@[\w.@-]+\)[^()]{0,60}")
"""The last line of a quoted post, "— Name (@user) March 3, 2025": who wrote it, and when."""
_SHARED = re.compile(r"[^().!?]{1,80}\(@[\w.@-]+\)[^()]{0,60}")
"""The same as other networks have it: "A post shared by Name (@user)"."""
_QUOTING = ("blockquote", "figure")
"""Elements that hold a quotation and its source."""
_BOX = re.compile(
    r"(?:fact|info|summary|key)[-_]?box|key[-_]?(?:point|fact|takeaway)|fakten|faktaruta|callout", re.IGNORECASE
)
"""Classes and ids of boxes that sum an article up or add facts to it."""

BYLINE, ADVERT_LABEL, SIGNATURE, CARD = "byline", "advert_label", "signature", "card"
"""Reasons of blocks that are left out."""
QUOTATION, ATTRIBUTION, CELL = "quotation", "attribution", "cell"
"""Reasons of blocks that are kept: what is quoted amid the text, and who; cells of a row that is text."""
MAX_BYLINE_CHARACTERS, MAX_BYLINE_WORDS = 250, 6
"""Longest byline with the headline before it, and the most words beside the names: "updated", months, "min read"."""
MIN_HEADLINE = 3
"""Words of the shortest headline that is looked for before a byline."""
NEAR_ENDS = 3
"""Good blocks from either end of the text among which a byline stands."""
_WORD = re.compile(r"[^\W\d_]+")
_ADVERT_LABELS = frozenset(phrase.strip() for phrase in PHRASES["continues"].split("|"))


def apply_conventions(labelled: Labelled, fields: Fields, leave_out: Collection[Part] = ()) -> Labelled:
    """Keep embedded posts, quotations and whole rows amid the main text; leave out the parts in `leave_out`.

    Bylines, signatures of posts and labels of advertising are left out too. What changes has the name of the part
    among its reasons.
    """
    blocks = [item.block for item in labelled]
    posts = find_posts(blocks)
    if posts and Part.EMBEDDED_POSTS not in leave_out:
        labelled = _relabel(labelled, _amid_text(labelled, posts), Part.EMBEDDED_POSTS, Label.GOOD)
    labelled = _relabel(labelled, _quotations(labelled), QUOTATION, Label.GOOD)
    labelled = _relabel(labelled, _attributions(labelled), ATTRIBUTION, Label.GOOD)
    labelled = _relabel(labelled, _cells(labelled), CELL, Label.GOOD)
    labelled = _relabel(labelled, _small_parts(labelled, _find_cards(blocks)), CARD, Label.BAD)
    labelled = _relabel(labelled, _signatures(labelled, posts), SIGNATURE, Label.BAD)
    labelled = _relabel(labelled, _bylines(labelled, fields), BYLINE, Label.BAD)
    labelled = _relabel(labelled, _advert_labels(labelled), ADVERT_LABEL, Label.BAD)
    if Part.EMBEDDED_POSTS in leave_out:
        labelled = _relabel(labelled, posts, Part.EMBEDDED_POSTS, Label.BAD)
    if Part.TABLES in leave_out:
        cells = {at for at, block in enumerate(blocks) if _row_of(block)}
        labelled = _relabel(labelled, cells, Part.TABLES, Label.BAD)
    if Part.BOXES in leave_out:
        labelled = _relabel(labelled, _small_parts(labelled, _find_boxes(blocks)), Part.BOXES, Label.BAD)
    return labelled


def lacks_parts(labelled: Labelled, leave_out: Collection[Part]) -> bool:
    """Whether parts that `leave_out` names were taken out of the text."""
    return any(reason in leave_out for item in labelled for reason in item.reasons)


def lines_of(labelled: Labelled) -> list[str]:
    """The texts of the good blocks, in order; the cells of a row of a table are one line."""
    good = (item.block for item in labelled if item.label is Label.GOOD)
    rows = groupby(good, lambda block: _row_of(block) or block.position)
    return [CELL_MARK.join(block.text for block in row) for _, row in rows]


def _row_of(block: Block) -> Element | None:
    """The row of a table of data of which a block is a cell."""
    element, row = block.element, block.element.parent
    is_cell = element.tag in ("td", "th") and block.whole and len(block.text) <= MAX_CELL_CHARACTERS
    return row if is_cell and row is not None and row.tag == "tr" else None


def find_posts(blocks: Sequence[Block]) -> dict[int, Element]:
    """The embedded posts of social media, each by the places of its blocks."""
    return _find_parts(blocks, lambda element: element.tag == "blockquote" and bool(_POST.search(element.classes)))


def _find_boxes(blocks: Sequence[Block]) -> dict[int, Element]:
    """The same for boxes beside the running text."""
    return _find_parts(blocks, lambda each: each.tag == "aside" or bool(_BOX.search(f"{each.classes} {each.id}")))


def _find_parts(blocks: Sequence[Block], is_part: Callable[[Element], bool]) -> dict[int, Element]:
    """By the places of the blocks that stand in parts of one kind the outermost part; each element is asked once."""
    parts = {each for each in elements_around(blocks) if is_part(each)}
    if not parts:  # as on most pages
        return {}
    around = ((at, next(filter(parts.__contains__, block.element.ancestry), None)) for at, block in enumerate(blocks))
    return {at: part for at, part in around if part}


def _amid_text(labelled: Labelled, posts: dict[int, Element]) -> set[int]:
    """The places of the posts whose nearest surroundings hold main text; what is nothing but a link is no post."""
    others = [item for at, item in enumerate(labelled) if at not in posts]
    around = {each for item in others for each in item.block.element.ancestry}
    around_text = {each for item in others if item.label is Label.GOOD for each in item.block.element.ancestry}

    def is_amid_text(post: Element) -> bool:
        here = post.parent
        while here is not None and here not in around:
            here = here.parent
        return here in around_text

    amid = {post for post in posts.values() if is_amid_text(post)}
    blocks = {at: labelled[at].block for at, post in posts.items() if post in amid}
    return {at for at, block in blocks.items() if block.link_text != block.text}


def _signatures(labelled: Labelled, posts: Collection[int]) -> set[int]:
    """The places of the good blocks in quotations that only say who wrote a post, and when."""
    good = ((at, item.block) for at, item in enumerate(labelled) if item.label is Label.GOOD)
    return {
        at
        for at, block in good
        if (_SIGNATURE.fullmatch(block.text) and _is_quoted(block)) or (at in posts and _SHARED.fullmatch(block.text))
    }


def _quotations(labelled: Labelled) -> set[int]:
    """The places of the blocks of quotations that stand between two blocks of text in one element."""
    parts = _find_parts([item.block for item in labelled], lambda element: element.tag in _QUOTING)
    found = set[int]()
    for part, group in groupby(parts, parts.__getitem__):
        places = list(group)
        around = [labelled[at] for at in (places[0] - 1, places[-1] + 1) if 0 <= at < len(labelled)]
        is_amid = len(around) == 2 and all(
            item.label is Label.GOOD and part.parent in item.block.element.ancestry for item in around
        )
        quoted = [at for at in places if _is_quoted(labelled[at].block)] if is_amid else []
        if quoted and labelled[quoted[0]].block.link_text != labelled[quoted[0]].block.text:
            found.update(quoted)
    return found


def _attributions(labelled: Labelled) -> set[int]:
    """The places of the blocks that say in `<cite>` who is quoted, below a quotation that is text."""
    cited = ((at, item.block) for at, item in enumerate(labelled) if at and "cite" in item.block.inline)
    return {
        at for at, block in cited if labelled[at - 1].label is Label.GOOD and _quotes(labelled[at - 1].block, block)
    }


def _quotes(said: Block, source: Block) -> bool:
    """Whether both stand in one quotation, or one figure around it."""
    holder = _holder(source, *_QUOTING)
    return holder is not None and holder in said.element.ancestry and _is_quoted(said)


def _is_quoted(block: Block) -> bool:
    """Whether a block stands in a quotation, and there in no caption."""
    holder = _holder(block, "blockquote", "figcaption")
    return holder is not None and holder.tag == "blockquote"


def _holder(block: Block, *tags: str) -> Element | None:
    """The innermost element around a block, or its own, that has one of these tags."""
    return next((each for each in reversed(block.element.ancestry) if each.tag in tags), None)


def _cells(labelled: Labelled) -> set[int]:
    """The places of the cells in rows of which a cell is text, and of all cells where half of a table's rows are."""
    rows = {at: row for at, item in enumerate(labelled) if (row := _row_of(item.block))}
    good = {row for at, row in rows.items() if labelled[at].label is Label.GOOD}
    n_rows = Counter(row.parent for row in {*rows.values()})
    n_good = Counter(row.parent for row in good)
    return {at for at, row in rows.items() if row in good or 2 * n_good[row.parent] >= n_rows[row.parent]}


def _bylines(labelled: Labelled, fields: Fields) -> set[int]:
    """The places of the first and last good blocks that are bylines, or the headline with one, or dates."""
    names = [words for author in fields.authors if (words := _letters(author))]
    headlines = [_letters(" ".join(words)) for words in possible_headlines(fields.title) if len(words) >= MIN_HEADLINE]
    good = [at for at, item in enumerate(labelled) if item.label is Label.GOOD]
    outer = {at: labelled[at].block for at in (*good[:NEAR_ENDS], *good[-NEAR_ENDS:])}
    return {
        at
        for at, block in outer.items()
        if len(block.text) <= MAX_BYLINE_CHARACTERS and (is_byline(block.text, names, headlines) or is_date_line(block))
    }


def is_date_line(block: Block) -> bool:
    """Whether a block holds a `<time>`, and hardly more."""
    is_short = len(_letters(block.text)) <= MAX_BYLINE_WORDS
    return is_short and "time" in block.inline and any(map(str.isdecimal, block.text))


def is_byline(text: str, names: Sequence[Sequence[str]], headlines: Sequence[Sequence[str]]) -> bool:
    """Whether a text holds a number, an author's name or the headline before it, and hardly more."""
    words = _letters(text)
    headline = max((each for each in headlines if words[: len(each)] == each), key=len, default=())
    rest = frozenset(words[len(headline) :])
    found = {word for name in names if rest.issuperset(name) for word in name}
    is_signed = bool(found) or (bool(headline) and bool(rest))
    return is_signed and len(rest - found) <= MAX_BYLINE_WORDS and any(map(str.isdecimal, text))


def _letters(text: str) -> list[str]:
    """The words of a text, case folded, without digits: dates often touch the names before them."""
    return _WORD.findall(text.casefold())


def _advert_labels(labelled: Labelled) -> set[int]:
    """The places of good blocks that only say that advertising is near, or that the text goes on below."""
    most = max(map(len, _ADVERT_LABELS)) + 1
    good = ((at, item.block.text) for at, item in enumerate(labelled) if item.label is Label.GOOD)
    return {at for at, text in good if len(text) <= most and " ".join(_letters(text)) in _ADVERT_LABELS}


def _small_parts(labelled: Labelled, parts: dict[int, Element]) -> set[int]:
    """The places of the blocks in parts that hold no more than half of the main text."""
    words = {at: count_words(item.block.text) for at, item in enumerate(labelled) if item.label is Label.GOOD}
    most = MAX_BOX_SHARE * sum(words.values())
    held = Counter[Element]()
    for at, part in parts.items():
        held[part] += words.get(at, 0)
    return {at for at, part in parts.items() if held[part] <= most}


def _find_cards(blocks: Sequence[Block]) -> dict[int, Element]:
    """The links around several blocks, as around a teaser's headline and text, each by the places of its blocks."""
    links = _find_parts(blocks, lambda element: element.tag == "a")
    sizes = Counter(links.values())
    return {at: link for at, link in links.items() if sizes[link] > 1}


def _relabel(labelled: Labelled, chosen: Collection[int], reason: str, label: Label) -> Labelled:
    if not chosen:
        return labelled
    return tuple(
        replace(item, label=label, reasons=(*item.reasons, reason))
        if at in chosen and item.label is not label
        else item
        for at, item in enumerate(labelled)
    )
