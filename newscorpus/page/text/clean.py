"""Settle the conventions on the main text, and leave out a site's additions to its articles.

The conventions (docs/main-text.md) settle cases on which people disagree; they are decided, not learned. Additions
(consent forms, appeals, notes, readers' comments) look like running text; each is recognised by two signs: a phrase or
name, and its place. `additions.toml` has the phrases.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby, pairwise, takewhile
from typing import Final

import numpy as np

from newscorpus.arrays import Floats
from newscorpus.config import Part
from newscorpus.data import Block, Element, Fields, Label
from newscorpus.page.fields.people import agencies_alone, without_prefix
from newscorpus.page.parsing.segment import elements_around
from newscorpus.page.text.features import FEATURES, PageFeatures
from newscorpus.page.text.features.wording import PHRASES
from newscorpus.page.text.post_analysis import (
    Labelled,
    is_heading,
    is_phrase,
    lower_words,
    phrase_key,
    relabel,
)
from newscorpus.resources import read_toml
from newscorpus.tokens import count_words, word_ngrams

CELL_MARK = " | "
"""Separator of the cells of a row, which becomes one line."""
MAX_CELL_CHARACTERS = 200
"""Longer cells are columns of a table layout (a choice: two or three lines)."""
MAX_BOX_SHARE = 0.5
"""A box or link with a larger share of the main text is the article itself."""

_POST = re.compile(
    r"\b(?:twitter-(?:tweet|video)|instagram-media|tiktok-embed|bluesky-embed|mastodon-embed|text-post-media"
    r"|reddit-(?:card|embed)|fb-xfbml|imgur-embed)"
)
"""Classes of the quotations that embed posts of social networks until a script renders them."""
_SIGNATURE = re.compile(r"(?:[—–―-]+\s*[^()]{1,80}|[^().!?]{1,80})\(@[\w.@-]+\)[^()]{0,60}")
"""The last line of a post, "— Name (@user) March 3, 2025" or "A post shared by Name (@user)"; outside a quotation only
with the dash, and the year at its end."""
_QUOTING = ("blockquote", "figure")
"""Elements that hold a quotation and its source."""
_BOX = re.compile(
    r"(?:fact|info|summary|key)[-_]?box|key[-_]?(?:point|fact|takeaway)|fakten|faktaruta|callout", re.IGNORECASE
)
"""Classes and ids of boxes with summaries or facts."""

BYLINE, ADVERT_LABEL, SIGNATURE, CARD = "byline", "advert_label", "signature", "card"
CREDIT, CAPTION, POINTER, POLL, PULL_QUOTE = "credit", "caption", "pointer", "poll", "pull_quote"
"""Reasons of blocks that are left out."""
QUOTATION, ATTRIBUTION, CELL, DROP_CAP = "quotation", "attribution", "cell", "drop_cap"
"""Reasons of kept blocks: quotations amid the text, attributions, cells of rows that are text, first letters."""
MAX_BYLINE_CHARACTERS, MAX_BYLINE_WORDS = 250, 6
"""Longest byline, headline included, and its maximum number of words beside names: "updated", months, "min read"."""
MIN_HEADLINE = 3
"""Minimum number of different words of a headline recognised before a byline."""
MAX_SMALL_WORDS = 2
"""Maximum number of words in lower case of a line of the day and names at the beginning: "a.m.", "and"."""
NEAR_ENDS = 3
"""Bylines are among this many good blocks from either end of the text."""
_WORD, _NUMBER = re.compile(r"[^\W\d_]+"), re.compile(r"\d+")
MAX_CREDIT, MAX_CAPTION = 100, 300
"""Maximum number of characters of a credit line, "Photo: Name / Agency" (a choice: a line), and of a caption."""
_IN_CELLS = ("p", "div")
_PULLED = re.compile(
    r"pull-?(?:quote|out)|quote-?pull|blockquote|zitat|cytat|citat|destacado|highlight|istaknut|izpostavljen|kiemel",
    re.IGNORECASE,
)
"""Classes of quotations set apart."""
MIN_PULLED = 7
"""Minimum number of words of a pull quote, since fewer are in two paragraphs by chance."""
MAX_POINTER = 45
"""Maximum number of characters of a phrase before links (the longest of end_phrases.toml has 43)."""
MAX_LINKED = 200
"""Maximum number of characters of a headline below such a phrase; a longer link is a paragraph (a choice)."""
MAX_BESIDE = 6
"""Maximum number of blocks of boxes between a quotation and the text around it (a choice: heading and some lines)."""
_POLL = re.compile(
    r"(?:^|[\s_-])(?:polls?|anket[ay]|ankiet[ay]|sonda|sondage|umfrage|omrostning|opros|quiz|kviz)(?=[\s_-]|$)"
)
"""Classes and ids of boxes with a poll or quiz, lower case."""
_PARTS_OF_POLLS = ("poll", "anket", "ankiet", "sonda", "umfrage", "omrostning", "opros", "quiz", "kviz")
_PARTS_OF_CONSENT = ("onetrust", "didomi", "cookie", "consent", "gdpr", "ccpa", "privacy")
"""One of these is in every match of `_POLL`, and one in every match of `_CONSENT`: they are found ten times as fast."""
_ADVERT_LABELS = frozenset(phrase.strip() for phrase in PHRASES["continues"].split("|"))
_MAX_ADVERT_LABEL = max(map(len, _ADVERT_LABELS)) + 1
_MAX_CONTINUES = 60
"""Maximum number of characters of a line such as "Story continues below photo" (a choice)."""
_POINTERS = tuple(PHRASES["more"].split("|"))

LEAD, DESCRIBED = "lead", "described"
"""Reasons of a doubtful lead, and of blocks that the page's description chose, or ruled out."""
MAX_FUNCTION_WORD = 3
"""Characters of words too short to tell what a text is about."""
MIN_TOPIC, MAX_ON_TOPIC = 5, 0.05
"""Minimum number of words that tell a page's topic, and maximum share of them in a text that is off topic."""
LEAST_SURE = 0.7
"""A text without a block of this probability gives way, too: with 0.7 F1 changes on 12 more of 3,688 articles out of
fold than with 0.6, by +3.6 in sum, with 0.8 by +1.5 (2026-11)."""
RUN, MIN_REPEATED = 5, 0.5
"""Words of a run, and minimum share of the shorter side's runs that a block and the description have in common."""

