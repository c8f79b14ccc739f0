from lxml.html import HtmlElement

from newscorpus.data import Article, Block, Element, Fields, Label, LabelledBlock, Page, Rejected
from newscorpus.extraction.extractor import MainText, Reading, assemble, good_paragraphs

URL = "https://a.example/1"
FIELDS = Fields(title="Headline")
READING = Reading(Page(URL, b"x", fetched="2024-01-02T03:04:05+00:00"), "x", HtmlElement(), (), FIELDS, "", ())


def test_an_article_has_one_paragraph_a_line() -> None:
    found = MainText(["one", "", "two"], "model:x@1", confidence=0.5, flags=("short",))
    assert assemble(READING, found) == Article(
        URL, "one\ntwo", FIELDS, "model:x@1", 0.5, ("short",), "2024-01-02T03:04:05+00:00"
    )


def test_no_text_is_a_rejection() -> None:
    assert assemble(READING, MainText(["", ""], "bte")) == Rejected("extract", "no_main_text", url=URL)


def test_only_good_blocks_make_paragraphs() -> None:
    labelled = [
        LabelledBlock(Block(position, str(label), "", Element("p")), 0.5, label) for position, label in enumerate(Label)
    ]
    assert good_paragraphs(labelled) == ["good"]
