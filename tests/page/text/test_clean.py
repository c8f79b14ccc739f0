"""What counts as main text where people differ: pages of our own, whose texts were written down before the pages."""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from prose import paragraphs

from newscorpus.config import Part, Revision
from newscorpus.data import Article, Fields, Label, LabelledBlock, Page, Provenance, Rejected
from newscorpus.page.extractor import Options
from newscorpus.page.loading import load
from newscorpus.page.parsing.parse import parse
from newscorpus.page.parsing.segment import segment
from newscorpus.page.text.classify import label_by
from newscorpus.page.text.clean import clean
from newscorpus.page.text.features import Hints, measure
from tests.mockserver.kinds import expect

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
FACTS = "The ferry was built in 1974 and carries forty cars and two hundred people across the sound."
BOX = f'<aside class="factbox"><p>{FACTS}</p></aside>'


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
    article = expect(
        Article, load("main-text", options=Options(leave_out=leave_out, revision=Revision(upper=upper)))(found)
    )
    return article.text.split("\n")


def with_gold(*inserted: str) -> list[str]:
    return [*GOLD[:3], *inserted, *GOLD[3:]]


@pytest.mark.parametrize("leave_out", [(), (Part.EMBEDDED_POSTS,)])
def test_embedded_posts_are_kept_as_quotations_unless_they_are_left_out(leave_out: tuple[Part, ...]) -> None:
    kept, last = ([], GOLD) if leave_out else ([POST], [*GOLD, POST])
    assert lines(page(EMBEDDED), *leave_out) == with_gold(*kept)
    at_end = page().body.replace(b"</article>", EMBEDDED.encode() + b"</article>")
    assert lines(replace(page(), body=at_end), *leave_out) == last
    beside = f"<div class='sidebar'><h3>Latest posts</h3>{EMBEDDED}</div><footer>".encode()
    assert lines(replace(page(), body=page().body.replace(b"<footer>", beside)), *leave_out) == GOLD


FIGURE = "<figure><img src='/a.jpg'><figcaption>The pier</figcaption></figure>"
SAID, WHO = "Nobody asked us.", "Ann Tarrant, spokeswoman"
RELATED = "<div class=related><p>Read also</p><a href='/a'><img src='/a.jpg'><span>Boats for Holm</span></a></div>"


@pytest.mark.parametrize(
    ("inserted", "kept"),
    [
        ('<blockquote class="instagram-media"><a href=/1>View this post on Instagram</a></blockquote>', ()),
        (f"<blockquote><p>{POST}</p><p>{SIGNED}</p></blockquote>", (POST,)),
        (f"<blockquote class=instagram-media><p>{POST}</p><p>A post shared by A (@a)</p></blockquote>", (POST,)),
        (f"<blockquote><p>{SAID}</p><cite>{WHO}</cite></blockquote>", (SAID, WHO)),
        (f"<blockquote><p>{SAID}</p><footer><cite>{WHO}</cite></footer></blockquote>", (SAID, WHO)),
        (
            f"<figure><blockquote><p>{SAID}</p></blockquote><figcaption><cite>{WHO}</cite></figcaption></figure>",
            (SAID, WHO),
        ),
        (f"{RELATED}<blockquote><p>{SAID}</p><cite>{WHO}</cite></blockquote>{RELATED}", (SAID, WHO)),
        (f"<blockquote><p>{POST}</p>{FIGURE}<p>{FACTS}</p></blockquote>", (POST, FACTS)),
        (f"<blockquote><p><a href='/a'>Read on: the boats</a></p><cite>{WHO}</cite></blockquote>", ()),
    ],
)
def test_quotations_amid_the_text_are_kept_without_signatures_captions_and_links(
    inserted: str, kept: tuple[str, ...]
) -> None:
    assert lines(page(inserted)) == with_gold(*kept)


def table(*rows: Sequence[str]) -> str:
    lines = ["".join(f"<td>{cell}</td>" for cell in row) for row in rows]
    return f"<table>{''.join(f'<tr>{cells}</tr>' for cells in lines)}</table>"