CONSENT, APPEAL, NOTE, COMMENTS, SUMMARY = "consent_form", "appeal", "note_below", "comments", "machine_summary"
TEASERS, SIGN_UP = "teasers", "sign_up"
"""Reasons of the blocks that are left out."""

_BIO_BOX = re.compile(
    r"(?:^|\s)(?:(?:post|entry|article)[-_]+)?(?:author[-_]*(?:bio|box|about)|about[-_]*(?:the[-_]*)?author)(?=\s|$)"
)
"""Classes of a box about the author."""
_CONSENT = re.compile(
    r"(?:^|\s)(?:onetrust|didomi|cookiebot|(?:cookies?|consent|gdpr|ccpa|privacy)[-_]"
    r"(?:banner|bar|box|form|layer|message|modal|notice|overlay|popup|pref|settings|wall)|embed[a-z]*[-_]consent)"
)
"""Beginnings of the classes and ids of consent forms, lower case, by vendor; not of tags ("tag-cookies")."""
_FORMS = frozenset(("div", "section", "aside", "dialog", "form"))
MIN_APPEALS = 3
"""Minimum number of distinct phrases in an appeal for money; advice may say "donate" and "donations"."""
MIN_APPEALING, MAX_APPEAL = 0.4, 0.5
"""Minimum share of appealing blocks in the box, and maximum share of the box in the text, else about giving."""
MAX_SIGN_UP_BLOCKS, MAX_SIGN_UP_WORDS = 4, 60
"""Maximum number of blocks and words above the field and button of such a box (choices): heading and some lines."""
NEAR_END = 3
"""Blocks at the end of a text that may be notes."""
MAX_NOTE_WORDS = 70
MIN_RIGHTS = 2
"""Minimum number of phrases of a note on rights: "All rights reserved. This material may not be published"."""
MIN_WORDS, MIN_SHARE = 60, 0.3
"""Minimum text before readers' comments, in words and as a share: earlier mentions are links to the comments."""
MAX_HEADING_WORDS = 10
"""Longest heading of comments, numbers and names of sites included."""
MIN_STATEMENT = 4
"""Minimum number of words of a heading that is no link to the comments below the text: "Comments are now closed"."""
MAX_TIME_WORDS = 12
"""Maximum number of words of a line with the time of a teaser or comment."""
MIN_SIGNED = 3
"""Minimum number of lines with a time below a heading of comments that is doubted otherwise. Out of fold the six pages
of 3,688 with seven or more rise by 0.6 of F1, and the one with none would fall (2026-11)."""
_TIME = re.compile(
    r"(?<!\d)(?:\d{1,2}[:.h]\d\d|\d{1,2}[./-] ?\d{1,2}[./-]|\d{1,2}[a-z]{0,2}\W{1,2}(?:\w+\W{1,2})?(?:19|20)\d\d"
    r"|(?:19|20)\d\d(?:[./-] ?|年)\w+)(?!\d)"
)
"""A time of day, or a date; a year alone may be that of a book."""
NEAR_TOP = 15
"""Maximum number of blocks between the label of a machine's summary and the first good block."""

