import math

import pytest

from newscorpus.data import Page
from newscorpus.lab.systems.paragraph_svm import FEATURES, measure, paragraphs
from newscorpus.page.extractor import PreparedPage, read

PAGE = (
    "<div class=menu><p><a href=/>Domů</a></p></div><div class=article>Praha<h1>Most</h1>"
    "<p>Nový most stál 12 milionů, řekl Jan.</p><p>Otevřou ho 3.4.</p></div><p>Tiráž 2020 | Praha</p>"
)


def prepared(html: str) -> PreparedPage:
    found = read(Page.from_html(html))
    assert isinstance(found, PreparedPage)
    return found


def of_many(count: int) -> float:
    return math.log(1 + count) / math.log(201)


def test_worked_example() -> None:
    blocks = paragraphs(prepared(PAGE))
    texts = ["Domů", "Nový most stál 12 milionů, řekl Jan.", "Otevřou ho 3.4.", "Tiráž 2020 | Praha"]
    assert [block.text for block in blocks] == texts
    row = measure(blocks)[1].tolist()
    assert dict(zip(FEATURES, row, strict=True)) == pytest.approx(
        {
            "numbers": of_many(1),
            "words": of_many(7),
            "position": 1 / 4,
            "sentences": of_many(1),
            "commas": of_many(1),
            "link_density": 0,
            "capitalised": 2 / 7,
            "ends_sentence": 1,
            "words_before": of_many(1),
            "words_after": of_many(4),
            "words_beside": 11 / 15,  # 7 and 4 in the article, of 1 + 7 + 4 + 3
            "positive_ancestor": 1,
            "negative_ancestor": 0,
        },
        abs=1e-6,
    )
    menu = dict(zip(FEATURES, measure(blocks)[0].tolist(), strict=True))
    assert (menu["link_density"], menu["negative_ancestor"], menu["words_before"]) == (1, 1, 0)
    (many,) = measure(paragraphs(prepared(f"<p>{'slovo ' * 1000}"))).tolist()
    assert dict(zip(FEATURES, many, strict=True))["words"] == 1  # at most