def test_no_cell_of_a_row_and_no_row_of_a_table_that_is_text_is_lost() -> None:
    text = "The boats to Sandwick leave from the old pier, and those to Holm from the new one behind the school."
    rows = [
        ("Route", "Boats"),
        ("Aldwick to Sandwick, from the old pier behind the school", "12"),
        ("Holm", "8"),
        (text,),
    ]
    assert lines(page(table(*rows))) == with_gold(*map(" | ".join, rows))
    of_text: list[Sequence[str]] = [[text[:150]] for text in paragraphs("table", 3)]
    of_text.insert(2, ("8", "12"))
    assert "8 | 12" in lines(page(table(*of_text)))


@pytest.mark.parametrize("cell", ["{}", "<p>{}</p>", "<div><span>{}</span></div>"])
def test_a_row_of_a_table_is_a_line(cell: str) -> None:
    shown = page(table(*([cell.format(text) for text in row] for row in ROWS)))
    assert [line for line in lines(shown, upper=ANYTHING) if "|" in line] == [" | ".join(row) for row in ROWS]
    without = " ".join(lines(shown, Part.TABLES, upper=ANYTHING))
    assert not any(cell in without for row in ROWS for cell in row if len(cell) > 3)


def test_the_columns_of_a_layout_are_no_row() -> None:
    column = " ".join(GOLD)
    shown = Page.from_html(
        f"<title>{TITLE}</title><table><tr><td><h1>{TITLE}</h1></td></tr><tr><td>{column}</td><td>{column[::-1]}</td></tr>"
        "</table>",
        URL,
    )
    assert all(" | " not in line for line in lines(shown))


def test_paragraphs_of_one_cell_are_no_row() -> None:
    shown = page("<table><tr><td><p>The first boats leave at noon.</p><p>The last one at night.</p></td></tr></table>")
    assert all(" | " not in line for line in lines(shown, upper=ANYTHING))


def test_boxes_inside_the_article_belong_to_it_unless_they_are_left_out() -> None:
    assert FACTS in lines(page(BOX), upper=ANYTHING)
    assert FACTS not in lines(page(BOX), Part.BOXES, upper=ANYTHING)


def test_cards_of_other_articles_are_no_text() -> None:
    others = paragraphs("other", 2)
    cards = "".join(f"<a href='/{day}'><div>{day} May</div><div>{text}</div></a>" for day, text in enumerate(others, 1))
    found = {*lines(page(cards), upper=ANYTHING)}
    assert {*GOLD} <= found
    assert not {*others} & found


@pytest.mark.parametrize(
    ("start", "end"), [("<article><a href='/'>", "</a></article>"), ("<aside class=box>", "</aside>")]
)
def test_a_link_or_box_that_is_the_article_stays(start: str, end: str) -> None:
    body = page().body.replace(b"<article>", start.encode()).replace(b"</article>", end.encode())
    assert {*GOLD} <= {*lines(replace(page(), body=body), Part.BOXES, upper=ANYTHING)}


BYLINES = [
    "Author Jana Malik8. May 2026, 05:40Updated 8. May 2026, 16:203 min read",
    f"{TITLE} By Tom Weir, 3 May 2026",
    "Sun, May 3, 2026, 8:44 a.m.",
    "By Jana Malik",
    "3 May 2026, Tom Weir and Eva Dubova",
]


DATE = "<time>May 3, 2026</time> · One min read"


RESIDUE = [
    "Photo: Jo Brown / Aldwick Agency",
    "(Foto © ČTK)",
    "Πηγή: ΑΠΕ",
    "— Port of Aldwick (@aldwickport) May 3, 2026",
]


@pytest.mark.parametrize("line", [*BYLINES, DATE, *RESIDUE, "Advertisement", "Reklama", "Oglasno sporočilo"])
def test_bylines_credits_and_labels_of_advertising_are_left_out(line: str) -> None:
    author = '<meta name="author" content="Jana Malik">'
    shown = page(head=f'{author}<meta property="article:published_time" content="2026-05-03">')
    placed = shown.body.replace(b"</h1>", f"</h1><p>{line}</p>".encode())
    found = lines(replace(shown, body=placed), upper=ANYTHING)
    assert re.sub(r"<[^>]+>", "", line) not in found
    assert set(GOLD) <= set(found)


def test_what_the_author_says_in_an_interview_stays() -> None:
    said = "Jana Malik: Thank you."
    assert said in lines(page(f"<p>{said}</p>", head='<meta name="author" content="Jana Malik">'), upper=ANYTHING)