_PHRASES: Final[Mapping[str, Mapping[str, Sequence[str]]]] = read_toml(__package__, "additions.toml")


def _keys_of(kind: str) -> frozenset[tuple[str, ...]]:
    """Return the keys of the phrases of a kind in `additions.toml`."""
    return frozenset(phrase_key(phrase) for listed in _PHRASES[kind].values() for phrase in listed)


def _any_of(kind: str) -> str:
    """Return a pattern of the phrases of a kind in `additions.toml`."""
    return "|".join(re.escape(phrase) for listed in _PHRASES[kind].values() for phrase in listed)


_COMMENT_HEADINGS, SPONSORED_LABELS = map(_keys_of, ("comments", "sponsored"))
_OPENS_NOTE, _CONTINUES = (re.compile(rf"\W*(?:{_any_of(kind)})", re.IGNORECASE) for kind in ("entry", "continues"))
_SUMMARIES = tuple(word for listed in _PHRASES["summary"].values() for word in listed)
_BY_MACHINE = re.compile(rf"\b(?:{_any_of('machine')})\b")


def _pattern_of(kind: str) -> re.Pattern[str]:
    """Return the pattern of the phrases of a kind in `features/phrases.toml`, whole words."""
    phrases = sorted(filter(None, map(str.split, PHRASES[kind].split("|"))), key=len, reverse=True)
    either = "|".join(r"\W+".join(map(re.escape, each)) for each in phrases)
    return re.compile(rf"\b(?:{either})\b", re.IGNORECASE)


_DONATE, _RIGHTS, _BIO = map(_pattern_of, ("donate", "rights", "author"))
_OPENS_CREDIT = re.compile(rf"\W*{_pattern_of('credit').pattern}\s*[:：©]", re.IGNORECASE)
_CREDITS = rf"(?:{_pattern_of('credit').pattern}|\b(?:{_any_of('photographer')})\b)"
_ENDS_IN_CREDIT = re.compile(
    rf"[(\[/|]\s*{_CREDITS}[^()\[\]]{{2,80}}[)\]/.]+$|[.!?…»”\"]\s+{_CREDITS}(?:\s*[:：©][^!?]{{2,80}}|[^.!?]{{2,60}})$",
    re.IGNORECASE,
)
"""A caption's last words: "(Photo: Name)", "/Fot. Name/", or after a sentence "Foto: Name"."""
_DONATE_COLUMN, _RIGHTS_COLUMN = map([*FEATURES].index, ("says_donate", "says_rights"))


