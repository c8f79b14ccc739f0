"""What counts as main text where people differ: pages of our own, whose texts were written down before the pages."""

import re
from dataclasses import replace

import pytest
from prose import paragraphs

from newscorpus.config import Part, Revision
from newscorpus.data import Article, Fields, Label, LabelledBlock, Page, Rejected
from newscorpus.page.parsing.parse import parse
from newscorpus.page.parsing.segment import segment
from newscorpus.page.registry import load
from newscorpus.page.text.clean import clean, is_byline
from newscorpus.page.text.features import measure

TITLE = "The ferry at Aldwick runs again"
GOLD = paragraphs(TITLE, 6)
URL = "https://n.example/2026/ferry"
POST = "We waited a year for this, and the first boat is full."
SIGNED = '— Port of Aldwick (@aldwickport) <a href="https://t.example/1">May 3, 2026</a>'
EMBEDDED = f'<blockquote class="twitter-tweet"><p lang="en">{POST}</p>{SIGNED}</blockquote>'
ROWS = [
    ("Route", "Boats a day", "Passengers"),
    ("Aldwick to Sandwick", "12", "3,400"),
    ("Sandwick to Holm", "8", "900"),
]
TABLE = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in ROWS)
FACTS = ["The ferry was built in 1974 and carries forty cars and two hundred people across the sound."]
BOX = f'<aside class="factbox"><p>{FACTS[0]}</p></aside>'


ANYTHING = 0.001
"""Score above which a block is good, so that the conventions alone decide."""


def page(*inserted: str, head: str = "") -> Page:
    """An article with HTML after its third paragraph."""
    body = [f"<p>{text}</p>" for text in GOLD]
    body[3:3] = inserted
    return Page.from_html(
        f"<html lang='en'><head><title>{TITLE}</title>{head}</head><body><nav><a href='/'>Home</a></nav>"
        f"<article><h1>{TITLE}</h1>{''.join(body)}</article><footer>About us</footer></body></html>",
        URL,
    )


def lines(found: Page, *leave_out: Part, upper: float | None = None) -> list[str]:
    article = load("main-text", leave_out=leave_out, revision=Revision(upper=upper))(found)
    assert isinstance(article, Article)
    return article.text.split("\n")


def with_gold(*inserted: str) -> list[str]:
    return [*GOLD[:3], *inserted, *GOLD[3:]]


@pytest.mark.parametrize("place", ["amid", "end"])
def test_embedded_posts_are_kept_as_quotations(place: str) -> None:
    shown = page(EMBEDDED) if place == "amid" else page()
    if place == "end":
        shown = replace(shown, body=shown.body.replace(b"</article>", EMBEDDED.encode() + b"</article>"))
    assert lines(shown) == (with_gold(POST) if place == "amid" else [*GOLD, POST])
    assert lines(shown, Part.EMBEDDED_POSTS) == GOLD


def test_posts_that_stand_beside_the_article_are_not() -> None:
    latest = f"<div class='sidebar'><h3>Latest posts</h3>{EMBEDDED}</div>".encode()
    shown = page()
    assert lines(replace(shown, body=shown.body.replace(b"<footer>", latest + b"<footer>"))) == GOLD


def test_what_of_a_post_is_nothing_but_a_link_is_left_out() -> None:
    link = (
        '<blockquote class="instagram-media"><a href="https://i.example/1">View this post on Instagram</a></blockquote>'
    )
    assert lines(page(link)) == GOLD


@pytest.mark.parametrize(
    "post",
    [
        f"<blockquote><p>{POST}</p><p>{SIGNED}</p></blockquote>",
        f'<blockquote class="instagram-media"><p>{POST}</p><p>A post shared by Aldwick (@aldwick)</p></blockquote>',
    ],
)
def test_posts_end_without_a_signature(post: str) -> None:
    assert lines(page(post)) == with_gold(POST)


def test_a_line_that_looks_like_a_signature_stays_outside_of_quotations() -> None:
    said = "— the keeper (@aldwickport) of the harbour"
    assert said in lines(page(f"<p>{said}</p>"), upper=ANYTHING)