def test_a_pull_quote_that_repeats_the_text_is_left_out() -> None:
    said = " ".join(GOLD[4].split()[2:14])
    for box in ("<aside><p>“{}”</p></aside>", "<figure><blockquote>{}</blockquote></figure>", "<p class=citat>{}</p>"):
        assert lines(page(box.format(said)), upper=ANYTHING) == lines(page(), upper=ANYTHING)
    assert "The ferry" in lines(page("<aside>The ferry</aside>"), upper=ANYTHING), "too short"


def test_a_line_with_an_agency_alone_names_it_at_the_end() -> None:
    def article(line: str) -> Article:
        body = page().body.replace(b"</article>", f"<p>{line}</p></article>".encode())
        found = load("main-text", options=Options(revision=Revision(upper=ANYTHING)))(replace(page(), body=body))
        assert isinstance(found, Article)
        return found

    for line, agency in (("(tasr)", "TASR"), ("Źródło: PAP", "PAP")):
        found = article(line)
        assert (found.fields.agencies, line in found.text.splitlines()) == ((agency,), False)
    found = article("A report by Ann Tarrant, AP")
    assert found.fields.agencies == ()
    assert "A report by Ann Tarrant, AP" in found.text.splitlines()


def test_a_note_on_the_author_below_the_text_is_left_out() -> None:
    note = "Jana Malik covers ferries for The Sound. Reach her at malik@sound.example."
    head = '<meta name="author" content="Jana Malik">'
    at_end = page(head=head).body.replace(b"</article>", f"<p>{note}</p></article>".encode())
    assert note not in lines(replace(page(), body=at_end), upper=ANYTHING)
    assert note in lines(page(f"<p>{note}</p>", head=head), upper=ANYTHING), "amid the text"
    said = "Jana Malik grew up beside the sound and keeps the tickets of all ferries that she has crossed it on."
    box = f"<div class='author-bio show-avatars'><h2>By Jana Malik</h2><p>{said}</p></div></article>"
    at_end = page(head=head).body.replace(b"</article>", box.encode())
    assert "Malik" not in "\n".join(lines(replace(page(), body=at_end), upper=ANYTHING))


LINKED = "<a href='/a'>Boats for Holm by May</a>"


@pytest.mark.parametrize(
    "box",
    [
        f"<p>Read more: {LINKED}</p>",
        f"<p><b>VEZANI ČLANAK: {LINKED}</b></p>",
        "<div><a href='/a'>Preberite še: Boats for Holm by May</a></div>",
        f"<p>Prečítajte si aj:</p><ul><li>{LINKED}</li><li>{LINKED}</li></ul>",
        "<p>Story continues below photo</p>",
        "<p>Článok pokračuje pod video reklamou ↓</p>",
        "<table><tr><td><img src='/a.jpg'><br>The pier in 1978. (Picture: county record office)</td></tr></table>",
        "<div><img src='/a.jpg'><p>Molo w maju. /Fot. Jan Mol / East News/</p></div>",
        "<table><tr><td><img src='/a.jpg'><br>Luka u svibnju. (Snimio S. Rukavec)</td></tr></table>",
        "<div><img src='/a.jpg'><p>Паром ждал до утра. Фото автора</p></div>",
        "<div class='box poll'><h4>Is it worth it?</h4><ul><li>Yes 412</li><li>No 96</li></ul><p>508 voted.</p></div>",
    ],
)
def test_pointers_captions_and_polls_are_left_out(box: str) -> None:
    assert lines(page(box), upper=ANYTHING) == lines(page(), upper=ANYTHING)