def clean(labelled: Labelled, features: PageFeatures, fields: Fields, leave_out: Collection[Part] = ()) -> Labelled:
    """Leave out the site's additions, and settle the conventions; changed blocks get the rule's name as a reason.

    Kept are embedded posts, quotations and whole rows amid the main text. Left out are pull quotes, polls, links to
    other articles, signatures of posts, bylines, labels of advertising, credits, captions, and the parts in
    `leave_out`. A text that is off topic, or without a block of which the classifier is sure, gives way to the block
    that repeats the page's description.
    """
    blocks = [item.block for item in labelled]
    around = elements_around(blocks)
    names = {each: f"{each.classes} {each.id}" for each in around}
    additions = _additions(labelled, features, fields, names)
    for kind in (COMMENTS, NOTE, APPEAL, SUMMARY, TEASERS, CONSENT, SIGN_UP):
        labelled = relabel(labelled, {at for at, each in additions.items() if each == kind}, Label.BAD, kind)

    embedded = {each for each in around if each.tag == "blockquote" and _POST.search(each.classes)}
    posts = _find_parts(blocks, around, embedded)
    rows = _rows(blocks)
    if posts and Part.EMBEDDED_POSTS not in leave_out:
        labelled = relabel(labelled, _amid_text(labelled, posts), Label.GOOD, Part.EMBEDDED_POSTS)
    labelled = relabel(labelled, _quotations(labelled, around), Label.GOOD, QUOTATION)
    labelled = relabel(labelled, _pull_quotes(labelled), Label.BAD, PULL_QUOTE)
    labelled = relabel(labelled, _attributions(labelled), Label.GOOD, ATTRIBUTION)
    polls = _find_parts(blocks, around, find_named(names, _POLL, _PARTS_OF_POLLS))
    # Together, since a quiz or survey may consist of them
    labelled = relabel(labelled, _small_parts(labelled, dict.fromkeys(polls, POLL)), Label.BAD, POLL)
    labelled = relabel(labelled, _pointers(labelled), Label.BAD, POINTER)
    # Rows with a text cell, and all rows of a table where half of them have one
    good_rows = {row for at, row in rows.items() if labelled[at].is_good}
    n_rows, n_good = (Counter(row.parent for row in some) for some in ({*rows.values()}, good_rows))
    cells = {at for at, row in rows.items() if row in good_rows or 2 * n_good[row.parent] >= n_rows[row.parent]}
    labelled = relabel(labelled, cells, Label.GOOD, CELL)

    links = _find_parts(blocks, around, {each for each in around if each.tag == "a"})
    sizes = Counter(links.values())
    cards = {at: link for at, link in links.items() if sizes[link] > 1}  # as around a teaser's headline and text
    labelled = relabel(labelled, _small_parts(labelled, cards), Label.BAD, CARD)
    signatures = {
        at
        for at, block in _good(labelled)
        if _SIGNATURE.fullmatch(block.text)
        and (_is_quoted(block) or (block.text[-4:].isdecimal() and not block.text[0].isalpha()))
    }
    labelled = relabel(labelled, signatures, Label.BAD, SIGNATURE)
    labelled = relabel(labelled, _bylines(labelled, fields), Label.BAD, BYLINE)
    for kind, found in _lines_between(labelled).items():
        labelled = relabel(labelled, found, Label.BAD, kind)
    labelled = relabel(labelled, _drop_caps(labelled), Label.GOOD, DROP_CAP)
    labelled = relabel(labelled, _shown_lead(labelled, fields), Label.GOOD, LEAD)

    if Part.EMBEDDED_POSTS in leave_out:
        labelled = relabel(labelled, posts, Label.BAD, Part.EMBEDDED_POSTS)
    if Part.TABLES in leave_out:
        labelled = relabel(labelled, rows, Label.BAD, Part.TABLES)
    if Part.BOXES in leave_out:
        boxes = {each for each in around if each.tag == "aside" or _BOX.search(names[each])}
        labelled = relabel(labelled, _small_parts(labelled, _find_parts(blocks, around, boxes)), Label.BAD, Part.BOXES)
    good = _good(labelled)
    is_doubtful = all(labelled[at].score < LEAST_SURE for at, _ in good)
    is_foreign = is_doubtful or is_off_topic((block.text for _, block in good), fields)
    if is_foreign and (described := _described(labelled, fields)):
        labelled = relabel(labelled, {at for at, _ in good} - described, Label.BAD, DESCRIBED)
        labelled = relabel(labelled, described, Label.GOOD, DESCRIBED)
    return labelled


def _shown_lead(labelled: Labelled, fields: Fields) -> list[int]:
    """Return the index of the lead as the page shows it, if it is an almost good block above the text."""
    begin = next((at for at, item in enumerate(labelled) if item.is_good), 0)
    lead = lower_words(fields.lead) if fields.provenance.lead == "text" else ()
    above = [at for at in range(begin) if labelled[at].label is Label.ALMOST] if lead else []
    return [at for at in above if lower_words(labelled[at].block.text) == lead][-1:]


def _lines_between(labelled: Labelled) -> dict[str, set[int]]:
    """Return the indices of labels of advertising, and of credits and captions, by reason; never of the whole text."""
    found: dict[str, set[int]] = {ADVERT_LABEL: set(), CREDIT: set(), CAPTION: set()}
    good = _good(labelled)
    for at, block in good:
        if kind := kind_of_line(block.text):
            found[kind].add(at)
        elif len(block.text) <= MAX_CAPTION and "img" in block.inline:
            # "(pictured below)" names nobody
            credit = _ENDS_IN_CREDIT.search(block.text)
            found[CAPTION] |= {at} if credit and (":" in credit[0] or any(map(str.isupper, credit[0]))) else set()
    found[CREDIT] |= {at for at, block in good[-NEAR_ENDS:] if agencies_alone(block.text)}
    return found if sum(map(len, found.values())) < len(good) else {ADVERT_LABEL: found[ADVERT_LABEL]}


def kind_of_line(text: str) -> str:
    """Return the reason to leave out a line, if it is a label of advertising or a credit; "" for other lines."""
    is_label = len(text) <= _MAX_ADVERT_LABEL and " ".join(_letters(text)) in _ADVERT_LABELS
    if is_label or (len(text) <= _MAX_CONTINUES and _CONTINUES.match(text)):
        return ADVERT_LABEL
    return CREDIT if len(text) <= MAX_CREDIT and _OPENS_CREDIT.match(text) else ""


