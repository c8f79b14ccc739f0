"""Each kind of personal data is found where it is valid, and nothing that only looks like it."""

import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newscorpus.data import Article, Fields
from newscorpus.page.quality.masking import KINDS, mask, mask_text

ALL = tuple(KINDS)


def masked(text: str, *kinds: str) -> str:
    return mask_text(text, kinds or ALL)[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Pište na jan.novak+tip@zpravy.example.cz.", "Pište na [email]."),
        ("Piši na vijesti@portal.hr, hvala", "Piši na [email], hvala"),
        ("účet GB82 WEST 1234 5698 7654 32 je", "účet [iban] je"),
        ("DE89370400440532013000", "[iban]"),
        ("r. č. 710319/2745 a", "r. č. [birth_number] a"),
        ("rodné číslo 7103192745", "rodné číslo [birth_number]"),
        ("anna (at) skola (dot) example.org, 93.184.216.34", "[email], [ip]"),
        ("karta 4111111111111111, účet 19-2000145399/0800", "karta [card], účet [account]"),
        ("tel. 601 123 456, 602 123 456 nebo 603 123 456", "tel. [phone], [phone] nebo [phone]"),
        ("PESEL 44051401359.", "PESEL [pesel]."),
        ("OIB: 33392005961", "OIB: [oib]"),
        ("EMŠO 0101006500006,", "EMŠO [emso],"),
        ("Volejte +420 601 123 456 nebo", "Volejte [phone] nebo"),
        ("00385 1 2345 678", "[phone]"),
        ("tel.: 02/1234 5678.", "tel.: [phone]."),
        ("telefon 601 123 456", "telefon [phone]"),
        ("Volejte 2. 5. 2024 od 10", "Volejte 2. 5. 2024 od 10"),
        ("mobil 2023-24, call 2020 2021", "mobil 2023-24, call 2020 2021"),
        ("telefon má 12 000 000 lidí, call 5 000 000", "telefon má 12 000 000 lidí, call 5 000 000"),
        ("+10 000 000 000 eur", "+10 000 000 000 eur"),
        ("тел. 8 (495) 123-45-67", "тел. [phone]"),
        *[
            (same, same)
            for same in (
                "Twitter @redakce, cena 5 @ 10",
                "GB82 WEST 1234 5698 7654 33",
                "710319/2746",
                "712019/2745",
                "710319274",
                "7103192745",
                "33392005961",
                "4111111111111112, 4111111111111111",
                "19-2000145398/0800, 19-2000145399/0801",
                "verze 10.15.7.3, kapitola 1.2.3.4, 127.0.0.1, std :: string",
                "ISSN 0017-0941",
                "telefon koupilo 12 345 678 lidí, call 2024-05-02 14:35, linka 123 456 lidí, vidi @jan.novak",
                "44051401358",
                "33392005962",
                "0101006500007",
                "9901006500006",
                "V roce 1994 1995 1996 bylo 1 234 567 890 korun",
                "24. 12. 2025 v 18:30, výsledek 6:4, 6:4",
                "Zákon č. 133/2000 Sb.",
                "telefon 112",
                "2000-2025",
                "+5 °C až +12 °C",
            )
        ],
    ],
)
def test_what_is_masked_and_what_only_looks_like_it(text: str, expected: str) -> None:
    assert masked(text) == expected


def test_only_the_kinds_that_are_asked_for_are_masked() -> None:
    text = "a@b.example, +420 601 123 456"
    assert masked(text, "email") == "[email], +420 601 123 456"
    assert masked(text, "phone") == "a@b.example, [phone]"


def test_an_article_is_masked_in_all_its_texts_and_says_how_often() -> None:
    fields = Fields(title="Pište na a@b.example", lead="a@b.example", description="+420 601 123 456")
    article = Article("https://a.example/1", "a@b.example\nc@d.example\n+420 601 123 456", fields, "x", flags=("old",))
    found = mask(article, ("email", "phone"))
    assert found.text == "[email]\n[email]\n[phone]"
    assert found.fields == Fields(title="Pište na [email]", lead="[email]", description="[phone]")
    assert found.flags == ("old", "masked_email:2", "masked_phone:1")
    assert mask(article, ()) is article


@given(st.text(alphabet="0123456789 /+-@.aZ[]()tel", max_size=60))
def test_nothing_is_masked_twice(text: str) -> None:
    once, _ = mask_text(text, ALL)
    assert mask_text(once, ALL)[0] == once


MARKED = re.compile(r"\{(\w+)\|(.+?)\}(?=[^}]|$)")
LINES = [
    line
    for line in (Path(__file__).parent / "personal_data.txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
]
"""Lines in ten languages, in which personal data are marked as `{kind|value}`."""


def test_of_the_marked_data_in_ten_languages_nearly_all_is_masked_and_hardly_anything_else() -> None:
    right, masked_too_much, missed = Counter[str](), Counter[str](), Counter[str]()
    for line in LINES:
        text, found = mask_text(MARKED.sub(r"\2", line), ALL)
        marked: defaultdict[str, list[str]] = defaultdict(list)
        for kind, value in MARKED.findall(line):
            marked[kind].append(value)
        for kind in {*marked, *found}:
            hits = min(found[kind], sum(value not in text for value in marked[kind]))
            right[kind] += hits
            masked_too_much[kind] += found[kind] - hits
            missed[kind] += len(marked[kind]) - hits
    assert len(LINES) == 300
    assert {kind for kind in ALL if right[kind] < 0.9 * (right[kind] + missed[kind])} == set()
    assert {kind for kind in ALL if masked_too_much[kind] > 0.03 * right[kind]} == set()