@pytest.mark.parametrize(
    ("html", "said"),
    [
        (f"<p>Read more about {LINKED} in the log of the harbour.</p>", None),
        ("<p>Related: two of the crew are cousins.</p>", None),
        (f"<p>Read more</p><p><a href='/a'>{'The tide came in. ' * 12}</a></p>", "Read more"),
        ("<h2>Related</h2><p>Two of the crew are cousins.</p>", "Related"),
        ("<p><img src='/a.jpg'> The ferry has a photo of each captain.</p>", None),
        ("<p>The pier in 1978. (Picture: county record office)</p>", None),
        ("<p><img src='/a.jpg'> The keeper opened the new pier (pictured below).</p>", None),
        ("<p>See also: the boats of 1978 were cheaper, writes <a href='/a'>the log</a></p>", None),
        ("<p>Saken fortsetter i lagmannsretten til høsten.</p>", None),
        ("<p>Der Artikel geht davon aus, dass alle zahlen.</p>", None),
        ("<div class=pollen-count><p>Birch is high this week.</p></div>", None),
        (f"<div class=anketa><p>Ann: {GOLD[0]}</p></div>" * 8, f"Ann: {GOLD[0]}"),  # most of the text
        ("<p>— the keeper (@aldwickport) of the harbour</p>", None),  # as a signature of a quotation
    ],
)
def test_what_only_resembles_them_stays(html: str, said: str | None) -> None:
    assert (said or re.sub(r"<[^>]+>", "", html).strip()) in lines(page(html), upper=ANYTHING)


@pytest.mark.parametrize(
    "said",
    [
        "Jana Malik, 34, has crossed the sound on every ferry since 1998 and kept the tickets of all of them.",
        "3 May 2026 is the day of it.",
    ],
)
def test_a_paragraph_on_the_author_or_day_stays(said: str) -> None:
    head = '<meta name="author" content="Jana Malik"><meta property="article:published_time" content="2026-05-03">'
    shown = page(head=head).body.replace(b"</h1>", f"</h1><p>{said}</p>".encode())
    assert said in lines(replace(page(), body=shown), upper=ANYTHING)


LIGHTHOUSE = paragraphs("The lighthouse at Holm", 6)
BODY = "".join(f"<p>{text}</p>" for text in LIGHTHOUSE)
FIRST = f"<p>{LIGHTHOUSE[0]}</p>"
APPEAL = (
    "<p>Your support keeps us going.</p><p>We depend on independent journalism and on readers like you.</p>"
    "<p>Please consider a donation.</p>"
)


NO_FIELDS = Fields()


def left(html: str, *bad: str, fields: Fields = NO_FIELDS, score: float = 0.8) -> tuple[list[str], set[str]]:
    """What is left of a page where all but the texts `bad` is taken for main text, and why the rest is not."""
    tree = parse(f"<html><body><main>{html}</main></body></html>")
    assert not isinstance(tree, Rejected)
    blocks = segment(tree)
    labelled = tuple(LabelledBlock(each, score, Label.BAD if each.text in bad else Label.GOOD) for each in blocks)
    found = clean(labelled, measure(blocks), fields)
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


def test_comments_that_are_closed_may_be_longer_than_the_article() -> None:
    for heading in ("Comments are now closed for this story", "Die Kommentarfunktion ist geschlossen", "Comments"):
        is_statement = len(heading.split()) > 3
        kept = left(f"{BODY}<p>{heading}</p><div>{BODY * 5}</div>", heading)[0]
        assert (kept == LIGHTHOUSE) == is_statement, heading


@pytest.mark.parametrize(("n_signed", "is_left"), [(3, False), (2, True)])
def test_signed_comments_may_be_longer_than_the_article(n_signed: int, is_left: bool) -> None:
    signed = f"{BODY}<p>Posted by: Ann | May 3, 2026 2:05 PM</p>" * n_signed
    kept = left(f"{BODY}<h3>Comments</h3>{signed}{BODY}")[0]
    assert (len(kept) > len(LIGHTHOUSE)) == is_left


SUMMARY = "<ul><li>The lamp is lit again.</li><li>The keeper stays.</li></ul>"


@pytest.mark.parametrize(
    "label",
    [
        "Sammendraget er laget av kunstig intelligens (KI) og kvalitetssikret av redaksjonen.",
        "This summary was generated by AI.",
        "Shrnutí vytvořila umělá inteligence",
        "Краткий пересказ от нейросети",
        "Mit KI erstellte Zusammenfassung",
    ],
)
def test_summaries_written_by_machines_are_left_out_with_their_label(label: str) -> None:
    for labels in ((), (label,)):
        found = left(f"<h1>Lamp</h1><div>{SUMMARY}<div><p>{label}</p></div></div>{BODY}", "Lamp", *labels)
        assert found == (LIGHTHOUSE, {"machine_summary"})
    assert left(f"{BODY}<p>{label}</p>")[1] == set(), "a sentence of the article"
    assert left(f"<ul><li>{label}</li><li>The keeper stays.</li></ul>{BODY}")[1] == set(), "an item of a list"