def is_off_topic(texts: Iterable[str], fields: Fields) -> bool:
    """Tell whether texts have nearly no word of the headline and description: an appeal, the presentation of a blog."""
    topic = {word for word in lower_words(f"{fields.title} {fields.description}") if len(word) > MAX_FUNCTION_WORD}
    on_topic = set[str]()
    for text in texts:
        on_topic |= topic.intersection(lower_words(text))
        if len(on_topic) > MAX_ON_TOPIC * len(topic):  # mostly after the first paragraph
            return False
    return len(topic) >= MIN_TOPIC


def lines_of(labelled: Labelled) -> list[str]:
    """Return the texts of the good blocks, in order; the cells of a table row form one line."""
    rows = _rows([item.block for item in labelled])
    grouped = groupby(_good(labelled), lambda item: rows.get(item[0]) or item[0])
    lines = [CELL_MARK.join(block.text for _, block in row) for _, row in grouped]
    for at in range(len(lines) - 1, 0, -1):
        if _is_drop_cap(*lines[at - 1 : at + 1]):
            lines[at - 1 : at + 1] = [lines[at - 1] + lines[at]]
    return lines


def _drop_caps(labelled: Labelled) -> set[int]:
    """Return the indices of first letters above the good blocks that they begin."""
    texts = [item.block.text for item in labelled]
    return {at - 1 for at, block in _good(labelled) if at and _is_drop_cap(texts[at - 1], block.text)}


def _is_drop_cap(text: str, below: str) -> bool:
    """Tell whether a text is the first letter of the paragraph below."""
    return len(text) == 1 and text.isupper() and below[:1].islower()


def _good(labelled: Labelled) -> list[tuple[int, Block]]:
    """List the good blocks with their indices."""
    good = Label.GOOD
    return [(at, item.block) for at, item in enumerate(labelled) if item.label is good]


def _rows(blocks: Sequence[Block]) -> dict[int, Element]:
    """Map the indices of cells of data tables to their rows; a cell may hold its text in a paragraph."""
    cells: dict[int, Element] = {}
    for at, block in enumerate(blocks):
        element, parent = block.element, block.element.parent
        cell = parent if element.tag in _IN_CELLS and parent else element
        if cell.tag in ("td", "th"):
            cells[at] = cell
    sizes = Counter(cells.values())
    return {
        at: row
        for at, cell in cells.items()
        if (row := cell.parent)
        and row.tag == "tr"
        and sizes[cell] == 1
        and blocks[at].whole
        and len(blocks[at].text) <= MAX_CELL_CHARACTERS
    }


def find_named(names: Mapping[Element, str], pattern: re.Pattern[str], parts: Iterable[str]) -> set[Element]:
    """Return the elements whose `names`, in lower case, match; one of `parts`, found faster, is in every match."""
    joined = "\n".join(names.values()).lower()
    may_match = any(map(joined.__contains__, parts))
    return {each for each, name in names.items() if pattern.search(name.lower())} if may_match else set()


def _find_parts(blocks: Sequence[Block], around: Iterable[Element], parts: Collection[Element]) -> dict[int, Element]:
    """Map the indices of blocks in any of `parts` to the outermost one, given the elements around all blocks."""
    if not parts:  # as on most pages
        return {}
    outermost: dict[Element | None, Element | None] = {None: None}
    for each in around:
        outermost[each] = outermost[each.parent] or (each if each in parts else None)
    return {at: part for at, block in enumerate(blocks) if (part := outermost[block.element])}


def _small_parts(labelled: Labelled, parts: Mapping[int, Element | str]) -> set[int]:
    """Return the indices of blocks in parts with at most half of the main text."""
    if not parts:
        return set()
    words = {at: count_words(block.text) for at, block in _good(labelled)}
    most, held = MAX_BOX_SHARE * sum(words.values()), Counter[Element | str]()
    for at, part in parts.items():
        held[part] += words.get(at, 0)
    return {at for at, part in parts.items() if held[part] <= most}


def _amid_text(labelled: Labelled, posts: dict[int, Element]) -> set[int]:
    """Return the indices of posts amid main text; posts that are only a link are left out."""
    others = [item for at, item in enumerate(labelled) if at not in posts]
    around = {each for item in others for each in item.block.element.ancestry}
    around_text = {each for item in others if item.is_good for each in item.block.element.ancestry}
    nearest = {post: next(filter(around.__contains__, post.ancestry[::-1]), None) for post in {*posts.values()}}
    blocks = {at: labelled[at].block for at, post in posts.items() if nearest[post] in around_text}
    return {at for at, block in blocks.items() if not _is_link(block)}