@pytest.mark.parametrize(
    "quote",
    [
        "<blockquote><p>{}</p><cite>{}</cite></blockquote>",
        "<blockquote><p>{}</p><footer><cite>{}</cite></footer></blockquote>",
        "<figure><blockquote><p>{}</p></blockquote><figcaption><cite>{}</cite></figcaption></figure>",
    ],
)
def test_a_quotation_amid_the_text_is_kept_and_who_is_quoted(quote: str) -> None:
    said, who = "Nobody asked us.", "Ann Tarrant, spokeswoman"
    assert lines(page(quote.format(said, who))) == with_gold(said, who)


def test_a_caption_in_a_quotation_is_no_text() -> None:
    figure = "<figure><img src='/a.jpg'><figcaption>The pier</figcaption></figure>"
    assert lines(page(f"<blockquote><p>{POST}</p>{figure}<p>{FACTS[0]}</p></blockquote>")) == with_gold(POST, FACTS[0])


def test_the_source_of_a_quotation_that_is_no_text_is_none() -> None:
    quote = "<blockquote><p><a href='/a'>Read on: the boats</a></p><cite>Ann Tarrant</cite></blockquote>"
    assert lines(page(quote)) == GOLD


def test_no_cell_of_a_row_is_lost() -> None:
    text = "The boats to Sandwick leave from the old pier, and those to Holm from the new one behind the school."
    rows = [
        ("Route", "Boats"),
        ("Aldwick to Sandwick, from the old pier behind the school", "12"),
        ("Holm", "8"),
        (text,),
    ]
    table = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    found = lines(page(f"<table>{table}</table>"))
    assert [line for line in found if line not in GOLD] == [" | ".join(row) for row in rows]


def test_no_row_is_lost_of_a_table_that_is_text() -> None:
    rows = [[text[:150]] for text in paragraphs("table", 3)]
    rows.insert(2, ["8", "12"])
    table = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    assert "8 | 12" in lines(page(f"<table>{table}</table>"))


def test_a_row_of_a_table_is_a_line() -> None:
    shown = page(f"<table>{TABLE}</table>")
    rows = [" | ".join(row) for row in ROWS]
    found = lines(shown, upper=ANYTHING)
    assert [line for line in found if "|" in line] == rows
    without = lines(shown, Part.TABLES, upper=ANYTHING)
    assert not any(cell in without for cell in (*rows, "Boats a day"))


def test_the_columns_of_a_layout_are_no_row() -> None:
    column = " ".join(GOLD)
    shown = Page.from_html(
        f"<title>{TITLE}</title><table><tr><td><h1>{TITLE}</h1></td></tr><tr><td>{column}</td><td>{column[::-1]}</td></tr>"
        "</table>",
        URL,
    )
    assert all(" | " not in line for line in lines(shown))


def test_boxes_inside_the_article_belong_to_it_unless_they_are_left_out() -> None:
    assert FACTS[0] in lines(page(BOX), upper=ANYTHING)
    assert FACTS[0] not in lines(page(BOX), Part.BOXES, upper=ANYTHING)


def test_cards_of_other_articles_are_no_text() -> None:
    others = paragraphs("other", 2)
    cards = "".join(f"<a href='/{day}'><div>{day} May</div><div>{text}</div></a>" for day, text in enumerate(others, 1))
    found = {*lines(page(cards), upper=ANYTHING)}
    assert {*GOLD} <= found
    assert not {*others} & found


def test_an_article_in_one_link_stays() -> None:
    shown = page()
    linked = shown.body.replace(b"<article>", b"<article><a href='/'>").replace(b"</article>", b"</a></article>")
    assert {*GOLD} <= {*lines(replace(shown, body=linked), upper=ANYTHING)}


