"""Markup as a set of signs: pages of one design share theirs, whatever their text."""

from itertools import islice, product

from lxml import html

from newscorpus.page.profiles.names import MOST_SIGNS, markup_signs

PAGE = "<html><head><style>p {{}}</style></head><body class=page-7>{}</body></html>"
BODY = "<div id=main class='story css-1q2w3e'>{}</div>"


def signs(body: str) -> frozenset[str]:
    return markup_signs(html.document_fromstring(PAGE.format(BODY.format(body))))


def test_signs_are_pairs_of_elements_by_stable_names() -> None:
    assert signs("<p>One <b>word</b>.</p><p>Two.</p><script>p()</script>") == {
        "html > body",
        "body > div#main.story",
        "div#main.story > p",
        "p > b",
    }


def test_text_numbers_and_repetition_make_no_difference() -> None:
    first = signs("<ul><li class=item-12>a</li><li class=item-13>b</li></ul>")
    assert first == signs("<ul><li class=item-7>Other text.</li></ul>")
    assert first != signs("<ol><li class=item-7>Other text.</li></ol>")


def test_a_page_of_many_names_is_bounded() -> None:
    names = map("".join, islice(product("abcdefghij", repeat=4), 2 * MOST_SIGNS))
    assert len(signs("".join(f"<p class={name}></p>" for name in names))) == MOST_SIGNS