def _quotations(labelled: Labelled, around: Collection[Element]) -> set[int]:
    """Return the indices of quotations between two blocks of text in the same element, small boxes left out."""
    quoting = {each for each in around if each.tag in _QUOTING}
    parts = _find_parts([item.block for item in labelled], around, quoting)
    found = set[int]()
    for part, group in groupby(parts, parts.__getitem__):
        places = list(group)
        first, end = places[0], places[-1] + 1
        sides = labelled[max(first - 1 - MAX_BESIDE, 0) : first], labelled[end : end + 1 + MAX_BESIDE]
        is_amid = all(
            any(item.is_good and part.parent in item.block.element.ancestry for item in side) for side in sides
        )
        quoted = [at for at in places if _is_quoted(labelled[at].block)] if is_amid else []
        if quoted and not _is_link(labelled[quoted[0]].block):
            found.update(quoted)
    return found


def _attributions(labelled: Labelled) -> set[int]:
    """Return the indices of attributions (`<cite>`) below a text in the same quotation."""
    found = set[int]()
    for at, (above, item) in enumerate(pairwise(labelled), 1):
        if not above.is_good:
            continue
        if "cite" in item.block.inline:
            said, holder = above.block, _holder(item.block, *_QUOTING)
            if holder is not None and holder in said.element.ancestry and _is_quoted(said):
                found.add(at)
    return found


def _is_quoted(block: Block) -> bool:
    """Tell whether a block stands in a quotation but in no caption."""
    holder = _holder(block, "blockquote", "figcaption")
    return holder is not None and holder.tag == "blockquote"


def _holder(block: Block, *tags: str) -> Element | None:
    """Return the innermost element around a block, or its own, with one of these tags."""
    return next((each for each in reversed(block.element.ancestry) if each.tag in tags), None)


def _pull_quotes(labelled: Labelled) -> set[int]:
    """Return the indices of quotations set apart that repeat a part of another block of text."""
    good = _good(labelled)
    apart = [
        at
        for at, block in good
        if _holder(block, "aside", *_QUOTING) or _PULLED.search(f"{block.element.classes} {block.parent.classes}")
    ]
    texts = {at: f" {' '.join(lower_words(block.text))} " for at, block in good} if apart else {}
    quotes = [at for at in apart if texts[at].count(" ") > MIN_PULLED]
    return {at for at in quotes if any(texts[at] in text and texts[at] != text for text in texts.values())}


def _pointers(labelled: Labelled) -> set[int]:
    """Return the indices of links to other articles after a phrase ("Read more: ..."), and of phrases above such links.

    A phrase alone is left out with the links below it, or where what stood below is left out.
    """
    found = set[int]()
    for at, block in _good(labelled):
        phrase, colon, rest = block.text.partition(":")
        if len(phrase) > MAX_POINTER or not is_phrase(phrase, _POINTERS):
            continue
        if colon and rest.strip():
            linked = block.link_text
            if 2 * len(linked) > len(rest) and block.text.endswith(linked[-MAX_POINTER:]):
                found.add(at)
            continue
        below = list(takewhile(lambda item: item.is_good and _is_headline(item.block), labelled[at + 1 :]))
        is_last = at + 1 + len(below) == len(labelled)
        if below or is_last or not labelled[at + 1].is_good:
            found.update(range(at, at + 1 + len(below)))
    return found


def _is_headline(block: Block) -> bool:
    """Tell whether a block may be the linked headline of another article."""
    return _is_link(block) and len(block.text) <= MAX_LINKED


def _is_link(block: Block) -> bool:
    """Tell whether all text of a block is a link."""
    return block.link_text == block.text


def _bylines(labelled: Labelled, fields: Fields) -> set[int]:
    """Return the indices of bylines, alone or after the headline, and dates among the first and last good blocks."""
    headline = frozenset(_letters(fields.title))
    names = [words for author in fields.authors if (words := _letters(author))]
    year_and_day = set(map(int, _NUMBER.findall(fields.published[:10])[::2]))
    found, good = set[int](), _good(labelled)
    for at, block in (*good[:NEAR_ENDS], *good[-NEAR_ENDS:]):
        if len(block.text) <= MAX_BYLINE_CHARACTERS and not _holder(block, *_QUOTING):
            said, numbers = frozenset(_letters(block.text)), set(map(int, _NUMBER.findall(block.text)))
            named = {word for name in names if said.issuperset(name) for word in name}
            is_dated = year_and_day and year_and_day <= numbers and (at, block) in good[:NEAR_ENDS]
            small = sum(word[0].islower() for word in _WORD.findall(block.text))
            is_short = len(said) <= MAX_BYLINE_WORDS and small <= MAX_SMALL_WORDS
            follows = len(headline) >= MIN_HEADLINE and headline < said
            is_by = named and (numbers or without_prefix(block.text) != block.text)
            is_signed = is_by or (numbers and ("time" in block.inline or follows))
            if (is_signed and len(said - named - headline) <= MAX_BYLINE_WORDS) or (is_dated and is_short):
                found.add(at)
    return found