def test_a_box_that_is_the_article_stays() -> None:
    shown = page()
    boxed = shown.body.replace(b"<article>", b"<aside class='factbox'>").replace(b"</article>", b"</aside>")
    assert lines(replace(shown, body=boxed), Part.BOXES) == lines(replace(shown, body=boxed)) == GOLD


BYLINES = [
    "Author Jana Malik8. May 2026, 05:40Updated 8. May 2026, 16:203 min read",
    f"{TITLE} By Tom Weir, 3 May 2026",
]


DATE = "<time>May 3, 2026</time> · One min read"


@pytest.mark.parametrize("line", [*BYLINES, DATE, "Advertisement", "Reklama", "Oglasno sporočilo"])
def test_bylines_and_labels_of_advertising_are_left_out(line: str) -> None:
    author = '<meta name="author" content="Jana Malik">'
    shown = page(head=author)
    placed = shown.body.replace(b"</h1>", f"</h1><p>{line}</p>".encode())
    found = lines(replace(shown, body=placed), upper=ANYTHING)
    assert re.sub(r"<[^>]+>", "", line) not in found
    assert set(GOLD) <= set(found)


@pytest.mark.parametrize(("title", "is_left_out"), [(TITLE, True), ("Another ferry at Holm", False)])
def test_lines_that_say_how_to_cite_the_article_are_left_out(title: str, is_left_out: bool) -> None:
    cited = [f"Title: {title}", "Author: Jana Malik", "Created at : 2026-05-03", "Link: https://port.example/ferry/"]
    shown = page(f"<ul>{''.join(f'<li>{line}</li>' for line in cited)}</ul>")
    found = [line for line in lines(shown, upper=ANYTHING) if line in cited]
    assert found == ([] if is_left_out else cited)


def test_a_paragraph_on_the_author_stays() -> None:
    said = "Jana Malik, 34, has crossed the sound on every ferry since 1998 and kept the tickets of all of them."
    shown = page(f"<p>{said}</p>", head='<meta name="author" content="Jana Malik">')
    assert lines(shown) == with_gold(said)


@pytest.mark.parametrize("order", [1, -1])
def test_the_longest_headline_before_a_byline_counts_in_whatever_order_they_come(order: int) -> None:
    """Parts of a title are a set, whose order differs from process to process."""
    headlines = [
        ["the", "bridge", "closes"],
        ["the", "bridge", "closes", "walkers", "face", "a", "detour", "of", "a", "year"],
    ]
    text = "The bridge closes, walkers face a detour of a year By Jane Doe, 4 May 2026"
    assert is_byline(text, (), headlines[::order])


LIGHTHOUSE = paragraphs("The lighthouse at Holm", 6)
BODY = "".join(f"<p>{text}</p>" for text in LIGHTHOUSE)
APPEAL = (
    "<p>Your support keeps us going.</p><p>We depend on independent journalism and on readers like you.</p>"
    "<p>Please consider a donation.</p>"
)


def left(html: str, *bad: str) -> tuple[list[str], set[str]]:
    """What is left of a page where all but the texts `bad` is taken for main text, and why the rest is not."""
    tree = parse(f"<html><body><main>{html}</main></body></html>")
    assert not isinstance(tree, Rejected)
    blocks = segment(tree)
    labelled = tuple(LabelledBlock(each, 0.6, Label.BAD if each.text in bad else Label.GOOD) for each in blocks)
    found = clean(labelled, measure(blocks), Fields())
    texts = [item.block.text for item in found if item.label is Label.GOOD]
    return texts, {reason for item in found for reason in item.reasons}


def test_an_article_stays_as_it_is() -> None:
    assert left(f"{BODY}<p>Labels on the boxes were lost, the comments of the crew were not.</p>")[1] == set()


@pytest.mark.parametrize(
    "heading",
    [
        "Comments (12)",
        "Add Comment",
        "Komentáře",
        "Vstoupit do diskuse",
        "Wasze komentarze [3]",
        "Комментарии:",
        "ΣΧΟΛΙΑ",
    ],
)
def test_readers_comments_below_their_heading(heading: str) -> None:
    comments = "<div>What a fine story, I remember the old lamp.</div><div>So do I, said nobody at the time.</div>"
    assert left(f"{BODY}<h3>{heading}</h3>{comments}", heading) == (LIGHTHOUSE, {"comments"})


