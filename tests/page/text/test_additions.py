"""What a site adds to its articles is left out where two signs agree; on our pages here all is taken for main text."""

import pytest
from prose import paragraphs

from newscorpus.data import Label, LabelledBlock, Rejected
from newscorpus.page.parsing.parse import parse
from newscorpus.page.parsing.segment import segment
from newscorpus.page.text.clean import drop_additions
from newscorpus.page.text.features import measure

GOLD = paragraphs("The lighthouse at Holm", 6)
BODY = "".join(f"<p>{text}</p>" for text in GOLD)
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
    found = drop_additions(labelled, measure(blocks))
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
    assert left(f"{BODY}<h3>{heading}</h3>{comments}", heading) == (GOLD, {"comments"})


def test_a_heading_above_the_text_or_in_a_list_is_a_link_to_the_comments() -> None:
    assert left(f"<h3>Comments</h3>{BODY}", "Comments")[0] == GOLD
    assert left(f"<p>{GOLD[0]}</p><h3>Comments</h3><div>{BODY}</div>", "Comments")[0] == [GOLD[0], *GOLD]
    assert left(f"{BODY}<ul><li>Comments</li></ul><p>{GOLD[0]}</p>", "Comments")[0] == [*GOLD, GOLD[0]]
    link = "<p><a href='/1/comments'>Leave a comment</a></p>"
    assert left(f"{BODY}{link}<p>{GOLD[0]}</p>", "Leave a comment")[0] == [*GOLD, GOLD[0]]


def test_a_chapter_of_a_report_may_be_called_discussion() -> None:
    chapter = f"<h2>Diskuse</h2><p>{GOLD[0]}</p>"
    assert left(BODY + chapter)[0] == [*GOLD, "Diskuse", GOLD[0]]
    assert left(BODY + chapter, "Diskuse")[0] == GOLD


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
    assert left(f"{BODY}<p>{note}</p>") == (GOLD, {"note_below"})
    assert left(f"<p>{note}</p>{BODY}")[1] == set(), "only below"


def test_a_box_that_appeals_for_money() -> None:
    assert left(f"{BODY}<div>{APPEAL}</div>") == (GOLD, {"appeal"})
    assert left(f"{BODY}<div><p>Podpořte nás. Podporte nás. Wesprzyj nas.</p></div>") == (GOLD, {"appeal"})


def test_an_article_on_giving_is_no_appeal() -> None:
    assert left(f"<div>{APPEAL}</div><p>The keeper thanked all who came.</p>")[1] == set(), "most of the text"
    one = "<p>The donation came in March, said the keeper; donations are welcome.</p>"
    assert left(f"<section>{one}{BODY}</section>{BODY}{BODY}")[1] == set(), "two phrases in one paragraph of seven"


@pytest.mark.parametrize("form", ["class='privacy-modal'", "id='onetrust-consent-sdk'", "class='box cookie-notice'"])
def test_forms_that_ask_for_consent(form: str) -> None:
    asked = f"<div {form}><p>When you visit our website, we store small files to collect information.</p></div>"
    assert left(BODY + asked) == (GOLD, {"consent_form"})


@pytest.mark.parametrize("name", ["post tag-cookies", "cmp-text", "cookie-recipes", "informed-consent"])
def test_boxes_named_for_their_subject_stay(name: str) -> None:
    assert left(f"<p>{GOLD[0]}</p><div class='{name}'>{BODY}</div>") == ([GOLD[0], *GOLD], set())


def test_what_is_all_there_is_stays() -> None:
    assert left(f"<div class='privacy-modal'>{BODY}</div>") == (GOLD, set())