def _letters(text: str) -> list[str]:
    """Return the case-folded words of a text without digits: dates often touch the names before them."""
    return _WORD.findall(text.casefold())


def _additions(
    labelled: Labelled, features: PageFeatures, fields: Fields, names: Mapping[Element, str]
) -> dict[int, str]:
    """Name the kind of each good block that the site added; never of the whole text. `names` are those of elements."""
    good = [at for at, _ in _good(labelled)]
    if len(good) < 2:
        return {}
    blocks, n_words = [item.block for item in labelled], features.words.astype(np.float64)
    kinds = dict.fromkeys(_comments(labelled, good, n_words), COMMENTS)
    authors = tuple(name for name in fields.authors if " " in name)
    bios = _find_parts(
        blocks, names, {each for each in names if "author" in each.classes and _BIO_BOX.search(each.classes)}
    )
    kinds |= {at: NOTE for at in good if at in bios}
    for at in good[1:][-NEAR_END:]:
        text, says_rights = blocks[at].text, features.matrix[at, _RIGHTS_COLUMN]
        if n_words[at] <= MAX_NOTE_WORDS and (
            (says_rights and len(_said(_RIGHTS, text)) >= MIN_RIGHTS)
            or _OPENS_NOTE.match(text)
            or (text.startswith(authors) and ("@" in text or _BIO.search(text)))
        ):
            kinds[at] = NOTE
    appealing = {at for at in good if features.matrix[at, _DONATE_COLUMN]}
    kinds |= dict.fromkeys(_appeals(blocks, appealing, good, n_words) if appealing else (), APPEAL)
    kinds |= dict.fromkeys(_machine_summary(blocks, good, n_words), SUMMARY)
    kinds |= dict.fromkeys(_teasers(blocks, good, n_words), TEASERS)
    forms = {each for each in find_named(names, _CONSENT, _PARTS_OF_CONSENT) if each.tag in _FORMS}
    if forms:
        kinds |= {at: CONSENT for at in good if not forms.isdisjoint(blocks[at].element.ancestry)}
    kinds |= dict.fromkeys(_sign_ups(blocks, good, n_words), SIGN_UP)
    return kinds if len(kinds) < len(good) else {}


def _sign_ups(blocks: Sequence[Block], good: Collection[int], n_words: Floats) -> Iterable[int]:
    """Yield the indices of the few good blocks of boxes that end in a field and a button, such as of a newsletter."""
    for at, button in enumerate(blocks):
        if button.inline[-2:] == ("input", "button"):
            element = button.element
            box = (element.parent or element) if element.tag == "form" else element
            near = range(max(at - MAX_SIGN_UP_BLOCKS - 1, 0), at)  # one more than the box may have
            before = [place for place in near if box in blocks[place].element.ancestry]
            is_last = at + 1 == len(blocks) or box not in blocks[at + 1].element.ancestry
            if is_last and len(before) <= MAX_SIGN_UP_BLOCKS and n_words[before].sum() <= MAX_SIGN_UP_WORDS:
                yield from (place for place in (*before, at) if place in good)


def _described(labelled: Labelled, fields: Fields) -> set[int]:
    """Return the indices of the block that repeats the description, if one does, and of its like siblings below."""
    title, told = set(lower_words(fields.title)), _runs(fields.description) - _runs(fields.title)

    def repeated(block: Block) -> float:
        if is_heading(block) or len({*lower_words(block.text)} - title) < MIN_TOPIC:
            return 0.0
        runs = _runs(block.text)
        return len(runs & told) / max(min(len(runs), len(told)), 1)

    blocks = [item.block for item in labelled]
    shares = [repeated(block) for block in blocks] if told else []
    best = max(shares, default=0.0)
    if best < MIN_REPEATED:
        return set()
    first = shares.index(best)
    kind = blocks[first].element.parent, blocks[first].tag
    return {at for at in range(first, len(blocks)) if (blocks[at].element.parent, blocks[at].tag) == kind}


def _runs(text: str) -> frozenset[tuple[str, ...]]:
    """Return the runs of words of a text, long enough that two texts do not share one by chance."""
    return frozenset(word_ngrams(lower_words(text), RUN))