def test_a_heading_above_the_text_or_in_a_list_is_a_link_to_the_comments() -> None:
    assert left(f"<h3>Comments</h3>{BODY}", "Comments")[0] == LIGHTHOUSE
    assert left(f"<p>{LIGHTHOUSE[0]}</p><h3>Comments</h3><div>{BODY}</div>", "Comments")[0] == [
        LIGHTHOUSE[0],
        *LIGHTHOUSE,
    ]
    assert left(f"{BODY}<ul><li>Comments</li></ul><p>{LIGHTHOUSE[0]}</p>", "Comments")[0] == [
        *LIGHTHOUSE,
        LIGHTHOUSE[0],
    ]
    link = "<p><a href='/1/comments'>Leave a comment</a></p>"
    assert left(f"{BODY}{link}<p>{LIGHTHOUSE[0]}</p>", "Leave a comment")[0] == [*LIGHTHOUSE, LIGHTHOUSE[0]]


def test_a_chapter_of_a_report_may_be_called_discussion() -> None:
    chapter = f"<h2>Diskuse</h2><p>{LIGHTHOUSE[0]}</p>"
    assert left(BODY + chapter)[0] == [*LIGHTHOUSE, "Diskuse", LIGHTHOUSE[0]]
    assert left(BODY + chapter, "Diskuse")[0] == LIGHTHOUSE


@pytest.mark.parametrize(
    "note",
    [
        "This entry was posted on Friday, May 1st, 2026 and is filed under News.",
        "You can follow any responses to this entry through the RSS 2.0 feed.",
        "Štítky: maják, moře",
        "Oznake: more, svetionik",
        "Метки: море, маяк",
        "Copyright 2026 The Associated Agency. All rights reserved. This material may not be published or rewritten.",
        "Všechna práva vyhrazena. All rights reserved.",
    ],
)
def test_notes_below(note: str) -> None:
    assert left(f"{BODY}<p>{note}</p>") == (LIGHTHOUSE, {"note_below"})
    assert left(f"<p>{note}</p>{BODY}")[1] == set(), "only below"


def test_a_box_that_appeals_for_money() -> None:
    assert left(f"{BODY}<div>{APPEAL}</div>") == (LIGHTHOUSE, {"appeal"})
    assert left(f"{BODY}<div><p>Podpořte nás. Podporte nás. Wesprzyj nas.</p></div>") == (LIGHTHOUSE, {"appeal"})


def test_an_article_on_giving_is_no_appeal() -> None:
    assert left(f"<div>{APPEAL}</div><p>The keeper thanked all who came.</p>")[1] == set(), "most of the text"
    one = "<p>The donation came in March, said the keeper; donations are welcome.</p>"
    assert left(f"<section>{one}{BODY}</section>{BODY}{BODY}")[1] == set(), "two phrases in one paragraph of seven"


@pytest.mark.parametrize("form", ["class='privacy-modal'", "id='onetrust-consent-sdk'", "class='box cookie-notice'"])
def test_forms_that_ask_for_consent(form: str) -> None:
    asked = f"<div {form}><p>When you visit our website, we store small files to collect information.</p></div>"
    assert left(BODY + asked) == (LIGHTHOUSE, {"consent_form"})


@pytest.mark.parametrize("name", ["post tag-cookies", "cmp-text", "cookie-recipes", "informed-consent"])
def test_boxes_named_for_their_subject_stay(name: str) -> None:
    assert left(f"<p>{LIGHTHOUSE[0]}</p><div class='{name}'>{BODY}</div>") == ([LIGHTHOUSE[0], *LIGHTHOUSE], set())


def test_what_is_all_there_is_stays() -> None:
    assert left(f"<div class='privacy-modal'>{BODY}</div>") == (LIGHTHOUSE, set())