HEADLINE = "<h4><a href=/1>Storm closes the bridge</a></h4>"
NEWS = "<p>The bridge at Holm stays closed until noon.</p>"


@pytest.mark.parametrize(
    ("entry", "number", "is_teaser"),
    [
        (f"{HEADLINE}<div>11:20 03.01.2012</div>{NEWS}", 2, True),
        (f"{HEADLINE}<div><time>yesterday</time></div>{NEWS}", 3, True),
        (f"{HEADLINE}{NEWS}", 3, False),  # as a list of the best bridges
        (f"<h4>Storm closes the bridge</h4><div>11:20</div>{NEWS}", 3, False),  # as the entries of a live blog
        (f"{HEADLINE}<div>11:20</div>{NEWS}", 1, False),
        (f"{HEADLINE}<div>11:20</div>{NEWS}", 40, False),  # most of the text
    ],
)
def test_runs_of_teasers_with_linked_headline_and_time(entry: str, number: int, is_teaser: bool) -> None:
    teasers = "".join(f"<div class='item item-{at}'>{entry}</div>" for at in range(number))
    texts, reasons = left(f"<div>{BODY}</div><div>{teasers}</div>")
    assert (texts == LIGHTHOUSE, reasons) == (is_teaser, {"teasers"} if is_teaser else set())


@pytest.mark.timeout(60)
def test_many_runs_of_teasers_take_linear_time() -> None:
    teasers = f"<div><div>{HEADLINE}</div><div>{HEADLINE}</div>{NEWS}</div>"
    assert left(f"<div>{BODY}</div>{teasers * 5_000}")[1] == set()


@pytest.mark.parametrize(
    ("score", "source", "is_kept"), [(0.3, "text", True), (0.05, "text", False), (0.3, "meta", False)]
)
def test_a_doubtful_lead_that_the_page_shows_belongs_to_the_text(score: float, source: str, *, is_kept: bool) -> None:
    blocks = segment(parse(page().body.decode().replace("</h1>", f"</h1><p class=lead>{FACTS}</p>")))
    features, places = measure(blocks, Hints()), np.arange(len(blocks))
    at = next(at for at, block in enumerate(blocks) if block.text == FACTS)
    labelled = label_by(np.where(places == at, score, places > at), features, blocks)
    found = clean(labelled, features, Fields(title=TITLE, lead=FACTS, provenance=Provenance(lead=source)))
    assert found[at].is_good is is_kept


def test_a_drop_cap_belongs_to_its_word() -> None:
    rest = f"<div>{LIGHTHOUSE[0][0]}</div><p>{LIGHTHOUSE[0][1:]}</p>"
    shown = page().body.replace(f"<p>{GOLD[0]}</p>".encode(), f"<div>{GOLD[0][0]}</div><p>{GOLD[0][1:]}</p>".encode())
    assert left(rest + BODY, LIGHTHOUSE[0][0])[1] == {"drop_cap"}
    assert lines(replace(page(), body=shown)) == GOLD


@pytest.mark.parametrize(
    ("html", "heading", "kept"),
    [
        (f"<h3>Comments</h3>{BODY}", "Comments", LIGHTHOUSE),
        (f"{FIRST}<h3>Comments</h3><div>{BODY}</div>", "Comments", [LIGHTHOUSE[0], *LIGHTHOUSE]),
        (f"{BODY}<ul><li>Comments</li></ul>{FIRST}", "Comments", [*LIGHTHOUSE, LIGHTHOUSE[0]]),
        (f"{BODY}<p><a href=/1>Leave a comment</a></p>{FIRST}", "Leave a comment", [*LIGHTHOUSE, LIGHTHOUSE[0]]),
    ],
)
def test_a_heading_above_the_text_or_in_a_list_is_a_link_to_the_comments(
    html: str, heading: str, kept: list[str]
) -> None:
    assert left(html, heading)[0] == kept