def _comments(labelled: Labelled, good: Sequence[int], n_words: Floats) -> Iterable[int]:
    """Return the indices of the heading of readers' comments and of the good blocks below it."""
    words_so_far = np.cumsum(n_words[good])
    if words_so_far[-1] < MIN_WORDS:
        return ()
    least = max(MIN_WORDS, MIN_SHARE * words_so_far[-1])
    first, begin = (good[int(np.argmax(words_so_far >= words))] for words in (MIN_WORDS, least))
    for at in range(first + 1, good[-1] + 1):
        block, is_good = labelled[at].block, labelled[at].is_good
        # List items and links outside headings only point to the comments
        is_pointer = (block.tag == "li" or _is_link(block)) and not is_heading(block)
        key = phrase_key(block.text) if n_words[at] <= MAX_HEADING_WORDS and not is_pointer else ()
        if key in _COMMENT_HEADINGS:
            below = [each for each in good if each >= at]
            # A single word that the classifier takes for text may be a chapter heading
            is_sure = (at > begin or len(key) >= MIN_STATEMENT) and (len(key) > 1 or not is_good)
            times = [each for each in below if n_words[each] <= MAX_TIME_WORDS and _tells_time(labelled[each].block)]
            if is_sure or len(times) >= MIN_SIGNED:
                return below
    return ()


def _appeals(
    blocks: Sequence[Block], appealing: Collection[int], good: Sequence[int], n_words: Floats
) -> Iterator[int]:
    """Yield the indices of good blocks in the elements right around `appealing` blocks, if these ask for money."""
    inside: dict[Element | None, list[int]] = {blocks[at].element.parent: [] for at in appealing}
    for at in good:
        for element in blocks[at].element.ancestry:
            if element in inside:
                inside[element].append(at)
    for places in inside.values():
        if n_words[places].sum() <= MAX_APPEAL * n_words[good].sum():
            said = _said(_DONATE, "\n".join(blocks[at].text for at in places))
            n_appealing = sum(at in appealing for at in places)
            if len(said) >= MIN_APPEALS and n_appealing >= MIN_APPEALING * len(places):
                yield from places


def _machine_summary(blocks: Sequence[Block], good: Sequence[int], n_words: Floats) -> Iterator[int]:
    """Yield the indices of good blocks in a box near the beginning whose label says that a machine summarised."""
    for at in range(max(good[0] - NEAR_TOP, 0), min(good[0] + NEAR_TOP, len(blocks))):
        text = blocks[at].text.lower() if n_words[at] <= MAX_NOTE_WORDS and blocks[at].tag != "li" else ""
        if any(map(text.__contains__, _SUMMARIES)) and _BY_MACHINE.search(text):
            boxes = (
                [each for each in good if element in blocks[each].element.ancestry]
                for element in reversed(blocks[at].element.ancestry)
            )
            box = next((places for places in boxes if places and places != [at]), [])
            if n_words[box].sum() <= MAX_BOX_SHARE * n_words[good].sum():
                yield from box


def _teasers(blocks: Sequence[Block], good: Sequence[int], n_words: Floats) -> set[int]:
    """Return the indices of good blocks in runs of like siblings, each with a heading that is a link, and a time."""
    runs = defaultdict[tuple[Element | None, str, str], set[Element]](set)
    for each in elements_around([block for block in blocks if is_heading(block) and _is_link(block)]):
        runs[each.parent, each.tag, _NUMBER.sub("", each.classes)].add(each)
    run_of = {each: key for key, run in runs.items() if len(run) > 1 for each in run}
    inside = defaultdict[tuple[Element | None, str, str], list[int]](list)
    for at in good if run_of else ():
        for key in filter(None, map(run_of.get, blocks[at].element.ancestry)):
            inside[key].append(at)
    if not inside:  # as on most pages
        return set()
    times = [block for at, block in enumerate(blocks) if n_words[at] <= MAX_TIME_WORDS and _tells_time(block)]
    dated, most = elements_around(times), MAX_BOX_SHARE * n_words[good].sum()
    small = (places for key, places in inside.items() if runs[key] <= dated and n_words[places].sum() <= most)
    found = set(chain.from_iterable(small))
    return found if n_words[list(found)].sum() <= most else set()


def _tells_time(block: Block) -> bool:
    """Tell whether a block has a time element, a time of day or a date with a year."""
    return "time" in block.inline or bool(_TIME.search(block.text))


def _said(pattern: re.Pattern[str], text: str) -> frozenset[str]:
    """Return the distinct phrases of a kind in a text."""
    return frozenset(found.casefold() for found in pattern.findall(text))