def test_a_chapter_of_a_report_may_be_called_discussion() -> None:
    chapter = f"<h2>Diskuse</h2>{FIRST}"
    assert left(BODY + chapter)[0] == [*LIGHTHOUSE, "Diskuse", LIGHTHOUSE[0]]
    assert left(BODY + chapter, "Diskuse")[0] == LIGHTHOUSE
    books = "".join(f"<p>Jana Malá: Majáky, {at}. díl. Praha {2000 + at}.</p>" for at in range(1, 5))
    assert left(BODY + chapter + books)[1] == set()


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
        "Našli ste v článku chybu? Napíšte nám.",
        "Har du tips eller synpunkter?",
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


@pytest.mark.parametrize(
    "form", ["class='privacy-modal'", "id='onetrust-consent-sdk'", "class='box cookie-notice'", "class='embed-consent'"]
)
def test_forms_that_ask_for_consent(form: str) -> None:
    asked = f"<div {form}><p>When you visit our website, we store small files to collect information.</p></div>"
    assert left(BODY + asked) == (LIGHTHOUSE, {"consent_form"})


@pytest.mark.parametrize("field", ["<input><button>Sign up</button>", "<form><input><button>Sign up</button></form>"])
def test_boxes_that_end_in_a_field_and_a_button(field: str) -> None:
    asked = "<h3>Our letter</h3><p>Every morning we send you the most important news of the county by mail.</p>"
    assert left(f"{BODY}<div>{asked}{field}</div>") == (LIGHTHOUSE, {"sign_up"})
    search = "<div><input><button>Search</button><p>The lamp turns once in ten seconds.</p></div>"
    assert left(BODY + search, "Search") == ([*LIGHTHOUSE, "The lamp turns once in ten seconds."], set())


@pytest.mark.parametrize("name", ["post tag-cookies", "cmp-text", "cookie-recipes", "informed-consent"])
def test_boxes_named_for_their_subject_stay_and_so_does_all_there_is(name: str) -> None:
    assert left(f"{FIRST}<div class='{name}'>{BODY}</div>") == ([LIGHTHOUSE[0], *LIGHTHOUSE], set())
    assert left(f"<div class='privacy-modal'>{BODY}</div>") == (LIGHTHOUSE, set())


VOUCHERS = "".join(f"<p>{each} euros less at the shop of our partner until Sunday evening.</p>" for each in (5, 10, 20))
FLASH = "A tanker ran aground off Sandwick early on Monday; its crew of eleven was taken off by helicopter."
MORE = "Salvage is to begin with the next spring tide."
TANKER = Fields(title="Tanker aground off Sandwick", description=FLASH)


def test_a_text_off_topic_gives_way_to_the_block_that_repeats_the_description() -> None:
    page = f"<section>{VOUCHERS}</section><div><p>{FLASH}</p><p>{MORE}</p><ul><li>Tides</li></ul></div>"
    assert left(page, FLASH, MORE, "Tides", fields=TANKER) == ([FLASH, MORE], {"described"})


def test_a_text_without_a_sure_block_gives_way_to_the_block_that_repeats_the_description() -> None:
    comments = "<div>The crew of a tanker knows that Sandwick is shallow.</div>"
    for score, kept in ((0.5, [FLASH]), (0.9, ["The crew of a tanker knows that Sandwick is shallow."])):
        assert left(f"<p>{FLASH}</p>{comments}", FLASH, fields=TANKER, score=score)[0] == kept
    story = f"<p>SANDWICK, Monday. {FLASH}</p><p>{MORE}</p>"
    assert left(f"{story}{comments}", fields=TANKER, score=0.5)[0] == [f"SANDWICK, Monday. {FLASH}", MORE]


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        (f"<p>The tanker lies off Sandwick with its crew.</p>{VOUCHERS}", TANKER),
        (VOUCHERS, Fields(title=TANKER.title, description="News, sport and weather from the islands, every day anew.")),
        (VOUCHERS, Fields(title=FLASH, description=FLASH)),
        (VOUCHERS, Fields(title="Tanker", description="")),
    ],
    ids=["on topic", "description of the site", "headline repeated", "nothing to compare"],
)
def test_another_text_stays(text: str, fields: Fields) -> None:
    assert left(f"{text}<div><p>{FLASH}</p></div>", FLASH, fields=fields)[1] == set()
